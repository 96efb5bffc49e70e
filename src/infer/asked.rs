//! Which arguments make it worth running a short function that holds no word of the pack itself:
//! what it asks of them decides what leaves.
//!
//! Says nothing of what the function does.

use super::session::Session;
use super::store::Event;
use super::value::{Node, Origin, V};
use crate::ir::Type;

impl Session<'_> {
    /// Whether a short function that is given a value may decide about a window or a page.
    pub(super) fn is_worth_asking(&self, v: V) -> bool {
        self.is_of_window(v) || self.is_built_page(v) || self.is_whole_request(v)
    }

    /// Whether a value is all that a tool's handler is given, where tools take such an object: who
    /// is handed it asks for the tool's parameters.
    fn is_whole_request(&self, v: V) -> bool {
        let symbol = self.store.values.symbol_of(v).filter(|_| !self.pack.builders.is_empty());
        symbol.is_some_and(|symbol| {
            matches!(symbol.origin, Origin::Param(_))
                && matches!(symbol.ty, None | Some((_, Type::Map(_) | Type::Unknown)))
        })
    }

    /// Whether a value is a page all of whose fields are known, so that any question about them
    /// has an answer.
    fn is_built_page(&self, v: V) -> bool {
        let Node::Object(id) = *self.store.values.node(v) else { return false };
        let object = self.store.object(id);
        let pages = |event: &Event| match event {
            Event::Write { key, .. } => {
                self.store.values.as_text(*key).is_some_and(|k| self.pack.is_raw(k))
            }
            Event::Remove { .. } | Event::Clear { .. } | Event::Copy { .. } => false,
        };
        object.base.is_none() && object.log.iter().any(pages)
    }
}
