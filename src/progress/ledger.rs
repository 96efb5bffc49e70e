//! What a run found to the ledger: one row a tool or command, with what is left to do.
//!
//! Decides nothing by itself that a rule could decide: it counts findings and shapes.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::owners::Owners;
use super::rows::{new_row, Lines};
use crate::check::Outcome;
use crate::config::{fits, Date, Plan, FILE_NAME};
use crate::report::{CommandRow, EmitterKind, Level, ShapeRow};
use crate::text::Sources;

/// How far a tool or command has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Nothing of it has moved.
    Open,
    /// Some of it has moved, or a defect is left.
    Partly,
    /// It departs from the contract by agreement.
    Excepted,
    /// It has moved and no error or warning is left.
    Done,
}

impl Status {
    /// All of them, least first.
    pub const ALL: [Status; 4] = [Status::Open, Status::Partly, Status::Excepted, Status::Done];

    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Status::Open => "open",
            Status::Partly => "partly",
            Status::Excepted => "excepted",
            Status::Done => "done",
        }
    }
}

/// One place where a row's object leaves the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Path relative to the workspace root.
    pub path: String,
    /// 1-based line.
    pub line: u32,
    /// The function that makes the object.
    pub function: Option<String>,
    /// Who wrote its paging fields.
    pub built: String,
    /// The object, for reading.
    pub shape: String,
}

/// One open finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Open {
    /// Rule id.
    pub rule: String,
    /// Weight.
    pub level: String,
    /// Path relative to the workspace root.
    pub path: String,
    /// 1-based line.
    pub line: u32,
    /// One sentence.
    pub message: String,
    /// Identity.
    pub fingerprint: String,
}

/// One item of the plan's acceptance list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Criterion {
    /// Its number in the plan.
    pub item: u8,
    /// `met`, `not met` or `not decidable here`.
    pub verdict: String,
}

/// An agreed exception as it stands for a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excepted {
    /// The rule, where it is only about one.
    pub rule: Option<String>,
    /// Why.
    pub reason: String,
    /// The last day on which it holds.
    pub until: Option<String>,
    /// Whether that day has passed.
    pub expired: bool,
}

/// One tool, command or function of the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// `tool`, `command` or `function`.
    pub kind: String,
    /// The first part of its name.
    pub product: String,
    /// Who owns the files that emit it.
    pub owners: Vec<String>,
    /// How far it has come.
    pub status: Status,
    /// Where it emits pages; where it is declared, for a command that emits none.
    pub emitters: Vec<Place>,
    /// The kind of page.
    pub family: Option<String>,
    /// Whether a caller can go on where the page ends.
    pub resumable: Option<bool>,
    /// Whether it may page without a resume field by agreement.
    pub cursor_less: bool,
    /// `builder`, `partly`, `hand`, `upstream` or `none`.
    pub built: String,
    /// Fields that the contract asks for and some path does not send.
    pub missing: Vec<String>,
    /// Old names that it still sends.
    pub old_names: Vec<String>,
    /// How its window parameters are bounded: `disclosed`, or what is wrong with it.
    pub clamps: Vec<String>,
    /// Its stage.
    pub stage: Option<String>,
    /// The stage that it should have reached.
    pub expected_stage: Option<String>,
    /// Whether its stage is below the expected one.
    pub behind: bool,
    /// Its pagination declaration.
    pub pagination: Option<String>,
    /// Raw paging fields that its data carries.
    pub leaks: Vec<String>,
    /// Contradictions of the upstream that it hides.
    pub masked: usize,
    /// The plan's acceptance items; empty for tools.
    pub acceptance: Vec<Criterion>,
    /// Agreed exceptions.
    pub exceptions: Vec<Excepted>,
    /// What rules say of it, agreed exceptions taken away.
    pub findings: Vec<Open>,
}

impl Row {
    /// How many of its findings have a level.
    pub fn count(&self, level: &str) -> usize {
        self.findings.iter().filter(|finding| finding.level == level).count()
    }
}

/// All rows, by name, with what they are measured against.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// The rows.
    pub rows: Vec<Row>,
    /// The stages, lowest first; empty where none is declared.
    pub stages: Vec<String>,
    /// Exceptions whose day has passed.
    pub expired: Vec<Open>,
}

/// What the ledger is measured against.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    /// Who owns what.
    pub owners: &'a Owners,
    /// What the migration is expected to have reached.
    pub plan: &'a Plan,
    /// The day on which exceptions are judged.
    pub today: Date,
}

/// Builds the ledger of a run.
pub fn ledger(outcome: &Outcome, sources: &Sources, terms: &Terms<'_>) -> Ledger {
    unmeasured(outcome, sources).measured(terms)
}

/// The ledger of a run before it is measured against anything.
pub fn unmeasured(outcome: &Outcome, sources: &Sources) -> Ledger {
    let mut lines = Lines::new(sources);
    let commands: BTreeMap<&str, &CommandRow> =
        outcome.commands.iter().map(|row| (row.name.as_str(), row)).collect();
    let shapes = outcome.shapes(sources);
    let staged = outcome.commands.iter().any(|row| row.stage.is_some())
        || shapes.iter().any(|row| row.stage.is_some());
    let mut rows: BTreeMap<(String, &str), Row> = BTreeMap::new();
    for shape in &shapes {
        let command = commands.get(shape.name.as_str()).copied();
        if !shape.paging && command.is_none() && shape.kind != EmitterKind::Command {
            continue;
        }
        let row = new_row(shape, command, &outcome.report.findings, &mut lines);
        rows.insert((row.name.clone(), shape.kind.word()), row);
    }
    for command in &outcome.commands {
        let kind = EmitterKind::Command;
        rows.entry((command.name.clone(), kind.word())).or_insert_with(|| {
            let shape = ShapeRow {
                stage: command.stage.clone(),
                paging: command.paging,
                ..ShapeRow::new(command.name.clone(), kind)
            };
            new_row(&shape, Some(command), &outcome.report.findings, &mut lines)
        });
    }
    let stages = if staged { outcome.stages.clone() } else { Vec::new() };
    Ledger { rows: rows.into_values().collect(), stages, expired: Vec::new() }
}

impl Ledger {
    /// Judges rows by the terms: owners, expected stages, exceptions, and the status that is
    /// left then.
    pub fn measured(mut self, terms: &Terms<'_>) -> Ledger {
        for row in &mut self.rows {
            let owners: BTreeSet<&String> =
                row.emitters.iter().flat_map(|place| terms.owners.of(&place.path)).collect();
            row.owners = owners.into_iter().cloned().collect();
            row.cursor_less = terms.plan.cursor_less(&row.name);
            row.expected_stage = terms.plan.stage(&row.name).map(String::from);
            let rank = |stage: &Option<String>| {
                stage.as_ref().and_then(|s| self.stages.iter().position(|known| known == s))
            };
            row.behind = rank(&row.expected_stage) > rank(&row.stage);
            except(row, terms);
            row.status = status(row, &self.stages);
        }
        for exception in terms.plan.exceptions.iter().filter(|e| e.expired(terms.today)) {
            self.expired.push(Open {
                rule: "expired-exception".to_string(),
                level: Level::Warning.word().to_string(),
                path: FILE_NAME.to_string(),
                line: exception.line,
                message: exception.ended(),
                fingerprint: String::new(),
            });
        }
        self
    }

    /// The distinct products, sorted.
    pub fn products(&self) -> BTreeSet<&str> {
        self.rows.iter().map(|row| row.product.as_str()).collect()
    }

    /// How many rows have each status.
    pub fn counts<'a>(rows: impl Iterator<Item = &'a Row>) -> [usize; 4] {
        let mut counts = [0; 4];
        for row in rows {
            counts[row.status as usize] += 1;
        }
        counts
    }

    /// Whether stages, not statuses, tell how far the migration is.
    pub fn staged(&self) -> bool {
        !self.stages.is_empty()
    }
}

/// Takes agreed exceptions out of a row's findings.
fn except(row: &mut Row, terms: &Terms<'_>) {
    for exception in terms.plan.exceptions.iter().filter(|e| fits(&e.name, &row.name)) {
        let expired = exception.expired(terms.today);
        row.exceptions.push(Excepted {
            rule: exception.rule.clone(),
            reason: exception.reason.clone(),
            until: exception.until.map(|day| day.to_string()),
            expired,
        });
        if let (Some(rule), false) = (&exception.rule, expired) {
            row.findings.retain(|finding| finding.rule != *rule);
        }
    }
    // What a tool may go without is not missing.
    if row.cursor_less {
        row.findings.retain(|finding| finding.rule != "missing-resume-field");
    }
}

fn status(row: &Row, stages: &[String]) -> Status {
    let whole = |e: &Excepted| e.rule.is_none() && !e.expired;
    if row.exceptions.iter().any(whole) {
        return Status::Excepted;
    }
    let defects = row.count("error") + row.count("warning");
    if row.kind == EmitterKind::Command.word() {
        let rank = |stage: &str| stages.iter().position(|known| known == stage);
        let at = row.stage.as_deref().and_then(rank);
        // The first stage is the old output, the second the old one with a check beside it.
        return match at {
            None | Some(0) => Status::Open,
            Some(1) => Status::Partly,
            Some(_) if defects > 0 || row.behind => Status::Partly,
            Some(_) => Status::Done,
        };
    }
    match (row.built.as_str(), defects) {
        ("builder", 0) => Status::Done,
        ("hand" | "upstream", _) => Status::Open,
        ("none", 0) => Status::Done,
        _ => Status::Partly,
    }
}
