//! The pipeline turned around: the caller asks for the next batch.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

use arrow_array::RecordBatch;

use super::thread::start;
use super::{Options, Source, frames};
use crate::error::{Error, Result};

/// Batches that are read before they are asked for.
const AHEAD: usize = 2;

/// The batches of all sources in order, read on a thread of its own.
///
/// Ends after the first error. Dropping it ends the thread with the batch that it is working on.
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
    pub fn new(sources: Vec<Source>, options: Options) -> Result<Self> {
        let (sender, receiver) = sync_channel(AHEAD);
        let read = move || {
            if let Err(error) = send_all(sources, &options, &sender) {
                // If nobody listens, nobody wants to know.
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
    options: &Options,
    sender: &SyncSender<Result<RecordBatch>>,
) -> Result<()> {
    // An input without rows is one batch without rows, which has the columns. Others are dropped.
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
    // The receiver was dropped. The error only ends the reading; it arrives nowhere.
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
