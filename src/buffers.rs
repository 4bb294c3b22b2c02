//! Byte buffers that are used again: new memory costs more than what is done in it.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex};

/// Buffers that nobody uses now.
#[derive(Debug, Default)]
pub struct Pool(Mutex<Vec<Vec<u8>>>);

/// A buffer that goes back to its pool, if it has one.
#[derive(Debug)]
pub struct Pooled {
    bytes: Vec<u8>,
    pool: Option<Arc<Pool>>,
}

impl Pool {
    /// An empty buffer.
    pub fn take(self: &Arc<Self>) -> Pooled {
        let free = self.0.lock().ok().and_then(|mut free| free.pop());
        let mut bytes = free.unwrap_or_default();
        bytes.clear();
        Pooled {
            bytes,
            pool: Some(Arc::clone(self)),
        }
    }
}

impl From<Vec<u8>> for Pooled {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, pool: None }
    }
}

impl Deref for Pooled {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.bytes
    }
}

impl DerefMut for Pooled {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        if let Some(pool) = &self.pool
            && let Ok(mut free) = pool.0.lock()
        {
            free.push(std::mem::take(&mut self.bytes));
        }
    }
}
