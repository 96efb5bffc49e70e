//! What a framework does with a declared command when it mounts it: it runs the command's hooks,
//! and emits what a tool answers where the command has no code of its own.
//!
//! Judges nothing.

use super::commands::{at_path, site_at, stage_set_on, text_at};
use super::formula::F;
use super::session::Session;
use super::value::{Node, Origin, V};
use crate::ir::Name;
use crate::pack::CommandType;
use crate::text::Span;

/// The tool that a command is for; without code of its own the framework emits what it answers.
#[derive(Clone, Debug)]
pub struct Whole {
    /// The tool.
    pub tool: Name,
    /// Where it is named.
    pub span: Span,
    /// Whether a parameter of the command asks for a page.
    pub asks: bool,
    /// Whether the command has no code of its own.
    pub emits: bool,
}

/// What a command's own hooks do to it.
pub(super) struct Hooks {
    /// The stage that they set.
    pub stage: Option<Name>,
    /// The flags that they register.
    pub flags: Vec<(String, Span)>,
    /// Whether those are all.
    pub all: bool,
}

/// Runs the hooks of a command.
pub(super) fn run_hooks(session: &mut Session<'_>, kind: &CommandType, v: V) -> Hooks {
    let mut hooks = Hooks { stage: None, flags: Vec::new(), all: true };
    for hook in &kind.hooks {
        let function = at_path(session, v, hook);
        let mut called = Vec::new();
        for (_, leaf) in session.store.values.leaves(function, F::TRUE) {
            match session.store.values.node(leaf) {
                Node::Function(id, ..) => called.push(*id),
                _ => hooks.all &= leaf == V::NULL,
            }
        }
        if !session.store.values.mentions(function, &|_, n| matches!(n, Node::Function(..))) {
            continue;
        }
        let command = session.store.values.symbol(Origin::Unknown, None);
        session.pc = F::TRUE;
        session.run_hook(function, command);
        session.pc = F::TRUE;
        let (flags, all) = session.flags_on(command);
        hooks.flags.extend(flags);
        hooks.all &= all && called.iter().all(|id| session.seen.visited.contains(id));
        hooks.stage = hooks.stage.or_else(|| stage_set_on(session, command));
    }
    hooks
}

/// The names of flags.
pub(super) fn names(flags: &[(String, Span)]) -> Vec<String> {
    flags.iter().map(|(name, _)| name.clone()).collect()
}

/// The tool that a command names.
pub(super) fn whole(session: &mut Session<'_>, kind: &CommandType, v: V) -> Option<Whole> {
    let emits = kind.run.iter().all(|path| at_path(session, v, path) == V::NULL);
    let path = kind.tool.iter().find(|path| text_at(session, v, path).is_some())?;
    let tool = text_at(session, v, path).filter(|t| !t.is_empty())?;
    let span = site_at(session, v, path)?.span;
    let mut asks = false;
    for path in &kind.parameters {
        let list = at_path(session, v, path);
        let Node::List(id) = *session.store.values.node(list) else { continue };
        for (_, item) in session.store.list(id).elements.clone() {
            let Some(id) = session.store.body(item) else { continue };
            for key in session.store.keys(id) {
                let said = session.store.read(item, key, F::TRUE);
                let said = session.store.values.as_text(said);
                asks |= said.is_some_and(|t| session.pack.asks_by(t));
            }
        }
    }
    Some(Whole { tool, span, asks, emits })
}
