//! Scopes of local variables, as every front end needs them: names become slots, and a name of
//! an enclosing function becomes a reference that says how many frames to go out.
//!
//! Knows no syntax: the front end says when a frame or a block begins and ends.

use rustc_hash::FxHashMap;

use crate::ir::{LocalRef, Name};

/// The frames of the function at hand and of those that enclose it, outermost first.
#[derive(Debug, Default)]
pub struct Scopes {
    frames: Vec<Frame>,
}

#[derive(Debug, Default)]
struct Frame {
    /// What can be seen at this point, in order, each with the slot that its name hides.
    visible: Vec<(Name, Option<u16>)>,
    /// The slot that each visible name means.
    slots: FxHashMap<Name, u16>,
    names: Vec<Name>,
}

impl Scopes {
    /// Begins a function inside the current one, if any.
    pub fn enter(&mut self) {
        self.frames.push(Frame::default());
    }

    /// Ends the innermost function and gives the names of its slots.
    pub fn leave(&mut self) -> Vec<Name> {
        self.frames.pop().map(|f| f.names).unwrap_or_default()
    }

    /// Whether there is a function to declare locals in.
    pub fn in_function(&self) -> bool {
        !self.frames.is_empty()
    }

    /// Begins a block; give the mark back to [`Scopes::close`].
    pub fn open(&self) -> usize {
        self.frames.last().map_or(0, |f| f.visible.len())
    }

    /// Ends a block: what was declared since the mark is no longer seen.
    pub fn close(&mut self, mark: usize) {
        let Some(frame) = self.frames.last_mut() else { return };
        for (name, hidden) in frame.visible.drain(mark.min(frame.visible.len())..).rev() {
            match hidden {
                Some(slot) => frame.slots.insert(name, slot),
                None => frame.slots.remove(&name),
            };
        }
    }

    /// A new slot that no name reaches. A function with too many slots shares its last one.
    pub fn fresh(&mut self, name: Name) -> u16 {
        let Some(frame) = self.frames.last_mut() else { return 0 };
        // The slot count itself must fit into 16 bits too.
        if frame.names.len() >= usize::from(u16::MAX) {
            return u16::MAX - 1;
        }
        frame.names.push(name);
        (frame.names.len() - 1) as u16
    }

    /// A new slot under a name, visible from here to the end of the block.
    pub fn declare(&mut self, name: Name) -> u16 {
        let slot = self.fresh(name.clone());
        if let Some(frame) = self.frames.last_mut() {
            let hidden = frame.slots.insert(name.clone(), slot);
            frame.visible.push((name, hidden));
        }
        slot
    }

    /// The variable of a name, if one can be seen.
    pub fn find(&self, name: &str) -> Option<LocalRef> {
        for (up, frame) in self.frames.iter().rev().enumerate() {
            if let Some(slot) = frame.slots.get(name) {
                return Some(LocalRef { up: u8::try_from(up).ok()?, slot: *slot });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_names_hide_outer_ones_and_end_with_their_block() {
        let mut scopes = Scopes::default();
        scopes.enter();
        let outer = scopes.declare("x".into());
        let mark = scopes.open();
        let inner = scopes.declare("x".into());
        assert_eq!(scopes.find("x"), Some(LocalRef { up: 0, slot: inner }));
        scopes.close(mark);
        assert_eq!(scopes.find("x"), Some(LocalRef { up: 0, slot: outer }));
        scopes.enter();
        assert_eq!(scopes.find("x"), Some(LocalRef { up: 1, slot: outer }));
        assert_eq!(scopes.find("y"), None);
        assert!(scopes.leave().is_empty());
        assert_eq!(scopes.leave().len(), 2);
    }

    #[test]
    fn slots_never_overflow() {
        let mut scopes = Scopes::default();
        scopes.enter();
        for _ in 0..70_000 {
            scopes.fresh(Name::default());
        }
        assert_eq!(scopes.fresh(Name::default()), u16::MAX - 1);
        assert_eq!(scopes.leave().len(), usize::from(u16::MAX));
    }
}
