//! One result over all rows, computed frame by frame on all cores.

use std::sync::{Mutex, PoisonError};

use crate::error::Result;
use crate::format::frame::{Frame, UntypedFrame};
use crate::format::{Encoded, Job, Sink, Writer};
use crate::pipeline::{self, Note, Options, Source};
use crate::stream::Ending;

/// Computes a result per frame with `of`, which receives the number of rows before the frame, and joins the results in
/// the order of the frames. Returns the result (`None` if there is no frame) and notes about the input.
///
/// # Errors
/// If a source cannot be read, and the errors of `of`.
pub fn aggregate<T: Send>(
    sources: Vec<Source>,
    options: &Options,
    of: impl Fn(Frame, u64) -> Result<T> + Sync,
    join: impl Fn(&mut T, T) + Sync,
) -> Result<(Option<T>, Vec<Note>)> {
    let aggregation = Aggregation {
        of,
        join,
        state: Mutex::new(State {
            planned_rows: 0,
            joined: None,
        }),
    };
    let end = pipeline::run(sources, options, &aggregation, |result| {
        result.write(&mut Vec::new())
    })?;
    let state = aggregation.state.into_inner();
    let joined = state.unwrap_or_else(PoisonError::into_inner).joined;
    end.loss.map_or(Ok((joined, end.notes)), Err)
}

struct Aggregation<T, F, J> {
    of: F,
    join: J,
    state: Mutex<State<T>>,
}

struct State<T> {
    /// Number of rows in all frames so far.
    planned_rows: u64,
    joined: Option<T>,
}

impl<T, F, J> Writer for Aggregation<T, F, J>
where
    T: Send,
    F: Fn(Frame, u64) -> Result<T> + Sync,
    J: Fn(&mut T, T) + Sync,
{
    fn plan<'w>(&'w self, frame: UntypedFrame, _first: bool) -> Result<Vec<Box<dyn Job<'w> + 'w>>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let rows_before = state.planned_rows;
        state.planned_rows += frame.rows() as u64;
        Ok(vec![Box::new(OneFrame {
            aggregation: self,
            frame,
            rows_before,
        })])
    }

    fn finish(&self, _ending: Option<Ending>, _out: &mut dyn Sink) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
}

struct OneFrame<'w, T, F, J> {
    aggregation: &'w Aggregation<T, F, J>,
    frame: UntypedFrame,
    rows_before: u64,
}

impl<'w, T, F, J> Job<'w> for OneFrame<'w, T, F, J>
where
    T: Send,
    F: Fn(Frame, u64) -> Result<T> + Sync,
    J: Fn(&mut T, T) + Sync,
{
    fn encode(self: Box<Self>) -> Result<Box<dyn Encoded + 'w>> {
        let frame = self.frame.finish()?;
        Ok(Box::new(OneResult {
            rows: frame.rows(),
            result: (self.aggregation.of)(frame, self.rows_before)?,
            aggregation: self.aggregation,
        }))
    }
}

struct OneResult<'w, T, F, J> {
    aggregation: &'w Aggregation<T, F, J>,
    rows: usize,
    result: T,
}

impl<T, F, J> Encoded for OneResult<'_, T, F, J>
where
    T: Send,
    F: Fn(Frame, u64) -> Result<T> + Sync,
    J: Fn(&mut T, T) + Sync,
{
    fn rows(&self) -> usize {
        self.rows
    }

    fn write(self: Box<Self>, _out: &mut dyn Sink) -> Result<()> {
        let state = self.aggregation.state.lock();
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        match &mut state.joined {
            Some(joined) => (self.aggregation.join)(joined, self.result),
            None => state.joined = Some(self.result),
        }
        Ok(())
    }
}
