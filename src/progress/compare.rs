//! Two ledgers to what changed between them, in words a reviewer can read.
//!
//! Lines and order of findings are no change: code moves.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::ledger::{Ledger, Open, Row, Status};

/// Which way a row went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Its status or stage fell.
    Regressed,
    /// It has new errors or warnings at the same status.
    Worse,
    /// It is new.
    Added,
    /// It is no longer there.
    Removed,
    /// It is done now.
    Finished,
    /// Its status or stage rose.
    Advanced,
    /// It has fewer errors or warnings at the same status.
    Better,
    /// Something else of it changed.
    Changed,
}

impl Kind {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Regressed => "regressed",
            Kind::Worse => "worse",
            Kind::Added => "added",
            Kind::Removed => "removed",
            Kind::Finished => "finished",
            Kind::Advanced => "advanced",
            Kind::Better => "better",
            Kind::Changed => "changed",
        }
    }

    /// Whether something fell back.
    pub fn falls(self) -> bool {
        matches!(self, Kind::Regressed | Kind::Worse)
    }
}

/// What changed in one row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The row's name.
    pub name: String,
    /// The row's kind.
    pub what: String,
    /// Which way it went.
    pub kind: Kind,
    /// Status or stage before.
    pub from: Option<String>,
    /// Status or stage now.
    pub to: Option<String>,
    /// The single changes.
    pub details: Vec<String>,
}

/// What changed, falls first, then by name.
pub fn compare(before: &Ledger, after: &Ledger) -> Vec<Change> {
    let keyed = |ledger: &'_ Ledger| -> BTreeMap<(String, String), usize> {
        let rows = ledger.rows.iter().enumerate();
        rows.map(|(at, row)| ((row.name.clone(), row.kind.clone()), at)).collect()
    };
    let (old, new) = (keyed(before), keyed(after));
    let stages = if after.staged() { &after.stages } else { &before.stages };
    let names: BTreeSet<&(String, String)> = old.keys().chain(new.keys()).collect();
    let mut changes = Vec::new();
    for key in names {
        let was = old.get(key).map(|at| &before.rows[*at]);
        let is = new.get(key).map(|at| &after.rows[*at]);
        let change = match (was, is) {
            (Some(was), Some(is)) if was == is => None,
            (Some(was), Some(is)) => both(was, is, stages),
            (None, Some(is)) => Some(one(is, Kind::Added)),
            (Some(was), None) => Some(one(was, Kind::Removed)),
            (None, None) => None,
        };
        changes.extend(change);
    }
    changes.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
    changes
}

fn one(row: &Row, kind: Kind) -> Change {
    let place = row.emitters.first().map(|p| format!("{}:{}", p.path, p.line));
    let (from, to) = match kind {
        Kind::Added => (None, Some(standing(row))),
        _ => (Some(standing(row)), None),
    };
    let mut details = vec![format!("built by {}", row.built)];
    details.extend(counts(row));
    details.extend(place.filter(|_| kind == Kind::Added));
    Change { name: row.name.clone(), what: row.kind.clone(), kind, from, to, details }
}

/// How far a row has come, in a word: its stage where it has one.
fn standing(row: &Row) -> String {
    match &row.stage {
        Some(stage) => format!("{stage} ({})", row.status.word()),
        None => row.status.word().to_string(),
    }
}

fn counts(row: &Row) -> Option<String> {
    let named = |level: &str| {
        let count = row.count(level);
        let plural = if count == 1 { "" } else { "s" };
        format!("{count} {level}{plural}")
    };
    let any = row.count("error") + row.count("warning") > 0;
    any.then(|| format!("{}, {}", named("error"), named("warning")))
}

fn both(was: &Row, is: &Row, stages: &[String]) -> Option<Change> {
    let mut details = Vec::new();
    word("built by", &was.built, &is.built, &mut details);
    sets("missing", &was.missing, &is.missing, &mut details);
    sets("old names", &was.old_names, &is.old_names, &mut details);
    sets("clamps", &was.clamps, &is.clamps, &mut details);
    sets("leaks", &was.leaks, &is.leaks, &mut details);
    let text = |o: &Option<String>| o.clone().unwrap_or_else(|| "-".to_string());
    word("family", &text(&was.family), &text(&is.family), &mut details);
    word("pagination", &text(&was.pagination), &text(&is.pagination), &mut details);
    word("resumable", resumable(was), resumable(is), &mut details);
    for (before, after) in was.acceptance.iter().zip(&is.acceptance) {
        let name = format!("acceptance {}", before.item);
        word(&name, &before.verdict, &after.verdict, &mut details);
    }
    let (gone, come) = (weighty(was, is), weighty(is, was));
    for (sign, list) in [("fixed", &gone), ("new", &come)] {
        details.extend(list.iter().map(|(rule, count)| match count {
            1 => format!("{sign} {rule}"),
            count => format!("{sign} {rule} ({count})"),
        }));
    }
    let rank = |row: &Row| {
        let stage = row.stage.as_ref().and_then(|s| stages.iter().position(|known| known == s));
        (stage, row.status)
    };
    let ((stage, status), (new_stage, new_status)) = (rank(was), rank(is));
    let kind = if new_stage < stage || new_status < status && status != Status::Excepted {
        Kind::Regressed
    } else if new_status == Status::Done && status != Status::Done {
        Kind::Finished
    } else if new_stage > stage || new_status > status {
        Kind::Advanced
    } else if come.iter().map(|(_, n)| n).sum::<usize>() > gone.iter().map(|(_, n)| n).sum() {
        Kind::Worse
    } else if !gone.is_empty() {
        Kind::Better
    } else {
        Kind::Changed
    };
    if details.is_empty() && kind == Kind::Changed {
        return None;
    }
    let (from, to) = (Some(standing(was)), Some(standing(is)));
    Some(Change { name: is.name.clone(), what: is.kind.clone(), kind, from, to, details })
}

fn resumable(row: &Row) -> &'static str {
    match row.resumable {
        Some(true) => "yes",
        Some(false) => "no",
        None => "-",
    }
}

fn word(name: &str, was: &str, is: &str, details: &mut Vec<String>) {
    if was != is {
        details.push(format!("{name} {was} → {is}"));
    }
}

fn sets(name: &str, was: &[String], is: &[String], details: &mut Vec<String>) {
    let signed = |sign: &str, from: &[String], other: &[String]| -> Vec<String> {
        let only = from.iter().filter(|item| !other.contains(item));
        only.map(|item| format!("{sign}{item}")).collect()
    };
    let mut parts = signed("−", was, is);
    parts.extend(signed("+", is, was));
    if !parts.is_empty() {
        details.push(format!("{name} {}", parts.join(" ")));
    }
}

/// Errors and warnings of one row that the other lacks, counted by rule.
fn weighty(of: &Row, other: &Row) -> Vec<(String, usize)> {
    let count = |row: &Row| {
        let mut rules: BTreeMap<String, usize> = BTreeMap::new();
        let weighty = |finding: &&Open| finding.level == "error" || finding.level == "warning";
        for finding in row.findings.iter().filter(weighty) {
            *rules.entry(finding.rule.clone()).or_default() += 1;
        }
        rules
    };
    let (own, theirs) = (count(of), count(other));
    let more = own.into_iter().map(|(rule, n)| {
        let known = theirs.get(&rule).copied().unwrap_or(0);
        (rule, n.saturating_sub(known))
    });
    more.filter(|(_, n)| *n > 0).collect()
}
