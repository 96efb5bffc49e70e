//! Flags that calls register on commands, also in the hooks that mount them.
//!
//! Knows the calls only by the names that the pack gives; judges nothing.

use super::formula::F;
use super::session::Session;
use super::value::{Node, Op, V};
use crate::ir::{Arg, Name, Value, ValueKind};
use crate::text::Span;

/// What marks the flags of a command among values.
const MARK: &str = "flags of";

/// A flag that a call registers.
#[derive(Clone, Debug)]
pub struct Registered {
    /// The command.
    pub command: V,
    /// Its name, where it is a known text.
    pub name: Option<Name>,
    /// Where the name is written.
    pub span: Span,
    /// Whether the commands below have it too.
    pub inherited: bool,
}

impl<'p> Session<'p> {
    /// What a call gives that asks for a command's flags; a call that registers one is noted.
    pub(super) fn flag_call(
        &mut self,
        callee: &'p Value,
        base: Option<V>,
        args: &'p [Arg],
        values: &[V],
    ) -> Option<V> {
        let ValueKind::Member(_, method, _) = &callee.kind else { return None };
        let (base, flags) = (base?, &self.pack.flags);
        let inherited = flags.inherited.iter().any(|f| f == method.as_str());
        if args.is_empty() && (inherited || flags.own.iter().any(|f| f == method.as_str())) {
            let kind = match inherited {
                true => self.store.values.cond(F::TRUE),
                false => self.store.values.cond(F::FALSE),
            };
            let mark = self.store.values.text(MARK);
            return Some(self.store.values.op(Op::Other, &[mark, base, kind]));
        }
        let Node::Op(Op::Other, parts) = self.store.values.node(base) else { return None };
        let [mark, command, kind] = **parts else { return None };
        if self.store.values.as_text(mark).is_none_or(|t| t != MARK) {
            return None;
        }
        let at = match () {
            () if flags.first.iter().any(|f| f == method.as_str()) => 0,
            () if flags.second.iter().any(|f| f == method.as_str()) => 1,
            () => return None,
        };
        let (name, arg) = values.get(at).zip(args.get(at))?;
        let name = self.store.values.as_text(*name).cloned();
        let span = self.span(arg.value.range);
        let inherited = kind == self.store.values.cond(F::TRUE);
        self.seen.flags.push(Registered { command, name, span, inherited });
        None
    }

    /// Takes down that code outside the workspace may register flags on what it is given.
    pub(super) fn note_handed(&mut self, callee: &Name, args: &[V]) {
        if !self.pack.flags.harmless.iter().any(|h| h == callee.as_str()) {
            self.seen.handed.extend(args);
        }
    }

    /// The flags that were registered on a command, and whether those are all.
    pub(super) fn flags_on(&self, command: V) -> (Vec<(String, Span)>, bool) {
        let mine = self.seen.flags.iter().filter(|f| f.command == command);
        let all = !self.seen.handed.contains(&command) && mine.clone().all(|f| f.name.is_some());
        let told = mine.filter_map(|f| Some((f.name.as_ref()?.to_string(), f.span)));
        (told.collect(), all)
    }
}
