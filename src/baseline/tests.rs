//! What counts as the same finding, and what the file says of it.

use std::collections::BTreeSet;

use super::*;

fn entry(path: &str, function: &str, object: u32) -> Entry {
    Entry {
        rule: "r".to_string(),
        path: path.to_string(),
        function: function.to_string(),
        commands: Vec::new(),
        object,
        field: "count".to_string(),
        ordinal: 0,
    }
}

/// Which findings of now are new; `alive` lists the functions that there are.
fn new(known: &[Entry], now: &[Entry], alive: &[(&str, &str)]) -> Vec<usize> {
    let alive: BTreeSet<(&str, &str)> = alive.iter().copied().collect();
    let exists = |path: &str, function: &str| {
        alive.contains(&(path, function))
            || alive.iter().any(|(p, _)| function.is_empty() && *p == path)
    };
    let mut now = now.to_vec();
    renumber(&mut now);
    let pairs = matching(known, &now, &exists, None);
    pairs.iter().enumerate().filter(|(_, pair)| pair.is_none()).map(|(index, _)| index).collect()
}

#[test]
fn moves_and_renames_are_the_same_finding() {
    let known = [entry("a.gd", "f", 0), entry("a.gd", "g", 0)];
    // A renamed file.
    let now = [entry("b.gd", "f", 0), entry("b.gd", "g", 0)];
    assert_eq!(new(&known, &now, &[("b.gd", "f"), ("b.gd", "g")]), [0; 0]);
    // One function moved to another file.
    let now = [entry("a.gd", "f", 0), entry("c.gd", "g", 0)];
    assert_eq!(new(&known, &now, &[("a.gd", "f"), ("c.gd", "g")]), [0; 0]);
    // A renamed function.
    let now = [entry("a.gd", "f", 0), entry("a.gd", "h", 0)];
    assert_eq!(new(&known, &now, &[("a.gd", "f"), ("a.gd", "h")]), [0; 0]);
    // A command that a helper newly serves.
    let mut shared = entry("a.gd", "f", 0);
    shared.commands = vec!["list".to_string()];
    assert_eq!(new(&known, &[shared], &[("a.gd", "f"), ("a.gd", "g")]), [0; 0]);
}

#[test]
fn a_fix_here_and_the_same_there_is_no_move() {
    let known = [entry("a.gd", "f", 0)];
    let alive = [("a.gd", "f"), ("a.gd", "g"), ("b.gd", "f")];
    assert_eq!(new(&known, &[entry("a.gd", "g", 0)], &alive), [0], "f is still there");
    assert_eq!(new(&known, &[entry("b.gd", "f", 0)], &alive), [0], "so is a.gd's f");
    assert_eq!(new(&known, &[entry("a.gd", "f", 1)], &alive), [0], "another object");
    let twice = [entry("a.gd", "f", 0), entry("a.gd", "f", 0)];
    assert_eq!(new(&known, &twice, &alive), [1], "one is known, not two");
}

#[test]
fn a_function_with_findings_of_its_own_takes_over_none() {
    let known = [entry("a.gd", "f", 0), entry("a.gd", "g", 0)];
    let now = [entry("a.gd", "g", 0), entry("a.gd", "g", 0)];
    assert_eq!(new(&known, &now, &[("a.gd", "g")]), [1]);
}

#[test]
fn the_functions_of_before_tell_a_move_from_a_fault() {
    let known = [entry("a.gd", "f", 0)];
    let now = [entry("a.gd", "g", 0)];
    let alive = |_: &str, function: &str| function == "g";
    let had_g = |_: &str, function: &str| function == "f" || function == "g";
    assert_eq!(matching(&known, &now, &alive, None), [Some(0)]);
    assert_eq!(matching(&known, &now, &alive, Some(&had_g)), [None]);
}

#[test]
fn the_file_holds_any_name() {
    let mut odd = entry("a\tb\\\n.gd", "-", 3);
    odd.commands = vec!["x,y".to_string(), "harbor +sailings".to_string()];
    odd.field = String::new();
    let mut baseline = Baseline::default();
    baseline.entries.extend([odd, entry("z.gd", "f", 0)]);
    baseline.stages.insert("harbor +sailings".to_string(), "unified_active".to_string());
    let text = baseline.text();
    assert_eq!(Baseline::parse(&text), Ok(baseline.clone()));
    assert_eq!(Baseline::parse(&text.replace('\n', "\r\n")), Ok(baseline));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.is_sorted(), "{text}");
    assert_eq!(lines[3], "finding\tr\tz.gd\tf\t-\t0\tcount\t0");
}

#[test]
fn a_wrong_line_is_named() {
    let bad = |text: &str| Baseline::parse(text).map_err(|bad| bad.line);
    assert_eq!(bad("# x\n\n"), Ok(Baseline::default()));
    assert_eq!(bad("# x\nfinding\tr\n"), Err(2));
    assert_eq!(bad("finding\tr\tp\tf\t-\tx\t-\t0\n"), Err(1));
    assert_eq!(bad("<<<<<<< ours\n"), Err(1));
}

fn baseline(entries: &[Entry]) -> Baseline {
    let mut entries = entries.to_vec();
    renumber(&mut entries);
    Baseline { entries: entries.into_iter().collect(), stages: BTreeMap::new() }
}

#[test]
fn merging_adds_up_what_both_sides_did() {
    let (f, g, h) = (entry("a.gd", "f", 0), entry("a.gd", "g", 0), entry("a.gd", "h", 0));
    let base = baseline(&[f.clone(), f.clone(), g.clone()]);
    // Ours fixes one of the two alike, theirs the other and records h.
    let ours = baseline(&[f.clone(), g.clone()]);
    let theirs = baseline(&[f, g.clone(), h.clone()]);
    assert_eq!(merge(&base, &ours, &theirs), baseline(&[g, h]));

    let with = |stage: &str| Baseline {
        stages: [("c".to_string(), stage.to_string())].into_iter().collect(),
        ..Baseline::default()
    };
    let one = merge(&with("legacy_only"), &with("legacy_only"), &with("unified_active"));
    assert_eq!(one, with("unified_active"));
    let two = merge(&with("legacy_only"), &with("dual_validate"), &with("legacy_only"));
    assert_eq!(two, with("dual_validate"));
}

fn row(name: &str, stage: &str) -> CommandRow {
    use crate::text::{FileId, Span};

    CommandRow {
        name: name.to_string(),
        span: Span { file: FileId(0), start: 0, end: 1 },
        stage: Some(stage.to_string()),
        pagination: None,
        emits_meta: None,
        parameters_known: false,
        schema_known: None,
        paging: true,
    }
}

#[test]
fn a_command_that_falls_back_is_found_and_one_that_comes_further_is_kept_there() {
    use crate::text::Source;

    let source = Source { path: "a.go".into(), text: "x".into(), test: false, reported: true };
    let sources = Sources { root: "/w".into(), files: vec![source], mounts: Vec::new() };
    let order = ["legacy_only", "dual_validate", "unified_active"].map(str::to_string);
    let rows = |list: &[(&str, &str)]| -> Vec<CommandRow> {
        list.iter().map(|(name, stage)| row(name, stage)).collect()
    };
    let (before, after) = (
        rows(&[("up", "legacy_only"), ("down", "unified_active"), ("gone", "dual_validate")]),
        rows(&[("up", "dual_validate"), ("down", "dual_validate"), ("new", "legacy_only")]),
    );
    let view = |rows| View {
        sources: &sources,
        prefix: "",
        alive: &|_, _| true,
        looked: &|_| true,
        whole: true,
        rows,
        stages: &order,
    };
    let known = Baseline::of(&[], &view(&before));
    let mut report = Report::default();
    let difference = known.apply(&mut report, &view(&after));
    let found: Vec<&str> = report.findings.iter().map(|f| f.message.as_str()).collect();
    assert_eq!(found, ["`down` was at unified_active and is at dual_validate now"]);
    let stages: Vec<(&str, &str)> =
        difference.next.stages.iter().map(|(c, s)| (c.as_str(), s.as_str())).collect();
    assert_eq!(
        stages,
        [("down", "unified_active"), ("new", "legacy_only"), ("up", "dual_validate")],
        "a step up is kept, a step down is not, and what is gone leaves"
    );
}
