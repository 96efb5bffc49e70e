//! A function that runs: its variables, the loops around the place at hand, and what was seen.
//!
//! Must not know how a statement or an expression is run.

use rustc_hash::{FxHashMap, FxHashSet};

use super::worlds::{State, Val, Worlds};
use crate::infer::value::FunctionId;
use crate::ir::walk::each_stmt;
use crate::ir::{Function, Name, StmtKind, Value, ValueKind};
use crate::text::{FileId, Span};

/// What a run of one function shows.
pub(super) enum Event {
    /// A walk ends as if at the last page.
    Leaves { head: u32, because: Span, states: Worlds, returns: bool },
    /// A flag that says "last page" of a page that is not.
    Says { at: Span },
    /// A mapper gives no sign of a contradiction.
    Passes { at: Span },
    /// The flag of a page is not taken.
    Discards { at: Span },
}

/// An error that answers a contradiction.
pub(super) struct Made {
    /// The error.
    pub at: Span,
    /// The condition that leads to it.
    pub because: Option<Span>,
    /// Whether it is of the right type.
    pub typed: bool,
    /// The variable that keeps it, if one does.
    pub kept: Option<u16>,
}

/// A loop over pages, as it was run.
pub(super) struct Walk {
    /// First byte of the loop.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
    /// Its head.
    pub head: Span,
    /// The condition inside by which it counts its pages.
    pub limit: Option<Span>,
    /// Whether it hands out, or writes down, that more remains.
    pub told: bool,
    /// Variables that say so.
    pub tellers: FxHashSet<u16>,
    /// Variables that hold where to go on.
    pub cursors: FxHashSet<u16>,
    /// Fields of its variables that keep the cursor of its next round.
    pub kept: FxHashSet<(u16, Name)>,
    /// Whether it hands out where to go on when its limit stops it.
    pub resumes: bool,
}

/// A loop or switch around the statement at hand.
#[derive(Default)]
pub(super) struct Nest {
    pub(super) start: u32,
    /// First byte of its body.
    pub(super) body: u32,
    pub(super) is_loop: bool,
    /// Whether it is no loop over data that is there already.
    pub(super) may_walk: bool,
    pub(super) walk: Option<Walk>,
    pub(super) counters: FxHashSet<u16>,
    /// Whether its body looks at a counter of its own.
    pub(super) limited: bool,
    pub(super) breaks: Option<State>,
    pub(super) goes_on: Option<State>,
}

/// A function that runs.
pub(super) struct Frame<'p> {
    /// Which.
    pub id: FunctionId,
    /// It.
    pub function: &'p Function,
    /// Its file.
    pub file: FileId,
    /// Places of the fields that it writes of its own variables.
    pub fields: FxHashMap<(u16, Name), u16>,
    /// Where each variable is named first.
    pub first: FxHashMap<u16, u32>,
    pub(super) nest: Vec<Nest>,
    /// What it returns, and where.
    pub results: Option<(Vec<Val>, Worlds)>,
    /// Where it ends without an error, and in which states.
    pub ends: Vec<(u32, Worlds)>,
    /// Whether a flag was read.
    pub flag_seen: bool,
    /// Whether a field was read on the way to the place at hand.
    pub touched: bool,
    /// Where flags were read without a look at their type.
    pub reads: Vec<Span>,
    /// Whether it makes the paging half of a result.
    pub maps: bool,
    /// What it shows.
    pub events: Vec<Event>,
    /// The errors that it makes of contradictions.
    pub made: Vec<Made>,
    /// Its walks that have ended.
    pub walks: Vec<Walk>,
}

impl Nest {
    /// First byte of the loop, if it is over pages.
    pub fn walk_start(&self) -> Option<u32> {
        self.walk.as_ref().map(|_| self.start)
    }
}

impl Frame<'_> {
    /// Whether a variable is older than a loop's body.
    pub fn is_outside(&self, slot: u16, body: u32) -> bool {
        self.first.get(&slot).is_some_and(|at| *at < body)
    }

    /// The innermost loop around the place at hand, if it may be one over pages: where it and
    /// where its body begins.
    pub fn innermost(&self) -> Option<(u32, u32)> {
        let innermost = self.nest.iter().rev().find(|n| n.is_loop);
        innermost.filter(|n| n.may_walk).map(|n| (n.start, n.body))
    }

    /// The place of a field of one of its variables.
    pub fn field(&self, base: &Value, name: &Name) -> Option<u16> {
        let ValueKind::Local(local) = &base.kind else { return None };
        self.fields.get(&(local.slot, name.clone())).copied().filter(|_| local.up == 0)
    }

    /// The walk around the place at hand.
    pub fn walk(&mut self) -> Option<&mut Walk> {
        self.nest.iter_mut().rev().find_map(|n| n.walk.as_mut())
    }
}

/// Places behind a function's variables for the fields that it writes of them: a struct that is
/// filled field by field keeps what each was given.
pub(super) fn field_places(function: &Function) -> FxHashMap<(u16, Name), u16> {
    let given = |slot: u16| function.params.iter().any(|p| p.slot == slot);
    let mut places = FxHashMap::default();
    each_stmt(&function.body, &mut |stmt| {
        let StmtKind::Assign { targets, .. } = &stmt.kind else { return };
        for target in targets {
            let ValueKind::Member(base, name, _) = &target.kind else { continue };
            let ValueKind::Local(local) = &base.kind else { continue };
            let next = function.slots.checked_add(places.len() as u16);
            if let (0, false, Some(next)) = (local.up, given(local.slot), next) {
                places.entry((local.slot, name.clone())).or_insert(next);
            }
        }
    });
    places
}

/// A frame for the case that the stack of frames is empty, which no program brings about.
pub(super) fn unreachable_frame(id: FunctionId, function: &Function, file: FileId) -> Frame<'_> {
    Frame {
        id,
        function,
        file,
        fields: FxHashMap::default(),
        first: FxHashMap::default(),
        nest: Vec::new(),
        results: None,
        ends: Vec::new(),
        flag_seen: false,
        touched: false,
        reads: Vec::new(),
        maps: false,
        events: Vec::new(),
        made: Vec::new(),
        walks: Vec::new(),
    }
}
