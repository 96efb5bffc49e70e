//! What formats share: words and numbers of the ledger, and text made safe for markup.
//!
//! Knows no format.

use std::collections::BTreeMap;

use crate::progress::ledger::{Ledger, Row, Status};

/// What the plan's acceptance items ask, in its order.
pub const ACCEPTANCE: [&str; 9] = [
    "a page with more behind it says so and carries a token",
    "a last page says so and carries no token",
    "a contradiction becomes a typed failure",
    "the declared cursor flag is there",
    "compact and full schema say the same",
    "the data schema holds no paging field",
    "the data holds no paging field",
    "data and paging state come from one response",
    "the evaluation ledger has it",
];

/// The totals of some rows: how many are done of how many.
pub struct Total<'a> {
    /// What is counted.
    pub name: &'a str,
    /// How many rows have each status, least first.
    pub counts: [usize; 4],
}

impl Total<'_> {
    /// How many rows there are.
    pub fn all(&self) -> usize {
        self.counts.iter().sum()
    }

    /// How many are done.
    pub fn done(&self) -> usize {
        self.counts[Status::Done as usize]
    }

    /// The share that is done, exceptions not counted, in whole percent rounded down: 100 is
    /// reached only when all are done.
    pub fn percent(&self) -> Option<usize> {
        let all = self.all() - self.counts[Status::Excepted as usize];
        (all > 0).then(|| self.done() * 100 / all)
    }
}

/// The total over everything.
pub fn total(ledger: &Ledger) -> Total<'static> {
    Total { name: "all", counts: Ledger::counts(ledger.rows.iter()) }
}

/// Totals by some property of rows, by name; a row may count for several.
pub fn totals<'a>(ledger: &'a Ledger, of: impl Fn(&'a Row) -> Vec<&'a str>) -> Vec<Total<'a>> {
    let mut by: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for row in &ledger.rows {
        for name in of(row) {
            by.entry(name).or_default()[row.status as usize] += 1;
        }
    }
    by.into_iter().map(|(name, counts)| Total { name, counts }).collect()
}

/// The tables of totals that a ledger has, by title.
pub fn all_totals(ledger: &Ledger) -> Vec<(&'static str, Vec<Total<'_>>)> {
    let mut tables = vec![
        ("family", totals(ledger, |row| row.family.as_deref().into_iter().collect())),
        ("product", totals(ledger, |row| vec![row.product.as_str()])),
        ("owner", totals(ledger, |row| row.owners.iter().map(String::as_str).collect())),
    ];
    tables.retain(|(_, totals)| !totals.is_empty());
    tables
}

/// Those tables that tell more than the rows do.
pub fn telling_totals(ledger: &Ledger) -> Vec<(&'static str, Vec<Total<'_>>)> {
    let mut tables = all_totals(ledger);
    tables.retain(|(_, totals)| totals.len() == 1 || totals.iter().any(|total| total.all() > 1));
    tables
}

/// How many rows are in each stage, lowest first.
pub fn by_stage(ledger: &Ledger) -> Vec<(&str, usize)> {
    let count =
        |stage: &str| ledger.rows.iter().filter(|row| row.stage.as_deref() == Some(stage)).count();
    ledger.stages.iter().map(|stage| (stage.as_str(), count(stage))).collect()
}

/// The rows with what asks for attention first: defects, then what has moved, then what nobody
/// has begun; by name within.
pub fn by_urgency(ledger: &Ledger) -> Vec<&Row> {
    let urgency = |row: &&Row| match row.status {
        _ if row.count("error") > 0 => 0,
        _ if row.count("warning") > 0 || row.behind => 1,
        Status::Partly => 2,
        Status::Done | Status::Excepted => 3,
        Status::Open => 4,
    };
    let mut rows: Vec<&Row> = ledger.rows.iter().collect();
    rows.sort_by_key(urgency);
    rows
}

/// What is said of how a row's pages go on.
pub fn resume(row: &Row) -> &'static str {
    match (row.resumable, row.cursor_less) {
        (Some(true), _) => "resumable",
        (Some(false), true) => "cursor-less, agreed",
        (Some(false), false) => "cursor-less",
        (None, _) => "-",
    }
}

/// `2 errors, 1 warning`; `-` for none.
pub fn findings(row: &Row) -> String {
    let named = |level: &str| Some(row.count(level)).filter(|n| *n > 0).map(|n| count_of(n, level));
    let parts: Vec<String> = ["error", "warning", "note"].into_iter().filter_map(named).collect();
    if parts.is_empty() {
        "-".to_string()
    } else {
        parts.join(", ")
    }
}

/// `1 error`, `2 errors`.
pub fn count_of(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}

/// What is left to do or to know, in a line.
pub fn left(row: &Row) -> String {
    let list = |name: &str, items: &[String]| {
        (!items.is_empty()).then(|| format!("{name} {}", items.join(", ")))
    };
    let mut parts: Vec<String> = Vec::new();
    parts.extend(list("lacks", &row.missing));
    parts.extend(list("old", &row.old_names));
    let clamps: Vec<String> = row.clamps.iter().filter(|c| *c != "disclosed").cloned().collect();
    parts.extend(list("clamp", &clamps));
    parts.extend(list("leaks", &row.leaks));
    if row.masked > 0 {
        parts.push(format!("masks {}", count_of(row.masked, "contradiction")));
    }
    if row.behind {
        parts.push(format!("expected {}", row.expected_stage.as_deref().unwrap_or("-")));
    }
    let failed: Vec<String> = row
        .acceptance
        .iter()
        .filter(|c| c.verdict == "not met")
        .map(|c| c.item.to_string())
        .collect();
    parts.extend(list("not met", &failed));
    for exception in &row.exceptions {
        let until = exception.until.as_ref().map(|day| format!(" until {day}")).unwrap_or_default();
        let word = if exception.expired { "expired" } else { "excepted" };
        parts.push(format!("{word}{until}"));
    }
    if parts.is_empty() {
        "-".to_string()
    } else {
        parts.join("; ")
    }
}

/// The acceptance items as signs: `+` met, `x` not met, `.` not decidable here.
pub fn signs(row: &Row) -> String {
    let sign = |verdict: &str| match verdict {
        "met" => '+',
        "not met" => 'x',
        _ => '.',
    };
    row.acceptance.iter().map(|c| sign(&c.verdict)).collect()
}

/// Text inside markup or a double-quoted attribute.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
