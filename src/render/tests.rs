//! Tests of the module around it; must not know the modules above.

use proptest::prelude::*;

use super::*;
use crate::report::{
    BuiltBy, Confidence, Counts, Coverage, Edit, Emitter, EmitterKind, Finding, Fix, Label,
    Problem, Safety, ShapeRow, Undecided,
};
use crate::text::{Source, Span};

const LIST: &str =
    "extends RefCounted\n\n\nfunc list_nodes(all: Array, limit: int) -> Dictionary:\n\
\tvar page := all.slice(0, limit)\n\tvar note := \"…\"\n\treturn Reply.ok({\n\t\t\"nodes\": page,\n\
\t\t\"has_more\": all.size() > limit, # größer\n\t\t\"returned\": page.size(),\n\t})\n";
const BUILDER: &str = "func page(rows):\n\treturn {\"has_more\": false}\n";

fn sources(files: &[(&str, &str)]) -> Sources {
    let file = |(path, text): &(&str, &str)| Source {
        path: path.to_string(),
        text: (*text).into(),
        test: false,
        reported: true,
    };
    Sources { root: "/w".into(), files: files.iter().map(file).collect(), mounts: Vec::new() }
}

/// The `n`th place of a text in a file.
fn at(sources: &Sources, file: u32, needle: &str, n: usize) -> Span {
    let file = FileId(file);
    let found = sources.get(file).text.match_indices(needle).nth(n);
    let start = found.expect("the text is in the file").0 as u32;
    Span { file, start, end: start + needle.len() as u32 }
}

fn finding(primary: Span) -> Finding {
    Finding {
        rule: "hand-built-envelope",
        level: Level::Error,
        confidence: Confidence::High,
        message: "`scene.list` builds its page by hand".to_string(),
        help: Some("build the page with `Modules.Pagination.list_page`".to_string()),
        primary,
        labels: Vec::new(),
        function: Some("list_nodes".to_string()),
        commands: vec!["scene.list".to_string()],
        stage: None,
        field: Some("has_more".to_string()),
        object: 0,
        fingerprint: "0123456789abcdef".to_string(),
        fix: None,
    }
}

fn label(span: Span, message: &str) -> Label {
    Label { span, message: message.to_string() }
}

/// One of everything.
fn sample() -> (Report, Sources) {
    let sources = sources(&[("addons/list.gd", LIST), ("addons/pagination.gd", BUILDER)]);
    let mut first = finding(at(&sources, 0, "\"has_more\"", 0));
    first.labels = vec![
        label(at(&sources, 0, "\"has_more\"", 0), "written by hand"),
        label(at(&sources, 0, "\"returned\"", 0), "so is this"),
        label(at(&sources, 1, "\"has_more\"", 0), "the builder writes it here"),
    ];
    first.fix = Some(Fix {
        message: "call the builder".to_string(),
        safety: Safety::Unsafe,
        edits: vec![Edit { span: at(&sources, 0, "Reply.ok", 0), text: "page".to_string() }],
    });
    let mut second = finding(at(&sources, 0, "limit", 0));
    (second.rule, second.level) = ("not-in-the-table", Level::Note);
    (second.confidence, second.stage) = (Confidence::Low, Some("legacy_only".to_string()));
    (second.help, second.field, second.function) = (None, None, None);
    second.message = "a limit below 1 is accepted".to_string();
    second.commands = ["a", "b", "c", "d", "e"].map(str::to_string).to_vec();
    let problem = Problem {
        path: "addons/broken.gd".to_string(),
        line: Some(3),
        level: Level::Warning,
        message: "not valid UTF-8; save it as UTF-8".to_string(),
    };
    let counts = Counts { files: 2, parsed: 2, emitters: 1 };
    (
        Report {
            findings: vec![second, first],
            problems: vec![problem],
            counts,
            ..Report::default()
        },
        sources,
    )
}

fn rendered(id: &str, report: &Report, sources: &Sources, style: &Style) -> String {
    let format = FORMATS.iter().find(|format| format.id == id).expect("a format of the table");
    let mut out = Vec::new();
    (format.render)(report, sources, style, &mut out).expect("a vector takes all bytes");
    String::from_utf8(out).expect("formats write text")
}

#[test]
fn human() {
    let (report, sources) = sample();
    insta::assert_snapshot!(rendered("human", &report, &sources, &Style::default()));
}

#[test]
fn human_ascii() {
    let (report, sources) = sample();
    let style = Style { unicode: false, width: 60, ..Style::default() };
    let text = rendered("human", &report, &sources, &style);
    insta::assert_snapshot!(text);
    // What the source says is shown as it is; the drawing adds nothing beyond ASCII.
    let drawn: String = text.lines().filter(|line| !line.contains(" | ")).collect();
    assert!(drawn.is_ascii(), "{drawn}");
}

#[test]
fn colours_are_only_colours() {
    let (report, sources) = sample();
    let colour = Style { colour: true, ..Style::default() };
    for format in ["human", "short"] {
        let painted = rendered(format, &report, &sources, &colour);
        assert!(painted.contains("\u{1b}["));
        let mut plain = String::new();
        let mut rest = painted.as_str();
        while let Some((before, after)) = rest.split_once("\u{1b}[") {
            plain.push_str(before);
            rest = after.split_once('m').expect("only colours are sent").1;
        }
        plain.push_str(rest);
        assert_eq!(plain, rendered(format, &report, &sources, &Style::default()));
    }
}

#[test]
fn short() {
    let (report, sources) = sample();
    insta::assert_snapshot!(rendered("short", &report, &sources, &Style::default()));
}

#[test]
fn quiet_prints_findings_only() {
    let (mut report, sources) = sample();
    let style = Style { quiet: true, ..Style::default() };
    assert_eq!(rendered("short", &report, &sources, &style).lines().count(), 2);
    report.findings.clear();
    assert_eq!(rendered("human", &report, &sources, &style), "");
}

#[test]
fn json() {
    let (report, sources) = sample();
    insta::assert_snapshot!(rendered("json", &report, &sources, &Style::default()));
}

#[test]
fn nothing_found() {
    let counts = Counts { files: 1, parsed: 1, emitters: 0 };
    let report = Report { counts, ..Report::default() };
    let text = rendered("human", &report, &sources(&[]), &Style::default());
    assert_eq!(text, "no findings in 1 file; 0 emitters (`pagelint coverage` says what to do)\n");
}

#[test]
fn source_never_acts_on_the_terminal() {
    let hostile =
        "var a = 1\r\nvar b = \"\u{1b}]0;title\u{7}\u{9b}2J\u{202e}\" # \u{0}\rx\r\nvar c\r\n";
    let sources = sources(&[("a\u{1b}[2J\n.gd", hostile)]);
    let mut finding = finding(at(&sources, 0, "# ", 0));
    finding.message = "named \u{1b}[31m\r\n`x`".to_string();
    finding.help = Some("do\u{8} it".to_string());
    finding.labels = vec![label(at(&sources, 0, "b", 0), "\u{7}")];
    let report = Report { findings: vec![finding], ..Report::default() };
    for format in ["human", "short"] {
        let text = rendered(format, &report, &sources, &Style::default());
        assert!(!text.contains(|c: char| visible::acts(c) && c != '\n'), "{text:?}");
    }
    insta::assert_snapshot!(rendered("human", &report, &sources, &Style::default()));
}

#[test]
fn long_lines_are_cut_around_what_matters() {
    let filler = "\"key\": value, ".repeat(4000);
    let text =
        format!("var x\nvar d = {{{filler}\"has_more\": 1, {filler}}}\nvar y = \"{filler}\"\n");
    let sources = sources(&[("long.gd", &text)]);
    let mut finding = finding(at(&sources, 0, "\"has_more\"", 0));
    finding.labels = vec![
        label(finding.primary, "here"),
        label(at(&sources, 0, "\"key\"", 0), "far before"),
        label(at(&sources, 0, "\"key\"", 7000), "far behind"),
    ];
    let report = Report { findings: vec![finding], ..Report::default() };
    let text = rendered("human", &report, &sources, &Style::default());
    assert!(text.lines().all(|line| line.chars().count() <= 130), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn marks_that_lie_in_another_are_drawn_beside_it() {
    let sources = sources(&[("a.gd", "var n = maxi(int(p.get(\"limit\", 5)), 1)\n")]);
    let mut finding = finding(at(&sources, 0, "maxi(int(p.get(\"limit\", 5)), 1)", 0));
    finding.labels = vec![label(at(&sources, 0, "int(p.get(\"limit\", 5))", 0), "read here")];
    let report = Report { findings: vec![finding], ..Report::default() };
    let text = rendered("human", &report, &sources, &Style::default());
    let lines: Vec<&str> = text.lines().collect();
    let code = lines.iter().position(|line| line.contains("maxi")).expect("the line is shown");
    let columns = |word: &str| {
        let line = lines[code];
        let from = line[..line.find(word).expect("it is there")].chars().count();
        from..from + word.chars().count()
    };
    let drawn = |columns: std::ops::Range<usize>| -> String {
        lines[code + 1].chars().skip(columns.start).take(columns.len()).collect()
    };
    assert_eq!(drawn(columns("maxi(")), "─────", "{text}");
    assert!(drawn(columns("int(p.get(\"limit\", 5))")).contains('┬'), "{text}");
    assert!(lines[code + 2].contains("read here"), "{text}");
}

#[test]
fn spans_over_lines_and_at_the_end() {
    let text = "func f():\n\treturn {\n\t\t\"a\": 1,\n\t}";
    let sources = sources(&[("end.gd", text)]);
    let start = text.find("{").expect("there is one") as u32;
    let whole = Span { file: FileId(0), start, end: text.len() as u32 };
    let end = Span { file: FileId(0), start: text.len() as u32, end: text.len() as u32 };
    let mut finding = finding(whole);
    finding.labels = vec![label(whole, "made here"), label(end, "ends here")];
    let report = Report { findings: vec![finding], ..Report::default() };
    insta::assert_snapshot!(rendered("human", &report, &sources, &Style::default()));
}

#[test]
fn paths_lead_there_from_here() {
    let below = Style { prefix: "sub/".to_string(), ..Style::default() };
    assert_eq!(below.path("a/b.gd"), "sub/a/b.gd");
    let above = Style { strip: "a/x/".to_string(), ..Style::default() };
    assert_eq!(above.path("a/x/b.gd"), "b.gd");
    assert_eq!(above.path("c/b.gd"), "../../c/b.gd");
}

fn rows(sources: &Sources) -> Vec<ShapeRow> {
    let emitter = |needle, shape: &str, built_by, confidence| Emitter {
        span: at(sources, 0, needle, 0),
        function: Some("list_nodes".to_string()),
        shape: shape.to_string(),
        meta: None,
        built_by,
        confidence,
    };
    let paged = "{nodes, returned, total_matches, has_more, next_offset?}";
    let row = |name: &str, kind, emitters, paging| ShapeRow {
        name: name.to_string(),
        kind,
        stage: None,
        emitters,
        reads: Vec::new(),
        family: None,
        resumable: None,
        paging,
    };
    let hand = emitter("Reply", paged, BuiltBy::Hand, Confidence::Medium);
    let built = emitter("page", paged, BuiltBy::Builder, Confidence::High);
    let mut list = row("scene.list", EmitterKind::Tool, vec![built, hand], true);
    list.family = Some("list".to_string());
    list.resumable = Some(true);
    list.stage = Some("unified_active".to_string());
    let ok = emitter("nodes", "{ok}", BuiltBy::None, Confidence::High);
    vec![list, row("_ready", EmitterKind::Function, vec![ok], false)]
}

#[test]
fn shapes() {
    let sources = sources(&[("addons/list.gd", LIST)]);
    let rows = rows(&sources);
    let mut out = Vec::new();
    shapes_text(&rows, false, &sources, &Style::default(), &mut out).expect("to memory");
    out.extend(b"---- all\n");
    shapes_text(&rows, true, &sources, &Style::default(), &mut out).expect("to memory");
    out.extend(b"---- json\n");
    shapes_json(&rows, &sources, &mut out).expect("to memory");
    insta::assert_snapshot!(String::from_utf8(out).expect("text"));
}

#[test]
fn coverage() {
    let item = |path: &str, line, what: &str| Undecided {
        path: path.to_string(),
        line,
        what: what.to_string(),
    };
    let coverage = Coverage {
        found: 2000,
        understood: 1999,
        unresolved: 1,
        items: vec![item("b.gd", 3, "the key is computed"), item("c.gd", 0, "took too long")],
    };
    let (report, _) = sample();
    let mut out = Vec::new();
    let style = Style::default();
    coverage_text(&coverage, &report.problems, &style, &mut out).expect("to memory");
    out.extend(b"---- nothing\n");
    coverage_text(&Coverage::default(), &[], &style, &mut out).expect("to memory");
    out.extend(b"---- json\n");
    coverage_json(&coverage, &report.problems, &mut out).expect("to memory");
    insta::assert_snapshot!(String::from_utf8(out).expect("text"));
}

#[test]
fn pages() {
    let rule = crate::rules::RuleInfo {
        id: "legacy-field",
        pack: "offset-envelope",
        level: Level::Error,
        check: None,
        summary: "a paging response still carries a pre-1.0 field name, which is said at such length that it takes two lines",
        page: "# legacy-field\nsummary: old name\nlevel: error\n\n## Why\nA `caller` that learned\nso: one name must not meet another; this sentence goes on until it has to be broken.\n\n- first item\n  goes on\n- second\n1. one\n\n| a | b |\n|---|---|\n| `c` | d |\n\n## Bad\n```gdscript\nfunc f():\n\treturn {\n\n\t}  # violation\n```\nLast.\n",
    };
    let mut out = Vec::new();
    page(&rule, &Style { width: 60, ..Style::default() }, &mut out).expect("to memory");
    out.extend(b"---- table\n");
    rules_table(&[rule], &Style::default(), &mut out).expect("to memory");
    insta::assert_snapshot!(String::from_utf8(out).expect("text"));
    let mut painted = Vec::new();
    page(&rule, &Style { colour: true, ..Style::default() }, &mut painted).expect("to memory");
    assert!(String::from_utf8(painted).expect("text").contains("\u{1b}[36mcaller\u{1b}[0m"));
}

proptest! {
    /// Any marks in any text can be drawn, on any width, and nothing of it acts on a terminal.
    #[test]
    fn anything_can_be_drawn(
        text in "([a-zé𝄞\t\u{1b}\u{0}\u{202e}]{0,90}(\r?\n)?){0,6}",
        marks in prop::collection::vec((0u32..400, 0u32..40), 1..5),
        width in 0usize..120,
        unicode: bool,
    ) {
        let sources = sources(&[("any.gd", &text)]);
        let span = |(start, length): (u32, u32)| {
            Span { file: FileId(0), start, end: start.saturating_add(length) }
        };
        let mut finding = finding(span(marks[0]));
        finding.labels = marks.iter().map(|mark| label(span(*mark), "here")).collect();
        let report = Report { findings: vec![finding], ..Report::default() };
        let style = Style { width, unicode, ..Style::default() };
        let drawn = rendered("human", &report, &sources, &style);
        prop_assert!(!drawn.contains(|c: char| visible::acts(c) && c != '\n'), "{:?}", drawn);
        prop_assert!(drawn.contains("here"), "{:?}", drawn);
    }
}
