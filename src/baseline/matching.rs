//! Two sets of findings to pairs that are the same finding, across moves and renames.
//!
//! Knows no text: a finding that is fixed here and made anew there must not pass for a move,
//! so a name may change only where the old one is gone.

use std::collections::{BTreeMap, BTreeSet};

use super::Entry;

/// Whether there is a function of this name in the file of this path; with an empty name,
/// whether there is the file.
pub type Alive<'a> = dyn Fn(&str, &str) -> bool + 'a;

/// What may differ between two findings that are the same.
struct Pass {
    path: bool,
    function: bool,
    commands: bool,
}

/// From the surest to the boldest. The object and the field never differ: an object that
/// comes before another is another object.
const PASSES: [Pass; 7] = [
    Pass { path: false, function: false, commands: false },
    Pass { path: false, function: false, commands: true },
    Pass { path: true, function: false, commands: false },
    Pass { path: false, function: true, commands: false },
    Pass { path: true, function: false, commands: true },
    Pass { path: true, function: true, commands: false },
    Pass { path: false, function: true, commands: true },
];

/// For each finding of now the index of the known one that it is. `before` tells which
/// functions there were, if that is known: a finding in one of them did not move there.
pub fn matching(
    known: &[Entry],
    now: &[Entry],
    alive: &Alive<'_>,
    before: Option<&Alive<'_>>,
) -> Vec<Option<usize>> {
    let mut pairs: Vec<Option<usize>> = vec![None; now.len()];
    let mut taken = vec![false; known.len()];
    let gone: Vec<bool> = known.iter().map(|entry| !alive(&entry.path, &entry.function)).collect();
    for pass in &PASSES {
        let moves = pass.path || pass.function;
        // A function in which something is known already is not the new place of another.
        let settled: BTreeSet<(&str, &str)> = now
            .iter()
            .zip(&pairs)
            .filter(|(_, pair)| pair.is_some_and(|index| !gone[index]))
            .map(|(entry, _)| (entry.path.as_str(), entry.function.as_str()))
            .collect();
        let mut open: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (index, entry) in known.iter().enumerate() {
            if !taken[index] && (!moves || gone[index]) && pass.tells(entry) {
                open.entry(pass.key(entry)).or_default().push(index);
            }
        }
        // Each list is taken from its end, so the first ordinals go first.
        open.values_mut().for_each(|list| list.reverse());
        for (entry, pair) in now.iter().zip(pairs.iter_mut()) {
            let place = (entry.path.as_str(), entry.function.as_str());
            let old = before.is_some_and(|before| before(place.0, place.1));
            if pair.is_some() || moves && (settled.contains(&place) || old) {
                continue;
            }
            if let Some(index) = open.get_mut(&pass.key(entry)).and_then(Vec::pop) {
                taken[index] = true;
                *pair = Some(index);
            }
        }
    }
    pairs
}

type Key<'a> = (&'a str, Option<&'a str>, Option<&'a str>, Option<&'a [String]>, u32, &'a str);

impl Pass {
    fn key<'a>(&self, entry: &'a Entry) -> Key<'a> {
        (
            &entry.rule,
            (!self.path).then_some(entry.path.as_str()),
            (!self.function).then_some(entry.function.as_str()),
            (!self.commands).then_some(entry.commands.as_slice()),
            entry.object,
            &entry.field,
        )
    }

    /// Whether what is left of an entry says enough to know it by.
    fn tells(&self, entry: &Entry) -> bool {
        let function = !self.function && !entry.function.is_empty();
        let commands = !self.commands && !entry.commands.is_empty();
        !self.path || function || commands
    }
}
