//! Revisions of a repository to [`Sources`]: reads blobs, never a second work tree.
//!
//! Knows nothing of what is done with the sources, and writes nothing.

use std::cell::RefCell;
mod history;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gix::bstr::{BString, ByteSlice};
use gix::ObjectId;

use crate::discover::{decode_within, Options, Workspace};
use crate::text::Sources;

pub use gix::ObjectId as Blob;
pub use history::{before, mainline, Commit, Trees};

/// Why a revision cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// There is no repository.
    #[error("{} lies in no git repository", .0.display())]
    NoRepository(PathBuf),
    /// There is no such revision.
    #[error("there is no revision `{0}` in this repository")]
    NoRevision(String),
    /// Something of the repository cannot be read.
    #[error("the repository cannot be read: {0}")]
    Unreadable(String),
}

/// What of a repository is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Revision {
    /// A commit, branch, tag or tree, as git writes it.
    Named(String),
    /// The last commit; nothing where there is none yet.
    Head,
    /// What the next commit will hold.
    Index,
}

/// A repository.
pub struct Repository {
    git: gix::Repository,
    top: PathBuf,
}

impl Repository {
    /// The repository that holds a directory.
    pub fn open(dir: &Path) -> Result<Repository, Failure> {
        let none = || Failure::NoRepository(dir.to_path_buf());
        let git = gix::discover(dir).map_err(|_| none())?;
        // A repository without a work tree is its own top.
        let top = git.workdir().unwrap_or(git.git_dir());
        let top = gix::path::realpath(top).map_err(|error| unreadable(&error))?;
        Ok(Repository { git, top })
    }

    /// The sources of a workspace as a revision has them.
    pub fn sources(
        &self,
        revision: &Revision,
        workspace: &Workspace,
        options: &Options,
    ) -> Result<Sources, Failure> {
        let held = match revision {
            Revision::Named(name) => self.tree(self.resolve(name)?)?,
            Revision::Head => match self.git.head_tree_id() {
                Ok(tree) => self.tree(tree.detach())?,
                Err(_) => Held::default(),
            },
            Revision::Index => self.index()?,
        };
        let mut inner = Vec::new();
        self.submodules(held.repositories, &mut inner)?;
        let prefix = self.prefix(&workspace.root);
        let mut below = BTreeMap::new();
        let of_inner = inner.iter().map(|(repository, files)| (&repository.git, files));
        for (git, files) in [(&self.git, &held.files)].into_iter().chain(of_inner) {
            for (path, blob) in files {
                // A path that is no Unicode cannot be shown; the walk shows it with replacements.
                if let Some(path) = path.to_str_lossy().strip_prefix(prefix.as_str()) {
                    below.insert(path.to_string(), (git, *blob));
                }
            }
        }
        // A blob that is missing would make old findings look new.
        let missing = RefCell::new(None);
        let read = |path: &str, most: usize| {
            let (git, blob) = below.get(path)?;
            match git.find_object(*blob) {
                Ok(object) => Some(decode_within(object.detach().data, most).ok()?.into()),
                Err(error) => {
                    missing.replace(Some(unreadable(&error)));
                    None
                }
            }
        };
        let sources = workspace.assemble(below.keys().cloned(), options, &read);
        match missing.into_inner() {
            Some(failure) => Err(failure),
            None => Ok(sources),
        }
    }

    /// The files of other repositories that are checked out inside, as their commits have them,
    /// and of those inside these: a walk reads them, too.
    fn submodules(
        &self,
        links: BTreeMap<BString, ObjectId>,
        found: &mut Vec<(Repository, BTreeMap<BString, ObjectId>)>,
    ) -> Result<(), Failure> {
        let mut open: Vec<(BString, ObjectId)> = links.into_iter().collect();
        while let Some((path, commit)) = open.pop() {
            let Ok(relative) = gix::path::from_bstr(path.as_bstr()) else { continue };
            let dir = self.top.join(relative);
            // A link in its place could lead out of the repository.
            let real = gix::path::realpath(&dir).is_ok_and(|real| real == dir);
            let Some(git) = real.then(|| gix::open(&dir).ok()).flatten() else { continue };
            let inner = Repository { git, top: dir };
            let held = inner.tree(inner.resolve(&commit.to_string())?)?;
            let within = |inner: &BString| {
                let mut full = path.clone();
                full.push(b'/');
                full.extend_from_slice(inner);
                full
            };
            open.extend(held.repositories.iter().map(|(path, id)| (within(path), *id)));
            let files = held.files.iter().map(|(path, blob)| (within(path), *blob)).collect();
            found.push((inner, files));
        }
        Ok(())
    }

    /// Paths of the repository begin so in the workspace: empty or `sub/dir/`.
    pub fn prefix(&self, root: &Path) -> String {
        let inner = root.strip_prefix(&self.top).unwrap_or(Path::new(""));
        inner.iter().map(|part| format!("{}/", part.to_string_lossy())).collect()
    }

    fn resolve(&self, name: &str) -> Result<ObjectId, Failure> {
        let none = || Failure::NoRevision(name.to_string());
        let id = self.git.rev_parse_single(name).map_err(|_| none())?;
        let object = id.object().map_err(|_| none())?;
        let tree = object.peel_to_kind(gix::object::Kind::Tree).map_err(|_| none())?;
        Ok(tree.id)
    }

    /// What a tree holds. Links are left out, as in a walk.
    fn tree(&self, id: ObjectId) -> Result<Held, Failure> {
        let tree = self.git.find_tree(id).map_err(|error| unreadable(&error))?;
        let entries = tree.traverse().breadthfirst.files().map_err(|error| unreadable(&error))?;
        let mut held = Held::default();
        for entry in entries {
            if entry.mode.is_blob() {
                held.files.insert(entry.filepath, entry.oid);
            } else if entry.mode.is_commit() {
                held.repositories.insert(entry.filepath, entry.oid);
            }
        }
        Ok(held)
    }

    /// What the index holds; a file with a merge conflict is left out.
    fn index(&self) -> Result<Held, Failure> {
        use gix::index::entry::{Mode, Stage};
        let index = self.git.index_or_empty().map_err(|error| unreadable(&error))?;
        let mut held = Held::default();
        for entry in index.entries().iter().filter(|e| e.stage() == Stage::Unconflicted) {
            let regular = (Mode::FILE | Mode::FILE_EXECUTABLE).contains(entry.mode);
            let list = match entry.mode {
                Mode::COMMIT => &mut held.repositories,
                _ if regular && !entry.mode.is_empty() => &mut held.files,
                _ => continue,
            };
            list.insert(entry.path(&index).to_owned(), entry.id);
        }
        Ok(held)
    }
}

/// What a tree or index holds, by path.
#[derive(Default)]
struct Held {
    files: BTreeMap<BString, ObjectId>,
    /// Commits of other repositories.
    repositories: BTreeMap<BString, ObjectId>,
}

fn unreadable(error: &dyn std::error::Error) -> Failure {
    let mut text = error.to_string();
    let mut inner = error.source();
    while let Some(cause) = inner {
        text = format!("{text}: {cause}");
        inner = cause.source();
    }
    Failure::Unreadable(text)
}
