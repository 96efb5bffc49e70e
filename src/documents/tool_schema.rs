//! The `outputSchema` of an MCP tool against the offset envelope.
//!
//! Decides nothing about a schema that declares no properties.

use super::facts::{finding, first, Place};
use super::json::Value;
use super::json_schema::Schema;
use crate::pack::{Pack, Role};
use crate::report::{Finding, Level};
use crate::text::Span;

/// Whether an object describes a tool.
pub fn is_tool(value: Value<'_>) -> bool {
    value.get("name").is_some()
        && value.any(&["inputSchema", "outputSchema"]).is_some_and(|s| s.is_object())
}

/// What an output schema says about paging.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// That there are pages.
    Pages,
    /// Nothing, though it lists properties.
    Nothing,
    /// It lists no properties.
    Open,
}

/// A property that has a role in an envelope.
#[derive(Clone, Copy)]
struct Known<'j> {
    value: Value<'j>,
    role: Role,
    old: bool,
}

/// Checks the output schema of a tool, or a value that is itself the schema of a response.
pub fn check(
    value: Value<'_>,
    document: Value<'_>,
    place: &Place,
    pack: &Pack,
    acc: &mut Vec<Finding>,
) -> Option<Says> {
    let tool = value.text("name").filter(|_| is_tool(value));
    let schema = if is_tool(value) { value.object("outputSchema")? } else { value };
    let mut schema = Schema { root: schema, document };
    let (mut properties, mut required) = schema.outer();
    // A framework may wrap what a tool gives into a member of its own.
    if let [only] = properties[..] {
        let inner = Schema { root: schema.resolved(only), document: schema.root };
        if only.key() == "result" && !inner.outer().0.is_empty() {
            (schema, (properties, required)) = (inner, inner.outer());
        }
    }
    if properties.is_empty() {
        return Some(Says::Open);
    }
    let known: Vec<Known<'_>> = properties
        .iter()
        .filter_map(|p| pack.role(&p.key()).map(|(role, old)| Known { value: *p, role, old }))
        .collect();
    if !is_page(&known) {
        return Some(Says::Nothing);
    }
    let mut cx = Context { schema, place, pack, tool: tool.as_deref(), acc };
    cx.invariants(&known);
    for one in &known {
        cx.property(one, &required);
    }
    Some(Says::Pages)
}

fn is_page(known: &[Known<'_>]) -> bool {
    let has = |role, old| known.iter().any(|k| k.role == role && k.old == old);
    let strong = has(Role::More, false) || has(Role::Resume, false) || has(Role::Clamped, false);
    let size = has(Role::Size, false) || has(Role::Size, true);
    let total = has(Role::Total, false) || has(Role::Total, true);
    strong || (size && total) || (has(Role::More, true) && (size || total))
}

struct Context<'c, 'j> {
    schema: Schema<'j>,
    place: &'c Place,
    pack: &'c Pack,
    tool: Option<&'c str>,
    acc: &'c mut Vec<Finding>,
}

impl Context<'_, '_> {
    fn report(
        &mut self,
        rule: &'static str,
        at: Span,
        field: &str,
        message: String,
    ) -> &mut Finding {
        let mut finding = finding(rule, at, self.tool, message);
        finding.field = Some(field.to_string());
        self.acc.push(finding);
        let last = self.acc.len() - 1;
        &mut self.acc[last]
    }

    fn name(&self, role: Role) -> String {
        let fields = &self.pack.fields;
        match role {
            Role::More => first(&fields.more).to_string(),
            Role::Size => first(&fields.size).to_string(),
            Role::Total => format!("{}<unit>", first(&fields.total_prefix)),
            Role::Resume => first(&fields.resume).to_string(),
            Role::Clamped => first(&fields.clamped).to_string(),
            Role::Hint => first(&fields.hint).to_string(),
        }
    }

    fn invariants(&mut self, known: &[Known<'_>]) {
        let missing: Vec<String> = [Role::More, Role::Total, Role::Size]
            .into_iter()
            .filter(|role| !known.iter().any(|k| k.role == *role))
            .map(|role| format!("`{}`", self.name(role)))
            .collect();
        let Some(field) = missing.first() else { return };
        let paging = |k: &&Known<'_>| k.role != Role::Hint;
        let anchor =
            known.iter().find(|k| k.role == Role::More).or_else(|| known.iter().find(paging));
        let at = self.place.key(anchor.map_or(self.schema.root, |k| k.value));
        let message = format!("the output schema of a page declares no {}", missing.join(" and "));
        self.report("missing-invariant", at, field.trim_matches('`'), message);
    }

    fn property(&mut self, known: &Known<'_>, required: &[Value<'_>]) {
        let (value, role) = (known.value, known.role);
        let (name, key) = (value.key(), self.place.key(value));
        if known.old {
            let message =
                format!("`{name}` is an old name; the envelope calls it `{}`", self.name(role));
            self.report("legacy-field", key, &name, message);
            return;
        }
        if let Some(stated) = self.schema.resolved(value).get("type").filter(|t| !fits(role, *t)) {
            let message = format!(
                "`{name}` is declared as {}; the envelope wants {}",
                stated.source(),
                wanted(role)
            );
            self.report("wrong-field-type", self.place.of(stated), &name, message);
        }
        // Without any list of what is required, nothing is said about it.
        if required.is_empty() {
            return;
        }
        let always = required
            .iter()
            .flat_map(|list| list.parts())
            .any(|r| r.str().is_some_and(|r| r == name));
        if matches!(role, Role::More | Role::Size) && !always {
            let message = format!("`{name}` is declared, but not as required");
            let finding = self.report("missing-invariant", key, &name, message);
            finding.level = finding.level.min(Level::Warning);
        }
        if role == Role::Resume && always {
            let message =
                format!("`{name}` is required, so it must come even when nothing more remains");
            self.report("unguarded-resume-field", key, &name, message);
        }
    }
}

fn fits(role: Role, stated: Value<'_>) -> bool {
    let fitting: &[&str] = match role {
        Role::More | Role::Clamped => &["boolean"],
        Role::Hint => &["string"],
        Role::Size | Role::Total | Role::Resume => &["integer", "number"],
    };
    let one = |word: &str| {
        fitting.contains(&word) || (word == "null" && !matches!(role, Role::More | Role::Size))
    };
    match stated.str() {
        Some(word) => fitting.contains(&&*word),
        None => stated.parts().all(|part| part.str().is_some_and(|word| one(&word))),
    }
}

fn wanted(role: Role) -> &'static str {
    match role {
        Role::More | Role::Clamped => "a boolean",
        Role::Hint => "a string",
        Role::Size | Role::Total | Role::Resume => "an integer",
    }
}
