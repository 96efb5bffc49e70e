//! Finds the id of a thing by what it is: an open hash table of ids alone.
//!
//! Knows no thing, only the hash of each and its id.

/// Ids by the hashes of what they stand for. Each place holds an id and as much of the hash as fits
/// beside it, so that a thing which is another is hardly ever looked at.
#[derive(Default)]
pub struct Unique {
    places: Vec<u32>,
    taken: usize,
}

/// How many bits of a place are the id; 0 is no thing's.
const ID_BITS: u32 = 18;

impl Unique {
    /// Most ids that fit: they count from 1.
    pub const MOST: usize = (1 << ID_BITS) - 1;
    /// Places at first.
    const LEAST: usize = 1 << 9;

    /// The id of the thing of this hash that is the `same`.
    pub fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        if self.places.is_empty() {
            return None;
        }
        let mask = self.places.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let place = self.places[at];
            if place == 0 {
                return None;
            }
            let id = place & ((1 << ID_BITS) - 1);
            if place >> ID_BITS == tag(hash) && same(id) {
                return Some(id);
            }
            at = (at + 1) & mask;
        }
    }

    /// Forgets all ids, but not the room that they took.
    pub fn clear(&mut self) {
        self.places.clear();
        self.taken = 0;
    }

    /// Whether it has to grow before the next id.
    pub fn is_full(&self) -> bool {
        self.taken * 2 >= self.places.len()
    }

    /// Puts in an id that it has not, where it is not full.
    pub fn insert(&mut self, hash: u64, id: u32) {
        let mask = self.places.len() - 1;
        let mut at = hash as usize & mask;
        while self.places[at] != 0 {
            at = (at + 1) & mask;
        }
        self.places[at] = tag(hash) << ID_BITS | id;
        self.taken += 1;
    }

    /// Makes room, and puts in all ids anew: from 1 on, with these hashes.
    pub fn grow(&mut self, hashes: impl Iterator<Item = u64>) {
        let places = (self.places.len() * 4).max(Self::LEAST);
        self.clear();
        self.places.resize(places, 0);
        for (id, hash) in (1..).zip(hashes) {
            self.insert(hash, id);
        }
    }
}

/// What of a hash stands beside the id: bits that do not choose the place.
fn tag(hash: u64) -> u32 {
    (hash >> (32 + ID_BITS)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_thing_is_found_by_its_own_id(hashes in proptest::collection::vec(0u64..64, 1..600)) {
            // Few hashes, so that most things share theirs with others.
            let hashes: Vec<u64> = hashes.iter().map(|h| h << 58 | h).collect();
            let mut table = Unique::default();
            for (at, hash) in hashes.iter().enumerate() {
                let id = at as u32 + 1;
                prop_assert_eq!(table.find(*hash, |other| other == id), None);
                match table.is_full() {
                    true => table.grow(hashes[..=at].iter().copied()),
                    false => table.insert(*hash, id),
                }
            }
            for (id, hash) in (1..).zip(&hashes) {
                prop_assert_eq!(table.find(*hash, |other| other == id), Some(id));
            }
        }
    }
}
