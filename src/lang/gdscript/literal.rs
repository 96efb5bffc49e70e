//! The text of literals, types and paths to names, numbers and types.
//!
//! Works on text alone; must not know the tree.

use smol_str::SmolStrBuilder;

use crate::ir::{Name, Range, Type, ValueKind};

/// A string literal with any prefix: its decoded text, and the range that keeps the promise of
/// [`ValueKind::Str`] (one quote on either side, without a prefix).
pub(super) fn string(source: &str, start: u32) -> (Name, Range) {
    let prefix = source.find(['"', '\'']).unwrap_or(0);
    let raw = source.starts_with('r');
    let quoted = source.get(prefix..).unwrap_or("");
    let quote = quoted.get(..1).unwrap_or("\"");
    let triple =
        quoted.len() >= 6 && quoted.as_bytes()[..3].iter().all(|b| *b == quote.as_bytes()[0]);
    let quotes = if triple { 3 } else { 1 };
    let end = if quoted.len() >= 2 * quotes && quoted.ends_with(quote) {
        quoted.len() - quotes
    } else {
        quoted.len()
    };
    let inner = quoted.get(quotes..end).unwrap_or("");
    let text = if raw || !inner.contains('\\') { Name::new(inner) } else { unescape(inner) };
    let from = start + (prefix + quotes - 1) as u32;
    let to = start + (prefix + end + 1).min(source.len()) as u32;
    (text, Range { start: from.min(to), end: to })
}

fn unescape(inner: &str) -> Name {
    let mut out = SmolStrBuilder::new();
    let mut rest = inner;
    let mut high: Option<u32> = None;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        if at > 0 {
            high = None;
        }
        rest = &rest[at + 1..];
        let Some(letter) = rest.chars().next() else { break };
        rest = &rest[letter.len_utf8()..];
        let plain = match letter {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\x07',
            'b' => '\x08',
            'f' => '\x0c',
            'v' => '\x0b',
            // A line that goes on: nothing.
            '\n' => continue,
            '\r' => {
                rest = rest.strip_prefix('\n').unwrap_or(rest);
                continue;
            }
            'u' | 'U' => {
                let digits = if letter == 'u' { 4 } else { 6 };
                let code = rest.get(..digits).and_then(|d| u32::from_str_radix(d, 16).ok());
                let Some(code) = code else { continue };
                rest = &rest[digits..];
                if let Some(char) = join_surrogates(&mut high, code) {
                    out.push(char);
                }
                continue;
            }
            other => other,
        };
        high = None;
        out.push(plain);
    }
    out.push_str(rest);
    out.finish()
}

/// A code point, or half of one that waits for its other half.
fn join_surrogates(high: &mut Option<u32>, code: u32) -> Option<char> {
    match (high.take(), code) {
        (_, 0xD800..=0xDBFF) => {
            *high = Some(code);
            None
        }
        (Some(first), 0xDC00..=0xDFFF) => {
            char::from_u32(0x10000 + ((first - 0xD800) << 10) + (code - 0xDC00))
        }
        _ => Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)),
    }
}

/// A whole number; one that does not fit is a float.
pub(super) fn integer(source: &str) -> ValueKind {
    let digits: String = source.chars().filter(|c| *c != '_').collect();
    let radix = |prefix: [&str; 2], base| {
        let body = digits.strip_prefix(prefix[0]).or_else(|| digits.strip_prefix(prefix[1]))?;
        u64::from_str_radix(body, base).ok().map(|n| n as i64)
    };
    let value = radix(["0x", "0X"], 16)
        .or_else(|| radix(["0b", "0B"], 2))
        .or_else(|| radix(["0o", "0O"], 8))
        .or_else(|| digits.parse().ok());
    match value {
        Some(value) => ValueKind::Int(value),
        None => float(source),
    }
}

/// A number with a fraction.
pub(super) fn float(source: &str) -> ValueKind {
    let digits: String = source.chars().filter(|c| *c != '_').collect();
    digits.parse().map_or(ValueKind::Opaque(Vec::new()), ValueKind::Float)
}

/// A type as written.
pub(super) fn type_of(source: &str) -> Type {
    let source = source.trim();
    let (head, arguments) = match source.split_once('[') {
        Some((head, rest)) => (head.trim(), Some(rest.strip_suffix(']').unwrap_or(rest))),
        None => (source, None),
    };
    let element = |text: Option<&str>| Box::new(text.map_or(Type::Unknown, type_of));
    match head {
        "Array" => Type::List(element(arguments)),
        "Dictionary" => Type::Map(element(arguments.and_then(last_argument))),
        "Callable" => Type::Func(vec![Type::Unknown]),
        "Variant" | "" => Type::Unknown,
        _ => match packed_element(head) {
            Some(element) => Type::List(Box::new(Type::Named(None, Name::new_static(element)))),
            None => named(head),
        },
    }
}

/// A name, split from its qualifier.
pub(super) fn named(source: &str) -> Type {
    let fits = |c: char| c == '_' || c == '.' || c.is_alphanumeric();
    if source.is_empty() || !source.chars().all(fits) {
        return Type::Unknown;
    }
    match source.rsplit_once('.') {
        Some((qualifier, name)) => Type::Named(Some(Name::new(qualifier)), Name::new(name)),
        None => Type::Named(None, Name::new(source)),
    }
}

/// The value type of `[K, V]`; the comma is the first one outside of inner brackets.
fn last_argument(arguments: &str) -> Option<&str> {
    let mut depth = 0i32;
    for (at, byte) in arguments.bytes().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' => depth -= 1,
            b',' if depth == 0 => return arguments.get(at + 1..),
            _ => {}
        }
    }
    None
}

/// The element type of a packed array type.
pub(super) fn packed_element(name: &str) -> Option<&'static str> {
    Some(match name {
        "PackedStringArray" => "String",
        "PackedByteArray" | "PackedInt32Array" | "PackedInt64Array" => "int",
        "PackedFloat32Array" | "PackedFloat64Array" => "float",
        "PackedVector2Array" => "Vector2",
        "PackedVector3Array" => "Vector3",
        "PackedVector4Array" => "Vector4",
        "PackedColorArray" => "Color",
        _ => return None,
    })
}

/// Whether values of a type name are plain data, which need no class to be looked up.
pub(super) fn is_scalar(name: &str) -> bool {
    matches!(name, "int" | "float" | "bool" | "String" | "StringName" | "NodePath" | "void")
}

/// What a variable of a declared type holds before its first assignment, if that is not null.
pub(super) fn initial(ty: &Type) -> Option<ValueKind> {
    match ty {
        Type::List(_) => Some(ValueKind::List(Vec::new())),
        Type::Map(_) => Some(ValueKind::Object(Vec::new())),
        Type::Named(None, name) => match name.as_str() {
            "int" => Some(ValueKind::Int(0)),
            "float" => Some(ValueKind::Float(0.0)),
            "bool" => Some(ValueKind::Bool(false)),
            "String" | "StringName" => Some(ValueKind::Str(Name::default())),
            _ => None,
        },
        _ => None,
    }
}

/// A script path as an import target: a path without a scheme lies beside the file at hand.
pub(super) fn script_path(file: &str, path: &str) -> Name {
    if path.is_empty() || path.contains("://") || path.starts_with('/') {
        return Name::new(path);
    }
    let dir = file.rsplit_once('/').map_or("", |(dir, _)| dir);
    let mut parts: Vec<&str> = Vec::new();
    for part in dir.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    Name::from(parts.join("/"))
}
