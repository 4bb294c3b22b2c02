//! Objects whose keys are data: telling them from records, and reading them as entries.

use hashbrown::HashMap;

use super::walk::{MANY_KEYS, Opaque, ROOT, key_end};
use super::{SPELLING, Shredder, objects};
use crate::columns::column::Values;
use crate::columns::infer::strings;
use crate::columns::nested::{JsonKind, MAX_FIELDS, Map, Tag, looks_like_id, maps_by_density};
use crate::columns::span::{Cells, Span};
use crate::text::json::scan::{skip_space, value_behind_colon, value_end};

/// What objects of a path become.
pub enum Verdict {
    /// Structs, as the walk took them apart.
    Struct,
    /// Structs with more fields than the walk takes at first.
    Wide,
    /// Maps.
    Map,
    /// JSON text.
    Text,
}

/// A member of an object: the key in its quotes, and the value.
struct Entry {
    key: Span,
    value: Span,
}

impl Shredder<'_> {
    /// What the objects of a path should become.
    pub(crate) fn judge(&self, path: u32, spans: &[Span]) -> Verdict {
        let text = self.paths.text;
        let this = &self.paths.all[path as usize];
        match this.opaque {
            Some(Opaque::Text) => return Verdict::Text,
            None => {
                let mut keys = this.keys.iter().map(|member| member.key.text);
                let ids = !this.keys.is_empty() && keys.all(|key| looks_like_id(inside(key)));
                if !ids || path == ROOT {
                    return Verdict::Struct;
                }
            }
            Some(Opaque::ManyKeys) => {}
        }
        let mut distinct: HashMap<&[u8], (), foldhash::fast::FixedState> = HashMap::default();
        let (mut entries, mut count, mut ids) = (0, 0, true);
        let mut kinds = [false; 5];
        for (_, span) in objects(text, spans) {
            count += 1;
            let complete = each_entry(text, span, |Entry { key, value }| {
                let key = slice(text, key);
                if distinct.insert(key, ()).is_none() {
                    ids &= looks_like_id(inside(key));
                }
                entries += 1;
                if let Some(tag) = slice(text, value).first().copied().and_then(Tag::of) {
                    kinds[tag as usize] = true;
                }
            });
            if complete.is_none() {
                return Verdict::Text;
            }
        }
        let one_kind = kinds.iter().filter(|&&met| met).count() <= 1;
        if one_kind && maps_by_density(distinct.len(), entries, count, ids) {
            return Verdict::Map;
        }
        match distinct.len() {
            0..=MANY_KEYS if this.opaque.is_none() => Verdict::Struct,
            0..=MAX_FIELDS => Verdict::Wide,
            _ => Verdict::Text,
        }
    }

    /// Objects as maps, or `None` if a key is no text.
    pub(crate) fn map(&mut self, path: u32, spans: &[Span]) -> Option<JsonKind> {
        let text = self.paths.text;
        let values = self.paths.path_below(path);
        let mut offsets = Vec::with_capacity(spans.len() + 1);
        let mut keys = Vec::new();
        let mut starts = Vec::new();
        for (slot, span) in objects(text, spans) {
            offsets.resize(slot + 1, keys.len() as i32);
            each_entry(text, span, |Entry { key, value }| {
                keys.push(key);
                starts.push(value.start as usize);
            })?;
        }
        for (entry, &start) in starts.iter().enumerate() {
            self.paths.value_of(values, entry, start).ok()?;
        }
        offsets.resize(spans.len() + 1, keys.len() as i32);
        let Values::Text(names) = strings(Cells::new(self.block, &keys), SPELLING).values else {
            // No entries, or half a surrogate pair in a key.
            return None;
        };
        let values = Box::new(self.node(values, keys.len(), None));
        Some(JsonKind::Map(Map {
            offsets,
            keys: names,
            values,
        }))
    }
}

fn inside(key: &[u8]) -> &[u8] {
    &key[1..key.len() - 1]
}

fn slice(text: &[u8], span: Span) -> &[u8] {
    &text[span.start as usize..][..span.len as usize]
}

/// Hands over the members of an object; `None` if it is none, which the walk has ruled out.
fn each_entry(text: &[u8], object: Span, mut entry: impl FnMut(Entry)) -> Option<()> {
    let mut at = skip_space(text, object.start as usize + 1);
    if text.get(at) == Some(&b'}') {
        return Some(());
    }
    let span = |start: usize, end: usize| Span {
        start: start as u32,
        len: (end - start) as u32,
    };
    loop {
        let end = key_end(text, at).ok()?;
        let key = span(at, end);
        let start = value_behind_colon(text, end).ok()?;
        let end = value_end(text, start).ok()?;
        entry(Entry {
            key,
            value: span(start, end),
        });
        at = skip_space(text, end);
        match text.get(at)? {
            b',' => at = skip_space(text, at + 1),
            b'}' => return Some(()),
            _ => return None,
        }
    }
}
