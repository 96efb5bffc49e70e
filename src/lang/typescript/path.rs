//! Where an import may lead: candidate paths, best first.
//!
//! Never looks at the disk; path aliases are mounts that are resolved later.

use crate::ir::Name;

/// Extensions to try when none is written.
const ENDINGS: &[&str] = &[
    ".ts",
    ".tsx",
    ".mts",
    ".cts",
    ".js",
    ".mjs",
    ".cjs",
    ".jsx",
    "/index.ts",
    "/index.tsx",
    "/index.mts",
    "/index.js",
    "/index.mjs",
];

/// What a written extension may stand for: sources are imported by their output's name.
const OUTPUTS: &[(&str, &[&str])] = &[
    (".js", &[".js", ".ts", ".tsx", ".jsx", ".mts"]),
    (".mjs", &[".mjs", ".mts", ".ts"]),
    (".cjs", &[".cjs", ".cts", ".ts"]),
    (".jsx", &[".jsx", ".tsx"]),
];

/// Extensions that are files as they are.
const FILES: &[&str] = &[".ts", ".tsx", ".mts", ".cts", ".json"];

/// The candidates of `target` as imported by the file `from`.
pub(super) fn candidates(from: &str, target: &str) -> Vec<Name> {
    if !is_relative(target) {
        if target.starts_with("node:") {
            return vec![target.into()];
        }
        return spellings(target);
    }
    let dir = from.rsplit_once('/').map_or("", |(dir, _)| dir);
    let joined = join(dir, target);
    let ends_in_dir = target.ends_with('/') || target.ends_with("/..") || target.ends_with("/.");
    if ends_in_dir || target == "." || target == ".." {
        let slash = if joined.is_empty() { "" } else { "/" };
        let mut found: Vec<Name> = vec![joined.as_str().into()];
        for ending in ENDINGS.iter().filter_map(|e| e.strip_prefix('/')) {
            found.push(format!("{joined}{slash}{ending}").into());
        }
        return found;
    }
    spellings(&joined)
}

/// Whether a target is a path and no package.
pub(super) fn is_relative(target: &str) -> bool {
    target == "." || target == ".." || target.starts_with("./") || target.starts_with("../")
}

/// `a/b` and `../c` make `a/c`. Steps above the root are kept and lead nowhere.
fn join(dir: &str, target: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in dir.split('/').chain(target.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn spellings(path: &str) -> Vec<Name> {
    for (written, meant) in OUTPUTS {
        if let Some(stem) = path.strip_suffix(written) {
            let mut found: Vec<Name> = meant.iter().map(|e| format!("{stem}{e}").into()).collect();
            // A file may also be called `x.js.ts`, but a folder alias has no extension.
            found.push(stem.into());
            return found;
        }
    }
    if FILES.iter().any(|e| path.ends_with(e)) {
        return vec![path.into()];
    }
    let mut found: Vec<Name> = vec![path.into()];
    found.extend(ENDINGS.iter().map(|e| Name::from(format!("{path}{e}"))));
    found
}

#[cfg(test)]
mod tests {
    use super::candidates;

    #[test]
    fn written_extension_may_stand_for_a_source() {
        let found = candidates("src/tools/a.ts", "../shared/x.js");
        assert_eq!(found[0], "src/shared/x.js");
        assert_eq!(found[1], "src/shared/x.ts");
    }

    #[test]
    fn no_extension_tries_all() {
        let found = candidates("a.ts", "./x");
        assert!(found.contains(&"x.ts".into()));
        assert!(found.contains(&"x/index.js".into()));
        assert!(candidates("a.ts", "./x.service").contains(&"x.service.ts".into()));
    }

    #[test]
    fn folders_and_steps_above_the_root() {
        assert!(candidates("a/b/c.ts", "..").contains(&"a/index.ts".into()));
        assert!(candidates("a/c.ts", "..").contains(&"index.ts".into()));
        assert!(candidates("a.ts", "../../x").contains(&"../../x.ts".into()));
    }

    #[test]
    fn packages_stay_as_written() {
        assert_eq!(candidates("a.ts", "node:fs"), ["node:fs"]);
        let found = candidates("a.ts", "@/lib/x.js");
        assert_eq!(found[0], "@/lib/x.js");
        assert!(found.contains(&"@/lib/x.ts".into()));
        assert!(found.contains(&"@/lib/x".into()));
    }
}
