//! Columns by name, where several may have the same one.

use std::collections::HashMap;

/// Items to be taken by their names, each once: of equal names, the first one first.
pub struct Named<T> {
    items: Vec<Option<T>>,
    /// The positions of the items of each name that are left, the last one first.
    places: HashMap<String, Vec<usize>>,
}

impl<T> Named<T> {
    /// These items.
    pub fn new(items: Vec<T>, name: impl Fn(&T) -> &str) -> Self {
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, item) in items.iter().enumerate().rev() {
            let of_name = places.entry(name(item).to_owned());
            of_name.or_default().push(place);
        }
        Self {
            items: items.into_iter().map(Some).collect(),
            places,
        }
    }

    /// The next item of this name.
    pub fn take(&mut self, name: &str) -> Option<T> {
        let place = self.places.get_mut(name)?.pop()?;
        self.items[place].take()
    }

    /// All items that are left, in their order.
    pub fn rest(self) -> impl Iterator<Item = T> {
        self.items.into_iter().flatten()
    }
}
