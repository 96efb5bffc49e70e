//! Who first wrote a field that a loop only copies from one object into another.
//!
//! Knows no pack word.

use super::session::Session;
use super::store::{Event, Site};
use super::value::{ObjectId, V};

/// The field that a round of a loop stands at.
#[derive(Clone, Copy, Debug)]
pub struct Copied {
    /// The object that is iterated.
    pub of: ObjectId,
    /// The field's key.
    pub key: V,
    /// The field's value.
    pub value: V,
}

/// Most objects that are copied into one another.
const MAX_COPIES: usize = 16;

impl Session<'_> {
    /// Whether nothing but its changes gave an object its fields, nor those that it copies.
    pub(super) fn keys_are_known(&self, id: ObjectId) -> bool {
        let mut stack = vec![id];
        let mut seen = 0;
        while let Some(id) = stack.pop() {
            let object = self.store.object(id);
            seen += 1;
            if object.base.is_some() || seen > MAX_COPIES {
                return false;
            }
            for event in &object.log {
                let Event::Copy { from, .. } = event else { continue };
                match self.store.body(*from) {
                    Some(id) => stack.push(id),
                    None if *from == V::NULL => {}
                    None => return false,
                }
            }
        }
        true
    }

    /// The writer of a field that is now written as it stands in the iterated object: the loop
    /// says no more than a merge of the two objects would.
    pub(super) fn first_writer(&self, key: V, value: V) -> Option<Site> {
        let copied = self.copied.filter(|c| (key, value) == (c.key, c.value))?;
        self.store.object(copied.of).log.iter().rev().find_map(|event| match event {
            Event::Write { key: written, site, .. } if *written == key => Some(*site),
            _ => None,
        })
    }
}
