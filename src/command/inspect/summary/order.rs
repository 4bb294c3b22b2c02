//! The order of columns, to which each frame may add some.

/// A linked list of columns. Link 0 is the start, and the others are positions of columns plus one.
#[derive(Debug)]
pub struct Order {
    /// The link after each link; 0 after the last.
    next: Vec<usize>,
    pub last: usize,
}

impl Default for Order {
    fn default() -> Self {
        Self {
            next: vec![0],
            last: 0,
        }
    }
}

impl Order {
    /// Adds the next column after a link.
    pub fn insert(&mut self, after: usize) {
        let link = self.next.len();
        self.next.push(self.next[after]);
        self.next[after] = link;
        if after == self.last {
            self.last = link;
        }
    }

    /// The positions of all columns in order.
    pub fn positions(&self) -> impl Iterator<Item = usize> {
        let after = |link: usize| Some(self.next[link]).filter(|link| *link > 0);
        std::iter::successors(after(0), move |link| after(*link)).map(|link| link - 1)
    }
}
