//! Virtual roots that no project file of the workspace declares, guessed from what its files
//! import: a part of a project, or an add-on without one, is checked all the same.
//!
//! Knows no language's rules; what an import names must lie in the workspace.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::ir::Program;
use crate::text::Mount;

/// A root, by the text that imports begin with and the folder that it stands for.
type Root = (String, String);

/// The virtual roots that make the most imports name a file or package of the workspace.
pub fn guessed_mounts(program: &Program) -> Vec<Mount> {
    let mut by_end: FxHashMap<&str, Vec<Vec<&str>>> = FxHashMap::default();
    for module in &program.modules {
        let parts: Vec<&str> = module.unit.split('/').collect();
        let same_end = by_end.entry(parts[parts.len() - 1]).or_default();
        if !same_end.contains(&parts) {
            same_end.push(parts);
        }
    }
    let mut roots: BTreeMap<Root, usize> = BTreeMap::new();
    for module in &program.modules {
        let in_package = module.name.is_some() && !module.global_name;
        for target in module.imports.iter().flat_map(|import| &import.targets) {
            let (scheme, rest) = match target.find("://") {
                Some(at) => target.split_at(at + 3),
                None => ("", target.as_str()),
            };
            if scheme.is_empty() && !in_package || is_declared(program, scheme) {
                continue;
            }
            let named: Vec<&str> = rest.split('/').collect();
            for unit in by_end.get(named[named.len() - 1]).into_iter().flatten() {
                if let Some(root) = root_of(scheme, &named, unit) {
                    *roots.entry(root).or_default() += 1;
                }
            }
        }
    }
    let mut best: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for ((prefix, dir), imports) in roots {
        let known = best.entry(dir).or_default();
        if imports > known.0 {
            *known = (imports, prefix);
        }
    }
    best.into_iter().map(|(dir, (_, prefix))| Mount { prefix, dir }).collect()
}

/// Whether the workspace says itself what imports of a kind begin with.
fn is_declared(program: &Program, scheme: &str) -> bool {
    program.mounts.iter().any(|mount| match scheme.is_empty() {
        true => !mount.prefix.is_empty() && !mount.prefix.contains("://"),
        false => mount.prefix.starts_with(scheme),
    })
}

/// The root by which an import names a unit; `None` where the two only end alike.
fn root_of(scheme: &str, named: &[&str], unit: &[&str]) -> Option<Root> {
    let shared = named.iter().rev().zip(unit.iter().rev()).take_while(|(a, b)| a == b).count();
    let (before, above) = (&named[..named.len() - shared], &unit[..unit.len() - shared]);
    let fits = match scheme.is_empty() {
        // A package's path begins with the module's, and ends in more than one word that a
        // package of the standard library may have too.
        true => !before.is_empty() && (shared > 1 || unit.len() == 1 && before.len() > 2),
        // A whole path, or the end of one where only a part of the project is here.
        false => before.is_empty() || above.is_empty(),
    };
    let prefix = match (scheme.is_empty(), before.is_empty()) {
        (false, false) => format!("{scheme}{}/", before.join("/")),
        _ => format!("{scheme}{}", before.join("/")),
    };
    fits.then(|| (prefix, above.join("/")))
}

#[cfg(test)]
mod tests {
    use super::root_of;

    fn root(scheme: &str, named: &str, unit: &str) -> Option<(String, String)> {
        let parts = |path: &'static str| path.split('/').collect::<Vec<&str>>();
        let (named, unit): (&'static str, &'static str) =
            (Box::leak(named.into()), Box::leak(unit.into()));
        root_of(scheme, &parts(named), &parts(unit))
    }

    fn is(prefix: &str, dir: &str) -> Option<(String, String)> {
        Some((prefix.to_string(), dir.to_string()))
    }

    #[test]
    fn names_the_folder_above_or_the_part_left_out() {
        assert_eq!(root("res://", "kit/a.gd", "kit/a.gd"), is("res://", ""));
        assert_eq!(root("res://", "kit/a.gd", "one/kit/a.gd"), is("res://", "one"));
        assert_eq!(root("res://", "addons/kit/a.gd", "a.gd"), is("res://addons/kit/", ""));
        assert_eq!(root("res://", "kit/a.gd", "other/a.gd"), None);
        let package = root("", "example.org/x/internal/out", "src/internal/out");
        assert_eq!(package, is("example.org/x", "src"));
        assert_eq!(root("", "net/http", "internal/http"), None);
        assert_eq!(root("", "http", "http"), None);
    }
}
