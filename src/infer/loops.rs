//! Runs loops: over known elements round by round, else one round that stands for all.
//!
//! Knows no pack word.

use super::copies::Copied;
use super::exec::only_grows;
use super::formula::F;
use super::session::{Breakable, Round, Session};
use super::value::{CounterFact, ListId, Node, Op, Origin, V};
use crate::ir::{LocalRef, LoopKind, Range, Stmt, StmtKind, Value, ValueKind};

/// A round over a known element: its condition, key, element, and the field that it stands at.
type Step = (F, V, V, Option<Copied>);

/// Most rounds that are run one by one.
pub(super) const MAX_ROUNDS: usize = 64;

impl<'p> Session<'p> {
    pub(super) fn run_loop(
        &mut self,
        kind: &'p LoopKind,
        body: &'p [Stmt],
        post: &'p [Stmt],
        range: Range,
    ) {
        match kind {
            LoopKind::While(condition) => self.round(condition.as_ref(), None, body, post, range),
            LoopKind::Each { key, value, over, keys_to_value } => {
                let over = self.eval(over);
                let targets = Targets {
                    key: key.as_deref(),
                    value: value.as_deref(),
                    keys_to_value: *keys_to_value,
                };
                match self.known_rounds(over, &targets) {
                    Some(rounds) => self.unrolled(rounds, &targets, body, post, range),
                    None => self.round(None, Some((over, &targets)), body, post, range),
                }
            }
        }
    }

    /// The rounds of a loop over known elements.
    fn known_rounds(&mut self, over: V, targets: &Targets<'p>) -> Option<Vec<Step>> {
        let mut rounds = Vec::new();
        let leaves = self.store.values.leaves(over, self.pc);
        if leaves.len() > 6 {
            return None;
        }
        for (guard, leaf) in leaves {
            match *self.store.values.node(leaf) {
                Node::Null => {}
                Node::List(id) if !self.store.list(id).open => {
                    if self.store.list(id).elements.len() > MAX_ROUNDS {
                        return None;
                    }
                    for (i, (when, v)) in
                        self.store.list(id).elements.clone().into_iter().enumerate()
                    {
                        let i = self.store.values.int(i as i64);
                        let f = self.store.values.forms.and(guard, when);
                        rounds.push((f, i, v, None));
                    }
                }
                Node::Object(id) if self.keys_are_known(id) => {
                    for key in self.store.keys(id) {
                        self.store.values.as_text(key)?;
                        let here = self.store.has(leaf, key, self.pc);
                        let f = self.store.values.forms.and(guard, here);
                        let pc = self.pc;
                        let v = self.store.read(leaf, key, pc);
                        let element = if targets.keys_to_value { key } else { v };
                        let field = Copied { of: id, key, value: v };
                        rounds.push((f, key, element, Some(field)));
                    }
                }
                _ => return None,
            }
        }
        (rounds.len() <= MAX_ROUNDS).then_some(rounds)
    }

    fn unrolled(
        &mut self,
        rounds: Vec<Step>,
        targets: &Targets<'p>,
        body: &'p [Stmt],
        post: &'p [Stmt],
        range: Range,
    ) {
        let mark = self.journal.len();
        self.breakables.push(Breakable::new(true, mark));
        let at = self.breakables.len() - 1;
        let copied = self.copied;
        self.unrolling += 1;
        for (when, key, element, field) in rounds {
            if self.pc == F::FALSE {
                break;
            }
            self.copied = field.or(copied);
            self.branch(
                when,
                |s| {
                    s.breakables[at].round_mark = s.journal.len();
                    s.bind(targets, key, element, range);
                    s.exec_block(body);
                    s.end_round(at);
                    s.exec_block(post);
                },
                |_| {},
                range,
            );
        }
        self.copied = copied;
        self.unrolling -= 1;
        if let Some(ended) = self.breakables.pop() {
            self.rejoin(ended.breaks, mark);
        }
    }

    fn end_round(&mut self, at: usize) {
        let continues = std::mem::take(&mut self.breakables[at].continues);
        let mark = self.breakables[at].round_mark;
        self.rejoin(continues, mark);
    }

    fn bind(&mut self, targets: &Targets<'p>, key: V, element: V, range: Range) {
        if let Some(target) = targets.key {
            self.store_into(target, key, range);
        }
        if let Some(target) = targets.value {
            self.store_into(target, element, range);
        }
    }

    /// One round that stands for all of them.
    fn round(
        &mut self,
        condition: Option<&'p Value>,
        each: Option<(V, &Targets<'p>)>,
        body: &'p [Stmt],
        post: &'p [Stmt],
        range: Range,
    ) {
        let endless = condition.is_none() && each.is_none();
        let ran = if endless { F::TRUE } else { self.store.values.free_atom() };
        let entry = self.pc;
        let returned = self.returns.len();
        let exits = self.exits;
        self.next_round += 1;
        let round = Round {
            id: self.next_round,
            first_atom: self.store.values.next_atom(),
            first_object: self.store.objects.len() as u32,
            first_list: self.store.lists.len() as u32,
            entry,
        };
        let mut slots = Vec::new();
        assigned(body, 0, &mut slots);
        assigned(post, 0, &mut slots);
        slots.sort_unstable_by_key(|l| (l.up, l.slot));
        slots.dedup();
        let before: Vec<V> = slots.iter().map(|l| self.local(*l)).collect();
        let mut starts = Vec::with_capacity(slots.len());
        for (slot, v) in slots.iter().zip(&before) {
            let keeps = matches!(
                self.store.values.node(*v),
                Node::Object(_) | Node::List(_) | Node::Function(..) | Node::Null
            );
            let start = if keeps { *v } else { self.round_symbol(*v) };
            self.set_local(*slot, start);
            starts.push(start);
        }
        self.rounds.push(round);
        let mark = self.journal.len();
        self.breakables.push(Breakable::new(true, mark));
        let at = self.breakables.len() - 1;
        self.pc = self.store.values.forms.and(entry, ran);
        if let Some(condition) = condition {
            let v = self.eval(condition);
            let f = self.truth(v);
            self.pc = self.store.values.forms.and(self.pc, f);
        }
        if let Some((over, targets)) = each {
            let (key, element) = self.any_element(over, targets);
            self.bind(targets, key, element, range);
        }
        let body_start = self.pc;
        self.exec_block(body);
        self.end_round(at);
        self.exec_block(post);
        let Some(ended) = self.breakables.pop() else { return };
        let breaks =
            ended.breaks.iter().fold(F::FALSE, |f, (g, _)| self.store.values.forms.or(f, *g));
        self.rejoin(ended.breaks, mark);
        let after: Vec<V> = slots.iter().map(|l| self.local(*l)).collect();
        let at_cap = self.breaks_at_cap(breaks, body_start) || self.leaves_when_full(breaks);
        self.cap_filled(breaks, round, range);
        let outs: Vec<V> = (0..slots.len())
            .map(|i| self.after_loop(before[i], starts[i], after[i], ran, round, at_cap))
            .collect();
        for (slot, out) in slots.iter().zip(outs) {
            self.set_local(*slot, out);
        }
        self.rounds.pop();
        self.close_round(round, returned, exits, endless && breaks == F::FALSE);
    }

    /// Takes returns and exits of a round to the outside and finds the paths that go on.
    fn close_round(&mut self, round: Round, returned: usize, exits: F, never_ends: bool) {
        let mut gone = F::FALSE;
        for i in returned..self.returns.len() {
            let (f, v) = self.returns[i];
            let lifted = self.lift(f, round);
            self.returns[i] = (lifted, v);
            gone = self.store.values.forms.or(gone, lifted);
        }
        let left = self.store.values.forms.minus(self.exits, exits);
        let left = self.lift(left, round);
        self.exits = self.store.values.forms.or(exits, left);
        gone = self.store.values.forms.or(gone, left);
        self.pc =
            if never_ends { F::FALSE } else { self.store.values.forms.minus(round.entry, gone) };
    }

    fn round_symbol(&mut self, before: V) -> V {
        let ty = self.type_of(before);
        self.store.values.symbol(Origin::Round, ty)
    }

    /// A key and element that stand for any of an iterated thing's.
    fn any_element(&mut self, over: V, targets: &Targets<'p>) -> (V, V) {
        let pc = self.pc;
        let leaves = self.store.values.leaves(over, pc);
        let mut parts = Vec::new();
        for (guard, leaf) in leaves {
            let (key, element) = self.any_of(leaf, targets);
            parts.push((guard, key, element));
        }
        let keys: Vec<(F, V)> = parts.iter().map(|p| (p.0, p.1)).collect();
        let elements: Vec<(F, V)> = parts.iter().map(|p| (p.0, p.2)).collect();
        (self.store.values.join(&keys), self.store.values.join(&elements))
    }

    fn any_of(&mut self, over: V, targets: &Targets<'p>) -> (V, V) {
        let ty = self.type_of(over);
        let inner = ty.as_ref().and_then(|(m, t)| match t {
            crate::ir::Type::List(inner) | crate::ir::Type::Map(inner) => {
                Some((*m, (**inner).clone()))
            }
            _ => None,
        });
        if let Node::List(id) = *self.store.values.node(over) {
            if let Some(of) = self.store.list(id).keys_of {
                let key = self.store.values.symbol(Origin::Key(of), None);
                return (V::NULL, key);
            }
            let index = self.store.values.symbol(Origin::Key(over), None);
            let element = self.list_element(id, over, inner);
            return (index, element);
        }
        let is_list = matches!(ty, Some((_, crate::ir::Type::List(_))));
        let key = self.store.values.symbol(Origin::Key(over), None);
        if is_list {
            let element = self.store.values.symbol(Origin::Item(over), inner);
            return (key, element);
        }
        if targets.keys_to_value {
            return (key, key);
        }
        let pc = self.pc;
        let element = self.store.read(over, key, pc);
        if inner.is_some() && matches!(self.store.values.node(element), Node::Op(Op::Field, _)) {
            return (key, element);
        }
        (key, element)
    }

    fn list_element(&mut self, id: ListId, over: V, inner: Option<(u32, crate::ir::Type)>) -> V {
        let known = self.store.list(id).elements.clone();
        if known.is_empty() || known.len() > 8 {
            return self.store.values.symbol(Origin::Item(over), inner);
        }
        let mut v = self.store.values.symbol(Origin::Item(over), inner);
        for (_, element) in known {
            let which = self.store.values.free_atom();
            v = self.store.values.choose(which, element, v);
        }
        v
    }

    /// What a variable is worth after a loop that may change it.
    fn after_loop(
        &mut self,
        before: V,
        start: V,
        after: V,
        ran: F,
        round: Round,
        at_cap: bool,
    ) -> V {
        if after == start {
            return before;
        }
        let leaves = self.store.values.leaves(after, F::TRUE);
        let step = leaves
            .iter()
            .find(|(_, v)| *v != start && self.store.values.mentions(*v, &|x, _| x == start));
        if let Some((when, stepped)) = step.copied() {
            return self.carried(before, start, when, stepped, at_cap);
        }
        let mut changed = F::FALSE;
        let mut parts = Vec::new();
        for (f, v) in leaves {
            if v != start {
                changed = self.store.values.forms.or(changed, f);
                parts.push((f, v));
            }
        }
        let value = self.store.values.join(&parts);
        let value = match *self.store.values.node(value) {
            Node::Cond(f) => {
                let f = self.lift(f, round);
                self.store.values.cond(f)
            }
            _ => value,
        };
        let changed = self.store.values.forms.and(changed, ran);
        let when = self.lift(changed, round);
        self.store.values.choose(when, value, before)
    }

    fn carried(&mut self, before: V, start: V, when: F, stepped: V, at_cap: bool) -> V {
        let counts = matches!(self.store.values.node(stepped), Node::Op(Op::Add, parts)
            if parts.contains(&start) && parts.iter().any(|p| self.store.values.as_int(*p).is_some_and(|n| n > 0)));
        let ty = self.type_of(before);
        if !counts {
            return self.store.values.symbol(Origin::Carried(before), ty);
        }
        let counts_capped = self.capped_by(when, None).is_some();
        let fact =
            CounterFact { before, stops_at_cap: at_cap, counts_capped, counts_window: false };
        self.store.values.symbol(Origin::Counter(fact), ty)
    }
}

/// Where a loop puts its keys and elements.
pub(super) struct Targets<'p> {
    key: Option<&'p Value>,
    value: Option<&'p Value>,
    keys_to_value: bool,
}

/// Local variables that statements assign, seen from `up` functions further in.
fn assigned(block: &[Stmt], up: u8, found: &mut Vec<LocalRef>) {
    let mut stack: Vec<&Stmt> = block.iter().collect();
    while let Some(stmt) = stack.pop() {
        match &stmt.kind {
            StmtKind::Assign { targets, value, op } => {
                for target in targets {
                    if op.is_none() && targets.len() == 1 && only_grows(target, value) {
                        continue;
                    }
                    target_slot(target, up, found);
                }
            }
            StmtKind::If { then, otherwise, .. } => stack.extend(then.iter().chain(otherwise)),
            StmtKind::Loop { kind, body, post } => {
                if let LoopKind::Each { key, value, .. } = kind {
                    for target in key.iter().chain(value) {
                        target_slot(target, up, found);
                    }
                }
                stack.extend(body.iter().chain(post));
            }
            StmtKind::Switch { arms, .. } => stack.extend(arms.iter().flat_map(|a| &a.body)),
            StmtKind::Try { body, handler, finally, .. } => {
                stack.extend(body.iter().chain(handler).chain(finally));
            }
            StmtKind::Opaque(_, blocks) => stack.extend(blocks.iter().flatten()),
            StmtKind::Eval(Value { kind: ValueKind::Assign(target, _), .. }) => {
                target_slot(target, up, found)
            }
            _ => {}
        }
    }
}

fn target_slot(target: &Value, up: u8, found: &mut Vec<LocalRef>) {
    if let ValueKind::Local(local) = &target.kind {
        if local.up >= up {
            found.push(LocalRef { up: local.up - up, slot: local.slot });
        }
    }
}
