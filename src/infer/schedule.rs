//! Which roots are run, in which order, and which side by side.
//!
//! Knows nothing of what a run shows.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::drive::{run_root, Ran};
use super::names::Tables;
use super::relevance::Relevance;
use super::resolve::Index;
use super::value::FunctionId;
use crate::ir::Program;
use crate::pack::Pack;

/// Where a session begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum From {
    /// A function, and what becomes of its result.
    Function(FunctionId, Results),
    /// The declarations of a unit: its variables, then its initialisers.
    Unit(u32),
}

impl From {
    /// Whether an earlier root went through it: then it is no root of its own.
    fn went_through(self, visited: &FxHashSet<FunctionId>) -> bool {
        matches!(self, From::Function(id, _) if visited.contains(&id))
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

/// What the run of one root gave.
pub struct RootRun<T> {
    /// The root.
    pub from: From,
    /// The functions that it went through.
    pub went: FxHashSet<FunctionId>,
    /// The modules that were looked into on the way, past their names.
    pub looked_into: Vec<u32>,
    /// What its sessions gave.
    pub gives: T,
}

/// Runs every root; each uncalled function is a session with the handlers that it registers.
/// `visit` sees each session when it has ended and adds to what its root gives; a root that
/// `known` has a run of is not run again. What comes back is in the order of the roots, and the
/// same however many threads run.
pub fn run_all<T: Default + Send + Sync>(
    (program, tables): (&Program, &Tables),
    pack: &Pack,
    relevance: &Relevance,
    known: &FxHashMap<From, Arc<RootRun<T>>>,
    visit: impl Fn(Ran<'_>, &mut T) + Sync,
) -> Vec<Arc<RootRun<T>>> {
    let index = Index::new(program, tables);
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
    let run = |from: &From| match known.get(from) {
        Some(known) => known.clone(),
        None => {
            let index = Index::new(program, tables);
            let (mut went, mut gives) = (FxHashSet::default(), T::default());
            run_root(&index, pack, relevance, *from, &mut |ran| {
                went.extend(ran.session.seen.visited.iter().copied());
                visit(ran, &mut gives);
            });
            Arc::new(RootRun { from: *from, went, looked_into: index.touched(), gives })
        }
    };
    let mut given: Vec<Arc<RootRun<T>>> = Vec::new();
    let mut visited: FxHashSet<FunctionId> = FxHashSet::default();
    for (roots, most) in [(units, WAVE), (uncalled, WAVE), (named, WAVE / 8)] {
        let mut left = roots.as_slice();
        while !left.is_empty() {
            let wave = next_wave(&mut left, &visited, most);
            let ran: Vec<Arc<RootRun<T>>> = wave.par_iter().map(run).collect();
            for one in ran {
                if !one.from.went_through(&visited) {
                    visited.extend(one.went.iter().copied());
                    given.push(one);
                }
            }
        }
    }
    given
}

/// The next roots that no earlier one went through.
fn next_wave(left: &mut &[From], visited: &FxHashSet<FunctionId>, most: usize) -> Vec<From> {
    let mut wave = Vec::new();
    while let [first, rest @ ..] = *left {
        wave.extend((!first.went_through(visited)).then_some(*first));
        *left = rest;
        if wave.len() == most {
            break;
        }
    }
    wave
}
