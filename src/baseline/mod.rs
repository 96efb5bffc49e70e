//! Known findings as a ratchet: which findings are new, and which known ones are gone.
//!
//! Never touches the disk and never counts lines: a finding is known by what it is.

mod file;
mod matching;
mod merge;

use std::collections::{BTreeMap, BTreeSet};

use crate::report::{CommandRow, Confidence, Excuse, Finding, Level, Report, Suppressed};
use crate::text::Sources;

pub use file::{both_sides, BadLine, CONFLICT};
pub use matching::{matching, Alive};
pub use merge::merge;

/// Name of the file.
pub const FILE_NAME: &str = ".pagelint-baseline";

/// What a finding is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Rule id.
    pub rule: String,
    /// Path relative to the directory of the baseline file.
    pub path: String,
    /// The function; empty for none.
    pub function: String,
    /// Tools or commands, sorted.
    pub commands: Vec<String>,
    /// Which response object of the function.
    pub object: u32,
    /// The field; empty for none.
    pub field: String,
    /// Which of the findings that are alike in all of this.
    pub ordinal: u32,
}

/// The known findings, and how far each command has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The findings.
    pub entries: BTreeSet<Entry>,
    /// The stage of each command that declares one.
    pub stages: BTreeMap<String, String>,
}

/// What the baseline is compared with.
pub struct View<'a> {
    /// The files.
    pub sources: &'a Sources,
    /// What stands before a path of the workspace so that it starts at the baseline's place:
    /// empty or `sub/dir/`.
    pub prefix: &'a str,
    /// Which functions there are.
    pub alive: &'a Alive<'a>,
    /// Whether a known finding that was not found again is gone, rather than not looked for.
    pub looked: &'a dyn Fn(&Entry) -> bool,
    /// Whether the whole workspace was looked at, so that a command that is not there is gone.
    pub whole: bool,
    /// What commands declare.
    pub rows: &'a [CommandRow],
    /// All stages, lowest first.
    pub stages: &'a [String],
}

/// How a run differs from the baseline.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    /// Known findings that are gone.
    pub fixed: Vec<Entry>,
    /// Those of `fixed` that are still there, and that a comment in the source allows.
    pub allowed: BTreeSet<Entry>,
    /// The baseline as it could be: without those, and with the others where they are now.
    pub next: Baseline,
}

impl Baseline {
    /// The findings of a report and the stages of its commands.
    pub fn of(findings: &[Finding], view: &View<'_>) -> Baseline {
        let entries = entries(findings.iter(), view.sources, view.prefix).into_iter().collect();
        Baseline { entries, stages: stages(view.rows) }
    }

    /// Moves known findings aside and says what else has changed. A command that fell back to
    /// a lower stage becomes a finding.
    pub fn apply(&self, report: &mut Report, view: &View<'_>) -> Difference {
        let now = entries(report.findings.iter(), view.sources, view.prefix);
        let known: Vec<Entry> = self.entries.iter().cloned().collect();
        let pairs = matching(&known, &now, view.alive, None);
        let mut found = vec![false; known.len()];
        let mut next = Vec::new();
        let findings = std::mem::take(&mut report.findings);
        for ((finding, entry), pair) in findings.into_iter().zip(now).zip(pairs) {
            match pair {
                Some(index) => {
                    found[index] = true;
                    next.push(entry);
                    report.suppressed.push(Suppressed { finding, excuse: Excuse::Baseline });
                }
                None => report.findings.push(finding),
            }
        }
        let mut fixed = Vec::new();
        for (entry, found) in known.into_iter().zip(found) {
            match found {
                true => {}
                false if (view.looked)(&entry) => fixed.push(entry),
                false => next.push(entry),
            }
        }
        let allowed = allowed(&fixed, report, view);
        renumber(&mut next);
        let stages = self.raised(view);
        report.findings.extend(self.regressions(view));
        Difference {
            fixed,
            allowed,
            next: Baseline { entries: next.into_iter().collect(), stages },
        }
    }

    /// The stages as they could be: a command that came further is kept there, one that fell
    /// back stays where it was.
    fn raised(&self, view: &View<'_>) -> BTreeMap<String, String> {
        let mut raised = self.stages.clone();
        if view.whole {
            raised.retain(|command, _| view.rows.iter().any(|row| row.name == *command));
        }
        for (command, stage) in stages(view.rows) {
            let before = raised.get(&command).and_then(|stage| rank(stage, view.stages));
            if rank(&stage, view.stages) >= before {
                raised.insert(command, stage);
            }
        }
        raised
    }

    fn regressions(&self, view: &View<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        for row in view.rows {
            let (Some(stage), Some(before)) = (&row.stage, self.stages.get(&row.name)) else {
                continue;
            };
            let fell = rank(stage, view.stages) < rank(before, view.stages);
            if !fell || !view.sources.get(row.span.file).reported {
                continue;
            }
            findings.push(Finding {
                rule: "stage-regression",
                level: Level::Warning,
                confidence: Confidence::High,
                message: format!("`{}` was at {before} and is at {stage} now", row.name),
                help: Some(
                    "declare the stage again, or record the step back with `pagelint baseline`"
                        .to_string(),
                ),
                primary: row.span,
                labels: Vec::new(),
                function: None,
                commands: vec![row.name.clone()],
                stage: Some(stage.clone()),
                field: None,
                object: 0,
                fingerprint: String::new(),
                fix: None,
            });
        }
        findings
    }
}

/// Those of the known findings that a comment hides now, rather than a change.
fn allowed(gone: &[Entry], report: &Report, view: &View<'_>) -> BTreeSet<Entry> {
    let excused = report.suppressed.iter().filter(|s| s.excuse != Excuse::Baseline);
    let now = entries(excused.map(|s| &s.finding), view.sources, view.prefix);
    let pairs = matching(gone, &now, view.alive, None);
    pairs.into_iter().flatten().map(|index| gone[index].clone()).collect()
}

fn rank(stage: &str, stages: &[String]) -> Option<usize> {
    stages.iter().position(|known| known == stage)
}

fn stages(rows: &[CommandRow]) -> BTreeMap<String, String> {
    let declared = rows.iter().filter_map(|row| Some((row.name.clone(), row.stage.clone()?)));
    declared.collect()
}

/// What each finding is, in the order of the findings.
pub fn entries<'a>(
    findings: impl Iterator<Item = &'a Finding>,
    sources: &Sources,
    prefix: &str,
) -> Vec<Entry> {
    let entry = |finding: &Finding| Entry {
        rule: finding.rule.to_string(),
        path: format!("{prefix}{}", sources.get(finding.primary.file).path),
        function: finding.function.clone().unwrap_or_default(),
        commands: finding.commands.clone(),
        object: finding.object,
        field: finding.field.clone().unwrap_or_default(),
        ordinal: 0,
    };
    let mut entries: Vec<Entry> = findings.map(entry).collect();
    renumber(&mut entries);
    entries
}

/// Counts those that are alike, in their order.
fn renumber(entries: &mut [Entry]) {
    let mut seen: BTreeMap<Entry, u32> = BTreeMap::new();
    for entry in entries {
        entry.ordinal = 0;
        let count = seen.entry(entry.clone()).or_default();
        entry.ordinal = *count;
        *count += 1;
    }
}

#[cfg(test)]
mod tests;
