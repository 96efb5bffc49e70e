//! What several ways make of one value: a choice, or the bound that the choice amounts to.
//!
//! Knows no heap.

use super::atom::Atom;
use super::formula::F;
use super::value::{Node, Op, Values, MAX_LEAVES, V};

/// Most nodes of a condition that is looked at for a bound.
const MAX_BOUND: usize = 12;

impl Values {
    /// `a` where the condition holds, else `b`.
    pub fn choose(&mut self, condition: F, a: V, b: V) -> V {
        if condition == F::TRUE || a == b {
            return a;
        }
        if condition == F::FALSE {
            return b;
        }
        if let (Node::Cond(fa), Node::Cond(fb)) = (self.node(a), self.node(b)) {
            let (fa, fb) = (*fa, *fb);
            let f = self.forms.choose(condition, fa, fb);
            return self.cond(f);
        }
        if self.is_quantity(a)
            && self.is_quantity(b)
            && !self.forms.larger_than(condition, MAX_BOUND)
        {
            if let Some(bound) = self.as_bound(condition, a, b) {
                return bound;
            }
            if let Some(v) = self.push_into(condition, a, b) {
                return v;
            }
            let negated = condition.denied();
            if let Some(v) = self.push_into(negated, b, a) {
                return v;
            }
        }
        self.branch(condition, a, b)
    }

    /// Whether a value may be a number.
    fn is_quantity(&self, v: V) -> bool {
        match self.node(v) {
            Node::Int(_) | Node::Float(_) | Node::Symbol(_) => true,
            Node::Op(op, _) => {
                !matches!(op, Op::Text | Op::Encode | Op::Tuple | Op::Bound | Op::Decode)
            }
            Node::Choice(_, a, b) => {
                self.widths[v.0 as usize] < 6 && self.is_quantity(*a) && self.is_quantity(*b)
            }
            _ => false,
        }
    }

    /// A choice as it is, without looking into its branches.
    pub(super) fn branch(&mut self, condition: F, a: V, b: V) -> V {
        if a == b {
            return a;
        }
        match (self.node(a), self.node(b)) {
            (Node::Cond(fa), Node::Cond(fb)) => {
                let (fa, fb) = (*fa, *fb);
                let f = self.forms.choose(condition, fa, fb);
                self.cond(f)
            }
            _ if usize::from(self.widths[a.0 as usize])
                + usize::from(self.widths[b.0 as usize])
                > MAX_LEAVES =>
            {
                self.unknown()
            }
            _ => self.intern(Node::Choice(condition, a, b)),
        }
    }

    /// Moves `condition ? a : b` into the branch of the choice `b` that it lies in, so that
    /// bounds put on one alternative are seen there.
    fn push_into(&mut self, condition: F, a: V, b: V) -> Option<V> {
        let Node::Choice(inner, b1, b2) = *self.node(b) else { return None };
        if self.forms.implies(condition, inner) {
            let narrowed = self.forms.restrict(condition, inner);
            let first = self.choose(narrowed, a, b1);
            return Some(self.branch(inner, first, b2));
        }
        let outside = inner.denied();
        if self.forms.implies(condition, outside) {
            let narrowed = self.forms.restrict(condition, outside);
            let second = self.choose(narrowed, a, b2);
            return Some(self.branch(inner, b1, second));
        }
        None
    }

    /// `x > k ? k : x` is the least of both, `x < k ? k : x` the greatest.
    fn as_bound(&mut self, condition: F, a: V, b: V) -> Option<V> {
        let (atom, holds) = match self.meanings.get(&condition) {
            Some(atom) => (atom.clone(), true),
            None => {
                let negated = condition.denied();
                (self.meanings.get(&negated)?.clone(), false)
            }
        };
        let (yes, no) = if holds { (a, b) } else { (b, a) };
        match atom {
            Atom::Less(p, q) if (yes, no) == (p, q) => Some(self.bound(Op::Min, p, q)),
            Atom::Less(p, q) if (yes, no) == (q, p) => Some(self.bound(Op::Max, p, q)),
            Atom::AtLeast(x, k) if no == x => {
                let top = self.as_int(yes)?;
                (top == k || top == k - 1).then(|| self.bound(Op::Min, x, yes))
            }
            Atom::AtLeast(x, k) if yes == x => {
                let floor = self.as_int(no)?;
                (floor == k || floor == k - 1).then(|| self.bound(Op::Max, x, no))
            }
            _ => None,
        }
    }

    /// The least or greatest of two numbers that are no choices.
    pub fn bound(&mut self, op: Op, a: V, b: V) -> V {
        if a == b {
            return a;
        }
        if let (Some(x), Some(y)) = (self.as_int(a), self.as_int(b)) {
            let n = if op == Op::Min { x.min(y) } else { x.max(y) };
            return self.int(n);
        }
        let (a, b) = if self.as_int(a).is_some() || (self.as_int(b).is_none() && b < a) {
            (b, a)
        } else {
            (a, b)
        };
        self.op(op, &[a, b])
    }

    /// One value of several guarded ones; the last serves where no guard holds.
    pub fn join(&mut self, parts: &[(F, V)]) -> V {
        let Some(((_, last), rest)) = parts.split_last() else {
            return V::NULL;
        };
        let mut joined = *last;
        for (guard, v) in rest.iter().rev() {
            joined = self.choose(*guard, *v, joined);
        }
        joined
    }
}
