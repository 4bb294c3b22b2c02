//! A byte trie in arrays, with nodes numbered in preorder.

/// A set of words. Node 0 is the root.
#[derive(Debug, Default, PartialEq)]
pub struct Trie {
    /// The first child of each node, or 0.
    children: Vec<u32>,
    /// The next child of the same parent, or 0.
    siblings: Vec<u32>,
    /// The byte on the edge to each node; unused for the root.
    labels: Vec<u8>,
    /// True for nodes where a word ends.
    ends: Vec<bool>,
    words: usize,
}

impl Trie {
    /// Builds the trie of words in byte order.
    pub fn new(words: &[String]) -> Self {
        let mut trie = Self::default();
        trie.push(0);
        // The path to the previous word, which shares a prefix with the next one.
        let mut path = vec![0_u32];
        let mut last: &[u8] = b"";
        for word in words {
            let word = word.as_bytes();
            let shared = word.iter().zip(last).take_while(|(a, b)| a == b).count();
            let mut before = path.get(shared + 1).copied();
            path.truncate(shared + 1);
            for label in &word[shared..] {
                let node = trie.push(*label);
                match before.take() {
                    Some(sibling) => trie.siblings[sibling as usize] = node,
                    None => trie.children[path[path.len() - 1] as usize] = node,
                }
                path.push(node);
            }
            trie.end(path[path.len() - 1]);
            last = word;
        }
        trie
    }

    /// A trie with the given number of nodes and no edges.
    pub fn with_nodes(nodes: usize) -> Self {
        Self {
            children: vec![0; nodes],
            siblings: vec![0; nodes],
            labels: vec![0; nodes],
            ends: vec![false; nodes],
            words: 0,
        }
    }

    fn push(&mut self, label: u8) -> u32 {
        self.children.push(0);
        self.siblings.push(0);
        self.labels.push(label);
        self.ends.push(false);
        (self.labels.len() - 1) as u32
    }

    /// Adds a node as the first child of another.
    pub fn link(&mut self, source: u32, label: u8, target: u32) {
        let target_at = target as usize;
        self.labels[target_at] = label;
        self.siblings[target_at] = self.children[source as usize];
        self.children[source as usize] = target;
    }

    /// Marks the node as the end of a word.
    pub fn end(&mut self, node: u32) {
        let end = &mut self.ends[node as usize];
        self.words += usize::from(!*end);
        *end = true;
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.labels.len()
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.words
    }

    /// True if the trie contains the word.
    pub fn contains(&self, word: &str) -> bool {
        let mut node = 0;
        for byte in word.bytes() {
            match self
                .below(node)
                .find(|child| self.labels[*child as usize] == byte)
            {
                Some(child) => node = child,
                None => return false,
            }
        }
        self.ends[node as usize]
    }

    fn below(&self, node: u32) -> impl Iterator<Item = u32> {
        let some = |node: u32| (node > 0).then_some(node);
        let first = some(self.children[node as usize]);
        std::iter::successors(first, move |child| some(self.siblings[*child as usize]))
    }

    /// The edges in preorder of their targets: source, label, target.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u8, u32)> {
        let mut sources = vec![0; self.nodes()];
        for node in 0..self.nodes() as u32 {
            for child in self.below(node) {
                sources[child as usize] = node;
            }
        }
        (1..self.nodes() as u32)
            .map(move |node| (sources[node as usize], self.labels[node as usize], node))
    }

    /// The nodes where words end, in preorder.
    pub fn ends(&self) -> impl Iterator<Item = u32> {
        let nodes = 0..self.nodes() as u32;
        nodes.filter(|node| self.ends[*node as usize])
    }

    /// The words in node order.
    pub fn terms(&self) -> Vec<String> {
        let mut terms = Vec::with_capacity(self.words);
        let mut word = Vec::new();
        let mut stack = vec![(0_u32, 0_usize)];
        while let Some((node, depth)) = stack.pop() {
            word.truncate(depth.saturating_sub(1));
            if depth > 0 {
                word.push(self.labels[node as usize]);
            }
            if self.ends[node as usize] {
                terms.push(String::from_utf8_lossy(&word).into_owned());
            }
            let from = stack.len();
            stack.extend(self.below(node).map(|child| (child, depth + 1)));
            stack[from..].reverse();
        }
        terms
    }
}
