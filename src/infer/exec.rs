//! Runs statements: both ways of a branch, then the two results joined.
//!
//! Knows no pack word; calls and expressions are elsewhere.

use super::atom::Atom;
use super::formula::F;
use super::resolve::Item;
use super::session::Session;
use super::value::{Node, Op, Origin, V};
use crate::ir::{BinaryOp, Builtin, Name, Range, Stmt, StmtKind, Value, ValueKind};

/// Most nodes of a path condition before it is trimmed.
const MAX_CONDITION: usize = 96;

impl<'p> Session<'p> {
    /// Runs statements until no path is left.
    pub(super) fn exec_block(&mut self, block: &'p [Stmt]) {
        for stmt in block {
            if self.pc == F::FALSE {
                return;
            }
            if self.fuel == 0 || self.store.values.forms.work.is_out() {
                (self.exhausted, self.cut) = (true, true);
                return;
            }
            self.fuel -= 1;
            self.statement = stmt.range;
            self.exec(stmt);
        }
    }

    fn exec(&mut self, stmt: &'p Stmt) {
        match &stmt.kind {
            StmtKind::Assign { targets, value, op } => self.assign(targets, value, *op, stmt.range),
            StmtKind::If { condition, then, otherwise } => {
                let v = self.eval(condition);
                let f = self.truth(v);
                self.note_dry_run(condition, f);
                let no = f.denied();
                let at = self.span(condition.range);
                self.branch(
                    f,
                    |s| s.exec_tested((f, at), then),
                    |s| s.exec_tested((no, at), otherwise),
                    stmt.range,
                );
            }
            StmtKind::Loop { kind, body, post } => self.run_loop(kind, body, post, stmt.range),
            StmtKind::Switch { subject, arms } => self.switch(subject.as_ref(), arms, stmt.range),
            StmtKind::Return(values) => {
                let v = match values.as_slice() {
                    [] => V::NULL,
                    [one] => self.eval(one),
                    many => {
                        let mut parts: Vec<V> = many.iter().map(|v| self.eval(v)).collect();
                        // `return page, decode(&page)` gives what the call put there.
                        for (part, value) in parts.iter_mut().zip(many) {
                            if matches!(value.kind, ValueKind::Local(_)) {
                                *part = self.eval(value);
                            }
                        }
                        self.store.values.op(Op::Tuple, &parts)
                    }
                };
                self.note_return(v, stmt.range);
                self.returns.push((self.pc, v));
                self.returned_at.push(stmt.range);
                self.pc = F::FALSE;
            }
            StmtKind::Break(n) => {
                if let Some(at) = self.breakables.len().checked_sub(1 + *n as usize) {
                    let held = self.held_since(self.breakables[at].mark);
                    let pc = self.pc;
                    self.breakables[at].breaks.push((pc, held));
                }
                self.pc = F::FALSE;
            }
            StmtKind::Continue(n) => {
                let at = (0..self.breakables.len())
                    .rev()
                    .filter(|i| self.breakables[*i].is_loop)
                    .nth(*n as usize);
                if let Some(at) = at {
                    let held = self.held_since(self.breakables[at].round_mark);
                    let pc = self.pc;
                    self.breakables[at].continues.push((pc, held));
                }
                self.pc = F::FALSE;
            }
            StmtKind::Eval(value) | StmtKind::Defer(value) => {
                self.eval(value);
            }
            StmtKind::Throw(value) => {
                let v = self.eval(value);
                self.note_throw(v, stmt.range);
                self.leave_program();
            }
            StmtKind::Try { body, caught, handler, finally } => {
                let error = self.store.values.symbol(Origin::Error, None);
                let exits = self.exits;
                let before = self.pc;
                let fails = self.store.values.free_atom();
                self.branch(
                    fails,
                    |s| {
                        if let Some(slot) = caught {
                            let frame = s.frame;
                            s.set_slot(frame, *slot, error);
                        }
                        s.exec_block(handler);
                    },
                    |s| s.exec_block(body),
                    stmt.range,
                );
                self.exits = exits;
                if self.pc == F::FALSE && !finally.is_empty() {
                    self.pc = before;
                    self.exec_block(finally);
                    self.pc = F::FALSE;
                } else {
                    self.exec_block(finally);
                }
            }
            StmtKind::Opaque(values, blocks) => {
                for v in values {
                    self.eval(v);
                }
                for block in blocks {
                    let maybe = self.store.values.free_atom();
                    self.branch(maybe, |s| s.exec_block(block), |_| {}, stmt.range);
                }
            }
        }
    }

    /// Runs the statements of a branch, which a test leads to.
    fn exec_tested(&mut self, test: (F, crate::text::Span), block: &'p [Stmt]) {
        self.tests.push(test);
        self.for_tools(test.0, |s| s.exec_block(block));
        self.tests.pop();
    }

    /// Ends all paths that run now, without a result.
    pub(super) fn leave_program(&mut self) {
        self.exits = self.store.values.forms.or(self.exits, self.pc);
        self.pc = F::FALSE;
    }

    /// Truth of a value on the paths that run now.
    pub(super) fn truth(&mut self, v: V) -> F {
        let pc = self.pc;
        let f = match self.index.head(self.running().module).empty_is_false {
            true => self.filled(v),
            false => self.store.values.truthy(v, pc),
        };
        let f = self.store.values.forms.restrict(f, pc);
        self.store.values.short(f)
    }

    /// Runs one way where `f` holds, the other where it does not, and joins.
    pub(super) fn branch(
        &mut self,
        f: F,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
        range: Range,
    ) {
        let before = self.pc;
        let yes = self.store.values.forms.and(before, f);
        let no = self.store.values.forms.minus(before, f);
        if no == F::FALSE {
            self.pc = yes;
            return then(self);
        }
        if yes == F::FALSE {
            self.pc = no;
            return otherwise(self);
        }
        let mark = self.journal.len();
        self.pc = yes;
        then(self);
        let yes = self.pc;
        let held = self.roll_back(mark);
        self.pc = no;
        otherwise(self);
        let no = self.pc;
        let kept = self.roll_back(mark);
        self.statement = range;
        self.merge(f, (&held, yes), (&kept, no));
        self.pc = self.store.values.forms.or(yes, no);
        if self.pc != before {
            self.trim_condition();
        }
    }

    /// Shortens a path condition that has grown large: one fact stands for the whole of it, and
    /// beside that only the tests are spelled out that have to do with windows and rows, where
    /// those are few. More paths count as possible then, until it is put back.
    fn trim_condition(&mut self) {
        if !self.store.values.forms.larger_than(self.pc, MAX_CONDITION) {
            return;
        }
        let keep: Vec<u32> = self
            .store
            .values
            .forms
            .support(self.pc)
            .into_iter()
            .filter(|a| self.concerns_rows(*a))
            .collect();
        let pc = self.pc;
        let values = &mut self.store.values;
        let open = values.forms.exists(pc, 0, &|a| keep.binary_search(&a).is_err());
        let whole = values.atom(Atom::Once(0, pc));
        let few = !values.forms.larger_than(open, 2 * MAX_CONDITION);
        self.pc = if few { values.forms.and(open, whole) } else { whole };
    }

    fn assign(
        &mut self,
        targets: &'p [Value],
        value: &'p Value,
        op: Option<BinaryOp>,
        range: Range,
    ) {
        if let (Some(op), [target]) = (op, targets) {
            let old = self.eval(target);
            let by = self.eval(value);
            let v = self.binary(op, old, by);
            self.store_into(target, v, range);
            return;
        }
        let v = self.eval(value);
        match targets {
            [target] => self.store_into(target, v, range),
            many => {
                for (i, target) in many.iter().enumerate() {
                    let i = self.store.values.int(i as i64);
                    let part = self.part(v, i);
                    self.store_into(target, part, range);
                }
            }
        }
    }

    /// One result of several.
    fn part(&mut self, v: V, i: V) -> V {
        let pc = self.pc;
        let mut parts = Vec::new();
        for (guard, leaf) in self.store.values.leaves(v, pc) {
            let part = match self.store.values.node(leaf) {
                Node::Op(Op::Tuple, items) => {
                    let at = self.store.values.as_int(i).unwrap_or(0) as usize;
                    items.get(at).copied().unwrap_or(V::NULL)
                }
                _ => self.part_of_unknown(leaf, i),
            };
            parts.push((guard, part));
        }
        self.store.values.join(&parts)
    }

    fn part_of_unknown(&mut self, v: V, i: V) -> V {
        match self.store.values.node(v) {
            Node::List(_) => self.store.read(v, i, self.pc),
            _ => self.unknown_result_part(v, i),
        }
    }

    /// Writes a value to a place.
    pub(super) fn store_into(&mut self, target: &'p Value, v: V, range: Range) {
        match &target.kind {
            ValueKind::Local(local) => self.set_local(*local, v),
            ValueKind::Member(base, name, _)
                if matches!(base.kind, ValueKind::This) && self.is_own_variable(name) =>
            {
                self.set_name(name, v, range);
            }
            ValueKind::Member(base, name, at) => {
                let base = self.holder(base, range);
                let key = self.store.values.text(name);
                self.write_field(base, key, v, *at, range);
            }
            ValueKind::Index(base, key) => {
                let base = self.eval(base);
                let at = key.range;
                let key = self.eval(key);
                self.write_field(base, key, v, at, range);
            }
            ValueKind::Global(name) => self.set_name(name, v, target.range),
            ValueKind::Assert(inner, _) => self.store_into(inner, v, range),
            ValueKind::Opaque(parts) => {
                for part in parts {
                    self.eval(part);
                }
            }
            _ => {}
        }
    }

    /// Whether a name is a variable of the class that the running function's file is.
    fn is_own_variable(&self, name: &Name) -> bool {
        let m = self.running().module;
        self.owner().is_none() && matches!(self.index.lookup(m, None, name), Some(Item::Global(..)))
    }
}

/// Whether a statement only adds to the list that it assigns to (`x = append(x, y)`).
pub(super) fn only_grows(target: &Value, value: &Value) -> bool {
    let first = match &value.kind {
        ValueKind::Builtin(Builtin::Append | Builtin::AppendAll | Builtin::Sort, operands) => {
            operands.first()
        }
        ValueKind::Call { args, builtin: Some(Builtin::Append | Builtin::AppendAll), .. } => {
            args.first().map(|a| &a.value)
        }
        _ => None,
    };
    match (&target.kind, first.map(|f| &f.kind)) {
        (ValueKind::Local(a), Some(ValueKind::Local(b))) => a == b,
        _ => false,
    }
}
