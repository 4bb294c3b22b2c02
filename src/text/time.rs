//! Civil time and its RFC 3339 spelling.
