//! Where a program tells what it would ask the service instead of asking it: what it sends
//! there is no response.
//!
//! Knows the calls that the pack names, and the name of a dry run itself.

use super::formula::F;
use super::session::Session;
use crate::ir::{BinaryOp, Name, Value, ValueKind};
use crate::pack::folded;

/// Most tests that are kept.
const MAX_TESTS: usize = 32;

/// Conditions under which a dry run is asked for.
#[derive(Debug, Default)]
pub struct DryRuns {
    /// The one that calls of the pack stand for, once such a call was seen.
    pub asked: Option<F>,
    /// Those of branches that name a dry run.
    tests: Vec<F>,
}

impl DryRuns {
    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = F> + '_ {
        self.asked.into_iter().chain(self.tests.iter().copied())
    }
}

impl Session<'_> {
    /// Takes down that a branch asks for a dry run, by the name of what it asks.
    pub(super) fn note_dry_run(&mut self, condition: &Value, f: F) {
        let known = f == F::TRUE || f == F::FALSE || self.pack.dry_run_guards.is_empty();
        if known || !self.asks_for_dry_run(condition) {
            return;
        }
        let tests = &mut self.seen.dry.tests;
        if tests.len() < MAX_TESTS && !tests.contains(&f) {
            tests.push(f);
        }
    }

    fn asks_for_dry_run(&self, condition: &Value) -> bool {
        match &condition.kind {
            ValueKind::Binary(BinaryOp::And, a, b) => {
                self.asks_for_dry_run(a) || self.asks_for_dry_run(b)
            }
            ValueKind::Local(local) => {
                self.slot_name(local.up, local.slot).is_some_and(|name| is_dry_run(&name))
            }
            ValueKind::Global(name) | ValueKind::Member(_, name, _) => is_dry_run(name),
            ValueKind::Call { callee, .. } => self.asks_for_dry_run(callee),
            _ => false,
        }
    }

    /// `guard` where no dry run is asked for.
    pub(super) fn without_dry_runs(&mut self, guard: F) -> F {
        let tests: Vec<F> = self.seen.dry.all().collect();
        tests.into_iter().fold(guard, |guard, dry| self.store.values.forms.minus(guard, dry))
    }

    /// `guard` where a branch around this place asks for a dry run: a long condition may have
    /// lost that.
    pub(super) fn with_dry_runs(&mut self, guard: F) -> F {
        let mut guard = guard;
        let tests: Vec<F> = self.seen.dry.all().collect();
        for dry in tests {
            if self.tests.iter().any(|(f, _)| self.store.values.forms.implies(*f, dry)) {
                guard = self.store.values.forms.and(guard, dry);
            }
        }
        guard
    }
}

/// Whether a name is that of a dry run: `DryRun`, `commandDryRun`, `is_dry_run`.
fn is_dry_run(name: &Name) -> bool {
    let words = folded(name);
    words == "dryrun" || words == "dry_run" || words.ends_with("_dry_run")
}
