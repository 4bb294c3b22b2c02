//! One result over all rows, computed frame by frame on all cores.

use std::sync::Mutex;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::error::Result;
use crate::format::frame::{Cast, Frame, UntypedFrame};
use crate::format::{Encoded, Job, Sink, Writer};
use crate::pipeline::{self, PipelineOptions, Source};
use crate::stream::Ending;
use crate::sync::lock;

/// Computes a result per frame with `of`, which receives the number of rows before the frame, and joins the results in
/// the order of the frames. Returns the result (`None` without frames) and notes about the input.
///
/// # Errors
/// If a source cannot be read, and the errors of `of`.
pub fn aggregate<T: Send>(
    sources: Vec<Source>,
    options: &PipelineOptions,
    of: impl Fn(Frame, u64) -> Result<T> + Sync,
    join: impl Fn(&mut T, T) + Sync,
) -> Result<(Option<T>, Vec<String>)> {
    let aggregation = Aggregation {
        cast: options.cast.as_ref(),
        of: &of,
        join: &join,
        planned_rows: AtomicU64::new(0),
        joined: Mutex::new(None),
    };
    let end = pipeline::run(sources, options, &aggregation, |result| {
        result.write(&mut Vec::new())
    })?;
    let joined = lock(&aggregation.joined).take();
    end.loss.map_or(Ok((joined, end.notes)), Err)
}

struct Aggregation<'a, T> {
    cast: Option<&'a Cast>,
    of: &'a (dyn Fn(Frame, u64) -> Result<T> + Sync),
    join: &'a (dyn Fn(&mut T, T) + Sync),
    /// Number of rows in all frames so far.
    planned_rows: AtomicU64,
    joined: Mutex<Option<T>>,
}

impl<T: Send> Writer for Aggregation<'_, T> {
    fn plan(&self, frame: UntypedFrame, _first: bool) -> Result<Vec<Job<'_>>> {
        let rows_before = self.planned_rows.fetch_add(frame.rows() as u64, Relaxed);
        Ok(vec![Box::new(move |_| {
            let frame = frame.finish()?.cast_if(self.cast)?;
            let rows = frame.rows();
            let result = (self.of)(frame, rows_before)?;
            Ok(Some(Encoded::new(rows, move |_| {
                match &mut *lock(&self.joined) {
                    Some(joined) => (self.join)(joined, result),
                    none => *none = Some(result),
                }
                Ok(())
            })))
        })])
    }

    fn finish(&self, _ending: Option<Ending>, _out: &mut dyn Sink) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
}
