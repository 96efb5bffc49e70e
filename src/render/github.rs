//! A report to workflow commands, which the platform shows beside the changed lines, and to
//! the summary of a step.
//!
//! Knows no environment: where the summary goes is the caller's business.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use super::address::markdown;
use super::{counted, visible, Places, Style};
use crate::report::{Finding, Level, Report};
use crate::rules;
use crate::text::Sources;

/// How many annotations of a level the platform shows for one step.
const SHOWN: usize = 10;
/// How many findings a summary lists.
const LISTED: usize = 50;

/// Writes a command for each finding, the worst first, because the platform drops the rest.
pub fn render(
    report: &Report,
    sources: &Sources,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut places = Places::new(sources);
    for finding in worst_first(report) {
        writeln!(out, "{}", command(finding, &mut places))?;
    }
    if style.quiet {
        return Ok(());
    }
    for problem in report.problems.iter().filter(|problem| problem.level >= Level::Warning) {
        let mut properties = vec![("title", "pagelint".to_string())];
        if !problem.path.is_empty() {
            properties.insert(0, ("file", problem.path.clone()));
            properties.extend(problem.line.map(|line| ("line", line.to_string())));
        }
        writeln!(out, "{}", line(problem.level, &properties, &problem.message))?;
    }
    for level in [Level::Error, Level::Warning, Level::Note] {
        let count = report.count(level);
        if count > SHOWN {
            writeln!(
                out,
                "{} shown of {}: the platform drops the others; the step summary counts all",
                SHOWN,
                counted(count, level.word())
            )?;
        }
    }
    Ok(())
}

/// Writes the summary of a step, in Markdown.
pub fn step_summary(report: &Report, sources: &Sources, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "## pagelint\n")?;
    let total = report.findings.len();
    if total == 0 {
        writeln!(out, "No new findings in {}.", counted(report.counts.files, "file"))?;
    } else {
        let mut rules: BTreeMap<(&str, Level), usize> = BTreeMap::new();
        for finding in &report.findings {
            *rules.entry((finding.rule, finding.level)).or_default() += 1;
        }
        let mut rows: Vec<_> = rules.into_iter().collect();
        rows.sort_by(|((a, x), m), ((b, y), n)| (y, n, a).cmp(&(x, m, b)));
        writeln!(
            out,
            "{} in {}.\n",
            counted(total, "finding"),
            counted(report.counts.files, "file")
        )?;
        writeln!(out, "| level | rule | findings |\n|---|---|--:|")?;
        for ((rule, level), count) in rows {
            let name = match rules::find(rule) {
                Some(info) => format!("[{rule}]({})", info.url()),
                None => rule.to_string(),
            };
            writeln!(out, "| {} | {name} | {count} |", level.word())?;
        }
        let mut places = Places::new(sources);
        writeln!(out)?;
        for finding in worst_first(report).into_iter().take(LISTED) {
            let at = places.position(finding.primary.file, finding.primary.start);
            let path = markdown(&sources.get(finding.primary.file).path);
            let (level, message) = (finding.level.word(), markdown(&finding.message));
            writeln!(out, "- {level}, {path}, line {}: {message} ({})", at.line, finding.rule)?;
        }
        if total > LISTED {
            writeln!(out, "- and {} more", total - LISTED)?;
        }
    }
    let known = report.suppressed.len();
    if known > 0 {
        writeln!(out, "\n{} known from the baseline or allowed.", counted(known, "finding"))?;
    }
    let problems = report.problems.iter().filter(|problem| problem.level > Level::Note).count();
    if problems > 0 {
        writeln!(out, "\n{} of the run.", counted(problems, "problem"))?;
    }
    writeln!(out)
}

fn worst_first(report: &Report) -> Vec<&Finding> {
    let mut findings: Vec<&Finding> = report.findings.iter().collect();
    findings.sort_by_key(|finding| Reverse((finding.level, finding.confidence)));
    findings
}

fn command(finding: &Finding, places: &mut Places<'_>) -> String {
    let file = finding.primary.file;
    let start = places.position(file, finding.primary.start);
    let end = places.position(file, finding.primary.end);
    let mut properties = vec![
        ("file", places.sources.get(file).path.clone()),
        ("line", start.line.to_string()),
        ("endLine", end.line.to_string()),
    ];
    // Columns are refused where the range has several lines.
    if start.line == end.line {
        properties.push(("col", start.column.to_string()));
        properties.push(("endColumn", end.column.to_string()));
    }
    properties.push(("title", format!("pagelint: {}", finding.rule)));
    let mut message = finding.message.clone();
    if let Some(help) = &finding.help {
        message.push('\n');
        message.push_str(help);
    }
    if let Some(rule) = rules::find(finding.rule) {
        message.push('\n');
        message.push_str(&rule.url());
    }
    line(finding.level, &properties, &message)
}

fn line(level: Level, properties: &[(&str, String)], message: &str) -> String {
    let word = match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note | Level::Off => "notice",
    };
    let properties: Vec<String> =
        properties.iter().map(|(key, value)| format!("{key}={}", property(value))).collect();
    format!("::{word} {}::{}", properties.join(","), data(message))
}

/// The escapes of a command's message: what would end its line or begin another escape.
/// What else acts on a terminal is spelled out, because the line is shown in a log too.
fn data(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '%' => out.push_str("%25"),
            '\r' => out.push_str("%0D"),
            '\n' => out.push_str("%0A"),
            c => out.push_str(&visible(c.encode_utf8(&mut [0; 4]))),
        }
    }
    out
}

/// The escapes of a property: also what would end it.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
