//! Wire 1.
fn main() {}
