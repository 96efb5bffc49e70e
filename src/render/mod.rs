//! The table of formats: a report to text or JSON.
//!
//! Formats write to the writer they are given; none knows a terminal, a file or an exit status.

mod address;
mod agent;
mod checkstyle;
mod coverage;
pub mod excerpt;
mod github;
mod gitlab;
mod human;
mod json;
mod junit;
mod lsp;
mod page;
mod rdjson;
mod sarif;
mod shapes;
mod short;
mod visible;

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::report::{Level, Report};
use crate::text::{FileId, LineIndex, Position, Sources};

pub use coverage::{coverage_json, coverage_text, percent_text};
pub use github::step_summary;
pub use page::{page, rules_table};
pub use shapes::{shapes_json, shapes_text};
pub use visible::visible;

/// How text should look where it goes.
#[derive(Clone, Debug)]
pub struct Style {
    /// Whether to use colours.
    pub colour: bool,
    /// Whether the reader sees more than ASCII.
    pub unicode: bool,
    /// Characters in a line.
    pub width: usize,
    /// Whether that is the width of a terminal.
    pub terminal: bool,
    /// What stands before a path so that the reader can follow it from where they are:
    /// empty, `sub/dir/` or `../`.
    pub prefix: String,
    /// What to take off the front of a path for the same reason.
    pub strip: String,
    /// Whether to leave out everything but findings.
    pub quiet: bool,
}

impl Default for Style {
    fn default() -> Self {
        Style {
            colour: false,
            unicode: true,
            width: 100,
            terminal: false,
            prefix: String::new(),
            strip: String::new(),
            quiet: false,
        }
    }
}

impl Style {
    /// A path of the workspace as the reader should see it.
    pub fn path(&self, path: &str) -> String {
        if path.is_empty() {
            return String::new();
        }
        let path = match path.strip_prefix(self.strip.as_str()) {
            Some(rest) => rest.to_string(),
            None => format!("{}{path}", "../".repeat(self.strip.matches('/').count())),
        };
        visible(&format!("{}{path}", self.prefix)).into_owned()
    }

    /// Text in an ANSI style, or plain.
    fn paint(&self, code: &str, text: &str) -> String {
        if self.colour && !text.is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_string()
        }
    }

    fn paint_level(&self, level: Level, text: &str) -> String {
        let code = match level {
            Level::Error => "1;31",
            Level::Warning => "1;33",
            Level::Note | Level::Off => "1;36",
        };
        self.paint(code, text)
    }
}

/// A way to write a report.
pub struct Format {
    /// Its id, as given to `--format`.
    pub id: &'static str,
    /// What it is for.
    pub help: &'static str,
    /// Writes the report.
    pub render: fn(&Report, &Sources, &Style, &mut dyn Write) -> io::Result<()>,
}

/// All formats; the first is the default.
pub const FORMATS: &[Format] = &[
    Format { id: "human", help: "source excerpts, for reading", render: human::render },
    Format { id: "short", help: "one line a finding, for editors and grep", render: short::render },
    Format { id: "json", help: "everything, for programs", render: json::render },
    Format { id: "sarif", help: "SARIF 2.1.0, for code scanning", render: sarif::render },
    Format { id: "github", help: "GitHub workflow annotations", render: github::render },
    Format { id: "gitlab", help: "GitLab code quality", render: gitlab::render },
    Format { id: "junit", help: "JUnit XML", render: junit::render },
    Format { id: "checkstyle", help: "Checkstyle XML", render: checkstyle::render },
    Format { id: "rdjson", help: "reviewdog diagnostics", render: rdjson::render },
    Format { id: "lsp", help: "what a language server would publish", render: lsp::render },
    Format { id: "agent", help: "short paragraphs, for coding agents", render: agent::render },
];

/// Turns bytes into places, indexing each file once.
struct Places<'a> {
    sources: &'a Sources,
    indexes: BTreeMap<FileId, LineIndex>,
}

impl<'a> Places<'a> {
    fn new(sources: &'a Sources) -> Self {
        Places { sources, indexes: BTreeMap::new() }
    }

    fn index(&mut self, file: FileId) -> &LineIndex {
        let text = &self.sources.get(file).text;
        self.indexes.entry(file).or_insert_with(|| LineIndex::new(text))
    }

    fn position(&mut self, file: FileId, offset: u32) -> Position {
        let sources = self.sources;
        self.index(file).position(&sources.get(file).text, offset)
    }

    /// `path:line:column` of a byte.
    fn place(&mut self, file: FileId, offset: u32, style: &Style) -> String {
        let at = self.position(file, offset);
        format!("{}:{}:{}", style.path(&self.sources.get(file).path), at.line, at.column)
    }
}

/// `1 file`, `2 files`.
fn counted(count: usize, word: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {word}{plural}")
}

/// Breaks text at spaces; a longer word keeps a line of its own.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            lines.push(String::new());
            used = 0;
        }
        if let Some(line) = lines.last_mut() {
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            line.push_str(word);
        }
        used += length;
    }
    lines
}

#[cfg(test)]
mod tests;
