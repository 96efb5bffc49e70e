//! Tables from a name to a function: what an unknown caller dispatches by.
//!
//! Only finds them; what is registered by a known call is found elsewhere and counts for more.

use super::capture::capture;
use super::commands::{BoundArgs, Handler};
use super::drive::function_of;
use super::session::Session;
use super::store::Event;
use super::value::ObjectId;

/// Fewest functions that make a dictionary a table of handlers.
const FEWEST: usize = 2;

/// The functions of a session's tables, each by the key that it stands under.
pub fn in_tables(session: &Session<'_>) -> Vec<Handler> {
    let mut found = Vec::new();
    for i in 0..session.store.objects.len() {
        let object = session.store.object(ObjectId(i as u32));
        if object.ty.as_ref().is_some_and(|(_, ty)| !matches!(ty, crate::ir::Type::Map(_))) {
            continue;
        }
        let mut table = Vec::new();
        for event in &object.log {
            let Event::Write { key, value, .. } = event else { continue };
            let Some(name) = session.store.values.as_text(*key) else { continue };
            if let Some((function, frame, this)) = function_of(session, *value) {
                table.push((name.clone(), function, frame, this, *value));
            }
        }
        if table.len() < FEWEST {
            continue;
        }
        for (name, function, frame, this, value) in table {
            if session.relevance_of(function).worth_running(function)
                && !session.seen.visited.contains(&function)
            {
                found.push(Handler {
                    name: Some(name),
                    stage: None,
                    function,
                    captured: capture(session, frame, this),
                    declaration: None,
                    command: false,
                    guess: true,
                    dispatches: false,
                    bound: BoundArgs::of(session, value),
                });
            }
        }
    }
    found
}
