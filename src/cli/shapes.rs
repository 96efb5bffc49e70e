//! `pagelint shapes`: what was inferred.
//!
//! Judges nothing: its status says only whether the job was done.

use std::io::Write;

use super::args::{Plain, ShapesArgs};
use super::failure::Failure;
use super::reading::{analyse, strict};
use super::{terminal, Status};
use crate::render::{shapes_json, shapes_text, Style};

/// Runs the command.
pub fn run(args: &ShapesArgs, style: Style, out: &mut dyn Write) -> Result<Status, Failure> {
    let analysed = analyse(&args.reading, &[], |_| Ok(()))?;
    let sources = &analysed.sources;
    let rows = &analysed.outcome.shapes(sources);
    let style = terminal::paths_from_here(style, &sources.root);
    match args.format {
        Plain::Text => shapes_text(rows, args.all, sources, &style, out)?,
        Plain::Json => shapes_json(rows, sources, out)?,
    }
    out.flush()?;
    strict(&args.reading, &analysed, false)?;
    Ok(Status::Clean)
}
