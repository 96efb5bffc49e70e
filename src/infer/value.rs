//! What an expression may be at run time: symbolic values, equal ones with equal ids.
//!
//! Knows nothing of statements, objects' contents or packs.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

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
    pub(super) widths: Vec<u16>,
    /// The fact that was next when each value was made.
    born: Vec<AtomId>,
    /// The ids of all nodes, each with its hash.
    ids: HashTable<(u64, V)>,
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
            ids: HashTable::new(),
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
        values.begin();
        values
    }
}

impl Values {
    /// Makes what every session has.
    fn begin(&mut self) {
        self.intern(Node::Null);
        self.intern(Node::Cond(F::TRUE));
        self.intern(Node::Cond(F::FALSE));
    }

    /// Forgets everything, but not the room that it took, for another session.
    pub fn clear(&mut self) {
        let Values {
            forms,
            nodes,
            widths,
            born,
            ids,
            symbols,
            atoms,
            atom_ids,
            meanings,
            thresholds,
            texts,
            free,
            spelled,
            spelling,
        } = self;
        forms.clear();
        nodes.clear();
        widths.clear();
        born.clear();
        ids.clear();
        symbols.clear();
        atoms.clear();
        atom_ids.clear();
        meanings.clear();
        thresholds.clear();
        texts.clear();
        spelled.clear();
        (*free, *spelling) = (0, 0);
        self.begin();
    }
}

impl Values {
    /// The id of a node.
    pub fn intern(&mut self, node: Node) -> V {
        let hash = FxBuildHasher.hash_one(&node);
        if let Some(v) = self.found(hash, &node) {
            return v;
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
        self.nodes.push(node);
        self.ids.insert_unique(hash, (hash, v), |(hash, _)| *hash);
        v
    }

    fn found(&self, hash: u64, node: &Node) -> Option<V> {
        let same = |(h, v): &(u64, V)| *h == hash && self.nodes[v.0 as usize] == *node;
        self.ids.find(hash, same).map(|(_, v)| *v)
    }

    /// The id of a node that was made before.
    pub fn known(&self, node: &Node) -> Option<V> {
        self.found(FxBuildHasher.hash_one(node), node)
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
