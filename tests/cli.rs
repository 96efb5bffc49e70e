//! Plays the transcripts in `fixtures/cli` and compares what the program prints.
//!
//! A transcript makes its own files and then runs commands:
//!
//! ```text
//! === path/of/a/file
//! its text
//! === path/of/another (escaped)
//! bytes as \xff
//! === run
//! $ pagelint check .
//! what it prints, standard error last
//! [exit 0]
//! ```
//!
//! `$ cd DIR && pagelint …` and `$ NAME=value pagelint …` do what they do in a shell.
//! `UPDATE_EXPECT=1 cargo test` rewrites what is printed; read the difference.

#![allow(clippy::disallowed_methods)]

mod support;

use std::fs;
use std::process::{Command, Stdio};

use support::{files_in, Tree};

#[test]
fn transcripts() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let only = std::env::var("PAGELINT_ONLY").unwrap_or_default();
    let mut wrong = Vec::new();
    let transcripts = files_in("fixtures/cli", ".txt");
    assert!(!transcripts.is_empty(), "there are no transcripts");
    for path in transcripts {
        if !path.to_string_lossy().contains(&only) {
            continue;
        }
        let expected =
            fs::read_to_string(&path).expect("transcripts are text").replace("\r\n", "\n");
        let actual = play(&expected);
        if actual != expected {
            if update {
                fs::write(&path, &actual).expect("the transcript can be rewritten");
            } else {
                let difference = first_difference(&expected, &actual);
                wrong.push(format!("{}:{difference}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\nUPDATE_EXPECT=1 cargo test rewrites them", wrong.join("\n"));
}

/// Makes the files, runs the commands, gives the transcript as it should be.
fn play(transcript: &str) -> String {
    let (setup, session) = transcript.split_once("=== run\n").expect("a transcript has `=== run`");
    let tree = Tree::new();
    for block in setup.split("=== ").skip(1) {
        let (name, text) = block.split_once('\n').expect("a file's name ends its line");
        match name.strip_suffix(" (escaped)") {
            Some(name) => tree.write(name, &unescape(text)),
            None => tree.write(name, text.as_bytes()),
        }
    }
    let mut out = format!("{setup}=== run\n");
    for line in session.lines().filter(|line| line.starts_with("$ ")) {
        out.push_str(line);
        out.push('\n');
        out.push_str(&run(&tree, &line[2..]));
    }
    out
}

fn run(tree: &Tree, line: &str) -> String {
    let (dir, line) = match line.strip_prefix("cd ").and_then(|rest| rest.split_once(" && ")) {
        Some((dir, line)) => (tree.at(dir), line),
        None => (tree.root.clone(), line),
    };
    let mut words = line.split_whitespace().peekable();
    let mut command = Command::new(env!("CARGO_BIN_EXE_pagelint"));
    command.current_dir(dir).env_clear().env("LC_ALL", "C.UTF-8").stdin(Stdio::null());
    while let Some((name, value)) = words.peek().and_then(|word| word.split_once('=')) {
        command.env(name, value);
        words.next();
    }
    assert_eq!(words.next(), Some("pagelint"), "transcripts run pagelint: {line}");
    let output = command.args(words).output().expect("the program starts");
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    let mut text = text.replace(&*tree.root.to_string_lossy(), "[ROOT]").replace('\u{1b}', "\\e");
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str("(no line end)\n");
    }
    match output.status.code() {
        Some(code) => format!("{text}[exit {code}]\n"),
        None => format!("{text}[killed]\n"),
    }
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\\x") {
        bytes.extend(before.as_bytes());
        let digits = after.get(..2).expect("two digits follow \\x");
        bytes.push(u8::from_str_radix(digits, 16).expect("two hexadecimal digits follow \\x"));
        rest = &after[2..];
    }
    bytes.extend(rest.as_bytes());
    bytes
}

fn first_difference(expected: &str, actual: &str) -> String {
    let count = expected.lines().zip(actual.lines()).take_while(|(a, b)| a == b).count();
    let line = |text: &str| text.lines().nth(count).unwrap_or("(end)").to_string();
    format!("{}\n  expected: {}\n  actual:   {}", count + 1, line(expected), line(actual))
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_fault() {
    for arguments in [&["rules"][..], &["--help"], &["schema", "config"]] {
        let (reader, writer) = std::io::pipe().expect("pipes can be made");
        drop(reader);
        let status = Command::new(env!("CARGO_BIN_EXE_pagelint"))
            .args(arguments)
            .stdout(writer)
            .status()
            .expect("the program starts");
        assert_eq!(status.code(), Some(0), "{arguments:?}");
    }
}
