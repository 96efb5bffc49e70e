//! Methods of what the service answers.
//!
//! Must not know which fields of an answer page.

use super::session::Session;
use super::value::{FunctionId, Origin, V};
use crate::ir::{Name, Type};

impl Session<'_> {
    /// The method of a response whose type is not known: the only one of that name, if it
    /// belongs to a map.
    pub(super) fn method_of_response(&self, v: V, name: &Name) -> Option<FunctionId> {
        let origin = self.store.values.symbol_of(v).map(|s| &s.origin);
        if !matches!(origin, Some(Origin::Upstream(_))) {
            return None;
        }
        let id = self.index.only_method(name)?;
        let owner = self.function(id).owner.as_ref()?;
        let mut types = self.index.module(id.module).types.iter();
        let is_map = types.any(|t| t.name == *owner && matches!(t.alias, Some(Type::Map(_))));
        is_map.then_some(id)
    }
}
