//! Which roots are run, in which order, and which side by side.
//!
//! Knows nothing of what a run shows.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::commands::Handler;
use super::drive::{run_root, Ran, Spare};
use super::grounds::Grounds;
use super::relevance::Relevance;
use super::resolve::Index;
use super::value::FunctionId;
use crate::pack::Pack;

/// Where a session begins.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum From {
    /// A function, and what becomes of its result.
    Function(FunctionId, Results),
    /// The declarations of a unit: its variables, then its initialisers.
    Unit(u32),
    /// What a session registered, declared or left as a function value.
    Handler(Shared),
}

/// A handler that several roots may register: told from others by a number first, since what its
/// closure holds can be much.
#[derive(Clone, Debug)]
pub struct Shared {
    hash: u64,
    handler: Arc<Handler>,
}

impl Shared {
    fn new(handler: Handler) -> Self {
        Shared { hash: FxBuildHasher.hash_one(&handler), handler: Arc::new(handler) }
    }
}

impl std::ops::Deref for Shared {
    type Target = Handler;

    fn deref(&self) -> &Handler {
        &self.handler
    }
}

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.handler, &other.handler)
            || self.hash == other.hash && self.handler == other.handler
    }
}

impl Eq for Shared {}

impl Hash for Shared {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hash.hash(state);
    }
}

impl From {
    /// Whether an earlier root went through it: then it is no root of its own.
    fn went_through(&self, visited: &FxHashSet<FunctionId>) -> bool {
        matches!(self, From::Function(id, _) if visited.contains(id))
    }
}

/// What becomes of a root's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Results {
    /// It is sent: a registered handler's.
    Sent,
    /// It is sent, by a handler that tells tools apart by itself.
    Dispatched,
    /// Nothing in the workspace takes it, so it may be sent.
    Guess,
    /// Some code of the workspace takes it.
    Inside,
}

/// Most roots that are run side by side before what they went through is looked at.
const WAVE: usize = 64;

/// Most handlers that are run for the roots of a wave.
const MAX_HANDLERS: usize = 6000;

/// Steps that all roots of a workspace may take, and how many more for each of its functions.
/// Real code takes about a tenth of it.
const MOST_WORK: (u64, u64) = (200_000_000, 50_000);

/// Steps that one root may take at most, and those that are left to each when nothing else is.
const ROOT_WORK: (u64, u64) = (64_000_000, 50_000);

/// Steps that each root may take at first, as long as any are left: few of real code need more.
const FIRST_WORK: u64 = 8_000_000;

/// Most handlers that are run side by side before the steps that they took are counted.
const MANY: usize = 128;

/// Most roots that are run side by side when each may take all that one may.
const FEW: usize = 4;

/// What the run of one root gave.
pub struct RootRun<T> {
    /// The root.
    pub from: From,
    /// The steps that it was allowed, and those that it took.
    pub work: Worked,
    /// The functions that it went through.
    pub went: FxHashSet<FunctionId>,
    /// What it rests on.
    pub grounds: Grounds,
    /// What it registered, declared or left as a function value: roots in their turn.
    pub handlers: Vec<Shared>,
    /// What its sessions gave.
    pub gives: T,
}

/// How much work a run was.
#[derive(Clone, Copy, Debug, Default)]
pub struct Worked {
    allowed: u64,
    took: u64,
    /// What it took at one go: once to run, once to look at what came of it.
    most: u64,
    /// Whether it came down to the arms of a dispatcher, for which the whole was too much.
    arms: bool,
}

impl Worked {
    /// Whether the run took all that it was allowed, and may be allowed more.
    fn wants_more(&self) -> bool {
        self.most > self.allowed && self.allowed < ROOT_WORK.0
    }

    /// Whether a run that may take so many steps is the same.
    fn is_same_within(&self, allowed: u64) -> bool {
        self.allowed == allowed || !self.arms && self.most <= self.allowed.min(allowed)
    }
}

/// The runs of roots, by root.
pub type Runs<T> = FxHashMap<From, Arc<RootRun<T>>>;

/// Runs every root and what it registers; equal handlers are run once. `visit` sees each session
/// when it has ended and adds to what its root gives; a root that `known` has a run of is not run
/// again. Gives the runs that count, in the order of the roots and the same however many threads
/// run, and all runs that were needed to tell.
pub fn run_all<T: Default + Send + Sync>(
    index: &Index<'_>,
    pack: &Pack,
    relevance: &Relevance,
    known: &Runs<T>,
    visit: impl Fn(&mut Ran<'_>, &mut T) + Sync,
) -> (Vec<Arc<RootRun<T>>>, Runs<T>) {
    let parts = index.parts();
    let mut units: Vec<u32> =
        relevance.declaring().iter().map(|(m, _)| index.unit_of(*m)).collect();
    units.sort_unstable();
    units.dedup();
    let own = |ids: &[FunctionId]| -> Vec<FunctionId> {
        ids.iter().copied().filter(|id| !relevance.is_builder(id.module)).collect()
    };
    let guess = |id| From::Function(id, Results::Guess);
    // What only unresolved calls reach is run on its own.
    let inside = |id| match relevance.is_handed_on(id) {
        true => From::Function(id, Results::Guess),
        false => From::Function(id, Results::Inside),
    };
    let units: Vec<From> = units.into_iter().map(From::Unit).collect();
    let uncalled: Vec<From> = own(relevance.uncalled()).into_iter().map(guess).collect();
    let named: Vec<From> = own(relevance.named_only()).into_iter().map(inside).collect();
    let spare = Spare::default();
    let run = |from: &From, allowed: u64| match known.get(from) {
        Some(known) if known.work.is_same_within(allowed) => known.clone(),
        Some(_) | None => {
            let index = Index::made_of(parts);
            let (mut went, mut gives) = (FxHashSet::default(), T::default());
            let mut work = Worked { allowed, ..Worked::default() };
            let root = (from, allowed);
            let handlers = run_root(&index, pack, relevance, &spare, root, &mut |ran| {
                went.extend(ran.session.seen.visited.iter().copied());
                visit(ran, &mut gives);
                let counted = &ran.session.store.values.forms.work;
                work.took += counted.done();
                work.most = work.most.max(counted.most());
                work.arms |= ran.session.only_arm.is_some();
            });
            let handlers = handlers.into_iter().rev().map(Shared::new).collect();
            let grounds = index.grounds();
            Arc::new(RootRun { from: from.clone(), work, went, grounds, handlers, gives })
        }
    };
    let functions: usize = index.program.modules.iter().map(|m| m.functions.len()).sum();
    let mut done = Done { left: MOST_WORK.0 + MOST_WORK.1 * functions as u64, ..Done::default() };
    for (roots, most) in [(units, WAVE), (uncalled, WAVE), (named, WAVE / 8)] {
        let mut left = roots.as_slice();
        while !left.is_empty() {
            let wave = next_wave(&mut left, &done.visited, most);
            let ran = done.run(&wave, run);
            done.run_handlers(&ran, run);
            for one in ran {
                if !one.from.went_through(&done.visited) {
                    done.give(one);
                }
            }
        }
    }
    (done.given, done.runs)
}

/// The next roots that no earlier one went through.
fn next_wave(left: &mut &[From], visited: &FxHashSet<FunctionId>, most: usize) -> Vec<From> {
    let mut wave = Vec::new();
    while let [first, rest @ ..] = *left {
        wave.extend((!first.went_through(visited)).then(|| first.clone()));
        *left = rest;
        if wave.len() == most {
            break;
        }
    }
    wave
}

/// What was run so far.
struct Done<T> {
    /// All runs.
    runs: Runs<T>,
    /// Those that count, in order.
    given: Vec<Arc<RootRun<T>>>,
    /// The handlers among them.
    counted: FxHashSet<Shared>,
    /// The functions that they went through.
    visited: FxHashSet<FunctionId>,
    /// Steps that may still be taken.
    left: u64,
}

impl<T> Default for Done<T> {
    fn default() -> Self {
        Done {
            runs: FxHashMap::default(),
            given: Vec::new(),
            counted: FxHashSet::default(),
            visited: FxHashSet::default(),
            left: 0,
        }
    }
}

impl<T: Send + Sync> Done<T> {
    /// Runs roots side by side. What is left of the work is shared out before each wave, so that
    /// no number of roots, and no order of threads, takes more or other.
    fn run(
        &mut self,
        roots: &[From],
        run: impl Fn(&From, u64) -> Arc<RootRun<T>> + Sync,
    ) -> Vec<Arc<RootRun<T>>> {
        let mut all = Vec::with_capacity(roots.len());
        for wave in roots.chunks(MANY) {
            let share = match self.left {
                0 => 0,
                left => FIRST_WORK.max(left / wave.len() as u64),
            };
            let mut ran = self.run_within(wave.iter().collect(), share, &run);
            // One that takes more than its share may have what the others leave.
            let cut: Vec<usize> = (0..ran.len()).filter(|at| ran[*at].work.wants_more()).collect();
            for few in cut.chunks(FEW) {
                if self.left < ROOT_WORK.0 {
                    break;
                }
                let again = few.iter().map(|at| &wave[*at]).collect();
                let again = self.run_within(again, ROOT_WORK.0, &run);
                few.iter().zip(again).for_each(|(at, one)| ran[*at] = one);
            }
            all.extend(ran);
        }
        all
    }

    /// Runs a few roots side by side, each within a number of steps.
    fn run_within(
        &mut self,
        roots: Vec<&From>,
        allowed: u64,
        run: &(impl Fn(&From, u64) -> Arc<RootRun<T>> + Sync),
    ) -> Vec<Arc<RootRun<T>>> {
        let allowed = allowed.clamp(ROOT_WORK.1, ROOT_WORK.0);
        let ran: Vec<_> = roots.into_par_iter().map(|from| run(from, allowed)).collect();
        let took: u64 = ran.iter().map(|one| one.work.took).sum();
        self.left = self.left.saturating_sub(took);
        ran
    }

    /// Runs what the roots of a wave register, and what that registers. Closures that nothing
    /// names come when all others are done: most were called by then.
    fn run_handlers(
        &mut self,
        wave: &[Arc<RootRun<T>>],
        run: impl Fn(&From, u64) -> Arc<RootRun<T>> + Sync,
    ) {
        let mut seen = self.visited.clone();
        let mut left = MAX_HANDLERS;
        let mut closures = Vec::new();
        let mut ran: Vec<Arc<RootRun<T>>> = wave.to_vec();
        while left > 0 {
            let mut next = Vec::new();
            for one in ran {
                seen.extend(one.went.iter().copied());
                for handler in &one.handlers {
                    let list = if handler.is_anonymous() { &mut closures } else { &mut next };
                    list.push(handler.clone());
                }
                self.runs.insert(one.from.clone(), one);
            }
            if next.is_empty() {
                next = std::mem::take(&mut closures);
                next.retain(|handler| seen.insert(handler.function));
            }
            let mut batch = FxHashSet::default();
            let mut next: Vec<From> = next.into_iter().map(From::Handler).collect();
            next.retain(|from| !self.runs.contains_key(from) && batch.insert(from.clone()));
            next.truncate(left);
            if next.is_empty() && closures.is_empty() {
                break;
            }
            left -= next.len();
            ran = self.run(&next, &run);
        }
    }

    /// Counts the run of a root, with what it registered.
    fn give(&mut self, root: Arc<RootRun<T>>) {
        let mut stack = vec![root];
        while let Some(one) = stack.pop() {
            self.visited.extend(one.went.iter().copied());
            for handler in one.handlers.iter().rev() {
                let run = self.runs.get(&From::Handler(handler.clone()));
                stack.extend(run.filter(|_| self.counted.insert(handler.clone())).cloned());
            }
            self.given.push(one);
        }
    }
}
