//! Text to a text that the grammar reads as the engine does, byte for byte of the same length,
//! and the comments that were in it.
//!
//! The grammar lets comments take part in indentation: a comment-only line that is indented
//! less than its block ends the block in the tree, without an error. So comments are found here
//! and overwritten with spaces before the parser sees them. A few forms that the grammar does
//! not know are rewritten too. Must not know the tree.

use super::pieces;
use crate::ir::{Comment, Name, Range};

/// A text fit for parsing.
pub(super) struct Prepared {
    /// The text, plus a final newline; offsets are those of the original.
    pub text: String,
    /// The comments of the original.
    pub comments: Vec<Comment>,
    /// The lines that begin a statement of file scope, by their first bytes.
    pub outer: Vec<usize>,
}

/// From this many tabs on, the grammar's scanner loses count.
const TABS_TOO_MANY: u32 = 32;

/// Prepares a text.
pub(super) fn prepare(text: &str) -> Prepared {
    let mut scan = Scan::new(text, false);
    scan.run();
    if scan.deepest_tabs >= TABS_TOO_MANY && !scan.spaces_indent {
        scan = Scan::new(text, true);
        scan.run();
    }
    scan.out.push(b'\n');
    // Only whole characters are ever replaced, so this cannot fail; the original is the fallback.
    let prepared = String::from_utf8(scan.out).unwrap_or_else(|_| format!("{text}\n"));
    Prepared { text: prepared, comments: scan.comments, outer: scan.outer }
}

struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    out: Vec<u8>,
    comments: Vec<Comment>,
    outer: Vec<usize>,
    /// Open brackets, innermost last.
    brackets: Vec<u8>,
    /// Whether nothing but white space was seen on this line.
    line_blank: bool,
    /// Whether the last thing that is no white space was a string.
    after_string: bool,
    /// Turn each leading tab into one space.
    narrow: bool,
    deepest_tabs: u32,
    spaces_indent: bool,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str, narrow: bool) -> Self {
        let mut out = Vec::with_capacity(text.len() + 1);
        out.extend_from_slice(text.as_bytes());
        Scan {
            text,
            bytes: text.as_bytes(),
            out,
            comments: Vec::new(),
            outer: Vec::new(),
            brackets: Vec::new(),
            line_blank: true,
            after_string: false,
            narrow,
            deepest_tabs: 0,
            spaces_indent: false,
        }
    }

    fn run(&mut self) {
        let mut at = self.indentation(0);
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'\n' => {
                    self.line_blank = true;
                    at = self.indentation(at + 1);
                    continue;
                }
                b' ' | b'\t' | b'\r' => {
                    at += 1;
                    continue;
                }
                b'#' => {
                    at = self.comment(at);
                    continue;
                }
                b'"' | b'\'' => {
                    let Some(end) = string_end(self.bytes, at) else { return };
                    self.line_blank = false;
                    self.after_string = true;
                    at = end;
                    continue;
                }
                b'(' | b'[' | b'{' => self.brackets.push(byte),
                b')' | b']' | b'}' => {
                    self.brackets.pop();
                }
                b'$' => at = self.node_path(at),
                b'=' => self.string_key(at),
                0x80.. => at += self.wide(at),
                _ => {}
            }
            self.line_blank = false;
            self.after_string = false;
            at += 1;
        }
    }

    /// Passes the white space at the start of a line.
    fn indentation(&mut self, start: usize) -> usize {
        let mut at = start;
        let mut tabs = 0;
        while let Some(byte @ (b' ' | b'\t')) = self.bytes.get(at) {
            if *byte == b'\t' {
                tabs += 1;
                if self.narrow {
                    self.out[at] = b' ';
                }
            }
            at += 1;
        }
        let blank = matches!(self.bytes.get(at), None | Some(b'\n' | b'\r' | b'#'));
        if at == start && !blank && !self.goes_on(start) {
            // What is still open there was never closed.
            if pieces::begins_function(&self.bytes[start..]) {
                self.brackets.clear();
            }
            if self.brackets.is_empty() {
                self.outer.push(start);
            }
        }
        if !blank && self.brackets.is_empty() {
            self.spaces_indent |= at - start > tabs as usize;
        }
        self.deepest_tabs = self.deepest_tabs.max(tabs);
        at
    }

    /// Whether the line before says that it goes on here.
    fn goes_on(&self, start: usize) -> bool {
        let before = &self.bytes[..start];
        let before = before.strip_suffix(b"\n").unwrap_or(before);
        before.strip_suffix(b"\r").unwrap_or(before).ends_with(b"\\")
    }

    fn comment(&mut self, start: usize) -> usize {
        let line = &self.bytes[start..];
        let mut end = start + line.iter().position(|b| *b == b'\n').unwrap_or(line.len());
        let next = end;
        if self.bytes[start..end].ends_with(b"\r") {
            end -= 1;
        }
        self.out[start..end].fill(b' ');
        self.comments.push(Comment {
            text: Name::new(self.text.get(start + 1..end).unwrap_or("")),
            own_line: self.line_blank,
            range: Range { start: start as u32, end: end as u32 },
        });
        next
    }

    /// `$%Name` and `$A/%Name`, which the grammar does not know; gives the path's last byte.
    fn node_path(&mut self, dollar: usize) -> usize {
        let mut at = dollar + 1;
        if self.bytes.get(at) == Some(&b'%') {
            self.out[dollar] = b' ';
            return at;
        }
        while let Some(byte) = self.bytes.get(at) {
            match byte {
                b'/' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {}
                b'%' if self.bytes[at - 1] == b'/' => self.out[at] = b'_',
                _ => break,
            }
            at += 1;
        }
        at - 1
    }

    /// `{"key" = value}`: the grammar wants a colon after a quoted key.
    fn string_key(&mut self, at: usize) {
        let alone = self.bytes.get(at + 1) != Some(&b'=');
        if alone && self.after_string && self.brackets.last() == Some(&b'{') {
            self.out[at] = b':';
        }
    }

    /// A letter outside of ASCII becomes underscores; gives the number of its further bytes.
    fn wide(&mut self, at: usize) -> usize {
        let Some(letter) = self.text.get(at..).and_then(|t| t.chars().next()) else { return 0 };
        if letter.is_alphanumeric() {
            self.out[at..at + letter.len_utf8()].fill(b'_');
        }
        letter.len_utf8() - 1
    }
}

/// One past the closing quote of the string that opens at `start`; `None` when it never closes.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let quote = bytes[start];
    let triple = bytes.get(start + 1) == Some(&quote) && bytes.get(start + 2) == Some(&quote);
    if !triple && bytes.get(start + 1) == Some(&quote) {
        return Some(start + 2);
    }
    let mut at = start + if triple { 3 } else { 1 };
    loop {
        let byte = *bytes.get(at)?;
        if byte == b'\\' {
            // In raw strings a backslash still keeps a quote from closing.
            at += 2;
        } else if byte != quote {
            at += 1;
        } else if !triple {
            return Some(at + 1);
        } else if bytes.get(at + 1) == Some(&quote) && bytes.get(at + 2) == Some(&quote) {
            return Some(at + 3);
        } else {
            at += 1;
        }
    }
}
