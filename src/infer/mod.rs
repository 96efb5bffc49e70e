//! Runs the program on symbolic values, then reads facts off what was seen.
//!
//! Makes no findings, sees no levels, comments or baselines, and never asks which language a
//! function came from.

mod arith;
mod bounded_results;
mod builders;
mod builtin;
mod call;
mod caps;
mod capture;
mod collect;
pub mod commands;
mod compare;
mod data;
pub mod drive;
mod effects;
mod envelope;
mod eval;
mod exact;
mod exec;
pub mod facts;
mod failures;
pub mod formula;
mod instances;
mod loops;
pub mod observe;
mod pack_calls;
pub mod relevance;
mod requests;
pub mod resolve;
mod rows;
mod schema;
pub mod session;
pub mod store;
mod tables;
mod texts;
mod types;
pub mod value;
mod vocabulary;
mod windows;

pub use collect::facts;
