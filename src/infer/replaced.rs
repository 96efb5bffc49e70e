//! Which functions no command runs any more, since the program itself put others in their place.
//!
//! Says nothing of what they do.

use rustc_hash::FxHashSet;

use super::formula::F;
use super::session::Session;
use super::store::Event;
use super::value::{FunctionId, Node};
use crate::ir::Type;

/// Functions that a command was to run before others took their place.
pub(super) fn replaced(session: &mut Session<'_>) -> FxHashSet<FunctionId> {
    let mut found = FxHashSet::default();
    let kind_of = |ty: &Type| match ty {
        Type::Named(_, name) => session.pack.commands.iter().find(|c| c.type_name == name.as_str()),
        _ => None,
    };
    let structs = session.seen.structs.iter();
    let commands: Vec<_> = structs.filter_map(|(v, ty, _)| Some((*v, kind_of(ty)?))).collect();
    for (v, kind) in commands {
        let Some(id) = session.store.body(v) else { continue };
        for field in &kind.run {
            let key = session.store.values.text(field);
            let runs = session.store.read(v, key, F::TRUE);
            for event in &session.store.object(id).log {
                let Event::Write { key: k, value, .. } = event else { continue };
                let Node::Function(function, ..) = *session.store.values.node(*value) else {
                    continue;
                };
                if *k == key && !session.store.values.mentions(runs, &|_, n| is(n, function)) {
                    found.insert(function);
                }
            }
        }
    }
    found
}

fn is(node: &Node, function: FunctionId) -> bool {
    matches!(node, Node::Function(id, ..) if *id == function)
}
