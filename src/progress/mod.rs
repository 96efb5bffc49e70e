//! Outcomes to the ledger of a migration: over one tree, between two revisions, over a history.
//!
//! Never reads a file or a repository: texts and revisions are given to it.

pub mod analyst;
pub mod compare;
pub mod history;
pub mod ledger;
pub mod owners;
pub mod render;
mod rows;

pub use ledger::{ledger, Ledger, Row, Status};
