//! Runs the arms of a dispatcher one by one, each on a heap of its own.
//!
//! Must not know what an arm sends.

use rustc_hash::FxHashSet;

use super::capture::Captured;
use super::drive::{start, Ran, Spare, LIMITS};
use super::schedule::Results;
use super::session::{Limits, Session};
use super::value::FunctionId;
use crate::ir::Name;

/// Most arms of a dispatcher that are run apart.
const MAX_ARMS: usize = 400;

/// How many times the work of one run all arms of a dispatcher may take together.
const MAX_ARMS_WORK: u64 = 4;

/// The arms of a dispatcher, each once, as far as they are not too many.
pub(super) fn told_apart(mut arms: Vec<Name>) -> Vec<Name> {
    let mut once = FxHashSet::default();
    arms.retain(|arm| once.insert(arm.clone()));
    arms.truncate(MAX_ARMS);
    arms
}

/// Runs each arm of a dispatcher in a session of its own, unless that is no less work than the
/// `whole`.
pub(super) fn run_arms<'p>(
    whole: Ran<'p>,
    (id, results): (FunctionId, Results),
    arms: Vec<Name>,
    (spare, work): (&Spare, u64),
    visit: &mut dyn FnMut(&mut Ran<'p>),
) {
    let mut left = work.saturating_mul(MAX_ARMS_WORK);
    let Session { index, pack, relevance, .. } = whole.session;
    let mut whole = Some(whole);
    for arm in arms {
        let limits = Limits { work: left.min(work), ..LIMITS };
        let mut session = Session::new(index, pack, relevance, limits, spare.take());
        session.stage = pack.stages.first().map(|s| Name::new(&s.name));
        session.only_arm = Some(arm);
        let mut roots = Vec::new();
        start(&mut session, &mut roots, None, results, id, &Captured::default());
        if let Some(mut whole) = whole.take_if(|_| roots[0].exhausted) {
            return visit(&mut whole);
        }
        whole = None;
        left = left.saturating_sub(session.store.values.forms.work.done());
        let mut ran = Ran { session, roots, declared: Vec::new() };
        visit(&mut ran);
        spare.give(ran.session.store.values);
    }
}
