//! wip
use crate::error::{Error, Result};
/// wip
pub fn run(_: crate::cli::Head) -> Result<()> {
    Err(Error::usage("wip"))
}
