//! What closures write to the variables of the function around them.
//!
//! Must not know what the function does with such a variable.

use super::run::Runner;
use super::worlds::*;
use crate::infer::value::FunctionId;
use crate::ir::LocalRef;

impl Runner<'_, '_> {
    /// What the closures of a function write to one of its variables, where that is about a
    /// page. Where they write nothing, the variable is as it began: empty.
    pub(super) fn written(&mut self, id: FunctionId, slot: u16) -> Option<Val> {
        self.unfold(id);
        let (value, states) = self.outward.get(&(id, slot))?;
        let tells = value.is(PAGING) || *states & RUNNING != RUNNING;
        let empty = Val { role: value.role, ..Val::constant(false) };
        tells.then(|| value.join(*states, &empty, !*states))
    }

    /// Runs the closures of a function once, for what they write.
    fn unfold(&mut self, id: FunctionId) {
        if !self.unfolded.insert(id) {
            return;
        }
        let scan = self.scan;
        let functions = &scan.index.module(id.module).functions;
        let made = self.inside.len();
        for (index, function) in functions.iter().enumerate() {
            if function.parent == Some(id.index) {
                self.run(FunctionId { module: id.module, index: index as u32 }, None, RUNNING);
            }
        }
        self.inside.truncate(made);
    }

    /// Takes down a write of a closure to a variable of a function around it.
    pub(super) fn writes_out(&mut self, local: &LocalRef, part: &Val, state: &State) {
        let Some(inner) = self.frames.last().map(|f| f.id) else { return };
        let functions = &self.scan.index.module(inner.module).functions;
        let outer = (0..local.up).try_fold(inner.index, |at, _| functions[at as usize].parent);
        let Some(index) = outer else { return };
        let key = (FunctionId { module: inner.module, index }, local.slot);
        let part = Val { parts: None, function: None, ..part.clone() };
        let known = self
            .outward
            .get(&key)
            .map(|(value, at)| (value.join(*at, &part, state.reach), at | state.reach));
        self.outward.insert(key, known.unwrap_or((part, state.reach)));
    }
}
