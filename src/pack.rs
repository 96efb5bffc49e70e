//! The vocabulary of a contract, parsed from TOML: names of fields, sinks, builders and the
//! like, which inference and rules ask for by role.
//!
//! Knows no language and no rule.

mod outlets;
mod stages;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use outlets::{Gives, Outlets};
pub use stages::{
    CommandTree, FixedPath, Flags, HandlerContext, Meta, MetadataCall, Stage, StageCall, StageGuard,
};
mod words;

pub use words::{folded, plural, same_folded, singular};

/// A pack: the words and calls of one contract.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Pack {
    /// The pack's id.
    pub id: String,
    /// Languages whose files it reads.
    pub languages: Vec<String>,
    /// Languages whose files only pass on; one that a project lists as its own is an emitter's.
    pub forwarding: Vec<String>,
    /// Field names of an offset envelope.
    pub fields: Fields,
    /// Parameters by which a caller asks for a window of the rows.
    pub windows: Windows,
    /// Raw paging fields of services, which must not reach emitted data.
    pub raw: Raw,
    /// Calls by which an object leaves the program.
    pub sinks: Vec<Sink>,
    /// Calls that make an error object, which is no page.
    pub errors: Vec<String>,
    /// Fields whose truth makes an object an error.
    pub error_flags: Vec<String>,
    /// Fields that are false in a failure.
    pub failure_flags: Vec<String>,
    /// Fields that only a failure has.
    pub failure_reasons: Vec<String>,
    /// Words in the name of a call that makes a failure, where it cannot be looked into.
    pub failure_words: Vec<String>,
    /// Shared builders of pages.
    pub builders: Vec<Builder>,
    /// Calls that give a handler a tool's name.
    pub registrars: Vec<Registrar>,
    /// Calls that read a setting; what they give is a fixed bound, not the size of data.
    pub settings: Vec<String>,
    /// Calls to the service behind the program.
    pub upstreams: Vec<Upstream>,
    /// Struct literals that declare a command.
    pub commands: Vec<CommandType>,
    /// Struct literals of commands that hang in a tree and have no name but by their place.
    pub command_trees: Vec<CommandTree>,
    /// Calls that set a command's stage after its literal.
    pub stage_calls: Vec<StageCall>,
    /// Calls that attach a declaration to a command made before.
    pub metadata_calls: Vec<MetadataCall>,
    /// Calls by which a command gets its flags.
    pub flags: Flags,
    /// Calls that say whether a command's stage is one of these.
    pub stage_guards: Vec<StageGuard>,
    /// Calls that give a command's stage.
    pub stage_reads: Vec<String>,
    /// Parameter types through which a handler reaches its own declaration.
    pub contexts: Vec<HandlerContext>,
    /// Calls that are not looked into; `name.*` stands for all functions of a package.
    pub opaque: Vec<String>,
    /// Types and packages whose functions are the output path itself.
    pub machinery: Vec<String>,
    /// Calls that hold under a dry run, whose output is no response.
    pub dry_run_guards: Vec<String>,
    /// Words of a function's name that say it sends what it is given.
    pub sending_words: Vec<String>,
    /// Calls that raise an event: they send only if the event's name has a word of an answer.
    pub events: Vec<String>,
    /// Words of an event's name that say it carries an answer.
    pub answering_words: Vec<String>,
    /// Where the meta half of a page is declared and built.
    pub meta: Meta,
    /// Stages, lowest first, with the level that caps their findings.
    pub stages: Vec<Stage>,
    /// The way out of programs that use none of the sinks that are no fallback.
    pub outlets: Outlets,
}

/// Field names of an offset envelope, by role.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Fields {
    /// The has-more flag.
    pub more: Vec<String>,
    /// The page size.
    pub size: Vec<String>,
    /// What every total's name begins with.
    pub total_prefix: Vec<String>,
    /// Resume fields.
    pub resume: Vec<String>,
    /// The flag that discloses a clamp.
    pub clamped: Vec<String>,
    /// The prose that says how to go on.
    pub hint: Vec<String>,
    /// Old names of the has-more flag.
    pub old_more: Vec<String>,
    /// Old names of the page size.
    pub old_size: Vec<String>,
    /// What further old names of the page size end with.
    pub old_size_suffix: Vec<String>,
    /// Old names of the total.
    pub old_total: Vec<String>,
    /// What further old names of the total end with.
    pub old_total_suffix: Vec<String>,
    /// Words that a resume field must not be called by.
    pub cursor_words: Vec<String>,
}

/// Window parameters, by role.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Windows {
    /// Page sizes.
    pub limit: Vec<String>,
    /// What further page sizes begin with.
    pub limit_prefix: Vec<String>,
    /// Indices of the first row.
    pub offset: Vec<String>,
    /// First lines.
    pub start: Vec<String>,
    /// Last lines.
    pub end: Vec<String>,
    /// Names that only look like a page size.
    pub never: Vec<String>,
}

/// Raw paging fields, by role.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Raw {
    /// Has-more flags.
    pub more: Vec<String>,
    /// Cursors and tokens.
    pub cursor: Vec<String>,
    /// Cursors only where the value continues a page.
    pub weak_cursor: Vec<String>,
    /// Request keys that ask for a page.
    pub request: Vec<String>,
    /// Request keys that mean other things too, for responses whose type shows that they page.
    pub weak_request: Vec<String>,
    /// Fields of a response that hold the rest of it.
    pub wrappers: Vec<String>,
}

/// A call by which an object leaves the program.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sink {
    /// The call, by the last elements of its name (`output.Success`, `Result` for a struct).
    pub call: String,
    /// Which argument leaves, from 0.
    pub argument: usize,
    /// The struct field that leaves, where the sink is a struct literal.
    pub field: Option<String>,
    /// The struct field or option that carries the meta half, where there is one.
    pub meta: Option<String>,
    /// Whether the call gives the object back, so that later writes count.
    pub gives_back: bool,
    /// Whether the argument is text that is printed as it is.
    pub text: bool,
    /// Whether only JSON texts leave: of all arguments from this one on.
    pub encoded: bool,
    /// The argument that is the writer; what is written elsewhere does not leave.
    pub writer: Option<usize>,
    /// Whether it is used only where no sink of a framework is known.
    pub fallback: bool,
    /// Whether the workspace's own function is run first, so that this counts only where
    /// nothing is seen to leave there.
    pub own_first: bool,
}

/// A shared builder of pages.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Builder {
    /// Its name as code refers to it (`Modules.Pagination`).
    pub name: String,
    /// The file that defines it, by the end of its path.
    pub file: String,
    /// What stands for that file where it is not in the workspace: the name of a shipped model.
    pub model: Option<String>,
}

impl Builder {
    /// Whether a path is the builder's file.
    pub fn is_file(&self, path: &str) -> bool {
        !self.file.is_empty() && (path == self.file || path.ends_with(&format!("/{}", self.file)))
    }

    /// Source that describes the builder where its own is not at hand.
    pub fn model_text(&self) -> Option<&'static str> {
        let name = self.model.as_deref()?;
        MODELS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }
}

/// Descriptions of builders that come with the program: name and source.
const MODELS: &[(&str, &str)] =
    &[("pagination.gd", include_str!("../rules/offset-envelope/model/pagination.gd"))];

/// A call that gives a handler a tool's name.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Registrar {
    /// The call, by the last elements of its name; `*.name` is a call with any receiver.
    pub call: String,
    /// Which argument is the name, from 0.
    pub name: usize,
    /// Which argument is the handler, from 0; the last function given counts if it is none.
    pub handler: usize,
    /// What the name argument has to be for the handler to answer tools, which it then tells
    /// apart by itself; when empty, the argument is the tool's name.
    pub dispatches: Vec<String>,
    /// Whether it is used only where no sink of a framework is known.
    pub fallback: bool,
}

/// A call to the service behind the program.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Upstream {
    /// The call, by the last elements of its name.
    pub call: String,
    /// Which argument is the tool's name, from 0.
    pub tool: Option<usize>,
    /// Which argument is the request, from 0.
    pub request: Option<usize>,
    /// Whether it also emits the whole response.
    pub emits: bool,
    /// Whether the response is text to be parsed.
    pub text: bool,
    /// Whether the call gives the response alone, without an error beside it.
    pub bare: bool,
    /// Whether the workspace's own function is run first, so that this counts only where no
    /// call to the service is seen there.
    pub own_first: bool,
}

/// A struct literal that declares a command.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CommandType {
    /// The struct's type name.
    pub type_name: String,
    /// Fields (paths with `.`) whose texts, joined by a space, are the name.
    pub name: Vec<String>,
    /// Fields that hold what the command runs.
    pub run: Vec<String>,
    /// Field that holds the stage.
    pub stage: String,
    /// Fields that hold functions run on the command when it is mounted.
    pub hooks: Vec<String>,
    /// Fields (paths) that hold the pagination declaration.
    pub pagination: Vec<String>,
    /// Fields (paths) that hold a declaration in the wrong place, beside the data schema.
    pub result_pagination: Vec<String>,
    /// Fields (paths) that hold the schema of the data.
    pub data_schema: Vec<String>,
    /// Field that lists the parameters.
    pub parameters: Vec<String>,
    /// Fields that hold the upstream tool's name, for a command without code of its own.
    pub tool: Vec<String>,
    /// Whether it is used only where no sink of a framework is known.
    pub fallback: bool,
}

/// The role of a field of an offset envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Has-more flag.
    More,
    /// Page size.
    Size,
    /// Exact total.
    Total,
    /// Resume field.
    Resume,
    /// Clamp disclosure.
    Clamped,
    /// Prose hint.
    Hint,
}

/// What a window parameter bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WindowKind {
    /// How many rows.
    Limit,
    /// How many rows to skip.
    Offset,
    /// The first line.
    Start,
    /// The last line.
    End,
}

fn is_in(list: &[String], name: &str) -> bool {
    list.iter().any(|n| n == name)
}

impl Pack {
    /// The role of a field by its contract name, and whether that is an old spelling.
    /// Old page-size and total suffixes are told by [`Pack::weak_role`].
    pub fn role(&self, field: &str) -> Option<(Role, bool)> {
        let name = folded(field);
        if field.starts_with('_') {
            return None;
        }
        let f = &self.fields;
        let exact = [
            (&f.more, Role::More, false),
            (&f.size, Role::Size, false),
            (&f.resume, Role::Resume, false),
            (&f.clamped, Role::Clamped, false),
            (&f.hint, Role::Hint, false),
            (&f.old_more, Role::More, true),
            (&f.old_size, Role::Size, true),
            (&f.old_total, Role::Total, true),
        ];
        for (list, role, old) in exact {
            if is_in(list, &name) {
                return Some((
                    role,
                    old || (field != name && role != Role::Hint && !is_in(list, field)),
                ));
            }
        }
        if f.total_prefix.iter().any(|p| name.len() > p.len() && name.starts_with(p.as_str())) {
            return Some((Role::Total, false));
        }
        None
    }

    /// The role of a field whose old spelling is only a suffix (`cell_count`, `rows_total`).
    pub fn weak_role(&self, field: &str) -> Option<Role> {
        if field.starts_with('_') {
            return None;
        }
        let name = folded(field);
        let ends = |list: &[String]| {
            list.iter().any(|s| name.len() > s.len() && name.ends_with(s.as_str()))
        };
        if ends(&self.fields.old_size_suffix) {
            Some(Role::Size)
        } else if ends(&self.fields.old_total_suffix) {
            Some(Role::Total)
        } else {
            None
        }
    }

    /// The unit in a field's name: `total_cells`, `cell_count` and `cells_total` say `cell`.
    pub fn unit(&self, field: &str) -> Option<String> {
        let name = folded(field);
        let f = &self.fields;
        let stem =
            f.total_prefix.iter().find_map(|p| name.strip_prefix(p.as_str())).or_else(|| {
                f.old_size_suffix
                    .iter()
                    .chain(&f.old_total_suffix)
                    .find_map(|s| name.strip_suffix(s.as_str()))
            })?;
        if stem.is_empty() || is_in(&f.old_total, &name) {
            return None;
        }
        Some(singular(stem))
    }

    /// What a request parameter of this name bounds.
    pub fn window(&self, parameter: &str) -> Option<WindowKind> {
        let name = folded(parameter);
        let w = &self.windows;
        if is_in(&w.never, &name)
            || w.never.iter().any(|n| n.starts_with('_') && name.ends_with(n.as_str()))
        {
            return None;
        }
        if is_in(&w.limit, &name) {
            return Some(WindowKind::Limit);
        }
        if is_in(&w.offset, &name) {
            return Some(WindowKind::Offset);
        }
        if is_in(&w.start, &name) {
            return Some(WindowKind::Start);
        }
        if is_in(&w.end, &name) {
            return Some(WindowKind::End);
        }
        let prefixed =
            w.limit_prefix.iter().any(|p| name.len() > p.len() && name.starts_with(p.as_str()));
        prefixed.then_some(WindowKind::Limit)
    }

    /// Whether a name is a raw paging field, in any case or separator form.
    pub fn is_raw(&self, field: &str) -> bool {
        self.raw.more.iter().chain(&self.raw.cursor).any(|raw| same_folded(raw, field))
    }

    /// Whether a raw field is a has-more flag.
    pub fn is_raw_more(&self, field: &str) -> bool {
        self.raw.more.iter().any(|raw| same_folded(raw, field))
    }

    /// Whether a name continues a page only if its value does.
    pub fn is_weak_cursor(&self, field: &str) -> bool {
        self.raw.weak_cursor.iter().any(|raw| same_folded(raw, field))
    }

    /// Whether a parameter of this name asks for a page.
    pub fn asks_by(&self, name: &str) -> bool {
        self.raw.request.iter().chain(&self.raw.cursor).any(|raw| same_folded(raw, name))
    }

    /// Whether a field's name calls it a cursor or token.
    pub fn is_cursor_word(&self, field: &str) -> bool {
        let name = folded(field);
        let total = self.fields.total_prefix.iter().any(|p| name.starts_with(p.as_str()));
        !total && name.split('_').any(|part| is_in(&self.fields.cursor_words, part))
    }
}

/// Whether a version is that of a payload, told by a product's name in front of it.
pub fn versions_payload(text: &str) -> bool {
    let name = text.split(['.', '/', ':', '@']).next().unwrap_or_default();
    name.len() < text.len()
        && name.len() > 1
        && name.chars().all(|c| c.is_alphabetic() || "-_".contains(c))
}
/// Packs that come with the program: id and text.
const SHIPPED: &[(&str, &str)] = &[
    ("offset-envelope", include_str!("../rules/offset-envelope/pack.toml")),
    ("meta-pagination", include_str!("../rules/meta-pagination/pack.toml")),
];

/// Ids of the packs that come with the program.
pub fn shipped() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|(id, _)| *id)
}

impl Pack {
    /// A shipped pack (or an empty one of a new id) with a project's additions.
    ///
    /// Lists are extended and tables merged; keys that the additions name under `replace` are
    /// replaced whole. Fails with a sentence that names the wrong key.
    pub fn load(id: &str, additions: Option<&toml::Table>) -> Result<Pack, String> {
        let text = SHIPPED.iter().find(|(known, _)| *known == id).map_or("", |(_, text)| *text);
        let mut table: toml::Table = toml::from_str(text).map_err(|e| e.to_string())?;
        if let Some(additions) = additions {
            let mut additions = additions.clone();
            let replace = additions.remove("replace");
            let keys = replace.as_ref().and_then(|r| r.as_array()).into_iter().flatten();
            for key in keys.filter_map(|k| k.as_str()) {
                table.remove(key);
            }
            extend(&mut table, additions);
        }
        table.insert("id".to_string(), toml::Value::String(id.to_string()));
        toml::Value::Table(table)
            .try_into()
            .map_err(|e: toml::de::Error| format!("[pack.{id}]: {}", e.message()))
    }
}

fn extend(table: &mut toml::Table, additions: toml::Table) {
    for (key, value) in additions {
        match (table.get_mut(&key), value) {
            (Some(toml::Value::Table(inner)), toml::Value::Table(more)) => extend(inner, more),
            (Some(toml::Value::Array(list)), toml::Value::Array(more)) => list.extend(more),
            (_, value) => {
                table.insert(key, value);
            }
        }
    }
}
