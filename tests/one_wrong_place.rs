//! Captured JSON that is right in every place, and then wrong in one; must not know how a finding
//! comes about.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

mod support;

use pagelint::config::DocumentKind;
use support::captured::{checked, shown};

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
    (
        RESULT,
        DocumentKind::Response,
        &[
            ("false, \"next", "true, \"next", "unpaired-page-state", "\"next_token\""),
            (", \"next_token\": \"cursor-2\"", "", "unpaired-page-state", "\"endpoint_exhausted\""),
            ("\"cursor-2\"", "\"\"", "unpaired-page-state", "\"next_token\""),
            ("\"cursor-2\"", "2", "wrong-field-type", "2"),
            ("false, \"next", "\"false\", \"next", "wrong-field-type", "\"false\""),
            (
                "\"id\": \"a\"",
                "\"id\": \"a\", \"nextCursor\": \"b\"",
                "raw-pagination-in-data",
                "\"nextCursor\"",
            ),
            ("]}", "], \"has_more\": true}", "raw-pagination-in-data", "\"has_more\""),
            ("]}", "], \"contract_version\": \"2\"}", "protocol-alias", "\"contract_version\""),
        ],
    ),
    (
        LEAF,
        DocumentKind::Schema,
        &[
            (
                "kind\": \"cursor\"",
                "kind\": \"offset\"",
                "unsupported-pagination-kind",
                "\"offset\"",
            ),
            (
                "_parameter\": \"cursor\"",
                "_parameter\": \"--cursor\"",
                "unknown-cursor-parameter",
                "\"--cursor\"",
            ),
            (
                "  \"pagination\"",
                "  \"parameters\": {\"limit\": {}},\n  \"pagination\"",
                "unknown-cursor-parameter",
                "\"cursor\"",
            ),
            ("\"meta.pagination\"", "\"meta.page\"", "overridden-meta-path", "\"meta.page\""),
            ("pagination.endpoint_exhausted\"", "done\"", "overridden-meta-path", "\"meta.done\""),
            (
                "pagination.next_token\"",
                "pagination.token\"",
                "overridden-meta-path",
                "\"meta.pagination.token\"",
            ),
            (
                "{\"type\": \"object\"}",
                "{\"properties\": {\"hasMore\": {}}}",
                "pagination-in-data-schema",
                "\"hasMore\"",
            ),
            (
                "\"result\"",
                "\"commands\": [\"a\"],\n  \"data\"",
                "pagination-on-group",
                "\"pagination\"",
            ),
        ],
    ),
    (
        LIST,
        DocumentKind::Response,
        &[
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
        ],
    ),
    (
        BYTES,
        DocumentKind::Response,
        &[
            ("max_bytes was clamped to 3; ", "", "ungated-hint", "\"limit_clamped\""),
            ("clamped\": true", "clamped\": \"yes\"", "wrong-field-type", "\"yes\""),
            ("\"returned\": 3", "\"bytes_returned\": 3", "legacy-field", "\"bytes_returned\""),
            ("\"next_offset\": 3", "\"next_offset\": 0", "repeated-page", "0"),
        ],
    ),
    (
        LINES,
        DocumentKind::Response,
        &[
            ("\"next_start_line\": 3, ", "", "missing-resume-field", "\"has_more\""),
            ("\"next_start_line\": 3", "\"next_start_line\": 2", "broken-walk", "2"),
            ("\"total_lines\": 4", "\"total_lines\": \"4\"", "wrong-field-type", "\"4\""),
        ],
    ),
    (
        SPATIAL,
        DocumentKind::Response,
        &[
            (
                ", \"hint\": \"narrow region inside bounds to see the rest\"",
                "",
                "missing-navigation-hint",
                "\"has_more\"",
            ),
            ("true, \"hint\"", "false, \"hint\"", "ungated-hint", "\"hint\""),
            ("\"returned\": 2", "\"returned\": 1", "returned-mismatch", "1"),
        ],
    ),
];

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
