//! pagelint: infers the JSON object that every emitter can send, and asks small questions of it.
//!
//! The modules stand in the order in which data flows.

pub mod globs;
pub mod positions;
pub mod text;

pub mod ir;
pub mod layout;
pub mod pack;

pub mod report;

pub mod config;
pub mod discover;
pub mod syntax;

pub mod lang;

pub mod infer;

pub mod rules;

pub mod suppress;

pub mod documents;

pub mod shapes;
pub mod triage;

pub mod baseline;

pub mod check;

pub mod diagnostics;

pub mod lsp;
pub mod render;
pub mod revisions;

pub mod progress;

pub mod cli;
