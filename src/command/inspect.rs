//! wip
use crate::error::{Error, Result};
/// wip
pub fn run(_: crate::cli::Inspect) -> Result<()> {
    Err(Error::usage("wip"))
}
