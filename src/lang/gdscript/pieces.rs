//! A text to the pieces that lower on their own: each function or inner class of a file, and what
//! stands between two of them.
//!
//! A mistake in one piece says nothing about the next, and an edit makes one piece new. Sees
//! lines, not syntax.

use std::ops::Range;

use super::repair::Prepared;

/// A text with a piece for less than this many bytes is not cut: it is no ordinary source.
const LEAST_BYTES: usize = 32;

/// The pieces of a text, in order and without gaps.
pub(super) fn cut(prepared: &Prepared) -> Vec<Range<usize>> {
    let text = &prepared.text;
    let mut cuts = vec![0];
    let mut in_function = false;
    for start in &prepared.outer {
        let function = begins_function(&text.as_bytes()[*start..]);
        if (function || in_function) && *start > 0 {
            cuts.push(*start);
        }
        in_function = function;
    }
    if cuts.len() > text.len() / LEAST_BYTES {
        cuts.truncate(1);
    }
    let ends = cuts.iter().skip(1).copied().chain([text.len()]);
    cuts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// Whether a line at the margin begins a function or an inner class.
pub(super) fn begins_function(line: &[u8]) -> bool {
    ["func ", "static func ", "class "].iter().any(|word| line.starts_with(word.as_bytes()))
}
