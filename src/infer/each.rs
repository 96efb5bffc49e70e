//! Tables that are gone through element by element: `map`, `filter`, `forEach`, and dictionaries as
//! lists of pairs.
//!
//! Knows no pack word and no language; where elements are not known, one stands for all.

use super::formula::F;
use super::loops::MAX_ROUNDS;
use super::session::Session;
use super::store::{Event, Store};
use super::value::{ListId, Node, Op, Origin, V};
use crate::ir::{Builtin, Range};

impl Store {
    /// The first element that is there, of a list whose elements are all known.
    pub(super) fn first_of(&mut self, id: ListId) -> V {
        let elements = self.list(id).elements.clone();
        elements.into_iter().rev().fold(V::NULL, |rest, (f, v)| self.values.choose(f, v, rest))
    }
}

impl<'p> Session<'p> {
    /// Runs a function for the elements of a list; gives the list that comes of it.
    pub(super) fn each(&mut self, builtin: Builtin, x: V, f: Option<V>, range: Range) -> V {
        let table = self.table(x).filter(|t| builtin != Builtin::Filter || self.is_of_handlers(t));
        if let (Some(f), Some(elements)) = (f, table) {
            return self.each_known(builtin, (x, elements), f, range);
        }
        let element = self.store.values.symbol(Origin::Item(x), None);
        let result = f.and_then(|f| {
            let ran = self.store.values.free_atom();
            let mut result = None;
            self.branch(ran, |s| result = s.invoke(f, &[element], false, range), |_| {}, range);
            result
        });
        match builtin {
            Builtin::ForEach => V::NULL,
            Builtin::Filter => {
                let v = self.derived_list(x, range, false);
                if let Node::List(id) = *self.store.values.node(v) {
                    self.store.lists[id.0 as usize].filtered = true;
                }
                v
            }
            _ => {
                let v = self.derived_list(x, range, false);
                if let (Node::List(id), Some(result)) = (self.store.values.node(v).clone(), result)
                {
                    self.store.lists[id.0 as usize].elements.push((F::TRUE, result));
                }
                v
            }
        }
    }

    /// The elements of a list that is written out as a table: all are known, and none is data.
    fn table(&mut self, x: V) -> Option<Vec<(F, V)>> {
        let Node::List(id) = *self.store.values.node(x) else { return None };
        let list = self.store.list(id);
        let written = |v: V| {
            matches!(
                self.store.values.node(v),
                Node::Object(_) | Node::List(_) | Node::Text(_) | Node::Function(..)
            )
        };
        let whole = !list.open && (1..=MAX_ROUNDS).contains(&list.elements.len());
        (whole && list.elements.iter().all(|(_, v)| written(*v))).then(|| list.elements.clone())
    }

    /// Whether the elements are objects that hold functions: what is looked up in them is run.
    fn is_of_handlers(&self, elements: &[(F, V)]) -> bool {
        let runs = |v: V| matches!(self.store.values.node(v), Node::Function(..));
        elements.iter().any(|(_, v)| {
            let Some(id) = self.store.body(*v) else { return false };
            self.store.object(id).log.iter().any(|event| match event {
                Event::Write { value, .. } => runs(*value),
                Event::Remove { .. } | Event::Clear { .. } | Event::Copy { .. } => false,
            })
        })
    }

    fn each_known(
        &mut self,
        builtin: Builtin,
        (x, elements): (V, Vec<(F, V)>),
        f: V,
        range: Range,
    ) -> V {
        let mut given = Vec::with_capacity(elements.len());
        self.unrolling += 1;
        for (when, element) in elements {
            let mut result = None;
            self.branch(when, |s| result = s.invoke(f, &[element], false, range), |_| {}, range);
            let result = result.unwrap_or_else(|| self.store.values.unknown());
            match builtin {
                Builtin::Filter => {
                    let holds = self.truth(result);
                    let f = self.store.values.forms.and(when, holds);
                    given.extend((f != F::FALSE).then_some((f, element)));
                }
                _ => given.push((when, result)),
            }
        }
        self.unrolling -= 1;
        if builtin == Builtin::ForEach {
            return V::NULL;
        }
        let site = self.site(range);
        let v = self.store.new_list(site, given, false);
        if let Node::List(id) = *self.store.values.node(v) {
            let list = &mut self.store.lists[id.0 as usize];
            list.base = Some(x);
            list.filtered = builtin == Builtin::Filter;
        }
        v
    }

    /// The pairs of a dictionary whose keys are all known.
    fn known_pairs(&mut self, x: V, range: Range) -> Option<V> {
        let id = self.store.body(x).filter(|id| self.keys_are_known(*id))?;
        let keys = self.store.keys(id);
        if keys.is_empty() || keys.iter().any(|k| self.store.values.as_text(*k).is_none()) {
            return None;
        }
        let site = self.site(range);
        let pc = self.pc;
        let mut pairs = Vec::with_capacity(keys.len());
        for key in keys {
            let when = self.store.has(x, key, pc);
            let value = self.store.read(x, key, pc);
            let pair = self.store.new_list(site, vec![(F::TRUE, key), (F::TRUE, value)], false);
            pairs.push((when, pair));
        }
        Some(self.store.new_list(site, pairs, false))
    }

    /// The list of an object's pairs.
    pub(super) fn entries_of(&mut self, x: V, range: Range) -> V {
        match self.known_pairs(x, range) {
            Some(pairs) => pairs,
            None => self.derived_list(x, range, false),
        }
    }

    /// What is taken apart into two where a thing is gone through: the pairs of a dictionary, the
    /// elements of anything else.
    pub(super) fn pairs_of(&mut self, x: V, range: Range) -> V {
        self.known_pairs(x, range).unwrap_or(x)
    }

    /// An object made of a list of pairs.
    pub(super) fn object_of_pairs(&mut self, x: V, range: Range) -> V {
        let site = self.site(range);
        let pc = self.pc;
        let pairs = self.table(x).and_then(|pairs| {
            let (at_key, at_value) = (self.store.values.int(0), self.store.values.int(1));
            let part = |s: &mut Self, pair: V, at: V| s.store.read(pair, at, pc);
            let pairs = pairs.into_iter().map(|(when, pair)| {
                let key = part(self, pair, at_key);
                let value = part(self, pair, at_value);
                self.store.values.as_text(key).is_some().then_some((when, key, value))
            });
            pairs.collect::<Option<Vec<_>>>()
        });
        let Some(pairs) = pairs else {
            let base = self.store.values.op(Op::Other, &[x]);
            return self.store.new_object(site, pc, Some(base), None);
        };
        let v = self.store.new_object(site, pc, None, None);
        for (when, key, value) in pairs {
            let guard = self.store.values.forms.and(pc, when);
            self.store.write(v, key, value, guard, site, true);
        }
        v
    }
}
