//! Compares the `emits:` marks with what was inferred; must not know any rule.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

mod support;

use std::collections::BTreeMap;

use pagelint::check::{check, Outcome};
use pagelint::config::Config;
use pagelint::text::{FileId, LineIndex, Sources};
use support::cases;
use support::marks::{self, MarkKind, Shape};

/// The shapes that leave on each line of a file: the only place that knows how a run tells.
fn emitted(outcome: &Outcome, sources: &Sources, file: FileId) -> Vec<(u32, Shape)> {
    let text = &sources.get(file).text;
    let lines = LineIndex::new(text);
    outcome
        .shapes(sources)
        .iter()
        .flat_map(|row| &row.emitters)
        .filter(|emitter| emitter.span.file == file)
        .map(|emitter| {
            let shape =
                marks::shape(&emitter.shape).unwrap_or_else(|e| panic!("{}: {e}", emitter.shape));
            (lines.position(text, emitter.span.start).line, shape)
        })
        .collect()
}

#[test]
fn shapes_are_the_marked_ones() {
    let mut faults = Vec::new();
    let mut count = 0;
    for case in cases().0 {
        if !case.marks.iter().flatten().any(|m| matches!(m.kind, MarkKind::Emits(_))) {
            continue;
        }
        let outcome = check(&case.sources, &Config::default());
        for (index, marks) in case.marks.iter().enumerate() {
            let emitted = emitted(&outcome, &case.sources, FileId(index as u32));
            for mark in marks {
                let MarkKind::Emits(wanted) = &mark.kind else { continue };
                count += 1;
                let here: Vec<&Shape> =
                    emitted.iter().filter(|(line, _)| *line == mark.line).map(|(_, s)| s).collect();
                let place =
                    format!("{}:{}", case.origins[index], mark.line + case.lines_before[index]);
                match wanted {
                    None if here.is_empty() => {}
                    None => faults.push(format!(
                        "{place}: something leaves here, the mark says nothing does"
                    )),
                    Some(_) if here.is_empty() => {
                        faults.push(format!("{place}: nothing leaves here"))
                    }
                    Some(wanted) => {
                        let differences: Vec<String> =
                            here.iter().map(|shape| difference(wanted, shape)).collect();
                        if differences.iter().all(|d| !d.is_empty()) {
                            faults.push(format!("{place}: {}", differences.join(" / ")));
                        }
                    }
                }
            }
        }
    }
    println!("{count} `emits:` marks");
    let only = std::env::var_os("PAGELINT_ONLY").is_some();
    let done = support::pending("shapes", &mut faults);
    assert!(only || done.is_empty(), "no longer pending, take them out:\n{}", done.join("\n"));
    assert!(faults.is_empty(), "\n{} of {count}:\n{}\n", faults.len(), faults.join("\n"));
}

/// What differs, in words; empty when the shapes agree. `success`, the frame's own field, does
/// not count unless the mark names it.
fn difference(wanted: &Shape, shape: &Shape) -> String {
    let mut words = Vec::new();
    for field in &wanted.fields {
        match shape.fields.iter().find(|f| f.name == field.name) {
            None => words.push(format!("no `{}`", field.name)),
            Some(found) if found.optional != field.optional => {
                words.push(format!(
                    "`{}` is {}",
                    field.name,
                    if found.optional { "optional" } else { "always there" }
                ));
            }
            Some(found) => {
                if let Some(inner) = &field.inner {
                    let inside =
                        difference(inner, found.inner.as_ref().unwrap_or(&Shape::default()));
                    if !inside.is_empty() {
                        words.push(format!("inside `{}`: {inside}", field.name));
                    }
                }
            }
        }
    }
    for field in &shape.fields {
        if field.name != "success" && !wanted.fields.iter().any(|f| f.name == field.name) {
            words.push(format!("unexpected `{}`", field.name));
        }
    }
    if wanted.open != shape.open {
        words.push(if shape.open {
            "open, should be closed".into()
        } else {
            "closed, should be open".into()
        });
    }
    words.join(", ")
}

#[test]
fn every_language_says_the_same() {
    let mut topics: BTreeMap<String, BTreeMap<String, Vec<MarkKind>>> = BTreeMap::new();
    for case in cases().0 {
        let Some(file) = case.name.strip_prefix("fixtures/shapes/") else { continue };
        let Some((topic, extension)) = file.rsplit_once('.') else { continue };
        let shapes = case.marks[0]
            .iter()
            .map(|m| m.kind.clone())
            .filter(|k| matches!(k, MarkKind::Emits(_)));
        topics
            .entry(topic.replace('_', "-"))
            .or_default()
            .insert(extension.into(), shapes.collect());
    }
    for (topic, languages) in &topics {
        if std::env::var("PAGELINT_ONLY").is_err() {
            assert_eq!(
                languages.len(),
                support::LANGUAGES.len(),
                "{topic} is not there in every language"
            );
        }
        let first = languages.values().next().expect("a topic has a file");
        assert!(!first.is_empty(), "{topic} has no `emits:` mark");
        for (language, shapes) in languages {
            assert_eq!(shapes, first, "{topic}.{language} expects other shapes");
        }
    }
}
