//! `text % values` as the parts that it puts together.
//!
//! Must not know what the text is for.

use super::value;
use crate::ir::{Name, Value, ValueKind};

/// A template and its values: a list on the right holds one value for each place.
pub(super) fn fill(left: Value, right: Value) -> Vec<Value> {
    let filled = match right.kind {
        ValueKind::List(parts) => parts,
        _ => vec![right],
    };
    let ValueKind::Str(text) = &left.kind else {
        return std::iter::once(left).chain(filled).collect();
    };
    let mut operands = Vec::new();
    let mut filled = filled.into_iter();
    let mut rest = text.as_str();
    while let Some((before, verb)) = next_verb(rest) {
        let known = value(ValueKind::Str(Name::new(&rest[..before])), left.range);
        rest = &rest[before + verb..];
        operands.push(known);
        operands.extend(filled.next());
    }
    operands.push(value(ValueKind::Str(Name::new(rest)), left.range));
    operands.extend(filled);
    operands.retain(|o| !matches!(&o.kind, ValueKind::Str(t) if t.is_empty()));
    operands
}

/// Where the next place to fill in begins in a text, and how long it is.
fn next_verb(text: &str) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'%' {
            at += 1;
            continue;
        }
        let end = bytes[at + 1..].iter().position(|b| !b"+-0123456789.*".contains(b))? + at + 1;
        if b"sdifcvoxX".contains(&bytes[end]) {
            return Some((at, end + 1 - at));
        }
        at = end + 1;
    }
    None
}
