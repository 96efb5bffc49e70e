//! A report to a code quality report as merge requests show it.
//!
//! Knows no rule beyond the address of its page.

use std::io::{self, Write};

use serde_json::{json, Value};

use super::{json, Places, Style};
use crate::report::{Level, Report};
use crate::text::Sources;

/// Writes an array of issues.
pub fn render(
    report: &Report,
    sources: &Sources,
    _style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut places = Places::new(sources);
    let issues: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| {
            let span = finding.primary;
            let start = places.position(span.file, span.start);
            let end = places.position(span.file, span.end);
            json!({
                "type": "issue",
                "description": finding.message,
                "check_name": finding.rule,
                "fingerprint": finding.fingerprint,
                "severity": severity(finding.level),
                "categories": ["Compatibility"],
                "location": {
                    "path": sources.get(span.file).path,
                    "lines": { "begin": start.line, "end": end.line },
                },
            })
        })
        .collect();
    json::write(&Value::Array(issues), out)
}

fn severity(level: Level) -> &'static str {
    match level {
        Level::Error => "major",
        Level::Warning => "minor",
        Level::Note | Level::Off => "info",
    }
}
