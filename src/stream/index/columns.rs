//! The columns of all frames that an index tells of, and what it knows of each in each frame.

use std::collections::HashMap;

use crate::columns::statistics::MinMax;
use crate::varint;
use crate::wire::parse::{read_byte, read_string, read_unsigned};

/// A column of one frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameColumn {
    /// The stored name.
    pub name: String,
    /// The type as reports name it.
    pub ty: String,
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
    /// The type as reports name it; empty where frames differ.
    pub ty: String,
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
                // Nobody could tell any more what the values mean.
                column.ty.clear();
                column.known.clear();
            }
            if !column.ty.is_empty() && known.is_some() {
                column.known.resize(frame, None);
                column.known.push(known);
            }
        }
    }

    /// Appends name and type.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        for text in [&self.ty, &self.name] {
            varint::push(text.len() as u64, out);
            out.extend_from_slice(text.as_bytes());
        }
    }

    /// Reads what [`Self::write`] wrote.
    pub(super) fn read(bytes: &[u8], at: &mut usize) -> Option<Self> {
        let mut text = || {
            Some(
                str::from_utf8(read_string(bytes, at).ok()?)
                    .ok()?
                    .to_owned(),
            )
        };
        let (ty, name) = (text()?, text()?);
        let known = Vec::new();
        Some(Self { name, ty, known })
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
            // Nulls and whether values are told, so that most columns take no byte more for either.
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
