//! Findings at a place to what the editor can do about them.
//!
//! Never marks an action as preferred that only silences.

use std::path::Path;

use lsp_types::{CodeActionKind, CodeActionParams, Diagnostic, Range, Uri};
use serde_json::{json, Value};

use super::documents::Document;
use super::place::Analysed;
use super::session::Session;
use super::{commands, hover};
use crate::diagnostics::{self, uri, Indexes, Places};
use crate::lang::language_of;
use crate::report::{Edit, Excuse, Finding, Fix, Safety};
use crate::rules;
use crate::suppress;
use crate::text::FileId;

/// Kind of the action that applies every safe fix of a file.
const FIX_ALL: &str = "source.fixAll.pagelint";

/// What can be done in a range of a buffer.
pub(super) fn actions(session: &Session, params: &CodeActionParams) -> Vec<Value> {
    let Some(document) = session.documents.get(&params.text_document.uri) else {
        return Vec::new();
    };
    let Some((analysed, file)) = hover::analysed(session, document) else { return Vec::new() };
    let wanted = |kind: &str| match &params.context.only {
        None => kind != FIX_ALL,
        Some(only) => only.iter().any(|only| covers(only, kind)),
    };
    let mut cx = Context { session, analysed, document, file, indexes: Indexes::default() };
    let mut found = Vec::new();
    if wanted("quickfix") {
        let known = analysed.outcome.report.suppressed.iter();
        let known = known.filter(|s| s.excuse == Excuse::Baseline).map(|s| (&s.finding, true));
        let new = analysed.outcome.report.findings.iter().map(|finding| (finding, false));
        for (finding, known) in new.chain(known).filter(|(f, _)| f.primary.file == file) {
            let mut diagnostic = diagnostics::of_finding(finding, &mut cx.places(), known);
            if !session.client.related {
                diagnostic.related_information = None;
            }
            if overlap(diagnostic.range, params.range) {
                found.extend(cx.for_finding(finding, &diagnostic, known));
            }
        }
    }
    if wanted(FIX_ALL) {
        found.extend(cx.fix_all());
    }
    found
}

/// Whether a kind that was asked for includes another: `source` includes `source.fixAll`.
fn covers(only: &CodeActionKind, kind: &str) -> bool {
    let only = only.as_str();
    only.is_empty() || kind == only || kind.strip_prefix(only).is_some_and(|r| r.starts_with('.'))
}

fn overlap(a: Range, b: Range) -> bool {
    a.start <= b.end && b.start <= a.end
}

struct Context<'a> {
    session: &'a Session,
    analysed: &'a Analysed,
    document: &'a Document,
    file: FileId,
    indexes: Indexes,
}

impl Context<'_> {
    fn places(&mut self) -> Places<'_> {
        let encoding = self.session.client.encoding;
        Places { sources: &self.analysed.sources, encoding, indexes: &mut self.indexes }
    }

    fn for_finding(
        &mut self,
        finding: &Finding,
        diagnostic: &Diagnostic,
        known: bool,
    ) -> Vec<Value> {
        let mut found = Vec::new();
        if let Some(fix) = finding.fix.as_ref().filter(|fix| fix.safety != Safety::Display) {
            let edit = self.edit(&fix.edits);
            found.push(json!({
                "title": fix.message,
                "kind": "quickfix",
                "diagnostics": [diagnostic],
                "isPreferred": fix.safety == Safety::Safe,
                "edit": edit,
            }));
        }
        if !known {
            if let Some(edit) = self.allowing(finding) {
                found.push(json!({
                    "title": format!("Allow {} here, with a reason", finding.rule),
                    "kind": "quickfix",
                    "diagnostics": [diagnostic],
                    "edit": edit,
                }));
            }
        }
        if !known && self.analysed.known.fault.is_none() {
            let title = format!("Add this {} to the baseline", finding.rule);
            found.push(json!({
                "title": title,
                "kind": "quickfix",
                "diagnostics": [diagnostic],
                "command": {
                    "title": title,
                    "command": commands::ADD_TO_BASELINE,
                    "arguments": [self.document.uri, finding.fingerprint],
                },
            }));
        }
        if rules::find(finding.rule).is_some() && self.session.client.opens {
            let title = format!("Read the page of {}", finding.rule);
            found.push(json!({
                "title": title,
                "kind": "quickfix",
                "diagnostics": [diagnostic],
                "command": {
                    "title": title,
                    "command": commands::OPEN_PAGE,
                    "arguments": [finding.rule],
                },
            }));
        }
        found
    }

    /// The edit that puts an allow comment above the statement. The comment is written by the
    /// same hand as on the command line; what it adds to the text is the edit.
    fn allowing(&mut self, finding: &Finding) -> Option<Value> {
        let marker = |path: &str| language_of(path).map(|language| language.comment);
        let (sources, scopes) = (&self.analysed.sources, &self.analysed.outcome.scopes);
        let reason = &self.session.settings.reason;
        let one = std::slice::from_ref(finding);
        let texts = suppress::additions(one, scopes, sources, &marker, reason).ok()?;
        let (file, new) = texts.into_iter().next()?;
        let old = &sources.get(file).text;
        let same = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
        // Of equal lines above one another any could be the new one: an edit at the start of
        // a line keeps it whole.
        let start = old[..floor(old, same)].rfind('\n').map_or(0, |at| at + 1);
        let added = new.len().checked_sub(old.len())?;
        let text = new.get(start..start + added)?.to_string();
        let at = crate::text::Span { file, start: start as u32, end: start as u32 };
        Some(self.edit(&[Edit { span: at, text }]))
    }

    /// Every safe fix of the file that does not overlap one before it.
    fn fix_all(&mut self) -> Option<Value> {
        let findings = self.analysed.outcome.report.findings.iter();
        let fixes = findings.filter(|finding| finding.primary.file == self.file);
        let fixes: Vec<&Fix> = fixes.filter_map(|finding| finding.fix.as_ref()).collect();
        let mut edits: Vec<Edit> = Vec::new();
        for fix in fixes.into_iter().filter(|fix| fix.safety == Safety::Safe) {
            let clashes = |edit: &Edit| {
                let at = edit.span;
                edits.iter().any(|e| {
                    e.span.file == at.file && e.span.start <= at.end && at.start <= e.span.end
                })
            };
            if !fix.edits.iter().any(clashes) {
                edits.extend(fix.edits.iter().cloned());
            }
        }
        let title = "Apply every safe fix of pagelint";
        (!edits.is_empty())
            .then(|| json!({ "title": title, "kind": FIX_ALL, "edit": self.edit(&edits) }))
    }

    /// Edits as the client takes them.
    fn edit(&mut self, edits: &[Edit]) -> Value {
        let mut files: Vec<(Uri, Option<i32>, Vec<Value>)> = Vec::new();
        for edit in edits {
            let (uri, version) = self.name(edit.span.file);
            let range = self.places().range(edit.span);
            let text = json!({ "range": range, "newText": edit.text });
            match files.iter_mut().find(|(known, ..)| *known == uri) {
                Some((_, _, list)) => list.push(text),
                None => files.push((uri, version, vec![text])),
            }
        }
        if self.session.client.versioned_edits {
            let changes = files.into_iter().map(|(uri, version, list)| {
                json!({ "textDocument": { "uri": uri, "version": version }, "edits": list })
            });
            return json!({ "documentChanges": changes.collect::<Vec<_>>() });
        }
        let changes =
            files.into_iter().map(|(uri, _, list)| (uri.as_str().to_string(), list.into()));
        json!({ "changes": changes.collect::<serde_json::Map<String, Value>>() })
    }

    /// The client's name of a file, and the version of its buffer if it is open.
    fn name(&self, file: FileId) -> (Uri, Option<i32>) {
        if file == self.file {
            return (self.document.uri.clone(), Some(self.document.version));
        }
        let path = self.analysed.sources.root.join(&self.analysed.sources.get(file).path);
        let open = |document: &&Document| document.path.as_deref() == Some(Path::new(&path));
        match self.session.documents.iter().find(open) {
            Some(document) => (document.uri.clone(), Some(document.version)),
            None => (uri::from_path(&path), None),
        }
    }
}

/// The nearest start of a character at or before a byte.
fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
