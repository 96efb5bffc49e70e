//! The ledger, a comparison or a history in a format; formats write to the writer they are given.
//!
//! Knows no terminal and no repository.

pub mod badge;
pub mod chart;
mod csv;
mod html;
mod json;
mod list;
mod markdown;
mod table;
mod words;

use std::io::{self, Write};
use std::path::Path;

use super::compare::Change;
use super::history::History;
use super::ledger::Ledger;

/// What is to be shown.
pub struct Shown<'a> {
    /// The ledger.
    pub ledger: &'a Ledger,
    /// What changed since another revision, with that revision's name.
    pub changes: Option<(&'a str, &'a [Change])>,
    /// What happened over time.
    pub history: Option<&'a History>,
    /// The name of what was analysed.
    pub title: &'a str,
    /// How a line is reached: `{path}`, `{line}` and `{revision}` are filled in.
    pub link: &'a str,
    /// The revision that links lead to.
    pub revision: &'a str,
    /// The day of the report.
    pub today: String,
    /// Characters in a line of the terminal, if it goes to one.
    pub width: Option<usize>,
    /// Whether to colour text.
    pub colour: bool,
}

impl Shown<'_> {
    /// Where a line can be read.
    pub fn url(&self, path: &str, line: u32) -> String {
        let path: String = path.bytes().map(quoted).collect();
        let text =
            self.link.replace("{revision}", self.revision).replace("{line}", &line.to_string());
        text.replace("{path}", &path)
    }
}

/// A byte of a path as addresses write it.
fn quoted(byte: u8) -> String {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' | b'+' => {
            char::from(byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    }
}

/// A way to write it.
pub struct Format {
    /// Its id, as given to `--format`.
    pub id: &'static str,
    /// How names of its files end.
    pub extension: &'static str,
    /// What it is for.
    pub help: &'static str,
    /// Writes it.
    pub render: fn(&Shown<'_>, &mut dyn Write) -> io::Result<()>,
}

/// All formats; the first is the default.
pub const FORMATS: &[Format] = &[
    Format { id: "table", extension: "txt", help: "for a terminal", render: table::render },
    Format {
        id: "markdown",
        extension: "md",
        help: "for a comment on a pull request",
        render: markdown::render,
    },
    Format {
        id: "json",
        extension: "json",
        help: "everything, for programs",
        render: json::render,
    },
    Format {
        id: "csv",
        extension: "csv",
        help: "one line a row, for spreadsheets",
        render: csv::render,
    },
    Format {
        id: "html",
        extension: "html",
        help: "one page that needs nothing else",
        render: html::render,
    },
    Format {
        id: "svg",
        extension: "svg",
        help: "the chart of --history; without it the badge",
        render: chart::render,
    },
    Format {
        id: "badge",
        extension: "",
        help: "an SVG badge with the share that is done",
        render: badge::render,
    },
];

/// The parts of an address that are filled in.
const PARTS: [&str; 3] = ["{path}", "{line}", "{revision}"];

/// A part of an address that would stay as it is: a word in braces that means nothing.
pub fn unknown_part(link: &str) -> Option<&str> {
    let ends = |from: usize| link[from..].find('}').map(|at| &link[from..=from + at]);
    let parts = link.match_indices('{').filter_map(|(from, _)| ends(from));
    let word =
        |part: &&str| part.len() > 2 && part[1..part.len() - 1].chars().all(char::is_alphanumeric);
    parts.filter(word).find(|part| !PARTS.contains(part))
}

/// A format by its id.
pub fn find(id: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.id == id)
}

/// The format that the ending of a file's name says.
pub fn of_file(path: &Path) -> Option<&'static Format> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    let extension = match extension.as_str() {
        "htm" => "html",
        "markdown" => "md",
        known => known,
    };
    FORMATS.iter().find(|format| format.extension == extension)
}
