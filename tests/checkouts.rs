//! Checks checkouts with links and other repositories inside; knows what is read of them, not how.

#![allow(clippy::disallowed_methods)]

mod support;

use support::repo::{by_hand, class, Repo};

#[cfg(unix)]
#[test]
fn a_baseline_that_is_a_link_is_not_followed() {
    let repo = Repo::new();
    repo.lint(&["baseline"]);
    let (file, other) = (repo.tree.at(".pagelint-baseline"), repo.tree.at("elsewhere"));
    std::fs::rename(&file, &other).expect("it was just written");
    std::os::unix::fs::symlink(&other, &file).expect("links can be made");
    for arguments in [&["check"][..], &["check", "--update"], &["baseline"]] {
        let ran = repo.lint(arguments);
        assert_eq!(ran.status, 2, "{arguments:?}: {}", ran.out);
        assert!(ran.err.contains("symbolic link"), "{arguments:?}: {}", ran.err);
    }
    assert!(file.is_symlink(), "it is left alone");
}

#[test]
fn a_repository_inside_is_compared_by_its_own_commit() {
    let (outer, inner) = (Repo::new(), Repo::new());
    std::fs::remove_file(inner.tree.at("project.godot")).expect("it is there");
    std::fs::remove_file(inner.tree.at("pagelint.toml")).expect("it is there");
    inner.commit("a part of others");
    let from = inner.tree.root.to_string_lossy().into_owned();
    outer.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", &from, "inner"]);
    outer.git(&["rm", "-q", ".pagelint-baseline"]);
    outer.commit("with another inside");
    for arguments in [&["--since", "HEAD"][..], &["--staged"]] {
        assert_eq!(outer.findings(arguments), (0, Vec::new()), "{arguments:?}");
    }
    outer.write("inner/yard.gd", &class(&[by_hand("list_hens")]));
    for arguments in [&["--since", "HEAD"][..], &["--staged"]] {
        let (status, found) = outer.findings(arguments);
        assert_eq!(status, 1, "{arguments:?}");
        assert!(!found.is_empty() && found.iter().all(|f| f.contains("list_hens")), "{found:?}");
    }
}
