//! What a run found of one tool or command to its row.
//!
//! Asks findings and shapes; knows no owner, no plan and no day.

use std::collections::{BTreeMap, BTreeSet};

use super::ledger::{Criterion, Open, Place, Row, Status};
use crate::report::{BuiltBy, CommandRow, Emitter, EmitterKind, Finding, ShapeRow};
use crate::text::{FileId, LineIndex, Sources, Span};

/// Turns spans into paths and lines, indexing each file once.
pub struct Lines<'a> {
    sources: &'a Sources,
    indexes: BTreeMap<FileId, LineIndex>,
}

impl<'a> Lines<'a> {
    /// Nothing indexed yet.
    pub fn new(sources: &'a Sources) -> Self {
        Lines { sources, indexes: BTreeMap::new() }
    }

    fn place(&mut self, span: Span) -> (String, u32) {
        let source = self.sources.get(span.file);
        let index = self.indexes.entry(span.file).or_insert_with(|| LineIndex::new(&source.text));
        (source.path.clone(), index.line(span.start) + 1)
    }
}

/// The row of a tool, command or function, before it is measured against anything.
pub fn new_row(
    shape: &ShapeRow,
    command: Option<&CommandRow>,
    findings: &[Finding],
    lines: &mut Lines<'_>,
) -> Row {
    let concerns = |finding: &&Finding| {
        let function = || shape.kind == EmitterKind::Function && finding.commands.is_empty();
        finding.commands.contains(&shape.name)
            || function() && finding.function.as_deref() == Some(shape.name.as_str())
    };
    let own: Vec<&Finding> = findings.iter().filter(concerns).collect();
    let fields = |rules: &[&str]| -> Vec<String> {
        let named = own.iter().filter(|f| rules.contains(&f.rule)).filter_map(|f| f.field.clone());
        named.collect::<BTreeSet<String>>().into_iter().collect()
    };
    let pages: Vec<&Emitter> = {
        let paging = shape.emitters.iter().filter(|e| e.built_by != BuiltBy::None);
        let paging: Vec<&Emitter> = paging.collect();
        if paging.is_empty() {
            shape.emitters.iter().collect()
        } else {
            paging
        }
    };
    let mut emitters: Vec<Place> = pages.iter().map(|emitter| place(emitter, lines)).collect();
    if let (true, Some(command)) = (emitters.is_empty(), command) {
        let (path, line) = lines.place(command.span);
        emitters.push(Place {
            path,
            line,
            function: None,
            built: "none".into(),
            shape: String::new(),
        });
    }
    let stage = command.and_then(|c| c.stage.clone()).or_else(|| shape.stage.clone());
    let masked = own.iter().filter(|f| f.rule == "masked-inconsistency").count();
    let is_command = shape.kind == EmitterKind::Command;
    let product = shape.name.split([' ', '.']).next().unwrap_or_default().to_string();
    Row {
        name: shape.name.clone(),
        kind: shape.kind.word().to_string(),
        product,
        owners: Vec::new(),
        status: Status::Open,
        emitters,
        family: shape.family.clone(),
        resumable: shape.resumable,
        cursor_less: false,
        built: built(&pages).to_string(),
        missing: missing(&own),
        old_names: fields(&["legacy-field"]),
        clamps: clamps(&own, &pages),
        stage,
        expected_stage: None,
        behind: false,
        pagination: command.and_then(|c| c.pagination.clone()),
        leaks: fields(&["raw-pagination-in-data", "upstream-passthrough"]),
        masked,
        acceptance: if is_command { acceptance(command, &pages, &own) } else { Vec::new() },
        exceptions: Vec::new(),
        findings: own.iter().map(|finding| open(finding, lines)).collect(),
    }
}

fn place(emitter: &Emitter, lines: &mut Lines<'_>) -> Place {
    let (path, line) = lines.place(emitter.span);
    Place {
        path,
        line,
        function: emitter.function.clone(),
        built: emitter.built_by.word().to_string(),
        shape: emitter.shape.clone(),
    }
}

fn open(finding: &Finding, lines: &mut Lines<'_>) -> Open {
    let (path, line) = lines.place(finding.primary);
    Open {
        rule: finding.rule.to_string(),
        level: finding.level.word().to_string(),
        path,
        line,
        message: finding.message.clone(),
        fingerprint: finding.fingerprint.clone(),
    }
}

/// One word for all emitters of a row.
fn built(emitters: &[&Emitter]) -> &'static str {
    let kinds: BTreeSet<&str> = emitters.iter().map(|e| e.built_by.word()).collect();
    match kinds.iter().next() {
        None => "none",
        Some(_) if kinds.contains("mixed") => "partly",
        Some(_) if kinds.len() > 1 && kinds.contains("builder") => "partly",
        Some(_) if kinds.contains("hand") => "hand",
        Some(_) if kinds.contains("upstream") => "upstream",
        Some(only) if *only == "builder" => "builder",
        Some(_) => "none",
    }
}

/// The fields that some finding says are not there. Messages put field names in backticks.
fn missing(findings: &[&Finding]) -> Vec<String> {
    let mut fields = BTreeSet::new();
    for finding in findings {
        match finding.rule {
            "missing-invariant" => {
                fields.extend(finding.message.split('`').skip(1).step_by(2).map(String::from));
            }
            "missing-resume-field" | "missing-navigation-hint" => {
                fields.extend(finding.field.clone())
            }
            _ => {}
        }
    }
    fields.into_iter().collect()
}

fn clamps(findings: &[&Finding], emitters: &[&Emitter]) -> Vec<String> {
    let mut clamps = BTreeSet::new();
    for finding in findings {
        let field = finding.field.as_deref().unwrap_or("window");
        match finding.rule {
            "undisclosed-clamp" => clamps.insert(format!("{field} undisclosed")),
            "rejected-over-max" => clamps.insert(format!("{field} rejected")),
            _ => false,
        };
    }
    if emitters.iter().any(|e| e.shape.contains("limit_clamped")) {
        clamps.insert("disclosed".to_string());
    }
    clamps.into_iter().collect()
}

/// The nine items of the plan, as far as source can tell.
fn acceptance(
    command: Option<&CommandRow>,
    emitters: &[&Emitter],
    findings: &[&Finding],
) -> Vec<Criterion> {
    let broken = |rules: &[&str]| findings.iter().any(|f| rules.contains(&f.rule));
    let understood = !emitters.is_empty();
    let declared = command.is_some_and(|c| c.pagination.is_some());
    // The plan asks its items of commands that page, and a command that declares nothing is not
    // known to, even if what it shares with others could send a page.
    let emits_meta = declared && command.and_then(|c| c.emits_meta).unwrap_or(false);
    let parameters = command.is_some_and(|c| c.parameters_known);
    let schema = command.is_some_and(|c| c.schema_known == Some(true));
    let items: [(u8, &[&str], bool); 9] = [
        (1, &["unpaired-page-state", "undelivered-pagination"], emits_meta),
        (2, &["unpaired-page-state", "undelivered-pagination"], emits_meta),
        (3, &["masked-inconsistency", "untyped-inconsistency"], emits_meta),
        (4, &["unknown-cursor-parameter"], declared && parameters),
        (5, &["variant-mismatch"], false),
        (6, &["pagination-in-data-schema"], schema),
        (7, &["raw-pagination-in-data", "upstream-passthrough"], understood),
        (8, &["second-upstream-call"], understood),
        // The evaluation ledger is kept by people.
        (9, &[], false),
    ];
    let verdicts = items.into_iter().map(|(item, rules, decidable)| {
        let verdict = match (broken(rules), decidable) {
            (true, _) => "not met",
            (false, true) => "met",
            (false, false) => "not decidable here",
        };
        Criterion { item, verdict: verdict.to_string() }
    });
    verdicts.collect()
}
