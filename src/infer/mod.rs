//! Runs the program on symbolic values, then reads facts off what was seen.
//!
//! Makes no findings, sees no levels, comments or baselines, and never asks which language a
//! function came from.

mod arith;
mod builders;
mod builtin;
mod call;
mod capture;
mod collect;
pub mod commands;
mod compare;
mod consistency;
mod copies;
mod data;
pub mod declarations;
pub mod drive;
mod envelope;
mod eval;
mod exact;
mod exec;
pub mod facts;
pub mod formula;
mod forwarding;
mod frameworks;
mod guessed;
mod loops;
mod members;
pub mod observe;
mod outlets;
mod pack_calls;
pub mod pages;
mod places;
mod pointers;
mod provenance;
pub mod relevance;
pub mod resolve;
mod results;
mod rounds;
mod rows;
mod schema;
pub mod session;
mod sink_structs;
pub mod store;
mod telling;
mod trees;
mod upstream;
pub mod value;
mod vocabulary;
mod windows;
mod words;

pub use collect::facts;
