//! Findings to the allow comments that excuse them, as new texts of their files.
//!
//! Never writes a file: whether the comments do what they should is checked before that.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::FileScopes;
use crate::report::Finding;
use crate::text::{FileId, LineIndex, Sources};

/// Why no comment can be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The reason is empty or spans lines.
    Reason,
    /// No comment can stand where this file has findings.
    Marker(String),
}

/// The new text of every file with findings. `marker` gives what starts a line comment in a
/// file of this path.
pub fn additions(
    findings: &[Finding],
    files: &[Arc<FileScopes>],
    sources: &Sources,
    marker: &dyn Fn(&str) -> Option<&'static str>,
    reason: &str,
) -> Result<Vec<(FileId, String)>, Refused> {
    let reason = reason.trim();
    if reason.is_empty() || reason.contains(['\n', '\r']) {
        return Err(Refused::Reason);
    }
    let mut places: BTreeMap<FileId, BTreeMap<u32, BTreeSet<&str>>> = BTreeMap::new();
    for finding in findings {
        let file = finding.primary.file;
        let text = &sources.get(file).text;
        let scopes = files.iter().find(|scopes| scopes.file == file);
        let at = place(finding.primary.start, scopes.map(|s| &**s), text);
        places.entry(file).or_default().entry(at).or_default().insert(finding.rule);
    }
    let mut texts = Vec::new();
    for (file, lines) in places {
        let source = sources.get(file);
        let marker = marker(&source.path).ok_or_else(|| Refused::Marker(source.path.clone()))?;
        texts.push((file, insert(&source.text, &lines, marker, reason)));
    }
    Ok(texts)
}

/// The first byte of the line above which the comment goes: that of the innermost statement
/// that begins its line, because a comment cannot stand in the middle of a string or after a
/// continued line.
fn place(offset: u32, scopes: Option<&FileScopes>, text: &str) -> u32 {
    let lines = LineIndex::new(text);
    let begins_line = |start: u32| {
        let line = lines.start(lines.line(start)).unwrap_or(0);
        text.get(line as usize..start as usize).is_some_and(|before| before.trim().is_empty())
    };
    let scopes = scopes.into_iter();
    let holds = scopes
        .flat_map(|scopes| scopes.statements.iter())
        .filter(|(start, end)| *start <= offset && offset < *end && begins_line(*start));
    let start = holds.min_by_key(|(start, end)| end - start).map_or(offset, |(start, _)| *start);
    lines.start(lines.line(start)).unwrap_or(0)
}

fn insert(text: &str, lines: &BTreeMap<u32, BTreeSet<&str>>, marker: &str, reason: &str) -> String {
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut out = String::with_capacity(text.len() + lines.len() * 80);
    let mut done = 0;
    for (at, rules) in lines {
        let at = *at as usize;
        out.push_str(&text[done..at]);
        let rest = &text[at..];
        let indent = &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()];
        let rules: Vec<&str> = rules.iter().copied().collect();
        out.push_str(&format!(
            "{indent}{marker} pagelint: allow({}) {reason}{line_end}",
            rules.join(", ")
        ));
        done = at;
    }
    out.push_str(&text[done..]);
    out
}
