//! The pipeline: sources and choices in, everything that can be said about them out.
//!
//! Never touches the disk: the same function serves files, open buffers and tests.

use crate::config::Config;
use crate::report::{Coverage, Report, ShapeRow};
use crate::suppress::FileScopes;
use crate::text::Sources;
use crate::triage;

/// What a run gives.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Findings and problems.
    pub report: Report,
    /// What was inferred, one row a tool, command or function.
    pub shapes: Vec<ShapeRow>,
    /// How much was understood.
    pub coverage: Coverage,
    /// Comments and extents of every file.
    pub scopes: Vec<FileScopes>,
}

/// Analyses the sources.
pub fn check(sources: &Sources, config: &Config) -> Outcome {
    let mut outcome = Outcome::default();
    outcome.report.counts.files = sources.files.iter().filter(|file| file.reported).count();
    outcome.report = triage::triage(outcome.report, &outcome.scopes, sources, config);
    outcome
}
