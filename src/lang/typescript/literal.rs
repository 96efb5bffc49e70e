//! Literals: numbers, texts, templates, lists and objects.
//!
//! Does not know what is done with them.

use tree_sitter::Node;

use super::function::Head;
use super::tree::{bare, field, first, has_token, is_function, named, range};
use super::{unknown, value, Lower};
use crate::ir::{Entry, EntryKey, FunctionKind, Name, Range, Value, ValueKind};

impl Lower<'_> {
    /// A number; whole ones are `Int` also in exponent form.
    pub(super) fn number(&self, node: Node<'_>) -> ValueKind {
        let text: String = self.text(node).chars().filter(|c| *c != '_').collect();
        let text = text.strip_suffix('n').unwrap_or(&text).to_ascii_lowercase();
        let radix = |prefix: &str, radix| {
            text.strip_prefix(prefix).and_then(|t| i64::from_str_radix(t, radix).ok())
        };
        let whole = radix("0x", 16)
            .or_else(|| radix("0o", 8))
            .or_else(|| radix("0b", 2))
            .or_else(|| text.parse().ok());
        if let Some(whole) = whole {
            return ValueKind::Int(whole);
        }
        match text.parse::<f64>() {
            Ok(float) if float.fract() == 0.0 && float.abs() < 9e15 => ValueKind::Int(float as i64),
            Ok(float) => ValueKind::Float(float),
            Err(_) => ValueKind::Opaque(Vec::new()),
        }
    }

    /// The decoded text of a `string` node.
    pub(super) fn string(&self, node: Node<'_>) -> Name {
        let raw = self.text(node);
        let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or("");
        decode(inner)
    }

    /// A template: plain text without substitutions, else its parts.
    pub(super) fn template(&mut self, node: Node<'_>) -> ValueKind {
        let mut parts: Vec<Value> = Vec::new();
        let mut from = node.start_byte() + 1;
        for child in named(node) {
            if child.kind() != "template_substitution" {
                continue;
            }
            self.fragment(from, child.start_byte(), &mut parts);
            if let Some(inner) = first(child) {
                parts.push(self.expr(inner));
            }
            from = child.end_byte();
        }
        let to = node.end_byte().saturating_sub(1);
        if parts.is_empty() && from == node.start_byte() + 1 {
            return ValueKind::Str(decode(self.text.get(from..to).unwrap_or("")));
        }
        self.fragment(from, to, &mut parts);
        ValueKind::Format(parts)
    }

    /// Fixed text inside a template. Its range takes the signs around it in, so that it keeps
    /// the promise of [`ValueKind::Str`].
    fn fragment(&self, from: usize, to: usize, parts: &mut Vec<Value>) {
        let raw = self.text.get(from..to).unwrap_or("");
        if !raw.is_empty() {
            let at = Range { start: from as u32 - 1, end: to as u32 + 1 };
            parts.push(value(ValueKind::Str(decode(raw)), at));
        }
    }

    pub(super) fn list(&mut self, node: Node<'_>) -> ValueKind {
        ValueKind::List(named(node).into_iter().map(|n| self.element(n)).collect())
    }

    /// An element of a list or a call's argument: an expression or a spread.
    pub(super) fn element(&mut self, node: Node<'_>) -> Value {
        if node.kind() != "spread_element" {
            return self.expr(node);
        }
        let inner = first(node).map_or_else(|| unknown(range(node)), |n| self.expr(n));
        value(ValueKind::Spread(Box::new(inner)), range(node))
    }

    pub(super) fn object(&mut self, node: Node<'_>) -> ValueKind {
        let mut entries = Vec::new();
        for child in named(node) {
            match child.kind() {
                "pair" => entries.extend(self.pair(child)),
                "shorthand_property_identifier" => {
                    let at = range(child);
                    let name = self.name(child);
                    let value = self.named_value(name.clone(), at);
                    entries.push(Entry { key: EntryKey::Known(name), value, key_range: at });
                }
                "spread_element" => {
                    let Some(inner) = first(child) else { continue };
                    let value = self.expr(inner);
                    let key_range = value.range;
                    entries.push(Entry { key: EntryKey::Spread, value, key_range });
                }
                "method_definition" => entries.extend(self.object_method(child)),
                _ => {
                    let value = self.opaque(child);
                    let key_range = value.range;
                    entries.push(Entry { key: EntryKey::Spread, value, key_range });
                }
            }
        }
        ValueKind::Object(entries)
    }

    fn pair(&mut self, node: Node<'_>) -> Option<Entry> {
        let (key, inner) = (field(node, "key")?, field(node, "value")?);
        let key_range = range(key);
        let key = self.entry_key(key);
        let value = match &key {
            EntryKey::Known(name) if is_function(inner) => {
                let name = name.clone();
                self.closure(bare(inner), name)
            }
            _ => self.expr(inner),
        };
        Some(Entry { key, value, key_range })
    }

    fn entry_key(&mut self, key: Node<'_>) -> EntryKey {
        match self.known_key(key) {
            Some(name) => EntryKey::Known(name),
            None => {
                let at = range(key);
                let inner = first(key).map_or_else(|| unknown(at), |n| self.expr(n));
                EntryKey::Computed(Box::new(inner))
            }
        }
    }

    /// The text of a property name, unless it is computed at run time.
    pub(super) fn known_key(&self, key: Node<'_>) -> Option<Name> {
        match key.kind() {
            "string" => Some(self.string(key)),
            "computed_property_name" => {
                let inner = bare(first(key)?);
                match inner.kind() {
                    "string" => Some(self.string(inner)),
                    "number" => Some(self.name(inner)),
                    "template_string"
                        if !named(inner).iter().any(|n| n.kind() == "template_substitution") =>
                    {
                        Some(self.string(inner))
                    }
                    _ => None,
                }
            }
            _ => Some(self.name(key)),
        }
    }

    /// A method of an object literal is a field with a function; a getter's field has the
    /// function's result.
    fn object_method(&mut self, node: Node<'_>) -> Option<Entry> {
        let key_node = field(node, "name")?;
        if has_token(node, "set") {
            return None;
        }
        let key_range = range(key_node);
        let key = self.entry_key(key_node);
        let head = Head {
            name: self.known_key(key_node).unwrap_or_default(),
            name_range: key_range,
            owner: None,
            kind: FunctionKind::Closure,
        };
        let index = self.function(node, head);
        let closure = value(ValueKind::Closure(index), range(node));
        let value = if has_token(node, "get") {
            let call =
                ValueKind::Call { callee: Box::new(closure), args: Vec::new(), builtin: None };
            value(call, range(node))
        } else {
            closure
        };
        Some(Entry { key, value, key_range })
    }
}

/// Text with its escapes resolved. What is no escape stays as it is.
fn decode(raw: &str) -> Name {
    if !raw.contains('\\') {
        return raw.into();
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = escape(&rest[at + 1..], &mut text);
    }
    text.push_str(rest);
    text.into()
}

/// Resolves the escape whose backslash stands before `rest`; gives what follows it.
fn escape<'a>(rest: &'a str, text: &mut String) -> &'a str {
    let mut chars = rest.chars();
    let Some(sign) = chars.next() else { return rest };
    let after = chars.as_str();
    match sign {
        'n' => text.push('\n'),
        't' => text.push('\t'),
        'r' => text.push('\r'),
        'b' => text.push('\u{8}'),
        'f' => text.push('\u{c}'),
        'v' => text.push('\u{b}'),
        '0' => text.push('\0'),
        '\n' => {}
        '\r' => return after.strip_prefix('\n').unwrap_or(after),
        'x' | 'u' => {
            if let Some((code, left)) = code_point(sign, after) {
                text.push(code);
                return left;
            }
            text.push(sign);
        }
        other => text.push(other),
    }
    after
}

fn code_point(sign: char, rest: &str) -> Option<(char, &str)> {
    let hex =
        |text: &str, from: usize, to: usize| u32::from_str_radix(text.get(from..to)?, 16).ok();
    if sign == 'x' {
        return Some((char::from_u32(hex(rest, 0, 2)?)?, &rest[2..]));
    }
    if let Some(braced) = rest.strip_prefix('{') {
        let end = braced.find('}')?;
        return Some((char::from_u32(hex(braced, 0, end)?)?, &braced[end + 1..]));
    }
    let high = hex(rest, 0, 4)?;
    let after = &rest[4..];
    if (0xD800..0xDC00).contains(&high) {
        let low = after.strip_prefix("\\u").and_then(|t| hex(t, 0, 4));
        if let Some(low @ 0xDC00..=0xDFFF) = low {
            let both = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
            return Some((char::from_u32(both)?, &after[6..]));
        }
    }
    Some((char::from_u32(high).unwrap_or('\u{FFFD}'), after))
}
