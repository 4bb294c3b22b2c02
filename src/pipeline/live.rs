//! Inputs that pause: rows that have arrived must not wait for later ones.

use std::io::{Error, ErrorKind, Read, Result};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::Builder;
use std::time::{Duration, Instant};

use super::thread::start;
use crate::sync::lock;

/// Number of bytes to read at a time.
const READ_BYTES: usize = 64 << 10;
/// Number of reads that may be queued.
const AHEAD: usize = 2;

/// Bytes read on a separate thread, so that waiting for them can time out: a read fails with [`ErrorKind::TimedOut`] if
/// the oldest bytes have waited as long as they may and no more are available.
pub struct LiveBytes {
    reads: Receiver<Result<Vec<u8>>>,
    read: std::io::Cursor<Vec<u8>>,
    clock: Clock,
}

/// How long bytes may wait, and since when they have been waiting.
#[derive(Clone)]
pub struct Clock {
    max_delay: Duration,
    since: Arc<Mutex<Option<Instant>>>,
}

impl Clock {
    /// A clock without waiting bytes.
    pub fn new(max_delay: Duration) -> Self {
        Self {
            max_delay,
            since: Arc::default(),
        }
    }

    /// Restarts: everything has been passed on except for the bytes of the last read.
    pub fn restart(&self) {
        self.set(Some(Instant::now()));
    }

    fn set(&self, since: Option<Instant>) {
        *lock(&self.since) = since;
    }
}

impl LiveBytes {
    /// Starts reading `bytes`.
    ///
    /// # Errors
    /// [`crate::error::Kind::Io`] if no thread can be started.
    pub fn new(mut bytes: impl Read + Send + 'static, clock: Clock) -> crate::error::Result<Self> {
        let (sender, reads) = sync_channel(AHEAD);
        // The thread ends with the input, with the receiver, or with the process: a read cannot be interrupted.
        let read_on = move || {
            loop {
                let mut buffer = vec![0; READ_BYTES];
                let read = match bytes.read(&mut buffer) {
                    Ok(0) => return,
                    Ok(len) => {
                        buffer.truncate(len);
                        Ok(buffer)
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    // Only pauses may have this kind.
                    Err(error) if error.kind() == ErrorKind::TimedOut => Err(Error::other(error)),
                    Err(error) => Err(error),
                };
                if sender.send(read).is_err() {
                    return;
                }
            }
        };
        start(Builder::new(), read_on)?;
        Ok(Self {
            reads,
            read: std::io::Cursor::default(),
            clock,
        })
    }
}

impl Read for LiveBytes {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let len = self.read.read(buffer)?;
        if len > 0 || buffer.is_empty() {
            return Ok(len);
        }
        // Without waiting bytes, this read may take any time. Otherwise it must end when the oldest of them
        // have waited for `max_delay`.
        let since = *lock(&self.clock.since);
        let read = match since {
            None => self.reads.recv().map_err(RecvTimeoutError::from),
            Some(since) => {
                let left = self.clock.max_delay.saturating_sub(since.elapsed());
                self.reads.recv_timeout(left)
            }
        };
        match read {
            Ok(read) => {
                self.read = std::io::Cursor::new(read?);
                if since.is_none() {
                    self.clock.restart();
                }
                self.read.read(buffer)
            }
            Err(RecvTimeoutError::Timeout) => {
                self.clock.set(None);
                Err(ErrorKind::TimedOut.into())
            }
            Err(RecvTimeoutError::Disconnected) => Ok(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader of the bytes from a channel.
    struct Pipe(Receiver<Vec<u8>>);

    impl Read for Pipe {
        fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
            let Ok(bytes) = self.0.recv() else {
                return Ok(0);
            };
            buffer[..bytes.len()].copy_from_slice(&bytes);
            Ok(bytes.len())
        }
    }

    #[test]
    fn waiting_ends_once_after_what_came_and_then_goes_on() {
        let (sender, receiver) = sync_channel(4);
        let clock = Clock::new(Duration::from_millis(1));
        let mut bytes = LiveBytes::new(Pipe(receiver), clock).unwrap();
        let mut buffer = [0; 8];
        for part in [&b"ab"[..], b"c"] {
            sender.send(part.to_vec()).unwrap();
            let len = bytes.read(&mut buffer).unwrap();
            assert_eq!(&buffer[..len], part);
            let pause = bytes.read(&mut buffer).unwrap_err();
            assert_eq!(pause.kind(), ErrorKind::TimedOut);
        }
        drop(sender);
        assert_eq!(bytes.read(&mut buffer).unwrap(), 0);
    }
}
