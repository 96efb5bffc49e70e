//! What was captured against what the source can send, either way.
//!
//! Compares names of fields only; values are the business of other rules.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{finding, label, Place};
use super::json::Value;
use crate::infer::facts::Facts;
use crate::report::{Confidence, Finding};
use crate::text::Span;

/// Most different captured objects of one tool that are compared.
const MOST_SHAPES: usize = 64;
/// Members that what carries a response may add.
const CARRIED: &[&str] = &["success", "ok", "_meta"];

/// An object that the source can send.
#[derive(Clone, Debug)]
pub struct Sendable {
    /// The tool or command.
    pub tool: String,
    /// Its fields, and whether each is on every path.
    pub fields: Vec<(String, bool)>,
    /// Whether others may be there too.
    pub open: bool,
    /// Where it is made.
    pub span: Span,
}

/// The objects that named tools can send, as far as they were understood.
pub fn sendable(facts: &Facts, real: &dyn Fn(Span) -> Span) -> Vec<Sendable> {
    let mut all = Vec::new();
    for response in &facts.responses {
        for tool in &response.tools {
            all.push(Sendable {
                tool: tool.clone(),
                fields: response.fields.iter().map(|f| (f.name.clone(), f.always)).collect(),
                open: response.open
                    || !response.understood
                    || response.confidence == Confidence::Low,
                span: real(response.created),
            });
        }
    }
    all
}

/// Objects that were captured, one of each shape.
#[derive(Clone, Debug, Default)]
pub struct Sightings {
    seen: BTreeMap<(Option<String>, Vec<String>), Seen>,
}

#[derive(Clone, Debug)]
struct Seen {
    at: Span,
    keys: Vec<Span>,
}

impl Sightings {
    /// Notes an object.
    pub fn note(&mut self, tool: Option<&str>, object: Value<'_>, place: &Place) {
        let names: Vec<String> = object.parts().map(|p| p.key().into_owned()).collect();
        let key = (tool.map(String::from), names);
        if self.seen.len() >= MOST_SHAPES * 64 || self.seen.contains_key(&key) {
            return;
        }
        let keys: Vec<Span> = object.parts().map(|p| place.kept(place.key(p))).collect();
        let at = keys.first().copied().unwrap_or_else(|| place.kept(place.of(object)));
        self.seen.insert(key, Seen { at, keys });
    }

    /// Compares with the source. Objects without a tool are those of the tool that the file is
    /// named after, if there is one.
    pub fn compare(&self, stem: &str, sendable: &[Sendable], acc: &mut Vec<Finding>) {
        let mut said: BTreeSet<(String, String)> = BTreeSet::new();
        for ((tool, names), seen) in &self.seen {
            let tool = tool.as_deref().unwrap_or(stem);
            let known: Vec<&Sendable> = of_tool(tool, sendable);
            let differences = known.iter().map(|s| (difference(names, s), *s));
            let Some((fields, nearest)) = differences.min_by_key(|(d, _)| d.len()) else {
                continue;
            };
            for (field, captured) in fields {
                if !said.insert((nearest.tool.clone(), field.clone())) {
                    continue;
                }
                let place =
                    names.iter().position(|n| *n == field).map_or(seen.at, |at| seen.keys[at]);
                let message = match captured {
                    true => {
                        format!("`{field}` was captured, but the source of `{tool}` cannot send it")
                    }
                    false => format!(
                        "the source of `{tool}` always sends `{field}`, but it was not captured"
                    ),
                };
                let mut finding = finding("shape-drift", place, Some(&nearest.tool), message);
                finding.labels.push(label(nearest.span, "the object that comes nearest"));
                finding.field = Some(field);
                finding.help = Some("record the response again, or look at `pagelint shapes` for what was not understood".to_string());
                acc.push(finding);
            }
        }
    }
}

/// The objects of a tool. Servers write `scene_query` where a registry says `scene.query`.
fn of_tool<'s>(tool: &str, sendable: &'s [Sendable]) -> Vec<&'s Sendable> {
    let exact: Vec<&Sendable> = sendable.iter().filter(|s| s.tool == tool).collect();
    if !exact.is_empty() {
        return exact;
    }
    let plain = |name: &str| name.replace(['.', '-', ' ', '/'], "_");
    sendable.iter().filter(|s| plain(&s.tool) == plain(tool)).collect()
}

/// Fields that only one of the two has: captured (`true`) or always sent (`false`).
fn difference(names: &[String], sendable: &Sendable) -> Vec<(String, bool)> {
    let carried = |name: &str| CARRIED.contains(&name);
    let known = |name: &str| {
        sendable.fields.iter().any(|(field, _)| match field.split_once('*') {
            Some((before, after)) => {
                name.len() >= before.len() + after.len()
                    && name.starts_with(before)
                    && name.ends_with(after)
            }
            None => field == name,
        })
    };
    let extra = names
        .iter()
        .filter(|n| !sendable.open && !carried(n) && !known(n))
        .map(|n| (n.clone(), true));
    let absent = sendable
        .fields
        .iter()
        .filter(|(field, always)| {
            *always && !field.contains('*') && !carried(field) && !names.contains(field)
        })
        .map(|(field, _)| (field.clone(), false));
    extra.chain(absent).collect()
}
