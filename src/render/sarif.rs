//! A report to SARIF 2.1.0, for code scanning.
//!
//! Knows no rule beyond the table, and no upload.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{json, Map, Value};

use super::address::uri;
use super::{json, Places, Style};
use crate::report::{Excuse, Finding, Fix, Level, Problem, Report};
use crate::rules::{RuleInfo, RULES};
use crate::text::{FileId, Sources, Span};

/// The key under which our identity stands; its end is the version of the algorithm.
const FINGERPRINT: &str = "pagelint/v1";

/// Writes one log with one run.
pub fn render(
    report: &Report,
    sources: &Sources,
    _style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut places = Places::new(sources);
    let mut results = Vec::new();
    for finding in &report.findings {
        results.push(result(finding, None, &mut places));
    }
    for suppressed in &report.suppressed {
        results.push(result(&suppressed.finding, Some(&suppressed.excuse), &mut places));
    }
    let run = json!({
        "tool": { "driver": driver() },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": { "SRCROOT": { "description": { "text": "The root of the workspace." } } },
        "invocations": [{
            "executionSuccessful": report.problems.iter().all(|p| p.level < Level::Error),
            "toolExecutionNotifications":
                report.problems.iter().map(notification).collect::<Vec<_>>(),
        }],
        "artifacts": artifacts(report, sources),
        "results": results,
    });
    let log = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    });
    json::write(&log, out)
}

fn driver() -> Value {
    let rules: Vec<Value> = RULES.iter().map(rule).collect();
    json!({
        "name": "pagelint",
        "fullName": format!("pagelint {}", env!("CARGO_PKG_VERSION")),
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "informationUri": env!("CARGO_PKG_REPOSITORY"),
        "shortDescription": { "text": format!("{}.", env!("CARGO_PKG_DESCRIPTION")) },
        "rules": rules,
    })
}

fn rule(rule: &RuleInfo) -> Value {
    json!({
        "id": rule.id,
        "name": pascal(rule.id),
        "shortDescription": { "text": sentence(rule.summary) },
        "fullDescription": { "text": sentence(rule.summary) },
        "help": {
            "text": format!("{} See {}.", sentence(rule.summary), rule.url()),
            "markdown": rule.page,
        },
        "helpUri": rule.url(),
        "defaultConfiguration": { "level": level(rule.level) },
        "properties": { "tags": [rule.pack], "precision": "high" },
    })
}

/// `legacy-field` as `LegacyField`, the form that viewers expect of a name.
fn pascal(id: &str) -> String {
    let words = id.split('-').map(|word| {
        let mut chars = word.chars();
        chars.next().map(|c| c.to_uppercase().chain(chars).collect::<String>()).unwrap_or_default()
    });
    words.collect()
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str().trim_end_matches('.'))
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Off => "none",
        other => other.word(),
    }
}

fn result(finding: &Finding, excuse: Option<&Excuse>, places: &mut Places<'_>) -> Value {
    let related: Vec<Value> = finding
        .labels
        .iter()
        .enumerate()
        .map(|(id, label)| {
            let mut location = location(label.span, None, places);
            location["id"] = json!(id);
            location["message"] = json!({ "text": label.message });
            location
        })
        .collect();
    let mut result = json!({
        "ruleId": finding.rule,
        "ruleIndex": RULES.iter().position(|rule| rule.id == finding.rule).unwrap_or(0),
        "level": level(finding.level),
        "message": { "text": message(finding) },
        "locations": [location(finding.primary, Some(finding), places)],
        "partialFingerprints": { FINGERPRINT: finding.fingerprint },
        "relatedLocations": related,
        "properties": properties(finding),
    });
    if !finding.labels.is_empty() {
        result["codeFlows"] = json!([code_flow(finding, places)]);
    }
    if let Some(fix) = finding.fix.as_ref().filter(|fix| !fix.edits.is_empty()) {
        result["fixes"] = json!([fix_json(fix, places)]);
    }
    // The property must be there for all results or for none; empty means "not suppressed".
    result["suppressions"] = match excuse {
        None => json!([]),
        Some(Excuse::Allowed(reason)) => json!([{
            "kind": "inSource", "status": "accepted", "justification": reason,
        }]),
        Some(Excuse::Baseline) => json!([{
            "kind": "external",
            "status": "accepted",
            "justification": "the finding is in the baseline",
        }]),
    };
    result
}

fn message(finding: &Finding) -> String {
    match &finding.help {
        Some(help) => format!("{} Help: {}", sentence_end(&finding.message), sentence_end(help)),
        None => sentence_end(&finding.message),
    }
}

fn sentence_end(text: &str) -> String {
    let ends = text.ends_with(['.', '!', '?']);
    format!("{text}{}", if ends { "" } else { "." })
}

fn properties(finding: &Finding) -> Value {
    let mut properties = Map::new();
    properties.insert("confidence".to_string(), json!(finding.confidence.word()));
    if !finding.commands.is_empty() {
        properties.insert("commands".to_string(), json!(finding.commands));
    }
    if let Some(stage) = &finding.stage {
        properties.insert("stage".to_string(), json!(stage));
    }
    if let Some(field) = &finding.field {
        properties.insert("field".to_string(), json!(field));
    }
    Value::Object(properties)
}

fn region(span: Span, places: &mut Places<'_>) -> Value {
    let start = places.position(span.file, span.start);
    let end = places.position(span.file, span.end);
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    })
}

fn artifact(file: FileId, sources: &Sources) -> Value {
    json!({ "uri": uri(&sources.get(file).path), "uriBaseId": "SRCROOT" })
}

fn location(span: Span, of: Option<&Finding>, places: &mut Places<'_>) -> Value {
    let mut region = region(span, places);
    region["snippet"] = json!({ "text": places.sources.text(span) });
    let mut location = json!({
        "physicalLocation": {
            "artifactLocation": artifact(span.file, places.sources),
            "region": region,
            "contextRegion": context(span, places),
        },
    });
    if let Some(function) = of.and_then(|finding| finding.function.as_ref()) {
        location["logicalLocations"] =
            json!([{ "fullyQualifiedName": function, "kind": "function" }]);
    }
    location
}

/// The lines around a span; a context has to be larger than what it is the context of.
fn context(span: Span, places: &mut Places<'_>) -> Value {
    let sources = places.sources;
    let text = &sources.get(span.file).text;
    let index = places.index(span.file);
    let first = index.line(span.start).saturating_sub(1);
    let last = index.line(span.end) + 1;
    let start = index.start(first).unwrap_or(0);
    let end = index.start(last + 1).unwrap_or(text.len() as u32);
    let region_span = Span { file: span.file, start, end };
    let mut value = region(region_span, places);
    value["snippet"] = json!({ "text": sources.text(region_span) });
    value
}

/// The way that the fields of an object take: the labels, then the place that is wrong.
fn code_flow(finding: &Finding, places: &mut Places<'_>) -> Value {
    let mut steps = Vec::new();
    for label in finding.labels.iter().filter(|label| label.span != finding.primary) {
        let mut location = location(label.span, None, places);
        location["message"] = json!({ "text": label.message });
        steps.push(json!({ "location": location }));
    }
    let mut last = location(finding.primary, None, places);
    last["message"] = json!({ "text": finding.message });
    steps.push(json!({ "location": last }));
    json!({ "threadFlows": [{ "locations": steps }] })
}

fn fix_json(fix: &Fix, places: &mut Places<'_>) -> Value {
    let mut files: BTreeMap<FileId, Vec<Value>> = BTreeMap::new();
    for edit in &fix.edits {
        let deleted = region(edit.span, places);
        let replacement = json!({
            "deletedRegion": deleted,
            "insertedContent": { "text": edit.text },
        });
        files.entry(edit.span.file).or_default().push(replacement);
    }
    let changes: Vec<Value> = files
        .into_iter()
        .map(|(file, replacements)| {
            json!({
                "artifactLocation": artifact(file, places.sources),
                "replacements": replacements,
            })
        })
        .collect();
    json!({ "description": { "text": sentence(&fix.message) }, "artifactChanges": changes })
}

/// The files that results stand in.
fn artifacts(report: &Report, sources: &Sources) -> Vec<Value> {
    let suppressed = report.suppressed.iter().map(|suppressed| &suppressed.finding);
    let mut files: Vec<FileId> = report
        .findings
        .iter()
        .chain(suppressed)
        .flat_map(|finding| {
            let labels = finding.labels.iter().map(|label| label.span.file);
            labels.chain([finding.primary.file])
        })
        .collect();
    files.sort_unstable();
    files.dedup();
    files.into_iter().map(|file| json!({ "location": artifact(file, sources) })).collect()
}

fn notification(problem: &Problem) -> Value {
    let mut notification = json!({
        "level": level(problem.level),
        "message": { "text": problem.message },
        "descriptor": { "id": "problem" },
    });
    if !problem.path.is_empty() {
        let mut physical = json!({
            "artifactLocation": { "uri": uri(&problem.path), "uriBaseId": "SRCROOT" },
        });
        if let Some(line) = problem.line {
            physical["region"] = json!({ "startLine": line });
        }
        notification["locations"] = json!([{ "physicalLocation": physical }]);
    }
    notification
}
