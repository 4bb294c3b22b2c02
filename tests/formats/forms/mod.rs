//! Columns of all types: which types text gets, and that these restore it.

mod corpus;
mod hand_made;
mod random;
mod read;
mod rounded;
