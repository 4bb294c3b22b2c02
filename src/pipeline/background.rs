//! Passes bytes to a separate thread, in order.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

use super::thread::start;
use crate::error::{Error, Kind, Result};

/// Number of pieces that may wait for the thread.
const AHEAD: usize = 4;

/// A message to the thread.
#[derive(Debug)]
pub enum Piece {
    /// The next bytes.
    Bytes(Vec<u8>),
    /// The end of the bytes. Without it, they are incomplete.
    End,
}

/// Passes bytes to a thread, which turns them into a `T`.
#[derive(Debug)]
pub struct Background<T> {
    pieces: Option<SyncSender<Piece>>,
    thread: Option<JoinHandle<Result<T>>>,
}

impl<T> Background<T> {
    /// Starts the thread.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(work: impl FnOnce(Receiver<Piece>) -> Result<T> + Send + 'static) -> Result<Self>
    where
        T: Send + 'static,
    {
        let (sender, receiver) = sync_channel(AHEAD);
        let thread = start(Builder::new(), move || work(receiver))?;
        Ok(Self {
            pieces: Some(sender),
            thread: Some(thread),
        })
    }

    /// Sends the next bytes; blocks while too many are queued.
    ///
    /// # Errors
    /// The error that stopped the thread.
    pub fn send(&mut self, bytes: Vec<u8>) -> Result<()> {
        let piece = Piece::Bytes(bytes);
        let sent = self.pieces.as_ref().map(|pieces| pieces.send(piece));
        match sent {
            Some(Ok(())) => Ok(()),
            _ => self.join().and(Err(Error::new(Kind::Io, "stopped"))),
        }
    }

    /// The thread's result.
    ///
    /// # Errors
    /// The error that stopped the thread.
    pub fn finish(mut self) -> Result<T> {
        if let Some(pieces) = &self.pieces {
            // If the thread has stopped, joining it returns the error.
            let _ = pieces.send(Piece::End);
        }
        self.join()
    }

    fn join(&mut self) -> Result<T> {
        drop(self.pieces.take());
        let stopped = || Error::new(Kind::Io, "stopped");
        let thread = self.thread.take().ok_or_else(stopped)?;
        thread.join().map_err(|_| stopped())?
    }
}

impl<T> Drop for Background<T> {
    fn drop(&mut self) {
        // Wait until the thread has dropped what it owns.
        let _ = self.join();
    }
}
