//! Function values, carried out of the session that made them, as they are when they are taken.
//!
//! Runs nothing, and does not know what they are for.

use super::capture::{capture, Captured};
use super::commands::BoundArgs;
use super::drive::function_of;
use super::formula::F;
use super::session::Session;
use super::value::{FunctionId, V};

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
