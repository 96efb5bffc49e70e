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
    /// Steps counted when that was allowed, and the most that any earlier allowance was used for.
    begun: Cell<u64>,
    most: Cell<u64>,
}

impl Default for Work {
    fn default() -> Self {
        let none = || Cell::new(0);
        Work { done: none(), allowed: Cell::new(u64::MAX), begun: none(), most: none() }
    }
}

impl Work {
    /// What a node of a formula costs in steps: it is looked up in tables, other steps only look.
    pub const NODE: usize = 16;

    /// Counts so many steps.
    pub fn did(&self, steps: usize) {
        self.done.set(self.done.get() + steps as u64);
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

    /// The most steps counted within one allowance.
    pub fn most(&self) -> u64 {
        self.most.get().max(self.done.get() - self.begun.get())
    }

    /// Allows so many steps from now on.
    pub fn allow(&self, steps: u64) {
        self.most.set(self.most());
        self.begun.set(self.done.get());
        self.allowed.set(self.done.get().saturating_add(steps));
    }

    /// Whether more was done than is allowed.
    pub fn is_out(&self) -> bool {
        self.done.get() > self.allowed.get()
    }
}

#[cfg(test)]
mod tests {
    use super::Work;

    #[test]
    fn each_allowance_counts_for_itself() {
        let work = Work::default();
        work.did(70);
        assert!(!work.is_out());
        work.allow(10);
        work.did(10);
        assert!(!work.is_out());
        work.allow(5);
        assert!(!work.is_out_after(4) && work.is_out_after(2));
        assert_eq!((work.done(), work.most()), (86, 70));
        work.allow(100);
        work.did(90);
        assert!(!work.is_out() && work.most() == 90);
    }
}
