//! Texts of captured JSON to what is said of them; must not know what any rule means.

#![allow(dead_code)]

use std::path::Path;

use pagelint::check::{check, Outcome};
use pagelint::config::{Config, DocumentKind};
use pagelint::text::{LineIndex, Source, Sources};

/// A workspace of texts by path.
pub fn sources(files: &[(&str, &str)]) -> Sources {
    let file = |(path, text): &(&str, &str)| Source {
        path: path.to_string(),
        text: (*text).into(),
        test: false,
        reported: true,
    };
    Sources { root: "/w".into(), files: files.iter().map(file).collect(), mounts: Vec::new() }
}

/// A configuration in which one file is captured JSON.
pub fn config(path: &str, kind: DocumentKind) -> Config {
    let mut config = Config::default();
    config.documents.named.insert(Path::new("/w").join(path), Some(kind));
    config
}

/// What is said of one file of captured JSON.
pub fn checked(path: &str, text: &str, kind: DocumentKind) -> (Sources, Outcome) {
    let sources = sources(&[(path, text)]);
    let outcome = check(&sources, &config(path, kind));
    (sources, outcome)
}

/// Findings as `line:column rule text`.
pub fn shown(sources: &Sources, outcome: &Outcome) -> Vec<String> {
    let one = |finding: &pagelint::report::Finding| {
        let text = &sources.get(finding.primary.file).text;
        let at = LineIndex::new(text).position(text, finding.primary.start);
        format!("{}:{} {} {}", at.line, at.column, finding.rule, sources.text(finding.primary))
    };
    outcome.report.findings.iter().map(one).collect()
}
