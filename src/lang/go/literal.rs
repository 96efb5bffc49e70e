//! Literal text to values: strings with their escapes, numbers, struct tags.
//!
//! Must not know the tree; it gets the source of one literal.

use crate::ir::{Name, Range, ValueKind};

/// What a string literal says. `source` includes its quotes.
pub(super) fn string(source: &str) -> Name {
    match inner(source) {
        (inner, false) => inner.into(),
        (inner, true) => {
            let bytes: Vec<u8> = unescape(inner).into_iter().map(|(byte, _)| byte).collect();
            String::from_utf8_lossy(&bytes).as_ref().into()
        }
    }
}

/// The text between the quotes, and whether it has escapes.
fn inner(source: &str) -> (&str, bool) {
    let quote = source.chars().next().unwrap_or('"');
    let inner = source.strip_prefix(quote).unwrap_or(source);
    let inner = inner.strip_suffix(quote).unwrap_or(inner);
    (inner, quote != '`' && inner.contains('\\'))
}

/// Decodes escapes; each byte comes with the offset that it was written at.
fn unescape(inner: &str) -> Vec<(u8, usize)> {
    let bytes = inner.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte != b'\\' {
            out.push((byte, at));
            at += 1;
            continue;
        }
        let (code, length) = escape(inner, at);
        match code {
            Escape::Byte(byte) => out.push((byte, at)),
            Escape::Char(c) => {
                let mut buffer = [0; 4];
                out.extend(c.encode_utf8(&mut buffer).bytes().map(|b| (b, at)));
            }
        }
        at += length;
    }
    out
}

enum Escape {
    Byte(u8),
    Char(char),
}

/// The escape at `at`, and its length.
fn escape(inner: &str, at: usize) -> (Escape, usize) {
    let byte = inner.as_bytes().get(at + 1).copied().unwrap_or(b'\\');
    let digits = |from: usize, count: usize, radix: u32| {
        let text = inner.get(at + from..at + from + count)?;
        u32::from_str_radix(text, radix).ok()
    };
    let wide = |count: usize| {
        let c = digits(2, count, 16).and_then(char::from_u32).unwrap_or('\u{fffd}');
        (Escape::Char(c), 2 + count)
    };
    match byte {
        b'a' => (Escape::Byte(7), 2),
        b'b' => (Escape::Byte(8), 2),
        b'f' => (Escape::Byte(12), 2),
        b'n' => (Escape::Byte(b'\n'), 2),
        b'r' => (Escape::Byte(b'\r'), 2),
        b't' => (Escape::Byte(b'\t'), 2),
        b'v' => (Escape::Byte(11), 2),
        b'x' => (Escape::Byte(digits(2, 2, 16).unwrap_or(0) as u8), 4),
        b'u' => wide(4),
        b'U' => wide(8),
        b'0'..=b'7' => match digits(1, 3, 8) {
            Some(code) => (Escape::Byte(code as u8), 4),
            None => (Escape::Byte(byte), 2),
        },
        _ => (Escape::Byte(byte), 2),
    }
}

/// A whole number or a number with a fraction.
pub(super) fn number(source: &str) -> ValueKind {
    let digits: String = source.chars().filter(|c| *c != '_').collect::<String>().to_lowercase();
    let (radix, rest) = match digits.as_bytes() {
        [b'0', b'x', ..] => (16, &digits[2..]),
        [b'0', b'b', ..] => (2, &digits[2..]),
        [b'0', b'o', ..] => (8, &digits[2..]),
        [b'0', b'0'..=b'7', ..] => (8, &digits[1..]),
        _ => (10, &digits[..]),
    };
    if let Ok(whole) = i64::from_str_radix(rest, radix) {
        return ValueKind::Int(whole);
    }
    match digits.parse() {
        Ok(number) => ValueKind::Float(number),
        Err(_) => ValueKind::Opaque(Vec::new()),
    }
}

/// The code of a rune literal.
pub(super) fn rune(source: &str) -> ValueKind {
    let inner = source.trim_matches('\'');
    let code = match inner.chars().next() {
        Some('\\') => match escape(inner, 0).0 {
            Escape::Byte(byte) => i64::from(byte),
            Escape::Char(c) => i64::from(u32::from(c)),
        },
        Some(c) => i64::from(u32::from(c)),
        None => i64::from(b'\''),
    };
    ValueKind::Int(code)
}

/// What a struct tag says about JSON.
pub(super) struct JsonTag {
    /// The name; empty when the field's own counts.
    pub(super) name: Name,
    /// The name's bytes.
    pub(super) range: Range,
    /// Whether an empty value is left out.
    pub(super) omit_empty: bool,
    /// Whether the field is never sent.
    pub(super) skipped: bool,
}

/// Reads the `json` key of a struct tag literal that starts at byte `start`.
pub(super) fn json_tag(source: &str, start: u32) -> Option<JsonTag> {
    let (inner, escaped) = inner(source);
    let decoded: Vec<(u8, usize)> = match escaped {
        true => unescape(inner),
        false => inner.bytes().enumerate().map(|(i, b)| (b, i)).collect(),
    };
    let bytes: Vec<u8> = decoded.iter().map(|(b, _)| *b).collect();
    let (from, to) = tag_value(&bytes, b"json")?;
    let value = &bytes[from..to];
    let name_length = value.iter().position(|b| *b == b',').unwrap_or(value.len());
    let place = |i: usize| start + 1 + decoded.get(i).map_or(inner.len(), |(_, at)| *at) as u32;
    let options = String::from_utf8_lossy(value.get(name_length + 1..).unwrap_or(&[])).into_owned();
    Some(JsonTag {
        name: String::from_utf8_lossy(&value[..name_length]).as_ref().into(),
        range: Range { start: place(from), end: place(from + name_length) },
        omit_empty: options.split(',').any(|o| o == "omitempty" || o == "omitzero"),
        skipped: value == b"-",
    })
}

/// The bytes between the quotes of `key:"value"`.
fn tag_value(tag: &[u8], key: &[u8]) -> Option<(usize, usize)> {
    let mut at = 0;
    loop {
        at += tag.get(at..)?.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let colon = at + tag.get(at..)?.iter().position(|b| *b == b':')?;
        if tag.get(colon + 1) != Some(&b'"') {
            return None;
        }
        let from = colon + 2;
        let mut to = from;
        while *tag.get(to)? != b'"' {
            to += if tag[to] == b'\\' { 2 } else { 1 };
        }
        if &tag[at..colon] == key {
            return Some((from, to));
        }
        at = to + 1;
    }
}
