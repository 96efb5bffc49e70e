//! The commits of a range, parents before children, and the files of their trees.
//!
//! Knows no ledger and no finding.

use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

use gix::bstr::ByteSlice;
use gix::ObjectId;

use super::{unreadable, Failure, Repository};

/// One commit.
#[derive(Clone, Debug)]
pub struct Commit {
    /// Its name.
    pub id: ObjectId,
    /// Its tree.
    pub tree: ObjectId,
    /// Its parents, first one first.
    pub parents: Vec<ObjectId>,
    /// Seconds after 1970-01-01 at which it was committed.
    pub time: i64,
    /// The first line of its message.
    pub subject: String,
}

/// The files of trees, remembered by tree: most of a tree is the same in the next revision.
#[derive(Default)]
pub struct Trees {
    known: HashMap<ObjectId, Arc<Vec<(String, ObjectId)>>>,
}

impl Repository {
    /// The commits of `A..B`, or of everything that leads to `B`, parents before children.
    pub fn commits(&self, range: &str, first_parent: bool) -> Result<Vec<Commit>, Failure> {
        let (hidden, tip) = match range.split_once("..") {
            Some((from, to)) => {
                (Some(self.commit(from)?), self.commit(if to.is_empty() { "HEAD" } else { to })?)
            }
            None => (None, self.commit(range)?),
        };
        let mut walk = self.git.rev_walk([tip]).with_hidden(hidden);
        if first_parent {
            walk = walk.first_parent_only();
        }
        let mut commits = Vec::new();
        for info in walk.all().map_err(|error| unreadable(&error))? {
            let info = info.map_err(|error| unreadable(&error))?;
            let commit = info.object().map_err(|error| unreadable(&error))?;
            let message = commit.message_raw_sloppy().to_str_lossy().into_owned();
            commits.push(Commit {
                id: info.id,
                tree: commit.tree_id().map_err(|error| unreadable(&error))?.detach(),
                parents: commit.parent_ids().map(|id| id.detach()).collect(),
                time: commit.time().map_err(|error| unreadable(&error))?.seconds,
                subject: message.lines().next().unwrap_or_default().trim().to_string(),
            });
        }
        Ok(parents_first(commits))
    }

    /// The files of a tree, by path, links and other repositories left out.
    pub fn files(
        &self,
        tree: ObjectId,
        trees: &mut Trees,
    ) -> Result<Arc<Vec<(String, ObjectId)>>, Failure> {
        if let Some(known) = trees.known.get(&tree) {
            return Ok(Arc::clone(known));
        }
        let object = self.git.find_tree(tree).map_err(|error| unreadable(&error))?;
        let mut files = Vec::new();
        for entry in object.iter() {
            let entry = entry.map_err(|error| unreadable(&error))?;
            let name = entry.filename().to_str_lossy().into_owned();
            let id = entry.object_id();
            if entry.mode().is_tree() {
                for (path, blob) in self.files(id, trees)?.iter() {
                    files.push((format!("{name}/{path}"), *blob));
                }
            } else if entry.mode().is_blob() {
                files.push((name, id));
            }
        }
        let files = Arc::new(files);
        trees.known.insert(tree, Arc::clone(&files));
        Ok(files)
    }

    /// The bytes of a file.
    pub fn bytes(&self, blob: ObjectId) -> Option<Vec<u8>> {
        Some(self.git.find_object(blob).ok()?.detach().data)
    }

    /// The bytes of a file of a revision.
    pub fn file(&self, revision: &str, path: &str) -> Option<Vec<u8>> {
        let id = self.git.rev_parse_single(format!("{revision}:{path}").as_str()).ok()?;
        self.bytes(id.detach())
    }

    /// The full name of a revision.
    pub fn name_of(&self, revision: &str) -> Option<String> {
        self.commit(revision).ok().map(|id| id.to_string())
    }

    fn commit(&self, name: &str) -> Result<ObjectId, Failure> {
        let none = || Failure::NoRevision(name.to_string());
        let id = self.git.rev_parse_single(name).map_err(|_| none())?;
        let object = id.object().map_err(|_| none())?;
        let commit = object.peel_to_kind(gix::object::Kind::Commit).map_err(|_| none())?;
        Ok(commit.id)
    }
}

/// Parents before children and, where that leaves a choice, older before newer.
fn parents_first(commits: Vec<Commit>) -> Vec<Commit> {
    let mut children: HashMap<ObjectId, usize> = HashMap::new();
    for parent in commits.iter().flat_map(|commit| &commit.parents) {
        *children.entry(*parent).or_default() += 1;
    }
    let index: HashMap<ObjectId, usize> =
        commits.iter().enumerate().map(|(at, commit)| (commit.id, at)).collect();
    // From the tip down: a commit is placed when all its children are.
    let mut ready: BinaryHeap<(i64, usize)> = BinaryHeap::new();
    for (at, commit) in commits.iter().enumerate() {
        if !children.contains_key(&commit.id) {
            ready.push((commit.time, at));
        }
    }
    let mut order = Vec::with_capacity(commits.len());
    while let Some((_, at)) = ready.pop() {
        order.push(at);
        for parent in &commits[at].parents {
            let left = children.entry(*parent).or_default();
            *left = left.saturating_sub(1);
            if let (0, Some(at)) = (*left, index.get(parent)) {
                ready.push((commits[*at].time, *at));
            }
        }
    }
    order.reverse();
    order.into_iter().map(|at| commits[at].clone()).collect()
}

/// Which of the commits lie on the chain of first parents from the newest.
pub fn mainline(commits: &[Commit]) -> BTreeSet<usize> {
    let index: HashMap<ObjectId, usize> =
        commits.iter().enumerate().map(|(at, commit)| (commit.id, at)).collect();
    let mut line = BTreeSet::new();
    let mut at = commits.len().checked_sub(1);
    while let Some(now) = at {
        line.insert(now);
        at = commits[now].parents.first().and_then(|parent| index.get(parent)).copied();
    }
    line
}

/// The nearest of the kept commits before each one, along first parents.
pub fn before(commits: &[Commit], kept: &[usize]) -> Vec<Option<usize>> {
    let index: HashMap<ObjectId, usize> =
        commits.iter().enumerate().map(|(at, commit)| (commit.id, at)).collect();
    let places: HashMap<usize, usize> = kept.iter().enumerate().map(|(i, at)| (*at, i)).collect();
    let find = |at: &usize| {
        let mut seen = HashSet::new();
        let mut now = *at;
        loop {
            now = *index.get(commits[now].parents.first()?)?;
            match places.get(&now) {
                Some(place) => return Some(*place),
                None if !seen.insert(now) => return None,
                None => {}
            }
        }
    };
    kept.iter().map(find).collect()
}
