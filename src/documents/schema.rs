//! Schema files to leaves, groups and tools, and what is wrong with each.
//!
//! Never looks at a response.

use super::facts::{finding, first, Place, Words};
use super::json::{Json, Kind, Value};
use super::json_schema::Schema;
use super::variants::{known, Leaf, Variant};
use super::{result, tool_schema};
use crate::pack::{folded, Pack};
use crate::report::Finding;
use crate::text::Span;

/// Members that hold what a group consists of.
const CHILDREN: &[&str] =
    &["commands", "subcommands", "children", "groups", "products", "leaves", "services"];
/// Members by which a leaf is known, best first.
const NAMES: &[&str] = &["canonical_path", "cli_path", "path", "command", "tool", "name", "id"];
/// Members that say which variant a leaf is, or what kind of node.
const SORTS: &[&str] =
    &["variant", "detail", "view", "mode", "format", "kind", "type", "level", "node"];
/// Words for nodes that are no leaf.
const GROUPS: &[&str] = &["group", "product", "service"];
/// Members of a leaf that hold no further leaves.
const INNER: &[&str] =
    &["result", "pagination", "parameters", "examples", "example", "inputSchema", "outputSchema"];

/// A node that is still to be looked at.
struct Node<'j> {
    value: Value<'j>,
    name: String,
    variant: Option<Variant>,
}

/// Checks a schema document; `stem` is the name of its file.
pub fn check(
    document: Value<'_>,
    place: &Place,
    words: Words<'_>,
    stem: &str,
    acc: &mut Vec<Finding>,
) -> Vec<Leaf> {
    let (variant, name) = Variant::of_file(stem);
    let mut leaves = Vec::new();
    let mut waiting = vec![Node { value: document, name, variant }];
    while let Some(node) = waiting.pop() {
        let (value, mut variant) = (node.value, node.variant);
        let mut name = node.name;
        let mut inner: Vec<Value<'_>> =
            value.parts().filter(|p| matches!(p.kind(), Kind::Object | Kind::Array)).collect();
        if value.is_object() {
            if let Some(pack) =
                words.envelope.filter(|_| tool_schema::is_tool(value) || value.index() == 0)
            {
                tool_schema::check(value, document, place, pack, acc);
            }
            variant = SORTS.iter().find_map(|s| Variant::of(&value.text(s)?)).or(variant);
            if let Some(own) = NAMES.iter().find_map(|n| value.text(n)) {
                name = own.into_owned();
            }
            let group = is_group(value);
            let leaf = value.get("pagination").is_some_and(|p| declares(p) || group)
                || declares_result(value);
            if let Some(meta) = words.meta.filter(|_| leaf) {
                let tool = Some(name.as_str())
                    .filter(|n| !n.is_empty() && NAMES.iter().any(|k| value.get(k).is_some()));
                let mut cx = Context { value, document, place, pack: meta, tool, acc };
                if group {
                    cx.group();
                } else {
                    cx.leaf();
                    leaves.extend(variant.map(|variant| known(value, place, &name, variant)));
                }
            }
            if leaf || tool_schema::is_tool(value) {
                inner.retain(|p| !INNER.contains(&&*p.key()));
            }
        }
        for part in inner.into_iter().rev() {
            let key = part.key();
            let told = Variant::of(&key);
            let plain = key.is_empty() || told.is_some() || CHILDREN.contains(&&*key);
            waiting.push(Node {
                value: part,
                name: if plain { name.clone() } else { key.into_owned() },
                variant: told.or(variant),
            });
        }
    }
    leaves
}

/// Whether a value declares the ability to page.
fn declares(value: Value<'_>) -> bool {
    let fields =
        ["kind", "cursor_parameter", "meta_path", "endpoint_exhausted_path", "next_token_path"];
    value.is_object() && fields.iter().any(|f| value.get(f).is_some())
}

fn declares_result(value: Value<'_>) -> bool {
    value.object("result").is_some_and(|r| {
        ["data_schema", "dataSchema", "outcomes"].iter().any(|f| r.get(f).is_some())
    })
}

fn is_group(value: Value<'_>) -> bool {
    let children =
        CHILDREN.iter().filter_map(|name| value.get(name)).any(|c| c.parts().next().is_some());
    let called = SORTS.iter().filter_map(|s| value.text(s)).any(|word| GROUPS.contains(&&*word));
    (children || called) && value.get("result").is_none()
}

struct Context<'c, 'j> {
    value: Value<'j>,
    document: Value<'j>,
    place: &'c Place,
    pack: &'c Pack,
    tool: Option<&'c str>,
    acc: &'c mut Vec<Finding>,
}

impl Context<'_, '_> {
    fn report(&mut self, rule: &'static str, at: Span, field: &str, message: String, help: &str) {
        let mut finding = finding(rule, at, self.tool, message);
        (finding.field, finding.help) = (Some(field.to_string()), Some(help.to_string()));
        self.acc.push(finding);
    }

    fn group(&mut self) {
        let Some(pagination) = self.value.get("pagination") else { return };
        let at = self.place.key(pagination);
        let message = "the summary of a group carries a pagination object".to_string();
        self.report(
            "pagination-on-group",
            at,
            "pagination",
            message,
            "declare it on the command that returns rows",
        );
    }

    fn leaf(&mut self) {
        if let Some(pagination) = self.value.object("pagination") {
            self.kind(pagination);
            self.cursor_parameter(pagination);
            self.paths(pagination);
        }
        self.result_paths();
        self.parameters();
        let schema =
            self.value.object("result").and_then(|r| r.any(&["data_schema", "dataSchema"]));
        match schema.map(|s| (s, Json::parse_inside(s))) {
            Some((_, Some(inside))) => self.data_schema(inside.root(), inside.root()),
            Some((schema, None)) => self.data_schema(schema, self.document),
            None => {}
        }
    }

    fn kind(&mut self, pagination: Value<'_>) {
        let field = first(&self.pack.meta.kind_field).to_string();
        let kinds = &self.pack.meta.kinds;
        let only = first(kinds).to_string();
        let help = format!("the only kind is `{only}`");
        match pagination.get(&field) {
            Some(kind) if !kind.str().is_some_and(|k| kinds.iter().any(|known| *known == k)) => {
                let message = format!("`{field}` is {}, not `{only}`", kind.source());
                self.report(
                    "unsupported-pagination-kind",
                    self.place.of(kind),
                    &field,
                    message,
                    &help,
                );
            }
            None => {
                let message = format!("the declaration has no `{field}`");
                self.report(
                    "unsupported-pagination-kind",
                    self.place.key(pagination),
                    &field,
                    message,
                    &help,
                );
            }
            _ => {}
        }
    }

    fn cursor_parameter(&mut self, pagination: Value<'_>) {
        let field = first(&self.pack.meta.cursor_parameter_field).to_string();
        let rule = "unknown-cursor-parameter";
        let help = "name a flag of this command, without dashes";
        let Some(parameter) = pagination.get(&field) else {
            let message = format!("the declaration has no `{field}`");
            return self.report(rule, self.place.key(pagination), &field, message, help);
        };
        let at = self.place.of(parameter);
        let name = parameter.str().unwrap_or_default();
        if name.is_empty() {
            return self.report(rule, at, &field, format!("`{field}` names no parameter"), help);
        }
        if name.starts_with('-') {
            return self.report(
                rule,
                at,
                &field,
                format!("`{name}` is written with dashes; a parameter's name has none"),
                help,
            );
        }
        let known = parameters(self.value);
        if known.is_some_and(|known| !known.iter().any(|(known, _)| *known == name)) {
            self.report(rule, at, &field, format!("the command has no parameter `{name}`"), help);
        }
    }

    fn paths(&mut self, pagination: Value<'_>) {
        for path in &self.pack.meta.fixed_paths {
            for part in path.fields.iter().filter_map(|field| pagination.get(field)) {
                if part.str().is_some_and(|text| text == path.value) {
                    continue;
                }
                let message = format!(
                    "`{}` is {}; it is fixed to `{}`",
                    part.key(),
                    part.source(),
                    path.value
                );
                let help = "leave the path to the framework";
                self.report(
                    "overridden-meta-path",
                    self.place.of(part),
                    &part.key(),
                    message,
                    help,
                );
            }
        }
    }

    /// A result that names a cursor or exhaustion path of its own.
    fn result_paths(&mut self) {
        let Some(result) = self.value.object("result") else { return };
        for part in result.parts() {
            let key = part.key();
            let name = folded(&key);
            let fixed = self
                .pack
                .meta
                .fixed_paths
                .iter()
                .any(|p| p.fields.iter().any(|f| folded(f) == name));
            let own = name.ends_with("_path")
                && ["cursor", "token", "exhaust", "has_more"].iter().any(|w| name.contains(w));
            if fixed || own {
                let message = format!(
                    "the result names `{}`, a path of its own for the state of paging",
                    part.key()
                );
                let help = "the three paths are fixed and belong to `pagination`";
                self.report(
                    "overridden-meta-path",
                    self.place.key(part),
                    &part.key(),
                    message,
                    help,
                );
            }
        }
    }

    fn parameters(&mut self) {
        for (name, at) in parameters(self.value).unwrap_or_default() {
            if self.pack.meta.alias_flags.contains(&name) {
                let message =
                    format!("the flag `{name}` chooses between versions of the output protocol");
                let help = "leave it out: a command moves by its stage, not by a flag";
                self.report("protocol-alias", self.place.span(at), &name, message, help);
            }
        }
    }

    fn data_schema(&mut self, root: Value<'_>, document: Value<'_>) {
        let (pack, mut raw, mut aliases) = (self.pack, Vec::new(), Vec::new());
        let enter = |name: &str| !result::LEDGERS.contains(&&*folded(name));
        Schema { root, document }.objects(enter, |properties| {
            let more = properties.iter().any(|p| pack.is_raw_more(&p.key()));
            for part in properties {
                let name = part.key();
                if pack.is_raw(&name) || (more && pack.is_weak_cursor(&name)) {
                    raw.push(*part);
                } else if pack.meta.alias_fields.iter().any(|alias| *alias == name) {
                    aliases.push(*part);
                }
            }
        });
        for part in raw {
            let message =
                format!("the data schema lists `{}`, a paging field of the service", part.key());
            let help = "describe business data only; `pagination` beside `result` declares paging";
            self.report(
                "pagination-in-data-schema",
                self.place.key(part),
                &part.key(),
                message,
                help,
            );
        }
        for part in aliases {
            let constant = part.any(&["const", "default"]).is_some_and(result::versions_payload);
            if !constant {
                let message =
                    format!("`{}` offers another version of the output protocol", part.key());
                self.report(
                    "protocol-alias",
                    self.place.key(part),
                    &part.key(),
                    message,
                    "leave it out: there is one protocol",
                );
            }
        }
    }
}

type Named = (String, std::ops::Range<u32>);

/// The names of a leaf's parameters with their bytes; nothing where it does not list them.
fn parameters(leaf: Value<'_>) -> Option<Vec<Named>> {
    let listed = leaf.any(&["parameters", "flags"])?;
    let bare = |name: &str| name.trim_start_matches('-').to_string();
    match listed.kind() {
        Kind::Array => Some(
            listed
                .parts()
                .filter_map(|p| {
                    let name = if p.is_object() {
                        p.any(&["name", "flag", "long", "parameter"])?
                    } else {
                        p
                    };
                    Some((bare(&name.str()?), name.bytes()))
                })
                .collect(),
        ),
        Kind::Object => {
            let map = listed.object("properties").unwrap_or(listed);
            Some(map.parts().map(|p| (bare(&p.key()), p.key_bytes())).collect())
        }
        _ => None,
    }
}
