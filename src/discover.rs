//! discover.
