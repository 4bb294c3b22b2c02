//! What went in as text comes out as the same text, through the commands and files.

mod cases;
mod random;
mod trip;
mod variants;
