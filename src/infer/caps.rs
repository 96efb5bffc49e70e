//! What keeps a list or a count from growing: bounds asked for before it grows, loops that are
//! left as soon as it is full, and lists cut in place.
//!
//! Knows no pack word.

use super::atom::Atom;
use super::formula::F;
use super::session::{Round, Session};
use super::store::Cap;
use super::value::{ListId, Node, Op, Origin, V};
use crate::ir::{Builtin, Range};

impl<'p> Session<'p> {
    /// The bound that keeps a count under `f`: the size of a list (of `list` if given), or a
    /// variable that a loop counts up.
    pub(super) fn capped_by(&mut self, f: F, list: Option<V>) -> Option<V> {
        let full = self.full_tests(f, list);
        let (_, _, bound) = *full.last()?;
        // With every bound reached, nothing may get through.
        let through = self.with(f, &full, true);
        (through == F::FALSE).then_some(bound)
    }

    /// The tests in `f` that ask whether a count has reached a bound: the test, what it says
    /// where that is so, the bound.
    pub(super) fn full_tests(&mut self, f: F, list: Option<V>) -> Vec<(u32, bool, V)> {
        let mut full = Vec::new();
        for id in self.store.values.forms.support(f) {
            let atom = self.store.values.atom_meaning(id).clone();
            let (counted, bound, below) = match atom {
                Atom::Less(p, q) => (p, q, true),
                Atom::AtLeast(p, k) => {
                    let k = self.store.values.int(k);
                    (p, k, false)
                }
                Atom::Equal(p, q) if self.is_count(p, list) => (p, q, false),
                Atom::Equal(p, q) => (q, p, false),
                _ => continue,
            };
            if !self.is_count(counted, list) || !self.is_fixed_or_window(bound) {
                continue;
            }
            let constant = self.store.values.as_int(bound);
            let is_size = matches!(self.store.values.node(counted), Node::Op(Op::Size, _));
            if constant.is_some_and(|k| k < 2 || !is_size) {
                continue;
            }
            full.push((id, !below, bound, counted));
        }
        // Of "at least n, and not at least n + 1" the second says that it is just full.
        let values = &self.store.values;
        let over = |bound: V, counted: V| {
            let n = values.as_int(bound);
            n.is_some()
                && full
                    .iter()
                    .any(|(.., b, c)| *c == counted && values.as_int(*b) == n.map(|n| n - 1))
        };
        full.iter().map(|(id, yes, b, c)| (*id, *yes != over(*b, *c), *b)).collect()
    }

    /// Whether a value counts what was collected: a list's size, or a loop's own count.
    fn is_count(&self, v: V, list: Option<V>) -> bool {
        match self.store.values.node(v) {
            Node::Op(Op::Size, parts) => {
                list.is_none_or(|l| l == parts[0])
                    && matches!(self.store.values.node(parts[0]), Node::List(_) | Node::Object(_))
            }
            Node::Op(Op::Add, parts) => parts.iter().any(|p| self.is_count(*p, list)),
            Node::Symbol(_) => matches!(
                self.store.values.symbol_of(v).map(|s| &s.origin),
                Some(Origin::Round | Origin::Counter(_))
            ),
            _ => false,
        }
    }

    /// Whether a loop is left on some path only because something is full.
    pub(super) fn leaves_when_full(&mut self, left: F) -> bool {
        if left == F::FALSE {
            return false;
        }
        let full = self.full_tests(left, None);
        let short = self.with(left, &full, false);
        self.store.values.forms.minus(left, short) != F::FALSE
    }

    /// A list that is filled in a loop which is left as soon as it is full is capped, although
    /// nothing holds the filling itself.
    pub(super) fn cap_filled(&mut self, left: F, round: Round, range: Range) {
        if left == F::FALSE {
            return;
        }
        let span = self.span(range);
        for i in 0..round.first_list {
            let fills = &self.store.lists[i as usize].fills;
            let Some(filled) = fills
                .iter()
                .filter(|(_, first, _)| *first == round.first_atom)
                .map(|(f, ..)| *f)
                .reduce(|a, b| self.store.values.forms.or(a, b))
            else {
                continue;
            };
            let list = self.store.values.intern(Node::List(ListId(i)));
            let full = self.full_tests(left, Some(list));
            let Some((_, _, bound)) = full.first().copied() else { continue };
            let stays = self.store.values.forms.minus(filled, left);
            if self.with(stays, &full, true) == F::FALSE {
                let list = &mut self.store.lists[i as usize];
                list.caps.push(Cap { bound, guard: filled, span });
            }
        }
    }

    /// A formula where the bounds of all its tests are reached, or none is.
    fn with(&mut self, f: F, full: &[(u32, bool, V)], reached: bool) -> F {
        let first = full.iter().map(|(id, ..)| *id).min().unwrap_or_default();
        self.store.values.forms.substitute(f, first, &|a| {
            full.iter().find(|(id, ..)| *id == a).map(|(_, yes, _)| F::constant(*yes == reached))
        })
    }

    /// Whether the paths that leave a loop do so because a cap is reached.
    pub(super) fn breaks_at_cap(&mut self, breaks: F, body: F) -> bool {
        if breaks == F::FALSE {
            return false;
        }
        let reached = self.store.values.forms.restrict(breaks, body);
        let under = reached.denied();
        // Whoever stays in the loop is under the cap.
        self.capped_by(under, None).is_some()
    }

    /// Adds elements; under a bound on the list's own size, or on a count, that is a cap.
    pub(super) fn append(&mut self, builtin: Builtin, x: V, more: &[V], range: Range) -> V {
        let pc = self.pc;
        let leaves = self.store.values.leaves(x, pc);
        let mut result = x;
        for (guard, leaf) in leaves {
            let leaf = if leaf == V::NULL {
                let site = self.site(range);
                let fresh = self.store.new_list(site, Vec::new(), false);
                result = self.store.values.choose(guard, fresh, result);
                fresh
            } else {
                leaf
            };
            let Node::List(id) = *self.store.values.node(leaf) else { continue };
            let cap = self.capped_by(pc, Some(leaf));
            let in_round = self.outlives_round(id);
            let span = self.span(range);
            let mut added: Vec<(F, V)> = Vec::new();
            let mut open = in_round;
            if builtin == Builtin::AppendAll {
                match more.first().map(|m| self.store.values.node(*m).clone()) {
                    Some(Node::List(other)) if !self.store.list(other).open => {
                        added = self.store.list(other).elements.clone();
                    }
                    _ => open = true,
                }
            } else {
                added = more.iter().map(|v| (guard, *v)).collect();
            }
            let first_atom = self.rounds.last().map_or(0, |r| r.first_atom);
            let list = &mut self.store.lists[id.0 as usize];
            if in_round && list.fills.len() < 16 {
                list.fills.extend(more.iter().map(|v| (pc, first_atom, *v)));
            }
            list.version += 1;
            list.open |= open;
            if list.elements.len() < 64 {
                list.elements.extend(added);
            } else {
                list.open = true;
            }
            if let Some(bound) = cap {
                list.caps.push(Cap { bound, guard: pc, span });
            }
        }
        result
    }

    /// Takes an element out of a list; where that happens only to a list over a bound, the list
    /// is capped.
    pub(super) fn shrink(&mut self, x: V, range: Range) {
        let pc = self.pc;
        for (_, leaf) in self.store.values.leaves(x, pc) {
            if !matches!(self.store.values.node(leaf), Node::List(_)) {
                continue;
            }
            let over = self.full_tests(pc, Some(leaf));
            let Some((id, yes, bound)) = over.first().copied() else { continue };
            if self.store.values.forms.assume(pc, id, !yes) == F::FALSE {
                self.cap(leaf, bound, range);
            }
        }
    }

    /// Cuts a list in place; a list of which nothing is known to be in it only gets room.
    pub(super) fn truncate(&mut self, x: V, bound: V, range: Range) {
        let pc = self.pc;
        for (_, leaf) in self.store.values.leaves(x, pc) {
            let Node::List(id) = *self.store.values.node(leaf) else { continue };
            let list = self.store.list(id);
            let holds = list.base.is_some() || !list.elements.is_empty() || !list.fills.is_empty();
            if holds {
                self.cap(leaf, bound, range);
            }
        }
    }

    fn cap(&mut self, list: V, bound: V, range: Range) {
        let Node::List(id) = *self.store.values.node(list) else { return };
        let (span, guard) = (self.span(range), self.pc);
        let fixed = self.is_fixed_or_window(bound);
        let list = &mut self.store.lists[id.0 as usize];
        list.version += 1;
        list.open = true;
        if fixed {
            list.caps.push(Cap { bound, guard, span });
        }
    }

    /// Whether a list was made before the innermost round began.
    pub(super) fn outlives_round(&self, id: ListId) -> bool {
        match self.rounds.last() {
            Some(round) => id.0 < round.first_list,
            None => false,
        }
    }
}
