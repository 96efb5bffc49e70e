//! A report to one line a finding: `path:line:column: level[rule] message`.
//!
//! Knows no rule and draws nothing.

use std::io::{self, Write};

use super::{visible, Places, Style};
use crate::report::Report;
use crate::text::Sources;

/// Writes findings, then problems in the same form under the word `problem`.
pub fn render(
    report: &Report,
    sources: &Sources,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut places = Places::new(sources);
    for finding in &report.findings {
        let place = places.place(finding.primary.file, finding.primary.start, style);
        let tag = format!("{}[{}]", finding.level.word(), finding.rule);
        let tag = style.paint_level(finding.level, &tag);
        writeln!(out, "{place}: {tag} {}", visible(&finding.message))?;
    }
    if style.quiet {
        return Ok(());
    }
    for problem in &report.problems {
        let tag = style.paint_level(problem.level, &format!("{}[problem]", problem.level.word()));
        let (path, line) = (style.path(&problem.path), problem.line.unwrap_or(1));
        // What is said of the whole run has no place.
        let place = if path.is_empty() { path } else { format!("{path}:{line}:1: ") };
        writeln!(out, "{place}{tag} {}", visible(&problem.message))?;
    }
    Ok(())
}
