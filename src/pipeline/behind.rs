//! Bytes that a thread of its own takes on, in order.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

use super::thread::start;
use crate::error::{Error, Kind, Result};

/// Pieces of bytes that may wait for the thread.
const AHEAD: usize = 4;

/// What the thread gets.
#[derive(Debug)]
pub enum Piece {
    /// The next bytes.
    Bytes(Vec<u8>),
    /// All bytes have come. Without it, what came is not whole.
    End,
}

/// Hands bytes to a thread, which makes a `T` of them.
#[derive(Debug)]
pub struct Behind<T> {
    pieces: Option<SyncSender<Piece>>,
    thread: Option<JoinHandle<Result<T>>>,
}

impl<T> Behind<T> {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the system has no thread to give.
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

    /// Hands over the next bytes; waits while too many are on their way.
    ///
    /// # Errors
    /// What made the thread give up.
    pub fn send(&mut self, bytes: Vec<u8>) -> Result<()> {
        let piece = Piece::Bytes(bytes);
        let sent = self.pieces.as_ref().map(|pieces| pieces.send(piece));
        match sent {
            Some(Ok(())) => Ok(()),
            _ => self.join().and(Err(Error::new(Kind::Io, "stopped"))),
        }
    }

    /// What the thread made of all bytes.
    ///
    /// # Errors
    /// What made it give up.
    pub fn finish(mut self) -> Result<T> {
        if let Some(pieces) = &self.pieces {
            // If nobody listens any more, joining tells why.
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

impl<T> Drop for Behind<T> {
    fn drop(&mut self) {
        // What the thread holds is to be gone as well.
        let _ = self.join();
    }
}
