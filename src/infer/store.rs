//! Objects and lists by identity: an alias, a wrapper's result and an argument that a helper
//! changes are the same object, and every write keeps its condition and its writer.
//!
//! Knows nothing of statements or packs.

use rustc_hash::FxHashMap;

use super::atom::Atom;
use super::formula::F;
use super::leaves::Ways;
use super::value::{FunctionId, ListId, Node, ObjectId, Op, Values, V};
use super::work::Work;
use crate::ir::Type;
use crate::text::Span;

/// Where and by whom something was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// The bytes.
    pub span: Span,
    /// The function whose body that is.
    pub function: FunctionId,
    /// The call frame it ran in; leads to the calls on the way.
    pub frame: u32,
    /// Whether the shared builder did it.
    pub builder: bool,
}

/// One change of an object's fields, in order. Conditions take the object's making as given.
#[derive(Clone, Debug)]
pub enum Event {
    /// A field is set.
    Write {
        /// Its key.
        key: V,
        /// Its value.
        value: V,
        /// When.
        guard: F,
        /// By whom.
        site: Site,
        /// Whether the object's own literal sets it.
        literal: bool,
    },
    /// A field is taken out.
    Remove {
        /// Its key.
        key: V,
        /// When.
        guard: F,
    },
    /// All fields are taken out.
    Clear {
        /// When.
        guard: F,
    },
    /// All fields of another object are copied in.
    Copy {
        /// The other: an object or something of unknown fields.
        from: V,
        /// How many of its changes counted then.
        at: usize,
        /// When.
        guard: F,
        /// By whom.
        site: Site,
        /// Whether fields that were there are replaced.
        overwrite: bool,
    },
}

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    /// Where it was made.
    pub created: Site,
    /// When it was made.
    pub guard: F,
    /// Its changes.
    pub log: Vec<Event>,
    /// What stands for the fields that are not known, if there may be any.
    pub base: Option<V>,
    /// Its declared type, as seen from a module.
    pub ty: Option<(u32, Type)>,
    /// Whether a call that could not be followed was given it.
    pub escaped: bool,
}

/// A bound on how many elements a list takes in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cap {
    /// The bound.
    pub bound: V,
    /// When it is in force.
    pub guard: F,
    /// Where the list is filled under it.
    pub span: Span,
}

/// A list.
#[derive(Clone, Debug)]
pub struct List {
    /// Where it was made.
    pub created: Site,
    /// Known elements with the condition under which each is there.
    pub elements: Vec<(F, V)>,
    /// Whether more elements than the known ones may be there.
    pub open: bool,
    /// What stands for the unknown ones, if anything does.
    pub base: Option<V>,
    /// Counts the changes.
    pub version: i64,
    /// Bounds under which elements were added.
    pub caps: Vec<Cap>,
    /// Elements added inside a round: the path condition, its first own fact, the element.
    pub fills: Vec<(F, u32, V)>,
    /// The object whose keys these are, if they are not known.
    pub keys_of: Option<V>,
    /// Whether a function chose which elements of its base it holds.
    pub filtered: bool,
    /// The list that this is a part of, and where it was cut.
    pub cut: Option<(V, Span)>,
}

/// Values and heap of one session.
#[derive(Default)]
pub struct Store {
    /// The values.
    pub values: Values,
    /// The objects.
    pub objects: Vec<Object>,
    /// The lists.
    pub lists: Vec<List>,
    bodies: FxHashMap<V, ObjectId>,
    /// Values with a varying key put in, good until something is written.
    pub(super) put_values: FxHashMap<(V, V, V), V>,
    pub(super) put_formulas: FxHashMap<(F, V, V), F>,
    /// The number of changes of all objects, now and when those were put in.
    pub(super) changes: usize,
    pub(super) put_changes: usize,
    pub(super) put_depth: u8,
}

/// Most entries of a table of functions whose use is followed for a key of run time.
const MAX_TABLE: usize = 24;

impl Store {
    /// An empty heap, with values that are empty too.
    pub fn of(values: Values) -> Self {
        Store { values, ..Store::default() }
    }

    /// The object of an id.
    pub fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    /// The list of an id.
    pub fn list(&self, id: ListId) -> &List {
        &self.lists[id.0 as usize]
    }

    /// A new object without known fields.
    pub fn new_object(
        &mut self,
        created: Site,
        guard: F,
        base: Option<V>,
        ty: Option<(u32, Type)>,
    ) -> V {
        let id = ObjectId(self.objects.len() as u32);
        self.objects.push(Object { created, guard, log: Vec::new(), base, ty, escaped: false });
        self.values.intern(Node::Object(id))
    }

    /// A new list.
    pub fn new_list(&mut self, created: Site, elements: Vec<(F, V)>, open: bool) -> V {
        let id = ListId(self.lists.len() as u32);
        self.lists.push(List {
            created,
            elements,
            open,
            base: None,
            version: 0,
            caps: Vec::new(),
            fills: Vec::new(),
            keys_of: None,
            filtered: false,
            cut: None,
        });
        self.values.intern(Node::List(id))
    }

    /// The object behind a value that is no choice, if one is known already.
    pub fn body(&self, v: V) -> Option<ObjectId> {
        match self.values.node(v) {
            Node::Object(id) => Some(*id),
            _ => self.bodies.get(&v).copied(),
        }
    }

    /// The object behind a value that is no choice, made when something is first written to it.
    fn body_for_write(&mut self, v: V, site: Site) -> Option<ObjectId> {
        if let Some(id) = self.body(v) {
            return Some(id);
        }
        match self.values.node(v) {
            Node::Symbol(_) | Node::Op(Op::Field | Op::Decode | Op::Other, _) => {
                let id = ObjectId(self.objects.len() as u32);
                let ty = self.values.symbol_of(v).and_then(|s| s.ty.clone());
                self.objects.push(Object {
                    created: site,
                    guard: F::TRUE,
                    log: Vec::new(),
                    base: Some(v),
                    ty,
                    escaped: false,
                });
                self.bodies.insert(v, id);
                Some(id)
            }
            _ => None,
        }
    }

    fn log(&mut self, id: ObjectId, event: Event) {
        self.changes += 1;
        self.objects[id.0 as usize].log.push(event);
    }

    /// A condition as an object sees it: what held when it was made is taken as given.
    fn since(&mut self, id: ObjectId, guard: F) -> F {
        let made = self.object(id).guard;
        self.values.forms.restrict(guard, made)
    }

    /// Sets a field of every object that `target` may be.
    pub fn write(&mut self, target: V, key: V, value: V, guard: F, site: Site, literal: bool) {
        for (guard, leaf) in self.values.leaves(target, guard) {
            if let Some(id) = self.body_for_write(leaf, site) {
                let guard = self.since(id, guard);
                let event = Event::Write { key, value, guard, site, literal };
                self.log(id, event);
            }
        }
    }

    /// Takes a field out of every object that `target` may be.
    pub fn remove(&mut self, target: V, key: V, guard: F, site: Site) {
        for (guard, leaf) in self.values.leaves(target, guard) {
            if let Some(id) = self.body_for_write(leaf, site) {
                let guard = self.since(id, guard);
                self.log(id, Event::Remove { key, guard });
            }
        }
    }

    /// Takes all fields out of every object that `target` may be.
    pub fn clear(&mut self, target: V, guard: F) {
        for (guard, leaf) in self.values.leaves(target, guard) {
            if let Some(id) = self.body(leaf) {
                let guard = self.since(id, guard);
                self.log(id, Event::Clear { guard });
            }
        }
    }

    /// Copies all fields of `from` into every object that `target` may be.
    pub fn copy_into(&mut self, target: V, from: V, guard: F, site: Site, overwrite: bool) {
        for (guard, leaf) in self.values.leaves(target, guard) {
            let Some(id) = self.body_for_write(leaf, site) else { continue };
            for (guard, source) in self.values.leaves(from, guard) {
                if matches!(self.values.node(source), Node::Null) {
                    continue;
                }
                let at = self.body(source).map_or(0, |b| self.object(b).log.len());
                let guard = self.since(id, guard);
                let event = Event::Copy { from: source, at, guard, site, overwrite };
                self.log(id, event);
            }
        }
    }

    /// The value of a field, null where it is not there.
    pub fn read(&mut self, base: V, key: V, care: F) -> V {
        match self.values.ways(base, care) {
            Ways::One(v, care) if v == base => self.read_key(v, key, care),
            Ways::One(v, care) => self.read(v, key, care),
            Ways::Two(f, (a, yes), (b, no)) => {
                let a = self.read(a, key, yes);
                let b = self.read(b, key, no);
                self.values.choose(f, a, b)
            }
        }
    }

    fn read_key(&mut self, base: V, key: V, care: F) -> V {
        match self.values.ways(key, care) {
            Ways::One(v, care) if v == key => self.read_leaf(base, v, care),
            Ways::One(v, care) => self.read_key(base, v, care),
            Ways::Two(f, (a, yes), (b, no)) => {
                let a = self.read_key(base, a, yes);
                let b = self.read_key(base, b, no);
                self.values.choose(f, a, b)
            }
        }
    }

    fn read_leaf(&mut self, base: V, key: V, care: F) -> V {
        if let Some(id) = self.body(base) {
            let upto = self.object(id).log.len();
            return match self.any_of_few(id, key) {
                Some(keys) => self.read_any(id, key, &keys, upto, care),
                None => self.read_object(id, key, upto, care),
            };
        }
        match *self.values.node(base) {
            Node::Null => V::NULL,
            Node::List(id) => self.read_element(id, base, key),
            Node::Op(Op::Tuple, ref parts) => match self.values.as_int(key) {
                Some(i) if (i as usize) < parts.len() => parts[i as usize],
                _ => V::NULL,
            },
            _ => self.values.op(Op::Field, &[base, key]),
        }
    }

    /// The keys of a table of functions that is asked for a key known only at run time.
    fn any_of_few(&self, id: ObjectId, key: V) -> Option<Vec<V>> {
        let computed = matches!(self.values.node(key), Node::Symbol(_) | Node::Op(Op::Field, _));
        if !computed || self.can_vary(key) || self.object(id).base.is_some() {
            return None;
        }
        let callable = |event: &Event| match event {
            Event::Write { value, .. } => {
                matches!(self.values.node(*value), Node::Function(..) | Node::Op(Op::Bound, _))
            }
            _ => false,
        };
        let log = &self.object(id).log;
        (log.len() <= MAX_TABLE && log.iter().any(callable)).then(|| self.keys(id))
    }

    fn read_any(&mut self, id: ObjectId, key: V, keys: &[V], upto: usize, care: F) -> V {
        let mut v = V::NULL;
        for known in keys {
            let same = self.values.equal(key, *known, care);
            let here = self.read_object(id, *known, upto, care);
            v = self.values.choose(same, here, v);
        }
        v
    }

    fn read_element(&mut self, id: ListId, list: V, key: V) -> V {
        let known = self.list(id);
        if let Some(i) = self.values.as_int(key) {
            let len = known.elements.len() as i64;
            let fixed = !known.open && known.elements.iter().all(|(g, _)| *g == F::TRUE);
            let i = if i < 0 { len + i } else { i };
            if i >= 0 && i < len && (fixed || known.version == 0) {
                return known.elements[i as usize].1;
            }
        }
        match known.filtered && !known.open {
            true => self.first_of(id),
            false => self.values.op(Op::Field, &[list, key]),
        }
    }

    /// The value of a field after the first `upto` changes of an object.
    pub fn read_object(&mut self, id: ObjectId, key: V, upto: usize, care: F) -> V {
        if self.values.forms.work.is_out_after(upto + Work::NODE) {
            return self.values.unknown();
        }
        let mut v = match self.object(id).base {
            Some(base) => self.values.op(Op::Field, &[base, key]),
            None => V::NULL,
        };
        for i in 0..upto {
            let event = &self.object(id).log[i];
            if self.is_beside(event, key) {
                continue;
            }
            match event.clone() {
                Event::Write { key: k, value, guard, .. } => {
                    let (when, value) = self.meets(k, key, value, guard);
                    let when = self.values.forms.restrict(when, care);
                    v = self.values.choose(when, value, v);
                }
                Event::Remove { key: k, guard } => {
                    let (when, _) = self.meets(k, key, V::NULL, guard);
                    v = self.values.choose(when, V::NULL, v);
                }
                Event::Clear { guard } => v = self.values.choose(guard, V::NULL, v),
                Event::Copy { from, at, guard, overwrite, .. } => {
                    let copied = match self.body(from) {
                        Some(other) if other != id => self.read_object(other, key, at, care),
                        Some(_) => continue,
                        None => self.values.op(Op::Field, &[from, key]),
                    };
                    let mut when = self.has_at(from, key, at, care);
                    when = self.values.forms.and(when, guard);
                    if !overwrite {
                        let there = self.values.is_null(v, care);
                        when = self.values.forms.and(when, there);
                    }
                    v = self.values.choose(when, copied, v);
                }
            }
        }
        v
    }

    /// Whether a change is one of another field than the one asked about: most are.
    pub(super) fn is_beside(&self, event: &Event, asked: V) -> bool {
        match event {
            Event::Write { key, .. } | Event::Remove { key, .. } => {
                *key != asked && self.known_key(*key) && self.known_key(asked)
            }
            Event::Clear { .. } | Event::Copy { .. } => false,
        }
    }

    /// When a write under `written` sets `asked`, and what it then sets.
    fn meets(&mut self, written: V, asked: V, value: V, guard: F) -> (F, V) {
        if written == asked {
            return (guard, value);
        }
        if !self.known_key(asked) || self.known_key(written) || !self.can_vary(written) {
            return (F::FALSE, value);
        }
        let when = self.put_formula(guard, written, asked);
        let value = self.put(value, written, asked);
        (when, value)
    }

    /// When an object has a field.
    pub fn has(&mut self, base: V, key: V, care: F) -> F {
        let mut found = F::FALSE;
        for (guard, leaf) in self.values.leaves(base, care) {
            for (guard, key) in self.values.leaves(key, guard) {
                let here = self.has_at(leaf, key, usize::MAX, guard);
                let both = self.values.forms.and(guard, here);
                found = self.values.forms.or(found, both);
            }
        }
        self.values.forms.restrict(found, care)
    }

    /// When an object had a field after its first `upto` changes; `base` is no choice.
    pub fn has_at(&mut self, base: V, key: V, upto: usize, care: F) -> F {
        let Some(id) = self.body(base) else {
            return match self.values.node(base) {
                Node::Null => F::FALSE,
                Node::List(_) => self.values.atom(Atom::Has(base, key)),
                _ => self.values.atom(Atom::Has(base, key)),
            };
        };
        let upto = upto.min(self.object(id).log.len());
        if self.values.forms.work.is_out_after(upto + Work::NODE) {
            return self.values.free_atom();
        }
        let mut there = match self.object(id).base {
            Some(open) => self.values.atom(Atom::Has(open, key)),
            None => F::FALSE,
        };
        for i in 0..upto {
            let event = &self.object(id).log[i];
            if self.is_beside(event, key) {
                continue;
            }
            match event.clone() {
                Event::Write { key: k, guard, .. } => {
                    let (when, _) = self.meets(k, key, V::NULL, guard);
                    there = self.values.forms.or(there, when);
                }
                Event::Remove { key: k, guard } => {
                    let (when, _) = self.meets(k, key, V::NULL, guard);
                    there = self.values.forms.minus(there, when);
                }
                Event::Clear { guard } => there = self.values.forms.minus(there, guard),
                Event::Copy { from, at, guard, .. } => {
                    if self.body(from) == Some(id) {
                        continue;
                    }
                    let had = self.has_at(from, key, at, care);
                    let when = self.values.forms.and(had, guard);
                    there = self.values.forms.or(there, when);
                }
            }
        }
        if there == F::FALSE && !self.known_key(key) {
            // A computed key may be any of the known ones.
            return self.values.atom(Atom::Has(base, key));
        }
        self.values.forms.restrict(there, care)
    }

    fn known_key(&self, key: V) -> bool {
        matches!(self.values.node(key), Node::Text(_) | Node::Int(_))
    }

    /// Every key that an object's changes name, in the order of their first writing.
    pub fn keys(&self, id: ObjectId) -> Vec<V> {
        let mut keys = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut visited = rustc_hash::FxHashSet::default();
        self.collect_keys(id, &mut keys, &mut seen, &mut visited);
        keys
    }

    fn collect_keys(
        &self,
        id: ObjectId,
        keys: &mut Vec<V>,
        seen: &mut rustc_hash::FxHashSet<V>,
        visited: &mut rustc_hash::FxHashSet<ObjectId>,
    ) {
        if self.values.forms.work.is_out() || !visited.insert(id) {
            return;
        }
        self.values.forms.work.did(self.object(id).log.len());
        for event in &self.object(id).log {
            match event {
                Event::Write { key, .. } => {
                    for key in self.values.parts(*key) {
                        if seen.insert(key) {
                            keys.push(key);
                        }
                    }
                }
                Event::Copy { from, .. } => {
                    if let Some(other) = self.body(*from) {
                        self.collect_keys(other, keys, seen, visited);
                    }
                }
                Event::Remove { .. } | Event::Clear { .. } => {}
            }
        }
    }
}
