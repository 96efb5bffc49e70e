//! Runs a function over the states of one page: which statements are reached in which of them,
//! and what becomes of the contradictory ones.
//!
//! Judges nothing but whether a state gets through as the last page or as an error; never asks
//! which command runs the function.

use rustc_hash::{FxHashMap, FxHashSet};

use super::frame::{field_places, unreachable_frame, Frame, Made};
use super::scan::Scan;
use super::worlds::*;
use crate::infer::value::FunctionId;
use crate::ir::walk::each_value;
use crate::ir::{BinaryOp, Block, Builtin, Range, Stmt, StmtKind, Type, UnaryOp, Value, ValueKind};
use crate::text::{FileId, Span};

/// Most statements of one root, callees included.
const FUEL: u32 = 20_000;
/// A page that does not say more loses rows in these states.
pub(super) const LOST: Worlds = (STUCK | ILL_FLAG & USABLE) & RUNNING;

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
    /// What closures write to variables of the functions around them, and in which states.
    pub outward: FxHashMap<(FunctionId, u16), (Val, Worlds)>,
    /// Functions whose closures were run for that.
    pub unfolded: FxHashSet<FunctionId>,
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
            outward: FxHashMap::default(),
            unfolded: FxHashSet::default(),
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
        let fields = field_places(function);
        let mut slots = vec![Val::unknown(); function.slots as usize + fields.len()];
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
        each_value(&function.body, &mut |v| {
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
            fields,
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
    pub(super) fn named(&self, name: &crate::ir::Name, ty: &Type) -> Val {
        let is = |wanted: &str| matches!(ty, Type::Named(None, n) if n == wanted);
        match self.scan.name_role(name) {
            FLAG if is("bool") => Val::new(FLAG, MORE, LAST),
            CURSOR if is("string") && name.starts_with("next") => Val::new(CURSOR, USABLE, EMPTY),
            0 if is("string") => Val::new(self.scan.setting_role(name), ALL, ALL),
            _ => Val::unknown(),
        }
    }

    pub(super) fn frame(&mut self) -> Option<&mut Frame<'p>> {
        self.frames.last_mut()
    }

    pub(super) fn touched(&self) -> bool {
        self.frames.last().is_some_and(|f| f.touched)
    }

    /// Says whether a field was read; gives what was said before.
    pub(super) fn touch(&mut self, now: bool) -> bool {
        self.frame().is_some_and(|f| std::mem::replace(&mut f.touched, now))
    }

    pub(super) fn span(&self, range: Range) -> Span {
        range.in_file(self.frames.last().map_or(FileId::NOWHERE, |f| f.file))
    }

    pub(super) fn module(&self) -> u32 {
        self.frames.last().map_or(0, |f| f.id.module)
    }

    pub(super) fn block(&mut self, block: &Block, state: &mut State) {
        for stmt in block {
            if state.reach == 0 || self.fuel == 0 {
                return;
            }
            self.fuel -= 1;
            self.stmt(stmt, state);
        }
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt, state: &mut State) {
        match &stmt.kind {
            StmtKind::Assign { targets, value, op } => {
                self.assign(stmt, targets, value, op.is_some(), state);
            }
            StmtKind::If { condition, then, otherwise } => {
                self.branch(condition, then, otherwise, state);
            }
            StmtKind::Loop { kind, body, post } => self.cycle(stmt, kind, body, post, state),
            StmtKind::Switch { subject, arms } => self.switch(subject.as_ref(), arms, state),
            StmtKind::Return(values) => {
                self.leave(stmt, values, state);
                state.reach = 0;
            }
            StmtKind::Break(n) => self.break_out(stmt, *n, state),
            StmtKind::Continue(n) => self.go_on(*n, state),
            StmtKind::Eval(value) if self.hands_error_over(value) => {
                self.made_or(value, state);
                state.failed |= state.reach;
            }
            StmtKind::Eval(value) => {
                self.eval(value, state);
                self.asks_on(value, state);
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

    fn branch(&mut self, condition: &Value, then: &Block, otherwise: &Block, state: &mut State) {
        let value = self.eval(condition, state);
        let (mut yes, mut no) = self.split(condition, &value, state);
        if self.stops_by_count(condition, then) {
            let at = self.span(condition.range);
            let nest = self.frame().and_then(|f| f.nest.iter_mut().rev().find(|n| n.is_loop));
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

    /// Goes on with the next round of a loop.
    fn go_on(&mut self, n: u8, state: &mut State) {
        let here = state.clone();
        let nest = self.frame().map(|f| &mut f.nest);
        let target =
            nest.and_then(|nest| nest.iter_mut().rev().filter(|n| n.is_loop).nth(n as usize));
        if let Some(target) = target {
            target.goes_on = Some(match target.goes_on.take() {
                Some(other) => other.meet(here),
                None => here,
            });
        }
        state.reach = 0;
    }

    /// The two ways from a condition.
    pub(super) fn split(
        &mut self,
        condition: &Value,
        value: &Val,
        state: &State,
    ) -> (State, State) {
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

fn is_exit(value: &Value) -> bool {
    matches!(
        &value.kind,
        ValueKind::Builtin(Builtin::Exit, _) | ValueKind::Call { builtin: Some(Builtin::Exit), .. }
    )
}
