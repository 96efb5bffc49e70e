//! Runs switches: every arm that can match, in order, then what they made together.
//!
//! Knows no pack word; which arms dispatch tools shows by their texts alone.

use super::atom::Atom;
use super::formula::F;
use super::session::{Breakable, Session};
use super::value::{Node, Op, V};
use crate::ir::{Arm, Name, Pattern, Range, Value, ValueKind};

/// How near to its root a dispatcher stands, in calls, whose arms may be run apart.
const NEAR: usize = 3;

impl<'p> Session<'p> {
    /// Runs a switch.
    pub(super) fn switch(&mut self, subject: Option<&'p Value>, arms: &'p [Arm], range: Range) {
        let v = subject.map(|s| self.eval(s));
        let mark = self.journal.len();
        self.breakables.push(Breakable::new(false, mark));
        let mut order: Vec<usize> = (0..arms.len()).collect();
        // A default arm is tried last, wherever it stands.
        order.sort_by_key(|i| {
            arms[*i].guard.is_none() && matches!(arms[*i].patterns.as_slice(), [Pattern::Any(None)])
        });
        self.run_arms(v, arms, &order, range);
        if let Some(left) = self.breakables.pop() {
            self.rejoin(left.breaks, mark);
        }
    }

    /// Runs every arm that can match, in order, then joins what they made.
    fn run_arms(&mut self, subject: Option<V>, arms: &'p [Arm], order: &[usize], range: Range) {
        let mut ways = Vec::new();
        for at in order {
            if self.pc == F::FALSE {
                break;
            }
            let arm = &arms[*at];
            let f = if self.leaves_out(arm) { F::FALSE } else { self.arm_matches(subject, arm) };
            let rest = self.store.values.forms.minus(self.pc, f);
            self.pc = self.store.values.forms.and(self.pc, f);
            let mark = self.journal.len();
            if self.pc != F::FALSE {
                self.run_arm(subject, arms, *at);
            }
            let held = self.roll_back(mark);
            ways.push((f, held, self.pc));
            self.pc = rest;
        }
        self.statement = range;
        let mut joined = (rustc_hash::FxHashMap::default(), self.pc);
        for (f, held, left) in ways.into_iter().rev() {
            let mark = self.journal.len();
            self.merge(f, (&held, left), (&joined.0, joined.1));
            joined = (self.roll_back(mark), self.store.values.forms.or(left, joined.1));
        }
        for ((frame, slot), v) in joined.0 {
            self.set_slot(frame, slot, v);
        }
        self.pc = joined.1;
    }

    /// Whether an arm of the outermost dispatcher is left to another session.
    fn leaves_out(&mut self, arm: &'p Arm) -> bool {
        if !self.dispatch.is_empty() {
            return false;
        }
        let names = arm_names(arm);
        let other =
            self.only_arm.as_ref().is_some_and(|only| !names.is_empty() && !names.contains(only));
        if self.stack.len() <= NEAR {
            self.seen.arms.extend(names.into_iter().take(1));
        }
        other
    }

    fn run_arm(&mut self, subject: Option<V>, arms: &'p [Arm], at: usize) {
        let names = arm_names(&arms[at]);
        let named = !names.is_empty();
        if named {
            self.dispatch.push(names);
        }
        self.bind_arm(subject, &arms[at]);
        self.exec_block(&arms[at].body);
        let mut next = at + 1;
        while next < arms.len() && arms[next - 1].falls_through {
            self.exec_block(&arms[next].body);
            next += 1;
        }
        if named {
            self.dispatch.pop();
        }
    }

    fn bind_arm(&mut self, subject: Option<V>, arm: &'p Arm) {
        let frame = self.frame;
        for pattern in &arm.patterns {
            if let (Pattern::Type(_, Some(slot)) | Pattern::Any(Some(slot)), Some(v)) =
                (pattern, subject)
            {
                self.set_slot(frame, *slot, v);
            }
        }
    }

    fn arm_matches(&mut self, subject: Option<V>, arm: &'p Arm) -> F {
        let mut any = F::FALSE;
        for pattern in &arm.patterns {
            let f = match (pattern, subject) {
                (Pattern::Any(_), _) => F::TRUE,
                (Pattern::Value(value), Some(v)) => {
                    let other = self.eval(value);
                    let pc = self.pc;
                    self.store.values.equal(v, other, pc)
                }
                (Pattern::Value(value), None) => {
                    let v = self.eval(value);
                    self.truth(v)
                }
                (Pattern::Type(ty, _), Some(v)) => self.is_type(v, ty),
                (Pattern::Type(..), None) | (Pattern::Opaque, _) => self.store.values.free_atom(),
            };
            any = self.store.values.forms.or(any, f);
        }
        if let Some(guard) = &arm.guard {
            self.bind_arm(subject, arm);
            let v = self.eval(guard);
            let f = self.truth(v);
            any = self.store.values.forms.and(any, f);
        }
        any
    }
}

impl Session<'_> {
    /// Runs what happens where a test holds, as the work of the tools that it names.
    pub(super) fn for_tools<T>(&mut self, test: F, run: impl FnOnce(&mut Self) -> T) -> T {
        let names = match self.dispatches && self.dispatch.is_empty() {
            true => self.tools_named(test),
            false => Vec::new(),
        };
        let named = !names.is_empty();
        if named {
            self.dispatch.push(names);
        }
        let out = run(self);
        if named {
            self.dispatch.pop();
        }
        out
    }

    /// Runs a function out of a table, as the work of the text that it was looked up by there: the
    /// one that `guard` says and `before` does not.
    pub(super) fn for_looked_up<T>(
        &mut self,
        before: F,
        guard: F,
        run: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let text = self.store.values.forms.support(guard).into_iter().find_map(|atom| {
            let values = &mut self.store.values;
            let Atom::IsText(v, text) = values.atom_meaning(atom).clone() else { return None };
            let same = values.atom(Atom::IsText(v, text.clone()));
            (values.forms.implies(guard, same) && !values.forms.implies(before, same))
                .then_some(text)
        });
        let Some(text) = text else { return run(self) };
        self.dispatch.push(vec![text]);
        let arm = self.dispatch[0].clone();
        self.seen.looked_up.insert(arm);
        let out = run(self);
        self.dispatch.pop();
        out
    }

    /// The names of which a request's must be one for a formula to hold.
    fn tools_named(&mut self, f: F) -> Vec<Name> {
        let key = self.store.values.text("name");
        let mut any = F::FALSE;
        let mut names = Vec::new();
        for atom in self.store.values.forms.support(f) {
            let Atom::IsText(v, text) = self.store.values.atom_meaning(atom).clone() else {
                continue;
            };
            let asked = matches!(self.store.values.node(v), Node::Op(Op::Field, parts)
                if parts[1] == key);
            if asked && self.store.values.forms.assume(f, atom, true) != F::FALSE {
                let same = self.store.values.atom(Atom::IsText(v, text.clone()));
                any = self.store.values.forms.or(any, same);
                names.push(text);
            }
        }
        match self.store.values.forms.minus(f, any) {
            F::FALSE => names,
            _ => Vec::new(),
        }
    }
}

/// The texts that an arm stands for.
fn arm_names(arm: &Arm) -> Vec<Name> {
    arm.patterns
        .iter()
        .filter_map(|p| match p {
            Pattern::Value(Value { kind: ValueKind::Str(text), .. }) => Some(text.clone()),
            _ => None,
        })
        .collect()
}
