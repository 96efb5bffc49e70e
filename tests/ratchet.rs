//! The baseline in real repositories: what passes, what fails, and what has to leave.

#![allow(clippy::disallowed_methods)]

mod support;

use support::repo::{by_hand, class, mended, Repo};

fn none() -> Vec<String> {
    Vec::new()
}

fn one(finding: &str) -> Vec<String> {
    vec![finding.to_string()]
}

#[test]
fn lines_inserted_above_pass() {
    let repo = Repo::new();
    let text = repo
        .read("barn.gd")
        .replace("extends RefCounted\n", &format!("extends RefCounted\n{}", "# more\n".repeat(40)));
    repo.write("barn.gd", &text);
    repo.passes();
}

#[test]
fn another_order_of_functions_passes() {
    let repo = Repo::new();
    repo.write("barn.gd", &class(&[mended("names"), by_hand("list_goats"), by_hand("list_cows")]));
    repo.passes();
}

#[test]
fn a_renamed_file_passes() {
    let repo = Repo::new();
    repo.git(&["mv", "barn.gd", "stable.gd"]);
    repo.passes();
    assert_eq!(repo.lint(&["check", "--update"]).status, 0);
    assert!(repo.read(".pagelint-baseline").contains("\tstable.gd\t"));
    repo.passes();
}

#[test]
fn a_function_moved_to_another_file_passes() {
    let repo = Repo::new();
    repo.write("barn.gd", &class(&[by_hand("list_cows"), mended("names")]));
    repo.write("yard.gd", &class(&[mended("yards"), by_hand("list_goats")]));
    repo.passes();
}

#[test]
fn a_renamed_function_passes() {
    let repo = Repo::new();
    repo.write("barn.gd", &repo.read("barn.gd").replace("list_goats", "goats"));
    repo.passes();
}

#[test]
fn one_fixed_and_the_same_added_elsewhere_fails() {
    let repo = Repo::new();
    repo.write("barn.gd", &class(&[mended("list_cows"), by_hand("list_goats"), by_hand("names")]));
    assert_eq!(repo.findings(&[]), (1, one("barn.gd names")));
    let in_function = by_hand("list_cows");
    let (head, body) = in_function.split_once("\treturn").expect("it returns");
    let inner = format!("{head}\tif herd.is_empty():\n\t\treturn MCPToolkitSuccess.ok({{\"cow\": shown}})\n\treturn{body}");
    repo.write("barn.gd", &class(&[inner, by_hand("list_goats"), mended("names")]));
    let (status, findings) = repo.findings(&[]);
    assert_eq!((status, findings.len()), (1, 1), "the second object of the function is a new one");
}

#[test]
fn a_renamed_local_variable_passes() {
    let repo = Repo::new();
    repo.write("barn.gd", &repo.read("barn.gd").replace("shown", "visible"));
    repo.passes();
}

#[test]
fn another_order_of_keys_passes() {
    let repo = Repo::new();
    let (size, total) = ("\t\t\"returned\": shown.size(),\n", "\t\t\"total_cows\": herd.size(),\n");
    let text = repo.read("barn.gd").replace(&format!("{size}{total}"), &format!("{total}{size}"));
    assert_ne!(text, repo.read("barn.gd"));
    repo.write("barn.gd", &text);
    repo.passes();
}

#[test]
fn a_new_finding_that_is_not_staged_fails() {
    let repo = Repo::new();
    repo.write("new.gd", &class(&[by_hand("list_hens")]));
    assert_eq!(repo.findings(&[]), (1, one("new.gd list_hens")));
    assert_eq!(repo.findings(&["--staged"]), (1, one("new.gd list_hens")));
}

/// Two branches each mend one of two findings and shrink the baseline.
fn two_branches(repo: &Repo) {
    repo.git(&["checkout", "-q", "-b", "other"]);
    repo.write(
        "barn.gd",
        &repo.read("barn.gd").replace(&by_hand("list_cows"), &mended("list_cows")),
    );
    assert_eq!(repo.lint(&["check", "--update"]).status, 0);
    repo.commit("mend cows");
    repo.git(&["checkout", "-q", "main"]);
    repo.write(
        "barn.gd",
        &repo.read("barn.gd").replace(&by_hand("list_goats"), &mended("list_goats")),
    );
    assert_eq!(repo.lint(&["check", "--update"]).status, 0);
    repo.commit("mend goats");
}

fn with_driver(repo: &Repo) {
    repo.write(".gitattributes", ".pagelint-baseline merge=pagelint\n");
    repo.commit("driver");
    let driver = format!("{} baseline merge %O %A %B %P", env!("CARGO_BIN_EXE_pagelint"));
    repo.git(&["config", "merge.pagelint.driver", &driver]);
}

#[test]
fn two_branches_each_mending_one_merge() {
    let repo = Repo::new();
    with_driver(&repo);
    two_branches(&repo);
    repo.git(&["merge", "-q", "--no-edit", "other"]);
    let left = repo.read(".pagelint-baseline");
    assert_eq!(left.lines().filter(|line| !line.starts_with('#')).count(), 0, "{left}");
    repo.passes();
}

#[test]
fn a_merge_analyses_the_merged_files() {
    let repo = Repo::new();
    with_driver(&repo);
    repo.git(&["checkout", "-q", "-b", "other"]);
    // One branch moves the function to another file, the other mends its neighbour.
    repo.write("barn.gd", &class(&[by_hand("list_cows"), mended("names")]));
    repo.write("yard.gd", &class(&[mended("yards"), by_hand("list_goats")]));
    assert_eq!(repo.lint(&["check", "--update"]).status, 0);
    repo.commit("move goats");
    repo.git(&["checkout", "-q", "main"]);
    repo.write(
        "barn.gd",
        &repo.read("barn.gd").replace(&by_hand("list_cows"), &mended("list_cows")),
    );
    assert_eq!(repo.lint(&["check", "--update"]).status, 0);
    repo.commit("mend cows");
    let merged = repo.try_git(&["merge", "-q", "--no-edit", "other"]);
    assert_eq!(merged.status, 0, "{}{}", merged.out, merged.err);
    let baseline = repo.read(".pagelint-baseline");
    assert_eq!(baseline.matches("\tyard.gd\tlist_goats\t").count(), 1, "{baseline}");
    assert_eq!(baseline.lines().count(), 3, "{baseline}");
    repo.passes();
}

#[test]
fn a_rebase_merges_what_both_sides_say() {
    let repo = Repo::new();
    with_driver(&repo);
    two_branches(&repo);
    repo.git(&["rebase", "-q", "other"]);
    repo.passes();
}

#[test]
fn what_is_fixed_has_to_leave() {
    let repo = Repo::new();
    repo.write(
        "barn.gd",
        &repo.read("barn.gd").replace(&by_hand("list_cows"), &mended("list_cows")),
    );
    assert_eq!(repo.findings(&[]), (0, none()));
    let locked = repo.lint(&["check", "--locked"]);
    assert_eq!(locked.status, 1);
    assert!(locked.out.contains("`list_cows` of barn.gd is fixed"), "{}", locked.out);
    assert!(locked.out.contains("pagelint check --update"), "{}", locked.out);
    let quiet = repo.lint(&["check", "--locked", "--quiet"]);
    assert_eq!((quiet.status, quiet.out.as_str()), (1, ""));
    assert!(quiet.err.contains("--update"), "{}", quiet.err);
    assert_eq!(repo.lint(&["check", "--update"]).status, 0);
    assert!(!repo.read(".pagelint-baseline").contains("list_cows"));
    repo.passes();
}

#[test]
fn updating_adds_nothing() {
    let repo = Repo::new();
    repo.write("new.gd", &class(&[by_hand("list_hens")]));
    let before = repo.read(".pagelint-baseline");
    assert_eq!(repo.findings(&["--update"]), (1, one("new.gd list_hens")));
    assert_eq!(repo.read(".pagelint-baseline"), before);
    assert_eq!(repo.findings(&["--no-baseline"]).1.len(), 3);
}

#[test]
fn paths_and_levels_that_are_not_looked_at_are_not_fixed() {
    let repo = Repo::new();
    for arguments in [&["yard.gd"][..], &["--rule", "hand-built-envelope=off"]] {
        let ran = repo.lint(&[&["check", "--locked"], arguments].concat());
        assert_eq!(ran.status, 0, "{}", ran.out);
    }
    repo.write("barn.gd", &class(&[mended("list_cows")]));
    let ran = repo.lint(&["check", "--locked", "barn.gd"]);
    assert_eq!(ran.status, 1, "{}", ran.out);
}

#[test]
fn a_damaged_baseline_is_named() {
    let repo = Repo::new();
    repo.write(".pagelint-baseline", "<<<<<<< ours\n");
    let ran = repo.lint(&["check"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("line 1") && ran.err.contains("merge conflict"), "{}", ran.err);
}

#[test]
fn a_revision_is_compared_by_what_findings_are() {
    let repo = Repo::new();
    std::fs::remove_file(repo.tree.at(".pagelint-baseline")).expect("it is there");
    repo.commit("no baseline");
    // An old finding on touched lines is old; a new one is new even where no line changed.
    repo.write("barn.gd", &repo.read("barn.gd").replace("shown", "visible"));
    repo.write("yard.gd", &class(&[mended("yards"), by_hand("list_hens")]));
    assert_eq!(repo.findings(&["--since", "HEAD"]), (1, one("yard.gd list_hens")));
    repo.commit("hens");
    assert_eq!(repo.findings(&["--since", "HEAD"]), (0, none()));
    assert_eq!(repo.findings(&["--since", "HEAD~1"]), (1, one("yard.gd list_hens")));
    assert_eq!(repo.findings(&["--since", "HEAD~1", "barn.gd"]), (0, none()));
    // A move is no new finding, and a fault in a function that was there is no move.
    repo.write("barn.gd", &class(&[by_hand("list_goats"), by_hand("names")]));
    assert_eq!(repo.findings(&["--since", "main"]), (1, one("barn.gd names")));
    let ran = repo.lint(&["check", "--since", "no-such"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("no revision `no-such`"), "{}", ran.err);
}

#[test]
fn what_is_staged_is_seen_as_it_will_be_committed() {
    let repo = Repo::new();
    // Staged with the fault, mended on disk: the commit would still have it.
    repo.write("yard.gd", &class(&[mended("yards"), by_hand("list_hens")]));
    repo.git(&["add", "yard.gd"]);
    repo.write("yard.gd", &class(&[mended("yards"), mended("list_hens")]));
    assert_eq!(repo.findings(&["--staged"]), (1, one("yard.gd list_hens")));
    repo.git(&["add", "yard.gd"]);
    assert_eq!(repo.findings(&["--staged"]), (0, none()));
}

#[test]
fn without_a_repository_the_error_says_so() {
    let tree = support::Tree::with(&[("project.godot", ""), ("a.gd", "extends Node\n")]);
    for argument in [&["--since", "HEAD"][..], &["--staged"]] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_pagelint"))
            .arg("check")
            .args(argument)
            .current_dir(&tree.root)
            .output()
            .expect("the program starts");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2));
        assert!(text.contains("lies in no git repository"), "{text}");
    }
}

#[test]
fn one_text_of_standard_input() {
    let repo = Repo::new();
    let stdin = |name: &str, text: &str| {
        let arguments = ["check", "--format", "short", "--stdin", "--stdin-filename", name];
        let ran = repo.lint_with(&arguments, text);
        (
            ran.status,
            ran.out
                .lines()
                .map(|line| line.split(':').next().unwrap_or("").to_string())
                .collect::<Vec<_>>(),
        )
    };
    let text = class(&[by_hand("list_hens")]);
    assert_eq!(stdin("yard.gd", &text), (1, vec!["yard.gd".to_string()]));
    assert_eq!(stdin("new/deep/hens.gd", &text), (1, vec!["new/deep/hens.gd".to_string()]));
    assert_eq!(stdin("yard.gd", &class(&[mended("yards")])), (0, vec![]));
    assert_eq!(stdin("readme.md", "text"), (0, vec![]));
}

#[test]
fn captured_json_of_standard_input() {
    let repo = Repo::new();
    let wrong = "{\"cows\": [1], \"returned\": 2, \"total_cows\": 1, \"has_more\": false}";
    let stdin = |more: &[&str], text: &str| {
        let start = ["check", "--format", "short", "--stdin", "--stdin-filename", "log/cows.json"];
        repo.lint_with(&[&start[..], more].concat(), text)
    };
    for more in [&["--as", "response", "log/cows.json"][..], &[]] {
        let ran = stdin(more, wrong);
        assert_eq!(ran.status, 1, "{}", ran.err);
        assert!(ran.out.starts_with("log/cows.json:1:") && ran.out.contains("returned-mismatch"));
    }
    assert_eq!(stdin(&[], &wrong.replace(": 2", ": 1")).status, 0);
    let cut = stdin(&[], &wrong[..20]);
    assert!(cut.out.contains("not JSON: it is cut off"), "{}{}", cut.out, cut.err);
}

#[test]
fn a_command_that_falls_back_is_told() {
    let repo = Repo::new();
    let commands = |stage: &str| {
        format!(
            "package aviary\n\nimport \"example.org/aviary/internal/output\"\n\n\
             var herons = shortcut.Shortcut{{\n\tService: \"aviary\",\n\tCommand: \"+herons\",\n\
             \tOutputRollout: output.{stage},\n\tExecute: run,\n}}\n\n\
             var owls = shortcut.Shortcut{{\n\tService: \"aviary\",\n\tCommand: \"+owls\",\n\
             \tOutputRollout: output.RolloutDualValidate,\n\tExecute: run,\n}}\n\n\
             func run(rt *shortcut.RuntimeContext) error {{\n\treturn nil\n}}\n"
        )
    };
    repo.write("aviary.go", &commands("RolloutUnifiedActive"));
    assert_eq!(repo.lint(&["baseline"]).status, 0);
    assert!(repo.read(".pagelint-baseline").contains("unified_active"));
    repo.commit("stages");
    repo.passes();
    repo.write("aviary.go", &commands("RolloutDualValidate"));
    let ran = repo.lint(&["check", "--format", "short"]);
    let told: Vec<&str> = ran.out.lines().filter(|l| l.contains("stage-regression")).collect();
    assert_eq!((ran.status, told.len()), (1, 1), "{}{}", ran.out, ran.err);
    assert!(told[0].starts_with("aviary.go:5:") && told[0].contains("aviary +herons"), "{told:?}");
    let ran = repo.lint(&["check", "--update"]);
    assert_eq!(ran.status, 1, "what fell back is not forgotten: {}", ran.out);
    repo.write("aviary.go", &commands("RolloutUnifiedActive"));
    repo.passes();
    // Who comes further is kept there by the next update.
    let risen = commands("RolloutUnifiedActive").replace("DualValidate", "UnifiedActive");
    repo.write("aviary.go", &risen);
    assert_eq!(repo.lint(&["check", "--update"]).status, 0);
    repo.passes();
    repo.write("aviary.go", &commands("RolloutUnifiedActive"));
    let ran = repo.lint(&["check", "--format", "short"]);
    assert!(ran.status == 1 && ran.out.contains("aviary +owls"), "{}", ran.out);
}

#[test]
fn a_list_of_files() {
    let repo = Repo::new();
    repo.write("new.gd", &class(&[by_hand("list_hens")]));
    let listed = |input: &str| {
        let ran = repo.lint_with(&["check", "--format", "short", "--files-from", "-"], input);
        (ran.status, ran.out.lines().count())
    };
    assert_eq!(listed("yard.gd\nnew.gd\n"), (1, 1));
    assert_eq!(listed("yard.gd\0new.gd\0"), (1, 1));
    assert_eq!(listed("yard.gd\r\nREADME.md\r\ngone.gd\r\n"), (0, 0));
    assert_eq!(listed(""), (0, 0));
}

#[test]
fn comments_are_written_once() {
    let repo = Repo::new();
    std::fs::remove_file(repo.tree.at(".pagelint-baseline")).expect("it is there");
    let ran = repo.lint(&["check", "--add-allow", "until 2.0"]);
    assert_eq!(
        (ran.status, ran.out.as_str()),
        (0, "allowed 2 findings in 1 file\n"),
        "{}",
        ran.err
    );
    let text = repo.read("barn.gd");
    assert_eq!(
        text.matches("\t# pagelint: allow(hand-built-envelope) until 2.0\n\treturn").count(),
        2
    );
    assert_eq!(repo.findings(&[]), (0, none()));
    let ran = repo.lint(&["check", "--add-allow", "until 2.0"]);
    assert_eq!((ran.status, ran.out.as_str()), (0, "allowed 0 findings in 0 files\n"));
    assert_eq!(repo.read("barn.gd"), text);
    assert_eq!(repo.lint(&["check", "--add-allow", " "]).status, 2);
}
