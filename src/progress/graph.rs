//! Declarations of a revision to what each file can reach by name.
//!
//! A name stands for everything that bears it: that is more than a call can mean, and never less.

use std::collections::{BTreeSet, HashMap};

use super::digest::{mix, Digest};

/// Which names lead to which, with a key for all that a name leads to.
pub struct Graph {
    /// The names that each file declares.
    declared: Vec<Vec<usize>>,
    /// The number of each name's word.
    words: Vec<u32>,
    /// The names that each name's declarations mention.
    mentions: Vec<Vec<usize>>,
    /// What each name and all that it leads to was made of.
    keys: Vec<u64>,
}

impl Graph {
    /// The graph of some files.
    pub fn new<'d>(files: impl Iterator<Item = &'d Digest> + Clone) -> Graph {
        let mut index: HashMap<u32, usize> = HashMap::new();
        let mut words = Vec::new();
        for item in files.clone().flat_map(|digest| &digest.items) {
            index.entry(item.name).or_insert_with(|| {
                words.push(item.name);
                words.len() - 1
            });
        }
        let mut mentions: Vec<Vec<usize>> = vec![Vec::new(); words.len()];
        let mut own = vec![Vec::new(); words.len()];
        let mut declared = Vec::new();
        for digest in files {
            let mut names = Vec::with_capacity(digest.items.len());
            for item in &digest.items {
                let at = index[&item.name];
                names.push(at);
                own[at].push(item.hash);
                mentions[at].extend(item.words.iter().filter_map(|word| index.get(word)));
            }
            names.sort_unstable();
            names.dedup();
            declared.push(names);
        }
        for list in &mut mentions {
            list.sort_unstable();
            list.dedup();
        }
        let own: Vec<u64> = own.into_iter().map(combine).collect();
        let keys = Knots::new(&mentions, &own).keys();
        Graph { declared, words, mentions, keys }
    }

    /// What identifies a file together with all that it can reach.
    pub fn key(&self, file: usize) -> u64 {
        self.declared[file].iter().fold(7, |hash, name| mix(hash, &self.keys[*name].to_le_bytes()))
    }

    /// The words of all names that a file can reach.
    pub fn reach(&self, file: usize) -> BTreeSet<u32> {
        let mut seen = vec![false; self.words.len()];
        let mut stack = self.declared[file].clone();
        let mut reached = BTreeSet::new();
        while let Some(at) = stack.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                reached.insert(self.words[at]);
                stack.extend(&self.mentions[at]);
            }
        }
        reached
    }
}

/// One number for several, whatever their order.
fn combine(mut hashes: Vec<u64>) -> u64 {
    hashes.sort_unstable();
    hashes.iter().fold(3, |hash, one| mix(hash, &one.to_le_bytes()))
}

/// Strongly connected parts (Tarjan), each keyed by itself and what it leads to.
struct Knots<'g> {
    mentions: &'g [Vec<usize>],
    own: &'g [u64],
    order: Vec<usize>,
    low: Vec<usize>,
    stack: Vec<usize>,
    on_stack: Vec<bool>,
    keys: Vec<u64>,
    next: usize,
}

const UNSEEN: usize = usize::MAX;

impl<'g> Knots<'g> {
    fn new(mentions: &'g [Vec<usize>], own: &'g [u64]) -> Self {
        let count = own.len();
        Knots {
            mentions,
            own,
            order: vec![UNSEEN; count],
            low: vec![0; count],
            stack: Vec::new(),
            on_stack: vec![false; count],
            keys: vec![0; count],
            next: 0,
        }
    }

    fn keys(mut self) -> Vec<u64> {
        for at in 0..self.own.len() {
            if self.order[at] == UNSEEN {
                self.visit(at);
            }
        }
        self.keys
    }

    /// Walks without recursion: programs mention one another in long chains.
    fn visit(&mut self, start: usize) {
        let mut path: Vec<(usize, usize)> = vec![(start, 0)];
        self.enter(start);
        while let Some((at, child)) = path.last_mut() {
            let at = *at;
            if let Some(next) = self.mentions[at].get(*child).copied() {
                *child += 1;
                if self.order[next] == UNSEEN {
                    self.enter(next);
                    path.push((next, 0));
                } else if self.on_stack[next] {
                    self.low[at] = self.low[at].min(self.order[next]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                self.low[*parent] = self.low[*parent].min(self.low[at]);
            }
            if self.low[at] == self.order[at] {
                self.tie(at);
            }
        }
    }

    fn enter(&mut self, at: usize) {
        self.order[at] = self.next;
        self.low[at] = self.next;
        self.next += 1;
        self.stack.push(at);
        self.on_stack[at] = true;
    }

    /// Closes the part whose first name is `first`.
    fn tie(&mut self, first: usize) {
        let begin = self.stack.iter().rposition(|at| *at == first).unwrap_or(0);
        let members = self.stack.split_off(begin);
        for at in &members {
            self.on_stack[*at] = false;
        }
        let mut hashes: Vec<u64> = members.iter().map(|at| self.own[*at]).collect();
        let inside: BTreeSet<usize> = members.iter().copied().collect();
        let mut beyond: Vec<u64> = members
            .iter()
            .flat_map(|at| &self.mentions[*at])
            .filter(|next| !inside.contains(next))
            .map(|next| self.keys[*next])
            .collect();
        beyond.sort_unstable();
        beyond.dedup();
        hashes.push(combine(beyond));
        let key = combine(hashes);
        for at in members {
            self.keys[at] = key;
        }
    }
}
