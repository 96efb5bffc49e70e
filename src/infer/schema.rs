//! JSON schema texts to the properties that they list.

use super::formula::F;
use super::session::Session;
use super::store::Event;
use super::value::{Node, Op, V};
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
        Node::Text(text) => in_text(session, v, text, wanted, found),
        Node::Op(Op::Text | Op::Encode | Op::Add | Op::Other | Op::Tuple, parts) => {
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
                if session.store.values.as_text(*key).is_some_and(|k| k == "properties") {
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

/// Property names in a JSON text: keys of an object that stands under `properties`.
fn in_text(
    session: &Session<'_>,
    v: V,
    text: &str,
    wanted: Wanted<'_>,
    found: &mut Vec<(String, Span)>,
) {
    if !text.contains("properties") {
        return;
    }
    for (name, at) in properties(text) {
        if !wanted(&name, constant(text, at)) {
            continue;
        }
        for span in session.seen.texts.get(&v).into_iter().flatten() {
            // Without escapes the text stands byte for byte between its quotes.
            let exact = (span.end - span.start) as usize == text.len() + 2;
            let place = if exact {
                let start = span.start + 1 + at as u32;
                Span { file: span.file, start, end: start + name.len() as u32 + 2 }
            } else {
                *span
            };
            found.push((name.clone(), place));
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
