//! Scores real checkouts against label files when `PAGELINT_CORPUS` names a folder of both; must
//! not know where they come from.
//!
//! The folder holds `<name>.jsonl` (labels) beside `<name>/` (a checkout), or a folder `labels`
//! with the former. The lowest values allowed stand in `fixtures/corpus.toml`.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pagelint::check::check;
use pagelint::config::Config;
use pagelint::report::Finding;
use pagelint::text::{LineIndex, Sources, Span};
use serde_json::Value;

/// One row of a label file.
struct Row {
    path: String,
    lines: (u32, u32),
    rules: BTreeSet<String>,
    rule: String,
    violation: bool,
    low: bool,
    group: String,
    why: String,
}

fn rows(text: &str) -> Vec<Row> {
    let parsed = text.lines().filter(|l| !l.trim().is_empty()).enumerate();
    parsed
        .map(|(number, line)| {
            let v: Value =
                serde_json::from_str(line).unwrap_or_else(|e| panic!("label {number}: {e}"));
            let word = |key: &str| v[key].as_str().unwrap_or_default().to_string();
            let first = v["line"].as_u64().unwrap_or(0) as u32;
            let last = v["end_line"].as_u64().map_or(first, |l| l as u32);
            let rule = word("rule");
            let mut rules: BTreeSet<String> = v["also"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|r| r.as_str().map(String::from))
                .collect();
            rules.insert(rule.clone());
            let group = v["group"].as_str().map_or_else(|| format!("row {number}"), String::from);
            Row {
                path: word("path"),
                lines: (first, last),
                rules,
                rule,
                violation: word("verdict") == "violation",
                low: word("confidence") == "low",
                group,
                why: word("why"),
            }
        })
        .collect()
}

/// A finding as places: the primary one first.
struct Seen {
    rule: String,
    places: Vec<(String, (u32, u32))>,
}

fn seen(findings: &[Finding], sources: &Sources) -> Vec<Seen> {
    let mut indexes: BTreeMap<u32, LineIndex> = BTreeMap::new();
    let mut place = |span: Span| {
        let source = sources.get(span.file);
        let index = indexes.entry(span.file.0).or_insert_with(|| LineIndex::new(&source.text));
        (source.path.clone(), (index.line(span.start) + 1, index.line(span.end) + 1))
    };
    findings
        .iter()
        .map(|finding| {
            let spans =
                std::iter::once(finding.primary).chain(finding.labels.iter().map(|l| l.span));
            Seen { rule: finding.rule.into(), places: spans.map(&mut place).collect() }
        })
        .collect()
}

fn meets(row: &Row, place: &(String, (u32, u32))) -> bool {
    place.0 == row.path && place.1 .0 <= row.lines.1 && row.lines.0 <= place.1 .1
}

#[derive(Default)]
struct Tally {
    found: usize,
    missed: usize,
    alarm: usize,
    quiet: usize,
    unlabelled: usize,
}

fn score(rows: &[Row], seen: &[Seen], notes: &mut Vec<String>) -> BTreeMap<String, Tally> {
    let mut tally: BTreeMap<String, Tally> = BTreeMap::new();
    let mut explained: BTreeSet<usize> = BTreeSet::new();
    let mut defects: BTreeMap<(&str, &str), Vec<&Row>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.violation) {
        defects.entry((&row.rule, &row.group)).or_default().push(row);
    }
    for ((rule, _), anchors) in defects {
        let hits: Vec<usize> = (0..seen.len())
            .filter(|i| {
                anchors.iter().any(|row| {
                    row.rules.contains(&seen[*i].rule)
                        && seen[*i].places.iter().any(|p| meets(row, p))
                })
            })
            .collect();
        explained.extend(hits.iter().copied());
        if anchors.iter().all(|row| row.low) {
            continue;
        }
        let entry = tally.entry(rule.into()).or_default();
        if hits.is_empty() {
            entry.missed += 1;
            notes.push(format!(
                "missed      {}:{} {rule}: {}",
                anchors[0].path, anchors[0].lines.0, anchors[0].why
            ));
        } else {
            entry.found += 1;
        }
    }
    for row in rows.iter().filter(|row| !row.violation) {
        let touched: Vec<usize> = (0..seen.len())
            .filter(|i| {
                let primary = &seen[*i].places[0];
                let excused = rows.iter().any(|other| {
                    other.violation && other.rules.contains(&seen[*i].rule) && meets(other, primary)
                });
                row.rules.contains(&seen[*i].rule) && meets(row, primary) && !excused
            })
            .collect();
        explained.extend(touched.iter().copied());
        if row.low {
            continue;
        }
        let entry = tally.entry(row.rule.clone()).or_default();
        if touched.is_empty() {
            entry.quiet += 1;
        } else {
            entry.alarm += 1;
            notes.push(format!(
                "false alarm {}:{} {}: {}",
                row.path, row.lines.0, row.rule, row.why
            ));
        }
    }
    for (i, finding) in seen.iter().enumerate().filter(|(i, _)| !explained.contains(i)) {
        tally.entry(finding.rule.clone()).or_default().unlabelled += 1;
        notes.push(format!(
            "unlabelled  {}:{} {} ({i})",
            finding.places[0].0, finding.places[0].1 .0, finding.rule
        ));
    }
    tally
}

fn checkout(folder: &Path) -> Sources {
    let mut files = Vec::new();
    for entry in ignore::WalkBuilder::new(folder).build().flatten() {
        let path = entry.path();
        let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().replace('\\', "/");
        let wanted = support::comment_of(&name).is_some()
            || name.ends_with("project.godot")
            || name.ends_with("go.mod");
        if wanted && path.is_file() {
            let bytes = std::fs::read(path).unwrap_or_default();
            files.push((name, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    support::workspace(&files)
}

/// Label files in the folder itself and in its `labels`.
fn label_files(corpus: &Path) -> Vec<PathBuf> {
    let folders = [corpus.to_path_buf(), corpus.join("labels")];
    let entries =
        folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    let mut files: Vec<_> =
        entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "jsonl")).collect();
    files.sort();
    files
}

fn floors() -> toml::Table {
    let text =
        std::fs::read_to_string(support::root().join("fixtures/corpus.toml")).unwrap_or_default();
    text.parse().expect("fixtures/corpus.toml is TOML")
}

#[test]
fn real_code_scores_as_before() {
    let Ok(corpus) = std::env::var("PAGELINT_CORPUS") else {
        println!("not scored: PAGELINT_CORPUS names no folder with checkouts and labels");
        return;
    };
    let corpus = PathBuf::from(corpus);
    let mut sets = 0;
    let mut faults = Vec::new();
    for labels in label_files(&corpus) {
        let name = labels.file_stem().unwrap_or_default().to_string_lossy().to_string();
        let folder = corpus.join(&name);
        if !folder.is_dir() {
            println!("{name}: no checkout beside its labels");
            continue;
        }
        sets += 1;
        let sources = checkout(&folder);
        let rows = rows(&support::read(&labels));
        let outcome = check(&sources, &Config::default());
        let mut notes = Vec::new();
        let tally = score(&rows, &seen(&outcome.report.findings, &sources), &mut notes);
        println!(
            "\n{name}: {:32}{:>8}{:>8}{:>8}{:>8}{:>11}",
            "rule", "found", "missed", "alarm", "quiet", "unlabelled"
        );
        let (mut found, mut missed, mut alarm) = (0, 0, 0);
        for (rule, t) in &tally {
            println!(
                "{name}: {rule:32}{:8}{:8}{:8}{:8}{:11}",
                t.found, t.missed, t.alarm, t.quiet, t.unlabelled
            );
            found += t.found;
            missed += t.missed;
            alarm += t.alarm;
        }
        let ratio = |rest: usize| found as f64 / (found + rest).max(1) as f64;
        let (recall, precision) = (ratio(missed), ratio(alarm));
        println!("{name}: recall {recall:.3} precision {precision:.3}\n{}", notes.join("\n"));
        let floors = floors();
        let floor = |key: &str| {
            floors
                .get(&name)
                .and_then(|t| t.get(key))
                .and_then(toml::Value::as_float)
                .unwrap_or(0.0)
        };
        if recall < floor("recall") || precision < floor("precision") {
            faults.push(format!(
                "{name}: recall {recall:.3} precision {precision:.3} is below fixtures/corpus.toml"
            ));
        }
    }
    assert!(sets > 0, "{}: no `<name>.jsonl` beside a folder `<name>`", corpus.display());
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}
