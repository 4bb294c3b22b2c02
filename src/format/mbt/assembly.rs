//! Assembles results from several threads.

use std::sync::Mutex;

use crate::sync::lock;

/// The pieces of one frame, made on several threads.
///
/// The thread that adds the last piece gets all of them and completes the frame. So frames are completed on all
/// threads, and no thread waits for another.
#[derive(Debug)]
pub struct Assembly<T>(Mutex<Pieces<T>>);

#[derive(Debug)]
struct Pieces<T> {
    places: Vec<Option<T>>,
    missing: usize,
}

impl<T> Assembly<T> {
    /// An assembly of this many pieces.
    pub fn new(pieces: usize) -> Self {
        Self(Mutex::new(Pieces {
            places: (0..pieces).map(|_| None).collect(),
            missing: pieces,
        }))
    }

    /// Adds a piece. Returns all pieces in order if that was the last one missing.
    pub fn put(&self, place: usize, piece: T) -> Option<Vec<T>> {
        let mut pieces = lock(&self.0);
        if pieces.places[place].replace(piece).is_none() {
            pieces.missing -= 1;
        }
        (pieces.missing == 0).then(|| pieces.places.drain(..).flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_piece_brings_all_in_order() {
        let assembly = Assembly::new(3);
        assert_eq!(assembly.put(2, 'c'), None);
        assert_eq!(assembly.put(0, 'a'), None);
        assert_eq!(assembly.put(1, 'b'), Some(vec!['a', 'b', 'c']));
    }
}
