//! A directory of files for one test, removed when the test ends.
//!
//! Knows nothing of pagelint.

#![allow(dead_code, clippy::disallowed_methods)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Tells apart the trees of one test process.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// A directory of files.
pub struct Tree {
    /// Its absolute path, without links in it.
    pub root: PathBuf,
}

impl Tree {
    /// An empty directory outside any repository.
    pub fn new() -> Tree {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("pagelint-test-{}-{number}", std::process::id());
        let root = std::env::temp_dir().join(name);
        fs::create_dir_all(&root).expect("the temporary directory can be written");
        Tree { root: root.canonicalize().expect("it was just made") }
    }

    /// A directory with files of valid text.
    pub fn with(files: &[(&str, &str)]) -> Tree {
        let tree = Tree::new();
        for (path, text) in files {
            tree.write(path, text.as_bytes());
        }
        tree
    }

    /// Writes a file and the directories above it.
    pub fn write(&self, path: &str, bytes: &[u8]) {
        let full = self.root.join(path);
        let parent = full.parent().expect("a file lies in a directory");
        fs::create_dir_all(parent).expect("the tree can be written");
        fs::write(full, bytes).expect("the tree can be written");
    }

    /// The full path of an entry.
    pub fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// The files directly in a directory of this crate whose names have an ending, sorted.
pub fn files_in(dir: &str, ending: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join(dir);
    let entries = fs::read_dir(&dir).expect("the directory belongs to the crate");
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.expect("it is listed").path()).collect();
    files.retain(|file| file.to_string_lossy().ends_with(ending));
    files.sort();
    files
}
