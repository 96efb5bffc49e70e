//! What a closure holds, carried from one session into a fresh one.
//!
//! Constants, functions, plain objects and what libraries name keep their value; anything else
//! becomes a symbol of its type.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::formula::F;
use super::session::{Frame, Session};
use super::store::Event;
use super::value::{FunctionId, ListId, Node, ObjectId, Op, Origin, V};
use super::work::Work;
use crate::ir::Type;

/// Most steps from a closure to an object or frame that is carried with it.
const MAX_DEPTH: u8 = 8;

/// A value outside any session. What has an identity stands in a list of its own, and is the same
/// thing for all that hold it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Kept {
    Known(Node),
    Function(FunctionId, Option<usize>, Option<Box<Kept>>),
    /// A field of something not known, a name that is no part of the workspace, or a function
    /// with arguments bound.
    Op(Op, Vec<Kept>),
    Object(usize),
    List(usize),
    Symbol(Origin, Option<(u32, Type)>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct KeptFrame {
    function: FunctionId,
    slots: Vec<Kept>,
    outer: Option<usize>,
    this: Kept,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct KeptObject {
    /// The frame through which it was found.
    holder: Option<usize>,
    fields: Vec<(Kept, Kept)>,
    ty: Option<(u32, Type)>,
    open: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct KeptList {
    holder: Option<usize>,
    elements: Vec<Kept>,
    open: bool,
}

/// Things of one session that have an identity, carried out of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Things {
    frames: Vec<KeptFrame>,
    objects: Vec<KeptObject>,
    lists: Vec<KeptList>,
}

/// The frames around a closure, outside any session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Captured {
    things: Things,
    start: Option<usize>,
}

/// Takes down what a closure holds: the frame that it was made in, with those around it.
pub fn capture(session: &Session<'_>, frame: u32, this: Option<V>) -> Captured {
    let mut taker = Taker::new(session);
    let start = match this {
        Some(this) if frame == u32::MAX => {
            taker.holder = Some(0);
            let this = taker.value(this, 0);
            let function = FunctionId { module: 0, index: u32::MAX };
            taker.things.frames.push(KeptFrame { function, slots: Vec::new(), outer: None, this });
            Some(taker.things.frames.len() - 1)
        }
        _ => (frame != u32::MAX).then(|| taker.frame(frame, 0)).flatten(),
    };
    Captured { things: taker.done(), start }
}

/// A value of one session, carried out of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CapturedValue {
    things: Things,
    value: Kept,
}

/// Takes down a value with all that it holds.
pub fn capture_value(session: &Session<'_>, v: V) -> CapturedValue {
    let mut taker = Taker::new(session);
    let value = taker.value(v, 0);
    CapturedValue { things: taker.done(), value }
}

impl CapturedValue {
    /// Makes the value anew in a session.
    pub fn restore(&self, session: &mut Session<'_>) -> V {
        let made = Made::of(&self.things, session);
        made.value(&self.value, session)
    }
}

/// Something with an identity that is yet to be taken down, with its place there.
enum Due {
    Frame(u32, usize),
    Object(ObjectId, usize),
    List(ListId, usize),
}

/// Takes things down breadth first, so that each is reached by the fewest steps.
struct Taker<'s, 'p> {
    session: &'s Session<'p>,
    things: Things,
    frames: FxHashMap<u32, usize>,
    objects: FxHashMap<ObjectId, usize>,
    lists: FxHashMap<ListId, usize>,
    due: VecDeque<(Due, u8)>,
    /// The frame whose values are being taken down.
    holder: Option<usize>,
}

impl<'s, 'p> Taker<'s, 'p> {
    fn new(session: &'s Session<'p>) -> Self {
        Taker {
            session,
            things: Things::default(),
            frames: FxHashMap::default(),
            objects: FxHashMap::default(),
            lists: FxHashMap::default(),
            due: VecDeque::new(),
            holder: None,
        }
    }

    /// Takes down all that is due.
    fn done(mut self) -> Things {
        let session = self.session;
        while let Some((due, depth)) = self.due.pop_front() {
            let next = depth + 1;
            match due {
                Due::Frame(at, place) => {
                    self.holder = Some(place);
                    let frame = &session.frames[at as usize];
                    let slots = frame.slots.iter().map(|v| self.value(*v, next)).collect();
                    let outer = frame.outer.and_then(|outer| self.frame(outer, next));
                    let this = self.value(frame.this, next);
                    let function = frame.function;
                    self.things.frames[place] = KeptFrame { function, slots, outer, this };
                }
                Due::Object(id, place) => {
                    let object = session.store.object(id);
                    self.holder = self.things.objects[place].holder;
                    let mut kept = KeptObject {
                        holder: self.holder,
                        fields: Vec::new(),
                        ty: object.ty.clone(),
                        open: object.base.is_some(),
                    };
                    for event in &object.log {
                        match event {
                            Event::Write { key, value, guard: F::TRUE, .. } => {
                                kept.fields.push((self.value(*key, next), self.value(*value, next)))
                            }
                            _ => kept.open = true,
                        }
                    }
                    self.things.objects[place] = kept;
                }
                Due::List(id, place) => {
                    self.holder = self.things.lists[place].holder;
                    let list = session.store.list(id);
                    let elements =
                        list.elements.iter().map(|(_, v)| self.value(*v, next)).collect();
                    let open = list.open || list.elements.iter().any(|(f, _)| *f != F::TRUE);
                    self.things.lists[place] = KeptList { holder: self.holder, elements, open };
                }
            }
        }
        self.things
    }

    fn frame(&mut self, at: u32, depth: u8) -> Option<usize> {
        if let Some(known) = self.frames.get(&at) {
            return Some(*known);
        }
        if depth > MAX_DEPTH {
            return None;
        }
        if self.session.store.values.forms.work.is_out() {
            return None;
        }
        let place = self.things.frames.len();
        self.things.frames.push(KeptFrame {
            function: self.session.frames[at as usize].function,
            slots: Vec::new(),
            outer: None,
            this: Kept::Symbol(Origin::Unknown, None),
        });
        self.frames.insert(at, place);
        self.due.push_back((Due::Frame(at, place), depth));
        Some(place)
    }

    fn value(&mut self, v: V, depth: u8) -> Kept {
        let values = &self.session.store.values;
        let unknown = Kept::Symbol(Origin::Unknown, None);
        if values.forms.work.is_out_after(Work::NODE) {
            return unknown;
        }
        match values.node(v) {
            node @ (Node::Null
            | Node::Int(_)
            | Node::Float(_)
            | Node::Text(_)
            | Node::Unit(_)
            | Node::Type(..)) => Kept::Known(node.clone()),
            Node::Cond(f) if f.is_constant() => Kept::Known(Node::Cond(*f)),
            Node::Function(id, frame, this) => {
                let outer = (*frame != u32::MAX).then(|| self.frame(*frame, depth + 1)).flatten();
                let this = this.filter(|_| depth < MAX_DEPTH);
                Kept::Function(*id, outer, this.map(|v| Box::new(self.value(v, depth + 1))))
            }
            Node::Object(id) => match self.objects.get(id) {
                Some(place) => Kept::Object(*place),
                None if depth >= MAX_DEPTH => unknown,
                None => {
                    let place = self.things.objects.len();
                    let holder = self.holder;
                    self.things.objects.push(KeptObject { holder, ..KeptObject::default() });
                    self.objects.insert(*id, place);
                    self.due.push_back((Due::Object(*id, place), depth));
                    Kept::Object(place)
                }
            },
            Node::List(id) => match self.lists.get(id) {
                Some(place) => Kept::List(*place),
                None if depth >= MAX_DEPTH => unknown,
                None => {
                    let place = self.things.lists.len();
                    let holder = self.holder;
                    self.things.lists.push(KeptList { holder, ..KeptList::default() });
                    self.lists.insert(*id, place);
                    self.due.push_back((Due::List(*id, place), depth));
                    Kept::List(place)
                }
            },
            Node::Symbol(_) => {
                let symbol = values.symbol_of(v);
                let origin = match symbol.map(|s| &s.origin) {
                    Some(
                        origin @ (Origin::Param(_)
                        | Origin::Global(_)
                        | Origin::Call(_)
                        | Origin::Error),
                    ) => origin.clone(),
                    _ => Origin::Unknown,
                };
                Kept::Symbol(origin, symbol.and_then(|s| s.ty.clone()))
            }
            Node::Op(Op::Text, parts) if parts.len() == 1 => self.value(parts[0], depth + 1),
            Node::Op(op, parts) if depth < MAX_DEPTH && is_name(*op, parts) => {
                Kept::Op(*op, parts.iter().map(|v| self.value(*v, depth + 1)).collect())
            }
            Node::Cond(_) | Node::Choice(..) | Node::Op(..) => unknown,
        }
    }
}

/// Whether an operation only says how something is reached.
fn is_name(op: Op, parts: &[V]) -> bool {
    match op {
        Op::Field | Op::Bound => true,
        Op::Other => parts.len() == 1,
        _ => false,
    }
}

impl Captured {
    /// Makes the frames anew in a session and gives the one around the closure.
    pub fn restore(&self, session: &mut Session<'_>) -> Option<u32> {
        let made = Made::of(&self.things, session);
        self.start.map(|s| made.first + s as u32)
    }
}

/// Things made anew in a session.
struct Made {
    /// The first of their frames.
    first: u32,
    objects: Vec<V>,
    lists: Vec<V>,
}

impl Made {
    /// Makes all of them, then puts into each what it holds.
    fn of(things: &Things, session: &mut Session<'_>) -> Made {
        let first = session.frames.len() as u32;
        for kept in &things.frames {
            let this = session.store.values.unknown();
            session.frames.push(Frame {
                function: kept.function,
                slots: vec![V::NULL; kept.slots.len()],
                outer: kept.outer.map(|o| first + o as u32),
                caller: None,
                call: None,
                this,
                builder: false,
            });
        }
        let own = session.frame;
        let site = |holder: Option<usize>, session: &mut Session<'_>| {
            session.frame = holder.map_or(own, |place| first + place as u32);
            session.own_site()
        };
        let objects = things.objects.iter().map(|kept| {
            let site = site(kept.holder, session);
            let base = kept.open.then(|| session.store.values.unknown());
            session.store.new_object(site, F::TRUE, base, kept.ty.clone())
        });
        let objects = objects.collect();
        let lists = things.lists.iter().map(|kept| {
            let site = site(kept.holder, session);
            session.store.new_list(site, Vec::new(), kept.open)
        });
        let lists = lists.collect();
        let made = Made { first, objects, lists };
        for (kept, v) in things.objects.iter().zip(&made.objects) {
            let site = site(kept.holder, session);
            for (key, value) in &kept.fields {
                let (key, value) = (made.value(key, session), made.value(value, session));
                session.store.write(*v, key, value, F::TRUE, site, true);
            }
        }
        for (kept, v) in things.lists.iter().zip(&made.lists) {
            let elements = kept.elements.iter().map(|v| (F::TRUE, made.value(v, session)));
            let elements = elements.collect();
            if let Node::List(id) = session.store.values.node(*v) {
                session.store.lists[id.0 as usize].elements = elements;
            }
        }
        for (at, kept) in (first..).zip(&things.frames) {
            for (slot, v) in kept.slots.iter().enumerate() {
                let v = made.value(v, session);
                session.frames[at as usize].slots[slot] = v;
            }
            let this = made.value(&kept.this, session);
            session.frames[at as usize].this = this;
        }
        session.frame = own;
        made
    }

    fn value(&self, kept: &Kept, session: &mut Session<'_>) -> V {
        match kept {
            Kept::Known(node) => session.store.values.intern(node.clone()),
            Kept::Function(id, outer, this) => {
                let frame = outer.map_or(u32::MAX, |o| self.first + o as u32);
                let this = this.as_ref().map(|v| self.value(v, session));
                session.store.values.intern(Node::Function(*id, frame, this))
            }
            Kept::Op(op, parts) => {
                let parts: Vec<V> = parts.iter().map(|v| self.value(v, session)).collect();
                session.store.values.op(*op, &parts)
            }
            Kept::Symbol(origin, ty) => session.store.values.symbol(origin.clone(), ty.clone()),
            Kept::Object(place) => self.objects[*place],
            Kept::List(place) => self.lists[*place],
        }
    }
}
