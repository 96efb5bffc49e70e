//! Files, bytes, lines and columns: where a thing stands in a text.
//!
//! Knows nothing of languages, disks or terminals.

use std::path::PathBuf;
use std::sync::Arc;

/// Identifies one file of a [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

impl FileId {
    /// No file of the workspace: text that comes with the program.
    pub const NOWHERE: FileId = FileId(u32::MAX);
}

/// A byte range in one file; `end` is exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Whether `other` lies wholly inside this span of the same file.
    pub fn contains(&self, other: Span) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }
}

/// One file: where it is and what it says.
#[derive(Clone, Debug)]
pub struct Source {
    /// Path relative to the workspace root, with `/`.
    pub path: String,
    /// The text, decoded; byte offsets refer to it.
    pub text: Arc<str>,
    /// Whether the file is a test (`test/`, `tests/`, `*_test.*`).
    pub test: bool,
    /// Whether findings of this file are asked for; context files are read but not reported.
    pub reported: bool,
}

/// A virtual root: import targets that begin with `prefix` lie below `dir`.
///
/// `res://` of a Godot project, the module path of a `go.mod`, a path alias of a `tsconfig.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Text that an import target starts with, for instance `res://`.
    pub prefix: String,
    /// Directory relative to the workspace root, without a trailing `/`; empty for the root.
    pub dir: String,
}

/// All files of a run, by [`FileId`].
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Absolute path of the workspace root.
    pub root: PathBuf,
    /// The files, in path order.
    pub files: Vec<Source>,
    /// The virtual roots of the workspace.
    pub mounts: Vec<Mount>,
}

impl Sources {
    /// The file of an id.
    pub fn get(&self, id: FileId) -> &Source {
        &self.files[id.0 as usize]
    }

    /// Every file with its id.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &Source)> {
        self.files.iter().enumerate().map(|(i, s)| (FileId(i as u32), s))
    }

    /// The text of a span; empty when the span does not fit the text.
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
}

/// A place a person can read: 1-based line, 1-based column in characters, byte offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// 1-based line.
    pub line: u32,
    /// 1-based column, counted in characters (Unicode scalar values).
    pub column: u32,
    /// 0-based byte offset.
    pub offset: u32,
}

/// Where the lines of one text begin; turns bytes into lines and columns.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
    /// Characters before each block of a text with a long line; empty where no line is long.
    blocks: Vec<u32>,
}

/// Bytes of a line that are counted anew for each place in it.
const BLOCK: usize = 4096;

impl LineIndex {
    /// Indexes a text. Lines end at `\n`; a `\r` before it belongs to the line.
    pub fn new(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(
            text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1),
        );
        let ends = starts.iter().skip(1).copied().chain([text.len() as u32]);
        let long = ends.zip(&starts).any(|(end, start)| (end - start) as usize > BLOCK);
        let mut blocks = Vec::new();
        if long {
            let mut count = 0;
            for block in text.as_bytes().chunks(BLOCK) {
                blocks.push(count);
                count += characters(block);
            }
            blocks.push(count);
        }
        LineIndex { starts, blocks }
    }

    /// Number of lines.
    pub fn len(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Never true: even an empty text has one line.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The 0-based line that holds a byte.
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|s| *s <= offset) as u32 - 1
    }

    /// The first byte of a 0-based line, if there is such a line.
    pub fn start(&self, line: u32) -> Option<u32> {
        self.starts.get(line as usize).copied()
    }

    /// The place of a byte of `text`, which must be the indexed text.
    /// An offset inside a character counts as that character's start.
    pub fn position(&self, text: &str, offset: u32) -> Position {
        let offset = offset.min(text.len() as u32);
        let line = self.line(offset);
        let start = self.starts[line as usize] as usize;
        let mut at = offset as usize;
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let column = match self.blocks.is_empty() {
            true => characters(&text.as_bytes()[start..at]),
            false => self.before(text, at) - self.before(text, start),
        };
        Position { line: line + 1, column: column + 1, offset }
    }

    /// Characters before a byte of a text with a long line.
    fn before(&self, text: &str, at: usize) -> u32 {
        let block = at / BLOCK;
        self.blocks[block] + characters(&text.as_bytes()[block * BLOCK..at])
    }
}

/// How many characters begin in some bytes.
fn characters(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u32
}

#[cfg(test)]
mod tests {
    use super::LineIndex;

    #[test]
    fn places_in_long_lines_are_those_that_counting_gives() {
        let long: String = (0..9000).map(|i| ['a', 'é', '𝒳', '\t'][i % 4]).collect();
        for text in [format!("ab\n{long}\r\nz{long}"), long.clone(), String::new()] {
            let index = LineIndex::new(&text);
            for offset in (0..=text.len() + 3).step_by(7) {
                let before = &text[..text.floor_char_boundary(offset.min(text.len()))];
                let line = before.rsplit('\n').next().unwrap_or_default();
                let at = index.position(&text, offset as u32);
                let expected = (before.matches('\n').count() + 1, line.chars().count() + 1);
                assert_eq!((at.line as usize, at.column as usize), expected, "{offset}");
            }
        }
    }
}
