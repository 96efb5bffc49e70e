//! The ledger as one JSON object, for programs. The form is a promise: `version` changes with it.
//!
//! docs/progress.md describes it.

use std::io::{self, Write};

use serde_json::{json, Value};

use super::words::{all_totals, by_stage, total, Total};
use super::Shown;
use crate::progress::history::History;

/// Writes the object and a line end.
pub fn render(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &object(shown))?;
    writeln!(out)
}

/// The object.
pub fn object(shown: &Shown<'_>) -> Value {
    let totals: serde_json::Map<String, Value> = all_totals(shown.ledger)
        .into_iter()
        .map(|(title, totals)| (title.to_string(), totals.iter().map(total_json).collect()))
        .collect();
    let stages: serde_json::Map<String, Value> = by_stage(shown.ledger)
        .into_iter()
        .map(|(stage, n)| (stage.to_string(), json!(n)))
        .collect();
    let mut object = json!({
        "version": 1,
        "date": shown.today,
        "revision": (!shown.revision.is_empty()).then_some(shown.revision),
        "total": total_json(&total(shown.ledger)),
        "totals": totals,
        "stages": stages,
        "rows": shown.ledger.rows,
        "expired": shown.ledger.expired,
    });
    if let Some((since, changes)) = shown.changes {
        object["compare"] = json!({ "since": since, "changes": changes });
    }
    if let Some(history) = shown.history {
        object["history"] = history_json(history);
    }
    object
}

fn total_json(total: &Total<'_>) -> Value {
    let [open, partly, excepted, done] = total.counts;
    json!({
        "name": total.name, "rows": total.all(), "done": done, "partly": partly, "open": open,
        "excepted": excepted, "percent": total.percent(),
    })
}

fn history_json(history: &History) -> Value {
    let series = history.series();
    let revisions: Vec<Value> = history
        .points
        .iter()
        .map(|point| {
            json!({
                "revision": point.revision, "time": point.time, "subject": point.subject,
                "mainline": point.mainline, "counts": history.counts(&point.ledger, &series),
            })
        })
        .collect();
    let events: Vec<Value> = history
        .events
        .iter()
        .map(|event| {
            json!({ "revision": history.points[event.at].revision, "changes": event.changes })
        })
        .collect();
    json!({ "series": series, "revisions": revisions, "events": events })
}
