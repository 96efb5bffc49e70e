//! The alternatives of a value, each with when it is the value.
//!
//! Knows nothing of what they mean.

use super::formula::F;
use super::value::{Node, Values, MAX_LEAVES, MAX_STEPS, V};

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
            if guard == F::FALSE {
                continue;
            }
            match *self.node(v) {
                Node::Choice(f, a, b) if found.len() + stack.len() < MAX_LEAVES => {
                    let yes = self.forms.choose_within(f, guard, F::FALSE, MAX_STEPS);
                    let no = self.forms.choose_within(f, F::FALSE, guard, MAX_STEPS);
                    if let (Some(yes), Some(no)) = (yes, no) {
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

    /// Whether one of a value's alternatives is such a one, whenever that may hold.
    pub fn any_leaf(&self, v: V, is_one: impl Fn(V, &Node) -> bool) -> bool {
        let mut stack = vec![v];
        while let Some(v) = stack.pop() {
            match self.node(v) {
                Node::Choice(_, a, b) => stack.extend([*a, *b]),
                node if is_one(v, node) => return true,
                _ => {}
            }
        }
        false
    }
}
