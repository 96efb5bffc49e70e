//! `pagelint coverage`: what could not be decided, as a list and as a gate.
//!
//! Knows nothing of findings.

use std::io::Write;

use super::args::{CoverageArgs, Plain};
use super::failure::Failure;
use super::reading::{analyse, strict};
use super::{terminal, Status};
use crate::render::{coverage_json, coverage_text, percent_text, Style};

/// Runs the command.
pub fn run(args: &CoverageArgs, style: Style, out: &mut dyn Write) -> Result<Status, Failure> {
    let analysed = analyse(&args.reading, &[], |_| Ok(()))?;
    let (coverage, problems) = (&analysed.outcome.coverage, &analysed.outcome.report.problems);
    let style = terminal::paths_from_here(style, &analysed.sources.root);
    match args.format {
        Plain::Text => coverage_text(coverage, problems, &style, out)?,
        Plain::Json => coverage_json(coverage, problems, out)?,
    }
    out.flush()?;
    strict(&args.reading, &analysed, !style.quiet)?;
    let Some(min) = args.min else {
        return Ok(Status::Clean);
    };
    // A gate that passes because nothing was found would be no gate.
    let reached = coverage.percent().is_some_and(|percent| percent >= min);
    if args.format == Plain::Text && !reached && !style.quiet {
        writeln!(out, "less than the {} asked for with --min", percent_text(min))?;
    }
    Ok(if reached { Status::Clean } else { Status::Findings })
}
