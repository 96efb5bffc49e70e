//! JSON text to a flat tree in which every value and key knows its bytes.
//!
//! Knows nothing of pages.

use std::borrow::Cow;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use super::reader::{self, Fault};
use super::string;

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
pub struct Node {
    /// Its type.
    pub kind: Kind,
    /// Its first byte.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
    /// Index behind the last part.
    pub after: u32,
    /// The bytes of the key with its quotes; empty for what has none.
    pub key: (u32, u32),
}

/// A document: its values, outermost first, each before its parts.
#[derive(Clone, Debug, Default)]
pub struct Json<'a> {
    text: Cow<'a, str>,
    nodes: Vec<Node>,
    /// Where the text came from, when it was written inside a string of another text.
    origin: string::Map,
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
        let nodes = reader::read(text)?;
        Ok(Json { text: Cow::Borrowed(text), nodes, origin: string::Map::default() })
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
