//! JSON text to a flat tree in which every value and key knows its bytes.
//!
//! Reads without recursion, so that no nesting can exhaust a stack. Knows nothing of pages.

use std::borrow::Cow;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use super::string;

/// How deep arrays and objects may nest.
pub const MAX_DEPTH: usize = 1000;
/// How many values one document may hold.
pub const MAX_VALUES: usize = 16_000_000;

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number of any form.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    /// The word for it, with an article.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Bool => "a boolean",
            Kind::Number => "a number",
            Kind::String => "a string",
            Kind::Array => "an array",
            Kind::Object => "an object",
        }
    }
}

/// A value; its parts follow it in the list, up to `after`.
#[derive(Clone, Copy, Debug)]
struct Node {
    kind: Kind,
    start: u32,
    end: u32,
    /// Index behind the last part.
    after: u32,
    /// The bytes of the key with its quotes; empty for what has none.
    key: (u32, u32),
}

/// A document: its values, outermost first, each before its parts.
#[derive(Clone, Debug, Default)]
pub struct Json<'a> {
    text: Cow<'a, str>,
    nodes: Vec<Node>,
    /// Where the text came from, when it was written inside a string of another text.
    origin: string::Map,
}

/// Why a text is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The byte where it shows.
    pub at: usize,
    /// What is wrong, as a clause.
    pub what: String,
}

/// A value of a document.
#[derive(Clone, Copy, Debug)]
pub struct Value<'j> {
    json: &'j Json<'j>,
    index: u32,
}

impl<'a> Json<'a> {
    /// Reads the one value that a text holds.
    pub fn parse(text: &'a str) -> Result<Json<'a>, Fault> {
        let (json, end) = Json::parse_first(text)?;
        let rest = &text[end..];
        match rest.find(|c: char| !is_space(c)) {
            Some(at) => Err(fault(end + at, "more text follows the value")),
            None => Ok(json),
        }
    }

    /// Reads the first value of a text and tells where it ends.
    pub fn parse_first(text: &'a str) -> Result<(Json<'a>, usize), Fault> {
        let mut reader = Reader { text, bytes: text.as_bytes(), at: 0, nodes: Vec::new(), open: Vec::new() };
        reader.value()?;
        let end = reader.at;
        let nodes = reader.nodes;
        Ok((Json { text: Cow::Borrowed(text), nodes, origin: string::Map::default() }, end))
    }

    /// Reads JSON that is written inside a string; spans lead to the outer text.
    pub fn parse_inside(outer: Value<'_>) -> Option<Json<'static>> {
        let (text, map) = string::decode(outer.raw()?);
        let nodes = Json::parse(&text).ok()?.nodes;
        let base = outer.node().start;
        let origin = map.shifted(base).through(&outer.json.origin);
        Some(Json { text: Cow::Owned(text), nodes, origin })
    }

    /// The outermost value.
    pub fn root(&self) -> Value<'_> {
        Value { json: self, index: 0 }
    }
}

impl<'j> Value<'j> {
    fn node(&self) -> &'j Node {
        &self.json.nodes[self.index as usize]
    }

    /// Its type.
    pub fn kind(&self) -> Kind {
        self.node().kind
    }

    /// Identifies it within its document.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// Its bytes in the outermost text.
    pub fn bytes(&self) -> Range<u32> {
        self.json.origin.range(self.node().start..self.node().end)
    }

    /// The bytes of its key, quotes included, or its own bytes where it has no key.
    pub fn key_bytes(&self) -> Range<u32> {
        let (start, end) = self.node().key;
        if start == end {
            return self.bytes();
        }
        self.json.origin.range(start..end)
    }

    /// Its text as written.
    pub fn source(&self) -> &'j str {
        &self.json.text[self.node().start as usize..self.node().end as usize]
    }

    /// Whether it is the member of an object.
    pub fn has_key(&self) -> bool {
        self.node().key.0 != self.node().key.1
    }

    /// The name of its key, if it is the member of an object.
    pub fn key(&self) -> Cow<'j, str> {
        let (start, end) = self.node().key;
        if start == end {
            return Cow::Borrowed("");
        }
        string::plain(&self.json.text[start as usize + 1..end as usize - 1])
    }

    /// Its string between the quotes, as written.
    fn raw(&self) -> Option<&'j str> {
        (self.kind() == Kind::String).then(|| {
            let source = self.source();
            &source[1..source.len() - 1]
        })
    }

    /// Its string.
    pub fn str(&self) -> Option<Cow<'j, str>> {
        self.raw().map(string::plain)
    }

    /// Its truth value.
    pub fn bool(&self) -> Option<bool> {
        (self.kind() == Kind::Bool).then(|| self.source() == "true")
    }

    /// Its number, if that is whole (`2` or `2.0`) and of a usual size.
    pub fn int(&self) -> Option<i64> {
        if self.kind() != Kind::Number {
            return None;
        }
        let text = self.source();
        text.parse().ok().or_else(|| {
            let number: f64 = text.parse().ok()?;
            (number.fract() == 0.0 && number.abs() < 9.0e15).then_some(number as i64)
        })
    }

    /// Its parts: the elements of an array, the values of an object.
    pub fn parts(&self) -> Parts<'j> {
        let node = self.node();
        let next = match node.kind {
            Kind::Array | Kind::Object => self.index + 1,
            _ => node.after,
        };
        Parts { json: self.json, next, after: node.after }
    }

    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        self.kind() == Kind::Object
    }

    /// The member of a name; of several, the last, as most readers have it.
    pub fn get(&self, name: &str) -> Option<Value<'j>> {
        if !self.is_object() {
            return None;
        }
        self.parts().filter(|part| part.key() == name).last()
    }

    /// The member of a name that is an object.
    pub fn object(&self, name: &str) -> Option<Value<'j>> {
        self.get(name).filter(Value::is_object)
    }

    /// The member of a name that is a string.
    pub fn text(&self, name: &str) -> Option<Cow<'j, str>> {
        self.get(name)?.str()
    }

    /// The first member of any of some names.
    pub fn any(&self, names: &[&str]) -> Option<Value<'j>> {
        names.iter().find_map(|name| self.get(name))
    }

    /// Whether two values say the same; the order of members does not count.
    pub fn same(&self, other: Value<'_>) -> bool {
        self.digest() == other.digest()
    }

    /// A number that all ways to write the value have in common.
    pub fn digest(&self) -> u64 {
        // Innermost first: the list holds every value before its parts.
        let (first, after) = (self.index, self.node().after);
        let mut done = vec![0u64; (after - first) as usize];
        for index in (first..after).rev() {
            let value = Value { json: self.json, index };
            let part = |part: Value<'_>| done[(part.index - first) as usize];
            done[(index - first) as usize] = match value.kind() {
                Kind::Array => hash(&(0, value.parts().map(part).collect::<Vec<_>>())),
                Kind::Object => {
                    let mut parts: Vec<_> = value.parts().map(|p| (p.key(), part(p))).collect();
                    parts.sort();
                    hash(&(1, parts))
                }
                Kind::String => hash(&(2, value.str())),
                Kind::Number => match value.int() {
                    Some(whole) => hash(&(3, whole)),
                    None => hash(&(4, value.source())),
                },
                Kind::Null | Kind::Bool => hash(&(5, value.source())),
            };
        }
        done[0]
    }
}

fn hash(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// The parts of a value, in order.
#[derive(Clone, Debug)]
pub struct Parts<'j> {
    json: &'j Json<'j>,
    next: u32,
    after: u32,
}

impl<'j> Iterator for Parts<'j> {
    type Item = Value<'j>;

    fn next(&mut self) -> Option<Value<'j>> {
        if self.next >= self.after {
            return None;
        }
        let part = Value { json: self.json, index: self.next };
        self.next = part.node().after;
        Some(part)
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

fn fault(at: usize, what: &str) -> Fault {
    Fault { at, what: what.to_string() }
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    nodes: Vec<Node>,
    /// Arrays and objects that are not closed yet.
    open: Vec<u32>,
}

impl Reader<'_> {
    fn peek(&mut self) -> Result<u8, Fault> {
        while let Some(byte) = self.bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Ok(*byte);
            }
            self.at += 1;
        }
        let what = if self.nodes.is_empty() { "it is empty" } else { "it is cut off" };
        Err(fault(self.at, what))
    }

    /// Reads a value with all its parts.
    fn value(&mut self) -> Result<(), Fault> {
        let mut key = (0, 0);
        loop {
            let opened = self.start(key)?;
            key = (0, 0);
            // Behind a whole value: the next one, or the ends of those around it.
            let mut fresh = opened;
            loop {
                let Some(top) = self.open.last().copied() else { return Ok(()) };
                let object = self.nodes[top as usize].kind == Kind::Object;
                let close = if object { b'}' } else { b']' };
                let byte = self.peek()?;
                if byte == close {
                    self.at += 1;
                    self.close();
                    fresh = false;
                    continue;
                }
                if !fresh {
                    if byte != b',' {
                        return Err(fault(self.at, if object { "`,` or `}` is missing" } else { "`,` or `]` is missing" }));
                    }
                    self.at += 1;
                }
                if object {
                    key = self.key()?;
                }
                break;
            }
        }
    }

    fn close(&mut self) {
        if let Some(top) = self.open.pop() {
            let after = self.nodes.len() as u32;
            let node = &mut self.nodes[top as usize];
            (node.end, node.after) = (self.at as u32, after);
        }
    }

    fn key(&mut self) -> Result<(u32, u32), Fault> {
        if self.peek()? != b'"' {
            return Err(fault(self.at, "a key in quotes is missing"));
        }
        let start = self.at;
        self.string()?;
        let key = (start as u32, self.at as u32);
        if self.peek()? != b':' {
            return Err(fault(self.at, "`:` is missing"));
        }
        self.at += 1;
        Ok(key)
    }

    /// Reads a value up to its first part; whether it is one that has parts.
    fn start(&mut self, key: (u32, u32)) -> Result<bool, Fault> {
        let byte = self.peek()?;
        if self.nodes.len() >= MAX_VALUES {
            return Err(fault(self.at, "it holds more than 16 million values"));
        }
        let start = self.at;
        let kind = match byte {
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b'"' => Kind::String,
            b't' | b'f' => Kind::Bool,
            b'n' => Kind::Null,
            b'-' | b'0'..=b'9' => Kind::Number,
            _ => return Err(fault(self.at, "no value begins like this")),
        };
        let index = self.nodes.len() as u32;
        self.nodes.push(Node { kind, start: start as u32, end: 0, after: index + 1, key });
        match kind {
            Kind::Object | Kind::Array => {
                if self.open.len() >= MAX_DEPTH {
                    return Err(fault(start, &format!("it nests deeper than {MAX_DEPTH} levels")));
                }
                self.at += 1;
                self.open.push(index);
                return Ok(true);
            }
            Kind::String => self.string()?,
            Kind::Bool => self.word(if byte == b't' { "true" } else { "false" })?,
            Kind::Null => self.word("null")?,
            Kind::Number => self.number()?,
        }
        self.nodes[index as usize].end = self.at as u32;
        Ok(false)
    }

    fn word(&mut self, word: &str) -> Result<(), Fault> {
        if self.text[self.at..].starts_with(word) {
            self.at += word.len();
            return Ok(());
        }
        let cut = word.starts_with(&self.text[self.at..]);
        Err(fault(self.at, if cut { "it is cut off" } else { "no value begins like this" }))
    }

    fn number(&mut self) -> Result<(), Fault> {
        let start = self.at;
        let rest = &self.bytes[start..];
        let length = rest.iter().take_while(|b| matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')).count();
        self.at += length;
        let text = &self.text[start..self.at];
        let digits = text.strip_prefix('-').unwrap_or(text);
        let padded = digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
        let ended = digits.starts_with(|c: char| c.is_ascii_digit()) && digits.ends_with(|c: char| c.is_ascii_digit());
        let dotted = digits.split_once('.').is_none_or(|(_, after)| after.starts_with(|c: char| c.is_ascii_digit()));
        if padded || !ended || !dotted || text.parse::<f64>().is_err() {
            let cut = self.at == self.bytes.len() && !ended;
            return Err(fault(start, if cut { "it is cut off" } else { "this is no number" }));
        }
        Ok(())
    }

    /// Reads a string; what it means is looked at only where it is asked for.
    fn string(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                None => return Err(fault(start, "it is cut off inside this string")),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => match string::escape(&self.bytes[self.at..]) {
                    Some(length) => self.at += length,
                    None if self.bytes.len() - self.at < 6 => {
                        return Err(fault(start, "it is cut off inside this string"));
                    }
                    None => return Err(fault(self.at, "there is no such escape")),
                },
                Some(0..=0x1f) => return Err(fault(self.at, "a control character stands in a string")),
                Some(_) => self.at += 1,
            }
        }
    }
}
