//! Which slot a name means: frames of functions and scopes of blocks.
//!
//! Knows names, not syntax.

use rustc_hash::FxHashMap;

use super::Lower;
use crate::ir::{LocalRef, Name, Range, Value, ValueKind};

/// A function whose body is being lowered.
#[derive(Default)]
pub(super) struct Frame {
    /// Its index in the module.
    pub function: u32,
    /// Names by block, outermost first.
    scopes: Vec<FxHashMap<Name, u16>>,
    /// All slots' names.
    pub slot_names: Vec<Name>,
    /// Enclosing loops and switches, outermost first.
    pub exits: Vec<Exit>,
    /// Labels read just before the statement at hand.
    pub labels: Vec<Name>,
    /// Whether the body is the file's own top level, where `var` makes globals.
    pub top: bool,
}

/// A statement that `break` can leave.
pub(super) struct Exit {
    labels: Vec<Name>,
    is_loop: bool,
}

impl Frame {
    /// A frame with one scope.
    pub fn new(function: u32) -> Self {
        Frame { function, scopes: vec![FxHashMap::default()], ..Frame::default() }
    }

    /// A new slot. Past the last one, further variables share it.
    fn slot(&mut self, name: Name) -> u16 {
        let last = u16::MAX - 1;
        let count = self.slot_names.len();
        if count > usize::from(last) {
            return last;
        }
        self.slot_names.push(name);
        count as u16
    }

    /// Opens a block.
    pub fn open(&mut self) {
        self.scopes.push(FxHashMap::default());
    }

    /// Closes the innermost block.
    pub fn close(&mut self) {
        self.scopes.pop();
    }

    /// The slot of a name in the innermost block, made on first sight.
    pub fn declare(&mut self, name: &Name) -> u16 {
        if let Some(slot) = self.scopes.last().and_then(|s| s.get(name)) {
            return *slot;
        }
        let slot = self.slot(name.clone());
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.clone(), slot);
        }
        slot
    }

    /// A slot without a name.
    pub fn temp(&mut self) -> u16 {
        self.slot(Name::default())
    }

    fn find(&self, name: &str) -> Option<u16> {
        self.scopes.iter().rev().find_map(|s| s.get(name)).copied()
    }

    /// Enters a loop or switch, which takes the waiting labels.
    pub fn enter(&mut self, is_loop: bool) {
        let labels = std::mem::take(&mut self.labels);
        self.exits.push(Exit { labels, is_loop });
    }

    /// How far out `break` goes; `None` when there is no such place.
    pub fn break_depth(&self, label: Option<&str>) -> Option<u8> {
        let depth = match label {
            Some(label) => self.exits.iter().rev().position(|e| has(&e.labels, label))?,
            None if self.exits.is_empty() => return None,
            // A labelled block is left by its label only.
            None => self.exits.iter().rev().position(|e| !e.is_block())?,
        };
        u8::try_from(depth).ok()
    }

    /// How many loops out `continue` goes; `None` when there is no such loop.
    pub fn continue_depth(&self, label: Option<&str>) -> Option<u8> {
        let mut loops = self.exits.iter().rev().filter(|e| e.is_loop);
        let depth = match label {
            Some(label) => loops.position(|e| has(&e.labels, label))?,
            None => loops.position(|_| true)?,
        };
        u8::try_from(depth).ok()
    }
}

impl Exit {
    fn is_block(&self) -> bool {
        self.labels.first().is_some_and(|l| l.is_empty())
    }
}

fn has(labels: &[Name], label: &str) -> bool {
    labels.iter().any(|l| l == label)
}

impl Lower<'_> {
    /// The local variable that a name means here.
    pub(super) fn local(&self, name: &str) -> Option<LocalRef> {
        self.frames.iter().rev().enumerate().find_map(|(up, frame)| {
            let slot = frame.find(name)?;
            Some(LocalRef { up: u8::try_from(up).ok()?, slot })
        })
    }

    /// A name as an expression or a place.
    pub(super) fn named_value(&self, name: Name, range: Range) -> Value {
        let kind = match self.local(&name) {
            Some(local) => ValueKind::Local(local),
            None if name.is_empty() => ValueKind::Opaque(Vec::new()),
            None => ValueKind::Global(name),
        };
        Value { kind, range }
    }

    /// Whether a name still means the core library's thing.
    pub(super) fn is_core(&self, name: &str) -> bool {
        !self.top.contains(name) && self.local(name).is_none()
    }

    /// The frame of the function at hand.
    pub(super) fn frame(&mut self) -> Option<&mut Frame> {
        self.frames.last_mut()
    }

    /// Runs `f` inside a new block.
    pub(super) fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        if let Some(frame) = self.frames.last_mut() {
            frame.open();
        }
        let result = f(self);
        if let Some(frame) = self.frames.last_mut() {
            frame.close();
        }
        result
    }

    /// Runs `f` inside a new block that `break` (and `continue`, in a loop) refers to.
    pub(super) fn in_exit<T>(&mut self, is_loop: bool, f: impl FnOnce(&mut Self) -> T) -> T {
        if let Some(frame) = self.frames.last_mut() {
            frame.enter(is_loop);
        }
        let result = self.scoped(f);
        if let Some(frame) = self.frames.last_mut() {
            frame.exits.pop();
        }
        result
    }
}
