//! JSON text to the flat list of its values, or the reason why it is none.
//!
//! Reads without recursion, so that no nesting can exhaust a stack. Knows nothing of pages.

use super::json::{Kind, Node};
use super::string;

/// How deep arrays and objects may nest.
const MAX_DEPTH: usize = 1000;
/// How many values one document may hold.
const MAX_VALUES: usize = 16_000_000;

/// Why a text is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The byte where it shows.
    pub at: usize,
    /// What is wrong, as a clause.
    pub what: String,
}

/// Reads the one value that a text holds, with all its parts.
pub fn read(text: &str) -> Result<Vec<Node>, Fault> {
    let mut reader =
        Reader { text, bytes: text.as_bytes(), at: 0, nodes: Vec::new(), open: Vec::new() };
    reader.value()?;
    let rest = &text[reader.at..];
    match rest.find(|c: char| !matches!(c, ' ' | '\t' | '\n' | '\r')) {
        Some(at) => Err(fault(reader.at + at, "more text follows the value")),
        None => Ok(reader.nodes),
    }
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
                        return Err(fault(
                            self.at,
                            if object { "`,` or `}` is missing" } else { "`,` or `]` is missing" },
                        ));
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
        let length = rest
            .iter()
            .take_while(|b| matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
            .count();
        self.at += length;
        let text = &self.text[start..self.at];
        let digits = text.strip_prefix('-').unwrap_or(text);
        let padded =
            digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
        let ended = digits.starts_with(|c: char| c.is_ascii_digit())
            && digits.ends_with(|c: char| c.is_ascii_digit());
        let dotted = digits
            .split_once('.')
            .is_none_or(|(_, after)| after.starts_with(|c: char| c.is_ascii_digit()));
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
                Some(0..=0x1f) => {
                    return Err(fault(self.at, "a control character stands in a string"))
                }
                Some(_) => self.at += 1,
            }
        }
    }
}
