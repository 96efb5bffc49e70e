//! A report to all the places that were asked for.
//!
//! Knows no format by name but the one that has a summary of its own.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::args::CheckArgs;
use super::failure::Failure;
use crate::config::nearest;
use crate::render::{step_summary, Format, Style, FORMATS};
use crate::report::{Level, Problem, Report};
use crate::text::Sources;

/// A file to write, and how.
pub struct Target {
    format: &'static Format,
    file: PathBuf,
}

/// Reads `FORMAT=FILE` arguments.
pub fn targets(args: &CheckArgs) -> Result<Vec<Target>, Failure> {
    let mut targets: Vec<Target> = Vec::new();
    for argument in &args.outputs {
        const FORM: &str = "write --output FORMAT=FILE; `pagelint check --help` lists the formats";
        let wrong = |what: String| Failure::Argument(what, FORM);
        let (id, file) = argument
            .split_once('=')
            .filter(|(_, file)| !file.is_empty())
            .ok_or_else(|| wrong(format!("`--output {argument}` names no file")))?;
        let ids: Vec<&'static str> = FORMATS.iter().map(|format| format.id).collect();
        let Some(format) = FORMATS.iter().find(|format| format.id == id) else {
            let near = nearest(id, &ids).map(|near| format!("; did you mean `{near}`?"));
            return Err(wrong(format!("there is no format `{id}`{}", near.unwrap_or_default())));
        };
        let file = PathBuf::from(file);
        if targets.iter().any(|target| target.file == file) {
            return Err(wrong(format!("two formats would go to {}", file.display())));
        }
        targets.push(Target { format, file });
    }
    Ok(targets)
}

/// Writes the report to standard output, to files and, in a workflow, to the step's summary.
pub fn write(
    report: &Report,
    sources: &Sources,
    style: &Style,
    args: &CheckArgs,
    targets: &[Target],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let plain = Style { colour: false, quiet: false, ..Style::default() };
    for target in targets {
        let mut bytes = Vec::new();
        (target.format.render)(report, sources, &plain, &mut bytes)?;
        replace(&target.file, &bytes)?;
    }
    let format = FORMATS.iter().find(|format| format.id == args.format).unwrap_or(&FORMATS[0]);
    let github = |format: &Format| format.id == "github";
    if github(format) || targets.iter().any(|target| github(target.format)) {
        summarize(report, sources)?;
    }
    if args.statistics {
        return Ok(statistics(report, format.id == "json", out)?);
    }
    match args.max_findings {
        Some(most) if most < report.findings.len() => {
            let mut shown = report.clone();
            shown.left_out = shown.findings.split_off(most);
            let left = shown.left_out.len();
            let plural = if left == 1 { "" } else { "s" };
            shown.problems.push(Problem {
                path: String::new(),
                line: None,
                level: Level::Note,
                message: format!("{left} more finding{plural} not shown (--max-findings {most})"),
            });
            (format.render)(&shown, sources, style, out)?;
        }
        _ => (format.render)(report, sources, style, out)?,
    }
    Ok(())
}

/// Writes a file whole or not at all: readers never see half of it, and a full disk leaves
/// the old one. A link is replaced and not followed: in a checkout of somebody else's changes
/// it could lead anywhere.
pub fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    // A device has no place for a neighbour and cannot be renamed over.
    let device = std::fs::metadata(file).is_ok_and(|meta| !meta.is_file() && !meta.is_dir());
    if device || file.starts_with("/dev") || file.starts_with("/proc") {
        return std::fs::write(file, bytes);
    }
    let dir = file.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", file.display()));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".pagelint-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::symlink_metadata(file)
            .ok()
            .filter(|meta| meta.is_file())
            .map_or(0o666, |meta| meta.permissions().mode() & 0o777);
        // The process's own mask still applies to a new file.
        builder.permissions(std::fs::Permissions::from_mode(mode));
    }
    // The error itself names the temporary file too, of which nobody has heard.
    let bare = |error: io::Error| {
        let text = error.to_string();
        let reason = text.rsplit_once(" at path ").map_or(text.as_str(), |(reason, _)| reason);
        io::Error::new(error.kind(), format!("{}: {reason}", file.display()))
    };
    let mut temporary = builder.tempfile_in(dir).map_err(bare)?;
    temporary.write_all(bytes).map_err(named)?;
    temporary.flush().map_err(named)?;
    temporary.persist(file).map_err(|error| named(error.error))?;
    Ok(())
}

/// Appends to the file that a workflow shows as the summary of its step, if there is one.
fn summarize(report: &Report, sources: &Sources) -> io::Result<()> {
    let Some(file) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|file| !file.is_empty()) else {
        return Ok(());
    };
    let mut bytes = Vec::new();
    step_summary(report, sources, &mut bytes)?;
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(file)?;
    file.write_all(&bytes)
}

/// How often each rule was broken, the most frequent first.
fn statistics(report: &Report, json: bool, out: &mut dyn Write) -> io::Result<()> {
    let mut counts: BTreeMap<(&str, Level), usize> = BTreeMap::new();
    for finding in &report.findings {
        *counts.entry((finding.rule, finding.level)).or_default() += 1;
    }
    let mut rows: Vec<((&str, Level), usize)> = counts.into_iter().collect();
    rows.sort_by(|((a, x), m), ((b, y), n)| (n, y, a).cmp(&(m, x, b)));
    if json {
        let rows: Vec<_> = rows
            .iter()
            .map(|((rule, level), count)| {
                serde_json::json!({ "rule": rule, "level": level.word(), "count": count })
            })
            .collect();
        serde_json::to_writer_pretty(&mut *out, &rows)?;
        return writeln!(out);
    }
    for ((rule, level), count) in rows {
        writeln!(out, "{count:>5}  {:<7}  {rule}", level.word())?;
    }
    Ok(())
}
