//! JSON texts are restored in their own style: the style found by the reader, and
//! the output of the writer.

mod one_row;
mod python;
mod read;
mod samples;
mod segments;
