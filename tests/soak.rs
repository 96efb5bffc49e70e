//! Edits buffers at random and compares what the server then says with a fresh run over the
//! same texts; must not know what a finding is.
//!
//! `PAGELINT_SOAK=20000 cargo test --test soak -- --nocapture` makes so many edits.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::time::Instant;

use pagelint::diagnostics::{self, uri};
use pagelint::lang::LANGUAGES;
use pagelint::positions::{Encoding, Lines};
use pagelint::{check, config, discover};
use serde_json::{json, Value};
use support::editor::Editor;
use support::{root, walk, Tree};

/// Edits where the environment does not say.
const FEW: usize = 300;
/// Edits between two comparisons.
const ROUND: usize = 25;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

struct Soak {
    tree: Tree,
    editor: Editor,
    random: Random,
    /// The texts of open buffers, as this side of the wire understands its own edits.
    open: BTreeMap<String, (i32, String)>,
    paths: Vec<String>,
    lines: Vec<String>,
}

#[test]
fn random_edits_leave_what_check_says() {
    let edits = std::env::var("PAGELINT_SOAK").ok().and_then(|n| n.parse().ok()).unwrap_or(FEW);
    let begun = Instant::now();
    let (mut compared, mut findings) = (0, 0);
    let projects = ["half-migrated", "mapper", "side-by-side"];
    for project in projects {
        let mut soak = Soak::new(project);
        for round in 0..(edits / projects.len()).div_ceil(ROUND) {
            for _ in 0..ROUND {
                soak.step();
            }
            findings += soak.compare(&format!("{project}, round {round}"));
            compared += 1;
        }
        assert!(soak.editor.close());
    }
    println!(
        "soak: {edits} edits, {compared} comparisons, {findings} diagnostics compared, \
         no difference, {:.1} s",
        begun.elapsed().as_secs_f64()
    );
    assert!(findings > 0, "there was nothing to compare");
}

impl Soak {
    fn new(project: &str) -> Soak {
        let folder = root().join("fixtures/projects").join(project);
        let tree = Tree::new();
        let (mut paths, mut lines) = (Vec::new(), vec!["\u{1f389} \u{e9}\r".to_string()]);
        for path in walk(&folder) {
            let inside = path.strip_prefix(&folder).expect("it lies there").to_string_lossy();
            let inside = inside.replace('\\', "/");
            let text = fs::read_to_string(&path).expect("fixtures are text");
            tree.write(&inside, text.as_bytes());
            if LANGUAGES.iter().any(|l| l.extensions.iter().any(|e| inside.ends_with(e))) {
                lines.extend(text.lines().map(str::to_string));
                paths.push(inside);
            }
        }
        let editor = Editor::open_folder(&tree.root, json!({}), json!({}));
        let random = Random(0x9e37_79b9_7f4a_7c15);
        Soak { tree, editor, random, open: BTreeMap::new(), paths, lines }
    }

    fn uri(&self, path: &str) -> String {
        uri::from_path(&self.tree.at(path)).as_str().to_string()
    }

    /// One change of the world: mostly edits, now and then a buffer or a file comes or goes.
    fn step(&mut self) {
        let index = self.random.below(self.paths.len());
        let path = self.paths[index].clone();
        match self.random.below(40) {
            0 => self.close(&path),
            1 => self.save(&path),
            2 if !self.open.contains_key(&path) => {
                let _ = fs::remove_file(self.tree.at(&path));
                self.watched(&path, 3);
            }
            _ => self.edit(&path),
        }
    }

    fn close(&mut self, path: &str) {
        if self.open.remove(path).is_some() {
            let document = json!({ "uri": self.uri(path) });
            self.editor.notify("textDocument/didClose", json!({ "textDocument": document }));
        }
    }

    fn save(&mut self, path: &str) {
        if let Some((_, text)) = self.open.get(path) {
            self.tree.write(path, text.as_bytes());
            self.watched(path, 2);
        }
    }

    fn watched(&self, path: &str, kind: i32) {
        let changes = json!([{ "uri": self.uri(path), "type": kind }]);
        self.editor.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes }));
    }

    fn edit(&mut self, path: &str) {
        let uri = self.uri(path);
        if !self.open.contains_key(path) {
            let text = fs::read_to_string(self.tree.at(path)).unwrap_or_default();
            self.editor.open(&uri, &text);
            self.open.insert(path.to_string(), (1, text));
        }
        let (line, inserted) = (self.random.below(120) as u32, self.inserted());
        let (version, text) = self.open.get_mut(path).expect("it was just opened");
        let lines = Lines::new(text);
        let random = &mut self.random;
        let (start, end) = match random.below(5) {
            // Typing in a line.
            0 => {
                let column = random.below(60) as u32;
                ((line, column), (line, column + random.below(4) as u32))
            }
            // Whole lines.
            1 | 2 => ((line, 0), (line + random.below(3) as u32, 0)),
            // Far outside.
            3 if random.below(20) == 0 => ((line + 9000, 7), (line, 100_000)),
            _ => ((line, 0), (line, 0)),
        };
        let offset = |(line, column): (u32, u32)| lines.offset(text, line, column, Encoding::Utf16);
        let (from, to) = (offset(start).min(offset(end)), offset(start).max(offset(end)));
        text.replace_range(from..to, &inserted);
        *version += 1;
        let place = |(line, character): (u32, u32)| json!({ "line": line, "character": character });
        let change = json!({
            "range": { "start": place(start), "end": place(end) },
            "text": inserted,
        });
        let document = json!({ "uri": uri, "version": *version });
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        self.editor.notify("textDocument/didChange", params);
    }

    /// A line of the project, a piece of one, a few signs, or nothing.
    fn inserted(&mut self) -> String {
        let line = self.lines[self.random.below(self.lines.len())].clone();
        match self.random.below(6) {
            0 => String::new(),
            1 => ["{", "}", "(", ")", "\"", "\n", "#", "\t", "x"][self.random.below(9)].to_string(),
            2 => line.chars().take(self.random.below(12)).collect(),
            _ => format!("{line}\n"),
        }
    }

    /// Compares what the server holds with a fresh run. Gives how many diagnostics there are.
    fn compare(&mut self, when: &str) -> usize {
        let fresh = Tree::new();
        for path in walk(&self.tree.root) {
            let inside = path.strip_prefix(&self.tree.root).expect("it lies there");
            let inside = inside.to_string_lossy().replace('\\', "/");
            fresh.write(&inside, &fs::read(&path).expect("it can be read"));
        }
        for (path, (_, text)) in &self.open {
            fresh.write(path, text.as_bytes());
        }
        let expected = run(&fresh);
        let answer =
            self.editor.request("workspace/diagnostic", json!({ "previousResultIds": [] }));
        let items = answer["result"]["items"].as_array().expect("it is a list");
        let base = uri::from_path(&self.tree.root).as_str().to_string();
        let pulled = items.iter().map(|item| (item["uri"].clone(), item["items"].clone()));
        let pulled = normal(pulled, &base);
        for (path, list) in &expected {
            assert_eq!(pulled.get(path), Some(list), "{when}: {path}");
        }
        for (path, list) in &pulled {
            assert!(list == &json!([]) || expected.contains_key(path), "{when}: {path} {list:#}");
        }
        // What was sent without asking is the same, for buffers that are open.
        let mut shown: BTreeMap<String, Value> = BTreeMap::new();
        for message in self.editor.seen.iter().filter(|m| m["method"] == PUBLISH) {
            let params = &message["params"];
            shown.insert(params["uri"].to_string(), params["diagnostics"].clone());
        }
        self.editor.seen.retain(|message| message["method"] == PUBLISH);
        for path in self.open.keys() {
            let sent = shown.get(&json!(self.uri(path)).to_string()).cloned();
            let sent =
                normal([(json!(self.uri(path)), sent.unwrap_or(json!([])))].into_iter(), &base);
            let none = json!([]);
            let wanted = expected.get(path).unwrap_or(&none);
            assert_eq!(sent.get(path), Some(wanted), "{when}: sent for {path}");
        }
        expected.values().map(|list| list.as_array().map_or(0, Vec::len)).sum()
    }
}

const PUBLISH: &str = "textDocument/publishDiagnostics";

/// A fresh run over a tree, as the format prints it.
fn run(tree: &Tree) -> BTreeMap<String, Value> {
    let options = discover::Options {
        extensions: LANGUAGES.iter().flat_map(|l| l.extensions).copied().collect(),
        ..discover::Options::default()
    };
    let found = discover::discover(std::slice::from_ref(&tree.root), &options);
    let (sources, problems) = found.expect("the tree is there");
    let pool = rayon::ThreadPoolBuilder::new().stack_size(64 << 20).build().expect("threads start");
    let mut report = pool.install(|| check::check(&sources, &config::Config::default())).report;
    report.problems.extend(problems);
    let messages = diagnostics::messages(&report, &sources, Encoding::Utf16);
    let base = uri::from_path(&tree.root).as_str().to_string();
    normal(messages.into_iter().map(|m| (json!(m.uri), json!(m.diagnostics))), &base)
}

/// Lists by path, without the names of the directories and without what the client did not ask
/// for.
fn normal(found: impl Iterator<Item = (Value, Value)>, base: &str) -> BTreeMap<String, Value> {
    found
        .map(|(uri, mut list)| {
            for diagnostic in list.as_array_mut().into_iter().flatten() {
                let _ = diagnostic.as_object_mut().map(|d| d.remove("relatedInformation"));
            }
            let uri = uri.as_str().unwrap_or_default();
            let path = uri.strip_prefix(base).unwrap_or(uri).trim_start_matches('/');
            (path.to_string(), list)
        })
        .collect()
}
