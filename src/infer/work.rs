//! Counts what a session does, however small its statements look: nodes of formulas, changes of
//! objects that are looked through, values that are made.
//!
//! Knows no clock: the same program is the same work on every machine.

use std::cell::Cell;

/// Work done so far, and how much of it is allowed.
#[derive(Debug)]
pub struct Work {
    done: Cell<u64>,
    allowed: Cell<u64>,
}

impl Default for Work {
    fn default() -> Self {
        Work { done: Cell::new(0), allowed: Cell::new(u64::MAX) }
    }
}

impl Work {
    /// What a node of a formula costs in steps: it is looked up in tables, other steps only look.
    pub const NODE: usize = 16;

    /// Counts so many steps.
    pub fn did(&self, steps: usize) {
        self.done.set(self.done.get().saturating_add(steps as u64));
    }

    /// Counts so many steps, and says whether more was done by now than is allowed.
    pub fn is_out_after(&self, steps: usize) -> bool {
        self.did(steps);
        self.is_out()
    }

    /// Steps counted so far.
    pub fn done(&self) -> u64 {
        self.done.get()
    }

    /// Allows so many steps from now on.
    pub fn allow(&self, steps: u64) {
        self.allowed.set(self.done.get().saturating_add(steps));
    }

    /// Whether more was done than is allowed.
    pub fn is_out(&self) -> bool {
        self.done.get() > self.allowed.get()
    }
}
