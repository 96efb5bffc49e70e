//! Patterns as in `.gitignore` to a test of paths.
//!
//! Never touches the disk: whether a path is a directory is told to it.

use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Patterns relative to one directory. The empty set matches nothing.
#[derive(Clone, Debug)]
pub struct Globs {
    base: PathBuf,
    matcher: Gitignore,
}

impl Default for Globs {
    fn default() -> Self {
        Globs { base: PathBuf::new(), matcher: Gitignore::empty() }
    }
}

impl Globs {
    /// Reads patterns; on failure gives the index of the wrong one and the reason.
    pub fn new(base: &Path, patterns: &[String]) -> Result<Globs, (usize, String)> {
        let mut builder = GitignoreBuilder::new("");
        for (index, pattern) in patterns.iter().enumerate() {
            refuse_slips(pattern).map_err(|reason| (index, reason))?;
            builder.add_line(None, pattern).map_err(|e| (index, e.to_string()))?;
        }
        let matcher = builder.build().map_err(|e| (0, e.to_string()))?;
        Ok(Globs { base: base.to_path_buf(), matcher })
    }

    /// Whether a path, given in full, or a directory above it matches.
    pub fn matches(&self, path: &Path, is_dir: bool) -> bool {
        let Ok(relative) = path.strip_prefix(&self.base) else {
            return false;
        };
        if relative.as_os_str().is_empty() || relative.has_root() {
            return false;
        }
        self.matcher.matched_path_or_any_parents(relative, is_dir).is_ignore()
    }
}

/// What `.gitignore` takes in silence and a user never means.
fn refuse_slips(pattern: &str) -> Result<(), String> {
    if pattern.trim().is_empty() {
        return Err("it is empty".to_string());
    }
    if pattern.starts_with('#') {
        return Err("it starts with `#`, which begins a comment in .gitignore".to_string());
    }
    if pattern.rfind('[') > pattern.rfind(']') && !pattern.contains("\\[") {
        return Err("a `[` is never closed".to_string());
    }
    Ok(())
}
