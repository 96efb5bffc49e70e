//! The text of a baseline to what it says, and back.
//!
//! One sorted line each, so that a version control system can merge most changes by itself.

use super::{Baseline, Entry};

const HEAD: &str = "\
# Known findings, one a line, and the stage of each command; written by `pagelint baseline`.
# What is fixed has to leave: `pagelint check --update` removes it.
";
/// What stands for nothing, so that columns can be seen.
const NOTHING: &str = "-";

/// A line that says nothing that can be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// 1-based.
    pub line: usize,
    /// What is wrong.
    pub message: &'static str,
}

/// What is wrong with a file that git has merged in part.
pub const CONFLICT: &str = "it is the mark of a merge conflict";
/// The marks that git writes around the lines of two sides.
const MARKS: [&str; 4] = ["<<<<<<<", "=======", ">>>>>>>", "|||||||"];

/// A text with the marks of a merge conflict as one that holds the lines of both sides, and not
/// those that were there before both. Each line stays the line that it is.
pub fn both_sides(text: &str) -> String {
    let mut before = false;
    let keep = |line| match MARKS.iter().find(|mark| str::starts_with(line, **mark)) {
        Some(mark) => {
            before = *mark == "|||||||";
            ""
        }
        None if before => "",
        None => line,
    };
    text.lines().map(keep).collect::<Vec<&str>>().join("\n")
}

impl Baseline {
    /// Reads the text of a baseline.
    pub fn parse(text: &str) -> Result<Baseline, BadLine> {
        let mut baseline = Baseline::default();
        for (index, line) in text.lines().enumerate() {
            let bad = |message| BadLine { line: index + 1, message };
            let line = line.trim_end_matches('\r');
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if MARKS.iter().any(|mark| line.starts_with(mark)) {
                return Err(bad(CONFLICT));
            }
            let fields: Vec<&str> = line.split('\t').collect();
            match fields[..] {
                ["stage", command, stage] => {
                    baseline.stages.insert(unescape(command), unescape(stage));
                }
                ["finding", rule, path, function, commands, object, field, ordinal] => {
                    let number = |text: &str| text.parse().map_err(|_| bad("a number is missing"));
                    baseline.entries.insert(Entry {
                        rule: unescape(rule),
                        path: unescape(path),
                        function: unescape(function),
                        commands: list(commands),
                        object: number(object)?,
                        field: unescape(field),
                        ordinal: number(ordinal)?,
                    });
                }
                _ => return Err(bad("it is neither a finding nor a stage")),
            }
        }
        Ok(baseline)
    }

    /// The text of the baseline.
    pub fn text(&self) -> String {
        let findings = self.entries.iter().map(|entry| {
            let commands: Vec<String> =
                entry.commands.iter().map(|name| escape(name).replace(',', "\\c")).collect();
            let commands =
                if commands.is_empty() { NOTHING.to_string() } else { commands.join(",") };
            format!(
                "finding\t{}\t{}\t{}\t{commands}\t{}\t{}\t{}\n",
                escape(&entry.rule),
                escape(&entry.path),
                escape(&entry.function),
                entry.object,
                escape(&entry.field),
                entry.ordinal
            )
        });
        let stages = self
            .stages
            .iter()
            .map(|(command, stage)| format!("stage\t{}\t{}\n", escape(command), escape(stage)));
        let mut lines: Vec<String> = findings.chain(stages).collect();
        lines.sort();
        format!("{HEAD}{}", lines.concat())
    }
}

fn escape(text: &str) -> String {
    match text {
        "" => return NOTHING.to_string(),
        NOTHING => return "\\-".to_string(),
        _ => {}
    }
    let escaped = text.chars().map(|c| match c {
        '\\' => "\\\\".to_string(),
        '\t' => "\\t".to_string(),
        '\n' => "\\n".to_string(),
        '\r' => "\\r".to_string(),
        c => c.to_string(),
    });
    escaped.collect()
}

fn unescape(text: &str) -> String {
    if text == NOTHING {
        return String::new();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('t') => out.push('\t'),
                Some('n') => out.push('\n'),
                Some('r') => out.push('\r'),
                Some('c') => out.push(','),
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            (c, false) => out.push(c),
        }
    }
    out
}

fn list(text: &str) -> Vec<String> {
    match text {
        NOTHING => Vec::new(),
        text => text.split(',').map(unescape).collect(),
    }
}
