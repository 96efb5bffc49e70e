//! Project files to the virtual roots that import targets begin with.
//!
//! Knows which file says what, but nothing of how imports are resolved.

#![allow(clippy::disallowed_methods)]

use std::path::Path;

use crate::text::Mount;

/// The mounts that one project file declares. The error is a sentence for the user.
pub fn read(root: &Path, file: &Path) -> Result<Vec<Mount>, String> {
    let dir = file.parent().and_then(|dir| dir.strip_prefix(root).ok()).unwrap_or(Path::new(""));
    let dir = dir.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    // That this file is there is all that it says.
    let text = if name == "project.godot" { String::new() } else { text(file)? };
    declared(&dir, name, &text)
}

/// The mounts that a project file of this name in this directory declares by its text.
pub fn declared(dir: &str, name: &str, text: &str) -> Result<Vec<Mount>, String> {
    let dir = dir.to_string();
    match name {
        "project.godot" => Ok(vec![Mount { prefix: "res://".to_string(), dir }]),
        "go.mod" => Ok(module_path(text).map(|prefix| Mount { prefix, dir }).into_iter().collect()),
        "tsconfig.json" => aliases(text, &dir),
        _ => Ok(Vec::new()),
    }
}

/// The mounts that project files above a walked directory give it: the directory is only a
/// part of a project then, and imports name it by its place in the whole. `dir` is the
/// directory relative to the workspace root.
pub fn from_above(base: &Path, dir: &str) -> Vec<Mount> {
    let mut mounts = Vec::new();
    for name in ["project.godot", "go.mod"] {
        let repository = base.ancestors().position(|above| above.join(".git").exists());
        let mut within = base.ancestors().take(repository.map_or(usize::MAX, |depth| depth + 1));
        let Some(above) = within.find(|above| above.join(name).is_file()) else { continue };
        let inner = base.strip_prefix(above).unwrap_or(Path::new(""));
        let inner: String =
            inner.iter().map(|part| format!("/{}", part.to_string_lossy())).collect();
        // The walk itself finds what lies in the directory.
        if inner.is_empty() {
            continue;
        }
        for mount in read(above, &above.join(name)).unwrap_or_default() {
            let prefix = match mount.prefix.strip_suffix('/') {
                Some(scheme) => format!("{scheme}{inner}/"),
                None => format!("{}{inner}", mount.prefix),
            };
            mounts.push(Mount { prefix, dir: dir.to_string() });
        }
    }
    mounts
}

fn text(file: &Path) -> Result<String, String> {
    super::read_text(file).map_err(|(_, message)| message)
}

/// The `module` line, whose path may be quoted and followed by a comment.
fn module_path(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix("module"))?;
    if !line.starts_with([' ', '\t']) {
        return None;
    }
    let path = line.split("//").next()?.trim().trim_matches(['"', '`']);
    (!path.is_empty()).then(|| path.to_string())
}

/// What a file may end in that an alias names without it.
const ENDINGS: &[&str] = &["", ".ts", ".tsx", ".js", "/index.ts", "/index.js"];

/// `compilerOptions.paths`, where a prefix stands for a directory (`"@/*": ["src/*"]`) or a name
/// for a file (`"~page": ["src/page.ts"]`), and `baseUrl`, where imports begin that name no other.
fn aliases(text: &str, dir: &str) -> Result<Vec<Mount>, String> {
    let json: serde_json::Value = serde_json::from_str(&plain_json(text)).map_err(|error| {
        format!("not JSON ({error}); its path aliases are left out until that is mended")
    })?;
    let options = &json["compilerOptions"];
    let base = join(dir, options["baseUrl"].as_str().unwrap_or("."));
    let Some(base) = base else { return Ok(Vec::new()) };
    let mut mounts = Vec::new();
    let named = options["paths"].as_object().into_iter().flatten().flat_map(|(alias, targets)| {
        let targets = targets.as_array().into_iter().flatten().filter_map(|t| t.as_str());
        targets.map(move |target| (alias.as_str(), target))
    });
    for (alias, target) in named {
        let endings = match (alias.strip_suffix('*'), target.strip_suffix('*')) {
            (Some(_), Some(_)) => &ENDINGS[..1],
            (None, None) => ENDINGS,
            _ => continue,
        };
        let prefix = alias.strip_suffix('*').unwrap_or(alias);
        let Some(dir) = join(&base, target.strip_suffix('*').unwrap_or(target)) else { continue };
        for ending in endings {
            mounts.push(Mount { prefix: prefix.to_string(), dir: format!("{dir}{ending}") });
        }
    }
    // An alias that is more than nothing comes first.
    if options["baseUrl"].is_string() {
        mounts.push(Mount { prefix: String::new(), dir: base });
    }
    Ok(mounts)
}

/// `base/path` without `.` and `..`; nothing when it leaves the workspace.
fn join(base: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Removes what such files may hold beyond JSON: comments and trailing commas.
fn plain_json(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' => {
                plain.push(c);
                while let Some(c) = rest.next() {
                    plain.push(c);
                    match c {
                        '\\' => plain.extend(rest.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '/' if rest.peek() == Some(&'/') => {
                rest.by_ref().find(|c| *c == '\n');
                plain.push('\n');
            }
            '/' if rest.peek() == Some(&'*') => {
                rest.next();
                let mut last = ' ';
                rest.by_ref().find(|c| (std::mem::replace(&mut last, *c), *c) == ('*', '/'));
                plain.push(' ');
            }
            ']' | '}' => {
                let end = plain.trim_end().len();
                if plain[..end].ends_with(',') {
                    plain.truncate(end - 1);
                }
                plain.push(c);
            }
            c => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mount(prefix: &str, dir: &str) -> Mount {
        Mount { prefix: prefix.to_string(), dir: dir.to_string() }
    }

    #[test]
    fn module_lines() {
        assert_eq!(module_path("// m\nmodule a.b/c // x\n\ngo 1.24"), Some("a.b/c".to_string()));
        assert_eq!(module_path("module \"q\""), Some("q".to_string()));
        assert_eq!(module_path("modules x"), None);
        assert_eq!(module_path(""), None);
    }

    #[test]
    fn path_aliases() {
        let text = r#"{
            // where things lie
            "compilerOptions": {
                "baseUrl": "./app", /* "paths": */
                "paths": {
                    "@/*": ["src/*"], "~/*": ["../lib/*",], "x": ["y"], "*": ["types/*"],
                    "out/*": ["../../../out/*"], "u//*": ["./a//b/*"],
                },
            },
        }"#;
        let found = aliases(text, "web").expect("it is JSON but for comments and commas");
        let (whole, folders): (Vec<Mount>, Vec<Mount>) =
            found.into_iter().partition(|m| m.prefix == "x");
        assert_eq!(
            folders,
            [
                mount("@/", "web/app/src"),
                mount("~/", "web/lib"),
                mount("", "web/app/types"),
                mount("u//", "web/app/a/b"),
                mount("", "web/app"),
            ]
        );
        // A name stands for a file, written with its ending or not.
        assert_eq!(whole[0], mount("x", "web/app/y"));
        assert!(whole.contains(&mount("x", "web/app/y.ts")));
        assert!(whole.contains(&mount("x", "web/app/y/index.ts")));
        assert!(aliases("{", "").is_err());
        assert_eq!(aliases("[]", ""), Ok(Vec::new()));
    }
}
