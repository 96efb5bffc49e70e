//! Captured JSON beside source, in streams, damaged and huge; must not know how a finding comes
//! about.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

mod support;

use std::collections::BTreeMap;
use std::process::{Command, Output};

use pagelint::check::{check, check_streams};
use pagelint::config::DocumentKind;
use pagelint::documents::{Line, Stream};
use pagelint::text::Sources;
use proptest::prelude::*;
use support::captured::{checked, config, shown, sources};
use support::repo::Repo;
use support::Tree;

#[test]
fn places_lead_through_strings_in_strings() {
    let page = r#"{"note": "é\u0041\\ \"x\"", "trees": [1], "returned": 2, "total_trees": 2, "has_more": false}"#;
    let quoted = |text: &str| serde_json::to_string(text).expect("text can be quoted");
    let result = format!(
        r#"{{"jsonrpc": "2.0", "id": 1, "result": {{"content": [{{"type": "text", "text": {}}}]}}}}"#,
        quoted(page)
    );
    for text in [result.clone(), format!(r#"{{"line": {}}}"#, quoted(&result))] {
        let (sources, outcome) = checked("x.json", &text, DocumentKind::Session);
        let found = shown(&sources, &outcome);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].ends_with("returned-mismatch 2"), "{found:?}");
        let before = &text[..outcome.report.findings[0].primary.start as usize];
        assert!(
            before.ends_with("returned\\\": ") || before.ends_with("returned\\\\\\\": "),
            "{before}"
        );
    }
}

#[test]
fn source_and_capture_are_compared_either_way() {
    let code = "func register(registry) -> void:\n\tregistry.add(\"byre.cows\", cows)\n\n\nfunc cows(params: Dictionary) -> Dictionary:\n\treturn MCPToolkitSuccess.ok({\"cows\": herd(), \"fed\": true})\n";
    let lines = |body: &str| {
        format!("{{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\", \"params\": {{\"name\": \"byre_cows\"}}}}\n{{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {{\"structuredContent\": {body}}}}}\n")
    };
    let run = |body: &str| {
        let sources = sources(&[("byre.gd", code), ("x.jsonl", &lines(body))]);
        let outcome = check(&sources, &config("x.jsonl", DocumentKind::Session));
        assert!(outcome
            .report
            .findings
            .iter()
            .all(|f| f.labels.len() == 1 && f.commands == ["byre.cows"]));
        shown(&sources, &outcome)
    };
    assert_eq!(run(r#"{"cows": [], "fed": true, "success": true}"#), [""; 0]);
    assert_eq!(run(r#"{"cows": [], "fed": true, "wet": 1}"#), ["2:87 shape-drift \"wet\""]);
    assert_eq!(run(r#"{"cows": []}"#), ["2:62 shape-drift \"cows\""]);
    assert_eq!(run(r#"{"success": false, "error": {"code": "GONE"}}"#), [""; 0]);
}

#[test]
fn variants_in_two_files_are_compared() {
    let leaf = |parameter: &str| {
        format!("{{\"harbor tides\": {{\"pagination\": {{\"kind\": \"cursor\", \"cursor_parameter\": \"{parameter}\"}}}}}}")
    };
    let run = |parameter: &str| {
        let sources = sources(&[
            ("s/tides.compact.json", &leaf("cursor")),
            ("s/tides.full.json", &leaf(parameter)),
        ]);
        let mut config = config("s/tides.compact.json", DocumentKind::Schema);
        config.documents.named.insert("/w/s/tides.full.json".into(), Some(DocumentKind::Schema));
        shown(&sources, &check(&sources, &config))
    };
    assert_eq!(run("cursor"), [""; 0]);
    assert_eq!(run("token"), ["1:19 variant-mismatch \"pagination\""]);
}

#[test]
fn a_walk_that_stops_early_is_undecided() {
    let page = r#"{"trees": [1], "offset": 0, "returned": 1, "total_trees": 9, "has_more": true, "next_offset": 1, "hint": "give offset 1"}"#;
    let line = format!("{{\"tool\": \"trees\", \"arguments\": {{}}, \"result\": {page}}}\n");
    let (_, outcome) = checked("x.jsonl", &line, DocumentKind::Session);
    assert!(outcome.report.findings.is_empty());
    assert_eq!(outcome.coverage.items.len(), 1);
    assert!(
        outcome.coverage.items[0].what.contains("`trees` stops at 1 of 9 rows"),
        "{:?}",
        outcome.coverage.items
    );
}

#[test]
fn a_stream_says_what_the_whole_file_says() {
    let text = support::read(&support::root().join("fixtures/documents/sessions/bad_mcp.jsonl"));
    let (sources, outcome) = checked("x.jsonl", &text, DocumentKind::Session);
    let mut lines: Vec<Vec<u8>> = text.lines().rev().map(|line| line.as_bytes().to_vec()).collect();
    let mut streams = [Stream {
        path: "x.jsonl".to_string(),
        reported: true,
        next: Box::new(move || lines.pop().map(Line::Bytes)),
    }];
    let mut streamed = Sources { root: "/w".into(), ..Sources::default() };
    let other =
        check_streams(&mut streamed, &mut streams, &config("x.jsonl", DocumentKind::Session));
    // What an earlier record declares is told by its line alone: its text is gone by then.
    let plain = |found: Vec<String>| -> Vec<String> {
        found
            .into_iter()
            .filter(|f| !f.contains("outputSchema") && !f.ends_with("invariant "))
            .collect()
    };
    assert_eq!(plain(shown(&streamed, &other)), plain(shown(&sources, &outcome)));
    assert_eq!(other.report.findings.len(), outcome.report.findings.len());
    assert!(streamed.files[0].text.len() < text.len());
}

#[test]
fn the_files_are_those_that_were_named() {
    let bad = "{\"trees\": [1], \"returned\": 2, \"total_trees\": 2, \"has_more\": false}";
    let tree = Tree::with(&[
        ("pagelint.toml", "[documents]\nresponses = [\"tests/captures/*.json\"]\n"),
        ("a.gd", "extends Node\n"),
        ("package.json", bad),
        ("tests/captures/trees.json", bad),
        ("elsewhere/trees.json", bad),
        ("elsewhere/trees.log", bad),
    ]);
    let paths = |arguments: &[&str]| -> Vec<String> {
        let (_, text, _) = run(&tree, arguments);
        text.lines()
            .filter(|l| l.contains("returned-mismatch"))
            .map(|l| l.split(':').next().unwrap_or("").to_string())
            .collect()
    };
    assert_eq!(paths(&["check", ".", "--format", "short"]), ["tests/captures/trees.json"]);
    assert_eq!(
        paths(&["check", "elsewhere/trees.json", "--format", "short"]),
        ["elsewhere/trees.json"]
    );
    assert_eq!(
        paths(&["check", "--as", "response", "elsewhere/trees.log", "--format", "short"]),
        ["elsewhere/trees.log"]
    );
    let both =
        paths(&["check", ".", "--as", "response", "elsewhere/trees.log", "--format", "short"]);
    assert_eq!(both, ["elsewhere/trees.log", "tests/captures/trees.json"]);
}

#[test]
fn captures_pass_through_lists_revisions_and_the_baseline() {
    let bad = "{\"trees\": [1], \"returned\": 2, \"total_trees\": 2, \"has_more\": false}";
    let repo = Repo::new();
    let rules = repo.read("pagelint.toml");
    let captures = "[documents]\nresponses = [\"tests/captures/*.json\"]\n";
    repo.write("pagelint.toml", &format!("{captures}{rules}"));
    repo.write("tests/captures/old.json", bad);
    repo.write("package.json", bad);
    repo.commit("captures");
    repo.write("tests/captures/new.json", bad);
    repo.write("list", "package.json\ntests/captures/new.json\n");
    let places = |arguments: &[&str]| -> Vec<String> {
        let ran = repo.lint(&[&["check", "--format", "short"], arguments].concat());
        assert!(ran.status < 2, "{}", ran.err);
        let lines = ran.out.lines().filter(|line| line.contains("returned-mismatch"));
        lines.map(|line| line.split(':').next().unwrap_or_default().to_string()).collect()
    };
    let (old, new) = ("tests/captures/old.json", "tests/captures/new.json");
    assert_eq!(places(&[]), [new, old]);
    assert_eq!(places(&["--files-from", "list"]), [new]);
    assert_eq!(places(&["--since", "HEAD"]), [new]);
    assert_eq!(places(&["--as", "response", "package.json"]), ["package.json"]);
    assert_eq!(repo.lint(&["baseline"]).out, "recorded 4 findings in .pagelint-baseline\n");
    assert_eq!(places(&[]), [""; 0]);
    std::fs::remove_file(repo.tree.root.join(new)).expect("the file was there");
    assert_eq!(repo.lint(&["check", "--locked"]).status, 1);
    assert_eq!(repo.lint(&["check", "--update"]).status, 0);
    assert_eq!(repo.lint(&["check", "--locked"]).status, 0);
}

fn run(tree: &Tree, arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_pagelint"))
        .current_dir(&tree.root)
        .args(arguments)
        .output()
        .expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_goes_on() {
    let bad = "{\"trees\": [1], \"returned\": 2, \"total_trees\": 2, \"has_more\": false}";
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let mixed = format!("{bad}\nnot json\n{deep}\n{}\n{bad}\n", &bad[..40]);
    let tree = Tree::with(&[
        ("cut.json", "{\n  \"trees\": [1, 2"),
        ("deep.json", &deep),
        ("empty.json", ""),
        ("good.json", bad),
        ("mixed.jsonl", &mixed),
        ("plain.json", "no json at all\n"),
        ("two.json", "{}\n"),
    ]);
    tree.write("latin1.json", b"{\"a\": \"\xe9\"}");
    let mut arguments = vec!["check", "--format", "short"];
    let names: Vec<String> = support::walk(&tree.root)
        .iter()
        .filter_map(|p| Some(p.file_name()?.to_string_lossy().into_owned()))
        .collect();
    for name in &names {
        arguments.extend(["--as", "response", name]);
    }
    let (code, text, error) = run(&tree, &arguments);
    assert_eq!(code, Some(1), "{error}");
    let found: BTreeMap<&str, usize> = names
        .iter()
        .map(|n| {
            (
                n.as_str(),
                text.lines()
                    .filter(|l| l.starts_with(n) && l.contains("returned-mismatch"))
                    .count(),
            )
        })
        .collect();
    assert_eq!((found["good.json"], found["mixed.jsonl"]), (1, 2), "{text}");
    for wanted in [
        "cut.json:2:1: warning[problem] not JSON: it is cut off",
        "deep.json:1:1: warning[problem] not JSON: it nests deeper than 1000 levels",
        "empty.json:1:1: warning[problem] not JSON: it is empty",
        "latin1.json:1:1: warning[problem] not valid UTF-8",
        "mixed.jsonl:2:1: warning[problem] not JSON: no value begins like this",
        "mixed.jsonl:3:1: warning[problem] not JSON: it nests deeper",
        "mixed.jsonl:4:1: warning[problem] not JSON: it is cut off",
        "plain.json:1:1: warning[problem] not JSON: no value begins like this",
    ] {
        assert!(text.contains(wanted), "missing: {wanted}\n{text}");
    }
}

#[test]
fn large_files_are_read_record_by_record_or_named() {
    let bad = "{\"trees\": [1], \"returned\": 2, \"total_trees\": 2, \"has_more\": false}";
    let tree = Tree::new();
    let padding = " ".repeat(1024 * 1024);
    let mut records = String::new();
    for number in 0..66 {
        let record = if number == 60 {
            bad
        } else {
            "{\"trees\": [], \"returned\": 0, \"total_trees\": 0, \"has_more\": false}"
        };
        records.push_str(record);
        records.push_str(&padding);
        records.push('\n');
    }
    tree.write("many.jsonl", records.as_bytes());
    let mut one = "[".to_string();
    one.push_str(&" ".repeat(65 * 1024 * 1024));
    one.push(']');
    tree.write("one.json", one.as_bytes());
    let (code, text, error) = run(
        &tree,
        &[
            "check",
            "--format",
            "short",
            "--as",
            "response",
            "many.jsonl",
            "--as",
            "response",
            "one.json",
        ],
    );
    assert_eq!(code, Some(1), "{error}");
    assert!(text.contains("many.jsonl:61:28: error[returned-mismatch]"), "{text}");
    assert!(
        text.contains("one.json:1:1: warning[problem] this record is larger than 64 MiB"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 2, "{text}");
}

#[test]
fn no_damage_makes_it_fail() {
    for (folder, kind) in ["responses", "schemas", "sessions"].iter().zip(DocumentKind::ALL) {
        for path in support::walk(&support::root().join("fixtures/documents").join(folder)) {
            let text = support::read(&path);
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            for cut in (0..text.len()).step_by(61).filter(|at| text.is_char_boundary(*at)) {
                checked(&name, &text[..cut], kind.0);
                checked(&name, &text[cut..], kind.0);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The reader takes exactly what another reader takes.
    #[test]
    fn json_is_what_others_call_json(text in r#"([\[\]{},:" 0-9eE.+\-\\ntrufalse]|"a"|\\u00e9|\n){0,24}"#) {
        let (_, outcome) = checked("x.json", &text, DocumentKind::Response);
        let other = serde_json::from_str::<&serde_json::value::RawValue>(&text);
        let first = text.lines().find(|l| !l.trim().is_empty()).unwrap_or_default();
        // Several values, a line each, are read as records.
        prop_assume!(other.is_ok() || serde_json::from_str::<&serde_json::value::RawValue>(first).is_err());
        prop_assert_eq!(outcome.report.problems.is_empty(), other.is_ok(), "{:?} {:?}", outcome.report.problems, other);
    }

    /// Any strings may be named like a page's fields, of any type.
    #[test]
    fn any_object_can_be_asked(fields in proptest::collection::vec((
        prop_oneof![Just("has_more"), Just("returned"), Just("total_a"), Just("next_offset"), Just("offset"), Just("count"),
            Just("hint"), Just("ok"), Just("data"), Just("meta"), Just("pagination"), Just("endpoint_exhausted"), Just("result")],
        prop_oneof![Just("true"), Just("-9223372036854775808"), Just("9223372036854775807"), Just("1e400"), Just("null"),
            Just("\"\\ud800\""), Just("[]"), Just("{}"), Just("{\"pagination\": {\"next_token\": \"\"}}"), Just("0")],
    ), 0..8)) {
        let members: Vec<String> = fields.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
        let object = format!("{{{}}}", members.join(", "));
        for (kind, _) in DocumentKind::ALL {
            checked("x.json", &object, kind);
            checked("x.json", &format!("[{object}, {object}]"), kind);
        }
    }
}
