//! Which values are window parameters, or made of them and of what is fixed.
//!
//! Knows no statement.

use super::atom::Atom;
use super::requests::gives_a_thing;
use super::session::Session;
use super::value::{Node, Op, Origin, V};
use crate::pack::WindowKind;

impl Session<'_> {
    /// Whether a value is a window parameter as it was sent.
    pub fn window_of(&self, v: V) -> Option<WindowKind> {
        match self.store.values.node(v) {
            Node::Op(Op::Field, parts) if self.can_be_request(parts[0]) => {
                let name = self.store.values.as_text(parts[1])?;
                self.pack.window(name)
            }
            Node::Symbol(_) => match &self.store.values.symbol_of(v)?.origin {
                Origin::Param(name) => self.pack.window(name),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a value is made of a window parameter, or names one.
    pub(super) fn is_of_window(&self, v: V) -> bool {
        match self.store.values.node(v) {
            Node::Text(name) => self.pack.window(name).is_some(),
            Node::Object(_) | Node::List(_) | Node::Function(..) => false,
            _ => self.store.values.mentions(v, &|x, _| self.window_of(x).is_some()),
        }
    }

    /// Whether a value can be what a caller sent: no response of the service, no row of a
    /// list, nothing of the program's own.
    fn can_be_request(&self, v: V) -> bool {
        match self.store.values.node(v) {
            Node::Symbol(_) => match self.store.values.symbol_of(v).map(|s| &s.origin) {
                Some(Origin::Item(_) | Origin::Key(_) | Origin::Upstream(_)) => false,
                Some(Origin::Call(name)) => !gives_a_thing(name),
                _ => true,
            },
            Node::Op(Op::Field | Op::Decode, parts) => self.can_be_request(parts[0]),
            Node::Unit(_) | Node::Type(..) | Node::List(_) | Node::Null => false,
            _ => true,
        }
    }

    /// Whether a value is made of window parameters, constants and settings only.
    pub(super) fn is_fixed_or_window(&self, v: V) -> bool {
        let values = &self.store.values;
        let mut stack = vec![v];
        for _ in 0..200 {
            let Some(v) = stack.pop() else { return true };
            if self.window_of(v).is_some() {
                continue;
            }
            match values.node(v) {
                Node::Op(Op::Size | Op::Decode, _) | Node::List(_) | Node::Object(_) => {
                    return false
                }
                // A field of a module is a constant that is not in the workspace.
                Node::Op(Op::Field, parts)
                    if !matches!(values.node(parts[0]), Node::Unit(_) | Node::Type(..)) =>
                {
                    return false;
                }
                Node::Op(Op::Field, _) => {}
                Node::Op(_, parts) => stack.extend(parts.iter().copied()),
                Node::Choice(_, a, b) => stack.extend([*a, *b]),
                Node::Symbol(_) => match values.symbol_of(v).map(|s| &s.origin) {
                    Some(Origin::Global(_)) => {}
                    Some(Origin::Call(name))
                        if self.pack.settings.iter().any(|s| s == name.as_str()) => {}
                    _ => return false,
                },
                _ => {}
            }
        }
        false
    }

    /// Whether a value is made of constants and settings only.
    pub fn is_fixed(&self, v: V) -> bool {
        self.is_fixed_or_window(v)
            && !self.store.values.mentions(v, &|x, _| self.window_of(x).is_some())
    }

    /// Whether a fact is about window parameters or numbers of rows.
    pub(super) fn concerns_rows(&self, atom: u32) -> bool {
        let about = |v: V| {
            self.store.values.mentions(v, &|x, node| {
                self.window_of(x).is_some() || matches!(node, Node::Op(Op::Size, _))
            })
        };
        match self.store.values.atom_meaning(atom) {
            Atom::Less(a, b) | Atom::Equal(a, b) => about(*a) || about(*b),
            Atom::AtLeast(v, _) | Atom::Truthy(v) | Atom::Null(v) => about(*v),
            Atom::Has(_, key) => self
                .store
                .values
                .as_text(*key)
                .is_some_and(|k| self.pack.window(k).is_some() || self.pack.is_raw(k)),
            Atom::Free(_) => {
                self.seen.dry.asked.is_some_and(|f| self.store.values.forms.support(f) == [atom])
            }
            _ => false,
        }
    }
}
