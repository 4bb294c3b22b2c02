//! The selected columns, by name.

use std::collections::HashMap;
use std::sync::Arc;

use super::selection::OutputColumn;

/// Selected columns in their order, with an index of their names: both a frame and a selection may have many thousands.
#[derive(Clone, Debug)]
pub struct ColumnChoice {
    columns: Vec<OutputColumn>,
    /// Every name with which the path of a column may begin, and whether that is the whole path of a column that keeps
    /// its name.
    names: HashMap<String, bool>,
    are_wholes: bool,
}

impl ColumnChoice {
    /// These columns, to be shared by all readers of the input.
    pub fn of(columns: Vec<OutputColumn>) -> Arc<Self> {
        let mut names = HashMap::new();
        for column in &columns {
            for (name, used) in column.path.beginnings() {
                let is_whole = used == column.path.steps().len();
                let is_unchanged = is_whole && name == column.name;
                *names.entry(name).or_default() |= is_unchanged;
            }
        }
        Arc::new(Self {
            are_wholes: columns.iter().all(|column| column.as_whole().is_some()),
            columns,
            names,
        })
    }

    /// The columns in their order.
    pub fn columns(&self) -> &[OutputColumn] {
        &self.columns
    }

    /// True if they are all unchanged columns.
    pub fn are_wholes(&self) -> bool {
        self.are_wholes
    }

    /// True if the column is selected unchanged.
    pub fn has_unchanged(&self, name: &str) -> bool {
        self.names.get(name) == Some(&true)
    }

    /// True if the column or something in it is selected.
    pub fn has_any_of(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// The selected columns out of unchanged ones, in the order of the selection: their positions in `names`, the
    /// displayed names of the input's columns.
    pub fn places_of_wholes<N: AsRef<str>>(&self, names: &[N]) -> Vec<usize> {
        let mut places_of: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, name) in names.iter().enumerate() {
            places_of.entry(name.as_ref()).or_default().push(at);
        }
        let columns = self.columns.iter().filter_map(OutputColumn::as_whole);
        let found = columns.filter_map(|name| places_of.get(name));
        found.flatten().copied().collect()
    }
}
