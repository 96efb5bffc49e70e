//! Loops and switches in progress: where they began, and what leaves them early.
//!
//! Runs nothing.

use super::formula::F;
use super::session::Held;

/// A loop or switch in progress.
#[derive(Clone, Debug)]
pub struct Breakable {
    /// Whether `continue` can name it.
    pub is_loop: bool,
    /// The journal's length where it began.
    pub mark: usize,
    /// The journal's length where its round began.
    pub round_mark: usize,
    /// Paths that left it by `break`, with the slots they changed.
    pub breaks: Vec<(F, Held)>,
    /// Paths that went on to its next round, with the slots they changed in this one.
    pub continues: Vec<(F, Held)>,
}

impl Breakable {
    /// A loop or switch that begins now.
    pub fn new(is_loop: bool, mark: usize) -> Self {
        Breakable { is_loop, mark, round_mark: mark, breaks: Vec::new(), continues: Vec::new() }
    }
}

/// A loop whose rounds are run once for all.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// Its number.
    pub id: u32,
    /// The first fact that was asked for inside it.
    pub first_atom: u32,
    /// The first object made inside it.
    pub first_object: u32,
    /// The first list made inside it.
    pub first_list: u32,
    /// The path condition at its start.
    pub entry: F,
}
