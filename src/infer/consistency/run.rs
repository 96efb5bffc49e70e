//! Runs a function over the states of one page: which statements are reached in which of them,
//! and what becomes of the contradictory ones.
//!
//! Judges nothing but whether a state gets through as the last page or as an error; never asks
//! which command runs the function.

use rustc_hash::{FxHashMap, FxHashSet};

use super::scan::{each_in_block, Scan};
use super::worlds::*;
use crate::infer::value::FunctionId;
use crate::ir::{
    Arm, BinaryOp, Block, Builtin, Function, LoopKind, Pattern, Range, Stmt, StmtKind, Type,
    UnaryOp, Value, ValueKind,
};
use crate::text::{FileId, Span};

/// Most statements of one root, callees included.
const FUEL: u32 = 20_000;
/// A page that does not say more loses rows in these states.
pub(super) const LOST: Worlds = (STUCK | ILL_FLAG & USABLE) & RUNNING;

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
    /// Whether it hands out where to go on when its limit stops it.
    pub resumes: bool,
}

/// A loop or switch around the statement at hand.
#[derive(Default)]
pub(super) struct Nest {
    start: u32,
    is_loop: bool,
    /// Whether it is no loop over data that is there already.
    may_walk: bool,
    walk: Option<Walk>,
    counters: FxHashSet<u16>,
    /// Whether its body looks at a counter of its own.
    limited: bool,
    breaks: Option<State>,
    goes_on: Option<State>,
}

/// A function that runs.
pub(super) struct Frame<'p> {
    /// Which.
    pub id: FunctionId,
    /// It.
    pub function: &'p Function,
    /// Its file.
    pub file: FileId,
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

/// What a call gave before: the results, and whether a flag was read.
pub(super) type Known = (Val, bool);

/// Runs functions.
pub(super) struct Runner<'s, 'p> {
    /// What is known of names.
    pub scan: &'s Scan<'p>,
    /// Loops over pages.
    pub walks: FxHashSet<(FunctionId, u32)>,
    /// Functions that run now, outermost first.
    pub frames: Vec<Frame<'p>>,
    /// Calls that were followed before.
    pub memo: FxHashMap<(FunctionId, Vec<Val>, Worlds), Known>,
    /// Errors made in functions that were followed with what their caller gave.
    pub inside: Vec<(FunctionId, Made)>,
    /// Steps left.
    pub fuel: u32,
}

impl<'s, 'p> Runner<'s, 'p> {
    /// A runner over a scanned program.
    pub fn new(scan: &'s Scan<'p>) -> Self {
        Runner {
            scan,
            walks: FxHashSet::default(),
            frames: Vec::new(),
            memo: FxHashMap::default(),
            inside: Vec::new(),
            fuel: 0,
        }
    }

    /// Runs a function on its own. Loops are known to walk only when they were run once.
    pub fn root(&mut self, id: FunctionId) -> Frame<'p> {
        let known = self.walks.len();
        self.fuel = FUEL;
        let frame = self.run(id, None, RUNNING);
        if self.walks.len() == known {
            return frame;
        }
        self.fuel = FUEL;
        self.run(id, None, RUNNING)
    }

    /// Runs a function with what its caller gives.
    pub fn run(&mut self, id: FunctionId, given: Option<Vec<Val>>, reach: Worlds) -> Frame<'p> {
        let function = self.scan.function(id);
        let file = self.scan.index.program.files[id.module as usize];
        let mut slots = vec![Val::unknown(); function.slots as usize];
        let mut first = FxHashMap::default();
        for (place, param) in function.params.iter().enumerate() {
            first.insert(param.slot, 0);
            let value = match &given {
                Some(given) if param.variadic => {
                    let rest = given.iter().skip(place);
                    rest.fold(Val::unknown(), |all, v| all.join(ALL, v, ALL))
                }
                Some(given) => given.get(place).cloned().unwrap_or_else(Val::unknown),
                None => Val::unknown(),
            };
            let named = value.role == 0 && value.function.is_none();
            if let Some(slot) = slots.get_mut(param.slot as usize) {
                *slot = if named { self.named(&param.name, &param.ty) } else { value };
            }
        }
        if let Some(receiver) = function.receiver {
            first.insert(receiver, 0);
        }
        each_in_block(&function.body, &mut |v| {
            if let ValueKind::Local(local) = &v.kind {
                if local.up == 0 {
                    let at = first.entry(local.slot).or_insert(v.range.start);
                    *at = v.range.start.min(*at);
                }
            }
        });
        let flag_seen = slots.iter().any(|v| v.is(FLAG | RAW_FLAG));
        let touched = slots.iter().any(|v| v.is(PAGING));
        self.frames.push(Frame {
            id,
            function,
            file,
            first,
            nest: Vec::new(),
            results: None,
            ends: Vec::new(),
            flag_seen,
            touched,
            reads: Vec::new(),
            maps: false,
            events: Vec::new(),
            made: Vec::new(),
            walks: Vec::new(),
        });
        let mut state = State { reach, forced: 0, failed: 0, because: None, slots };
        self.block(&function.body, &mut state);
        let mut frame = match self.frames.pop() {
            Some(frame) => frame,
            None => unreachable_frame(id, function, file),
        };
        frame.ends.push((u32::MAX, state.reach & !state.failed));
        frame
    }

    /// What a parameter of this name and type is about.
    fn named(&self, name: &crate::ir::Name, ty: &Type) -> Val {
        let is = |wanted: &str| matches!(ty, Type::Named(None, n) if n == wanted);
        match self.scan.name_role(name) {
            FLAG if is("bool") => Val::new(FLAG, MORE, LAST),
            CURSOR if is("string") && name.starts_with("next") => Val::new(CURSOR, USABLE, EMPTY),
            _ => Val::unknown(),
        }
    }

    pub(super) fn frame(&mut self) -> Option<&mut Frame<'p>> {
        self.frames.last_mut()
    }

    fn touched(&self) -> bool {
        self.frames.last().is_some_and(|f| f.touched)
    }

    /// Says whether a field was read; gives what was said before.
    fn touch(&mut self, now: bool) -> bool {
        self.frame().is_some_and(|f| std::mem::replace(&mut f.touched, now))
    }

    pub(super) fn span(&self, range: Range) -> Span {
        range.in_file(self.frames.last().map_or(FileId::NOWHERE, |f| f.file))
    }

    pub(super) fn module(&self) -> u32 {
        self.frames.last().map_or(0, |f| f.id.module)
    }

    fn block(&mut self, block: &Block, state: &mut State) {
        for stmt in block {
            if state.reach == 0 || self.fuel == 0 {
                return;
            }
            self.fuel -= 1;
            self.stmt(stmt, state);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, state: &mut State) {
        match &stmt.kind {
            StmtKind::Assign { targets, value, op } => {
                self.assign(stmt, targets, value, op.is_some(), state);
            }
            StmtKind::If { condition, then, otherwise } => {
                let value = self.eval(condition, state);
                let (mut yes, mut no) = self.split(condition, &value, state);
                if self.stops_by_count(condition, then) {
                    let at = self.span(condition.range);
                    let nest =
                        self.frame().and_then(|f| f.nest.iter_mut().rev().find(|n| n.is_loop));
                    if let Some(nest) = nest {
                        nest.limited = true;
                        nest.walk.iter_mut().for_each(|w| w.limit = Some(at));
                    }
                    yes.reach = stopped(state.reach & GOES_ON) | state.reach & !RUNNING;
                }
                let before = self.touched();
                self.block(then, &mut yes);
                let then = self.touch(before);
                self.block(otherwise, &mut no);
                self.touch(then | self.touched());
                *state = yes.meet(no);
            }
            StmtKind::Loop { kind, body, post } => self.cycle(stmt, kind, body, post, state),
            StmtKind::Switch { subject, arms } => self.switch(subject.as_ref(), arms, state),
            StmtKind::Return(values) => {
                self.leave(stmt, values, state);
                state.reach = 0;
            }
            StmtKind::Break(n) => self.break_out(stmt, *n, state),
            StmtKind::Continue(n) => {
                let here = state.clone();
                let nest = self.frame().map(|f| &mut f.nest);
                let target = nest
                    .and_then(|nest| nest.iter_mut().rev().filter(|n| n.is_loop).nth(*n as usize));
                if let Some(target) = target {
                    target.goes_on = Some(match target.goes_on.take() {
                        Some(other) => other.meet(here),
                        None => here,
                    });
                }
                state.reach = 0;
            }
            StmtKind::Eval(value) => {
                self.eval(value, state);
                if is_exit(value) {
                    state.reach = 0;
                }
            }
            StmtKind::Defer(value) => {
                self.eval(value, state);
            }
            StmtKind::Throw(value) => {
                self.made_or(value, state);
                state.reach = 0;
            }
            StmtKind::Try { body, handler, finally, .. } => {
                let before = state.clone();
                self.block(body, state);
                let mut caught = before;
                self.block(handler, &mut caught);
                *state = state.clone().meet(caught);
                self.block(finally, state);
            }
            StmtKind::Opaque(values, blocks) => {
                for value in values {
                    self.eval(value, state);
                }
                for block in blocks {
                    let mut inner = state.clone();
                    self.block(block, &mut inner);
                    *state = state.clone().meet(inner);
                }
            }
        }
    }

    /// The two ways from a condition.
    fn split(&mut self, condition: &Value, value: &Val, state: &State) -> (State, State) {
        let paging = value.is(PAGING);
        let because = match paging {
            true => Some(self.span(condition.range)),
            false => state.because,
        };
        let way = |reach: Worlds, other: Worlds| State {
            reach: state.reach & reach,
            forced: if paging { state.reach & reach & !other } else { 0 },
            because,
            ..state.clone()
        };
        let (mut yes, mut no) = (way(value.yes, value.no), way(value.no, value.yes));
        refine(condition, true, &mut yes);
        refine(condition, false, &mut no);
        (yes, no)
    }

    /// Whether a condition compares a counter of the walk around it and leaves.
    fn stops_by_count(&self, condition: &Value, then: &Block) -> bool {
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

    fn cycle(
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
            resumes: false,
        });
        let counters = counters(body, post);
        let mut before = state.clone();
        let mut inner = state.clone();
        if is_walk {
            // Each round has a page of its own.
            forget(body, &mut inner);
            inner.reach = state.reach & !RUNNING | RUNNING;
            inner.forced = 0;
        }
        match kind {
            LoopKind::While(Some(condition)) => {
                let value = self.eval(condition, &inner);
                inner = self.split(condition, &value, &inner).0;
                if is_walk {
                    inner.reach = RUNNING;
                }
                inner.forced = 0;
            }
            LoopKind::While(None) => {}
            LoopKind::Each { key, value, over, .. } => {
                let over = self.eval(over, &inner);
                let element = Val { parts: None, ..over };
                let keys = Val::new(element.role & (FLAG_KEY | CURSOR_KEY), ALL, ALL);
                if keys.role != 0 {
                    // A list of names is not empty.
                    before.reach = 0;
                }
                for (place, given) in [(key, Val::unknown()), (value, keys)] {
                    if let Some(Value { kind: ValueKind::Local(l), .. }) = place {
                        set(&mut inner, l.slot, given);
                    }
                }
            }
        }
        let may_walk = match kind {
            LoopKind::While(_) => true,
            LoopKind::Each { over, .. } => {
                matches!(&over.kind, ValueKind::Builtin(Builtin::Range, _))
            }
        };
        let nest = Nest { start, is_loop: true, may_walk, walk, counters, ..Nest::default() };
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

    /// Where a loop ends by its own head.
    fn loop_ends(&mut self, kind: &LoopKind, last: &State, is_walk: bool) -> State {
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
    fn counts(&self, condition: &Value) -> bool {
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
    fn leaves_walk(&mut self, states: Worlds, because: Span) {
        let Some(frame) = self.frame() else { return };
        let walk = frame.nest.iter().rev().find_map(|n| n.walk.as_ref().map(|_| n.start));
        if let (Some(head), true) = (walk, states & LOST != 0) {
            let states = states & LOST;
            frame.events.push(Event::Leaves { head, because, states, returns: false });
        }
    }

    fn break_out(&mut self, stmt: &Stmt, n: u8, state: &mut State) {
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

    fn switch(&mut self, subject: Option<&Value>, arms: &[Arm], state: &mut State) {
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
    fn fits(
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

/// A frame for the case that the stack of frames is empty, which no program brings about.
fn unreachable_frame(id: FunctionId, function: &Function, file: FileId) -> Frame<'_> {
    Frame {
        id,
        function,
        file,
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

impl Nest {
    /// First byte of the loop, if it is over pages.
    pub fn walk_start(&self) -> Option<u32> {
        self.walk.as_ref().map(|_| self.start)
    }
}

impl Frame<'_> {
    /// Whether a variable is older than a loop.
    pub fn is_outside(&self, slot: u16, start: u32) -> bool {
        self.first.get(&slot).is_some_and(|at| *at < start)
    }

    /// The innermost loop around the place at hand, if it may be one over pages.
    pub fn innermost(&self) -> Option<u32> {
        self.nest.iter().rev().find(|n| n.is_loop).filter(|n| n.may_walk).map(|n| n.start)
    }

    /// The walk around the place at hand.
    pub fn walk(&mut self) -> Option<&mut Walk> {
        self.nest.iter_mut().rev().find_map(|n| n.walk.as_mut())
    }
}

/// Gives a variable a value.
pub(super) fn set(state: &mut State, slot: u16, value: Val) {
    if let Some(place) = state.slots.get_mut(slot as usize) {
        *place = value;
    }
}

/// Takes a condition's outcome over to the errors that it asks for.
fn refine(condition: &Value, truth: bool, state: &mut State) {
    match &condition.kind {
        ValueKind::Unary(UnaryOp::Not, inner) => refine(inner, !truth, state),
        ValueKind::Binary(BinaryOp::And, a, b) if truth => {
            refine(a, truth, state);
            refine(b, truth, state);
        }
        ValueKind::Binary(BinaryOp::Or, a, b) if !truth => {
            refine(a, truth, state);
            refine(b, truth, state);
        }
        ValueKind::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b) => {
            let (ValueKind::Local(local), ValueKind::Null) = (&a.kind, &b.kind) else { return };
            let holds = (*op == BinaryOp::Ne) == truth;
            let slot = state.slots.get_mut(local.slot as usize).filter(|_| local.up == 0);
            if let Some(value) = slot.filter(|v| !v.is(PAGING)) {
                match holds {
                    true => value.no = 0,
                    false => value.yes = 0,
                }
            }
        }
        _ => {}
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

/// What a loop writes is not known when a round begins.
fn forget(body: &Block, state: &mut State) {
    super::scan::each_stmt(body, &mut |stmt| {
        if let StmtKind::Assign { targets, .. } = &stmt.kind {
            for target in targets {
                if let ValueKind::Local(l) = &target.kind {
                    set(state, l.slot, Val::unknown());
                }
            }
        }
    });
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

fn is_exit(value: &Value) -> bool {
    matches!(
        &value.kind,
        ValueKind::Builtin(Builtin::Exit, _) | ValueKind::Call { builtin: Some(Builtin::Exit), .. }
    )
}
