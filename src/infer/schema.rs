//! JSON schema texts to the properties that they list.

use super::formula::F;
use super::session::Session;
use super::store::Event;
use super::value::{Node, Op, Values, V};
use crate::text::Span;

/// Which properties are looked for, by name and by the constant that they are fixed to, if any.
type Wanted<'a> = &'a dyn Fn(&str, Option<&str>) -> bool;

/// Properties that schema values list and that are looked for, with where they stand.
pub fn listed(session: &Session<'_>, schemas: &[V], wanted: Wanted<'_>) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    for schema in schemas {
        in_value(session, *schema, wanted, &mut found, 0);
    }
    found.sort();
    found.dedup();
    found
}

/// Whether a value is a JSON document, as a variable of file scope holds one that nobody changes.
pub(super) fn is_document(values: &Values, v: V, depth: u8) -> bool {
    match values.node(v) {
        Node::Text(text) => text.trim_start().starts_with('{'),
        Node::Op(Op::Encode, _) => true,
        Node::Op(Op::Text | Op::Other | Op::Tuple, parts) => {
            depth < 4 && parts.iter().any(|p| is_document(values, *p, depth + 1))
        }
        _ => false,
    }
}

fn in_value(
    session: &Session<'_>,
    v: V,
    wanted: Wanted<'_>,
    found: &mut Vec<(String, Span)>,
    depth: u8,
) {
    if depth > 12 {
        return;
    }
    match session.store.values.node(v) {
        Node::Text(_) | Node::Op(Op::Text | Op::Add, _) => {
            let mut whole = Joined::default();
            whole.add(session, v, 0);
            in_text(session, &whole, wanted, found);
            for other in whole.others {
                in_value(session, other, wanted, found, depth + 1);
            }
        }
        Node::Op(Op::Encode | Op::Other | Op::Tuple, parts) => {
            for part in parts.iter() {
                in_value(session, *part, wanted, found, depth + 1);
            }
        }
        Node::Choice(_, a, b) => {
            in_value(session, *a, wanted, found, depth + 1);
            in_value(session, *b, wanted, found, depth + 1);
        }
        Node::Object(id) => {
            let properties = session.store.object(*id);
            for event in &properties.log {
                let Event::Write { key, value, guard, .. } = event else { continue };
                if *guard == F::FALSE {
                    continue;
                }
                let key = session.store.values.as_text(*key);
                if key.is_some_and(|k| k.eq_ignore_ascii_case("properties")) {
                    in_properties(session, *value, wanted, found);
                }
                in_value(session, *value, wanted, found, depth + 1);
            }
        }
        _ => {}
    }
}

/// The keys of an object that lists properties.
fn in_properties(session: &Session<'_>, v: V, wanted: Wanted<'_>, found: &mut Vec<(String, Span)>) {
    let Some(id) = session.store.body(v) else { return };
    for event in &session.store.object(id).log {
        let Event::Write { key, site, .. } = event else { continue };
        if let Some(name) = session.store.values.as_text(*key) {
            if wanted(name, None) {
                found.push((name.to_string(), site.span));
            }
        }
    }
}

/// A text put together from known ones.
#[derive(Default)]
struct Joined {
    /// What is known of it.
    text: String,
    /// Where a part begins in it, the value that the part is cut from, and its first byte there.
    parts: Vec<(usize, V, usize)>,
    /// Parts that are no known text.
    others: Vec<V>,
}

impl Joined {
    fn add(&mut self, session: &Session<'_>, v: V, depth: u8) {
        if depth > 12 {
            return;
        }
        match session.store.values.node(v) {
            Node::Text(text) => self.cut(v, text, 0),
            Node::Op(Op::Add, parts) => {
                parts.iter().for_each(|p| self.add(session, *p, depth + 1));
            }
            Node::Op(Op::Text, parts) => self.fill(session, parts, depth),
            _ => self.others.push(v),
        }
    }

    /// A template with what its holes are filled with.
    fn fill(&mut self, session: &Session<'_>, parts: &[V], depth: u8) {
        let Some((first, mut rest)) = parts.split_first() else { return };
        if let Some(template) = session.store.values.as_text(*first) {
            let mut from = 0;
            while let Some((at, after)) = hole(template, from) {
                let Some((next, others)) = rest.split_first() else { break };
                self.cut(*first, &template[..at], from);
                self.add(session, *next, depth + 1);
                (from, rest) = (after, others);
            }
            self.cut(*first, template, from);
        } else {
            self.add(session, *first, depth + 1);
        }
        rest.iter().for_each(|p| self.add(session, *p, depth + 1));
    }

    fn cut(&mut self, v: V, text: &str, from: usize) {
        self.parts.push((self.text.len(), v, from));
        self.text.push_str(text.get(from..).unwrap_or(""));
    }

    /// Where something that begins at a byte and is so long stands in the source.
    fn places(&self, session: &Session<'_>, at: usize, len: usize) -> Vec<Span> {
        let Some((begin, v, from)) = self.parts.iter().rev().find(|(begin, ..)| *begin <= at)
        else {
            return Vec::new();
        };
        let size = session.store.values.as_text(*v).map_or(0, |t| t.len());
        let spans = session.seen.texts.get(v).into_iter().flatten();
        spans
            .map(|span| {
                // Without escapes the text stands byte for byte between its quotes.
                if (span.end - span.start) as usize != size + 2 {
                    return *span;
                }
                let start = span.start + 1 + (at - begin + from) as u32;
                Span { file: span.file, start, end: (start + len as u32).min(span.end) }
            })
            .collect()
    }
}

/// The next hole of a template from a byte on: where it begins and ends.
pub(super) fn hole(template: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = template.as_bytes();
    let mut i = from;
    while i + 1 < bytes.len() {
        match (bytes[i], bytes[i + 1]) {
            (b'%', b'%') => i += 2,
            (b'%', b's' | b'v' | b'q' | b'd' | b't') => return Some((i, i + 2)),
            _ => i += 1,
        }
    }
    None
}

/// Property names in a JSON text: keys of an object that stands under `properties`.
fn in_text(
    session: &Session<'_>,
    whole: &Joined,
    wanted: Wanted<'_>,
    found: &mut Vec<(String, Span)>,
) {
    let text = &whole.text;
    if !text.contains("properties") {
        return;
    }
    for (name, at) in properties(text) {
        if wanted(&name, constant(text, at)) {
            let places = whole.places(session, at, name.len() + 2);
            found.extend(places.into_iter().map(|place| (name.clone(), place)));
        }
    }
}

/// The text that the property whose key begins at a byte is fixed to.
fn constant(text: &str, at: usize) -> Option<&str> {
    let body = text.get(at..)?;
    let body = body.get(body.find('{')?..)?;
    let body = body.get(..body.find('}')?)?;
    let after = body.split("\"const\"").nth(1)?.trim_start().strip_prefix(':')?;
    after.trim_start().strip_prefix('"')?.split('"').next()
}

/// Keys directly under a `properties` object in a JSON text that may hold holes of a template,
/// with the byte where each key's quote begins.
fn properties(text: &str) -> Vec<(String, usize)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    // For each open brace: whether its keys are properties.
    let mut open: Vec<bool> = Vec::new();
    let mut next_is_properties = false;
    let mut i = 0;
    while i < bytes.len() {
        match bytes[i] {
            b'"' => {
                let start = i;
                i += 1;
                while i < bytes.len() && bytes[i] != b'"' {
                    i += if bytes[i] == b'\\' { 2 } else { 1 };
                }
                let name = text.get(start + 1..i.min(bytes.len())).unwrap_or("");
                let after = text.get(i + 1..).unwrap_or("").trim_start();
                if after.starts_with(':') {
                    if open.last() == Some(&true) {
                        found.push((name.to_string(), start));
                        next_is_properties = false;
                    } else {
                        next_is_properties = name == "properties";
                    }
                }
            }
            b'{' => {
                open.push(next_is_properties);
                next_is_properties = false;
            }
            b'}' => {
                open.pop();
            }
            b',' => next_is_properties = false,
            _ => {}
        }
        i += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::properties;

    #[test]
    fn keys_of_properties_are_found_at_every_depth() {
        let text = r#"{"type":"object","properties":{"items":{"type":"array","items":{"properties":{"hasMore":{}}}},"nextCursor":{"description":"a: \"b\""}},"required":["hasMore"]}"#;
        let names: Vec<String> = properties(text).into_iter().map(|(n, _)| n).collect();
        assert_eq!(names, ["items", "hasMore", "nextCursor"]);
        for (name, at) in properties(text) {
            assert!(text[at..].starts_with(&format!("\"{name}\"")));
        }
    }
}
