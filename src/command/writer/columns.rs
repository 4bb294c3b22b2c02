//! Columns of a frame on their way to bytes.

use std::sync::Arc;

use super::frames::{FramePart, Frames, Source};
use super::grouped_columns::Barrier;
use super::plans::Role;
use super::round_trip_check::RoundTripCheck;
use super::{Encoded, Scratch};
use crate::columns::cast::{Target, cast_column, ensure_no_bare_rows};
use crate::error::{Error, Result};
use crate::format::frame::MaybeTyped;
use crate::pipeline::Assembly;
use crate::schema::display_name;
use crate::wire::rope::Rope;
use crate::wire::v2;

/// Columns that follow each other in a frame.
pub struct ColumnRun {
    pub(super) frames: Frames,
    pub(super) columns: Vec<(MaybeTyped, Option<Role>)>,
    /// About how many bytes they have.
    pub(super) len_bytes: usize,
    /// The position of the first.
    pub(super) position: usize,
    /// Rows of the frame.
    pub(super) rows: usize,
    /// The frame has one column.
    pub(super) is_alone: bool,
    pub(super) source: Arc<Source>,
    /// What comes before the columns.
    pub(super) header: Vec<u8>,
    /// Where the frame is put together, if it is needed in one, and the place there.
    pub(super) assembly: Option<(Arc<Assembly<FramePart>>, usize)>,
    /// To be compared with how the batches print.
    pub(super) check: Option<Arc<RoundTripCheck>>,
    /// There is a second round, which waits for these columns.
    pub(super) share: Option<Barrier>,
}

impl ColumnRun {
    /// Encodes the columns; the frame if that completes it.
    pub(super) fn encode(self, scratch: &mut Scratch) -> Result<Encoded> {
        if let Some(encoder) = self.frames.encoder() {
            return self.encode_v2(scratch, &encoder);
        }
        let mut bytes = Rope::new(Vec::new());
        bytes.own.extend_from_slice(&self.header);
        let mut fields = Vec::with_capacity(self.columns.len());
        for (position, (column, _)) in (self.position..).zip(self.columns) {
            for column in column.typed()? {
                let field = Arc::clone(&column.field);
                let named = |error: Error| error.in_column(display_name(field.name(), position));
                let target = self.frames.cast.unwrap_or(Target::Wire1);
                let from = self.source.from;
                let (written, arrays) =
                    cast_column(&field, column.into_arrays(), target, from).map_err(named)?;
                if self.is_alone {
                    ensure_no_bare_rows(&field, &written)?;
                }
                let field = written;
                let encoder = &mut scratch.encoder;
                encoder.column(&field, position, &arrays, self.rows, &mut bytes)?;
                fields.push(field);
            }
        }
        let Some((assembly, place)) = self.assembly else {
            return Ok(Encoded {
                bytes: vec![bytes],
                rows: if self.position == 0 { self.rows } else { 0 },
                ..Encoded::default()
            });
        };
        let complete = assembly.put(place, FramePart::V1(bytes, fields));
        self.frames.join(scratch, self.rows, &self.source, complete)
    }

    fn encode_v2(self, scratch: &mut Scratch, encoder: &v2::Encoder) -> Result<Encoded> {
        let Some((assembly, place)) = self.assembly else {
            return Ok(Encoded::default());
        };
        let mut typed = Vec::with_capacity(self.columns.len());
        let mut roles = Vec::with_capacity(self.columns.len());
        for (column, role) in self.columns {
            let mut role = role;
            for column in column.typed()? {
                let column = match self.frames.cast {
                    Some(target) => column.cast(target, self.source.from)?,
                    None => column,
                };
                // The hidden column after it has no plan.
                roles.push(role.take());
                typed.push((Arc::clone(&column.field), column.into_arrays()));
            }
        }
        let compare = |check: &RoundTripCheck| -> Result<Option<Vec<FramePart>>> {
            let mut complete = None;
            while let Some((place, patches)) = check.compare_next()? {
                complete = assembly.put(place, FramePart::Patches(patches));
            }
            Ok(complete)
        };
        let mut complete = None;
        let mut check = self.check;
        if let Some(whole) = &check
            && whole.put(place, typed.clone())?
        {
            // At once, since the text takes as much memory as the columns.
            complete = compare(whole)?;
            check = None;
        }
        if let Some(share) = self.share {
            let columns = typed.into_iter();
            let columns = columns.map(|(field, arrays)| encoder.groupable_column(&field, arrays));
            share.put(place, columns.collect::<Result<_>>()?)?;
        } else {
            let mut columns = Vec::with_capacity(typed.len());
            for ((field, arrays), role) in typed.into_iter().zip(roles) {
                let plan = role.as_ref().and_then(Role::plan);
                let done = encoder.column(&field, arrays, plan)?;
                if let Some(role) = &role {
                    role.done(|| done.plan());
                }
                columns.push(done);
            }
            complete = assembly.put(place, FramePart::V2(columns));
        }
        if let Some(check) = &check {
            complete = compare(check)?.or(complete);
        }
        self.frames.join(scratch, self.rows, &self.source, complete)
    }
}
