//! Values and formulas with a key put in for one that varies.
//!
//! Knows nothing of statements or packs.

use rustc_hash::FxHashMap;

use super::atom::Atom;
use super::formula::F;
use super::store::Store;
use super::value::{Node, Op, Origin, Values, V};

/// Most reads inside reads that putting in a key follows.
const MAX_PUT_DEPTH: u8 = 3;

impl Store {
    /// Whether a key stands for every key of something that is iterated.
    pub(super) fn can_vary(&self, key: V) -> bool {
        self.values.symbol_of(key).is_some_and(|s| matches!(s.origin, Origin::Key(_)))
    }

    /// `v` with the variable key `from` taken to be `to`.
    pub fn put(&mut self, v: V, from: V, to: V) -> V {
        if self.changes != self.put_changes {
            self.put_changes = self.changes;
            self.put_values.clear();
            self.put_formulas.clear();
        }
        self.put_known(v, from, to)
    }

    fn put_known(&mut self, v: V, from: V, to: V) -> V {
        if v == from {
            return to;
        }
        // What was there before the key is not made of it.
        if v < from {
            return v;
        }
        if let Some(known) = self.put_values.get(&(v, from, to)) {
            return *known;
        }
        let put = self.put_anew(v, from, to);
        self.put_values.insert((v, from, to), put);
        put
    }

    fn put_anew(&mut self, v: V, from: V, to: V) -> V {
        match self.values.node(v).clone() {
            Node::Op(Op::Field, parts) if parts.contains(&from) => {
                let base = self.put_known(parts[0], from, to);
                let key = self.put_known(parts[1], from, to);
                if self.put_depth >= MAX_PUT_DEPTH {
                    return self.values.op(Op::Field, &[base, key]);
                }
                self.put_depth += 1;
                let v = self.read(base, key, F::TRUE);
                self.put_depth -= 1;
                v
            }
            Node::Op(op, parts) => {
                let new: Vec<V> = parts.iter().map(|p| self.put_known(*p, from, to)).collect();
                if new[..] == parts[..] {
                    return v;
                }
                self.values.op(op, &new)
            }
            Node::Choice(f, a, b) => {
                let f = self.put_formula(f, from, to);
                let (a, b) = (self.put_known(a, from, to), self.put_known(b, from, to));
                self.values.choose(f, a, b)
            }
            Node::Cond(f) => {
                let f = self.put_formula(f, from, to);
                self.values.cond(f)
            }
            _ => v,
        }
    }

    /// `f` with the variable key `from` taken to be `to`.
    pub fn put_formula(&mut self, f: F, from: V, to: V) -> F {
        if self.values.forms.is_older(f, self.values.born(from)) {
            return f;
        }
        if let Some(known) = self.put_formulas.get(&(f, from, to)) {
            return *known;
        }
        let put = self.put_formula_anew(f, from, to);
        self.put_formulas.insert((f, from, to), put);
        put
    }

    fn put_formula_anew(&mut self, f: F, from: V, to: V) -> F {
        // A fact that was there before the key says nothing of it.
        let first = self.values.born(from);
        let mut new: FxHashMap<u32, F> = FxHashMap::default();
        for id in self.values.forms.support_since(f, first) {
            let atom = self.values.atom_meaning(id).clone();
            let about = |v: V, values: &Values| values.is_made_of(v, from);
            let replaced = match atom {
                Atom::IsText(v, text) if v == from => {
                    // The encoding of later texts names the earlier ones, so a plain
                    // comparison is right for each atom.
                    F::constant(self.values.as_text(to).is_some_and(|t| *t == text))
                }
                Atom::IsText(v, text) if about(v, &self.values) => {
                    let v = self.put_known(v, from, to);
                    self.values.test2(v, V::NULL, F::TRUE, |vs, v, _| vs.is_text(v, &text))
                }
                Atom::Truthy(v) if about(v, &self.values) => {
                    let v = self.put_known(v, from, to);
                    self.values.truthy(v, F::TRUE)
                }
                Atom::Null(v) if about(v, &self.values) => {
                    let v = self.put_known(v, from, to);
                    self.values.is_null(v, F::TRUE)
                }
                // The question may lead back to itself through what the object was filled from.
                Atom::Has(o, k) if k == from && self.put_depth >= MAX_PUT_DEPTH => {
                    self.values.atom(Atom::Has(o, to))
                }
                Atom::Has(o, k) if k == from => {
                    self.put_depth += 1;
                    let there = self.has(o, to, F::TRUE);
                    self.put_depth -= 1;
                    there
                }
                Atom::IsType(v, ty) if about(v, &self.values) => {
                    let v = self.put_known(v, from, to);
                    self.values.atom(Atom::IsType(v, ty))
                }
                Atom::Equal(a, b) if about(a, &self.values) || about(b, &self.values) => {
                    let (a, b) = (self.put_known(a, from, to), self.put_known(b, from, to));
                    self.values.equal(a, b, F::TRUE)
                }
                Atom::AtLeast(v, k) if about(v, &self.values) => {
                    let v = self.put_known(v, from, to);
                    self.values.at_least(v, k)
                }
                _ => continue,
            };
            new.insert(id, replaced);
        }
        if new.is_empty() {
            return f;
        }
        self.values.forms.substitute(f, first, &|a| new.get(&a).copied())
    }
}
