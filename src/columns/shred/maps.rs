//! Objects whose keys are data: distinguishing them from records, and reading their entries.

use hashbrown::HashMap;

use super::walk::{Opaque, ROOT};
use super::{SPELLING, Shredder, objects};
use crate::columns::column::Values;
use crate::columns::infer::string_values;
use crate::columns::nested::{
    JsonKind, Kinds, MANY_KEYS, MAX_FIELDS, Map, Tag, looks_like_id, maps_by_density,
};
use crate::columns::span::{Cells, Span};
use crate::text::json::elements::{Element, elements};
use crate::text::json::scan::skip_space;

/// How to store the objects of a path.
pub enum Verdict {
    /// As structs, as shredded by the walk.
    Struct,
    /// As structs with more fields than the walk accepts at first.
    Wide,
    /// As maps with these entries.
    Map(Vec<MapEntry>),
    /// As JSON text.
    Text,
}

/// A member of an object: the slot of the object, the quoted key, and the value.
pub struct MapEntry {
    slot: usize,
    key: Span,
    value: Span,
}

impl Shredder<'_> {
    /// Decides how to store the objects of a path.
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
            Some(Opaque::ManyKeys | Opaque::Sparse) => {}
        }
        let Some(entries) = entries(text, spans) else {
            return Verdict::Text;
        };
        let (distinct, _, is_map) = are_map_entries(text, &entries, objects(text, spans).count());
        if is_map {
            return Verdict::Map(entries);
        }
        match distinct {
            _ if this.opaque == Some(Opaque::Sparse) => Verdict::Text,
            0..=MANY_KEYS if this.opaque.is_none() => Verdict::Struct,
            0..=MAX_FIELDS if self.can_afford(distinct * spans.len(), entries.len()) => {
                Verdict::Wide
            }
            _ => Verdict::Text,
        }
    }

    /// True if there is memory for the slots of a struct, `entries` of which have a value. The walk counts those without a
    /// value, and the fields count all.
    fn can_afford(&self, slots: usize, entries: usize) -> bool {
        (2 * slots).saturating_sub(entries) <= self.paths.budget
    }

    /// Objects in `slots` slots as maps, or `None` if a key cannot be represented as text.
    pub(crate) fn map(
        &mut self,
        path: u32,
        slots: usize,
        entries: &[MapEntry],
    ) -> Option<JsonKind> {
        let values = self.paths.path_below(path);
        let mut offsets = Vec::with_capacity(slots + 1);
        let mut keys = Vec::with_capacity(entries.len());
        for (at, entry) in entries.iter().enumerate() {
            if offsets.len() <= entry.slot {
                offsets.resize(entry.slot + 1, at as i32);
            }
            keys.push(entry.key);
            let start = entry.value.start as usize;
            self.paths.value_of(values, at, start).ok()?;
        }
        offsets.resize(slots + 1, keys.len() as i32);
        let Values::Text(names) = string_values(Cells::new(self.block, &keys), SPELLING) else {
            // There are no entries, or a key has half a surrogate pair.
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

/// True if the text is one object whose keys are data: it has many, and its values are alike.
pub(crate) fn is_map(text: &[u8]) -> bool {
    /// A table of one row may have many columns of one kind, but rarely of objects or arrays.
    const MANY_COLUMNS: usize = 1000;

    let start = skip_space(text, 0);
    let object = Span::new(start, text.len() - start);
    let mut entries = Vec::new();
    if text.get(start) != Some(&b'{') || add_entries(text, 0, object, &mut entries).is_none() {
        return false;
    }
    let Some(MapEntry { value, .. }) = entries.last() else {
        return false;
    };
    let close = skip_space(text, (value.start + value.len) as usize);
    if skip_space(text, close + 1) < text.len() {
        return false;
    }
    let is_id = looks_like_id(inside(slice(text, entries[0].key)));
    let is_nested = matches!(text[value.start as usize], b'{' | b'[');
    let (distinct, kinds, is_map) = are_map_entries(text, &entries, 1);
    let many = if is_id || is_nested || kinds.mix_arrays() {
        MANY_KEYS
    } else {
        MANY_COLUMNS
    };
    is_map && distinct > many
}

/// The number of distinct keys, the kinds of the values, and whether the objects with these members, `objects` of them,
/// are maps.
fn are_map_entries(text: &[u8], entries: &[MapEntry], objects: usize) -> (usize, Kinds, bool) {
    let mut distinct: HashMap<&[u8], (), foldhash::fast::FixedState> = HashMap::default();
    let mut ids = true;
    let mut kinds = Kinds::default();
    for &MapEntry { key, value, .. } in entries {
        let key = slice(text, key);
        if distinct.insert(key, ()).is_none() {
            ids &= looks_like_id(inside(key));
        }
        if let Some(tag) = tag_at(text, value.start as usize) {
            kinds.add(tag);
        }
    }
    if kinds.mix_arrays() {
        for &MapEntry { value, .. } in entries {
            let start = value.start as usize;
            if text[start] == b'[' {
                let items = elements(text, start).flatten();
                let tags = items.filter_map(|item| tag_at(text, item.value.start));
                tags.for_each(|tag| kinds.add_item(tag));
            }
        }
    }
    let is_map = kinds.are_alike() && maps_by_density(distinct.len(), entries.len(), objects, ids);
    (distinct.len(), kinds, is_map)
}

/// The kind of the value that starts at `start`; `None` for null.
fn tag_at(text: &[u8], start: usize) -> Option<Tag> {
    Tag::of(text[start])
}

fn inside(key: &[u8]) -> &[u8] {
    &key[1..key.len() - 1]
}

fn slice(text: &[u8], span: Span) -> &[u8] {
    &text[span.start as usize..][..span.len as usize]
}

/// The members of all objects in these slots; `None` if a slot is not an object, which the walk has ruled out.
pub fn entries(text: &[u8], spans: &[Span]) -> Option<Vec<MapEntry>> {
    let mut entries = Vec::new();
    objects(text, spans)
        .try_for_each(|(slot, span)| add_entries(text, slot, span, &mut entries))?;
    Some(entries)
}

fn add_entries(text: &[u8], slot: usize, object: Span, entries: &mut Vec<MapEntry>) -> Option<()> {
    for element in elements(text, object.start as usize) {
        let Element { key, value } = element?;
        let [key, value] = [key, value].map(|it| Span::new(it.start, it.len()));
        entries.push(MapEntry { slot, key, value });
    }
    Some(())
}
