//! Captured JSON that is right in every place, and then wrong in one; damaged and huge files;
//! streams. Must not know how a finding comes about.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

mod support;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use pagelint::check::{check, check_streams, Outcome};
use pagelint::config::{Config, DocumentKind};
use pagelint::documents::{Line, Stream};
use pagelint::text::{LineIndex, Source, Sources};
use proptest::prelude::*;
use support::Tree;

const RESULT: &str = r#"{
  "ok": true,
  "outcome": "success",
  "data": {"items": [{"id": "a"}]},
  "meta": {"pagination": {"endpoint_exhausted": false, "next_token": "cursor-2"}}
}"#;

const LEAF: &str = r#"{
  "result": {
    "outcomes": ["success", "failure"],
    "data_schema": {
      "type": "object",
      "properties": {"items": {"type": "array", "description": "records", "items": {"type": "object"}}}
    }
  },
  "pagination": {
    "kind": "cursor",
    "cursor_parameter": "cursor",
    "meta_path": "meta.pagination",
    "endpoint_exhausted_path": "meta.pagination.endpoint_exhausted",
    "next_token_path": "meta.pagination.next_token"
  }
}"#;

const LIST: &str = r#"{"success": true, "matches": ["a", "b"], "returned": 2, "total_matches": 1240, "has_more": true,
 "offset": 50, "next_offset": 52, "hint": "give offset 52 to go on"}"#;

const BYTES: &str = r#"{"content": "bG9n", "offset": 0, "returned": 3, "total_bytes": 9, "has_more": true,
 "next_offset": 3, "limit_clamped": true, "hint": "max_bytes was clamped to 3; give offset 3 to go on"}"#;

const LINES: &str = r#"{"text": "one\ntwo\n", "start_line": 1, "returned": 2, "total_lines": 4, "has_more": true,
 "next_start_line": 3, "hint": "give start_line 3 to go on"}"#;

const SPATIAL: &str = r#"{"cells": [[0, 0], [0, 1]], "bounds": {"x": 0, "y": 0, "w": 64, "h": 64}, "returned": 2,
 "total_cells": 900, "has_more": true, "hint": "narrow region inside bounds to see the rest"}"#;

/// One wrong place: what stands there, what is put there, the rule, the text of the primary span.
type Wrong = (&'static str, &'static str, &'static str, &'static str);

const WRONG: &[(&str, DocumentKind, &[Wrong])] = &[
    (RESULT, DocumentKind::Response, &[
        ("false, \"next", "true, \"next", "unpaired-page-state", "\"next_token\""),
        (", \"next_token\": \"cursor-2\"", "", "unpaired-page-state", "\"endpoint_exhausted\""),
        ("\"cursor-2\"", "\"\"", "unpaired-page-state", "\"next_token\""),
        ("\"cursor-2\"", "2", "wrong-field-type", "2"),
        ("false, \"next", "\"false\", \"next", "wrong-field-type", "\"false\""),
        ("\"id\": \"a\"", "\"id\": \"a\", \"nextCursor\": \"b\"", "raw-pagination-in-data", "\"nextCursor\""),
        ("]}", "], \"has_more\": true}", "raw-pagination-in-data", "\"has_more\""),
        ("]}", "], \"contract_version\": \"2\"}", "protocol-alias", "\"contract_version\""),
    ]),
    (LEAF, DocumentKind::Schema, &[
        ("kind\": \"cursor\"", "kind\": \"offset\"", "unsupported-pagination-kind", "\"offset\""),
        ("_parameter\": \"cursor\"", "_parameter\": \"--cursor\"", "unknown-cursor-parameter", "\"--cursor\""),
        ("  \"pagination\"", "  \"parameters\": {\"limit\": {}},\n  \"pagination\"", "unknown-cursor-parameter", "\"cursor\""),
        ("\"meta.pagination\"", "\"meta.page\"", "overridden-meta-path", "\"meta.page\""),
        ("pagination.endpoint_exhausted\"", "done\"", "overridden-meta-path", "\"meta.done\""),
        ("pagination.next_token\"", "pagination.token\"", "overridden-meta-path", "\"meta.pagination.token\""),
        ("{\"type\": \"object\"}", "{\"properties\": {\"hasMore\": {}}}", "pagination-in-data-schema", "\"hasMore\""),
        ("\"result\"", "\"commands\": [\"a\"],\n  \"data\"", "pagination-on-group", "\"pagination\""),
    ]),
    (LIST, DocumentKind::Response, &[
        ("\"has_more\": true,\n", "\n", "missing-invariant", "\"returned\""),
        ("\"returned\": 2, ", "", "missing-invariant", "\"has_more\""),
        ("\"total_matches\": 1240, ", "", "missing-invariant", "\"has_more\""),
        ("\"returned\"", "\"count\"", "legacy-field", "\"count\""),
        ("\"has_more\"", "\"truncated\"", "legacy-field", "\"truncated\""),
        ("\"total_matches\"", "\"total\"", "legacy-field", "\"total\""),
        ("true,\n", "\"true\",\n", "wrong-field-type", "\"true\""),
        ("\"returned\": 2", "\"returned\": -2", "wrong-field-type", "-2"),
        ("\"returned\": 2", "\"returned\": 3", "returned-mismatch", "3"),
        ("true,\n", "false,\n", "unguarded-resume-field", "\"next_offset\""),
        ("\"next_offset\": 52, ", "", "missing-resume-field", "\"has_more\""),
        ("\"next_offset\"", "\"next_cursor\"", "resume-field-named-cursor", "\"next_cursor\""),
        (": 52", ": 60", "broken-walk", "60"),
        ("1240", "51", "broken-walk", "51"),
        (", \"hint\": \"give offset 52 to go on\"", "", "ungated-hint", "\"has_more\""),
    ]),
    (BYTES, DocumentKind::Response, &[
        ("max_bytes was clamped to 3; ", "", "ungated-hint", "\"limit_clamped\""),
        ("clamped\": true", "clamped\": \"yes\"", "wrong-field-type", "\"yes\""),
        ("\"returned\": 3", "\"bytes_returned\": 3", "legacy-field", "\"bytes_returned\""),
        ("\"next_offset\": 3", "\"next_offset\": 0", "repeated-page", "0"),
    ]),
    (LINES, DocumentKind::Response, &[
        ("\"next_start_line\": 3, ", "", "missing-resume-field", "\"has_more\""),
        ("\"next_start_line\": 3", "\"next_start_line\": 2", "broken-walk", "2"),
        ("\"total_lines\": 4", "\"total_lines\": \"4\"", "wrong-field-type", "\"4\""),
    ]),
    (SPATIAL, DocumentKind::Response, &[
        (", \"hint\": \"narrow region inside bounds to see the rest\"", "", "missing-navigation-hint", "\"has_more\""),
        ("true, \"hint\"", "false, \"hint\"", "ungated-hint", "\"hint\""),
        ("\"returned\": 2", "\"returned\": 1", "returned-mismatch", "1"),
    ]),
];

fn sources(files: &[(&str, &str)]) -> Sources {
    let file = |(path, text): &(&str, &str)| Source {
        path: path.to_string(),
        text: (*text).into(),
        test: false,
        reported: true,
    };
    Sources { root: "/w".into(), files: files.iter().map(file).collect(), mounts: Vec::new() }
}

fn config(path: &str, kind: DocumentKind) -> Config {
    let mut config = Config::default();
    config.documents.named.insert(Path::new("/w").join(path), Some(kind));
    config
}

fn checked(path: &str, text: &str, kind: DocumentKind) -> (Sources, Outcome) {
    let sources = sources(&[(path, text)]);
    let outcome = check(&sources, &config(path, kind));
    (sources, outcome)
}

/// Findings as `line:column rule text`.
fn shown(sources: &Sources, outcome: &Outcome) -> Vec<String> {
    let one = |finding: &pagelint::report::Finding| {
        let text = &sources.get(finding.primary.file).text;
        let at = LineIndex::new(text).position(text, finding.primary.start);
        format!("{}:{} {} {}", at.line, at.column, finding.rule, sources.text(finding.primary))
    };
    outcome.report.findings.iter().map(one).collect()
}

#[test]
fn what_is_wrong_in_one_place_is_found_there() {
    let mut faults = Vec::new();
    for (text, kind, wrongs) in WRONG {
        let (sources, outcome) = checked("x.json", text, *kind);
        faults.extend(shown(&sources, &outcome).iter().map(|f| format!("of what is right: {f}")));
        for (old, new, rule, span) in *wrongs {
            assert_eq!(text.matches(old).count(), 1, "{old:?} must stand in one place");
            let (sources, outcome) = checked("x.json", &text.replace(old, new), *kind);
            let found = shown(&sources, &outcome);
            if !found.iter().any(|f| f.ends_with(&format!("{rule} {span}"))) {
                faults.push(format!("{old:?} -> {new:?}: no {rule} at {span}, but {found:?}"));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

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
        assert!(before.ends_with("returned\\\": ") || before.ends_with("returned\\\\\\\": "), "{before}");
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
        assert!(outcome.report.findings.iter().all(|f| f.labels.len() == 1 && f.commands == ["byre.cows"]));
        shown(&sources, &outcome)
    };
    assert_eq!(run(r#"{"cows": [], "fed": true, "success": true}"#), [""; 0]);
    assert_eq!(run(r#"{"cows": [], "fed": true, "wet": 1}"#), ["2:87 shape-drift \"wet\""]);
    assert_eq!(run(r#"{"cows": []}"#), ["2:62 shape-drift \"cows\""]);
    assert_eq!(run(r#"{"success": false, "error": {"code": "GONE"}}"#), [""; 0]);
}

#[test]
fn a_walk_that_stops_early_is_undecided() {
    let page = r#"{"trees": [1], "offset": 0, "returned": 1, "total_trees": 9, "has_more": true, "next_offset": 1, "hint": "give offset 1"}"#;
    let line = format!("{{\"tool\": \"trees\", \"arguments\": {{}}, \"result\": {page}}}\n");
    let (_, outcome) = checked("x.jsonl", &line, DocumentKind::Session);
    assert!(outcome.report.findings.is_empty());
    assert_eq!(outcome.coverage.items.len(), 1);
    assert!(outcome.coverage.items[0].what.contains("`trees` stops at 1 of 9 rows"), "{:?}", outcome.coverage.items);
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
    let other = check_streams(&mut streamed, &mut streams, &config("x.jsonl", DocumentKind::Session));
    // What an earlier record declares is told by its line alone: its text is gone by then.
    let plain = |found: Vec<String>| -> Vec<String> {
        found.into_iter().filter(|f| !f.contains("outputSchema") && !f.ends_with("invariant ")).collect()
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
        text.lines().filter(|l| l.contains("returned-mismatch")).map(|l| l.split(':').next().unwrap_or("").to_string()).collect()
    };
    assert_eq!(paths(&["check", ".", "--format", "short"]), ["tests/captures/trees.json"]);
    assert_eq!(paths(&["check", "elsewhere/trees.json", "--format", "short"]), ["elsewhere/trees.json"]);
    assert_eq!(paths(&["check", "--as", "response", "elsewhere/trees.log", "--format", "short"]), ["elsewhere/trees.log"]);
    let both = paths(&["check", ".", "--as", "response", "elsewhere/trees.log", "--format", "short"]);
    assert_eq!(both, ["elsewhere/trees.log", "tests/captures/trees.json"]);
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
    let found: BTreeMap<&str, usize> =
        names.iter().map(|n| (n.as_str(), text.lines().filter(|l| l.starts_with(n) && l.contains("returned-mismatch")).count())).collect();
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
        let record = if number == 60 { bad } else { "{\"trees\": [], \"returned\": 0, \"total_trees\": 0, \"has_more\": false}" };
        records.push_str(record);
        records.push_str(&padding);
        records.push('\n');
    }
    tree.write("many.jsonl", records.as_bytes());
    let mut one = "[".to_string();
    one.push_str(&" ".repeat(65 * 1024 * 1024));
    one.push(']');
    tree.write("one.json", one.as_bytes());
    let (code, text, error) =
        run(&tree, &["check", "--format", "short", "--as", "response", "many.jsonl", "--as", "response", "one.json"]);
    assert_eq!(code, Some(1), "{error}");
    assert!(text.contains("many.jsonl:61:28: error[returned-mismatch]"), "{text}");
    assert!(text.contains("one.json:1:1: warning[problem] this record is larger than 64 MiB"), "{text}");
    assert_eq!(text.lines().count(), 2, "{text}");
}

#[test]
fn no_damage_makes_it_fail() {
    for (folder, kind) in ["responses", "schemas", "sessions"].iter().zip(DocumentKind::ALL) {
        for path in support::walk(&support::root().join("fixtures/documents").join(folder)) {
            let text = support::read(&path);
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            for cut in (0..text.len()).step_by(7).filter(|at| text.is_char_boundary(*at)) {
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
