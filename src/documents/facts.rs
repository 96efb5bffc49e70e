//! What the rules of captured JSON may ask: pages as plain data with their places.
//!
//! Holds no text and no tree, so that a stream of any length can be checked.

use std::collections::BTreeSet;
use std::ops::Range;

use super::json::{Kind, Value};
use crate::pack::{folded, Pack, Role, WindowKind};
use crate::report::{Confidence, Finding, Label, Level};
use crate::rules;
use crate::text::{FileId, Span};

/// The packs that captured JSON is held against.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    /// The words of offset envelopes, if they are asked for.
    pub envelope: Option<&'a Pack>,
    /// The words of `meta.pagination`, if they are asked for.
    pub meta: Option<&'a Pack>,
}

/// Where a record lies in its file.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The file.
    pub file: FileId,
    /// The byte of the file at which the record's text begins.
    pub base: u32,
    /// Whether the text is dropped once it was looked at, as in a stream.
    pub passing: bool,
}

impl Place {
    /// Bytes of the record as a place in the file.
    pub fn span(&self, bytes: Range<u32>) -> Span {
        Span { file: self.file, start: self.base + bytes.start, end: self.base + bytes.end }
    }

    /// The place of a value.
    pub fn of(&self, value: Value<'_>) -> Span {
        self.span(value.bytes())
    }

    /// The place of a value's key.
    pub fn key(&self, value: Value<'_>) -> Span {
        self.span(value.key_bytes())
    }

    /// A place that is kept beyond its record: in a stream only its line stays.
    pub fn kept(&self, span: Span) -> Span {
        if self.passing {
            Span { start: self.base, end: self.base, ..span }
        } else {
            span
        }
    }
}

/// What a member's value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Worth {
    /// `null`.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number that is not whole, or is beyond all use.
    Number,
    /// A string.
    Text(String),
    /// An array, with its length.
    List(usize),
    /// An object, with its length.
    Object(usize),
}

impl Worth {
    /// What a value is.
    pub fn of(value: Value<'_>) -> Worth {
        match value.kind() {
            Kind::Null => Worth::Null,
            Kind::Bool => Worth::Bool(value.bool() == Some(true)),
            Kind::Number => value.int().map_or(Worth::Number, Worth::Int),
            Kind::String => Worth::Text(value.str().unwrap_or_default().into_owned()),
            Kind::Array => Worth::List(value.parts().count()),
            Kind::Object => Worth::Object(value.parts().count()),
        }
    }

    /// The words for its type.
    pub fn word(&self) -> String {
        match self {
            Worth::Null => "null".to_string(),
            Worth::Bool(_) => "a boolean".to_string(),
            Worth::Int(n) if *n < 0 => "a negative number".to_string(),
            Worth::Int(_) => "a whole number".to_string(),
            Worth::Number => "a number that is not whole, or too large".to_string(),
            Worth::Text(_) => "a string".to_string(),
            Worth::List(_) => "an array".to_string(),
            Worth::Object(_) => "an object".to_string(),
        }
    }
}

/// One member of a captured object.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its role in an envelope, and whether the name is an old one.
    pub role: Option<(Role, bool)>,
    /// Where its key stands, quotes included.
    pub key: Span,
    /// Where its value stands.
    pub value: Span,
    /// Its value.
    pub worth: Worth,
}

/// One argument of a recorded call.
#[derive(Clone, Debug)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Its value.
    pub worth: Worth,
}

/// A recorded call.
#[derive(Clone, Debug)]
pub struct Request {
    /// The tool or command.
    pub tool: String,
    /// What it was given.
    pub arguments: Vec<Argument>,
    /// Where the call was recorded.
    pub span: Span,
    /// The parameters that the tool declares, where that was recorded.
    pub parameters: Option<BTreeSet<String>>,
}

impl Request {
    /// The argument that bounds the rows in one way, with its value.
    pub fn window(&self, pack: &Pack, kind: WindowKind) -> Option<&Argument> {
        self.arguments.iter().find(|a| pack.window(&a.name) == Some(kind))
    }

    /// Whether the tool takes an offset or a start line.
    pub fn linear(&self, pack: &Pack) -> bool {
        let linear =
            |name: &str| matches!(pack.window(name), Some(WindowKind::Offset | WindowKind::Start));
        self.arguments.iter().any(|a| linear(&a.name))
            || self.parameters.iter().flatten().any(|name| linear(name))
    }
}

/// A captured object that is a page of an offset envelope.
#[derive(Clone, Debug)]
pub struct Page<'r> {
    /// Its members, in order.
    pub fields: Vec<Field>,
    /// The call that it answers, if that was recorded.
    pub request: Option<&'r Request>,
    /// What the rows say, all in one number; nothing for no rows.
    pub rows: Option<(u64, Span)>,
}

impl Page<'_> {
    /// The fields of a role.
    pub fn role(&self, role: Role) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(move |f| f.role.is_some_and(|(r, _)| r == role))
    }

    /// The first field of a role, current names before old ones.
    pub fn first(&self, role: Role) -> Option<&Field> {
        let current = self.role(role).find(|f| f.role.is_some_and(|(_, old)| !old));
        current.or_else(|| self.role(role).next())
    }

    /// A whole number of a role.
    pub fn int(&self, role: Role) -> Option<i64> {
        match self.first(role)?.worth {
            Worth::Int(n) if n >= 0 => Some(n),
            _ => None,
        }
    }

    /// A truth value of a role.
    pub fn flag(&self, role: Role) -> Option<bool> {
        match self.first(role)?.worth {
            Worth::Bool(b) => Some(b),
            _ => None,
        }
    }

    /// The hint, if it says anything.
    pub fn hint(&self) -> Option<(&Field, &str)> {
        let field = self.first(Role::Hint)?;
        match &field.worth {
            Worth::Text(text) if !text.trim().is_empty() => Some((field, text)),
            _ => None,
        }
    }

    /// The place by which the page as a whole is known: its has-more flag, else its first
    /// paging field.
    pub fn anchor(&self) -> Option<Span> {
        let paging = |f: &&Field| f.role.is_some_and(|(r, _)| r != Role::Hint);
        self.first(Role::More).or_else(|| self.fields.iter().find(paging)).map(|f| f.key)
    }

    /// The tool, if that was recorded.
    pub fn tool(&self) -> Option<&str> {
        self.request.map(|r| r.tool.as_str())
    }
}

/// A finding of a rule at its own level, without anything optional.
pub fn finding(rule: &'static str, primary: Span, tool: Option<&str>, message: String) -> Finding {
    Finding {
        rule,
        level: rules::find(rule).map_or(Level::Warning, |r| r.level),
        confidence: Confidence::High,
        message,
        help: None,
        primary,
        labels: Vec::new(),
        function: None,
        commands: tool.into_iter().map(String::from).collect(),
        stage: None,
        field: None,
        object: 0,
        fingerprint: String::new(),
        fix: None,
    }
}

/// A further place.
pub fn label(span: Span, message: impl Into<String>) -> Label {
    Label { span, message: message.into() }
}

/// The first of some names that is written as JSON writes it, not as code does.
pub fn first(names: &[String]) -> &str {
    let wire = names.iter().find(|name| folded(name) == **name);
    wire.or(names.first()).map_or("", String::as_str)
}
