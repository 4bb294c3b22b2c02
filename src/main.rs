//! The `mbt` command.

fn main() {}
