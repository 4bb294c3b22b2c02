//! The columns listed in an index, with their statistics for each frame.

use std::collections::HashMap;

use arrow_schema::{DataType, Field};

use crate::columns::statistics::{MinMax, Statistics};
use crate::error::{Error, Result};
use crate::schema::keys::UNREAD;
use crate::schema::{EXTENSION_NAME, HELD_AS, JSON_EXTENSION, Type, named_field};
use crate::varint;
use crate::wire::parse::{read_byte, read_string, read_text, read_unsigned, write_string};
use crate::wire::v2;

/// In version 3, the type of a column whose type differs from frame to frame.
const MIXED: u8 = 255;
/// The type of text that is JSON.
const JSON: u8 = 254;
/// The type null, also used for types whose statistics would mean nothing.
const NULL: u8 = 0;

/// The type of a column in an index: written as in a header, or `JSON`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexType(Vec<u8>);

impl IndexType {
    /// The type of a field.
    ///
    /// # Errors
    /// If wire 2 has no such type.
    pub fn of(field: &Field) -> Result<Self> {
        if field.metadata().contains_key(HELD_AS) {
            // Its values are ordered differently from the stored type.
            return Ok(Self(vec![NULL]));
        }
        let extension = field.metadata().get(EXTENSION_NAME);
        let is_text = matches!(
            field.data_type(),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
        );
        if is_text && extension.is_some_and(|name| name == JSON_EXTENSION) {
            return Ok(Self(vec![JSON]));
        }
        let mut bytes = Vec::new();
        v2::write_type(field.data_type(), &mut bytes)?;
        Ok(Self(bytes))
    }

    /// A field of this type. The field of a nested type has the type null, since its values have no statistics.
    pub fn field(&self, name: &str) -> Field {
        if self.0 == [JSON] {
            return Type::Json.field(name);
        }
        match v2::read_type(&self.0, &mut 0).ok().flatten() {
            Some(DataType::FixedSizeBinary(16)) => Type::Uuid.field(name),
            data_type => Field::new(name, data_type.unwrap_or(DataType::Null), true),
        }
    }

    /// True if the type is complete, so that its extremes can be interpreted.
    pub fn is_complete(&self) -> bool {
        let read = v2::read_type(&self.0, &mut 0);
        self.0 == [JSON] || self.0 != [NULL] && read.is_ok_and(|found| found.is_some())
    }

    /// The type with a name used in an index of version 2, which is the name in reports at that time.
    fn of_name(name: &str) -> Option<Self> {
        let field = named_field("", name).filter(|_| !name.is_empty());
        let null = || Field::new("", DataType::Null, true);
        (!name.is_empty()).then(|| Self::of(&field.unwrap_or_else(null)).ok())?
    }
}

/// A column of one frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameColumn {
    /// The stored name.
    pub name: String,
    /// The type; `None` if it cannot be written.
    pub ty: Option<IndexType>,
    /// Statistics of its rows.
    pub known: Option<Known>,
    /// Stored bytes of its own sections, which come after the shared ones.
    pub own: u64,
    /// The position in the frame of the column that it needs: its key or its reference column.
    pub needs: Option<usize>,
}

impl FrameColumn {
    /// A column without sections of its own.
    pub fn new(field: &Field, known: Option<Statistics>) -> Self {
        let is_unread = field.metadata().contains_key(UNREAD);
        let ty = IndexType::of(field).ok().filter(|_| !is_unread);
        let is_complete = ty.as_ref().is_some_and(IndexType::is_complete);
        let known = known.and_then(|known| {
            Some(Known {
                nulls: known.nulls?,
                extremes: known.extremes.filter(|_| is_complete),
            })
        });
        Self {
            name: field.name().clone(),
            ty,
            known,
            own: 0,
            needs: None,
        }
    }
}

/// Statistics of a column in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// Number of rows without a value.
    pub nulls: u64,
    /// The minimum and maximum.
    pub extremes: Option<MinMax>,
}

/// A column of all frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexColumn {
    /// The stored name.
    pub name: String,
    /// The type; `None` if it differs between frames.
    pub ty: Option<IndexType>,
    /// Statistics by frame; the last frames may lack them.
    known: Vec<Option<Known>>,
    /// Stored bytes of its own sections by frame; the last frames may lack them.
    pub(super) own: Vec<u64>,
    /// The position among all columns of the one that it needs in the first frame that has it.
    pub(super) needs: Option<usize>,
}

impl IndexColumn {
    /// Stored bytes of its own sections in a frame.
    pub fn own(&self, frame: usize) -> u64 {
        self.own.get(frame).copied().unwrap_or(0)
    }

    /// The statistics for a frame.
    pub fn known(&self, frame: usize) -> Option<&Known> {
        self.known.get(frame)?.as_ref()
    }

    /// True if the statistics for a frame agree with those in its header. The header of a column that needs a newer
    /// version has fewer.
    pub(super) fn is_true_of(&self, frame: usize, column: &FrameColumn) -> bool {
        let known = self.known(frame);
        let is_type = self.ty.is_none() || self.ty == column.ty;
        column.ty.is_none() || known.is_none() || is_type && known == column.known.as_ref()
    }

    /// The positions of columns by name; those with the same name in descending order.
    pub(super) fn by_name(columns: &[Self]) -> HashMap<&str, Vec<usize>> {
        let mut places: HashMap<&str, Vec<usize>> = HashMap::with_capacity(columns.len());
        for (at, column) in columns.iter().enumerate().rev() {
            places.entry(&column.name).or_default().push(at);
        }
        places
    }

    /// Adds the columns of a frame; true if they are in the order of all columns.
    pub(super) fn join(columns: &mut Vec<Self>, frame: usize, found: Vec<FrameColumn>) -> bool {
        // Of two equal names, the second is matched with the second.
        let mut places = Self::by_name(columns);
        let place = |column: &FrameColumn| places.get_mut(column.name.as_str())?.pop();
        let mut places: Vec<Option<usize>> = found.iter().map(place).collect();
        let (mut next, mut needs) = (0, Vec::new());
        let mut in_order = true;
        if columns.is_empty() {
            columns.reserve_exact(found.len());
        }
        for (found, place) in found.into_iter().zip(&mut places) {
            let FrameColumn {
                name,
                ty,
                known,
                own,
                needs: other,
            } = found;
            let at = *place.get_or_insert_with(|| {
                columns.push(Self {
                    name,
                    ty: ty.clone(),
                    ..Self::default()
                });
                columns.len() - 1
            });
            needs.extend(other.map(|other| (at, other)));
            in_order &= at >= next;
            next = at + 1;
            let column = &mut columns[at];
            if own > 0 {
                column.own.resize(frame, 0);
                column.own.push(own);
            }
            if column.ty != ty {
                // Statistics cannot be interpreted without a single type.
                column.ty = None;
                column.known.clear();
            }
            if column.ty.is_some() && known.is_some() {
                // Most files are a single frame; a vector grows to four elements at first.
                column.known.reserve_exact(usize::from(frame == 0));
                column.known.resize(frame, None);
                column.known.push(known);
            }
        }
        for (at, other) in needs {
            let place = places.get(other).copied().flatten();
            columns[at].needs = columns[at].needs.or(place);
        }
        in_order
    }

    /// Appends type and name; the type is empty if it differs from frame to frame.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let ty = self.ty.as_ref().map_or(&[][..], |IndexType(ty)| ty);
        write_string(ty, out);
        write_string(self.name.as_bytes(), out);
    }

    /// Reads what [`Self::write`] wrote. An unknown type is not an error.
    pub(super) fn read(bytes: &[u8], at: &mut usize) -> Result<Self> {
        let ty = read_string(bytes, at)?.to_vec();
        Self::named(Some(IndexType(ty)).filter(|ty| !ty.0.is_empty()), bytes, at)
    }

    /// Reads what version 3 wrote: the type as in a header.
    pub(super) fn read_bare(bytes: &[u8], at: &mut usize) -> Result<Self> {
        let start = *at;
        let ty = match bytes.get(start) {
            Some(&MIXED) => {
                *at += 1;
                None
            }
            first => {
                match first {
                    Some(&JSON) => *at += 1,
                    _ => drop(v2::read_type(bytes, at)?),
                }
                Some(IndexType(bytes[start..*at].to_vec()))
            }
        };
        Self::named(ty, bytes, at)
    }

    /// Reads what version 2 wrote: the name of the type.
    pub(super) fn read_named(bytes: &[u8], at: &mut usize) -> Result<Self> {
        let ty = IndexType::of_name(read_text(bytes, at)?);
        Self::named(ty, bytes, at)
    }

    fn named(ty: Option<IndexType>, bytes: &[u8], at: &mut usize) -> Result<Self> {
        Ok(Self {
            name: read_text(bytes, at)?.to_owned(),
            ty,
            ..Self::default()
        })
    }

    /// Appends the statistics of the first `frames` frames.
    pub(super) fn write_known(&self, frames: usize, out: &mut Vec<u8>) {
        out.push(u8::from(!self.known.is_empty()));
        if self.known.is_empty() {
            return;
        }
        for frame in 0..frames {
            let Some(known) = self.known(frame) else {
                varint::push(0, out);
                continue;
            };
            // Nulls and the flag for extremes share a varint, which takes a single byte for most columns.
            let has_extremes = u64::from(known.extremes.is_some());
            varint::push(1 + 2 * known.nulls + has_extremes, out);
            if let Some(extremes) = &known.extremes {
                extremes.write(out);
            }
        }
    }

    /// Reads what [`Self::write_known`] wrote.
    pub(super) fn read_known(&mut self, frames: usize, bytes: &[u8], at: &mut usize) -> Result<()> {
        match read_byte(bytes, at)? {
            0 => return Ok(()),
            1 => {}
            kind => {
                return Err(Error::unsupported(format_args!(
                    "statistics of kind {kind}"
                )));
            }
        }
        for _ in 0..frames {
            let number = read_unsigned(bytes, at)?;
            self.known.push(match number.checked_sub(1) {
                None => None,
                Some(number) => Some(Known {
                    nulls: number / 2,
                    extremes: match number % 2 {
                        0 => None,
                        _ => Some(MinMax::read(bytes, at)?),
                    },
                }),
            });
        }
        Ok(())
    }
}
