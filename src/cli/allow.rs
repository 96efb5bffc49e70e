//! `check --add-allow`: findings to comments in the files, once it is proven that they work.
//!
//! Knows no language: what starts a comment is told by the table of languages.

#![allow(clippy::disallowed_methods)]

use std::io::Write;

use super::failure::Failure;
use super::output::replace;
use super::reading::Analysed;
use super::Status;
use crate::check::check;
use crate::lang::language_of;
use crate::render::Style;
use crate::report::Level;
use crate::suppress::{additions, Refused};
use crate::text::Sources;

/// The byte order mark, which reading drops and writing has to keep.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Writes the comments.
pub fn run(
    reason: &str,
    analysed: &Analysed,
    style: &Style,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let report = &analysed.outcome.report;
    let marker = |path: &str| language_of(path).map(|language| language.comment);
    let (scopes, sources) = (&analysed.outcome.scopes, &analysed.sources);
    // A comment about a comment helps nobody, and a step back is recorded in the baseline.
    let about_run = |id: &str| {
        id == "stage-regression" || crate::rules::find(id).is_some_and(|rule| rule.pack == "run")
    };
    let findings: Vec<_> =
        report.findings.iter().filter(|finding| !about_run(finding.rule)).cloned().collect();
    let texts = additions(&findings, scopes, sources, &marker, reason).map_err(refused)?;
    let mut changed = Sources { files: sources.files.clone(), ..sources.clone() };
    for (file, text) in &texts {
        changed.files[file.0 as usize].text = text.as_str().into();
    }
    prove(analysed, findings.len(), &changed)?;
    for (file, text) in &texts {
        let path = sources.root.join(&sources.get(*file).path);
        let old = std::fs::read(&path)?;
        let mut bytes = if old.starts_with(MARK) { MARK.to_vec() } else { Vec::new() };
        bytes.extend_from_slice(text.as_bytes());
        replace(&path, &bytes)?;
    }
    if !style.quiet {
        let (count, files) = (findings.len(), texts.len());
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        writeln!(out, "allowed {count} finding{} in {files} file{}", plural(count), plural(files))?;
    }
    Ok(Status::Clean)
}

/// Analyses the texts with the comments: the findings must be gone, and no file may be
/// understood less than before.
fn prove(analysed: &Analysed, expected: usize, changed: &Sources) -> Result<(), Failure> {
    let after = check(changed, &analysed.config);
    let before = check(&analysed.sources, &analysed.config);
    let serious = |level: Level| level >= Level::Warning;
    let troubles = |outcome: &crate::check::Outcome| {
        outcome.report.problems.iter().filter(|p| serious(p.level)).count()
    };
    let gone = before.report.findings.len().saturating_sub(after.report.findings.len());
    if gone < expected || troubles(&after) > troubles(&before) {
        return Err(Failure::Comments(expected.saturating_sub(gone).max(1)));
    }
    Ok(())
}

fn refused(refused: Refused) -> Failure {
    match refused {
        Refused::Reason => Failure::Argument(
            "the reason for --add-allow is empty or has several lines".to_string(),
            "say in one line why the findings may stay",
        ),
        Refused::Marker(path) => Failure::Argument(
            format!("{path} cannot hold a comment"),
            "record its findings with `pagelint baseline`",
        ),
    }
}
