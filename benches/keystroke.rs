//! Measures how soon after a keystroke an editor has fresh diagnostics; must not know how.
//!
//! `cargo bench --bench keystroke` makes a workspace of 700 files, one of them of 3,000 lines,
//! opens that one and types in it, sign by sign: remarks, statements, the ends of lines. It prints
//! the time from a `didChange` to the answer of a pull, three runs, beside a whole `check` of the
//! same files.
//! `PAGELINT_BENCH=DIR` types in the longest file of another workspace instead;
//! `PAGELINT_KEYS=N` types fewer signs.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

#[path = "../tests/support/editor.rs"]
mod editor;
#[path = "../tests/support/tree.rs"]
mod tree;
#[path = "support/workspace.rs"]
mod workspace;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use editor::Editor;
use pagelint::lang::LANGUAGES;
use pagelint::{check, config, diagnostics, discover};
use serde_json::json;
use tree::Tree;

const RUNS: usize = 3;
const KEYS: usize = 300;

/// How many keys are typed in a run.
fn keys() -> usize {
    std::env::var("PAGELINT_KEYS").ok().and_then(|n| n.parse().ok()).unwrap_or(KEYS)
}

fn main() {
    let made = Tree::new();
    let root = workspace::root(&made);
    let (whole, files, longest, lines) = whole(&root);
    println!("{files} files; the longest has {lines} lines");
    println!("check, read and analysed as a whole: {:.1} ms", ms(whole));
    let mut p99 = Vec::new();
    for run in 1..=RUNS {
        let (first, mut times) = session(&root, &longest);
        times.sort();
        let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
        p99.push(at(99));
        println!(
            "run {run}: first scan {:.1} ms; keystroke to diagnostics: median {:.1} ms, p90 {:.1} \
             ms, p99 {:.1} ms, worst {:.1} ms",
            ms(first),
            ms(at(50)),
            ms(at(90)),
            ms(at(99)),
            ms(at(100)),
        );
    }
    p99.sort();
    println!("p99, median of {RUNS} runs: {:.1} ms (wanted: 30 ms)", ms(p99[RUNS / 2]));
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// A whole run, the number of files, and the longest of them.
fn whole(root: &Path) -> (Duration, usize, PathBuf, usize) {
    let options = discover::Options {
        extensions: LANGUAGES.iter().flat_map(|l| l.extensions).copied().collect(),
        ..discover::Options::default()
    };
    let pool = rayon::ThreadPoolBuilder::new().stack_size(64 << 20).build().expect("threads start");
    let begun = Instant::now();
    let (sources, _) = pool
        .install(|| discover::discover(&[root.to_path_buf()], &options))
        .expect("the workspace is there");
    let (config, mut cache) = (config::Config::default(), check::Cache::default());
    let outcome = pool.install(|| check::check_with(&sources, &config, &mut cache));
    let time = begun.elapsed();
    println!("{} findings", outcome.report.findings.len());
    let begun = Instant::now();
    pool.install(|| check::check_with(&sources, &config, &mut cache));
    println!("the same with every file lowered already: {:.1} ms", ms(begun.elapsed()));
    let lines = |text: &str| text.lines().count();
    let longest = sources.files.iter().max_by_key(|file| lines(&file.text)).expect("it has files");
    (time, sources.files.len(), sources.root.join(&longest.path), lines(&longest.text))
}

/// One editor: the time of the first scan, and of each keystroke.
fn session(root: &Path, file: &Path) -> (Duration, Vec<Duration>) {
    let uri = diagnostics::uri::from_path(file).as_str().to_string();
    let mut text = std::fs::read_to_string(file).expect("it is text");
    let begun = Instant::now();
    let can = json!({ "textDocument": { "diagnostic": {} } });
    let mut editor = Editor::open_folder(root, can, json!({}));
    editor.open(&uri, &text);
    let pull = json!({ "textDocument": { "uri": uri } });
    editor.request("textDocument/diagnostic", pull.clone());
    let first = begun.elapsed();
    let mut times = Vec::new();
    let mut typist = Typist { seed: 0x9e37_79b9_7f4a_7c15, edits: VecDeque::new() };
    for key in 0..keys() {
        let lines: Vec<&str> = text.lines().collect();
        let edit = typist.next(&lines);
        let place =
            |(line, character): (usize, usize)| json!({ "line": line, "character": character });
        let range = json!({ "start": place(edit.from), "end": place(edit.to) });
        let change = json!({ "range": range, "text": edit.text });
        text = apply(&lines, &edit);
        let document = json!({ "uri": uri, "version": key + 2 });
        let begun = Instant::now();
        editor.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": [change] }),
        );
        editor.request("textDocument/diagnostic", pull.clone());
        times.push(begun.elapsed());
        // A person needs some time for the next key.
        std::thread::sleep(Duration::from_millis(5));
    }
    editor.close();
    (first, times)
}

/// One key: what is replaced, by 0-based line and UTF-16 column, and with what.
struct Edit {
    from: (usize, usize),
    to: (usize, usize),
    text: String,
}

/// Somebody who writes a remark behind a line and takes it back, writes a statement on a line of
/// its own and deletes the line, takes the end of a line away and types it again; sign by sign,
/// each time at another place.
struct Typist {
    seed: u64,
    edits: VecDeque<Edit>,
}

impl Typist {
    fn next(&mut self, lines: &[&str]) -> Edit {
        loop {
            if let Some(edit) = self.edits.pop_front() {
                return edit;
            }
            self.think_of(lines);
        }
    }

    fn think_of(&mut self, lines: &[&str]) {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let line = (self.seed >> 33) as usize % lines.len();
        let units = |text: &str| text.encode_utf16().count();
        let end = units(lines[line]);
        match (self.seed >> 20) % 3 {
            0 => {
                let remark = "  # note";
                self.write(line, end, remark);
                (1..=remark.len()).rev().for_each(|left| self.erase(line, end + left));
            }
            1 => {
                let enter = Edit { from: (line, end), to: (line, end), text: "\n\t".to_string() };
                self.edits.push_back(enter);
                self.write(line + 1, 1, "var typed := limit + 1");
                let (from, to) = ((line, end), (line + 1, 1 + "var typed := limit + 1".len()));
                self.edits.push_back(Edit { from, to, text: String::new() });
            }
            _ => {
                let tail: String = lines[line].chars().rev().take(4).collect();
                let tail: String = tail.chars().rev().filter(char::is_ascii).collect();
                let start = end - tail.len().min(end);
                (start..end).rev().for_each(|at| self.erase(line, at + 1));
                self.write(line, start, &tail);
            }
        }
    }

    fn write(&mut self, line: usize, column: usize, text: &str) {
        for (at, sign) in (column..).zip(text.chars()) {
            let (from, to) = ((line, at), (line, at));
            self.edits.push_back(Edit { from, to, text: sign.to_string() });
        }
    }

    /// Takes the sign before a column away.
    fn erase(&mut self, line: usize, column: usize) {
        let (from, to) = ((line, column - 1), (line, column));
        self.edits.push_back(Edit { from, to, text: String::new() });
    }
}

/// The edit on this side of the wire.
fn apply(lines: &[&str], edit: &Edit) -> String {
    let mut out = String::new();
    for (index, line) in lines.iter().enumerate() {
        let units: Vec<u16> = line.encode_utf16().collect();
        if index < edit.from.0 || index > edit.to.0 {
            out.push_str(line);
        }
        if index == edit.from.0 {
            out.push_str(&String::from_utf16_lossy(&units[..edit.from.1]));
            out.push_str(&edit.text);
        }
        if index == edit.to.0 {
            out.push_str(&String::from_utf16_lossy(&units[edit.to.1..]));
        }
        if index < edit.from.0 || index >= edit.to.0 {
            out.push('\n');
        }
    }
    out
}
