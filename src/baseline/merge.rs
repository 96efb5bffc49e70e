//! Three baselines to one, for git: what either side has fixed is fixed, what either side has
//! recorded is recorded.
//!
//! Guesses where it must; the caller analyses the merged files to do without.

use std::collections::{BTreeMap, BTreeSet};

use super::{renumber, Baseline, Entry};

/// Merges the changes of two sides since their common base.
pub fn merge(base: &Baseline, ours: &Baseline, theirs: &Baseline) -> Baseline {
    let (old, one, two) = (counts(base), counts(ours), counts(theirs));
    let keys: BTreeSet<&Entry> = old.keys().chain(one.keys()).chain(two.keys()).collect();
    let mut entries = Vec::new();
    for key in keys {
        let of = |side: &BTreeMap<Entry, i64>| side.get(key).copied().unwrap_or(0);
        let count = of(&one) + of(&two) - of(&old);
        entries.extend((0..count).map(|_| key.clone()));
    }
    renumber(&mut entries);
    let mut stages = ours.stages.clone();
    for command in base.stages.keys().chain(theirs.stages.keys()) {
        let of = |side: &Baseline| side.stages.get(command).cloned();
        // Where both sides changed it, ours stays until the next analysis tells.
        if of(ours) == of(base) {
            match of(theirs) {
                Some(stage) => stages.insert(command.clone(), stage),
                None => stages.remove(command),
            };
        }
    }
    Baseline { entries: entries.into_iter().collect(), stages }
}

/// How many findings are alike but for their ordinal.
fn counts(baseline: &Baseline) -> BTreeMap<Entry, i64> {
    let mut counts = BTreeMap::new();
    for entry in &baseline.entries {
        *counts.entry(Entry { ordinal: 0, ..entry.clone() }).or_default() += 1;
    }
    counts
}
