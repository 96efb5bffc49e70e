//! Functions that are given to code outside the workspace: run as that may call them.
//!
//! Must not know what the code is.

use super::observe::Exit;
use super::session::Session;
use super::store::Site;
use super::value::{Node, V};
use crate::ir::Range;

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
                    s.hand_out(given, range);
                }
            },
            |_| {},
            range,
        );
    }

    /// What a function gives back that only code outside the workspace calls may leave.
    fn hand_out(&mut self, given: V, range: Range) {
        let site = self.site(range);
        for (guard, leaf) in self.store.values.leaves(given, self.pc) {
            let span = self.seen.returned.get(&leaf).copied().unwrap_or(site.span);
            self.emit(leaf, None, guard, Site { span, ..site }, Exit::Guess);
        }
    }
}
