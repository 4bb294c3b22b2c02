//! An iterator over batches: the caller pulls from the pipeline.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

use arrow_array::RecordBatch;

use super::thread::start;
use super::{PipelineOptions, Source, frames};
use crate::error::{Error, Result};

/// Number of batches to read ahead.
const AHEAD: usize = 2;

/// The batches of all sources in order, read on a separate thread.
///
/// Ends after the first error. Dropping it stops the thread after its current batch.
#[derive(Debug)]
pub struct Batches {
    /// `None` after the end.
    running: Option<(Receiver<Result<RecordBatch>>, JoinHandle<()>)>,
}

impl Batches {
    /// Starts reading.
    ///
    /// # Errors
    /// [`crate::error::Kind::Io`] if no thread can be started.
    pub fn new(sources: Vec<Source>, options: PipelineOptions) -> Result<Self> {
        let (sender, receiver) = sync_channel(AHEAD);
        let read = move || {
            if let Err(error) = send_all(sources, &options, &sender) {
                // If the receiver was dropped, the error does not matter.
                let _ = sender.send(Err(error));
            }
        };
        let thread = start(Builder::new().name("mbt-read".to_owned()), read)?;
        Ok(Self {
            running: Some((receiver, thread)),
        })
    }
}

fn send_all(
    sources: Vec<Source>,
    options: &PipelineOptions,
    sender: &SyncSender<Result<RecordBatch>>,
) -> Result<()> {
    // An input without rows gives a single batch without rows, which has the columns. Other empty batches are dropped.
    let mut without_rows = None;
    let mut any = false;
    frames(sources, options, |frame| {
        for batch in frame.batches {
            if batch.num_rows() == 0 {
                without_rows = Some(batch);
                continue;
            }
            any = true;
            send(sender, batch)?;
        }
        Ok(())
    })?;
    match without_rows {
        Some(batch) if !any => send(sender, batch),
        _ => Ok(()),
    }
}

fn send(sender: &SyncSender<Result<RecordBatch>>, batch: RecordBatch) -> Result<()> {
    // The receiver was dropped. This error only stops the reading and is never seen.
    let sent = sender.send(Ok(batch));
    sent.map_err(|_| Error::input("the reader was dropped"))
}

impl Iterator for Batches {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let (receiver, _) = self.running.as_ref()?;
        if let Ok(batch) = receiver.recv() {
            if batch.is_err() {
                self.running = None;
            }
            return Some(batch);
        }
        let (_, thread) = self.running.take()?;
        if let Err(panic) = thread.join() {
            std::panic::resume_unwind(panic);
        }
        None
    }
}
