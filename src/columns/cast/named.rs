//! Looks up columns by name, where several may have the same name.

use std::collections::HashMap;

/// Items to be taken by name, each once; items with equal names are taken in order.
pub struct Named<T> {
    items: Vec<Option<T>>,
    /// The positions of the remaining items of each name, in reverse order.
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

    /// All remaining items, in their order.
    pub fn rest(self) -> impl Iterator<Item = T> {
        self.items.into_iter().flatten()
    }
}
