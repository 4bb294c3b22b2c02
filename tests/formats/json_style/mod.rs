//! JSON texts are restored in the style in which they were written: the style found by the reader, and
//! the output of the writer.

mod python;
mod read;
mod samples;
mod segments;
