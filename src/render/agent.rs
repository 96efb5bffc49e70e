//! A report to paragraphs that a coding agent can act on: the place, the fault, the exact edit.
//!
//! Knows no rule. Spends no words: an agent pays for each.

use std::io::{self, Write};

use super::{visible, Places, Style};
use crate::report::{Finding, Level, Report, Safety};
use crate::text::{Sources, Span};

/// Characters of source that a quotation shows.
const QUOTED: usize = 120;

/// Writes one paragraph a finding.
pub fn render(
    report: &Report,
    sources: &Sources,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut places = Places::new(sources);
    for finding in &report.findings {
        paragraph(finding, &mut places, style, out)?;
    }
    if style.quiet {
        return Ok(());
    }
    for problem in report.problems.iter().filter(|problem| problem.level >= Level::Warning) {
        let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
        let message = visible(&problem.message);
        writeln!(out, "{}{line} not analysed: {message}\n", style.path(&problem.path))?;
    }
    let count = report.findings.len();
    match count {
        0 => writeln!(out, "No findings."),
        1 => writeln!(out, "1 finding. `pagelint explain RULE` shows good code."),
        _ => writeln!(out, "{count} findings. `pagelint explain RULE` shows good code."),
    }
}

fn paragraph(
    finding: &Finding,
    places: &mut Places<'_>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let place = places.place(finding.primary.file, finding.primary.start, style);
    let function = finding.function.as_deref().map(|f| format!(" in {}", visible(f)));
    writeln!(
        out,
        "{place} {} {}{}: {}",
        finding.level.word(),
        finding.rule,
        function.unwrap_or_default(),
        visible(&finding.message)
    )?;
    writeln!(out, "at `{}`", quote(places.sources.text(finding.primary)))?;
    for label in finding.labels.iter().filter(|label| label.span != finding.primary) {
        let place = line_of(label.span, finding, places, style);
        writeln!(out, "see {place}: {}", visible(&label.message))?;
    }
    if let Some(help) = &finding.help {
        writeln!(out, "do: {}", visible(help))?;
    }
    if let Some(fix) = &finding.fix {
        let care = match fix.safety {
            Safety::Safe => "",
            Safety::Unsafe => " (may change what readers see)",
            Safety::Display => " (a sketch, adapt it)",
        };
        writeln!(out, "edit{care}: {}", visible(&fix.message))?;
        for edit in &fix.edits {
            let old = places.sources.text(edit.span).to_string();
            let (start, end) = (edit.span.start, edit.span.end);
            let from = places.position(edit.span.file, start);
            let to = places.position(edit.span.file, end);
            let file = line_of(edit.span, finding, places, style);
            let range = format!("{}:{}-{}:{}", from.line, from.column, to.line, to.column);
            // JSON strings, because an edit has to be exact to the last blank.
            writeln!(out, "{file} [{range}] replace {} with {}", exact(&old), exact(&edit.text))?;
        }
    }
    writeln!(out)
}

fn exact(text: &str) -> String {
    visible(&serde_json::Value::from(text).to_string()).into_owned()
}

/// The first line of a text, cut where it is long.
fn quote(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default().trim_end();
    let mut cut: String = line.chars().take(QUOTED).collect();
    if cut.len() < line.len() || text.trim_end().lines().count() > 1 {
        cut.push_str(" ...");
    }
    visible(&cut).into_owned()
}

/// `line 12`, with the path where it is another file.
fn line_of(span: Span, finding: &Finding, places: &mut Places<'_>, style: &Style) -> String {
    let at = places.position(span.file, span.start);
    if span.file == finding.primary.file {
        format!("line {}", at.line)
    } else {
        format!("{}:{}", style.path(&places.sources.get(span.file).path), at.line)
    }
}
