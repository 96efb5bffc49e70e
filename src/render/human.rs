//! A report to source excerpts with labels, for reading.
//!
//! Knows no rule: all it says was said by the finding.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::excerpt::{draw, Mark, Notice};
use super::{counted, visible, Places, Style};
use crate::report::{Confidence, Finding, Level, Problem, Report};
use crate::rules;
use crate::text::{FileId, Sources};

/// How many places in other files are shown of one finding.
const ELSEWHERE: usize = 5;

/// Writes findings, problems and one line that sums up.
pub fn render(
    report: &Report,
    sources: &Sources,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut places = Places::new(sources);
    for finding in &report.findings {
        writeln!(out, "{}", finding_text(finding, sources, &mut places, style))?;
    }
    if style.quiet {
        return Ok(());
    }
    for problem in &report.problems {
        writeln!(out, "{}", problem_text(problem, style))?;
    }
    if !report.problems.is_empty() {
        writeln!(out)?;
    }
    writeln!(out, "{}", summary(report, style))?;
    // The first of the worst: with that one a reader begins.
    let worst = report.findings.iter().rev().max_by_key(|finding| finding.level);
    match worst.and_then(|finding| rules::find(finding.rule)) {
        Some(rule) => writeln!(out, "`pagelint explain {}` says why, and what to do", rule.id),
        None => Ok(()),
    }
}

fn finding_text(
    finding: &Finding,
    sources: &Sources,
    places: &mut Places<'_>,
    style: &Style,
) -> String {
    let file = finding.primary.file;
    let own = finding.labels.iter().find(|label| label.span == finding.primary);
    let mut marks = vec![Mark {
        range: finding.primary.start as usize..finding.primary.end as usize,
        message: own.map(|label| visible(&label.message).into_owned()).unwrap_or_default(),
        primary: true,
    }];
    let mut elsewhere = Vec::new();
    for label in &finding.labels {
        let message = visible(&label.message).into_owned();
        if label.span.file != file {
            let place = places.place(label.span.file, label.span.start, style);
            let line = format!("{place}: {message}");
            if !elsewhere.contains(&line) {
                elsewhere.push(line);
            }
        } else if label.span != finding.primary {
            let range = label.span.start as usize..label.span.end as usize;
            marks.push(Mark { range, message, primary: false });
        }
    }
    let source = sources.get(file);
    let notice = Notice {
        level: finding.level,
        message: headline(finding, style),
        path: style.path(&source.path),
        text: &source.text,
        marks,
        help: footer(finding, elsewhere),
    };
    let mut text = draw(&notice, places.index(file), style);
    if let Some(rule) = rules::find(finding.rule) {
        text.push_str(&format!("  {} {}\n", style.paint("36", "link:"), rule.url()));
    }
    text
}

/// `error[rule]: message`, with what may make a reader doubt it.
fn headline(finding: &Finding, style: &Style) -> String {
    let tag = format!("{}[{}]", finding.level.word(), finding.rule);
    let mut line = style.paint_level(finding.level, &tag);
    line.push_str(": ");
    line.push_str(&style.paint("1", &visible(&finding.message)));
    let mut remarks = Vec::new();
    if finding.confidence != Confidence::High {
        remarks.push(format!("{} confidence", finding.confidence.word()));
    }
    if let Some(stage) = &finding.stage {
        remarks.push(format!("stage {}", visible(stage)));
    }
    if !remarks.is_empty() {
        line.push_str(&format!(" ({})", remarks.join(", ")));
    }
    line
}

/// What to do, and what lies in other files.
fn footer(finding: &Finding, elsewhere: Vec<String>) -> Option<String> {
    let mut lines: Vec<String> = Vec::new();
    lines.extend(finding.help.as_deref().map(|help| visible(help).into_owned()));
    if let Some(fix) = &finding.fix {
        lines.push(format!("fix: {}", visible(&fix.message)));
    }
    // A message names the tool where there is one; a shared helper serves many.
    if finding.commands.iter().any(|command| !finding.message.contains(command.as_str())) {
        lines.push(format!("sent by {}", visible(&named(&finding.commands))));
    }
    let more = elsewhere.len().saturating_sub(ELSEWHERE);
    lines.extend(elsewhere.into_iter().take(ELSEWHERE).map(|place| format!("see {place}")));
    if more > 0 {
        lines.push(format!("and {} more", counted(more, "place")));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The first few names, and how many more.
fn named(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(3).map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(shown.len()) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn problem_text(problem: &Problem, style: &Style) -> String {
    let mut place = style.path(&problem.path);
    if let Some(line) = problem.line {
        place.push_str(&format!(":{line}"));
    }
    let word = style.paint_level(problem.level, problem.level.word());
    if place.is_empty() {
        return format!("{word}: {}", visible(&problem.message));
    }
    format!("{word}: {place}: {}", visible(&problem.message))
}

/// `3 errors, 2 warnings, 1 note in 4 of 12 files; 14 emitters`.
fn summary(report: &Report, style: &Style) -> String {
    let mut counts = Vec::new();
    for level in [Level::Error, Level::Warning, Level::Note] {
        let count = report.count(level);
        if count > 0 {
            counts.push(style.paint_level(level, &counted(count, level.word())));
        }
    }
    let found = match counts.is_empty() {
        true => style.paint("1;32", "no findings"),
        false => counts.join(", "),
    };
    let files = counted(report.counts.files, "file");
    let places: BTreeSet<FileId> = report.counted().map(|f| f.primary.file).collect();
    let files = match places.len() {
        0 => files,
        all if all >= report.counts.files => files,
        some => format!("{some} of {files}"),
    };
    let mut line = format!("{found} in {files}; {}", counted(report.counts.emitters, "emitter"));
    // In a part of the workspace there may well be none.
    let whole = report.counts.files >= report.counts.parsed;
    if report.counts.emitters == 0 && report.counts.parsed > 0 && whole {
        line.push_str(" (`pagelint coverage` says what to do)");
    }
    if !report.suppressed.is_empty() {
        line.push_str(&format!("; {} known or allowed", report.suppressed.len()));
    }
    // A note beside the findings is no problem.
    let problems = report.problems.iter().filter(|problem| problem.level > Level::Note).count();
    if problems > 0 {
        line.push_str(&format!("; {}", counted(problems, "problem")));
    }
    line
}
