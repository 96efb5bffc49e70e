//! What values that are not known were made of: the arguments of calls that could not be
//! followed, back to a request that asks for a page.
//!
//! Knows no call by name.

use rustc_hash::FxHashSet;

use super::session::Session;
use super::store::Event;
use super::value::{Node, Op, Origin, V};

/// Most values that one look goes through.
const MAX_STEPS: usize = 400;

impl Session<'_> {
    /// Remembers what the result of a call was made of.
    pub(super) fn note_made(&mut self, result: V, base: Option<V>, args: &[V]) {
        if self.pack.outlets.whole.is_empty() {
            return;
        }
        // Of several results only the one beside an error is the whole.
        let part = match self.store.values.node(result) {
            Node::Op(Op::Tuple, parts) if parts.len() == 2 => parts[0],
            Node::Op(Op::Tuple, _) => return,
            _ => result,
        };
        let from: Box<[V]> = base.into_iter().chain(args.iter().copied()).collect();
        if let std::collections::hash_map::Entry::Vacant(new) = self.seen.made_of.entry(part) {
            new.insert(from);
            let site = self.site(self.statement);
            self.seen.made_at.insert(part, site);
        }
    }

    /// The same for a function of the workspace that is not run; one that is given a response
    /// may give back less of it.
    pub(super) fn note_not_run(&mut self, result: V, this: Option<V>, args: &[V]) {
        if !args.iter().any(|arg| self.whole_result(*arg).is_some()) {
            self.note_made(result, this, args);
        }
    }

    /// What is written into a part of something not known belongs to what that was made of.
    pub(super) fn note_part(&mut self, target: V, put: &[V]) {
        if self.pack.outlets.whole.is_empty() {
            return;
        }
        let mut root = target;
        while let Node::Op(Op::Field, parts) = self.store.values.node(root) {
            root = parts[0];
        }
        if root == target || !matches!(self.store.values.node(root), Node::Symbol(_)) {
            return;
        }
        let known = self.seen.made_of.entry(root).or_default();
        if known.len() < 64 {
            *known = known.iter().chain(put).copied().collect();
        }
    }

    /// The call whose whole result a value is: its symbol, if nothing took it apart.
    pub(super) fn whole_result(&self, v: V) -> Option<V> {
        let mut stack = vec![v];
        let mut seen = FxHashSet::default();
        while let Some(at) = stack.pop() {
            if !seen.insert(at) || seen.len() > 64 {
                continue;
            }
            match self.store.values.node(at) {
                Node::Symbol(_) if self.seen.made_of.contains_key(&at) => return Some(at),
                Node::Op(Op::Field, parts) if self.is_whole_part(parts[0], parts[1]) => {
                    stack.push(parts[0])
                }
                Node::Op(Op::Decode | Op::Encode, parts) => stack.push(parts[0]),
                Node::Choice(_, a, b) => stack.extend([*b, *a]),
                _ => {}
            }
            let Some(id) = self.store.body(at) else { continue };
            let object = self.store.object(id);
            stack.extend(object.base.filter(|b| *b != at));
            for event in &object.log {
                match event {
                    Event::Copy { from, .. } => stack.push(*from),
                    Event::Write { key, .. } => {
                        let origin = self.store.values.symbol_of(*key).map(|s| &s.origin);
                        if let Some(Origin::Key(of)) = origin {
                            stack.push(*of);
                        }
                    }
                    Event::Remove { .. } | Event::Clear { .. } => {}
                }
            }
        }
        None
    }

    /// Whether a field holds all of a response: the first of two results, or a body.
    fn is_whole_part(&self, base: V, key: V) -> bool {
        match self.store.values.node(key) {
            Node::Int(0) => !self.seen.taken_apart.contains(&base),
            Node::Text(name) => self.pack.outlets.whole.iter().any(|w| w == name.as_str()),
            _ => false,
        }
    }

    /// Whether a result came of a request that takes a cursor or token; where the result shows that
    /// it pages, also by a word that means other things too.
    pub(super) fn came_of_paging(&self, result: V, pages: bool) -> bool {
        let mut stack = vec![result];
        let mut seen = FxHashSet::default();
        while let Some(v) = stack.pop() {
            if seen.len() > MAX_STEPS || !seen.insert(v) {
                continue;
            }
            if let Some(from) = self.seen.made_of.get(&v) {
                stack.extend(from.iter());
            }
            match self.store.values.node(v) {
                Node::Text(text) if self.pack.asks_in_text(text) => return true,
                // A part of an answer was chosen, and an error is none.
                Node::Op(Op::Field, parts) if !self.is_whole_part(parts[0], parts[1]) => {}
                Node::Op(_, parts) => stack.extend(parts.iter()),
                Node::Choice(_, a, b) => stack.extend([*a, *b]),
                Node::List(id) => {
                    stack.extend(self.store.list(*id).elements.iter().map(|(_, v)| *v))
                }
                _ => {}
            }
            let Some(id) = self.store.body(v) else { continue };
            for event in &self.store.object(id).log {
                match event {
                    Event::Write { key, value, .. } => {
                        let asks = self.store.values.mentions(*key, &|_, n| match n {
                            Node::Text(text) => {
                                self.pack.is_request_key(text)
                                    || pages && self.pack.is_weak_request_key(text)
                            }
                            _ => false,
                        });
                        if asks {
                            return true;
                        }
                        stack.push(*value);
                    }
                    Event::Copy { from, .. } => stack.push(*from),
                    Event::Remove { .. } | Event::Clear { .. } => {}
                }
            }
        }
        false
    }

    /// Whether a value is taken out of a response as what continues a page.
    pub(super) fn continues_page(&self, v: V) -> bool {
        if self.pack.outlets.whole.is_empty() {
            return false;
        }
        match self.store.values.node(v) {
            Node::Op(Op::Field, parts) => {
                let raw = |t: &str| self.pack.is_raw(t) && !self.pack.is_raw_more(t);
                self.store.values.as_text(parts[1]).is_some_and(|t| raw(t))
            }
            Node::Choice(_, a, b) => self.continues_page(*a) || self.continues_page(*b),
            _ => false,
        }
    }
}
