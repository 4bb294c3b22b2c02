//! JSON texts come back in the style that they were written in: what the reader tells of a text, and
//! what the writer makes of it.

mod python;
mod read;
mod samples;
mod segments;
