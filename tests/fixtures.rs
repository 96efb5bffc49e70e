//! Runs every fixture, project and page example as a workspace and compares the findings with
//! the marks; must not know how a finding comes about.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use pagelint::check::check;
use pagelint::lang::{language_of, Fragments, Input, Recall};
use pagelint::report::{Confidence, Finding, Level};
use pagelint::text::{FileId, LineIndex, Span};
use support::marks::{self, Mark, MarkKind};
use support::{cases, pages, pending, Case};

#[test]
fn findings_are_the_marked_ones() {
    let (cases, skipped) = cases();
    let (mut missing, mut noisy) = (Vec::new(), Vec::new());
    for case in &cases {
        if !case.name.starts_with("fixtures/shapes/") {
            let outcome = check(&case.sources, &case.config);
            compare(case, &outcome.report.findings, &mut missing, &mut noisy);
        }
    }
    println!("{} cases, {skipped} page examples left out (tagged `ignore`)", cases.len());
    let only = std::env::var_os("PAGELINT_ONLY").is_some();
    let mut faults: Vec<String> = missing.iter().chain(&noisy).cloned().collect();
    let done = pending("findings", &mut faults);
    missing.retain(|fault| faults.contains(fault));
    noisy.retain(|fault| faults.contains(fault));
    assert!(only || done.is_empty(), "no longer pending, take them out:\n{}", done.join("\n"));
    assert!(
        missing.is_empty() && noisy.is_empty(),
        "\nmissing ({}):\n{}\n\nnoisy ({}):\n{}\n",
        missing.len(),
        missing.join("\n"),
        noisy.len(),
        noisy.join("\n")
    );
}

/// A finding with the place that the marks speak of.
struct Found<'a> {
    finding: &'a Finding,
    line: u32,
    text: String,
}

fn compare(case: &Case, findings: &[Finding], missing: &mut Vec<String>, noisy: &mut Vec<String>) {
    let wanted = |rule: &str| case.only.as_ref().is_none_or(|only| only.iter().any(|r| r == rule));
    for (index, marks) in case.marks.iter().enumerate() {
        let file = FileId(index as u32);
        let source = case.sources.get(file);
        let lines = LineIndex::new(&source.text);
        let mut found: Vec<Found> = findings
            .iter()
            .filter(|f| f.primary.file == file && wanted(f.rule))
            .map(|finding| Found {
                finding,
                line: lines.position(&source.text, finding.primary.start).line,
                text: first_line(case.sources.text(finding.primary)),
            })
            .collect();
        let place =
            |line: u32| format!("{}:{}", case.origins[index], line + case.lines_before[index]);
        for mark in marks {
            check_stage(mark, &found, &place, missing);
        }
        // Marks with a text go first, so that one without cannot take their finding.
        for with_text in [true, false] {
            for mark in marks {
                let MarkKind::Violation { rule, text } = &mark.kind else { continue };
                if text.is_some() != with_text {
                    continue;
                }
                let hit = found.iter().position(|f| {
                    f.finding.rule == rule
                        && f.line == mark.line
                        && text.as_ref().is_none_or(|t| *t == f.text)
                });
                match hit {
                    Some(at) => drop(found.swap_remove(at)),
                    None => missing.push(format!(
                        "  {}: {rule} @ {}",
                        place(mark.line),
                        text.as_deref().unwrap_or("(anywhere on the line)")
                    )),
                }
            }
        }
        found.sort_by_key(|f| f.finding.primary.start);
        for f in found {
            let trap = marks.iter().find_map(|m| match &m.kind {
                MarkKind::Clean { rule, why } if m.line == f.line && rule == f.finding.rule => {
                    Some(why)
                }
                _ => None,
            });
            let why = trap.map_or(String::new(), |why| format!("   (marked clean: {why})"));
            noisy.push(format!(
                "  {}: {} @ {} | {}{why}",
                place(f.line),
                f.finding.rule,
                f.text,
                f.finding.message
            ));
        }
    }
}

fn check_stage(
    mark: &Mark,
    found: &[Found],
    place: &dyn Fn(u32) -> String,
    missing: &mut Vec<String>,
) {
    let MarkKind::Stage(stage) = &mark.kind else { return };
    let mut there = false;
    for f in found.iter().filter(|f| f.line == mark.line) {
        there = true;
        if f.finding.stage.as_deref() != Some(stage) {
            missing.push(format!(
                "  {}: stage {stage}, but {} has {:?}",
                place(mark.line),
                f.finding.rule,
                f.finding.stage
            ));
        }
    }
    if !there {
        missing.push(format!("  {}: stage {stage}, but there is no finding", place(mark.line)));
    }
}

fn first_line(text: &str) -> String {
    marks::unquoted(text.lines().next().unwrap_or_default().trim()).to_string()
}

#[test]
fn marks_are_sound() {
    let known: BTreeSet<String> = pages().into_iter().map(|(_, rule, _)| rule).collect();
    let mut faults = Vec::new();
    for case in cases().0 {
        for (index, marks) in case.marks.iter().enumerate() {
            let text: Vec<&str> = case.sources.files[index].text.lines().collect();
            for mark in marks {
                let place =
                    format!("{}:{}", case.origins[index], mark.written + case.lines_before[index]);
                let Some(line) = text.get(mark.line as usize - 1) else {
                    faults.push(format!("{place}: speaks of a line behind the end"));
                    continue;
                };
                match &mark.kind {
                    MarkKind::Violation { rule, text } => {
                        if !known.contains(rule) {
                            faults.push(format!("{place}: no page for rule {rule}"));
                        }
                        let code = line.split(" violation").next().unwrap_or(line);
                        if text.as_ref().is_some_and(|t| !code.contains(t.as_str())) {
                            faults.push(format!("{place}: {text:?} is not on line {}", mark.line));
                        }
                        if matches!(case.section.as_deref(), Some("Good" | "Not this")) {
                            faults.push(format!(
                                "{place}: a violation under a heading that has none"
                            ));
                        }
                    }
                    MarkKind::Clean { rule, why } if !known.contains(rule) || why.is_empty() => {
                        faults.push(format!("{place}: no page for rule {rule}, or no reason"));
                    }
                    MarkKind::Only(rules) => {
                        faults.extend(
                            rules
                                .iter()
                                .filter(|r| !known.contains(*r))
                                .map(|r| format!("{place}: no page for rule {r}")),
                        );
                    }
                    _ => {}
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn every_rule_has_as_many_traps_as_violations() {
    if std::env::var("PAGELINT_ONLY").is_ok() {
        println!("not counted: PAGELINT_ONLY leaves cases out");
        return;
    }
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for mark in cases().0.into_iter().flat_map(|case| case.marks).flatten() {
        match mark.kind {
            MarkKind::Violation { rule, .. } => counts.entry(rule).or_default().0 += 1,
            MarkKind::Clean { rule, .. } => counts.entry(rule).or_default().1 += 1,
            _ => {}
        }
    }
    for (rule, (violations, clean)) in &counts {
        println!("{rule:32} {violations:4} violations {clean:4} clean");
    }
    let short: Vec<_> =
        counts.iter().filter(|(_, (violations, clean))| clean < violations).collect();
    assert!(short.is_empty(), "fewer `clean` than `violation` marks: {short:?}");
}

#[test]
fn pages_have_their_form() {
    let mut faults = Vec::new();
    for (_, rule, path) in pages() {
        let text = support::read(&path);
        let name = support::shown(&path);
        let headings: Vec<&str> = text.lines().filter(|l| l.starts_with("## ")).collect();
        if headings != ["## Why", "## Bad", "## Good", "## Not this", "## Configure"] {
            faults.push(format!("{name}: headings are {headings:?}"));
        }
        let mut lines = text.lines();
        if lines.next() != Some(&format!("# {rule}")) {
            faults.push(format!("{name}: the title is not the rule's id"));
        }
        let head: Vec<&str> =
            lines.take_while(|l| !l.starts_with("## ")).filter(|l| !l.is_empty()).collect();
        let level = head.iter().find_map(|l| l.strip_prefix("level: "));
        if !head.iter().any(|l| l.starts_with("summary: "))
            || !matches!(level, Some("error" | "warning" | "note"))
        {
            faults.push(format!("{name}: needs `summary:` and `level: error|warning|note`"));
        }
        let all = support::fences(&text);
        for section in ["Bad", "Good", "Not this"] {
            if !all.iter().any(|f| f.section == section) {
                faults.push(format!("{name}: no example under {section}"));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn sources_parse() {
    let mut faults = Vec::new();
    for case in cases().0 {
        for (index, source) in case.sources.files.iter().enumerate() {
            let grammar: tree_sitter::Language = match source.path.rsplit('.').next() {
                Some("gd") => tree_sitter_gdscript::LANGUAGE.into(),
                Some("go") => tree_sitter_go::LANGUAGE.into(),
                Some("ts") => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
                _ => continue,
            };
            let broken = pagelint::syntax::parse(&grammar, &format!("{}\n", source.text))
                .map_or(true, |tree| tree.root_node().has_error());
            if broken {
                faults.push(format!("{} (line {})", case.origins[index], case.lines_before[index]));
            }
        }
    }
    assert!(faults.is_empty(), "examples that the parser rejects:\n{}\n", faults.join("\n"));
}

/// A file says the same whether it is lowered as a whole or part by part.
#[test]
fn sources_say_the_same_in_parts() {
    let (cases, _) = cases();
    for source in cases.iter().flat_map(|case| &case.sources.files) {
        let Some(language) = language_of(&source.path) else { continue };
        let input = Input { path: &source.path, text: &source.text };
        let nothing = Fragments::default();
        let whole = (language.lower_with)(&input, &mut Recall::default());
        let parts = (language.lower_with)(&input, &mut Recall::of(&nothing));
        assert_eq!(format!("{whole:#?}"), format!("{parts:#?}"), "{}", source.path);
    }
}

#[test]
fn marks_read_as_written() {
    let text = "a # violation: legacy-field @ \"count\"\n# clean: legacy-field - own line\n# stage: legacy_only\nb\n# violation+2: x-y\n\nc\nd # emits: {a, b?, c: {d}, ...}\n";
    let marks = marks::parse(text, "#", None).expect("the marks are well formed");
    let lines: Vec<u32> = marks.iter().map(|m| m.line).collect();
    assert_eq!(lines, [1, 4, 4, 7, 8]);
    assert_eq!(
        marks[0].kind,
        MarkKind::Violation { rule: "legacy-field".into(), text: Some("count".into()) }
    );
    let MarkKind::Emits(Some(shape)) = &marks[4].kind else { panic!("no shape") };
    assert!(
        shape.open
            && shape.fields.len() == 3
            && shape.fields[1].optional
            && shape.fields[2].inner.is_some()
    );
    assert!(marks::parse("# clean: legacy-field", "#", None).is_err());
    assert!(marks::parse("# violation @ x", "#", None).is_err());
    assert!(marks::parse("# a clean break", "#", None).expect("prose is no mark").is_empty());
}

/// A finding of a rule at the first place of a text.
fn made(rule: &'static str, source: &str, text: &str, stage: Option<&str>) -> Finding {
    let start = source.find(text).expect("the text is there") as u32;
    Finding {
        rule,
        level: Level::Error,
        confidence: Confidence::High,
        message: String::new(),
        help: None,
        primary: Span { file: FileId(0), start, end: start + text.len() as u32 },
        labels: Vec::new(),
        function: None,
        commands: Vec::new(),
        stage: stage.map(String::from),
        field: None,
        object: 0,
        fingerprint: String::new(),
        fix: None,
    }
}

#[test]
fn comparison_tells_both_ways() {
    let text = "a = {\"x\": 1}  # violation: legacy-field @ \"x\"\n# stage: legacy_only\nb(c)  # violation: rejected-over-max\nd  # clean: legacy-field - a trap\n";
    let case = support::single("case.gd", text);
    let run = |findings: &[Finding]| {
        let (mut missing, mut noisy) = (Vec::new(), Vec::new());
        compare(&case, findings, &mut missing, &mut noisy);
        (missing.len(), noisy.len())
    };
    let right = || {
        vec![
            made("legacy-field", text, "\"x\"", None),
            made("rejected-over-max", text, "b(c)", Some("legacy_only")),
        ]
    };
    assert_eq!(run(&right()), (0, 0));
    assert_eq!(run(&[]), (3, 0));
    let mut more = right();
    more.push(made("legacy-field", text, "d  #", None));
    assert_eq!(run(&more), (0, 1));
    let wide = [made("legacy-field", text, "{\"x\": 1}", None), right().remove(1)];
    assert_eq!(run(&wide), (1, 1));
    let other_stage = [right().remove(0), made("rejected-over-max", text, "b(c)", None)];
    assert_eq!(run(&other_stage), (1, 0));
}
