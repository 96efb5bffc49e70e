//! Calls of the libraries by which a program without a framework sends JSON: encoders for its
//! output, printed texts, tool results.
//!
//! Takes every name from the pack; only values tell where a writer leads.

use rustc_hash::FxHashSet;

use super::call_names::CallNames;
use super::observe::Exit;
use super::session::Session;
use super::store::Site;
use super::value::{Node, Op, Origin, V};
use crate::ir::{Range, Type};
use crate::pack::Sink;

/// Marks of values that stand for writers and encoders.
const ENCODER: &str = "encoder";
const AROUND: &str = "writer around";
/// Where a buffer keeps what it took in.
const TAKEN: &str = "taken in";

/// Where what is written to a writer goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Out of the program.
    Out,
    /// Into a buffer of the program.
    Buffer(V),
    /// To a file, a connection, the error output, or somewhere unknown.
    Elsewhere,
}

impl<'p> Session<'p> {
    /// Applies what the pack says of the libraries' own calls; `None` where it says nothing.
    pub(super) fn outlet_call(
        &mut self,
        names: &CallNames,
        base: Option<V>,
        function: Option<V>,
        args: &[V],
        range: Range,
    ) -> Option<V> {
        let outlets = &self.pack.outlets;
        let last = names.last()?.clone();
        let is = |list: &[String]| list.iter().any(|n| n == last.as_str());
        let gives = outlets.gives.iter().find(|g| names.matches(&g.call));
        if let Some(gives) = gives.filter(|_| function.is_none()) {
            return args.get(gives.argument).copied();
        }
        for (list, mark) in [(&outlets.encoders, ENCODER), (&outlets.around, AROUND)] {
            if list.iter().any(|c| names.matches(c)) {
                let mark = self.store.values.text(mark);
                return Some(self.store.values.op(Op::Other, &[mark, *args.first()?]));
            }
        }
        let base = base.filter(|_| function.is_none())?;
        let pc = self.pc;
        if is(&outlets.encode) {
            let writer = self.marked(base, ENCODER)?;
            let v = *args.first()?;
            let text = self.store.values.map(v, pc, |values, v| values.op(Op::Encode, &[v]));
            self.write_out(writer, &[text], range);
            return Some(self.store.values.unknown());
        }
        if is(&outlets.write) && !args.is_empty() && self.way(base) != Way::Elsewhere {
            self.write_out(base, args, range);
            return Some(self.store.values.unknown());
        }
        if is(&outlets.contents) && args.is_empty() {
            if let Way::Buffer(buffer) = self.way(base) {
                let key = self.store.values.text(TAKEN);
                let taken = self.store.read(buffer, key, pc);
                return Some(taken).filter(|v| *v != V::NULL);
            }
        }
        None
    }

    /// A sink of texts: what JSON is among its arguments leaves, if its writer leads out.
    pub(super) fn print(&mut self, at: usize, sink: &Sink, args: &[V], range: Range) -> V {
        let rest = args.get(sink.argument..).unwrap_or_default();
        match sink.writer.and_then(|w| args.get(w)) {
            Some(writer) => self.write_out(*writer, rest, range),
            None => {
                let site = self.site(range);
                self.send_texts(at, rest, site);
            }
        }
        self.store.values.unknown()
    }

    /// Writes texts to a writer.
    fn write_out(&mut self, writer: V, texts: &[V], range: Range) {
        let at = self.pack.sinks.iter().position(|s| s.fallback && s.encoded);
        for (guard, leaf) in self.store.values.leaves(writer, self.pc) {
            let before = std::mem::replace(&mut self.pc, guard);
            match self.way(leaf) {
                Way::Out => {
                    let site = self.site(range);
                    self.send_texts(at.unwrap_or(0), texts, site);
                }
                Way::Buffer(buffer) => {
                    let key = self.store.values.text(TAKEN);
                    let site = self.site(range);
                    let old = self.store.read(buffer, key, guard);
                    let mut parts: Vec<V> =
                        Some(old).filter(|v| *v != V::NULL).into_iter().collect();
                    parts.extend(texts);
                    let text = match parts.as_slice() {
                        [one] => *one,
                        many => self.store.values.op(Op::Text, many),
                    };
                    self.store.write(buffer, key, text, guard, site, false);
                }
                Way::Elsewhere => {}
            }
            self.pc = before;
        }
    }

    /// Emits the values whose JSON texts are among the arguments; of one text alone also what
    /// is not known of it.
    pub(super) fn send_texts(&mut self, at: usize, texts: &[V], site: Site) {
        let alone = texts.len() == 1;
        let mut done = FxHashSet::default();
        for text in texts {
            let mut stack: Vec<_> = self
                .store
                .values
                .leaves(*text, self.pc)
                .into_iter()
                .map(|(f, v)| (f, v, alone))
                .collect();
            while let Some((guard, v, whole)) = stack.pop() {
                if !done.insert((guard, v)) || done.len() > 64 {
                    continue;
                }
                match self.store.values.node(v).clone() {
                    Node::Op(Op::Encode, parts) => {
                        self.emit(parts[0], None, guard, site, Exit::Sink(at));
                    }
                    Node::Op(Op::Text | Op::Add | Op::Tuple, parts) => {
                        for part in parts.iter() {
                            let leaves = self.store.values.leaves(*part, guard);
                            stack.extend(leaves.into_iter().map(|(f, v)| (f, v, false)));
                        }
                    }
                    Node::Op(..) | Node::Symbol(_) if whole => {
                        self.emit(v, None, guard, site, Exit::Sink(at));
                    }
                    _ => {}
                }
            }
        }
    }

    /// What a marked value was made of.
    fn marked(&self, v: V, mark: &str) -> Option<V> {
        match self.store.values.node(v) {
            Node::Op(Op::Other, parts) if parts.len() == 2 => {
                let is = self.store.values.as_text(parts[0]).is_some_and(|t| t == mark);
                is.then_some(parts[1])
            }
            Node::Choice(_, a, b) => self.marked(*a, mark).or_else(|| self.marked(*b, mark)),
            _ => None,
        }
    }

    /// Where a writer leads.
    fn way(&mut self, writer: V) -> Way {
        let mut v = writer;
        while let Some(inner) = self.marked(v, AROUND) {
            v = inner;
        }
        if let Node::Choice(_, a, b) = *self.store.values.node(v) {
            let way = self.way(a);
            return if way == Way::Elsewhere { self.way(b) } else { way };
        }
        if let Some((_, Type::Named(_, ty))) = self.type_of(v) {
            if self.pack.outlets.elsewhere.iter().any(|t| t == ty.as_str()) {
                return Way::Elsewhere;
            }
            let buffer = matches!(ty.as_str(), "Buffer" | "Builder");
            if buffer && self.store.body(v).is_some() {
                return Way::Buffer(v);
            }
        }
        let name = match self.store.values.node(v) {
            Node::Op(Op::Field, parts) => self.store.values.as_text(parts[1]).cloned(),
            Node::Symbol(_) => match self.store.values.symbol_of(v).map(|s| &s.origin) {
                Some(Origin::Call(name) | Origin::Param(name) | Origin::Global(name)) => {
                    Some(name.clone())
                }
                _ => None,
            },
            _ => None,
        };
        let known = |n: &crate::ir::Name| self.pack.outlets.writers.iter().any(|w| w == n.as_str());
        match name {
            Some(name) if known(&name) => Way::Out,
            _ => Way::Elsewhere,
        }
    }
}
