//! Keeps the places of files, so that a file has the same id in every revision of a workspace.
//!
//! Reads nothing.

use std::sync::Arc;

use super::{is_test, Options};
use crate::text::{Source, Sources};

/// Puts each file where it stands among `paths`, which name all of them in order, and an empty one
/// that nothing can name where one is missing.
pub fn keep_places(sources: &mut Sources, paths: &[String], options: &Options) {
    let mut there = std::mem::take(&mut sources.files).into_iter().peekable();
    for path in paths {
        let source = there.next_if(|source| source.path == *path);
        sources.files.push(source.unwrap_or_else(|| missing(path, options)));
    }
    sources.files.extend(there);
}

/// What stands in the place of a missing file: it is read as an empty one of its language, or not
/// at all where it is no source code. No path has a zero byte, so that nothing leads to it.
fn missing(path: &str, options: &Options) -> Source {
    let is_code = path.rsplit_once('.').is_some_and(|(_, ext)| options.extensions.contains(&ext));
    let kept = if is_code { path } else { "" };
    Source { path: format!("\0{kept}"), text: Arc::from(""), test: is_test(path), reported: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_leaves_its_place() {
        let options = Options { extensions: vec!["gd"], ..Options::default() };
        let source = |path: &str| Source { path: path.into(), ..missing("", &options) };
        let paths = ["a.gd", "b.json", "c.gd", "d.gd"].map(String::from);
        let mut sources =
            Sources { files: vec![source("a.gd"), source("d.gd")], ..Sources::default() };
        keep_places(&mut sources, &paths, &options);
        let places: Vec<&str> = sources.files.iter().map(|s| s.path.as_str()).collect();
        assert_eq!(places, ["a.gd", "\0", "\0c.gd", "d.gd"]);
    }
}
