//! Names to bindings: block scopes across nested functions.
//!
//! Must not know what a statement is; callers open and close scopes.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Name, Type};

/// What a name means inside a function.
#[derive(Clone)]
pub(super) enum Binding {
    /// A variable or constant of the function at a depth of nested functions.
    Local {
        /// Index into the frames.
        frame: usize,
        /// Its slot there.
        slot: u16,
    },
    /// A type declared in a function, or a type parameter.
    Type(Type),
}

/// The names in force. A name's bindings form a stack, so a look-up does not depend on how
/// many scopes or names there are.
#[derive(Default)]
pub(super) struct Scopes<'t> {
    names: FxHashMap<&'t str, Vec<(usize, Binding)>>,
    bound: Vec<&'t str>,
    marks: Vec<usize>,
}

impl<'t> Scopes<'t> {
    /// Enters a block.
    pub(super) fn open(&mut self) {
        self.marks.push(self.bound.len());
    }

    /// Leaves the innermost block.
    pub(super) fn close(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        while self.bound.len() > mark {
            let name = self.bound.pop().unwrap_or("");
            if let Some(stack) = self.names.get_mut(name) {
                stack.pop();
            }
        }
    }

    /// Gives a name a meaning in the innermost block.
    pub(super) fn bind(&mut self, name: &'t str, binding: Binding) {
        self.names.entry(name).or_default().push((self.marks.len(), binding));
        self.bound.push(name);
    }

    /// The meaning of a name, if a block around gives it one.
    pub(super) fn get(&self, name: &str) -> Option<&Binding> {
        self.names.get(name)?.last().map(|(_, binding)| binding)
    }

    /// The slot of a variable that the innermost block itself has declared.
    pub(super) fn own_slot(&self, name: &str) -> Option<u16> {
        match self.names.get(name)?.last()? {
            (depth, Binding::Local { slot, .. }) if *depth == self.marks.len() => Some(*slot),
            _ => None,
        }
    }
}

/// A loop or switch around a statement.
pub(super) struct Nest<'t> {
    /// Its label.
    pub(super) label: Option<&'t str>,
    /// Whether it is a loop.
    pub(super) is_loop: bool,
}

/// A function whose body is being lowered.
pub(super) struct Frame<'t> {
    /// Its index in the module.
    pub(super) index: u32,
    /// Names of its slots so far.
    pub(super) slot_names: Vec<Name>,
    /// Slots of its named results.
    pub(super) result_slots: Vec<u16>,
    /// Loops and switches around the statement at hand, innermost last.
    pub(super) nest: Vec<Nest<'t>>,
    /// The label that the next loop or switch takes.
    pub(super) label: Option<&'t str>,
    /// Slots that are known to hold channels.
    pub(super) channels: FxHashSet<u16>,
}

impl Frame<'_> {
    /// A frame without slots.
    pub(super) fn new(index: u32) -> Self {
        Frame {
            index,
            slot_names: Vec::new(),
            result_slots: Vec::new(),
            nest: Vec::new(),
            label: None,
            channels: FxHashSet::default(),
        }
    }

    /// A new slot. A function with more variables than slots shares the last one.
    pub(super) fn slot(&mut self, name: &str) -> u16 {
        let last = u16::MAX as usize - 1;
        if self.slot_names.len() <= last {
            self.slot_names.push(name.into());
        }
        (self.slot_names.len() - 1) as u16
    }
}
