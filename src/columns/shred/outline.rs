//! Notes the order of the members of objects while the rows of a block are walked, so that comparing it with the order
//! of the columns does not read the text again.

/// Marks the start of an object. Its members follow, each as its number among the keys of the path.
const OBJECT: u16 = u16::MAX;
/// Marks the start of an array. Its objects and arrays follow; other items leave no trace.
const ARRAY: u16 = OBJECT - 1;
/// Marks the end of an object or array.
const END: u16 = OBJECT - 2;

/// Collects outlines during a walk.
#[derive(Debug, Default)]
pub(super) struct OutlineWriter {
    tokens: Vec<u16>,
    ends: Vec<u32>,
    /// True if an object of this row was not walked, or has a key in several spellings.
    is_partial: bool,
}

impl OutlineWriter {
    #[inline]
    pub(super) fn begin_object(&mut self) {
        self.tokens.push(OBJECT);
    }

    /// Adds the next member; if its value is an object or array, that follows.
    #[inline]
    pub(super) fn member(&mut self, place: u32) {
        let place = u16::try_from(place).unwrap_or(END);
        self.is_partial |= place >= END;
        self.tokens.push(place);
    }

    #[inline]
    pub(super) fn end_object(&mut self) {
        self.tokens.push(END);
    }

    /// Starts an array; the result is for [`Self::end_array`].
    #[inline]
    pub(super) fn begin_array(&mut self) -> usize {
        self.tokens.push(ARRAY);
        self.tokens.len()
    }

    /// Ends an array; forgets it if there are no objects in it.
    #[inline]
    pub(super) fn end_array(&mut self, begun: usize) {
        if self.tokens.len() == begun {
            self.tokens.pop();
        } else {
            self.tokens.push(END);
        }
    }

    /// Leaves this row without an outline.
    #[inline]
    pub(super) fn give_up(&mut self) {
        self.is_partial = true;
    }

    pub(super) fn end_row(&mut self) {
        if std::mem::take(&mut self.is_partial) {
            let start = self.ends.last().map_or(0, |end| *end as usize);
            self.tokens.truncate(start);
            self.tokens.push(END);
        }
        self.ends.push(self.tokens.len() as u32);
    }

    /// The outlines of all rows, with these paths.
    pub(super) fn finish(self, paths: Vec<OutlinePath>) -> Outlines {
        Outlines {
            tokens: self.tokens,
            ends: self.ends,
            paths,
        }
    }
}

/// The objects of the rows of a block: their members in order, without scalar values.
#[derive(Debug)]
pub struct Outlines {
    tokens: Vec<u16>,
    /// The end of each row in `tokens`. A row without an outline is a single [`END`].
    ends: Vec<u32>,
    /// The first path is the rows.
    paths: Vec<OutlinePath>,
}

/// Where objects of a path have their members, by index in [`Outlines::paths`].
#[derive(Debug, Default)]
pub struct OutlinePath {
    /// The keys, in quotes as in the text, and the paths of their values.
    pub keys: Vec<(Box<[u8]>, u32)>,
    /// The path of the items of arrays.
    pub items: Option<u32>,
}

impl Outlines {
    /// All paths; the first one is the rows.
    pub fn paths(&self) -> &[OutlinePath] {
        &self.paths
    }

    /// The outline of a row; `None` if it has none. That of a row without objects is empty.
    pub fn row(&self, row: u32) -> Option<Outline<'_>> {
        let start = row
            .checked_sub(1)
            .map_or(0, |before| self.ends[before as usize]);
        let tokens = &self.tokens[start as usize..self.ends[row as usize] as usize];
        (tokens != [END]).then_some(Outline { tokens })
    }
}

/// The outline of a row. Positions in it start at 0, with the value of the row.
#[derive(Clone, Copy, Debug)]
pub struct Outline<'a> {
    tokens: &'a [u16],
}

/// What starts at a position of an outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutlineToken {
    Object,
    Array,
    End,
    /// A member, by its number among the keys of its path.
    Member(usize),
}

impl Outline<'_> {
    /// True if the row has no objects.
    pub fn is_empty(self) -> bool {
        self.tokens.is_empty()
    }

    #[inline]
    pub fn token(self, at: usize) -> OutlineToken {
        match self.tokens[at] {
            OBJECT => OutlineToken::Object,
            ARRAY => OutlineToken::Array,
            END => OutlineToken::End,
            place => OutlineToken::Member(place.into()),
        }
    }

    /// True if an object or array starts at a position.
    #[inline]
    pub fn is_container(self, at: usize) -> bool {
        matches!(self.tokens[at], OBJECT | ARRAY)
    }

    /// The position after the object or array at `at`, and the number of objects in it, including itself.
    pub fn skip(self, at: usize) -> (usize, u64) {
        let (mut depth, mut objects) = (0, 0);
        for (offset, token) in self.tokens[at..].iter().enumerate() {
            match *token {
                OBJECT => (depth, objects) = (depth + 1, objects + 1),
                ARRAY => depth += 1,
                END if depth == 1 => return (at + offset + 1, objects),
                END => depth -= 1,
                _ => {}
            }
        }
        (self.tokens.len(), objects)
    }
}
