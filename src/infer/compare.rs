//! What a test says: truth, equality and order of values, as formulas.
//!
//! Comparisons of one value with several constants are encoded so that they exclude or imply
//! each other as the constants do. Knows nothing of statements.

use super::atom::Atom;
use super::formula::F;
use super::value::{Node, Op, Origin, Values, V};
use super::work::Work;
use crate::ir::Name;

/// Whether a variable's name says that it holds an error (`errClosed`, `ErrClosed`).
fn names_an_error(name: &str) -> bool {
    let rest = name.strip_prefix("err").or_else(|| name.strip_prefix("Err"));
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_uppercase()))
}

impl Values {
    /// Whether a value counts as true.
    pub fn truthy(&mut self, v: V, care: F) -> F {
        self.test2(v, V::NULL, care, |values, v, _| values.truthy_leaf(v))
    }

    fn truthy_leaf(&mut self, v: V) -> F {
        match self.node(v) {
            Node::Null => F::FALSE,
            Node::Cond(f) => *f,
            Node::Int(n) => F::constant(*n != 0),
            Node::Float(bits) => F::constant(f64::from_bits(*bits) != 0.0),
            Node::Text(text) => F::constant(!text.is_empty()),
            Node::Object(_)
            | Node::List(_)
            | Node::Function(..)
            | Node::Unit(_)
            | Node::Type(..) => F::TRUE,
            Node::Op(Op::Size | Op::Add | Op::Sub | Op::Min | Op::Max, _) => self.at_least_or(v, 1),
            Node::Op(Op::Text, _) => self.nonempty(v),
            Node::Symbol(_)
                if matches!(self.symbol_of(v).map(|s| &s.origin), Some(Origin::Error)) =>
            {
                F::TRUE
            }
            Node::Op(..) | Node::Symbol(_) | Node::Choice(..) => {
                if let Some(f) = self.known_atom(&Atom::Truthy(v)) {
                    return f;
                }
                let own = self.atom(Atom::Truthy(v));
                match self.known_atom(&Atom::Null(v)) {
                    Some(null) => self.forms.minus(own, null),
                    None => own,
                }
            }
        }
    }

    fn at_least_or(&mut self, v: V, k: i64) -> F {
        self.at_least(v, k)
    }

    /// Whether a value is null or missing.
    pub fn is_null(&mut self, v: V, care: F) -> F {
        self.test2(v, V::NULL, care, |values, v, _| values.is_null_leaf(v))
    }

    fn is_null_leaf(&mut self, v: V) -> F {
        match self.node(v) {
            Node::Null => F::TRUE,
            Node::Op(Op::Other, parts) if self.is_free_error(parts) => F::FALSE,
            Node::Symbol(_) | Node::Op(Op::Field | Op::Other | Op::Decode, _) => {
                if let Some(symbol) = self.symbol_of(v) {
                    match &symbol.origin {
                        Origin::Error | Origin::Counter(_) | Origin::Key(_) => return F::FALSE,
                        Origin::Global(name) if names_an_error(name) => return F::FALSE,
                        _ => {}
                    }
                }
                if let Some(f) = self.known_atom(&Atom::Null(v)) {
                    return f;
                }
                let own = self.atom(Atom::Null(v));
                match self.known_atom(&Atom::Truthy(v)) {
                    Some(truthy) => self.forms.minus(own, truthy),
                    None => own,
                }
            }
            _ => F::FALSE,
        }
    }

    /// Whether a name that is declared nowhere in the workspace is an error's.
    fn is_free_error(&self, parts: &[V]) -> bool {
        let [name] = parts else { return false };
        self.as_text(*name).and_then(|t| t.strip_prefix("global ")).is_some_and(names_an_error)
    }

    /// Whether a text, list or object has anything in it; `v` is no choice.
    pub fn nonempty(&mut self, v: V) -> F {
        match self.node(v) {
            Node::Text(text) => F::constant(!text.is_empty()),
            Node::Null => F::FALSE,
            // What tells of an error says something.
            Node::Symbol(_)
                if matches!(self.symbol_of(v).map(|s| &s.origin), Some(Origin::Error)) =>
            {
                F::TRUE
            }
            Node::Op(Op::Text | Op::Add, parts) => {
                let parts = parts.clone();
                if parts.iter().any(|p| self.as_text(*p).is_some_and(|t| !t.is_empty())) {
                    return F::TRUE;
                }
                let mut any = F::FALSE;
                for part in parts.iter() {
                    let here =
                        self.test2(*part, V::NULL, F::TRUE, |values, p, _| values.nonempty(p));
                    any = self.forms.or(any, here);
                }
                any
            }
            _ => {
                let zero = self.int(0);
                let size = self.op(Op::Size, &[v, zero]);
                self.at_least(size, 1)
            }
        }
    }

    /// Whether two values are equal.
    pub fn equal(&mut self, a: V, b: V, care: F) -> F {
        self.test2(a, b, care, |values, a, b| values.equal_leaf(a, b))
    }

    fn equal_leaf(&mut self, a: V, b: V) -> F {
        if a == b {
            return F::TRUE;
        }
        let (na, nb) = (self.node(a).clone(), self.node(b).clone());
        match (&na, &nb) {
            (Node::Null, _) => return self.is_null_leaf(b),
            (_, Node::Null) => return self.is_null_leaf(a),
            (Node::Cond(x), Node::Cond(y)) => {
                let no = y.denied();
                return self.forms.choose(*x, *y, no);
            }
            (Node::Cond(f), Node::Symbol(_) | Node::Op(..)) => return self.same_truth(*f, b),
            (Node::Symbol(_) | Node::Op(..), Node::Cond(f)) => return self.same_truth(*f, a),
            (Node::Text(_), Node::Text(_)) | (Node::Int(_), Node::Int(_)) => return F::FALSE,
            (Node::Text(text), _) => return self.is_text(b, text),
            (_, Node::Text(text)) => return self.is_text(a, text),
            (Node::Int(k), Node::Symbol(_) | Node::Op(..)) => return self.exactly(b, *k),
            (Node::Symbol(_) | Node::Op(..), Node::Int(k)) => return self.exactly(a, *k),
            _ => {}
        }
        let fixed = |n: &Node| {
            matches!(
                n,
                Node::Cond(_)
                    | Node::Int(_)
                    | Node::Float(_)
                    | Node::Object(_)
                    | Node::List(_)
                    | Node::Function(..)
            )
        };
        if fixed(&na) && fixed(&nb) {
            return F::FALSE;
        }
        for (bounded, v) in [(&na, b), (&nb, a)] {
            if let Some(f) = self.unmoved(bounded, v) {
                return f;
            }
        }
        let (x, y) = if a < b { (a, b) } else { (b, a) };
        // The rows of a page are never more than were counted past its cap.
        for (size, counted) in [(a, b), (b, a)] {
            let fewer = self.is_size(size) && self.is_counter(counted);
            if let Some(less) = fewer.then(|| self.known_atom(&Atom::Less(size, counted))).flatten()
            {
                return less.denied();
            }
        }
        self.atom(Atom::Equal(x, y))
    }

    fn is_size(&self, v: V) -> bool {
        matches!(self.node(v), Node::Op(Op::Size, _))
    }

    fn is_counter(&self, v: V) -> bool {
        matches!(self.symbol_of(v).map(|s| &s.origin), Some(Origin::Counter(_)))
    }

    /// When a bound leaves a value as it is.
    fn unmoved(&mut self, bounded: &Node, v: V) -> Option<F> {
        let Node::Op(op @ (Op::Min | Op::Max), parts) = bounded else { return None };
        for (inner, bound) in [(parts[0], parts[1]), (parts[1], parts[0])] {
            let same = if inner == v {
                F::TRUE
            } else {
                let inner = self.node(inner).clone();
                match self.unmoved(&inner, v) {
                    Some(f) => f,
                    None => continue,
                }
            };
            let moved = match op {
                Op::Min => self.less(bound, v, F::TRUE),
                _ => self.less(v, bound, F::TRUE),
            };
            return Some(self.forms.minus(same, moved));
        }
        None
    }

    fn same_truth(&mut self, f: F, v: V) -> F {
        let truth = self.truthy_leaf(v);
        let no = truth.denied();
        self.forms.choose(f, truth, no)
    }

    fn exactly(&mut self, v: V, k: i64) -> F {
        let low = self.at_least(v, k);
        let high = self.at_least(v, k.saturating_add(1));
        self.forms.minus(low, high)
    }

    /// Whether a value that is no choice is this text.
    pub fn is_text(&mut self, v: V, text: &Name) -> F {
        match self.node(v) {
            Node::Text(own) => return F::constant(own == text),
            Node::Symbol(_) | Node::Op(..) => {}
            _ => return F::FALSE,
        }
        if text.is_empty() {
            let some = self.nonempty(v);
            return some.denied();
        }
        if let Some(f) = self
            .texts
            .get(&v)
            .and_then(|known| known.iter().find(|(t, _)| t == text).map(|(_, f)| *f))
        {
            return f;
        }
        // Later texts of one value exclude the earlier ones.
        let earlier: Vec<F> = self.texts.get(&v).into_iter().flatten().map(|(_, f)| *f).collect();
        let mut f = self.atom(Atom::IsText(v, text.clone()));
        for other in earlier {
            f = self.forms.minus(f, other);
        }
        self.meanings.insert(f, Atom::IsText(v, text.clone()));
        self.texts.entry(v).or_default().push((text.clone(), f));
        f
    }

    /// Whether the first number is less than the second.
    pub fn less(&mut self, a: V, b: V, care: F) -> F {
        self.test2(a, b, care, |values, a, b| values.less_leaf(a, b))
    }

    fn less_leaf(&mut self, a: V, b: V) -> F {
        if a == b {
            return F::FALSE;
        }
        match (self.node(a).clone(), self.node(b).clone()) {
            (Node::Int(x), Node::Int(y)) => return F::constant(x < y),
            (Node::Float(x), Node::Float(y)) => {
                return F::constant(f64::from_bits(x) < f64::from_bits(y))
            }
            (Node::Int(k), _) => return self.at_least(b, k.saturating_add(1)),
            (_, Node::Int(k)) => {
                let reached = self.at_least(a, k);
                return reached.denied();
            }
            (Node::Op(Op::Min, parts), _) if parts.contains(&b) => {
                let other = if parts[0] == b { parts[1] } else { parts[0] };
                return self.less_leaf(other, b);
            }
            (_, Node::Op(Op::Max, parts)) if parts.contains(&a) => {
                let other = if parts[0] == a { parts[1] } else { parts[0] };
                return self.less_leaf(a, other);
            }
            (_, Node::Op(Op::Min, parts)) if parts.contains(&a) => return F::FALSE,
            (Node::Op(Op::Max, parts), _) if parts.contains(&b) => return F::FALSE,
            _ => {}
        }
        if let Some(f) = self.known_atom(&Atom::Less(a, b)) {
            return f;
        }
        if let Some(reverse) = self.known_atom(&Atom::Less(b, a)) {
            let own = self.atom(Atom::Less(a, b));
            let f = self.forms.minus(own, reverse);
            self.meanings.insert(f, Atom::Less(a, b));
            return f;
        }
        self.atom(Atom::Less(a, b))
    }

    /// Whether a number that is no choice is at least `k`.
    pub fn at_least(&mut self, v: V, k: i64) -> F {
        if self.forms.work.is_out_after(Work::NODE) {
            return self.atom(Atom::AtLeast(v, k));
        }
        match self.node(v).clone() {
            Node::Int(n) => return F::constant(n >= k),
            Node::Float(bits) => return F::constant(f64::from_bits(bits) >= k as f64),
            Node::Choice(f, a, b) => {
                let (fa, fb) = (self.at_least(a, k), self.at_least(b, k));
                return self.forms.choose(f, fa, fb);
            }
            Node::Op(Op::Add, parts) if parts.len() == 2 => {
                if let Some(c) = self.as_int(parts[1]) {
                    return self.at_least(parts[0], k.saturating_sub(c));
                }
                if let Some(c) = self.as_int(parts[0]) {
                    return self.at_least(parts[1], k.saturating_sub(c));
                }
                // Two numbers that are not below zero make none.
                if k <= 0 {
                    let (x, y) = (self.at_least(parts[0], 0), self.at_least(parts[1], 0));
                    let both = self.forms.and(x, y);
                    let own = self.at_least_as_is(v, k);
                    return self.forms.or(both, own);
                }
            }
            Node::Op(Op::Sub, parts) if parts.len() == 2 => {
                if let Some(c) = self.as_int(parts[1]) {
                    return self.at_least(parts[0], k.saturating_add(c));
                }
            }
            Node::Op(Op::Min, parts) => {
                let (x, y) = (self.at_least(parts[0], k), self.at_least(parts[1], k));
                return self.forms.and(x, y);
            }
            Node::Op(Op::Max, parts) => {
                let (x, y) = (self.at_least(parts[0], k), self.at_least(parts[1], k));
                return self.forms.or(x, y);
            }
            Node::Op(Op::Size, _) if k <= 0 => return F::TRUE,
            Node::Symbol(_) if k <= 0 => {
                if let Some(Origin::Counter(fact)) = self.symbol_of(v).map(|s| s.origin.clone()) {
                    if self.as_int(fact.before).is_some_and(|n| n >= k) {
                        return F::TRUE;
                    }
                }
            }
            Node::Null | Node::Cond(_) | Node::Text(_) => return F::FALSE,
            _ => {}
        }
        self.at_least_as_is(v, k)
    }

    /// Whether a number of which nothing else is known is at least `k`.
    fn at_least_as_is(&mut self, v: V, k: i64) -> F {
        let known = self.thresholds.get(&v).cloned().unwrap_or_default();
        if let Some((_, f)) = known.iter().find(|(n, _)| *n == k) {
            return *f;
        }
        // A new threshold lies between its neighbours: reaching it implies the lower ones and
        // follows from the higher ones.
        let mut f = self.atom(Atom::AtLeast(v, k));
        if let Some((_, higher)) = known.iter().filter(|(n, _)| *n > k).min_by_key(|(n, _)| *n) {
            f = self.forms.or(f, *higher);
        }
        if let Some((_, lower)) = known.iter().filter(|(n, _)| *n < k).max_by_key(|(n, _)| *n) {
            f = self.forms.and(f, *lower);
        }
        self.meanings.insert(f, Atom::AtLeast(v, k));
        self.thresholds.entry(v).or_default().push((k, f));
        f
    }
}
