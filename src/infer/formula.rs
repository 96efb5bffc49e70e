//! Under which condition: formulas over tested facts, as reduced ordered decision diagrams.
//!
//! Equal formulas have equal ids, so "is this always so?" is a comparison. Knows nothing of
//! what an atom means.

use std::cell::RefCell;
use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::choices::{plainly, Choices, Plain};
use super::unique::Unique;
use super::work::Work;

/// A formula: the id of its diagram, and in the lowest bit whether it is denied. So a formula and
/// its denial are one diagram, and to deny one costs nothing.
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

    /// The formula that holds where this one does not.
    pub fn denied(self) -> F {
        F(self.0 ^ 1)
    }

    /// Its diagram.
    pub(super) fn id(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(super) fn is_denied(self) -> bool {
        self.0 & 1 == 1
    }

    /// Denied where `so` says that.
    pub(super) fn denied_if(self, so: bool) -> F {
        F(self.0 ^ u32::from(so))
    }
}

/// One tested fact by id. The latest stands at the top of the diagrams: a path condition grows by
/// one fact after the other, and there each costs one node.
pub type AtomId = u32;

/// A node of a diagram.
#[derive(Clone, Copy)]
pub(super) struct Node {
    /// The atom's id and one; the end has none.
    pub(super) level: u32,
    /// Never denied where it is kept: of a diagram and its denial, one is made.
    pub(super) low: F,
    pub(super) high: F,
    /// At least as many nodes as its diagram has.
    pub(super) size: u32,
}

impl Node {
    fn hash(level: u32, low: F, high: F) -> u64 {
        FxBuildHasher.hash_one((level, low, high))
    }
}

/// Where every diagram ends.
const END: Node = Node { level: 0, low: F::FALSE, high: F::FALSE, size: 0 };

/// Most nodes one session may make; past that, formulas stop growing and lose precision.
const MAX_NODES: usize = 150_000;
const _: () = assert!(MAX_NODES <= Unique::MOST);
/// Most pairs of nodes that are looked at for a world in which two formulas hold.
const MAX_SEARCH: usize = 300;
/// Most steps that one session may spend on them.
pub(super) const MAX_STEPS: u32 = 3_000_000;

/// All formulas of one session.
pub struct Formulas {
    pub(super) nodes: Vec<Node>,
    /// The ids of all nodes, by what they are.
    unique: Unique,
    choices: Choices,
    restricted: FxHashMap<(F, F), F>,
    overflow: bool,
    pub(super) steps: u32,
    /// What the session did, here and elsewhere.
    pub work: Work,
    /// Steps after which the operation in progress gives up.
    pub(super) limit: u32,
    /// Whether it did.
    pub(super) gave_up: bool,
    pub(super) seen: RefCell<Seen>,
    pub(super) stack: RefCell<Vec<F>>,
    /// Pairs of formulas that a search for a world has looked at, and has yet to look at.
    looked: FxHashSet<(F, F)>,
    pairs: Vec<(F, F)>,
}

/// In which round each node was seen last.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) round: u32,
    pub(super) at: Vec<u32>,
}

impl Default for Formulas {
    fn default() -> Self {
        Formulas {
            nodes: vec![END],
            unique: Unique::default(),
            choices: Choices::default(),
            restricted: FxHashMap::default(),
            overflow: false,
            steps: 0,
            work: Work::default(),
            limit: MAX_STEPS,
            gave_up: false,
            seen: RefCell::default(),
            stack: RefCell::default(),
            looked: FxHashSet::default(),
            pairs: Vec::new(),
        }
    }
}

impl Formulas {
    /// Forgets all formulas, but not the room that they took.
    pub fn clear(&mut self) {
        let Formulas { nodes, unique, choices, restricted, seen, stack, looked, pairs, .. } = self;
        nodes.clear();
        nodes.push(END);
        unique.clear();
        choices.clear();
        restricted.clear();
        let Seen { round, at } = seen.get_mut();
        *round = 0;
        at.clear();
        stack.get_mut().clear();
        looked.clear();
        pairs.clear();
        (self.overflow, self.gave_up) = (false, false);
        (self.steps, self.limit) = (0, MAX_STEPS);
        self.work = Work::default();
    }

    /// Whether the budget ran out, so that conditions may have been dropped.
    pub fn overflowed(&self) -> bool {
        self.overflow || self.steps >= MAX_STEPS
    }

    /// Steps taken so far.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// The topmost test of a formula: what is left of it on either side, denials put in.
    pub(super) fn node(&self, f: F) -> Node {
        let node = self.nodes[f.id()];
        let denied = f.is_denied();
        Node { low: node.low.denied_if(denied), high: node.high.denied_if(denied), ..node }
    }

    pub(super) fn make(&mut self, atom: AtomId, low: F, high: F) -> F {
        if low == high {
            return low;
        }
        let denied = low.is_denied();
        let (low, high) = (low.denied_if(denied), high.denied_if(denied));
        let level = atom + 1;
        let hash = Node::hash(level, low, high);
        let same = |id: u32| {
            let known = &self.nodes[id as usize];
            (known.level, known.low, known.high) == (level, low, high)
        };
        if let Some(id) = self.unique.find(hash, same) {
            return F(id << 1).denied_if(denied);
        }
        if self.nodes.len() >= MAX_NODES {
            self.overflow = true;
            return F::TRUE;
        }
        let id = self.nodes.len() as u32;
        let size = 1u32.saturating_add(self.node(low).size).saturating_add(self.node(high).size);
        self.nodes.push(Node { level, low, high, size });
        if self.unique.is_full() {
            self.unique.grow(self.nodes[1..].iter().map(|n| Node::hash(n.level, n.low, n.high)));
        } else {
            self.unique.insert(hash, id);
        }
        F(id << 1).denied_if(denied)
    }

    /// The formula "this fact holds".
    pub fn atom(&mut self, atom: AtomId) -> F {
        self.make(atom, F::FALSE, F::TRUE)
    }

    /// `a` where `condition` holds, else `b`.
    pub fn choose(&mut self, condition: F, a: F, b: F) -> F {
        let ([c, a, b], denied) = match plainly(condition, a, b) {
            Plain::Known(f) => return f,
            Plain::Choice(operands, denied) => (operands, denied),
        };
        if let Some(f) = self.choices.get([c, a, b]) {
            return f.denied_if(denied);
        }
        if self.steps >= self.limit {
            self.gave_up = true;
            return F::TRUE;
        }
        self.steps += 1;
        self.work.did(Work::NODE);
        let (nc, na, nb) = (self.node(c), self.node(a), self.node(b));
        let level = nc.level.max(na.level).max(nb.level);
        let split = |f: F, n: Node| if n.level == level { (n.low, n.high) } else { (f, f) };
        let (c0, c1) = split(c, nc);
        let (a0, a1) = split(a, na);
        let (b0, b1) = split(b, nb);
        let low = self.choose(c0, a0, b0);
        let high = self.choose(c1, a1, b1);
        let f = self.make(level - 1, low, high);
        if !self.gave_up {
            self.choices.keep([c, a, b], f);
        }
        f.denied_if(denied)
    }

    /// As `choose`, but `None` where that takes more than `most` steps.
    pub fn choose_within(&mut self, condition: F, a: F, b: F, most: u32) -> Option<F> {
        self.limit = MAX_STEPS.min(self.steps + most);
        let f = self.choose(condition, a, b);
        self.limit = MAX_STEPS;
        (!std::mem::take(&mut self.gave_up)).then_some(f)
    }

    /// What of `care` holds where the condition does, and what where it does not; `None` where
    /// one of them takes more than `most` steps.
    pub fn divide(&mut self, condition: F, care: F, most: u32) -> Option<(F, F)> {
        let yes = self.choose_within(condition, care, F::FALSE, most)?;
        // Often the one is nothing, and then the other is all.
        if yes == F::FALSE || yes == care {
            return Some((yes, if yes == care { F::FALSE } else { care }));
        }
        Some((yes, self.choose_within(condition, F::FALSE, care, most)?))
    }

    /// Both.
    pub fn and(&mut self, a: F, b: F) -> F {
        self.choose(a, b, F::FALSE)
    }

    /// Either.
    pub fn or(&mut self, a: F, b: F) -> F {
        self.choose(a, F::TRUE, b)
    }

    /// `a` and not `b`.
    pub fn minus(&mut self, a: F, b: F) -> F {
        self.choose(b, F::FALSE, a)
    }

    /// Whether `b` holds wherever `a` does.
    pub fn implies(&mut self, a: F, b: F) -> bool {
        !self.compatible(a, b.denied())
    }

    /// Whether both can hold at once.
    pub fn compatible(&mut self, a: F, b: F) -> bool {
        self.looked.clear();
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        pairs.push((a, b));
        let found = self.world(&mut pairs).unwrap_or_else(|| self.and(a, b) != F::FALSE);
        self.pairs = pairs;
        found
    }

    /// Whether one of these pairs can hold at once; `None` where that is much to look for. Most
    /// can, and one world that shows it is soon found; nothing need be made for that.
    fn world(&mut self, pairs: &mut Vec<(F, F)>) -> Option<bool> {
        while let Some((a, b)) = pairs.pop() {
            self.work.did(1);
            match (a, b) {
                (F::FALSE, _) | (_, F::FALSE) => continue,
                (F::TRUE, _) | (_, F::TRUE) => return Some(true),
                _ if a == b => return Some(true),
                _ if a == b.denied() || !self.looked.insert((a, b)) => continue,
                _ if self.looked.len() > MAX_SEARCH => return None,
                _ => {}
            }
            let (na, nb) = (self.node(a), self.node(b));
            let level = na.level.max(nb.level);
            let split = |f: F, n: Node| if n.level == level { (n.low, n.high) } else { (f, f) };
            let ((a0, a1), (b0, b1)) = (split(a, na), split(b, nb));
            pairs.push((a0, b0));
            pairs.push((a1, b1));
        }
        Some(false)
    }

    /// A formula that agrees with `f` wherever `care` holds and is as small as that allows.
    pub fn restrict(&mut self, f: F, care: F) -> F {
        if care == F::FALSE || f.is_constant() || care == F::TRUE {
            return f;
        }
        if f.id() == care.id() {
            return F::constant(f == care);
        }
        let denied = f.is_denied();
        let f = f.denied_if(denied);
        let small = match self.restricted.get(&(f, care)) {
            Some(small) => *small,
            None => {
                let small = self.restrict_node(f, care);
                self.restricted.insert((f, care), small);
                small
            }
        };
        small.denied_if(denied)
    }

    fn restrict_node(&mut self, f: F, care: F) -> F {
        self.work.did(Work::NODE);
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

    /// Whether all facts of a formula are older than one: the latest stands at the top.
    pub fn is_older(&self, f: F, first: AtomId) -> bool {
        self.nodes[f.id()].level <= first
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
                f.denied()
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
        forms.substitute(f, 0, &|a| Some(F::constant(world >> a & 1 == 1))) == F::TRUE
    }

    proptest! {
        #[test]
        fn a_formula_holds_in_the_same_worlds_as_its_term(t in term(), care in term()) {
            let mut forms = Formulas::default();
            let f = build(&mut forms, &t);
            let c = build(&mut forms, &care);
            let small = forms.restrict(f, c);
            let open = forms.exists(f, 2, &|a| a == 2);
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
