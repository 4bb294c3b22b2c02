//! Shreds blocks of JSON to nested columns: the walk finds the spans of every path, and this module converts each path
//! to a [`JsonNode`].

mod maps;
mod outline;
mod survey;
mod walk;

use arrow_buffer::{BooleanBuffer, NullBuffer};

use crate::columns::column::Strings;
use crate::columns::infer::{Spelling, infer_values, string_values};
use crate::columns::nested::{
    JsonKind, JsonNode, Leaves, List, MANY_KEYS, MAX_FIELDS, Scalar, Struct, Tag, order,
};
use crate::columns::span::{Cells, Span, Spot, TextBlock};
use crate::text::json::key::{exact_name, key_name};
use crate::text::json::scan::compact;

pub(crate) use maps::is_map;
use maps::{Verdict, entries};
pub use outline::{Outline, OutlinePath, OutlineToken, Outlines};
use survey::Survey;
pub use walk::JsonScratch;
pub(crate) use walk::{Opaque, Paths, ROOT};

pub(crate) const SPELLING: Spelling = Spelling {
    json: true,
    quote: Some(b'"'),
    escape: None,
    utf8: true,
    comma: false,
};

/// Shreds JSON texts again, one per row. Top-level objects become maps, however few keys they have. Null rows have no
/// text.
pub fn shred_as_maps(texts: &Strings, infer: bool) -> JsonNode {
    shred_again(texts, infer, |shredder, spans| {
        entries(shredder.paths.text, spans)
            .and_then(|entries| shredder.map(ROOT, spans.len(), &entries))
            .unwrap_or_else(|| shredder.text(Tag::Object, spans))
    })
}

/// The same for structs, however many keys they have; `None` if they are too many.
pub fn shred_as_structs(texts: &Strings, infer: bool) -> Option<JsonNode> {
    let mut is_struct = true;
    let node = shred_again(texts, infer, |shredder, spans| {
        shredder.wide(ROOT, spans).unwrap_or_else(|| {
            is_struct = false;
            JsonKind::Null
        })
    });
    is_struct.then_some(node)
}

fn shred_again(
    texts: &Strings,
    infer: bool,
    kind: impl FnOnce(&mut Shredder<'_>, &[Span]) -> JsonKind,
) -> JsonNode {
    let spot = Spot { line: 1, byte: 1 };
    let block = TextBlock::new(&texts.data, spot, b'\n');
    let mut paths = Paths::new(block.text(), true, &mut JsonScratch::default());
    let rows = texts.offsets.len() - 1;
    let spans: Vec<_> = texts
        .offsets
        .windows(2)
        .map(|pair| Span::new(pair[0] as usize, (pair[1] - pair[0]) as usize))
        .collect();
    paths.rows = rows;
    let mut shredder = Shredder {
        paths,
        block: &block,
        infer,
        has_all_rows: false,
    };
    let nulls = nulls_of(&spans, |span| span.len > 0);
    let kind = kind(&mut shredder, &spans);
    JsonNode::new(rows, nulls, kind)
}

/// Converts the spans of paths to nodes.
pub(crate) struct Shredder<'a> {
    pub(crate) paths: Paths<'a>,
    pub(crate) block: &'a TextBlock,
    pub(crate) infer: bool,
    /// True if the rows are all rows of their input. Only then can few values per key be taken as a fact about the input.
    pub(crate) has_all_rows: bool,
}

impl Shredder<'_> {
    /// The names and paths of the columns, and the pairs of adjacent ones.
    pub(crate) fn root_keys(&self) -> (Vec<String>, Vec<u32>, Vec<(u32, u32)>) {
        let root = &self.paths.all[ROOT as usize];
        let names = root.keys.iter().map(|key| key_name(key.key.text));
        let places = root.keys.iter().map(|key| key.path);
        (names.collect(), places.collect(), root.edges.pairs.clone())
    }

    pub(crate) fn take_spans(&mut self, path: u32, slots: usize) -> (Vec<Span>, Survey) {
        let this = &mut self.paths.all[path as usize];
        let mut spans = std::mem::take(&mut this.spans);
        spans.resize(slots, Span::NULL);
        (spans, this.survey)
    }

    /// The node of a path; `owners` is the number of objects that could have its key, or `None` if it is not a member
    /// of an object.
    pub(crate) fn node(&mut self, path: u32, slots: usize, owners: Option<usize>) -> JsonNode {
        let (spans, survey) = self.take_spans(path, slots);
        let valid = survey.valid();
        let mut tags = survey.tags();
        let kind = match (tags.next(), tags.next()) {
            (None, _) => JsonKind::Null,
            (Some(tag), None) => self.kind(tag, path, &spans),
            _ => self.variant(path, &spans, &survey),
        };
        let null_kinds = survey.null_kinds(&spans, owners);
        let nulls = (valid < slots).then(|| {
            let bits = BooleanBuffer::collect_bool(slots, |slot| spans[slot].len > 0);
            NullBuffer::new(bits)
        });
        self.paths.all[path as usize].spans = spans;
        JsonNode {
            rows: slots,
            nulls,
            null_kinds,
            kind,
        }
    }

    /// Values of several kinds, separated by kind.
    pub(crate) fn variant(&mut self, path: u32, spans: &[Span], survey: &Survey) -> JsonKind {
        let text = self.paths.text;
        let children = survey.tags().map(|tag| {
            let is_tag = |span: &Span| {
                span.len > 0
                    && text.get(span.start as usize).copied().and_then(Tag::of) == Some(tag)
            };
            let spans: Vec<_> = spans
                .iter()
                .map(|span| if is_tag(span) { *span } else { Span::NULL })
                .collect();
            let node = JsonNode::new(
                spans.len(),
                nulls_of(&spans, |span| span.len > 0),
                self.kind(tag, path, &spans),
            );
            (tag, node)
        });
        JsonKind::Variant(children.collect())
    }

    /// Values of one kind.
    pub(crate) fn kind(&mut self, tag: Tag, path: u32, spans: &[Span]) -> JsonKind {
        match tag {
            Tag::Bool => self.scalar(Scalar::Bool, spans),
            Tag::Number => self.scalar(Scalar::Number, spans),
            Tag::String => self.scalar(Scalar::String, spans),
            Tag::Object => self.objects(path, spans),
            Tag::Array => self.arrays(path, spans),
        }
    }

    pub(crate) fn scalar(&self, scalar: Scalar, spans: &[Span]) -> JsonKind {
        let cells = Cells::new(self.block, spans);
        let values = if self.infer {
            infer_values(cells, SPELLING)
        } else {
            string_values(cells, SPELLING)
        };
        JsonKind::Scalar(scalar, values)
    }

    /// Values as text, without white space.
    pub(crate) fn text(&self, tag: Tag, spans: &[Span]) -> JsonKind {
        let bytes = spans.iter().map(|span| span.len as usize).sum();
        let mut texts = Strings::with_capacity(spans.len(), bytes);
        for cell in Cells::new(self.block, spans).iter() {
            compact(cell, &mut texts.data);
            texts.end_row();
        }
        JsonKind::Text(tag, texts)
    }

    pub(crate) fn arrays(&mut self, path: u32, spans: &[Span]) -> JsonKind {
        let this = &mut self.paths.all[path as usize];
        // If there is no path of items, the arrays are nested too deep.
        let Some(items) = this.items else {
            return self.text(Tag::Array, spans);
        };
        let mut offsets = std::mem::take(&mut this.offsets);
        let count = self.paths.all[items as usize].spans.len();
        offsets.resize(spans.len() + 1, count as i32);
        // The offsets are kept until their frame is written.
        offsets.shrink_to_fit();
        let items = Box::new(self.node(items, count, None));
        JsonKind::List(List { offsets, items })
    }

    pub(crate) fn objects(&mut self, path: u32, spans: &[Span]) -> JsonKind {
        let kind = match self.judge(path, spans) {
            Verdict::Struct => self.fields(path, spans),
            Verdict::Map(entries) => self.map(path, spans.len(), &entries),
            Verdict::Wide => self.wide(path, spans),
            Verdict::Text => None,
        };
        kind.filter(|kind| path == ROOT || !self.has_all_rows || !is_document(kind))
            .unwrap_or_else(|| self.text(Tag::Object, spans))
    }

    /// Objects with many keys that are not maps.
    pub(crate) fn wide(&mut self, path: u32, spans: &[Span]) -> Option<JsonKind> {
        self.paths.reopen(path, MAX_FIELDS);
        for (slot, span) in objects(self.paths.text, spans) {
            self.paths.members(path, slot, span.start as usize).ok()?;
        }
        self.fields(path, spans)
    }

    /// Objects as structs, or `None` if they cannot be shredded.
    pub(crate) fn fields(&mut self, path: u32, spans: &[Span]) -> Option<JsonKind> {
        let this = &mut self.paths.all[path as usize];
        if this.opaque.is_some() {
            return None;
        }
        let slots = spans.len();
        self.paths.budget = self.paths.budget.checked_sub(this.keys.len() * slots)?;
        let keys = std::mem::take(&mut this.keys);
        let edges = std::mem::take(&mut this.edges).pairs;
        let owners = objects(self.paths.text, spans).count();
        let order = order(keys.len(), &edges);
        let mut places = vec![0; keys.len()];
        let mut fields = Vec::with_capacity(keys.len());
        for (place, &key) in order.iter().enumerate() {
            let key = &keys[key as usize];
            places[order[place] as usize] = place as u32;
            fields.push((
                exact_name(key.key.text)?,
                self.node(key.path, slots, Some(owners)),
            ));
        }
        let edges = edges
            .iter()
            .map(|&(a, b)| (places[a as usize], places[b as usize]))
            .collect();
        Some(JsonKind::Struct(Struct { fields, edges }))
    }
}

/// True for objects such as settings or translations: many leaves, with barely one value in each. As
/// columns, their names and types would take several times the space of their values, so they are better kept as text.
fn is_document(kind: &JsonKind) -> bool {
    /// Leaves with as many values on average are worth columns.
    const VALUES_PER_LEAF: usize = 2;

    let JsonKind::Struct(Struct { fields, .. }) = kind else {
        return false;
    };
    let mut leaves = Leaves::default();
    for (_, node) in fields {
        leaves.add(node);
    }
    leaves.count > MANY_KEYS && leaves.values < VALUES_PER_LEAF * leaves.count
}

/// The slots that are objects.
fn objects<'a>(text: &'a [u8], spans: &'a [Span]) -> impl Iterator<Item = (usize, Span)> + 'a {
    let is_object =
        |span: &Span| span.len > 0 && text.get(span.start as usize).copied() == Some(b'{');
    spans
        .iter()
        .copied()
        .enumerate()
        .filter(move |(_, span)| is_object(span))
}

fn nulls_of(spans: &[Span], is_valid: impl Fn(&Span) -> bool) -> Option<NullBuffer> {
    let bits = BooleanBuffer::collect_bool(spans.len(), |slot| is_valid(&spans[slot]));
    (bits.count_set_bits() < spans.len()).then(|| NullBuffer::new(bits))
}
