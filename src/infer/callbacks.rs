//! What is handed to code that is not run as it is called: functions, texts, objects.
//!
//! Must not know what the code is.

use super::drive::function_of;
use super::effects::fields_written;
use super::formula::F;
use super::observe::{Exit, Registration};
use super::session::Session;
use super::store::{Event, Site};
use super::taken::taken;
use super::value::{Node, Op, V};
use crate::ir::{Builtin, Function, FunctionKind, Range, Value, ValueKind};

impl Session<'_> {
    /// Runs a function that was given to code that is not in the workspace, as it may be called.
    pub(super) fn run_callback(&mut self, f: V, range: Range) {
        let Node::Function(id, ..) = *self.store.values.node(f) else { return };
        if !self.relevance_of(id).worth_running(id) || self.stack.contains(&id) {
            return;
        }
        let params = self.function(id).params.len();
        let args: Vec<V> = (0..params).map(|_| self.store.values.unknown()).collect();
        let maybe = self.store.values.free_atom();
        self.branch(
            maybe,
            |s| {
                let given = s.invoke(f, &args, false, range);
                if let Some(given) = given.filter(|_| s.relevance.is_handed_on(id)) {
                    s.hand_out(given, s.pc, range);
                }
            },
            |_| {},
            range,
        );
    }

    /// Notes a function that is given to code which is not in the workspace together with a name:
    /// it may be a tool's handler, and is run on its own.
    pub(super) fn offers(&mut self, args: &[V], range: Range) -> bool {
        let [name, rest @ ..] = args else { return false };
        let (name, site) = (*name, self.site(range));
        let named = self.store.values.as_text(name).is_some_and(|t| !t.is_empty());
        if !named || self.pack.fields.more.is_empty() {
            return false;
        }
        let handler = rest.iter().copied().find(|v| self.takes_request(*v));
        let Some(handler) = handler else { return false };
        let now = (self.unrolling > 0).then(|| taken(self, handler, self.pc));
        let found = Registration { name, handler, site, dispatches: false, guess: true, now };
        self.seen.registrations.push(found);
        true
    }

    /// Whether a value is a function worth running that is given something and that no code of
    /// the workspace calls.
    fn takes_request(&self, v: V) -> bool {
        let Some((id, ..)) = function_of(self, v) else { return false };
        let function = self.function(id);
        let unnamed = function.kind == FunctionKind::Closure;
        self.relevance_of(id).worth_running(id)
            && !function.params.is_empty()
            && (unnamed || self.relevance.is_handed_on(id))
    }

    /// What a function gives back that only code outside the workspace calls may leave.
    pub(super) fn hand_out(&mut self, given: V, when: F, range: Range) {
        let site = self.site(range);
        for (guard, leaf) in self.store.values.leaves(given, when) {
            let span = self.seen.returned.get(&leaf).copied().unwrap_or(site.span);
            self.emit(leaf, None, guard, Site { span, ..site }, Exit::Guess);
        }
    }

    /// Whether a value is a function that can show something: what is given it may only call it
    /// (again, or with care) and hand on what it gave.
    pub(super) fn is_worth_calling(&self, v: V) -> bool {
        match *self.store.values.node(v) {
            Node::Function(id, ..) => self.relevance_of(id).worth_running(id),
            _ => false,
        }
    }

    /// The object whose JSON text a value is, else the value.
    pub(super) fn put_into_words(&self, v: V) -> V {
        match self.store.values.node(v) {
            Node::Op(Op::Encode, parts) => parts[0],
            _ => v,
        }
    }

    /// Lists that a function of the workspace is given may grow in it, also where it is not run.
    pub(super) fn hand_over(&mut self, args: &[V]) {
        self.release(args);
        for arg in args {
            if !self.store.values.any_leaf(*arg, |_, node| matches!(node, Node::List(_))) {
                continue;
            }
            for (_, leaf) in self.store.values.leaves(*arg, self.pc) {
                if let Node::List(id) = *self.store.values.node(leaf) {
                    let list = &mut self.store.lists[id.0 as usize];
                    list.open = true;
                    list.version += 1;
                }
            }
        }
    }

    /// Fields of objects that a function which calls itself writes: when a level begins, they may
    /// hold anything.
    pub(super) fn loosen_fields(&mut self, function: &Function, args: &[V]) {
        for (place, name) in fields_written(function) {
            let Some(arg) = args.get(place) else { continue };
            let key = self.store.values.text(&name);
            for (_, leaf) in self.store.values.leaves(*arg, self.pc) {
                let Some(id) = self.store.body(leaf) else { continue };
                let last = self.store.object(id).log.iter().rev().find_map(|e| match e {
                    Event::Write { key: known, site, literal, .. } if *known == key => {
                        Some((*site, *literal))
                    }
                    _ => None,
                });
                if let Some((site, literal)) = last {
                    let anything = self.store.values.unknown();
                    self.store.write(leaf, key, anything, self.pc, site, literal);
                }
            }
        }
    }

    /// JSON text that a program prints is its answer.
    pub(super) fn note_printed(&mut self, callee: &Value, by: Builtin, args: &[V], range: Range) {
        let prints = matches!(&callee.kind, ValueKind::Global(name) if name == "print");
        if by != Builtin::Ignore || !prints || !self.pack.outlets.is_empty() {
            return;
        }
        for arg in args {
            for (guard, leaf) in self.store.values.leaves(*arg, self.pc) {
                let answer = self.put_into_words(leaf);
                if answer != leaf {
                    let site = self.site(range);
                    self.emit(answer, None, guard, site, Exit::Guess);
                }
            }
        }
    }
}
