//! A report to the diagnostic format of reviewdog, whose columns count bytes.
//!
//! Knows no rule beyond the address of its page.

use std::io::{self, Write};

use serde_json::{json, Value};

use super::{json, Places, Style};
use crate::report::{Finding, Level, Report, Safety};
use crate::rules;
use crate::text::{Sources, Span};

/// Writes one result with all diagnostics.
pub fn render(
    report: &Report,
    sources: &Sources,
    _style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut places = Places::new(sources);
    let diagnostics: Vec<Value> =
        report.findings.iter().map(|finding| diagnostic(finding, &mut places)).collect();
    let result = json!({
        "source": { "name": "pagelint", "url": env!("CARGO_PKG_REPOSITORY") },
        "diagnostics": diagnostics,
    });
    json::write(&result, out)
}

fn diagnostic(finding: &Finding, places: &mut Places<'_>) -> Value {
    let severity = match finding.level {
        Level::Error => "ERROR",
        Level::Warning => "WARNING",
        Level::Note | Level::Off => "INFO",
    };
    let mut message = finding.message.clone();
    if let Some(help) = &finding.help {
        message.push('\n');
        message.push_str(help);
    }
    let mut code = json!({ "value": finding.rule });
    if let Some(rule) = rules::find(finding.rule) {
        code["url"] = json!(rule.url());
    }
    let mut value = json!({
        "message": message,
        "location": location(finding.primary, places),
        "severity": severity,
        "code": code,
    });
    if !finding.labels.is_empty() {
        let related: Vec<Value> = finding
            .labels
            .iter()
            .map(|label| json!({ "message": label.message, "location": location(label.span, places) }))
            .collect();
        value["related_locations"] = json!(related);
    }
    let edits = finding.fix.iter().filter(|fix| fix.safety != Safety::Display);
    // A suggestion changes the file of its diagnostic; it cannot name another.
    let edits: Vec<Value> = edits
        .flat_map(|fix| &fix.edits)
        .filter(|edit| edit.span.file == finding.primary.file)
        .map(|edit| json!({ "range": range(edit.span, places), "text": edit.text }))
        .collect();
    if !edits.is_empty() {
        value["suggestions"] = json!(edits);
    }
    value
}

fn location(span: Span, places: &mut Places<'_>) -> Value {
    let path = places.sources.get(span.file).path.clone();
    json!({ "path": path, "range": range(span, places) })
}

fn range(span: Span, places: &mut Places<'_>) -> Value {
    let index = places.index(span.file);
    let place = |offset: u32| {
        let line = index.line(offset);
        let start = index.start(line).unwrap_or(0);
        json!({ "line": line + 1, "column": offset - start + 1 })
    };
    json!({ "start": place(span.start), "end": place(span.end) })
}
