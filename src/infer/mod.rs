//! Runs the program on symbolic values, then reads facts off what was seen.
//!
//! Makes no findings, sees no levels, comments or baselines, and never asks which language a
//! function came from.

mod arith;
mod builtin;
mod call;
mod compare;
pub mod drive;
mod eval;
mod exec;
pub mod formula;
mod loops;
pub mod observe;
mod pack_calls;
pub mod relevance;
pub mod resolve;
pub mod session;
pub mod store;
pub mod value;
