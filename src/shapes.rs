//! Facts to rows that a person can read: one tool, command or function each, with the objects
//! that it can send.

use std::collections::BTreeMap;

use crate::infer::facts::{Facts, Field, Response};
use crate::infer::outlines::Outline;
use crate::pack::Role;
use crate::report::{BuiltBy, Confidence, Emitter, EmitterKind, PageReading, ShapeRow};
use crate::text::Sources;

/// The rows of a pack's facts, by name.
pub fn rows(facts: &Facts, sources: &Sources) -> Vec<ShapeRow> {
    let mut rows: BTreeMap<(String, EmitterKind), ShapeRow> = BTreeMap::new();
    for response in &facts.responses {
        let names: Vec<(String, EmitterKind)> = if response.tools.is_empty() {
            vec![(response.function.clone(), EmitterKind::Function)]
        } else {
            response.tools.iter().map(|t| (t.clone(), EmitterKind::Tool)).collect()
        };
        for (name, kind) in names {
            let row = rows.entry((name.clone(), kind)).or_insert_with(|| ShapeRow::new(name, kind));
            add(row, response);
        }
    }
    for outline in &facts.outlines {
        let (name, kind) = match &outline.emitter.command {
            Some(command) => (command.clone(), EmitterKind::Command),
            None => (outline.emitter.function.clone(), EmitterKind::Function),
        };
        let row = rows.entry((name.clone(), kind)).or_insert_with(|| ShapeRow::new(name, kind));
        add_outline(row, outline, facts);
    }
    let mut rows: Vec<ShapeRow> = rows.into_values().collect();
    for row in &mut rows {
        row.emitters.sort_by(|a, b| (a.span, &a.shape).cmp(&(b.span, &b.shape)));
        row.emitters.dedup();
        row.reads.sort();
        row.reads.dedup_by(|a, b| a.function == b.function && a.fields == b.fields);
    }
    rows.retain(|row| row.emitters.iter().any(|e| sources.get(e.span.file).reported));
    rows
}

/// What a command emits as data, with the meta half beside it.
fn add_outline(row: &mut ShapeRow, outline: &Outline, facts: &Facts) {
    row.emitters.push(Emitter {
        span: outline.sink,
        function: Some(outline.emitter.function.clone()),
        shape: braced(outline.fields.iter(), outline.open),
        meta: outline.meta.as_ref().map(|(fields, open)| braced(fields.iter(), *open)),
        built_by: if outline.upstream { BuiltBy::Upstream } else { BuiltBy::None },
        confidence: if outline.guessed { Confidence::Low } else { Confidence::High },
    });
    let stage = outline.emitter.stage.clone();
    row.stage = row.stage.take().or(stage.filter(|_| row.kind == EmitterKind::Command));
    row.paging |= facts.deliveries.get(&row.name).is_some_and(|delivery| delivery.emits);
}

fn add(row: &mut ShapeRow, response: &Response) {
    row.emitters.push(Emitter {
        span: response.sink,
        function: Some(response.function.clone()),
        shape: shape(response),
        meta: None,
        built_by: built_by(response),
        confidence: response.confidence,
    });
    let forwarded = &response.forwarded;
    row.reads.extend(forwarded.read_at.map(|span| PageReading {
        span,
        function: response.function.clone(),
        fields: forwarded.reads.iter().cloned().collect(),
    }));
    if response.paging {
        row.paging = true;
        let resumable = response.role(Role::Resume).next().is_some();
        row.resumable = Some(row.resumable.unwrap_or(false) || resumable);
        let family = family(response);
        row.family = Some(match row.family.take() {
            Some(known) if known != "LIST" => known,
            _ => family.to_string(),
        });
    }
}

/// The family of the decision record that a page belongs to, by its unit and extent.
fn family(response: &Response) -> &'static str {
    let has = |name: &str| response.fields.iter().any(|f| f.name == name);
    if has("total_bytes") {
        "CONTENT-byte"
    } else if has("total_lines") {
        "CONTENT-line"
    } else if has("bounds") || response.scopes.contains("region") {
        "SPATIAL"
    } else {
        "LIST"
    }
}

fn built_by(response: &Response) -> BuiltBy {
    let sites = response
        .fields
        .iter()
        .filter(|f| f.role.is_some_and(|(role, _)| role != Role::Hint) && response.paging)
        .flat_map(|f| &f.sites);
    let (mut builder, mut hand) = (false, false);
    for site in sites {
        builder |= site.builder;
        hand |= !site.builder;
    }
    match (builder, hand) {
        (true, true) => BuiltBy::Mixed,
        (true, false) => BuiltBy::Builder,
        (false, true) => BuiltBy::Hand,
        (false, false) => BuiltBy::None,
    }
}

/// An object as a person writes it: `{nodes, next_offset?, bounds: {x, y}, ...}`.
pub fn shape(response: &Response) -> String {
    braced(response.fields.iter().filter(|f| !f.nested), response.open)
}

fn braced<'f>(fields: impl Iterator<Item = &'f Field>, open: bool) -> String {
    let mut parts: Vec<String> = fields.map(part).collect();
    parts.extend(open.then(|| "...".to_string()));
    format!("{{{}}}", parts.join(", "))
}

fn part(field: &Field) -> String {
    let mark = if field.always { "" } else { "?" };
    if field.inner.is_empty() {
        return format!("{}{mark}", field.name);
    }
    let inner: Vec<String> = field
        .inner
        .iter()
        .map(|(name, always)| format!("{name}{}", if *always { "" } else { "?" }))
        .collect();
    format!("{}{mark}: {{{}}}", field.name, inner.join(", "))
}
