//! Columns of all types: what text is read as, and that it prints back.

mod corpus;
mod hand_made;
mod random;
mod read;
mod rounded;
