//! The ledger over real repositories: now, since a revision, and over time.

#![allow(clippy::disallowed_methods)]

mod support;

use serde_json::Value;
use support::repo::{by_hand, class, mended, Repo};

fn json(repo: &Repo, arguments: &[&str]) -> Value {
    let ran = repo
        .lint(&[&["progress", "--format", "json", "--today", "2026-01-01"], arguments].concat());
    serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{e}: {}{}", ran.out, ran.err))
}

fn names(rows: &Value) -> Vec<String> {
    let rows = rows.as_array().expect("a list");
    rows.iter().map(|row| format!("{} {}", row["name"], row["status"]).replace('"', "")).collect()
}

fn changes(events: &Value) -> Vec<Vec<String>> {
    let events = events.as_array().expect("a list");
    let one = |change: &Value| format!("{} {}", change["kind"], change["name"]).replace('"', "");
    let all =
        |event: &Value| event["changes"].as_array().expect("a list").iter().map(one).collect();
    events.iter().map(all).collect()
}

/// `list_goats` is mended, then built by hand again.
fn storied() -> Repo {
    let repo = Repo::new();
    repo.write("barn.gd", &class(&[by_hand("list_cows"), mended("list_goats"), mended("names")]));
    repo.commit("mend the goats");
    repo.write("notes.md", "nothing to read\n");
    repo.commit("write notes");
    repo.write("barn.gd", &class(&[by_hand("list_cows"), by_hand("list_goats"), mended("names")]));
    repo.commit("undo");
    repo
}

#[test]
fn the_ledger_is_read_from_code() {
    let repo = Repo::new();
    repo.write(".github/CODEOWNERS", "*.gd @barn\n");
    let ledger = json(&repo, &[]);
    assert_eq!(names(&ledger["rows"]), ["list_cows open", "list_goats open"]);
    assert_eq!(ledger["rows"][0]["owners"], serde_json::json!(["@barn"]));
    assert_eq!(ledger["total"]["open"], 2);
}

#[test]
fn an_exception_holds_until_its_day() {
    let repo = Repo::new();
    let config = repo.read("pagelint.toml");
    let exception =
        "\n[[exception]]\nname = \"list_*\"\nreason = \"old\"\nuntil = \"2025-12-31\"\n";
    repo.write("pagelint.toml", &format!("{config}{exception}"));
    let ran = repo.lint(&["progress", "--today", "2025-12-31"]);
    assert_eq!(ran.status, 0, "{}", ran.out);
    assert!(ran.out.contains("2 excepted"), "{}", ran.out);
    let ran = repo.lint(&["progress", "--today", "2026-01-01"]);
    assert_eq!(ran.status, 1, "{}", ran.out);
    let line = config.lines().count() + 3;
    assert!(ran.out.contains(&format!("pagelint.toml:{line}: expired-exception: ")), "{}", ran.out);
    let check = |today: &str| repo.lint(&["check", "--format", "short", "--today", today]);
    assert!(!check("2025-12-31").out.contains("expired-exception"));
    let ran = check("2026-01-01");
    assert!(ran.out.contains(&format!("pagelint.toml:{line}:1:")), "{}", ran.out);
    assert!(ran.out.contains("the exception of `list_*` ended on 2025-12-31: old"), "{}", ran.out);
}

#[test]
fn commands_are_measured_against_the_stage_they_should_have_reached() {
    let repo = Repo::new();
    let mapper = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/projects/mapper");
    let of = |config: &str, name: &str| {
        repo.write("plan.toml", config);
        let ledger = json(&repo, &["--config", "plan.toml", mapper]);
        let rows = ledger["rows"].as_array().expect("a list");
        rows.iter().find(|row| row["name"] == name).cloned().expect("the command has a row")
    };
    let plan = "[progress.stages]\n\"coast *\" = \"unified_active\"\n\
                \"coast +lamps\" = \"unified_stable\"\n";
    let lamps = of("", "coast +lamps");
    assert_eq!((&lamps["status"], &lamps["behind"]), (&"done".into(), &false.into()));
    assert_eq!(lamps["pagination"], "cursor --cursor", "what is fixed goes without saying");
    let lamps = of(plan, "coast +lamps");
    assert_eq!((&lamps["status"], &lamps["behind"]), (&"partly".into(), &true.into()));
    let pay = of(plan, "coast +pay");
    assert_eq!((&pay["expected_stage"], &pay["behind"]), (&"unified_active".into(), &false.into()));
    let rules: Vec<&str> = pay["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|finding| finding["rule"].as_str())
        .collect();
    assert!(!rules.is_empty());
    let mut agreed = plan.to_string();
    for rule in &rules {
        agreed +=
            &format!("[[exception]]\nname = \"coast +pay\"\nrule = \"{rule}\"\nreason = \"old\"\n");
    }
    let pay = of(&agreed, "coast +pay");
    assert_eq!((&pay["status"], &pay["findings"]), (&"done".into(), &serde_json::json!([])));
}

#[test]
fn plain_commands_are_named_by_their_tree() {
    let repo = Repo::new();
    let command = |word: &str, tool: &str| {
        let run = format!("func(c *cobra.Command, a []string) error {{ return {tool} }}");
        format!("&cobra.Command{{Use: \"{word}\", RunE: {run}}}")
    };
    let text = format!(
        "package pier\n\nimport \"github.com/spf13/cobra\"\n\nfunc newPier() *cobra.Command {{\n\
         \tprogram := &cobra.Command{{Use: \"quay\"}}\n\
         \tberths := &cobra.Command{{Use: \"berths\", RunE: help}}\n\
         \tlist := {}\n\tfree := {}\n\thint := {}\n\
         \tberths.AddCommand(list, []*cobra.Command{{free}}...)\n\
         \tprogram.AddCommand(berths, hint)\n\tprogram.Execute()\n\treturn program\n}}\n\n\
         func help(c *cobra.Command, a []string) error {{ return nil }}\n",
        command("list [pier]", "callMCPTool(\"list_berths\", nil)"),
        command("free", "callMCPTool(\"free_berths\", nil)"),
        command("hint", "nil"),
    );
    repo.write("pagelint.toml", "");
    repo.write("pier.go", &text);
    let ledger = json(&repo, &[]);
    let rows = names(&ledger["rows"]);
    let berths: Vec<&String> = rows.iter().filter(|row| row.starts_with("berths")).collect();
    assert_eq!(berths, ["berths free open", "berths list open"], "{rows:?}");
    assert!(!rows.iter().any(|row| row.contains("hint") || row.contains("quay")), "{rows:?}");
}

#[test]
fn commands_listed_below_others_are_named_by_their_way_down() {
    let repo = Repo::new();
    let text = "package main\n\nimport \"github.com/urfave/cli/v2\"\n\nfunc main() {\n\
         \tapp := &cli.App{Name: \"quay\", Commands: []*cli.Command{\n\
         \t\t{Name: \"berths\", Subcommands: []*cli.Command{{Name: \"list\", Action: listBerths}}},\n\
         \t\t{Name: \"free\", Action: func(c *cli.Context) error {\n\
         \t\t\treturn callMCPTool(\"free_berths\", nil)\n\t\t}},\n\t}}\n\
         \tapp.Run(nil)\n}\n\n\
         func listBerths(c *cli.Context) error { return callMCPTool(\"list_berths\", nil) }\n";
    repo.write("pagelint.toml", "");
    repo.write("quay.go", text);
    let ledger = json(&repo, &[]);
    let rows = names(&ledger["rows"]);
    for name in ["berths list open", "free open"] {
        assert!(rows.iter().any(|row| row == name), "{rows:?}");
    }
    assert!(!rows.iter().any(|row| row.contains("quay")), "{rows:?}");
}

#[test]
fn revisions_tell_what_they_changed() {
    let repo = storied();
    let history = json(&repo, &["--history", "--no-cache"])["history"].clone();
    assert_eq!(history["revisions"].as_array().expect("a list").len(), 4);
    let expected = [
        vec!["added list_cows", "added list_goats"],
        vec!["removed list_goats"],
        vec!["added list_goats"],
    ];
    assert_eq!(changes(&history["events"]), expected);
    let last = json(&repo, &["--history=HEAD~2..", "--no-cache"])["history"].clone();
    assert_eq!(last["revisions"].as_array().expect("a list").len(), 2);
    let few = json(&repo, &["--history", "--every", "3", "--no-cache"])["history"].clone();
    assert_eq!(few["revisions"].as_array().expect("a list").len(), 2);
    // What was there before a range is not new in it.
    assert_eq!(changes(&last["events"]), [vec!["added list_goats"]]);
    // What is shown is the end of the range, by way of the git directory as well.
    let older = json(&repo, &["--history=HEAD~1", "--no-cache"]);
    assert_eq!(names(&older["rows"]), ["list_cows open"]);
    let bare = json(&repo, &["--git-dir", ".git", "--history=HEAD~1", "--no-cache"]);
    assert_eq!(bare["rows"], older["rows"]);
    // A range may be a word of its own, be there paths or not.
    assert_eq!(json(&repo, &["--history", "HEAD~2..", "--no-cache"])["history"], last);
    assert_eq!(json(&repo, &[".", "--history", "HEAD~2..", "--no-cache"])["history"], last);
    repo.git(&["tag", "shown", "HEAD~1"]);
    let tagged = json(&repo, &["--history", "shown", "--no-cache"])["history"].clone();
    assert_eq!(tagged["revisions"].as_array().expect("a list").len(), 3);
    let compared = json(&repo, &["--compare", "HEAD~1"])["compare"].clone();
    assert_eq!(changes(&serde_json::json!([compared])), [vec!["added list_goats"]]);
}

#[test]
fn a_word_behind_history_is_a_path_where_there_is_one() {
    let repo = storied();
    repo.git(&["tag", "barn.gd", "HEAD~1"]);
    let history = json(&repo, &["--history", "barn.gd", "--no-cache"])["history"].clone();
    assert_eq!(history["revisions"].as_array().expect("a list").len(), 4, "all that lead to HEAD");
    for (word, said) in [
        ("../elsewhere", "`../elsewhere` is neither a path nor a revision"),
        ("yesterday", "a range is written --history=A..B"),
        ("HEAD..yesterday", "there is no revision `yesterday`"),
    ] {
        let ran = repo.lint(&["progress", "--history", word, "--no-cache"]);
        assert_eq!(ran.status, 2, "{word}: {}", ran.out);
        assert!(ran.err.contains(said), "{}", ran.err);
    }
}

#[test]
fn the_cache_is_found_by_content_and_never_believed_when_damaged() {
    let repo = storied();
    let first = json(&repo, &["--history"]);
    let dir = repo.tree.at(".pagelint_cache/ledgers");
    let entries = || -> Vec<_> {
        let files = std::fs::read_dir(&dir).expect("it was made");
        files.map(|file| file.expect("a file").path()).collect()
    };
    assert_eq!(entries().len(), 2, "four revisions have two contents");
    let ran = repo.lint(&["progress", "--history"]);
    assert!(ran.err.contains("2 of them remembered, 0 files lowered"), "{}", ran.err);
    assert!(repo.git(&["status", "--porcelain"]).is_empty(), "version control does not see it");
    for entry in entries() {
        let text = std::fs::read_to_string(&entry).expect("text");
        std::fs::write(&entry, text.replace("list_cows", "list_cats")).expect("it can be written");
    }
    assert_eq!(json(&repo, &["--history"]), first);
    let text = repo.read("pagelint.toml");
    repo.write("pagelint.toml", &format!("{text}legacy-field = \"off\"\n"));
    let ran = repo.lint(&["progress", "--history"]);
    assert!(ran.err.contains("0 of them remembered"), "{}", ran.err);
}

#[test]
fn formats_say_the_same() {
    let repo = storied();
    for (format, words) in [
        ("table", &["list_cows", "0 of 2 done"][..]),
        ("markdown", &["list\\_cows", "### Migration: 0 of 2 done (0 %)"]),
        ("csv", &["name,kind,", "\r\nlist_cows,function,"]),
        ("html", &["<!doctype html>", "list_cows", "<svg"]),
        ("svg", &["<svg ", "class=\"chart\"", "</svg>"]),
        ("badge", &["0 % (0/2)"]),
    ] {
        let ran = repo.lint(&["progress", "--history", "--no-cache", "--format", format]);
        assert_eq!(ran.status, 0, "{format}: {}", ran.err);
        for word in words {
            assert!(ran.out.contains(word), "{format} lacks {word}: {}", ran.out);
        }
    }
}

#[test]
fn a_file_s_name_says_its_format() {
    let repo = storied();
    for (name, word) in
        [("a.html", "<!doctype html>"), ("a.md", "### Migration"), ("a.svg", "<svg ")]
    {
        let ran = repo.lint(&["progress", "--output", name]);
        assert_eq!(ran.status, 0, "{name}: {}", ran.err);
        assert!(repo.read(name).contains(word), "{name}: {}", repo.read(name));
    }
    let ran = repo.lint(&["progress", "--output", "a.out"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("--format"), "{}", ran.err);
    assert!(!repo.tree.at("a.out").exists(), "nothing is written");
    let ran = repo.lint(&["progress", "--output", "a.out", "--format", "csv"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
}

#[test]
fn an_address_with_an_unknown_part_is_refused() {
    let repo = storied();
    let ran = repo.lint(&["progress", "--link", "https://x.example/{file}#L{line}"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("{file}") && ran.err.contains("{path}"), "{}", ran.err);
    let known = "https://x.example/{revision}/{path}#L{line}?a={}";
    assert_eq!(repo.lint(&["progress", "--link", known]).status, 0);
}

#[test]
fn ranges_without_revisions_are_told() {
    let repo = storied();
    for (range, word) in [("HEAD..HEAD~1", "no revision"), ("HEAD~1...HEAD", "A..B")] {
        let ran = repo.lint(&["progress", "--no-cache", &format!("--history={range}")]);
        assert_eq!(ran.status, 2, "{range}: {}", ran.out);
        assert!(ran.err.contains(word), "{range}: {}", ran.err);
    }
}
