//! What an expression may be at run time: symbolic values, equal ones with equal ids.
//!
//! Knows nothing of statements, objects' contents or packs.

use rustc_hash::FxHashMap;

use super::atom::Atom;
use super::formula::{AtomId, Formulas, F};
use super::shortened::Spelled;
use crate::ir::{Name, Type};

/// A value by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct V(pub u32);

/// An object of the heap by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

/// A list of the heap by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ListId(pub u32);

/// A function of the program: module and index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId {
    /// The module's index in the program.
    pub module: u32,
    /// The function's index in the module.
    pub index: u32,
}

/// Pure operations that stay symbolic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `base, key`: a field of something whose fields are not known.
    Field,
    /// Sum, or text put together.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient.
    Div,
    /// Remainder.
    Mod,
    /// Least.
    Min,
    /// Greatest.
    Max,
    /// `x, version`: number of elements of a list, object or text at a time.
    Size,
    /// Text put together from parts.
    Text,
    /// JSON text of a value.
    Encode,
    /// Value of a JSON text.
    Decode,
    /// The type of a value.
    TypeOf,
    /// Several results of one call.
    Tuple,
    /// A function value (first) with arguments bound (the others).
    Bound,
    /// Anything else made of the operands.
    Other,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// No value: null, or a missing field.
    Null,
    /// Truth of a formula.
    Cond(F),
    /// A whole number.
    Int(i64),
    /// A number with a fraction, by its bits.
    Float(u64),
    /// Text.
    Text(Name),
    /// Something known only by where it comes from.
    Symbol(u32),
    /// An object.
    Object(ObjectId),
    /// A list.
    List(ListId),
    /// A function with the frame it was made in (`u32::MAX` for none) and its receiver, if bound.
    Function(FunctionId, u32, Option<V>),
    /// A module's top-level scope.
    Unit(u32),
    /// A type: module and index of its declaration.
    Type(u32, u32),
    /// The first where the formula holds, else the second.
    Choice(F, V, V),
    /// A pure operation.
    Op(Op, Box<[V]>),
}

/// Where a symbol comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Not known.
    Unknown,
    /// A parameter of a function that nothing in the workspace calls.
    Param(Name),
    /// The result of a call that could not be followed, by the name called.
    Call(Name),
    /// A response of the service: the call's number in the session.
    Upstream(u32),
    /// An element of a list or a value of an object.
    Item(V),
    /// A key of an object, or an index.
    Key(V),
    /// A variable's value at the start of a round of a loop.
    Round,
    /// A variable's value after a loop that changes it, with the value before.
    Carried(V),
    /// A number that a loop counts up.
    Counter(CounterFact),
    /// A variable of file or package scope whose value is not known.
    Global(Name),
    /// A key or text that is fixed only at run time.
    Dynamic,
    /// An error value.
    Error,
}

/// What a loop does to a number it counts up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CounterFact {
    /// The value before the loop.
    pub before: V,
    /// Whether the loop ends at a cap on collected rows.
    pub stops_at_cap: bool,
    /// Whether it counts only rows that a cap lets through.
    pub counts_capped: bool,
    /// Whether it counts only past an offset or another filter of the window.
    pub counts_window: bool,
}

/// A symbol: its origin and, where it is declared, its type with the module that names it.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Where it comes from.
    pub origin: Origin,
    /// Its declared type, as seen from a module.
    pub ty: Option<(u32, Type)>,
}

/// Most alternatives of one value that are told apart.
pub(super) const MAX_LEAVES: usize = 32;

/// Most nodes of a condition that is looked at for a bound.
const MAX_BOUND: usize = 12;

/// Most nodes of a formula that a value or a branch depends on.
const MAX_FORMULA: usize = 100;

/// Most steps that may be spent on what one test or one alternative depends on.
pub(super) const MAX_STEPS: u32 = 1500;

/// All values and formulas of one session.
pub struct Values {
    /// The formulas.
    pub forms: Formulas,
    nodes: Vec<Node>,
    /// How many alternatives each value has, at most.
    widths: Vec<u16>,
    /// The fact that was next when each value was made.
    born: Vec<AtomId>,
    ids: FxHashMap<Node, V>,
    symbols: Vec<Symbol>,
    atoms: Vec<Atom>,
    atom_ids: FxHashMap<Atom, F>,
    /// What a comparison's formula says, where it is one comparison.
    pub(super) meanings: FxHashMap<F, Atom>,
    pub(super) thresholds: FxHashMap<V, Vec<(i64, F)>>,
    pub(super) texts: FxHashMap<V, Vec<(Name, F)>>,
    free: u32,
    /// Formulas with their shortened parts put back.
    pub(super) spelled: FxHashMap<F, Spelled>,
    /// Steps spent on that.
    pub(super) spelling: u32,
}

impl V {
    /// The null value; every session makes it first.
    pub const NULL: V = V(0);
    /// `true`.
    pub const TRUE: V = V(1);
    /// `false`.
    pub const FALSE: V = V(2);
}

impl Default for Values {
    fn default() -> Self {
        let mut values = Values {
            forms: Formulas::default(),
            nodes: Vec::new(),
            widths: Vec::new(),
            born: Vec::new(),
            ids: FxHashMap::default(),
            symbols: Vec::new(),
            atoms: Vec::new(),
            atom_ids: FxHashMap::default(),
            meanings: FxHashMap::default(),
            thresholds: FxHashMap::default(),
            texts: FxHashMap::default(),
            free: 0,
            spelled: FxHashMap::default(),
            spelling: 0,
        };
        values.intern(Node::Null);
        values.intern(Node::Cond(F::TRUE));
        values.intern(Node::Cond(F::FALSE));
        values
    }
}

impl Values {
    /// The id of a node.
    pub fn intern(&mut self, node: Node) -> V {
        if let Some(v) = self.ids.get(&node) {
            return *v;
        }
        let v = V(self.nodes.len() as u32);
        let width = match &node {
            Node::Choice(_, a, b) => {
                self.widths[a.0 as usize].saturating_add(self.widths[b.0 as usize])
            }
            _ => 1,
        };
        self.widths.push(width);
        self.born.push(self.next_atom());
        self.nodes.push(node.clone());
        self.ids.insert(node, v);
        v
    }

    /// The id of a node that was made before.
    pub fn known(&self, node: &Node) -> Option<V> {
        self.ids.get(node).copied()
    }

    /// What a value is.
    pub fn node(&self, v: V) -> &Node {
        &self.nodes[v.0 as usize]
    }

    /// The first fact that can be about a value.
    pub fn born(&self, v: V) -> AtomId {
        self.born[v.0 as usize]
    }

    /// A whole number.
    pub fn int(&mut self, n: i64) -> V {
        self.intern(Node::Int(n))
    }

    /// A text.
    pub fn text(&mut self, text: &str) -> V {
        self.intern(Node::Text(Name::new(text)))
    }

    /// The truth of a formula.
    pub fn cond(&mut self, f: F) -> V {
        let f = self.short(f);
        self.intern(Node::Cond(f))
    }

    /// A formula, or one fact that stands for it where it has grown large: equal formulas stay
    /// equal, but what follows from their parts is forgotten.
    pub fn short(&mut self, f: F) -> F {
        if self.forms.larger_than(f, MAX_FORMULA) {
            return self.atom(Atom::Once(0, f));
        }
        f
    }

    /// `a` where `condition` holds, else `b`; one fact that stands for it where that is large.
    pub fn either(&mut self, condition: F, a: F, b: F) -> F {
        match self.forms.choose_within(condition, a, b, MAX_STEPS) {
            Some(f) => self.short(f),
            None => self.atom(Atom::Either(condition, a, b)),
        }
    }

    /// A new symbol.
    pub fn symbol(&mut self, origin: Origin, ty: Option<(u32, Type)>) -> V {
        let id = self.symbols.len() as u32;
        self.symbols.push(Symbol { origin, ty });
        self.intern(Node::Symbol(id))
    }

    /// A new value of which nothing is known.
    pub fn unknown(&mut self) -> V {
        self.symbol(Origin::Unknown, None)
    }

    /// The symbol that a value is.
    pub fn symbol_of(&self, v: V) -> Option<&Symbol> {
        match self.node(v) {
            Node::Symbol(id) => Some(&self.symbols[*id as usize]),
            _ => None,
        }
    }

    /// A pure operation on values that are no choices.
    pub fn op(&mut self, op: Op, operands: &[V]) -> V {
        self.intern(Node::Op(op, operands.into()))
    }

    /// The text of a value, if it is one.
    pub fn as_text(&self, v: V) -> Option<&Name> {
        match self.node(v) {
            Node::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number of a value, if it is whole and known.
    pub fn as_int(&self, v: V) -> Option<i64> {
        match self.node(v) {
            Node::Int(n) => Some(*n),
            _ => None,
        }
    }

    /// A fact by its meaning, as a formula.
    pub fn atom(&mut self, atom: Atom) -> F {
        if let Some(f) = self.atom_ids.get(&atom) {
            return *f;
        }
        let id = self.atoms.len() as AtomId;
        self.atoms.push(atom.clone());
        let f = self.forms.atom(id);
        self.atom_ids.insert(atom.clone(), f);
        self.meanings.insert(f, atom);
        f
    }

    /// Whether a fact was ever asked for.
    pub(super) fn known_atom(&self, atom: &Atom) -> Option<F> {
        self.atom_ids.get(atom).copied()
    }

    /// A new fact of which nothing is known.
    pub fn free_atom(&mut self) -> F {
        self.free += 1;
        self.atom(Atom::Free(self.free))
    }

    /// What an atom of a formula says.
    pub fn atom_meaning(&self, id: AtomId) -> &Atom {
        &self.atoms[id as usize]
    }

    /// The id that the next new atom will get.
    pub fn next_atom(&self) -> AtomId {
        self.atoms.len() as AtomId
    }

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

    /// Whether a value is made of another, within a bounded look.
    pub fn is_made_of(&self, v: V, part: V) -> bool {
        // Parts are older than what is made of them.
        v >= part && self.mentions_since(v, part, &|x, _| x == part)
    }

    /// Whether a part of `v` passes a test, within a bounded look.
    pub fn mentions(&self, v: V, test: &dyn Fn(V, &Node) -> bool) -> bool {
        self.mentions_since(v, V::NULL, test)
    }

    /// As `mentions`, of parts that are no older than one.
    fn mentions_since(&self, v: V, oldest: V, test: &dyn Fn(V, &Node) -> bool) -> bool {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![v];
        while let Some(v) = stack.pop() {
            self.forms.work.did(1);
            let node = self.node(v);
            let has_parts = matches!(node, Node::Choice(..) | Node::Op(..));
            if v < oldest || has_parts && (seen.len() > 400 || !seen.insert(v)) {
                continue;
            }
            if test(v, node) {
                return true;
            }
            match node {
                Node::Choice(_, a, b) => stack.extend([*a, *b]),
                Node::Op(_, operands) => stack.extend(operands.iter().copied()),
                _ => {}
            }
        }
        false
    }
}
