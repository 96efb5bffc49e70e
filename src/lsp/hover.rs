//! A place in a text to what is known of it: the object sent there, or the page of a rule.
//!
//! Infers nothing: it only looks up what the last run found.

use std::collections::BTreeSet;
use std::sync::Arc;

use lsp_types::{Range, TextDocumentPositionParams, Uri};
use serde_json::{json, Value};

use super::documents::Document;
use super::place::Analysed;
use super::session::Session;
use crate::config;
use crate::diagnostics::{Indexes, Places};
use crate::positions::Lines;
use crate::report::{BuiltBy, Emitter, EmitterKind, ShapeRow};
use crate::rules::{self, RuleInfo};
use crate::text::FileId;

/// What to show over a position.
pub(super) fn hover(session: &Session, at: &TextDocumentPositionParams) -> Option<Value> {
    let document = session.documents.get(&at.text_document.uri)?;
    let encoding = session.client.encoding;
    let lines = Lines::new(&document.text);
    let offset = lines.offset(&document.text, at.position.line, at.position.character, encoding);
    let (markdown, range) = match rule_at(document, &lines, at.position.line, offset) {
        Some((rule, range)) => {
            let place = |offset: usize| {
                let (line, character) = lines.place(&document.text, offset as u32, encoding);
                json!({ "line": line, "character": character })
            };
            let page = format!("{}\n\n[{}]({})", rule.page.trim_end(), rule.id, rule.url());
            (page, json!({ "start": place(range.start), "end": place(range.end) }))
        }
        None => emitter_at(session, document, offset)?,
    };
    Some(json!({ "contents": { "kind": "markdown", "value": markdown }, "range": range }))
}

/// The rule named at a byte, where rules are named: in a comment that allows, or in the
/// configuration.
fn rule_at(
    document: &Document,
    lines: &Lines,
    line: u32,
    offset: usize,
) -> Option<(&'static RuleInfo, std::ops::Range<usize>)> {
    let bytes = lines.line(line)?;
    let text = &document.text[bytes.clone()];
    let configuration =
        document.path.as_ref().is_some_and(|path| path.ends_with(config::FILE_NAME));
    if !configuration && !text.split("pagelint:").skip(1).any(|said| said.contains("allow")) {
        return None;
    }
    let part = |c: char| c.is_ascii_lowercase() || c == '-';
    let before = &document.text[bytes.start..offset];
    let start = before.trim_end_matches(part).len() + bytes.start;
    let after = &document.text[offset..bytes.end];
    let end = offset + (after.len() - after.trim_start_matches(part).len());
    rules::find(&document.text[start..end]).map(|rule| (rule, start..end))
}

fn emitter_at(session: &Session, document: &Document, offset: usize) -> Option<(String, Value)> {
    let (analysed, file) = analysed(session, document)?;
    let text = &document.text;
    let on_line = |start: usize| match text.get(start.min(offset)..start.max(offset)) {
        Some(between) => !between.contains('\n'),
        None => false,
    };
    let rows = analysed.outcome.shapes(&analysed.sources);
    let all = rows.iter().flat_map(|row| row.emitters.iter().map(move |emitter| (row, emitter)));
    let found: Vec<(&ShapeRow, &Emitter)> =
        all.filter(|(_, emitter)| emitter.span.file == file).collect();
    let spans = || found.iter().map(|(_, emitter)| emitter.span);
    // Of objects within one another the innermost is meant; around them, the nearest that
    // begins on the line, so that the words before it serve as well.
    let inside = spans().filter(|s| s.start as usize <= offset && offset <= s.end as usize);
    let beside = || spans().filter(|s| on_line(s.start as usize));
    let span = inside
        .min_by_key(|span| span.end - span.start)
        .or_else(|| beside().min_by_key(|span| (span.start as usize).abs_diff(offset)))?;
    let said: BTreeSet<String> =
        found.iter().filter(|(_, e)| e.span == span).map(|(row, e)| describe(row, e)).collect();
    let text = said.into_iter().collect::<Vec<_>>().join("\n\n---\n\n");
    let mut indexes = Indexes::default();
    let encoding = session.client.encoding;
    let mut places = Places { sources: &analysed.sources, encoding, indexes: &mut indexes };
    Some((text, json!(places.range(span))))
}

/// The result that speaks of a buffer, and the buffer's file in it.
pub(super) fn analysed<'a>(
    session: &'a Session,
    document: &Document,
) -> Option<(&'a Arc<Analysed>, FileId)> {
    let path = document.path.as_ref()?;
    let analysed = session.last.owner(path)?;
    let file = analysed.file(path)?;
    Some((analysed, file))
}

fn describe(row: &ShapeRow, emitter: &Emitter) -> String {
    let mut lines = vec![format!("{} `{}` sends", row.kind.word(), row.name), String::new()];
    lines.extend(["```".to_string(), emitter.shape.clone(), "```".to_string(), String::new()]);
    let mut facts = Vec::new();
    if let (true, Some(family)) = (row.paging, &row.family) {
        facts.push(format!("family {family}"));
    }
    if let Some(stage) = &row.stage {
        facts.push(format!("stage `{stage}`"));
    }
    facts.push(match emitter.built_by {
        BuiltBy::Builder => "paging fields by the shared builder".to_string(),
        BuiltBy::Hand => "paging fields by hand".to_string(),
        BuiltBy::Mixed => "paging fields by the shared builder and by hand".to_string(),
        BuiltBy::Upstream => "paging fields of an upstream response".to_string(),
        BuiltBy::None => "no paging fields".to_string(),
    });
    if let Some(resumable) = row.resumable {
        facts.push(if resumable { "can be resumed" } else { "cannot be resumed" }.to_string());
    }
    facts.push(format!("{} confidence", emitter.confidence.word()));
    lines.push(facts.join(" · "));
    lines.join("\n")
}

/// The shape of each emitter, above it; nothing unless the user asked for it.
pub(super) fn lenses(session: &Session, uri: &Uri) -> Vec<Value> {
    let found = session.documents.get(uri).and_then(|document| analysed(session, document));
    let (true, Some((analysed, file))) = (session.settings.lens, found) else {
        return Vec::new();
    };
    let mut indexes = Indexes::default();
    let encoding = session.client.encoding;
    let mut places = Places { sources: &analysed.sources, encoding, indexes: &mut indexes };
    let mut shown: BTreeSet<(u32, u32, String)> = BTreeSet::new();
    for row in &analysed.outcome.shapes(&analysed.sources) {
        for emitter in row.emitters.iter().filter(|emitter| emitter.span.file == file) {
            let named = row.kind != EmitterKind::Function;
            let name = if named { format!("{}: ", row.name) } else { String::new() };
            let title = format!("{name}{}", emitter.shape);
            shown.insert((emitter.span.start, emitter.span.end, title));
        }
    }
    let lens = |(start, end, title): (u32, u32, String)| {
        let range: Range = places.range(crate::text::Span { file, start, end });
        json!({ "range": range, "command": { "title": title, "command": "" } })
    };
    shown.into_iter().map(lens).collect()
}
