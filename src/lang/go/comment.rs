//! Text to comments, by Go's lexical rules alone.
//!
//! Must not know the tree: comments hide anywhere in it, and a scan of the bytes is faster.

use crate::ir::{Comment, Range};

/// The comments of a text in source order.
pub(super) fn comments(text: &str) -> Vec<Comment> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut line_is_blank = true;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let next = bytes.get(at + 1).copied();
        let end = match (byte, next) {
            (b'/', Some(b'/')) => {
                let end = find(bytes, at, |b| b == b'\n');
                let end = if bytes[end - 1] == b'\r' { end - 1 } else { end };
                push(&mut found, text, at, end, end, line_is_blank);
                end
            }
            (b'/', Some(b'*')) => {
                let close = text.get(at + 2..).and_then(|rest| rest.find("*/"));
                let inner = close.map_or(bytes.len(), |n| at + 2 + n);
                let end = (inner + 2).min(bytes.len());
                push(&mut found, text, at, inner, end, line_is_blank);
                end
            }
            (b'"' | b'\'', _) => quoted(bytes, at),
            (b'`', _) => (find(bytes, at + 1, |b| b == b'`') + 1).min(bytes.len()),
            _ => at + 1,
        };
        line_is_blank = match byte {
            b'\n' => true,
            b' ' | b'\t' | b'\r' => line_is_blank,
            _ => false,
        };
        at = end;
    }
    found
}

/// Whether a comment before the first declaration says that the file is generated.
pub(super) fn generated(comments: &[Comment], first_declaration: u32) -> bool {
    comments.iter().take_while(|c| c.range.start < first_declaration).any(|c| {
        c.own_line && c.text.starts_with(" Code generated ") && c.text.ends_with(" DO NOT EDIT.")
    })
}

fn push(
    found: &mut Vec<Comment>,
    text: &str,
    start: usize,
    inner: usize,
    end: usize,
    own_line: bool,
) {
    found.push(Comment {
        text: text.get(start + 2..inner).unwrap_or("").into(),
        own_line,
        range: Range { start: start as u32, end: end as u32 },
    });
}

/// First place from `at` on where a byte fits, or the end.
fn find(bytes: &[u8], at: usize, fits: impl Fn(u8) -> bool) -> usize {
    bytes
        .get(at..)
        .and_then(|rest| rest.iter().position(|b| fits(*b)))
        .map_or(bytes.len(), |n| at + n)
}

/// One past a literal that opens at `at`; a line end closes it in any case.
fn quoted(bytes: &[u8], at: usize) -> usize {
    let quote = bytes[at];
    let mut i = at + 1;
    while let Some(&byte) = bytes.get(i) {
        match byte {
            b'\\' => i += 1,
            b'\n' => return i,
            _ if byte == quote => return i + 1,
            _ => {}
        }
        i += 1;
    }
    bytes.len()
}
