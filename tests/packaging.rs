//! The versions and extensions that files beside the program repeat.

#![allow(clippy::disallowed_methods)]

use std::fs;

use pagelint::lang::LANGUAGES;

fn read(path: &str) -> String {
    let full = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(&full).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn every_file_names_this_version() {
    let version = env!("CARGO_PKG_VERSION");
    let pinned = format!("pagelint=={version}");
    for (path, text) in [
        (".pre-commit-hooks.yaml", pinned.clone()),
        ("ci/gitlab.yml", pinned),
        ("ci/gitlab.yml", format!("/v{version}/ci/gitlab.yml")),
        ("action.yml", format!("default: \"{version}\"")),
    ] {
        assert!(read(path).contains(&text), "{path} lacks {text}");
    }
    assert!(read("python/pyproject.toml").contains("dynamic = [\"version\""));
}

#[test]
fn hooks_look_at_every_language() {
    let hooks = read(".pre-commit-hooks.yaml");
    let pattern = hooks.lines().find(|line| line.contains("files:")).expect("a pattern");
    for extension in LANGUAGES.iter().flat_map(|language| language.extensions) {
        let known = match *extension {
            "ts" | "mts" | "cts" | "js" | "mjs" | "cjs" => pattern.contains("[cm]?[jt]s"),
            "tsx" | "jsx" => pattern.contains("[jt]sx"),
            other => pattern.contains(other),
        };
        assert!(known, "{extension} in {pattern}");
    }
}
