//! Loops and switches: how states go round, and where a walk over pages ends.
//!
//! Must not know what an expression says.

use rustc_hash::FxHashSet;

use super::frame::{Event, Nest, Walk};
use super::run::{set, Runner, LOST};
use super::worlds::*;
use crate::ir::walk::each_stmt;
use crate::ir::{
    Arm, BinaryOp, Block, Builtin, LoopKind, Pattern, Range, Stmt, StmtKind, Type, Value, ValueKind,
};
use crate::text::Span;

impl Runner<'_, '_> {
    /// Whether a condition compares a counter of the walk around it and leaves.
    pub(super) fn stops_by_count(&self, condition: &Value, then: &Block) -> bool {
        let leaves =
            then.last().is_some_and(|s| matches!(s.kind, StmtKind::Break(_) | StmtKind::Return(_)));
        let nest = self.frames.last().and_then(|f| f.nest.iter().rev().find(|n| n.is_loop));
        let Some(nest) = nest.filter(|n| leaves && n.walk.is_some()) else { return false };
        let ValueKind::Binary(BinaryOp::Ge | BinaryOp::Gt | BinaryOp::Eq, left, _) =
            &condition.kind
        else {
            return false;
        };
        matches!(&left.kind, ValueKind::Local(l) if l.up == 0 && nest.counters.contains(&l.slot))
    }

    pub(super) fn cycle(
        &mut self,
        stmt: &Stmt,
        kind: &LoopKind,
        body: &Block,
        post: &Block,
        state: &mut State,
    ) {
        let Some(frame) = self.frames.last() else { return };
        let start = stmt.range.start;
        let is_walk = self.walks.contains(&(frame.id, start));
        let walk = is_walk.then(|| Walk {
            start,
            end: stmt.range.end,
            head: head(stmt, kind).in_file(frame.file),
            limit: None,
            told: false,
            tellers: FxHashSet::default(),
            cursors: FxHashSet::default(),
            kept: FxHashSet::default(),
            resumes: false,
        });
        let counters = counters(body, post);
        let mut before = state.clone();
        let mut inner = state.clone();
        if is_walk {
            // Each round has a page of its own.
            self.forget(body, &mut inner);
            inner.reach = state.reach & !RUNNING | RUNNING;
            inner.forced = 0;
        }
        self.enters(kind, is_walk, &mut before, &mut inner);
        let may_walk = may_walk(kind);
        let first = body.first().map_or(start, |s| s.range.start);
        let nest =
            Nest { start, body: first, is_loop: true, may_walk, walk, counters, ..Nest::default() };
        if let Some(frame) = self.frame() {
            frame.nest.push(nest);
        }
        self.block(body, &mut inner);
        let goes_on = self.frame().and_then(|f| f.nest.last_mut()?.goes_on.take());
        if let Some(other) = goes_on {
            inner = inner.meet(other);
        }
        self.block(post, &mut inner);
        let mut after = self.loop_ends(kind, &inner, is_walk);
        let Some(nest) = self.frame().and_then(|f| f.nest.pop()) else { return };
        if let Some(breaks) = nest.breaks {
            after = after.meet(breaks);
        }
        match nest.walk {
            Some(walk) => {
                if let Some(frame) = self.frame() {
                    frame.walks.push(walk);
                }
                *state = after;
            }
            None => {
                let endless = matches!(kind, LoopKind::While(None));
                *state = if endless { after } else { before.meet(after) };
            }
        }
    }

    /// What a loop writes is not known when a round begins.
    fn forget(&self, body: &Block, state: &mut State) {
        let frame = self.frames.last();
        each_stmt(body, &mut |stmt| {
            let StmtKind::Assign { targets, .. } = &stmt.kind else { return };
            for target in targets {
                let place = match &target.kind {
                    ValueKind::Local(l) => Some(l.slot),
                    ValueKind::Member(base, name, _) => frame.and_then(|f| f.field(base, name)),
                    _ => None,
                };
                if let Some(at) = place {
                    set(state, at, Val::unknown());
                }
            }
        });
    }

    /// Where the first round of a loop begins.
    fn enters(&mut self, kind: &LoopKind, is_walk: bool, before: &mut State, inner: &mut State) {
        match kind {
            LoopKind::While(Some(condition)) => {
                let value = self.eval(condition, inner);
                *inner = self.split(condition, &value, inner).0;
                if is_walk {
                    inner.reach = RUNNING;
                }
                inner.forced = 0;
            }
            LoopKind::While(None) => {}
            LoopKind::Each { key, value, over, .. } => {
                let over = self.eval(over, inner);
                let element = Val { parts: None, ..over };
                let keys = Val::new(element.role & (FLAG_KEY | CURSOR_KEY), ALL, ALL);
                if keys.role != 0 {
                    // A list of names is not empty.
                    before.reach = 0;
                }
                for (place, given) in [(key, Val::unknown()), (value, keys)] {
                    if let Some(Value { kind: ValueKind::Local(l), .. }) = place.as_deref() {
                        set(inner, l.slot, given);
                    }
                }
            }
        }
    }

    /// Where a loop ends by its own head.
    pub(super) fn loop_ends(&mut self, kind: &LoopKind, last: &State, is_walk: bool) -> State {
        match kind {
            LoopKind::While(None) => last.dead(),
            LoopKind::While(Some(condition)) => {
                let value = self.eval(condition, last);
                let mut after = self.split(condition, &value, last).1;
                if is_walk {
                    let because = self.span(condition.range);
                    self.leaves_walk(after.forced & !after.failed, because);
                    if self.counts(condition) {
                        let more = last.reach & GOES_ON & value.yes;
                        after.reach = after.reach & !more | stopped(more);
                    }
                }
                after.forced = 0;
                after
            }
            LoopKind::Each { over, .. } => {
                let mut after = last.clone();
                let counted = matches!(&over.kind, ValueKind::Builtin(Builtin::Range, _));
                if is_walk && counted {
                    let more = last.reach & GOES_ON;
                    after.reach = after.reach & !more | stopped(more);
                }
                after
            }
        }
    }

    /// Whether a loop's condition compares a counter.
    pub(super) fn counts(&self, condition: &Value) -> bool {
        let nest = self.frames.last().and_then(|f| f.nest.last()).filter(|n| !n.limited);
        match &condition.kind {
            ValueKind::Binary(BinaryOp::And, a, b) => self.counts(a) || self.counts(b),
            ValueKind::Binary(BinaryOp::Lt | BinaryOp::Le | BinaryOp::Ne, a, _) => matches!(
                &a.kind,
                ValueKind::Local(l) if nest.is_some_and(|n| n.counters.contains(&l.slot))
            ),
            _ => false,
        }
    }

    /// Takes down that the walk around a place ends there.
    pub(super) fn leaves_walk(&mut self, states: Worlds, because: Span) {
        let Some(frame) = self.frame() else { return };
        let walk = frame.nest.iter().rev().find_map(|n| n.walk.as_ref().map(|_| n.start));
        if let (Some(head), true) = (walk, states & LOST != 0) {
            let states = states & LOST;
            frame.events.push(Event::Leaves { head, because, states, returns: false });
        }
    }

    pub(super) fn break_out(&mut self, stmt: &Stmt, n: u8, state: &mut State) {
        let depth = self.frames.last().map_or(0, |f| f.nest.len());
        let target = depth.checked_sub(1 + n as usize);
        let because = state.because.unwrap_or_else(|| self.span(stmt.range));
        let leaves = self
            .frames
            .last()
            .zip(target)
            .is_some_and(|(f, t)| f.nest[t..].iter().any(|n| n.walk.is_some()));
        if leaves {
            self.leaves_walk(state.by_page() & !state.failed, because);
        }
        let here = State { forced: 0, ..state.clone() };
        let nest = self.frame().map(|f| &mut f.nest);
        if let Some(target) = nest.zip(target).and_then(|(nest, t)| nest.get_mut(t)) {
            target.breaks = Some(match target.breaks.take() {
                Some(other) => other.meet(here),
                None => here,
            });
        }
        state.reach = 0;
    }

    pub(super) fn switch(&mut self, subject: Option<&Value>, arms: &[Arm], state: &mut State) {
        let subject = subject.map(|s| self.eval(s, state));
        if let Some(frame) = self.frame() {
            frame.nest.push(Nest::default());
        }
        let mut rest = state.clone();
        let mut after = state.dead();
        let (before, mut any) = (self.touched(), false);
        let is_default = |arm: &&Arm| arm.patterns.iter().any(|p| matches!(p, Pattern::Any(_)));
        let (last, cases): (Vec<&Arm>, Vec<&Arm>) = arms.iter().partition(is_default);
        for arm in cases {
            let mut fits = Val::new(0, 0, ALL);
            let mut bound = None;
            for pattern in &arm.patterns {
                let one = self.fits(subject.as_ref(), pattern, &rest, &mut bound);
                fits.yes |= one.yes;
                fits.no &= one.no;
                fits.role |= one.role;
            }
            let condition = match arm.patterns.first() {
                Some(Pattern::Value(v)) if subject.is_none() => v.clone(),
                _ => Value { kind: ValueKind::Null, range: arm.range },
            };
            let (mut yes, no) = self.split(&condition, &fits, &rest);
            if let Some((slot, value)) = bound {
                set(&mut yes, slot, value);
            }
            self.block(&arm.body, &mut yes);
            any |= self.touch(before);
            after = after.meet(yes);
            rest = no;
        }
        for arm in last {
            self.block(&arm.body, &mut rest);
        }
        self.touch(any | self.touched());
        after = after.meet(rest);
        if let Some(breaks) = self.frame().and_then(|f| f.nest.pop()?.breaks) {
            after = after.meet(breaks);
        }
        *state = after;
    }

    /// Where a pattern of a switch fits.
    pub(super) fn fits(
        &mut self,
        subject: Option<&Val>,
        pattern: &Pattern,
        state: &State,
        bound: &mut Option<(u16, Val)>,
    ) -> Val {
        let about = |yes: Worlds, no: Worlds, s: &Val| Val::new(s.role & PAGING, yes, no);
        match (pattern, subject) {
            (Pattern::Value(v), None) => self.eval(v, state),
            (Pattern::Value(v), Some(s)) => match &v.kind {
                ValueKind::Null => about(s.no, s.yes, s),
                ValueKind::Str(text) if text.is_empty() => about(s.no, s.yes, s),
                ValueKind::Bool(truth) if s.is(FLAG) => match truth {
                    true => about(s.yes, s.no, s),
                    false => about(s.no, s.yes, s),
                },
                _ => Val::unknown(),
            },
            (Pattern::Type(ty, slot), Some(s)) => {
                let is = |name: &str| matches!(ty, Type::Named(None, n) if n == name);
                let (fits, value) = match (s.is(RAW_FLAG), s.is(RAW_CURSOR)) {
                    (true, _) if is("bool") => {
                        (about(MORE | LAST, !(MORE | LAST), s), Val::new(FLAG, MORE, LAST))
                    }
                    (true, _) => (about(ILL_FLAG, ALL, s), Val::unknown()),
                    (_, true) if is("string") => {
                        let text = USABLE | EMPTY;
                        (about(text, !text, s), Val::new(CURSOR, USABLE, EMPTY))
                    }
                    // A number may be a cursor too.
                    (_, true) => {
                        (about(USABLE | ILL_CURSOR, ALL, s), Val::new(CURSOR, USABLE, ILL_CURSOR))
                    }
                    _ => (Val::unknown(), Val { parts: None, ..s.clone() }),
                };
                *bound = slot.map(|slot| (slot, value));
                fits
            }
            _ => Val::unknown(),
        }
    }
}

/// Whether a loop may be one over pages, and not over data that is there already.
fn may_walk(kind: &LoopKind) -> bool {
    match kind {
        LoopKind::While(_) => true,
        LoopKind::Each { over, .. } => matches!(&over.kind, ValueKind::Builtin(Builtin::Range, _)),
    }
}

/// Variables that each round counts up.
fn counters(body: &Block, post: &Block) -> FxHashSet<u16> {
    let mut found = FxHashSet::default();
    for stmt in body.iter().chain(post) {
        if let StmtKind::Assign { targets, value, op: Some(BinaryOp::Add) } = &stmt.kind {
            if let ([Value { kind: ValueKind::Local(l), .. }], ValueKind::Int(1)) =
                (targets.as_slice(), &value.kind)
            {
                found.insert(l.slot);
            }
        }
    }
    found
}

/// The head of a loop.
fn head(stmt: &Stmt, kind: &LoopKind) -> Range {
    let end = match kind {
        LoopKind::While(Some(condition)) => condition.range.end,
        LoopKind::While(None) => stmt.range.start + 3,
        LoopKind::Each { over, .. } => over.range.end,
    };
    Range { start: stmt.range.start, end: end.max(stmt.range.start + 1) }
}
