//! Handlers that wait for a run of their own: in which order they get it, which of them do, and
//! what each takes along.
//!
//! Knows names and functions only; runs nothing.

use rustc_hash::FxHashSet;

use super::capture::{capture, Captured};
use super::commands::{BoundArgs, Handler};
use super::drive::function_of;
use super::formula::F;
use super::session::Session;
use super::value::{FunctionId, V};
use crate::ir::Name;

/// Most handlers of one root that are run.
const MOST: usize = 6000;

type Key = (Option<Name>, FunctionId);

/// The handlers of one root that were found and not run yet.
#[derive(Default)]
pub(super) struct Waiting {
    /// Those that a known call registers or declares, each with the run that it was found in.
    known: Vec<(Handler, Option<usize>)>,
    /// Those that only stand in a table.
    tabled: Vec<(Handler, Option<usize>)>,
    /// Function values of which nothing is known.
    loose: Vec<(Handler, Option<usize>)>,
    /// What was run so far, each with the run that it was found in.
    ran: Vec<(Key, Option<usize>)>,
    done: FxHashSet<Key>,
    /// Functions that any run went through.
    went: FxHashSet<FunctionId>,
    /// Functions that the run of a known handler went through.
    known_went: FxHashSet<FunctionId>,
    /// Whether the last one that was given is known.
    runs_known: bool,
}

impl Waiting {
    /// What the root's own run found, and went through.
    pub(super) fn new(found: Vec<Handler>, went: &FxHashSet<FunctionId>) -> Self {
        let mut waiting = Waiting { went: went.clone(), ..Waiting::default() };
        waiting.add(found);
        waiting
    }

    /// Takes up what the run of the last handler found, and went through.
    pub(super) fn ran(&mut self, found: Vec<Handler>, went: &FxHashSet<FunctionId>) {
        self.went.extend(went.iter().copied());
        if self.runs_known {
            self.known_went.extend(went.iter().copied());
        }
        self.add(found);
    }

    fn add(&mut self, found: Vec<Handler>) {
        let by = self.ran.len().checked_sub(1);
        for handler in found {
            let list = match (handler.guess, is_loose(&handler)) {
                (true, _) => &mut self.tabled,
                (false, true) => &mut self.loose,
                (false, false) => &mut self.known,
            };
            list.push((handler, by));
        }
    }

    /// The next to run: what is known first, so that less is left to guess.
    pub(super) fn next(&mut self) -> Option<Handler> {
        while !self.is_full() {
            let known = self.known.pop();
            self.runs_known = known.is_some();
            let (handler, by) =
                known.or_else(|| self.tabled.pop()).or_else(|| self.loose.pop())?;
            let key = (handler.name.clone(), handler.function);
            let skip = match (handler.guess, is_loose(&handler)) {
                (true, _) => {
                    self.done.contains(&key) || self.known_went.contains(&handler.function)
                }
                (false, true) => self.done.contains(&key) || self.went.contains(&key.1),
                // What registers itself again is the same again.
                (false, false) => self.led_to(by, &key),
            };
            if skip {
                continue;
            }
            self.done.insert(key.clone());
            self.ran.push((key, by));
            return Some(handler);
        }
        None
    }

    /// Whether there is no more room for a run.
    pub(super) fn is_full(&self) -> bool {
        self.ran.len() >= MOST
    }

    /// Whether a run, or one that led to it, was of this handler.
    fn led_to(&self, mut by: Option<usize>, key: &Key) -> bool {
        while let Some(at) = by {
            let (other, before) = &self.ran[at];
            if other == key {
                return true;
            }
            by = *before;
        }
        false
    }
}

/// A function value, carried out of its session.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The function.
    pub function: FunctionId,
    /// What its closure holds.
    pub captured: Captured,
    /// Arguments bound to it.
    pub bound: BoundArgs,
}

/// Takes down the functions that a value may be, as it is now.
pub fn taken(session: &mut Session<'_>, v: V, care: F) -> Vec<Taken> {
    let leaves = session.store.values.leaves(v, care);
    let take = |leaf: V| {
        let (function, frame, this) = function_of(session, leaf)?;
        let captured = capture(session, frame, this);
        Some(Taken { function, captured, bound: BoundArgs::of(session, leaf) })
    };
    leaves.into_iter().filter_map(|(_, leaf)| take(leaf)).collect()
}

/// Whether nothing says what becomes of a handler.
pub(super) fn is_loose(handler: &Handler) -> bool {
    handler.name.is_none() && !handler.command && !handler.dispatches
}
