//! MATHLDBT wire 1.
