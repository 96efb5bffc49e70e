//! A JSON Schema to the properties that it declares, at any depth.
//!
//! Knows no contract; a reference that leads out of the document stays undecided.

use std::collections::BTreeSet;

use super::json::{Kind, Value};

/// Keywords that hold one schema, or a list of them.
const APPLIED: &[&str] = &[
    "items",
    "additionalItems",
    "additionalProperties",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "allOf",
    "anyOf",
    "oneOf",
    "prefixItems",
];
/// Keywords that hold schemas for the same value.
const JOINED: &[&str] = &["allOf", "anyOf", "oneOf", "then", "else"];
/// Keywords that hold schemas by name, other than the properties.
const NAMED: &[&str] = &["patternProperties", "dependentSchemas"];

/// A schema and the document it stands in.
#[derive(Clone, Copy, Debug)]
pub struct Schema<'j> {
    /// The schema.
    pub root: Value<'j>,
    /// The whole document.
    pub document: Value<'j>,
}

impl<'j> Schema<'j> {
    /// Calls with the properties of every object schema inside, outermost first. What `enter`
    /// refuses by its name is not looked into.
    pub fn objects(&self, enter: impl Fn(&str) -> bool, mut each: impl FnMut(&[Value<'j>])) {
        let mut seen = BTreeSet::new();
        let mut waiting = vec![self.root];
        while let Some(schema) = waiting.pop() {
            if !schema.is_object() || !seen.insert(schema.index()) {
                continue;
            }
            let properties: Vec<Value<'j>> =
                schema.object("properties").map(|p| p.parts().collect()).unwrap_or_default();
            each(&properties);
            let mut inner: Vec<Value<'j>> =
                properties.into_iter().filter(|p| enter(&p.key())).collect();
            inner.extend(self.beside(schema, APPLIED));
            inner.extend(
                NAMED.iter().filter_map(|name| schema.object(name)).flat_map(|map| map.parts()),
            );
            waiting.extend(inner.into_iter().rev());
        }
    }

    /// The properties of the outermost object, through references and combinations, and the
    /// `required` lists that stand beside them.
    pub fn outer(&self) -> (Vec<Value<'j>>, Vec<Value<'j>>) {
        let (mut properties, mut required) = (Vec::new(), Vec::new());
        let mut seen = BTreeSet::new();
        let mut waiting = vec![self.root];
        while let Some(schema) = waiting.pop() {
            if !schema.is_object() || !seen.insert(schema.index()) {
                continue;
            }
            properties.extend(schema.object("properties").into_iter().flat_map(|p| p.parts()));
            required.extend(schema.get("required").filter(|r| r.kind() == Kind::Array));
            let inner: Vec<Value<'j>> = self.beside(schema, JOINED).collect();
            waiting.extend(inner.into_iter().rev());
        }
        (properties, required)
    }

    /// The schema that a schema is an alias of, if it is nothing but a reference.
    pub fn resolved(&self, schema: Value<'j>) -> Value<'j> {
        let mut at = schema;
        for _ in 0..16 {
            match at.text("$ref").and_then(|target| self.target(&target)) {
                Some(next) => at = next,
                None => break,
            }
        }
        at
    }

    fn beside<'s>(
        &'s self,
        schema: Value<'j>,
        keywords: &'s [&'s str],
    ) -> impl Iterator<Item = Value<'j>> + 's {
        let applied = keywords.iter().filter_map(move |name| schema.get(name));
        let flat = applied.flat_map(|value| match value.kind() {
            Kind::Array => value.parts().collect(),
            _ => vec![value],
        });
        let reference = schema.text("$ref").and_then(|target| self.target(&target));
        flat.chain(reference)
    }

    /// Where a reference leads: within the schema, else within the document around it.
    fn target(&self, reference: &str) -> Option<Value<'j>> {
        let path = reference.strip_prefix('#')?;
        [self.root, self.document].into_iter().find_map(|from| follow(from, path))
    }
}

/// Follows a JSON pointer.
fn follow<'j>(from: Value<'j>, pointer: &str) -> Option<Value<'j>> {
    let mut at = from;
    for step in pointer.split('/').skip(1) {
        let name = step.replace("~1", "/").replace("~0", "~").replace("%24", "$");
        at = match at.kind() {
            Kind::Array => at.parts().nth(name.parse().ok()?)?,
            _ => at.get(&name)?,
        };
    }
    Some(at)
}
