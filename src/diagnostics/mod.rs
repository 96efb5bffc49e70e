//! A report to diagnostics in the form of the Language Server Protocol, for whoever sends or
//! prints them.
//!
//! Knows no client, no open buffer and no disk.

pub mod uri;

use std::collections::BTreeMap;
use std::sync::Arc;

use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    Location, NumberOrString, Position, PublishDiagnosticsParams, Range,
};
use serde_json::json;

use crate::positions::{Encoding, Lines};
use crate::report::{Excuse, Finding, Level, Problem, Report};
use crate::rules;
use crate::text::{FileId, Sources, Span};

/// The name under which editors show where a diagnostic comes from.
pub const SOURCE: &str = "pagelint";

/// Line indexes of texts, kept as long as the texts stay the same.
#[derive(Debug, Default)]
pub struct Indexes {
    known: BTreeMap<String, (Arc<str>, Arc<Lines>)>,
}

impl Indexes {
    /// The index of a file's text.
    pub fn of(&mut self, path: &str, text: &Arc<str>) -> Arc<Lines> {
        if let Some((known, lines)) = self.known.get(path) {
            if Arc::ptr_eq(known, text) {
                return lines.clone();
            }
        }
        let lines = Arc::new(Lines::new(text));
        self.known.insert(path.to_string(), (text.clone(), lines.clone()));
        lines
    }
}

/// Turns spans of some sources into what the protocol calls ranges and locations.
pub struct Places<'a> {
    /// The sources.
    pub sources: &'a Sources,
    /// How columns are counted.
    pub encoding: Encoding,
    /// Indexes of their texts.
    pub indexes: &'a mut Indexes,
}

impl Places<'_> {
    /// The range of a span.
    pub fn range(&mut self, span: Span) -> Range {
        let source = self.sources.get(span.file);
        let lines = self.indexes.of(&source.path, &source.text);
        let place = |offset| {
            let (line, character) = lines.place(&source.text, offset, self.encoding);
            Position { line, character }
        };
        Range { start: place(span.start), end: place(span.end) }
    }

    /// The location of a span.
    pub fn location(&mut self, span: Span) -> Location {
        let path = self.sources.root.join(&self.sources.get(span.file).path);
        Location { uri: uri::from_path(&path), range: self.range(span) }
    }

    /// The whole of a 1-based line; of the first one where there is none.
    fn line(&mut self, file: FileId, line: u32) -> Range {
        let source = self.sources.get(file);
        let lines = self.indexes.of(&source.path, &source.text);
        let bytes = lines.line(line.saturating_sub(1)).unwrap_or(0..0);
        self.range(Span { file, start: bytes.start as u32, end: bytes.end as u32 })
    }
}

/// The diagnostics of every file that has any, by path relative to the workspace root, each
/// list in source order. Findings that the baseline knows come as hints where `known` is set.
pub fn by_path(
    report: &Report,
    places: &mut Places<'_>,
    lists: &mut Lists,
    known: bool,
) -> BTreeMap<String, Arc<[Diagnostic]>> {
    let mut found: BTreeMap<&str, Said<'_>> = BTreeMap::new();
    let sources = places.sources;
    let own = report.findings.iter().map(|finding| (finding, false));
    let excused = report.suppressed.iter().filter(|s| known && s.excuse == Excuse::Baseline);
    for (finding, known) in own.chain(excused.map(|suppressed| (&suppressed.finding, true))) {
        let path = sources.get(finding.primary.file).path.as_str();
        found.entry(path).or_default().findings.push((finding, known));
    }
    for problem in &report.problems {
        // What is only noted concerns files that nobody asked about, or the run.
        if problem.level >= Level::Warning && !problem.path.is_empty() {
            found.entry(&problem.path).or_default().problems.push(problem);
        }
    }
    lists.known.retain(|path, _| found.contains_key(path.as_str()));
    found
        .into_iter()
        .map(|(path, said)| (path.to_string(), lists.of(path, &said, places)))
        .collect()
}

/// What is said of one file.
#[derive(Default)]
struct Said<'a> {
    /// Findings, and whether the baseline knows them.
    findings: Vec<(&'a Finding, bool)>,
    problems: Vec<&'a Problem>,
}

/// Lists of diagnostics, kept as long as the same is said of the same texts.
#[derive(Debug, Default)]
pub struct Lists {
    known: BTreeMap<String, List>,
}

#[derive(Debug)]
struct List {
    findings: Vec<(Finding, bool)>,
    problems: Vec<Problem>,
    /// The texts of the places that are pointed to, in order.
    texts: Vec<Arc<str>>,
    diagnostics: Arc<[Diagnostic]>,
}

impl Lists {
    fn of(&mut self, path: &str, said: &Said<'_>, places: &mut Places<'_>) -> Arc<[Diagnostic]> {
        let texts = said.texts(path, places.sources);
        if let Some(list) = self.known.get(path).filter(|list| list.says(said, &texts)) {
            return list.diagnostics.clone();
        }
        let findings = said.findings.iter().map(|(finding, k)| of_finding(finding, places, *k));
        let mut list: Vec<Diagnostic> = findings.collect();
        list.extend(said.problems.iter().map(|problem| of_problem(problem, places)));
        list.sort_by_key(|d| (d.range.start, d.range.end));
        let diagnostics: Arc<[Diagnostic]> = list.into();
        let findings = said.findings.iter().map(|(finding, k)| (Finding::clone(finding), *k));
        let problems = said.problems.iter().copied().cloned();
        let (findings, problems) = (findings.collect(), problems.collect());
        let list = List { findings, problems, texts, diagnostics: diagnostics.clone() };
        self.known.insert(path.to_string(), list);
        diagnostics
    }
}

impl List {
    fn says(&self, said: &Said<'_>, texts: &[Arc<str>]) -> bool {
        self.texts.len() == texts.len()
            && self.texts.iter().zip(texts).all(|(a, b)| Arc::ptr_eq(a, b))
            && self
                .findings
                .iter()
                .map(|(finding, k)| (finding, *k))
                .eq(said.findings.iter().copied())
            && self.problems.iter().eq(said.problems.iter().copied())
    }
}

impl Said<'_> {
    fn texts(&self, path: &str, sources: &Sources) -> Vec<Arc<str>> {
        let spans = self.findings.iter().flat_map(|(finding, _)| {
            let labels = finding.labels.iter().map(|label| label.span);
            std::iter::once(finding.primary).chain(labels)
        });
        let mut texts: Vec<Arc<str>> = spans.map(|s| sources.get(s.file).text.clone()).collect();
        if !self.problems.is_empty() {
            let own = sources.files.iter().filter(|source| source.path == path);
            texts.extend(own.map(|source| source.text.clone()));
        }
        texts
    }
}

/// The same as the messages that a server would send.
pub fn messages(
    report: &Report,
    sources: &Sources,
    encoding: Encoding,
) -> Vec<PublishDiagnosticsParams> {
    let mut places = Places { sources, encoding, indexes: &mut Indexes::default() };
    let found = by_path(report, &mut places, &mut Lists::default(), false).into_iter();
    found
        .map(|(path, diagnostics)| PublishDiagnosticsParams {
            uri: uri::from_path(&sources.root.join(path)),
            diagnostics: diagnostics.to_vec(),
            version: None,
        })
        .collect()
}

/// One finding. One that is `known` to the baseline is a dimmed hint.
pub fn of_finding(finding: &Finding, places: &mut Places<'_>, known: bool) -> Diagnostic {
    let severity = if known { DiagnosticSeverity::HINT } else { severity(finding.level) };
    let message = match &finding.help {
        Some(help) => format!("{}\nhelp: {help}", finding.message),
        None => finding.message.clone(),
    };
    let related: Vec<DiagnosticRelatedInformation> = finding
        .labels
        .iter()
        .map(|label| DiagnosticRelatedInformation {
            location: places.location(label.span),
            message: label.message.clone(),
        })
        .collect();
    let mut tags = Vec::new();
    if known || finding.rule == "unused-allow" {
        tags.push(DiagnosticTag::UNNECESSARY);
    }
    if finding.rule == "legacy-field" {
        tags.push(DiagnosticTag::DEPRECATED);
    }
    let page = rules::find(finding.rule).and_then(|rule| rule.url().parse().ok());
    Diagnostic {
        range: places.range(finding.primary),
        severity: Some(severity),
        code: Some(NumberOrString::String(finding.rule.to_string())),
        code_description: page.map(|href| CodeDescription { href }),
        source: Some(SOURCE.to_string()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        tags: (!tags.is_empty()).then_some(tags),
        data: Some(json!({
            "fingerprint": finding.fingerprint,
            "confidence": finding.confidence.word(),
            "known": known,
        })),
    }
}

/// A problem stands on its line, where one can be told.
fn of_problem(problem: &Problem, places: &mut Places<'_>) -> Diagnostic {
    let file = places.sources.iter().find(|(_, source)| source.path == problem.path);
    let range = match (file, problem.line) {
        (Some((id, _)), line) => places.line(id, line.unwrap_or(1)),
        (None, line) => {
            let start = Position { line: line.unwrap_or(1).saturating_sub(1), character: 0 };
            Range { start, end: start }
        }
    };
    Diagnostic {
        range,
        severity: Some(severity(problem.level)),
        source: Some(SOURCE.to_string()),
        message: problem.message.clone(),
        ..Diagnostic::default()
    }
}

fn severity(level: Level) -> DiagnosticSeverity {
    match level {
        Level::Error => DiagnosticSeverity::ERROR,
        Level::Warning => DiagnosticSeverity::WARNING,
        Level::Note | Level::Off => DiagnosticSeverity::INFORMATION,
    }
}
