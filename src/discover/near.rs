//! The files beside the sources that govern a run: which there are, and their texts.
//!
//! Knows no key of the configuration and no line of a baseline.

#![allow(clippy::disallowed_methods)]

use std::path::{Path, PathBuf};

use crate::config;

/// The configuration that governs a path, if there is one.
pub fn configuration(path: &Path) -> Option<PathBuf> {
    config::governing(path, |dir, name| dir.join(name).exists())
}

/// The text of a small file, or the reason why there is none, for the user.
pub fn read(file: &Path) -> Result<String, String> {
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|_| "it is not valid UTF-8".to_string())?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text))
}

/// The path without links as far as it exists, so that a file has one path whoever names it.
pub fn canonical(path: &Path) -> PathBuf {
    for there in path.ancestors() {
        if let Ok(full) = there.canonicalize() {
            let rest = path.strip_prefix(there).unwrap_or(Path::new(""));
            return if rest.as_os_str().is_empty() { full } else { full.join(rest) };
        }
    }
    path.to_path_buf()
}

/// Whether there is a file.
pub fn is_file(path: &Path) -> bool {
    path.is_file()
}

/// The nearest file of a name at or above a directory, not looking above a repository.
pub fn upwards(dir: &Path, name: &str) -> Option<PathBuf> {
    for dir in dir.ancestors() {
        if dir.join(name).is_file() {
            return Some(dir.join(name));
        }
        if dir.join(".git").exists() {
            return None;
        }
    }
    None
}
