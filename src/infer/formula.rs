//! Under which condition: formulas over tested facts, as reduced ordered decision diagrams.
//!
//! Equal formulas have equal ids, so "is this always so?" is a comparison. Knows nothing of
//! what an atom means.

use std::cell::RefCell;
use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::choices::Choices;

/// A formula by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct F(u32);

impl F {
    /// Never.
    pub const FALSE: F = F(0);
    /// Always.
    pub const TRUE: F = F(1);

    /// `TRUE` or `FALSE`.
    pub fn constant(value: bool) -> F {
        if value {
            F::TRUE
        } else {
            F::FALSE
        }
    }

    /// Whether the formula is `TRUE` or `FALSE`.
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }
}

/// One tested fact by id. The latest stands at the top of the diagrams: a path condition grows by
/// one fact after the other, and there each costs one node.
pub type AtomId = u32;

#[derive(Clone, Copy)]
struct Node {
    /// The atom's id and one; the two ends have none.
    level: u32,
    low: F,
    high: F,
    /// At least as many nodes as its diagram has.
    size: u32,
}

impl Node {
    fn hash(&self) -> u64 {
        FxBuildHasher.hash_one((self.level, self.low, self.high))
    }
}

/// Most nodes one session may make; past that, formulas stop growing and lose precision.
const MAX_NODES: usize = 150_000;
/// Most steps that one session may spend on them.
const MAX_STEPS: u32 = 3_000_000;

/// All formulas of one session.
pub struct Formulas {
    nodes: Vec<Node>,
    /// The ids of all nodes, by what they are.
    unique: HashTable<F>,
    choices: Choices,
    restricted: FxHashMap<(F, F), F>,
    overflow: bool,
    steps: u32,
    /// Steps after which the operation in progress gives up.
    limit: u32,
    /// Whether it did.
    gave_up: bool,
    seen: RefCell<Seen>,
    stack: RefCell<Vec<F>>,
}

/// In which round each node was seen last.
#[derive(Default)]
struct Seen {
    round: u32,
    at: Vec<u32>,
}

impl Default for Formulas {
    fn default() -> Self {
        let end = Node { level: 0, low: F::FALSE, high: F::FALSE, size: 0 };
        Formulas {
            nodes: vec![end, end],
            unique: HashTable::new(),
            choices: Choices::default(),
            restricted: FxHashMap::default(),
            overflow: false,
            steps: 0,
            limit: MAX_STEPS,
            gave_up: false,
            seen: RefCell::default(),
            stack: RefCell::default(),
        }
    }
}

impl Formulas {
    /// Whether the budget ran out, so that conditions may have been dropped.
    pub fn overflowed(&self) -> bool {
        self.overflow || self.steps >= MAX_STEPS
    }

    /// Steps taken so far.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    fn node(&self, f: F) -> Node {
        self.nodes[f.0 as usize]
    }

    fn make(&mut self, atom: AtomId, low: F, high: F) -> F {
        if low == high {
            return low;
        }
        let size = 1u32.saturating_add(self.node(low).size).saturating_add(self.node(high).size);
        let node = Node { level: atom + 1, low, high, size };
        let hash = node.hash();
        let same = |f: &F| {
            let known = &self.nodes[f.0 as usize];
            (known.level, known.low, known.high) == (node.level, low, high)
        };
        if let Some(f) = self.unique.find(hash, same) {
            return *f;
        }
        if self.nodes.len() >= MAX_NODES {
            self.overflow = true;
            return F::TRUE;
        }
        let f = F(self.nodes.len() as u32);
        self.nodes.push(node);
        self.unique.insert_unique(hash, f, |f| self.nodes[f.0 as usize].hash());
        f
    }

    /// The formula "this fact holds".
    pub fn atom(&mut self, atom: AtomId) -> F {
        self.make(atom, F::FALSE, F::TRUE)
    }

    /// `a` where `condition` holds, else `b`.
    pub fn choose(&mut self, condition: F, a: F, b: F) -> F {
        if condition == F::TRUE || a == b {
            return a;
        }
        if condition == F::FALSE {
            return b;
        }
        if a == F::TRUE && b == F::FALSE {
            return condition;
        }
        if let Some(f) = self.choices.get([condition, a, b]) {
            return f;
        }
        if self.steps >= self.limit {
            self.gave_up = true;
            return F::TRUE;
        }
        self.steps += 1;
        let (nc, na, nb) = (self.node(condition), self.node(a), self.node(b));
        let level = nc.level.max(na.level).max(nb.level);
        let split = |f: F, n: Node| if n.level == level { (n.low, n.high) } else { (f, f) };
        let (c0, c1) = split(condition, nc);
        let (a0, a1) = split(a, na);
        let (b0, b1) = split(b, nb);
        let low = self.choose(c0, a0, b0);
        let high = self.choose(c1, a1, b1);
        let f = self.make(level - 1, low, high);
        if !self.gave_up {
            self.choices.keep([condition, a, b], f);
        }
        f
    }

    /// As `choose`, but `None` where that takes more than `most` steps.
    pub fn choose_within(&mut self, condition: F, a: F, b: F, most: u32) -> Option<F> {
        self.limit = MAX_STEPS.min(self.steps + most);
        let f = self.choose(condition, a, b);
        self.limit = MAX_STEPS;
        (!std::mem::take(&mut self.gave_up)).then_some(f)
    }

    /// Both.
    pub fn and(&mut self, a: F, b: F) -> F {
        self.choose(a, b, F::FALSE)
    }

    /// Either.
    pub fn or(&mut self, a: F, b: F) -> F {
        self.choose(a, F::TRUE, b)
    }

    /// Not.
    pub fn not(&mut self, a: F) -> F {
        self.choose(a, F::FALSE, F::TRUE)
    }

    /// `a` and not `b`.
    pub fn minus(&mut self, a: F, b: F) -> F {
        self.choose(b, F::FALSE, a)
    }

    /// Whether `b` holds wherever `a` does.
    pub fn implies(&mut self, a: F, b: F) -> bool {
        self.minus(a, b) == F::FALSE
    }

    /// Whether both can hold at once.
    pub fn compatible(&mut self, a: F, b: F) -> bool {
        self.and(a, b) != F::FALSE
    }

    /// A formula that agrees with `f` wherever `care` holds and is as small as that allows.
    pub fn restrict(&mut self, f: F, care: F) -> F {
        if care == F::FALSE || f.is_constant() || care == F::TRUE {
            return f;
        }
        if f == care {
            return F::TRUE;
        }
        if let Some(small) = self.restricted.get(&(f, care)) {
            return *small;
        }
        let small = self.restrict_node(f, care);
        self.restricted.insert((f, care), small);
        small
    }

    fn restrict_node(&mut self, f: F, care: F) -> F {
        let (nf, nc) = (self.node(f), self.node(care));
        if nc.level > nf.level {
            let either = self.or(nc.low, nc.high);
            return self.restrict(f, either);
        }
        if nc.level == nf.level && nc.low == F::FALSE {
            return self.restrict(nf.high, nc.high);
        }
        if nc.level == nf.level && nc.high == F::FALSE {
            return self.restrict(nf.low, nc.low);
        }
        let (low, high) = if nf.level > nc.level { (care, care) } else { (nc.low, nc.high) };
        let low = self.restrict(nf.low, low);
        let high = self.restrict(nf.high, high);
        self.make(nf.level - 1, low, high)
    }

    /// `f` with facts replaced: `pick` gives the value of an atom, or `None` to keep it.
    pub fn substitute(&mut self, f: F, pick: &dyn Fn(AtomId) -> Option<F>) -> F {
        let mut done = FxHashMap::default();
        self.substitute_in(f, pick, &mut done)
    }

    fn substitute_in(
        &mut self,
        f: F,
        pick: &dyn Fn(AtomId) -> Option<F>,
        done: &mut FxHashMap<F, F>,
    ) -> F {
        if f.is_constant() {
            return f;
        }
        if let Some(known) = done.get(&f) {
            return *known;
        }
        let node = self.node(f);
        let low = self.substitute_in(node.low, pick, done);
        let high = self.substitute_in(node.high, pick, done);
        let condition = match pick(node.level - 1) {
            Some(value) => value,
            None => self.atom(node.level - 1),
        };
        let result = self.choose(condition, high, low);
        done.insert(f, result);
        result
    }

    /// As `substitute`, but `None` where that takes more than `most` steps.
    pub fn substitute_within(
        &mut self,
        f: F,
        pick: &dyn Fn(AtomId) -> Option<F>,
        most: u32,
    ) -> Option<F> {
        self.limit = MAX_STEPS.min(self.steps + most);
        let f = self.substitute(f, pick);
        self.limit = MAX_STEPS;
        (!std::mem::take(&mut self.gave_up)).then_some(f)
    }

    /// `f` with a fact taken as given.
    pub fn assume(&mut self, f: F, atom: AtomId, value: bool) -> F {
        self.substitute(f, &|a| (a == atom).then_some(F::constant(value)))
    }

    /// Whether some values of the facts that `local` names make `f` hold.
    pub fn exists(&mut self, f: F, local: &dyn Fn(AtomId) -> bool) -> F {
        let mut done = FxHashMap::default();
        self.exists_in(f, local, &mut done)
    }

    fn exists_in(&mut self, f: F, local: &dyn Fn(AtomId) -> bool, done: &mut FxHashMap<F, F>) -> F {
        if f.is_constant() {
            return f;
        }
        if let Some(known) = done.get(&f) {
            return *known;
        }
        let node = self.node(f);
        let low = self.exists_in(node.low, local, done);
        let high = self.exists_in(node.high, local, done);
        let result = if local(node.level - 1) {
            self.or(low, high)
        } else {
            self.make(node.level - 1, low, high)
        };
        done.insert(f, result);
        result
    }

    /// Whether a formula's diagram has more than `limit` nodes.
    pub fn larger_than(&self, f: F, limit: usize) -> bool {
        if self.node(f).size as usize <= limit {
            return false;
        }
        let mut nodes = 0;
        self.each_node(f, |_| {
            nodes += 1;
            nodes <= limit
        });
        nodes > limit
    }

    /// Tells each node of a diagram once, as long as `go_on` says so.
    fn each_node(&self, f: F, mut go_on: impl FnMut(Node) -> bool) {
        let (mut seen, mut stack) = (self.seen.borrow_mut(), self.stack.borrow_mut());
        let Seen { round, at } = &mut *seen;
        *round += 1;
        at.resize(self.nodes.len(), 0);
        stack.clear();
        stack.push(f);
        while let Some(f) = stack.pop() {
            if f.is_constant() || std::mem::replace(&mut at[f.0 as usize], *round) == *round {
                continue;
            }
            let node = self.node(f);
            if !go_on(node) {
                return;
            }
            stack.push(node.low);
            stack.push(node.high);
        }
    }

    /// The single fact that `f` is or denies, with its sign.
    pub fn literal(&self, f: F) -> Option<(AtomId, bool)> {
        let node = self.node(f);
        match (node.low, node.high) {
            (F::FALSE, F::TRUE) if !f.is_constant() => Some((node.level - 1, true)),
            (F::TRUE, F::FALSE) if !f.is_constant() => Some((node.level - 1, false)),
            _ => None,
        }
    }

    /// The facts that `f` depends on, ascending.
    pub fn support(&self, f: F) -> Vec<AtomId> {
        let mut atoms = Vec::new();
        self.each_node(f, |node| {
            atoms.push(node.level - 1);
            true
        });
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Term {
        Atom(AtomId),
        Not(Box<Term>),
        And(Box<Term>, Box<Term>),
        Or(Box<Term>, Box<Term>),
    }

    fn term() -> impl Strategy<Value = Term> {
        (0u32..5).prop_map(Term::Atom).prop_recursive(5, 40, 2, |inner| {
            prop_oneof![
                inner.clone().prop_map(|t| Term::Not(Box::new(t))),
                (inner.clone(), inner.clone())
                    .prop_map(|(a, b)| Term::And(Box::new(a), Box::new(b))),
                (inner.clone(), inner).prop_map(|(a, b)| Term::Or(Box::new(a), Box::new(b))),
            ]
        })
    }

    fn build(forms: &mut Formulas, term: &Term) -> F {
        match term {
            Term::Atom(a) => forms.atom(*a),
            Term::Not(t) => {
                let f = build(forms, t);
                forms.not(f)
            }
            Term::And(a, b) => {
                let (a, b) = (build(forms, a), build(forms, b));
                forms.and(a, b)
            }
            Term::Or(a, b) => {
                let (a, b) = (build(forms, a), build(forms, b));
                forms.or(a, b)
            }
        }
    }

    fn holds(term: &Term, world: u32) -> bool {
        match term {
            Term::Atom(a) => world >> a & 1 == 1,
            Term::Not(t) => !holds(t, world),
            Term::And(a, b) => holds(a, world) && holds(b, world),
            Term::Or(a, b) => holds(a, world) || holds(b, world),
        }
    }

    fn in_world(forms: &mut Formulas, f: F, world: u32) -> bool {
        forms.substitute(f, &|a| Some(F::constant(world >> a & 1 == 1))) == F::TRUE
    }

    proptest! {
        #[test]
        fn a_formula_holds_in_the_same_worlds_as_its_term(t in term(), care in term()) {
            let mut forms = Formulas::default();
            let f = build(&mut forms, &t);
            let c = build(&mut forms, &care);
            let small = forms.restrict(f, c);
            let open = forms.exists(f, &|a| a == 2);
            for world in 0..32 {
                prop_assert_eq!(in_world(&mut forms, f, world), holds(&t, world));
                if holds(&care, world) {
                    prop_assert_eq!(in_world(&mut forms, small, world), holds(&t, world));
                }
                let either = holds(&t, world | 4) || holds(&t, world & !4);
                prop_assert_eq!(in_world(&mut forms, open, world), either);
            }
        }

        #[test]
        fn equal_truth_is_equal_id(a in term(), b in term()) {
            let mut forms = Formulas::default();
            let (fa, fb) = (build(&mut forms, &a), build(&mut forms, &b));
            let same = (0..32).all(|w| holds(&a, w) == holds(&b, w));
            prop_assert_eq!(fa == fb, same);
        }
    }
}
