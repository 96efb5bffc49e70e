//! Ledgers of many revisions to what happened when.
//!
//! Reads no repository: revisions and their ledgers are given to it.

use std::sync::Arc;

use super::compare::{compare, Change};
use super::ledger::{Ledger, Status};
use crate::config::Date;

/// One analysed revision.
#[derive(Clone, Debug)]
pub struct Point {
    /// Its full name.
    pub revision: String,
    /// Seconds after 1970-01-01 at which it was committed.
    pub time: i64,
    /// The first line of its message.
    pub subject: String,
    /// Whether it lies on the chain of first parents from the newest.
    pub mainline: bool,
    /// Its first parent, or the nearest analysed one before it, by index; none for the oldest
    /// and where that is the start.
    pub before: Option<usize>,
    /// Its ledger.
    pub ledger: Arc<Ledger>,
}

impl Point {
    /// The revision's short name.
    pub fn short(&self) -> &str {
        self.revision.get(..10).unwrap_or(&self.revision)
    }

    /// The day on which it was committed.
    pub fn date(&self) -> Date {
        Date::from_days(self.time.div_euclid(86_400))
    }
}

/// What one revision changed.
#[derive(Clone, Debug)]
pub struct Event {
    /// The revision, by index.
    pub at: usize,
    /// What it changed, falls first.
    pub changes: Vec<Change>,
}

/// Revisions, oldest first, with what they changed.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The revisions.
    pub points: Vec<Point>,
    /// Those that changed the ledger.
    pub events: Vec<Event>,
}

impl History {
    /// Finds what each revision changed; the first ones are compared with the start, which is
    /// empty for a history that is told from its beginning.
    pub fn new(points: Vec<Point>, start: &Ledger) -> History {
        let mut events = Vec::new();
        for (at, point) in points.iter().enumerate() {
            let before = point.before.map(|i| &points[i].ledger);
            // Most revisions share the ledger of the one before.
            if before.is_some_and(|before| Arc::ptr_eq(before, &point.ledger)) {
                continue;
            }
            let changes = compare(before.map_or(start, |b| b.as_ref()), &point.ledger);
            if !changes.is_empty() {
                events.push(Event { at, changes });
            }
        }
        History { points, events }
    }

    /// Whether stages tell how far the migration is.
    pub fn staged(&self) -> bool {
        self.points.last().is_some_and(|point| point.ledger.staged())
    }

    /// The series of a chart, lowest band first, by the words that name them: stages where
    /// commands declare them, else statuses. What is left to do lies on the ground, so that it
    /// can be seen to burn down.
    pub fn series(&self) -> Vec<String> {
        match self.points.last() {
            Some(last) if last.ledger.staged() => last.ledger.stages.clone(),
            _ => Status::ALL.iter().map(|status| status.word().to_string()).collect(),
        }
    }

    /// How many rows of a ledger belong to each series.
    pub fn counts(&self, ledger: &Ledger, series: &[String]) -> Vec<usize> {
        let staged = self.staged();
        let count = |name: &String| {
            let fits = |row: &&super::Row| match (staged, &row.stage) {
                (true, Some(stage)) => stage == name,
                // Before stages were declared, a command sent its old output.
                (true, None) => row.kind == "command" && series.first() == Some(name),
                (false, _) => row.status.word() == name,
            };
            ledger.rows.iter().filter(fits).count()
        };
        series.iter().map(count).collect()
    }
}
