//! Every format on hostile names, messages and texts, and on one real finding.

#![allow(clippy::disallowed_methods)]

mod support;

use pagelint::render::{step_summary, Style, FORMATS};
use pagelint::report::{
    Confidence, Edit, Excuse, Finding, Fix, Label, Level, Problem, Report, Safety, Suppressed,
};
use pagelint::text::{FileId, Source, Sources, Span};
use serde_json::Value;
use support::repo::{by_hand, class, mended, Repo};

/// What ends a line, an attribute, a command or a table in one format or another.
const HOSTILE: &str = "a,b::c=%0A\n::error::x\r]]>\"'<&|`@all\u{1b}[31m\u{0}\u{202e}\u{ffff}😀";
const PATH: &str = "d ir/ü,::%0A\n\"<&'>`😀\u{7}#?.gd";

fn hostile() -> (Report, Sources) {
    let text = "😀 \"has_more\": true, ]]><b>&\nline two\n";
    let source = Source { path: PATH.to_string(), text: text.into(), test: false, reported: true };
    let sources = Sources { root: "/w".into(), files: vec![source], mounts: Vec::new() };
    let span = |start, end| Span { file: FileId(0), start, end };
    let finding = |level, start, end| Finding {
        rule: "hand-built-envelope",
        level,
        confidence: Confidence::Medium,
        message: HOSTILE.to_string(),
        help: Some(HOSTILE.to_string()),
        primary: span(start, end),
        labels: vec![Label { span: span(0, 4), message: HOSTILE.to_string() }],
        function: Some(HOSTILE.to_string()),
        commands: vec![HOSTILE.to_string()],
        stage: Some(HOSTILE.to_string()),
        field: Some(HOSTILE.to_string()),
        object: 0,
        fingerprint: format!("{start:016x}"),
        fix: Some(Fix {
            message: HOSTILE.to_string(),
            safety: Safety::Unsafe,
            edits: vec![Edit { span: span(start, end), text: HOSTILE.to_string() }],
        }),
    };
    let allowed = Excuse::Allowed(HOSTILE.to_string());
    let problem = Problem {
        path: PATH.to_string(),
        line: Some(2),
        level: Level::Error,
        message: HOSTILE.to_string(),
    };
    let report = Report {
        findings: vec![finding(Level::Note, 5, 15), finding(Level::Error, 23, 34)],
        suppressed: vec![
            Suppressed { finding: finding(Level::Error, 0, 4), excuse: allowed },
            Suppressed { finding: finding(Level::Error, 1, 4), excuse: Excuse::Baseline },
        ],
        problems: vec![problem],
        ..Report::default()
    };
    (report, sources)
}

fn rendered(id: &str, report: &Report, sources: &Sources) -> String {
    let format = FORMATS.iter().find(|format| format.id == id).expect("a format of this id");
    let mut out = Vec::new();
    (format.render)(report, sources, &Style::default(), &mut out).expect("memory takes all");
    String::from_utf8(out).expect("formats write text")
}

fn json(id: &str) -> Value {
    let (report, sources) = hostile();
    serde_json::from_str(&rendered(id, &report, &sources)).expect("it is JSON")
}

#[test]
fn sarif_says_all_that_it_can() {
    let log = json("sarif");
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    assert!(rules.iter().all(|rule| {
        rule["helpUri"].is_string()
            && rule["help"]["text"].is_string()
            && rule["help"]["markdown"].is_string()
    }));
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 4);
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(result["partialFingerprints"]["pagelint/v1"].is_string());
        let place = &result["locations"][0]["physicalLocation"]["artifactLocation"];
        let uri = place["uri"].as_str().expect("a URI");
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.~/%".contains(c);
        assert!(uri.chars().all(plain) && !uri.starts_with('/'), "{uri}");
        assert_eq!(place["uriBaseId"], "SRCROOT");
        assert!(result["relatedLocations"][0]["message"]["text"].is_string());
        let flow = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("steps");
        assert!(!flow.is_empty());
    }
    assert_eq!(results[0]["suppressions"], serde_json::json!([]));
    assert_eq!(results[2]["suppressions"][0]["kind"], "inSource");
    assert_eq!(results[2]["suppressions"][0]["justification"], HOSTILE);
    assert_eq!(results[3]["suppressions"][0]["kind"], "external");
    // The first character takes four bytes, two UTF-16 units and one column.
    let region = &results[0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!((&region["startLine"], &region["startColumn"]), (&1.into(), &3.into()));
}

#[test]
fn annotations_stay_on_their_lines_and_the_worst_comes_first() {
    let (report, sources) = hostile();
    let text = rendered("github", &report, &sources);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(lines[0].starts_with("::error file=d ir/ü%2C%3A%3A%250A%0A"), "{text}");
    assert!(lines[1].starts_with("::notice "), "{text}");
    for line in &lines {
        let (head, message) = line[2..].split_once("::").expect("a command has two parts");
        let properties = head.split_once(' ').expect("it has properties").1;
        for property in properties.split(',') {
            let (key, value) = property.split_once('=').expect("a key and a value");
            assert!(key.chars().all(|c| c.is_ascii_alphabetic()), "{line}");
            assert!(!value.contains(':'), "{line}");
        }
        assert!(message.contains("a,b::c=%250A%0A::error::x%0D"), "{line}");
    }
    // A range of several lines takes no columns.
    assert!(lines[1].contains("line=1,endLine=1,col=3,endColumn=13,"), "{text}");
    assert!(lines[0].contains("line=1,endLine=2,title="), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{0}', '\u{7}', '\u{202e}']), "{text:?}");
}

#[test]
fn the_platform_drops_what_is_too_much_and_the_output_says_so() {
    let (mut report, sources) = hostile();
    let worst = report.findings[1].clone();
    report.findings = vec![worst; 12];
    assert!(rendered("github", &report, &sources).contains("10 shown of 12 errors"));
    let mut out = Vec::new();
    step_summary(&report, &sources, &mut out).expect("memory takes all");
    let summary = String::from_utf8(out).expect("text");
    assert!(summary.contains("| error | [hand-built-envelope]("), "{summary}");
    assert!(summary.contains("| 12 |") && summary.contains("2 findings known"), "{summary}");
    for marker in ["<b>", "@all", "\u{202e}", "\u{1b}", "::error::"] {
        assert!(!summary.contains(marker), "{marker:?} in {summary}");
    }
}

#[test]
fn issues_for_merge_requests() {
    let issues = json("gitlab");
    let issues = issues.as_array().expect("a list");
    assert_eq!(issues.len(), 2);
    assert_eq!(issues[0]["severity"], "info");
    assert_eq!(issues[1]["location"]["path"], PATH);
    assert_eq!(issues[1]["location"]["lines"]["begin"], 1);
    assert_ne!(issues[0]["fingerprint"], issues[1]["fingerprint"]);
}

#[test]
fn diagnostics_count_bytes() {
    let result = json("rdjson");
    let start = &result["diagnostics"][0]["location"]["range"]["start"];
    assert_eq!((&start["line"], &start["column"]), (&1.into(), &6.into()));
    assert_eq!(result["diagnostics"][0]["suggestions"][0]["text"], HOSTILE);
}

/// The elements of an XML text in order with their attributes; panics where it is no XML.
fn elements(text: &str) -> Vec<(String, Vec<(String, String)>)> {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(text);
    let mut found = Vec::new();
    loop {
        match reader.read_event().expect("it is XML") {
            Event::Start(e) | Event::Empty(e) => {
                let attributes = e.attributes().map(|a| {
                    let a = a.expect("attributes are well-formed");
                    let value = quick_xml::escape::unescape(&a.value).expect("entities are known");
                    (a.key.as_ref().to_string(), value.into_owned())
                });
                let attributes = attributes.collect();
                found.push((e.name().as_ref().to_string(), attributes));
            }
            Event::Eof => return found,
            _ => {}
        }
    }
}

#[test]
fn xml_holds_any_text() {
    let (report, sources) = hostile();
    for id in ["junit", "checkstyle"] {
        let text = rendered(id, &report, &sources);
        let forbidden = |c: char| (c < ' ' && !"\n\r\t".contains(c)) || c == '\u{ffff}';
        assert!(!text.contains(forbidden), "{id}: {text:?}");
        let elements = elements(&text);
        let count = |name: &str| elements.iter().filter(|(found, _)| found == name).count();
        match id {
            "junit" => {
                assert_eq!((count("failure"), count("error"), count("testcase")), (2, 1, 3));
            }
            _ => {
                assert_eq!((count("error"), count("file")), (2, 1));
                let file = elements.iter().find(|(name, _)| name == "file").expect("a file");
                assert!(file.1[0].1.contains("\"<&'>`😀\\u{7}#?.gd"), "{:?}", file.1);
            }
        }
    }
}

#[test]
fn paragraphs_for_agents_hold_the_exact_edit() {
    let (report, sources) = hostile();
    let text = rendered("agent", &report, &sources);
    assert!(text.contains(r#"[1:3-1:13] replace "\"has_more\"" with "#), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{0}', '\u{202e}']), "{text:?}");
    let human = rendered("human", &report, &sources);
    assert!(human.lines().count() > text.lines().count());
}

#[test]
fn a_clean_run_is_no_empty_run() {
    let (_, sources) = hostile();
    let report = Report::default();
    assert_eq!(elements(&rendered("junit", &report, &sources)).len(), 3);
    assert_eq!(elements(&rendered("checkstyle", &report, &sources)).len(), 1);
    assert_eq!(rendered("gitlab", &report, &sources), "[]\n");
    assert_eq!(rendered("github", &report, &sources), "");
}

/// A half-migrated toolkit with a baseline and one new finding, in all formats at once.
#[test]
fn one_new_finding_is_the_only_one_in_every_format() {
    let repo = Repo::new();
    repo.write("new.gd", &class(&[by_hand("list_hens")]));
    let outputs: Vec<String> =
        FORMATS.iter().map(|format| format!("--output={0}=out.{0}", format.id)).collect();
    let arguments: Vec<&str> =
        ["check"].into_iter().chain(outputs.iter().map(String::as_str)).collect();
    let ran = repo.lint(&arguments);
    assert_eq!(ran.status, 1, "{}", ran.err);
    for format in FORMATS {
        let text = repo.read(&format!("out.{}", format.id));
        let count = match format.id {
            "human" | "short" | "github" | "agent" => text.matches("new.gd").count(),
            "json" => value(&text)["findings"].as_array().map_or(0, Vec::len),
            "sarif" => {
                let log = value(&text);
                let results = log["runs"][0]["results"].as_array().expect("results");
                assert_eq!(results.len(), 3, "the known ones are there, as suppressed");
                results.iter().filter(|r| r["suppressions"] == serde_json::json!([])).count()
            }
            "lsp" => value(&text).as_array().map_or(0, |files| {
                files
                    .iter()
                    .filter_map(|f| f["diagnostics"].as_array())
                    .flatten()
                    .filter(|d| d["severity"] != 4)
                    .count()
            }),
            "gitlab" => value(&text).as_array().map_or(0, Vec::len),
            "rdjson" => value(&text)["diagnostics"].as_array().map_or(0, Vec::len),
            "junit" => elements(&text).iter().filter(|(name, _)| name == "failure").count(),
            "checkstyle" => elements(&text).iter().filter(|(name, _)| name == "error").count(),
            other => panic!("say how to count in {other}"),
        };
        assert_eq!(count, 1, "{}: {text}", format.id);
    }
    repo.write("new.gd", &class(&[mended("list_hens")]));
    assert_eq!(repo.lint(&arguments).status, 0);
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).expect("it is JSON")
}

#[test]
fn output_files_are_written_whole_or_not_at_all() {
    let repo = Repo::new();
    let ran = repo.lint(&["check", "--output", "sarif=no/such/dir/x.sarif"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("no/such/dir/x.sarif"), "{}", ran.err);
    for (argument, message) in [
        ("sarif", "names no file"),
        ("sarif=", "names no file"),
        ("sarf=x", "did you mean `sarif`?"),
    ] {
        let ran = repo.lint(&["check", "--output", argument]);
        assert_eq!(ran.status, 2);
        assert!(ran.err.contains(message), "{}", ran.err);
    }
    let ran = repo.lint(&["check", "--output", "sarif=x", "--output", "json=x"]);
    assert!(ran.err.contains("two formats would go to x"), "{}", ran.err);
    #[cfg(unix)]
    {
        repo.write("target.txt", "precious");
        std::os::unix::fs::symlink(repo.tree.at("target.txt"), repo.tree.at("x.json"))
            .expect("a link");
        assert_eq!(repo.lint(&["check", "--output", "json=x.json"]).status, 0);
        assert_eq!(repo.read("target.txt"), "precious", "links are not followed");
    }
    repo.write("x.json", "old");
    assert_eq!(repo.lint(&["check", "--output", "json=x.json"]).status, 0);
    assert!(value(&repo.read("x.json"))["findings"].is_array());
    let left = std::fs::read_dir(&repo.tree.root).expect("it is there");
    let temporary = left.flatten().any(|e| {
        e.file_name().to_string_lossy().starts_with(".pagelint-")
            && e.file_name() != ".pagelint-baseline"
    });
    assert!(!temporary, "no temporary file is left");
}

#[test]
fn counts_and_limits() {
    let repo = Repo::new();
    let all = ["check", "--no-baseline"];
    let ran = repo.lint(&[&all[..], &["--statistics"]].concat());
    assert_eq!((ran.status, ran.out.as_str()), (1, "    2  error    hand-built-envelope\n"));
    let ran = repo.lint(&[&all[..], &["--statistics", "--format", "json"]].concat());
    assert_eq!(value(&ran.out)[0]["count"], 2);
    let ran = repo.lint(&[&all[..], &["--max-findings", "1", "--format", "short"]].concat());
    assert_eq!((ran.status, ran.out.lines().count()), (1, 2), "{}", ran.out);
    assert!(ran.out.contains("1 more finding not shown"), "{}", ran.out);
}

#[test]
fn the_summary_of_a_step_is_appended() {
    let repo = Repo::new();
    let run = |format: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_pagelint"));
        command.args(["check", "--format", format]).current_dir(&repo.tree.root);
        command.env("GITHUB_STEP_SUMMARY", repo.tree.at("summary.md"));
        command.output().expect("the program starts")
    };
    repo.write("summary.md", "before\n");
    run("human");
    assert_eq!(repo.read("summary.md"), "before\n");
    run("github");
    let summary = repo.read("summary.md");
    assert!(summary.starts_with("before\n## pagelint\n"), "{summary}");
    assert!(summary.contains("2 findings known from the baseline or allowed"), "{summary}");
}

#[test]
fn generated_texts_know_every_option() {
    let repo = Repo::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = repo.lint(&["completions", shell]);
        assert!(ran.status == 0 && ran.out.contains("add-allow"), "{shell}");
    }
    let manual = repo.lint(&["man"]).out;
    assert!(manual.starts_with(".ie") || manual.starts_with(".TH"), "{manual}");
    for option in ["stdin\\-filename", "no\\-baseline", "files\\-from", "merge"] {
        assert!(manual.contains(option), "{option}");
    }
}
