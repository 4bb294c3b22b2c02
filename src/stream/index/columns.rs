//! The columns that an index lists, and what it knows of each in each frame.

use std::collections::HashMap;

use arrow_schema::{DataType, Field};

use crate::columns::statistics::MinMax;
use crate::error::Result;
use crate::schema::{EXTENSION_NAME, HELD_AS, JSON_EXTENSION, Type, named_field};
use crate::varint;
use crate::wire::parse::{read_byte, read_string, read_unsigned};
use crate::wire::v2;

/// Stands for the type of a column whose type differs from frame to frame.
const MIXED: u8 = 255;
/// Stands for text that is JSON.
const JSON: u8 = 254;
/// The type null, which also stands for types that say nothing of their values.
const NULL: u8 = 0;

/// The type of a column in an index: that of a header, or `JSON`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexType(Vec<u8>);

impl IndexType {
    /// The type of a field.
    ///
    /// # Errors
    /// If version 2 does not have it.
    pub fn of(field: &Field) -> Result<Self> {
        if field.metadata().contains_key(HELD_AS) {
            // Its values do not compare as those of the type that it has here.
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

    /// A field of this type; of a nested one it has the type null, as nothing is known of its values.
    pub fn field(&self, name: &str) -> Field {
        if self.0 == [JSON] {
            return Type::Json.field(name);
        }
        match v2::read_type(&self.0, &mut 0).ok().flatten() {
            Some(DataType::FixedSizeBinary(16)) => Type::Uuid.field(name),
            data_type => Field::new(name, data_type.unwrap_or(DataType::Null), true),
        }
    }

    /// True if the type is written in full, so that extremes of its values mean something.
    pub fn is_complete(&self) -> bool {
        let read = v2::read_type(&self.0, &mut 0);
        self.0 == [JSON] || self.0 != [NULL] && read.is_ok_and(|found| found.is_some())
    }

    /// Reads a type as it is written, [`MIXED`] included.
    fn read(bytes: &[u8], at: &mut usize) -> Option<Self> {
        let start = *at;
        match *bytes.get(start)? {
            JSON | MIXED => *at += 1,
            _ => drop(v2::read_type(bytes, at).ok()?),
        }
        Some(Self(bytes.get(start..*at)?.to_vec()))
    }

    /// The type that an index of version 2 named; reports of that time called it so.
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
    /// The type; none if it cannot be written.
    pub ty: Option<IndexType>,
    /// What is known of its rows.
    pub known: Option<Known>,
}

/// What is known of the rows of a column in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// Rows without a value.
    pub nulls: u64,
    /// The least and the greatest value.
    pub extremes: Option<MinMax>,
}

/// A column of all frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexColumn {
    /// The stored name.
    pub name: String,
    /// The type; none where frames differ.
    pub ty: Option<IndexType>,
    /// What is known of the frames, in order; those at the end may be missing.
    known: Vec<Option<Known>>,
}

impl IndexColumn {
    /// What is known of a frame.
    pub fn known(&self, frame: usize) -> Option<&Known> {
        self.known.get(frame)?.as_ref()
    }

    /// Takes the columns of the frame of that number.
    pub(super) fn join(columns: &mut Vec<Self>, frame: usize, found: Vec<FrameColumn>) {
        // The second of two equal names meets the second.
        let mut places: HashMap<&str, Vec<usize>> = HashMap::with_capacity(columns.len());
        for (at, column) in columns.iter().enumerate().rev() {
            places.entry(&column.name).or_default().push(at);
        }
        let place = |column: &FrameColumn| places.get_mut(column.name.as_str())?.pop();
        let places: Vec<Option<usize>> = found.iter().map(place).collect();
        for (FrameColumn { name, ty, known }, place) in found.into_iter().zip(places) {
            let at = place.unwrap_or_else(|| {
                columns.push(Self {
                    name,
                    ty: ty.clone(),
                    known: Vec::new(),
                });
                columns.len() - 1
            });
            let column = &mut columns[at];
            if column.ty != ty {
                // It is no longer known what the values mean.
                column.ty = None;
                column.known.clear();
            }
            if column.ty.is_some() && known.is_some() {
                column.known.resize(frame, None);
                column.known.push(known);
            }
        }
    }

    /// Appends type and name.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match &self.ty {
            Some(IndexType(ty)) => out.extend_from_slice(ty),
            None => out.push(MIXED),
        }
        varint::push(self.name.len() as u64, out);
        out.extend_from_slice(self.name.as_bytes());
    }

    /// Reads what [`Self::write`] wrote, or what version 2 wrote in its place: the name of the type.
    pub(super) fn read(bytes: &[u8], at: &mut usize, version: u8) -> Option<Self> {
        let text = |at: &mut usize| {
            let text = read_string(bytes, at).ok()?;
            Some(str::from_utf8(text).ok()?.to_owned())
        };
        let ty = match version {
            2 => IndexType::of_name(&text(at)?),
            _ => Some(IndexType::read(bytes, at)?).filter(|ty| ty.0 != [MIXED]),
        };
        Some(Self {
            name: text(at)?,
            ty,
            known: Vec::new(),
        })
    }

    /// Appends what is known of so many frames.
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
            // Nulls, and whether there are extremes: most columns take no byte more for either.
            let told = u64::from(known.extremes.is_some());
            varint::push(1 + 2 * known.nulls + told, out);
            if let Some(extremes) = &known.extremes {
                extremes.write(out);
            }
        }
    }

    /// Reads what [`Self::write_known`] wrote.
    pub(super) fn read_known(&mut self, frames: usize, bytes: &[u8], at: &mut usize) -> Option<()> {
        match read_byte(bytes, at).ok()? {
            0 => return Some(()),
            1 => {}
            _ => return None,
        }
        for _ in 0..frames {
            let number = read_unsigned(bytes, at).ok()?;
            self.known.push(match number.checked_sub(1) {
                None => None,
                Some(number) => Some(Known {
                    nulls: number / 2,
                    extremes: match number % 2 {
                        0 => None,
                        _ => Some(MinMax::read(bytes, at).ok()?),
                    },
                }),
            });
        }
        Some(())
    }
}
