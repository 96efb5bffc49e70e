//! What a closure holds, carried from one session into a fresh one.
//!
//! Constants, functions and plain objects keep their value; anything else becomes a symbol of
//! its type.

use rustc_hash::FxHashMap;

use super::formula::F;
use super::session::{Frame, Session};
use super::store::Event;
use super::value::{FunctionId, Node, Op, Origin, V};
use super::work::Work;
use crate::ir::Type;

/// Most nesting of captured objects and frames.
const MAX_DEPTH: u8 = 8;

/// A value outside any session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Kept {
    Known(Node),
    Function(FunctionId, Option<usize>),
    Object(Vec<(Kept, Kept)>, Option<(u32, Type)>, bool),
    List(Vec<Kept>, bool),
    Symbol(Origin, Option<(u32, Type)>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct KeptFrame {
    function: FunctionId,
    slots: Vec<Kept>,
    outer: Option<usize>,
    this: Kept,
}

/// The frames around a closure, outside any session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Captured {
    frames: Vec<KeptFrame>,
    start: Option<usize>,
}

/// Takes down what a closure holds: the frame that it was made in, with those around it.
pub fn capture(session: &Session<'_>, frame: u32, this: Option<V>) -> Captured {
    let mut taker = Taker { session, frames: Vec::new(), known: FxHashMap::default() };
    let start = match this {
        Some(this) if frame == u32::MAX => {
            let this = taker.value(this, 0);
            let function = FunctionId { module: 0, index: u32::MAX };
            taker.frames.push(KeptFrame { function, slots: Vec::new(), outer: None, this });
            Some(taker.frames.len() - 1)
        }
        _ => (frame != u32::MAX).then(|| taker.frame(frame, 0)).flatten(),
    };
    Captured { frames: taker.frames, start }
}

/// A value of one session, carried out of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CapturedValue {
    frames: Vec<KeptFrame>,
    value: Kept,
}

/// Takes down a value with all that it holds.
pub fn capture_value(session: &Session<'_>, v: V) -> CapturedValue {
    let mut taker = Taker { session, frames: Vec::new(), known: FxHashMap::default() };
    let value = taker.value(v, 0);
    CapturedValue { frames: taker.frames, value }
}

impl CapturedValue {
    /// Makes the value anew in a session.
    pub fn restore(&self, session: &mut Session<'_>) -> V {
        let first = session.frames.len() as u32;
        restore_frames(session, &self.frames, first);
        remake(session, &self.value, first)
    }
}

struct Taker<'s, 'p> {
    session: &'s Session<'p>,
    frames: Vec<KeptFrame>,
    known: FxHashMap<u32, usize>,
}

impl Taker<'_, '_> {
    fn frame(&mut self, at: u32, depth: u8) -> Option<usize> {
        if let Some(known) = self.known.get(&at) {
            return Some(*known);
        }
        if depth > MAX_DEPTH {
            return None;
        }
        if self.session.store.values.forms.work.is_out() {
            return None;
        }
        let place = self.frames.len();
        let frame = self.session.frames[at as usize].clone();
        let unknown = Kept::Symbol(Origin::Unknown, None);
        self.frames.push(KeptFrame {
            function: frame.function,
            slots: Vec::new(),
            outer: None,
            this: unknown,
        });
        self.known.insert(at, place);
        let slots = frame.slots.iter().map(|v| self.value(*v, depth + 1)).collect();
        let outer = frame.outer.and_then(|o| self.frame(o, depth + 1));
        let this = self.value(frame.this, depth + 1);
        self.frames[place] = KeptFrame { function: frame.function, slots, outer, this };
        Some(place)
    }

    fn value(&mut self, v: V, depth: u8) -> Kept {
        let values = &self.session.store.values;
        // What holds the same thing twice holds it many times a few levels down.
        values.forms.work.did(Work::NODE);
        if values.forms.work.is_out() {
            return Kept::Symbol(Origin::Unknown, None);
        }
        match values.node(v).clone() {
            node @ (Node::Null
            | Node::Int(_)
            | Node::Float(_)
            | Node::Text(_)
            | Node::Unit(_)
            | Node::Type(..)) => Kept::Known(node),
            Node::Cond(f) if f.is_constant() => Kept::Known(Node::Cond(f)),
            Node::Function(id, frame, _) => {
                let outer = (frame != u32::MAX).then(|| self.frame(frame, depth + 1)).flatten();
                Kept::Function(id, outer)
            }
            Node::Object(id) if depth < MAX_DEPTH => {
                let object = self.session.store.object(id);
                let mut open = object.base.is_some();
                let (ty, log) = (object.ty.clone(), object.log.clone());
                let mut fields = Vec::new();
                for event in log {
                    match event {
                        Event::Write { key, value, guard: F::TRUE, .. } => {
                            fields.push((self.value(key, depth + 1), self.value(value, depth + 1)));
                        }
                        _ => open = true,
                    }
                }
                Kept::Object(fields, ty, open)
            }
            Node::List(id) if depth < MAX_DEPTH => {
                let list = self.session.store.list(id).clone();
                let elements =
                    list.elements.iter().map(|(_, v)| self.value(*v, depth + 1)).collect();
                Kept::List(elements, list.open || list.elements.iter().any(|(f, _)| *f != F::TRUE))
            }
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
            _ => Kept::Symbol(Origin::Unknown, None),
        }
    }
}

impl Captured {
    /// Makes the frames anew in a session and gives the one around the closure.
    pub fn restore(&self, session: &mut Session<'_>) -> Option<u32> {
        let first = session.frames.len() as u32;
        restore_frames(session, &self.frames, first);
        self.start.map(|s| first + s as u32)
    }
}

fn restore_frames(session: &mut Session<'_>, frames: &[KeptFrame], first: u32) {
    for kept in frames {
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
    for (i, kept) in frames.iter().enumerate() {
        let at = first + i as u32;
        session.frame = at;
        for (slot, v) in kept.slots.iter().enumerate() {
            let v = remake(session, v, first);
            session.frames[at as usize].slots[slot] = v;
        }
        session.frames[at as usize].this = remake(session, &kept.this, first);
    }
}

fn remake(session: &mut Session<'_>, kept: &Kept, first: u32) -> V {
    match kept {
        Kept::Known(node) => session.store.values.intern(node.clone()),
        Kept::Function(id, outer) => {
            let frame = outer.map_or(u32::MAX, |o| first + o as u32);
            session.store.values.intern(Node::Function(*id, frame, None))
        }
        Kept::Symbol(origin, ty) => session.store.values.symbol(origin.clone(), ty.clone()),
        Kept::List(elements, open) => {
            let elements = elements.iter().map(|v| (F::TRUE, remake(session, v, first))).collect();
            let site = session.own_site();
            session.store.new_list(site, elements, *open)
        }
        Kept::Object(fields, ty, open) => {
            let site = session.own_site();
            let base = open.then(|| session.store.values.unknown());
            let v = session.store.new_object(site, F::TRUE, base, ty.clone());
            for (key, value) in fields {
                let key = remake(session, key, first);
                let value = remake(session, value, first);
                session.store.write(v, key, value, F::TRUE, site, true);
            }
            v
        }
    }
}
