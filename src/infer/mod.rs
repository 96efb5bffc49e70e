//! Runs the program on symbolic values, then reads facts off what was seen.
//!
//! Makes no findings, sees no levels, comments or baselines, and never asks which language a
//! function came from.

mod arith;
pub mod atom;
mod bounded_results;
mod builders;
mod builtin;
mod call;
mod call_names;
mod caps;
mod capture;
mod collect;
pub mod commands;
mod compare;
mod consistency;
mod copies;
mod data;
pub mod declarations;
pub mod drive;
mod each;
mod effects;
mod envelope;
mod eval;
mod exact;
mod exec;
pub mod facts;
mod failures;
mod flags;
pub mod formula;
mod forwarding;
mod frameworks;
mod grounds;
mod guessed;
mod instances;
mod look;
mod loops;
mod members;
pub mod memory;
mod mounts;
mod names;
pub mod observe;
mod outlets;
mod pack_calls;
pub mod pages;
mod places;
mod pointers;
mod provenance;
pub mod relevance;
mod replies;
mod requests;
pub mod resolve;
mod results;
mod rounds;
mod rows;
mod schedule;
mod schema;
pub mod session;
mod shortened;
mod sink_structs;
pub mod store;
mod sum;
mod switch;
mod tables;
mod taken;
mod telling;
mod texts;
mod trees;
mod types;
mod upstream;
pub mod value;
mod vocabulary;

mod windows;
mod words;

pub use collect::{facts, facts_with, Given};
