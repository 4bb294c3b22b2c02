//! Finds the spans of the values of every path in one pass over the rows of a block.
//!
//! The slots of a path are spans of whole values, so values that turn out not to be worth shredding are still available
//! as text. A member of an object has the slot number of its object; only the items of arrays have their own numbering.

use hashbrown::HashMap;

use super::outline::{OutlinePath, OutlineWriter, Outlines};
use super::survey::Survey;
use crate::columns::nested::{Edges, MANY_KEYS};
use crate::columns::span::Span;
use crate::text::json::MAX_DEPTH;
use crate::text::json::fault::{Fault, FaultKind, RowFault};
use crate::text::json::key::{Key, exact_name, key_name};
use crate::text::json::scan::{skip_space, string_end, value_after_colon, value_end};

/// Memory for spans, reused between blocks.
#[derive(Debug, Default)]
pub struct JsonScratch {
    columns: Vec<Vec<Span>>,
}

/// Number of keys that are compared one by one, which is faster than hashing.
const FEW_KEYS: usize = 12;
/// The largest buffer, in spans, that is kept for the next block.
const MOST_KEPT: usize = 1 << 12;
/// The most slots without a value in a long row, such as a document of many MB. Each takes 8 bytes while the row is read
/// and up to 32 when the frame is, so this allows about 300 MB. Blocks of several rows are too short to reach this limit.
const MOST_EMPTY: usize = 1 << 23;
/// The path of the rows.
pub const ROOT: u32 = 0;

/// The spans of the values of every path.
pub struct Paths<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) all: Vec<PathSpans<'a>>,
    pub(crate) rows: usize,
    /// Remaining number of slots without a value, so that unusual text cannot exhaust memory.
    pub(crate) budget: usize,
    /// Number of repeated keys in rows; the last value of a key counts.
    pub(crate) repeated_keys: u64,
    /// True if rows are objects, whose keys are columns.
    objects: bool,
    outlines: OutlineWriter,
    /// Buffers of earlier blocks.
    pool: Vec<Vec<Span>>,
}

/// The spans of the values of one path, and its child paths.
pub struct PathSpans<'a> {
    /// The value of each slot. The span of a null has an offset but no length; the span of an absent value has neither.
    pub spans: Vec<Span>,
    /// The kinds of these values.
    pub survey: Survey,
    depth: u8,
    /// The reason if objects of this path are not shredded.
    pub opaque: Option<Opaque>,
    max_keys: usize,
    pub keys: Vec<MemberPath<'a>>,
    /// The path of each key after the first few, and of other spellings of keys.
    by_key: HashMap<&'a [u8], u32, foldhash::fast::FixedState>,
    /// The member of each name if a key contains an escape, so that different spellings may be the same key.
    by_name: Option<Box<HashMap<String, u32, foldhash::fast::FixedState>>>,
    /// The first member of the previous object.
    first: u32,
    /// Pairs of adjacent members.
    pub edges: Edges,
    /// The path of the items of arrays.
    pub items: Option<u32>,
    /// The offset of the items of each slot; slots after the last array are missing.
    pub offsets: Vec<i32>,
}

/// Why objects are not shredded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opaque {
    /// There are many keys, which may be data.
    ManyKeys,
    /// Most objects lack most keys, so slots for all keys would take many times the memory of the text.
    Sparse,
    /// A key is repeated or cannot be represented as text, or objects are nested too deep.
    Text,
}

/// A key of an object.
pub struct MemberPath<'a> {
    pub key: Key<'a>,
    pub path: u32,
    /// The member that followed this one in the previous object.
    next: u32,
}

impl<'a> Paths<'a> {
    /// Paths for `text`, without rows.
    pub fn new(text: &'a [u8], objects: bool, scratch: &mut JsonScratch) -> Self {
        let mut paths = Self {
            text,
            all: Vec::new(),
            rows: 0,
            budget: (1 << 20) + (text.len() * 16).min(MOST_EMPTY),
            repeated_keys: 0,
            objects,
            outlines: OutlineWriter::default(),
            pool: std::mem::take(&mut scratch.columns),
        };
        let root = paths.path(0);
        paths.all[root as usize].max_keys = usize::MAX;
        paths
    }

    /// Makes the walk fail with [`FaultKind::FirstRowIsWide`] if the first row has so many keys that it may
    /// be a map.
    pub fn limit_keys(&mut self) {
        self.all[ROOT as usize].max_keys = MANY_KEYS;
    }

    /// Keeps rows that are objects whole until it is decided whether they are maps.
    pub fn keep_rows_whole(&mut self, why: Opaque) {
        self.all[ROOT as usize].opaque = Some(why);
    }

    /// Returns the memory to `scratch`.
    pub fn recycle(mut self, scratch: &mut JsonScratch) {
        let spans = self.all.drain(..).map(|path| path.spans);
        // A buffer may be reused for any path, so every one would grow to the size of the longest path.
        let is_kept = |spans: &Vec<Span>| (1..=MOST_KEPT).contains(&spans.capacity());
        self.pool.extend(spans.filter(is_kept));
        scratch.columns = self.pool;
    }

    /// The outlines of the rows walked so far.
    pub(crate) fn take_outlines(&mut self) -> Outlines {
        let paths = self.all.iter().map(|path| OutlinePath {
            keys: path
                .keys
                .iter()
                .map(|member| (member.key.text.into(), member.path))
                .collect(),
            items: path.items,
        });
        std::mem::take(&mut self.outlines).finish(paths.collect())
    }

    /// The names that are escaped forms of keys with half a surrogate pair.
    pub(crate) fn spelled_keys(&self) -> Vec<String> {
        let root = &self.all[ROOT as usize];
        root.keys
            .iter()
            .map(|member| member.key.text)
            .filter(|key| root.by_name.is_some() && exact_name(key).is_none())
            .map(key_name)
            .collect()
    }

    /// Adds a path.
    pub(crate) fn path(&mut self, depth: u8) -> u32 {
        let mut spans = self.pool.pop().unwrap_or_default();
        spans.clear();
        self.all.push(PathSpans {
            spans,
            survey: Survey::default(),
            depth,
            opaque: (usize::from(depth) >= MAX_DEPTH).then_some(Opaque::Text),
            max_keys: MANY_KEYS,
            keys: Vec::new(),
            by_key: HashMap::default(),
            by_name: None,
            first: 0,
            edges: Edges::default(),
            items: None,
            offsets: Vec::new(),
        });
        self.all.len() as u32 - 1
    }

    /// Adds a child path.
    pub(crate) fn path_below(&mut self, path: u32) -> u32 {
        self.path(self.all[path as usize].depth + 1)
    }

    /// Allows shredding the objects of a path after all, with at most `max_keys` keys.
    pub(crate) fn reopen(&mut self, path: u32, max_keys: usize) {
        let path = &mut self.all[path as usize];
        path.opaque = None;
        path.max_keys = max_keys;
        path.keys.clear();
        path.by_key.clear();
        path.by_name = None;
        path.edges = Edges::default();
        path.first = 0;
    }

    /// Adds the value at `at` as the next slot of the path.
    #[inline]
    pub(crate) fn value_of(&mut self, path: u32, slot: usize, at: usize) -> Result<usize, Fault> {
        let text = self.text;
        let end = match text.get(at) {
            Some(b'{') => self.members(path, slot, at)?,
            Some(b'[') => self.items(path, slot, at)?,
            _ => value_end(text, at)?,
        };
        let first = text[at];
        let len = if first == b'n' { 0 } else { end - at };
        let this = &mut self.all[path as usize];
        this.survey.add(first);
        this.spans.push(Span::new(at, len));
        Ok(end)
    }

    /// Walks an array: its items are the slots of the path below, starting at the slot that is stored as its
    /// offset.
    fn items(&mut self, path: u32, slot: usize, start: usize) -> Result<usize, Fault> {
        let text = self.text;
        if usize::from(self.all[path as usize].depth) >= MAX_DEPTH {
            self.outlines.give_up();
            return value_end(text, start);
        }
        let items = self.all[path as usize].items.unwrap_or_else(|| {
            let items = self.path_below(path);
            self.all[path as usize].items = Some(items);
            items
        });
        let first = self.all[items as usize].spans.len();
        self.all[path as usize]
            .offsets
            .resize(slot + 1, first as i32);
        let mut at = skip_space(text, start + 1);
        if text.get(at) == Some(&b']') {
            return Ok(at + 1);
        }
        let begun = self.outlines.begin_array();
        let mut item = first;
        loop {
            let end = self.value_of(items, item, at)?;
            item += 1;
            at = skip_space(text, end);
            match text.get(at) {
                Some(b',') => at = skip_space(text, at + 1),
                Some(b']') => {
                    self.outlines.end_array(begun);
                    return Ok(at + 1);
                }
                Some(_) => return Fault::at(at, FaultKind::ExpectedCommaOrBracket),
                None => return Fault::at(text.len(), FaultKind::EndsInValue),
            }
        }
    }

    /// Adds the members of the object at `start` to the paths of their keys.
    pub(crate) fn members(&mut self, path: u32, slot: usize, start: usize) -> Result<usize, Fault> {
        let text = self.text;
        if self.all[path as usize].opaque.is_some() {
            self.outlines.give_up();
            return value_end(text, start);
        }
        self.outlines.begin_object();
        let mut at = skip_space(text, start + 1);
        if text.get(at) == Some(&b'}') {
            self.outlines.end_object();
            return Ok(at + 1);
        }
        // The member after the previous one is guessed from the previous object, so most keys take one comparison.
        let mut previous = None;
        loop {
            let key = at;
            let this = &self.all[path as usize];
            let guess = match previous {
                None => this.first,
                Some(previous) => this.keys[previous as usize].next,
            };
            let (place, below) = match this.keys.get(guess as usize) {
                // Rows written by a program have the same keys in the same order.
                Some(known) if known.key.begins(&text[at..]) => {
                    at += known.key.text.len();
                    (guess, known.path)
                }
                _ => {
                    at = key_end(text, at)?;
                    match self.member(path, &text[key..at], previous) {
                        Some(found) => found,
                        None if path == ROOT && self.objects => {
                            return RowFault::FirstRowIsWide.at(key);
                        }
                        None => {
                            self.outlines.give_up();
                            return value_end(text, start);
                        }
                    }
                }
            };
            previous = Some(place);
            self.outlines.member(place);
            at = value_after_colon(text, at)?;
            // Other objects lacked the key, or this object has it twice.
            let taken = self.all[below as usize].spans.len();
            if taken != slot && !self.fill(path, below, slot) {
                self.outlines.give_up();
                let is_opaque = self.all[path as usize].opaque.is_some();
                if path != ROOT || is_opaque && !self.objects {
                    return value_end(text, start);
                } else if is_opaque {
                    return RowFault::TooManyKeys.at(key);
                }
                self.repeated_keys += 1;
                self.forget(below, slot);
            }
            let end = self.value_of(below, slot, at)?;
            at = skip_space(text, end);
            match text.get(at) {
                Some(b',') => at = skip_space(text, at + 1),
                Some(b'}') => {
                    if self.all[path as usize].by_name.is_some() {
                        self.outlines.give_up();
                    }
                    self.outlines.end_object();
                    return Ok(at + 1);
                }
                Some(_) => return Fault::at(at, FaultKind::ExpectedCommaOrBrace),
                None => return Fault::at(text.len(), FaultKind::EndsInObject),
            }
        }
    }

    /// Fills the slots of `below` in which its key was absent. Returns `false`, so that objects stay text, if the key
    /// is repeated in this object or too many slots would be needed.
    #[cold]
    fn fill(&mut self, path: u32, below: u32, slot: usize) -> bool {
        // `None` if the slot is already filled, so the key is repeated.
        let spans = &mut self.all[below as usize].spans;
        let missing = slot.checked_sub(spans.len());
        let afford = missing.and_then(|missing| self.budget.checked_sub(missing));
        match (missing, afford) {
            (Some(_), Some(rest)) => self.budget = rest,
            (Some(_), None) if path == ROOT => {
                self.all[path as usize].opaque = Some(Opaque::Sparse);
                return false;
            }
            (None, _) if path == ROOT => return false,
            _ => {
                self.all[path as usize].opaque = Some(Opaque::Text);
                return false;
            }
        }
        spans.resize(slot, Span::NULL);
        true
    }

    /// Removes the slots from `slot` on, also from child paths.
    fn forget(&mut self, path: u32, slot: usize) {
        let this = &mut self.all[path as usize];
        let kept = slot.min(this.spans.len());
        for span in this.spans.drain(kept..).filter(|span| span.start > 0) {
            this.survey.remove(self.text[span.start as usize]);
        }
        let mut below: Vec<_> = this.keys.iter().map(|member| (member.path, slot)).collect();
        if let (Some(items), Some(&first)) = (this.items, this.offsets.get(slot)) {
            this.offsets.truncate(slot);
            below.push((items, first as usize));
        }
        for (path, slot) in below {
            self.forget(path, slot);
        }
    }

    /// The member with this key and its path; `None` if objects are no longer shredded.
    #[cold]
    fn member(&mut self, path: u32, key: &'a [u8], previous: Option<u32>) -> Option<(u32, u32)> {
        let this = &self.all[path as usize];
        let few = &this.keys[..this.keys.len().min(FEW_KEYS)];
        let place = few
            .iter()
            .position(|member| member.key.text == key)
            .map(|place| place as u32)
            .or_else(|| this.by_key.get(key).copied())
            .or_else(|| self.new_key(path, key))?;
        let this = &mut self.all[path as usize];
        match previous {
            None => this.first = place,
            Some(previous) => {
                this.keys[previous as usize].next = place;
                this.edges.push((previous, place));
            }
        }
        Some((place, this.keys[place as usize].path))
    }
    /// The member of a key with a new spelling.
    fn new_key(&mut self, path: u32, key: &'a [u8]) -> Option<u32> {
        let this = &mut self.all[path as usize];
        // Two spellings of one key (`"é"` and `"\u00e9"`) share a path.
        if key.contains(&b'\\') {
            if exact_name(key).is_none() && path != ROOT {
                this.opaque = Some(Opaque::Text);
                return None;
            }
            this.by_name.get_or_insert_with(|| {
                let names = this.keys.iter().map(|member| key_name(member.key.text));
                Box::new(names.zip(0..).collect())
            });
        }
        let name = this.by_name.is_some().then(|| key_name(key));
        let names = this.by_name.as_ref().zip(name.as_ref());
        let known = names.and_then(|(names, name)| names.get(name).copied());
        let place = match known {
            Some(place) => place,
            None if this.keys.len() >= this.max_keys => {
                this.opaque = Some(Opaque::ManyKeys);
                return None;
            }
            None => {
                let below = self.path_below(path);
                let keys = &mut self.all[path as usize].keys;
                keys.push(MemberPath {
                    key: Key::new(key),
                    path: below,
                    next: u32::MAX,
                });
                keys.len() as u32 - 1
            }
        };
        let this = &mut self.all[path as usize];
        if place as usize >= FEW_KEYS || known.is_some() {
            this.by_key.insert(key, place);
        }
        if let (Some(names), Some(name)) = (&mut this.by_name, name) {
            names.insert(name, place);
        }
        Some(place)
    }
}

impl<'a> Paths<'a> {
    /// Sets the text that may be read, for rows that must end within their line.
    pub(crate) fn limit(&mut self, text: &'a [u8]) {
        self.text = text;
    }

    /// Reads a row that is any value; returns the offset after it.
    pub(crate) fn value(&mut self, at: usize) -> Result<usize, Fault> {
        let end = self.value_of(ROOT, self.rows, at)?;
        self.outlines.end_row();
        self.rows += 1;
        Ok(end)
    }

    /// Reads a row that is an object; returns the offset after it.
    pub(crate) fn object(&mut self, at: usize) -> Result<usize, Fault> {
        if self.text.get(at) != Some(&b'{') {
            value_end(self.text, at)?;
            return RowFault::NotAnObject.at(at);
        }
        let end = self.members(ROOT, self.rows, at)?;
        self.outlines.end_row();
        self.all[ROOT as usize].max_keys = usize::MAX;
        self.rows += 1;
        Ok(end)
    }
}

/// The offset after the key that starts at `at`.
pub(crate) fn key_end(text: &[u8], at: usize) -> Result<usize, Fault> {
    match text.get(at) {
        Some(b'"') => string_end(text, at),
        Some(_) => Fault::at(at, FaultKind::ExpectedKey),
        None => Fault::at(text.len(), FaultKind::EndsInObject),
    }
}
