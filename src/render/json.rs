//! A report to one JSON object, for programs. The form is a promise: `version` changes with it.
//!
//! Knows no rule beyond the address of its page.

use std::io::{self, Write};

use serde_json::{json, Value};

use super::{Places, Style};
use crate::report::{Edit, Finding, Fix, Label, Level, Problem, Report, Safety};
use crate::rules;
use crate::text::{Position, Sources, Span};

/// Writes the object and a line end.
pub fn render(
    report: &Report,
    sources: &Sources,
    _style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut places = Places::new(sources);
    let findings: Vec<Value> =
        report.findings.iter().map(|finding| finding_json(finding, &mut places)).collect();
    let object = json!({
        "version": 1,
        "findings": findings,
        "problems": report.problems.iter().map(problem_json).collect::<Vec<_>>(),
        "summary": {
            "files": report.counts.files,
            "emitters": report.counts.emitters,
            "errors": report.count(Level::Error),
            "warnings": report.count(Level::Warning),
            "notes": report.count(Level::Note),
        },
    });
    write(&object, out)
}

/// Writes a value, indented, and a line end.
pub fn write(value: &Value, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    writeln!(out)
}

/// A span as its ends: `path`, `start`, `end`.
pub fn span_json(span: Span, places: &mut Places<'_>) -> [Value; 3] {
    let path = places.sources.get(span.file).path.clone();
    let start = places.position(span.file, span.start);
    let end = places.position(span.file, span.end);
    [json!(path), position_json(start), position_json(end)]
}

fn position_json(at: Position) -> Value {
    json!({ "line": at.line, "column": at.column, "offset": at.offset })
}

fn finding_json(finding: &Finding, places: &mut Places<'_>) -> Value {
    let [path, start, end] = span_json(finding.primary, places);
    let labels: Vec<Value> = finding.labels.iter().map(|label| label_json(label, places)).collect();
    json!({
        "rule": finding.rule,
        "level": finding.level.word(),
        "confidence": finding.confidence.word(),
        "path": path,
        "start": start,
        "end": end,
        "message": finding.message,
        "help": finding.help,
        "url": rules::find(finding.rule).map(|rule| rule.url()),
        "function": finding.function,
        "command": finding.commands.first(),
        "commands": finding.commands,
        "stage": finding.stage,
        "field": finding.field,
        "fingerprint": finding.fingerprint,
        "labels": labels,
        "fix": finding.fix.as_ref().map(|fix| fix_json(fix, places)),
    })
}

fn label_json(label: &Label, places: &mut Places<'_>) -> Value {
    let [path, start, end] = span_json(label.span, places);
    json!({ "path": path, "start": start, "end": end, "message": label.message })
}

fn fix_json(fix: &Fix, places: &mut Places<'_>) -> Value {
    let safety = match fix.safety {
        Safety::Safe => "safe",
        Safety::Unsafe => "unsafe",
        Safety::Display => "display",
    };
    let edits: Vec<Value> = fix.edits.iter().map(|edit| edit_json(edit, places)).collect();
    json!({ "message": fix.message, "safety": safety, "edits": edits })
}

fn edit_json(edit: &Edit, places: &mut Places<'_>) -> Value {
    let [path, start, end] = span_json(edit.span, places);
    json!({ "path": path, "start": start, "end": end, "text": edit.text })
}

fn problem_json(problem: &Problem) -> Value {
    json!({
        "path": problem.path,
        "line": problem.line,
        "level": problem.level.word(),
        "message": problem.message,
    })
}
