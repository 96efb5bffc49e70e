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

impl Session<'_> {
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
