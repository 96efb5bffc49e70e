//! Files of records that are too large to be held, to findings and the little text that shows them.
//!
//! Never opens a file: lines are given to it.

use super::facts::{Place, Words};
use super::{kind, Captured, MAX_BYTES};
use crate::config::Config;
use crate::text::{FileId, Source, Sources};

/// One line of a stream.
#[derive(Debug)]
pub enum Line {
    /// Its bytes.
    Bytes(Vec<u8>),
    /// It is longer than [`MAX_BYTES`].
    TooLong,
    /// The stream cannot be read any further.
    Broken(String),
}

/// A file of records that is too large to be held.
pub struct Stream {
    /// Path relative to the workspace root.
    pub path: String,
    /// Whether findings of this file are asked for.
    pub reported: bool,
    /// Gives the next line, until there is none.
    pub next: Box<dyn FnMut() -> Option<Line> + Send>,
}

/// Reads a stream record by record. Of its text only the lines with findings are kept, the
/// others as empty lines; so lines and columns are right, and offsets count what was kept.
pub fn stream<'a>(
    stream: &mut Stream,
    sources: &mut Sources,
    config: &Config,
    words: Words<'a>,
) -> Captured<'a> {
    let file = FileId(sources.files.len() as u32);
    let mut source = Source {
        path: stream.path.clone(),
        text: "".into(),
        test: false,
        reported: stream.reported,
    };
    let kind = kind::of(&source, sources, config).flatten();
    let mut captured = Captured::new(&stream.path, kind, words);
    let (mut text, mut number, mut dropped) = (String::new(), 0u32, 0usize);
    while let Some(line) = (stream.next)() {
        number = number.saturating_add(1);
        let place = Place { file, base: text.len() as u32, passing: true };
        let before = captured.findings.len();
        match line {
            Line::Bytes(bytes) => match String::from_utf8(bytes) {
                Ok(line) => {
                    let line = line.trim_start_matches('\u{feff}').trim_end_matches(['\n', '\r']);
                    captured.record(number, line, &place);
                    if text.len() + line.len() > MAX_BYTES {
                        dropped += captured.findings.len() - before;
                        captured.findings.truncate(before);
                    } else if captured.findings.len() > before {
                        text.push_str(line);
                    }
                }
                Err(_) => {
                    captured.problem(Some(number), "not valid UTF-8; record it again".to_string())
                }
            },
            Line::TooLong => captured.problem(Some(number), too_large("this record")),
            Line::Broken(reason) => {
                captured.problem(Some(number), format!("cannot be read ({reason})"))
            }
        }
        text.push('\n');
    }
    captured.finish();
    if dropped > 0 {
        captured.faults = 0;
        captured.problem(
            None,
            format!("{dropped} more findings are not shown: mend the first ones and look again"),
        );
    }
    source.text = text.into();
    sources.files.push(source);
    captured
}

/// What to say of a document, or record, that is not read for its size.
pub fn too_large(what: &str) -> String {
    format!(
        "{what} is larger than {} MiB; split it into records, a line each",
        MAX_BYTES / (1024 * 1024)
    )
}
