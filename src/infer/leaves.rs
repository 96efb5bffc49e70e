//! The alternatives of a value, each with when it is the value, and what is made of all of them.
//!
//! Knows nothing of what they mean.

use super::formula::F;
use super::value::{Node, Values, MAX_LEAVES, MAX_STEPS, V};

/// Most steps that may be spent on what one way of a value leaves of the paths asked about.
const MAX_CARE: u32 = 300;

/// How a value can go.
pub(super) enum Ways {
    /// One way, under the condition given.
    One(V, F),
    /// The first where the condition holds, else the second, each with what holds there.
    Two(F, (V, F), (V, F)),
}

impl Values {
    /// The alternatives of a value that can occur under `care`, with their conditions
    /// (which together cover `care` and exclude each other).
    pub fn leaves(&mut self, v: V, care: F) -> Vec<(F, V)> {
        if !matches!(self.node(v), Node::Choice(..)) {
            return vec![(care, v)];
        }
        let mut found: Vec<(F, V)> = Vec::new();
        let mut stack = vec![(care, v)];
        while let Some((guard, v)) = stack.pop() {
            self.forms.work.did(1);
            if guard == F::FALSE {
                continue;
            }
            match *self.node(v) {
                Node::Choice(f, a, b) if found.len() + stack.len() < MAX_LEAVES => {
                    if let Some((yes, no)) = self.forms.divide(f, guard, MAX_STEPS) {
                        stack.push((no, b));
                        stack.push((yes, a));
                    } else {
                        let unknown = self.unknown();
                        found.push((guard, unknown));
                    }
                }
                Node::Choice(..) => {
                    let unknown = self.unknown();
                    found.push((guard, unknown));
                }
                _ => match found.iter_mut().find(|(_, seen)| *seen == v) {
                    Some((known, _)) => {
                        match self.forms.choose_within(*known, F::TRUE, guard, MAX_STEPS) {
                            Some(either) => *known = either,
                            None => found.push((guard, v)),
                        }
                    }
                    None => found.push((guard, v)),
                },
            }
        }
        found
    }

    /// The alternatives of a value that can occur under `care`, each once, as far as little work
    /// tells.
    pub fn occurring(&mut self, v: V, care: F) -> Vec<V> {
        let mut found = Vec::new();
        let mut stack = vec![(F::TRUE, v)];
        while let Some((path, v)) = stack.pop() {
            let Node::Choice(f, a, b) = *self.node(v) else {
                if !found.contains(&v) {
                    found.push(v);
                }
                continue;
            };
            for (f, way) in [(f.denied(), b), (f, a)] {
                let path = self.forms.choose_within(f, path, F::FALSE, MAX_CARE).unwrap_or(path);
                if self.forms.compatible(path, care) {
                    stack.push((path, way));
                }
            }
        }
        found
    }

    /// The alternatives of a value, whenever they may occur, as far as they are not many.
    pub(super) fn parts(&self, v: V) -> Vec<V> {
        let mut parts = Vec::new();
        let mut stack = vec![v];
        while let Some(v) = stack.pop() {
            match self.node(v) {
                Node::Choice(_, a, b) if parts.len() < 64 => stack.extend([*b, *a]),
                _ => parts.push(v),
            }
        }
        parts
    }

    /// Whether one of a value's alternatives is such a one, whenever that may hold.
    pub fn any_leaf(&self, v: V, is_one: impl Fn(V, &Node) -> bool) -> bool {
        let mut stack = vec![v];
        while let Some(v) = stack.pop() {
            self.forms.work.did(1);
            match self.node(v) {
                Node::Choice(_, a, b) => stack.extend([*a, *b]),
                node if is_one(v, node) => return true,
                _ => {}
            }
        }
        false
    }

    /// The ways that a choice can go under `care`.
    pub(super) fn ways(&mut self, v: V, care: F) -> Ways {
        let Node::Choice(f, a, b) = *self.node(v) else { return Ways::One(v, care) };
        // What is too much to write admits both ways.
        let yes = match self.forms.choose_within(f, care, F::FALSE, MAX_CARE) {
            Some(F::FALSE) => return Ways::One(b, care),
            Some(yes) if yes == care => return Ways::One(a, care),
            yes => yes.unwrap_or(care),
        };
        let no = self.forms.choose_within(f, F::FALSE, care, MAX_CARE).unwrap_or(care);
        Ways::Two(f, (a, yes), (b, no))
    }

    /// Applies a function to every alternative that can occur under `care`.
    pub fn map(&mut self, v: V, care: F, mut f: impl FnMut(&mut Self, V) -> V) -> V {
        self.map_with(v, care, &mut |values, v, _| f(values, v))
    }

    fn map_with(&mut self, v: V, care: F, f: &mut dyn FnMut(&mut Self, V, F) -> V) -> V {
        match self.ways(v, care) {
            Ways::One(w, care) if w == v => f(self, w, care),
            Ways::One(w, care) => self.map_with(w, care, f),
            Ways::Two(condition, (a, yes), (b, no)) => {
                let a = self.map_with(a, yes, f);
                let b = self.map_with(b, no, f);
                self.branch(condition, a, b)
            }
        }
    }

    /// Applies a function to every pair of alternatives.
    pub fn map2(&mut self, a: V, b: V, care: F, mut f: impl FnMut(&mut Self, V, V) -> V) -> V {
        self.map_with(a, care, &mut |values, a, care| {
            values.map_with(b, care, &mut |values, b, _| f(values, a, b))
        })
    }

    /// The formula for which a function of every pair of alternatives holds.
    pub fn test2(&mut self, a: V, b: V, care: F, mut f: impl FnMut(&mut Self, V, V) -> F) -> F {
        let holds = self.test_with(a, care, &mut |values, a, care| {
            values.test_with(b, care, &mut |values, b, _| f(values, a, b))
        });
        self.short(holds)
    }

    fn test_with(&mut self, v: V, care: F, f: &mut dyn FnMut(&mut Self, V, F) -> F) -> F {
        match self.ways(v, care) {
            Ways::One(w, care) if w == v => f(self, w, care),
            Ways::One(w, care) => self.test_with(w, care, f),
            Ways::Two(condition, (a, yes), (b, no)) => {
                let a = self.test_with(a, yes, f);
                let b = self.test_with(b, no, f);
                self.either(condition, a, b)
            }
        }
    }
}
