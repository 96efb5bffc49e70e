//! Reads declared commands off a session: name, stage, what they run and what they say of
//! their pages.
//!
//! Judges nothing.

use rustc_hash::FxHashSet;

use super::capture::{capture, capture_value, Captured, CapturedValue};
use super::formula::F;
use super::mounts::{names, run_hooks, whole, Whole};
use super::session::Session;
use super::store::{Event, Site};
use super::value::{FunctionId, Node, ObjectId, Op, V};
use crate::ir::{Name, Type};
use crate::pack::CommandType;
use crate::text::Span;

/// A field of a declaration with its value, where it is a constant text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredField {
    /// The field's name.
    pub name: String,
    /// Its value.
    pub value: Option<String>,
    /// Where it is written.
    pub span: Span,
}

/// What a command says of its pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredPagination {
    /// Where it is attached to the command.
    pub span: Span,
    /// Where the literal stands.
    pub literal: Span,
    /// Its fields.
    pub fields: Vec<DeclaredField>,
}

/// A declared command.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Its name, if all parts are known.
    pub name: Option<Name>,
    /// Its stage, if one is set.
    pub stage: Option<Name>,
    /// Where it is declared.
    pub span: Span,
    /// Where its name, or the last part of it, is written.
    pub named: Span,
    /// What it says of its pages.
    pub pagination: Option<DeclaredPagination>,
    /// What its result says of its pages, which is the wrong place for it.
    pub result_pagination: Option<DeclaredPagination>,
    /// The parameters that could be told, with where their names are written.
    pub told: Vec<(String, Span)>,
    /// Its parameters' names; `None` when some are set in a way that could not be followed.
    pub parameters: Option<Vec<String>>,
    /// Schema texts of its data: the text and where it stands.
    pub schemas: Vec<V>,
    /// The tool of the service whose response it emits as it comes, if it runs no code.
    pub whole: Option<Whole>,
}

/// What a command runs, carried out of the session that declared it: equal ones run alike.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Handler {
    /// The name that it was registered or declared under.
    pub name: Option<Name>,
    /// The stage of its command.
    pub stage: Option<Name>,
    /// The function.
    pub function: FunctionId,
    /// What its closure holds.
    pub captured: Captured,
    /// The declaration of its command.
    pub declaration: Option<CapturedValue>,
    /// Whether it is a command of its own.
    pub command: bool,
    /// Whether it answers several tools, which it tells apart by itself.
    pub dispatches: bool,
    /// Whether only its place in a table says that it is a handler.
    pub guess: bool,
    /// Arguments bound to it.
    pub bound: BoundArgs,
}

impl Handler {
    /// Whether nothing says what it answers: a closure that nobody was seen to call.
    pub fn is_anonymous(&self) -> bool {
        self.name.is_none() && !self.command && !self.dispatches
    }
}

/// Arguments that a function value brings along, carried out of their session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BoundArgs {
    /// Their values.
    pub values: Vec<CapturedValue>,
    /// Whether they come behind the caller's.
    pub last: bool,
}

impl BoundArgs {
    /// The arguments bound to a function value; where several are bound one after another, those
    /// of the outermost binding.
    pub fn of(session: &Session<'_>, v: V) -> BoundArgs {
        match session.store.values.node(v) {
            Node::Op(Op::Bound, parts) => BoundArgs {
                values: parts[2..].iter().map(|a| capture_value(session, *a)).collect(),
                last: parts[1] == V::TRUE,
            },
            _ => BoundArgs::default(),
        }
    }

    /// Puts them in the place of a root's parameters.
    pub fn give(&self, session: &mut Session<'_>, params: &mut [V]) {
        let first = if self.last { params.len().saturating_sub(self.values.len()) } else { 0 };
        for (param, value) in params.iter_mut().skip(first).zip(&self.values) {
            *param = value.restore(session);
        }
    }
}

/// The commands that a session declared, with what they run.
pub fn commands(session: &mut Session<'_>) -> Vec<(Declared, Vec<Handler>)> {
    let mut found = Vec::new();
    let mut done: FxHashSet<V> = FxHashSet::default();
    session.pc = F::TRUE;
    for (v, ty, site) in session.seen.structs.clone() {
        let Type::Named(_, type_name) = &ty else { continue };
        let Some(kind) = session.pack.commands.iter().find(|c| c.type_name == type_name.as_str())
        else {
            continue;
        };
        if !done.insert(v) {
            continue;
        }
        let declared = declare(session, kind, v, site);
        let handlers = handlers_in(session, kind.run.iter(), v, v, &declared);
        found.push((declared, handlers));
    }
    attach(session, &mut found);
    super::trees::add(session, &mut found);
    found
}

/// Commands whose declaration is attached by a call to something made before.
fn attach(session: &mut Session<'_>, found: &mut Vec<(Declared, Vec<Handler>)>) {
    for (command, spec, at, site) in session.seen.metadata.clone() {
        let call = session.pack.metadata_calls[at].clone();
        for (_, leaf) in session.store.values.leaves(spec, F::TRUE) {
            let Some(kind) = command_type(session, leaf) else { continue };
            let mut declared = declare(session, kind, leaf, site);
            if declared.stage.is_none() {
                declared.stage = stage_set_on(session, command);
            }
            let (flags, all) = session.flags_on(command);
            if declared.parameters.is_none() && declared.told.is_empty() && !flags.is_empty() {
                declared.parameters = all.then(|| names(&flags));
            }
            declared.told.extend(flags);
            let handlers = handlers_in(session, call.run.iter(), command, leaf, &declared);
            found.retain(|(d, h)| !(h.is_empty() && d.name == declared.name && d.name.is_some()));
            found.push((declared, handlers));
        }
    }
}

fn command_type<'p>(session: &Session<'p>, v: V) -> Option<&'p CommandType> {
    let id = session.store.body(v)?;
    let Some((_, Type::Named(_, name))) = &session.store.object(id).ty else { return None };
    session.pack.commands.iter().find(|c| c.type_name == name.as_str())
}

fn declare(session: &mut Session<'_>, kind: &CommandType, v: V, site: Site) -> Declared {
    let parts: Vec<Option<Name>> = kind.name.iter().map(|path| text_at(session, v, path)).collect();
    let name = parts
        .into_iter()
        .collect::<Option<Vec<Name>>>()
        .map(|parts| Name::new(parts.join(" ")))
        .filter(|n| !n.trim().is_empty());
    let stage_value = at_path(session, v, &kind.stage);
    let hooks = run_hooks(session, kind, v);
    let stage = stage_of(session, stage_value).or(hooks.stage);
    let declared = |session: &mut Session<'_>, paths: &[String]| {
        paths.iter().find_map(|path| pagination(session, v, path))
    };
    let result_pagination = declared(session, &kind.result_pagination);
    let pagination = declared(session, &kind.pagination);
    let named = kind.name.last().and_then(|path| site_at(session, v, path));
    let named = named.map_or(site.span, |s| s.span);
    let mut schemas = Vec::new();
    for path in &kind.data_schema {
        let schema = at_path(session, v, path);
        let leaves = session.store.values.leaves(schema, F::TRUE);
        schemas.extend(leaves.into_iter().map(|(_, leaf)| leaf).filter(|leaf| *leaf != V::NULL));
    }
    let mut told = Vec::new();
    let mut parameters = parameters(session, kind, v, &mut told);
    if !hooks.all {
        parameters = None;
    } else if !hooks.flags.is_empty() && (told.is_empty() || parameters.is_some()) {
        parameters.get_or_insert_with(Vec::new).extend(names(&hooks.flags));
    }
    told.extend(hooks.flags);
    let span = site.span;
    let whole = whole(session, kind, v);
    Declared {
        name,
        stage,
        span,
        named,
        pagination,
        result_pagination,
        told,
        parameters,
        schemas,
        whole,
    }
}

/// Where the value at a dotted path of fields is written.
pub(super) fn site_at(session: &mut Session<'_>, v: V, path: &str) -> Option<Site> {
    let (holder, field) = match path.rsplit_once('.') {
        Some((holder, field)) => (at_path(session, v, holder), field),
        None => (v, path),
    };
    let key = session.store.values.text(field);
    session.store.body(holder).and_then(|id| last_write(session, id, key))
}

/// The value at a dotted path of fields.
pub(super) fn at_path(session: &mut Session<'_>, v: V, path: &str) -> V {
    let mut at = v;
    for part in path.split('.') {
        let key = session.store.values.text(part);
        at = session.store.read(at, key, F::TRUE);
    }
    at
}

pub(super) fn text_at(session: &mut Session<'_>, v: V, path: &str) -> Option<Name> {
    let v = at_path(session, v, path);
    session.store.values.as_text(v).cloned()
}

/// The stage that a value names: its text, or the constant that stands for it.
fn stage_of(session: &mut Session<'_>, v: V) -> Option<Name> {
    let leaves = session.store.values.leaves(v, F::TRUE);
    leaves.into_iter().find_map(|(_, leaf)| {
        let text = match session.store.values.node(leaf) {
            Node::Text(text) => text.clone(),
            Node::Op(Op::Field, parts) => session.store.values.as_text(parts[1])?.clone(),
            _ => return None,
        };
        let stage =
            session.pack.stages.iter().find(|s| {
                s.name == text.as_str() || s.constants.iter().any(|c| c == text.as_str())
            })?;
        Some(Name::new(&stage.name))
    })
}

/// The stage that a call set on a command.
pub(super) fn stage_set_on(session: &mut Session<'_>, command: V) -> Option<Name> {
    let stages = session.seen.stages.clone();
    let (_, stage) = stages.into_iter().rev().find(|(c, _)| *c == command)?;
    stage_of(session, stage)
}

/// What the fields of a command hold that is run.
pub(super) fn handlers_in<'a>(
    session: &mut Session<'_>,
    fields: impl Iterator<Item = &'a String>,
    holder: V,
    spec: V,
    declared: &Declared,
) -> Vec<Handler> {
    let mut handlers = Vec::new();
    for field in fields {
        let v = at_path(session, holder, field);
        for (_, leaf) in session.store.values.leaves(v, F::TRUE) {
            let Node::Function(function, frame, this) = *session.store.values.node(leaf) else {
                continue;
            };
            handlers.push(Handler {
                name: declared.name.clone(),
                stage: declared.stage.clone(),
                function,
                captured: capture(session, frame, this),
                declaration: Some(capture_value(session, spec)),
                command: true,
                dispatches: false,
                guess: false,
                bound: BoundArgs::default(),
            });
        }
    }
    handlers
}

fn pagination(session: &mut Session<'_>, v: V, path: &str) -> Option<DeclaredPagination> {
    let (holder, field) = match path.rsplit_once('.') {
        Some((holder, field)) => (at_path(session, v, holder), field),
        None => (v, path),
    };
    let key = session.store.values.text(field);
    let value = session.store.read(holder, key, F::TRUE);
    let leaves = session.store.values.leaves(value, F::TRUE);
    let (_, leaf) = leaves.into_iter().find(|(_, leaf)| session.store.body(*leaf).is_some())?;
    let id = session.store.body(leaf)?;
    let literal = session.store.object(id).created.span;
    let span = session
        .store
        .body(holder)
        .and_then(|h| last_write(session, h, key))
        .map_or(literal, |s| s.span);
    let fields = declared_fields(session, leaf, literal);
    Some(DeclaredPagination { span, literal, fields })
}

/// The fields of a declaration's literal.
pub fn declared_fields(session: &mut Session<'_>, v: V, literal: Span) -> Vec<DeclaredField> {
    let mut fields = Vec::new();
    let Some(id) = session.store.body(v) else { return fields };
    for key in session.store.keys(id) {
        let Some(name) = session.store.values.as_text(key).map(|t| t.to_string()) else { continue };
        let value = session.store.read(v, key, F::TRUE);
        let value = session.store.values.as_text(value).map(|t| t.to_string());
        let span = last_write(session, id, key).map_or(literal, |s| s.span);
        fields.push(DeclaredField { name, value, span });
    }
    fields
}

/// The last writing of a field of an object.
pub fn last_write(session: &Session<'_>, id: ObjectId, key: V) -> Option<Site> {
    session.store.object(id).log.iter().rev().find_map(|event| match event {
        Event::Write { key: k, site, .. } if *k == key => Some(*site),
        _ => None,
    })
}

/// Names of the parameters that a declaration lists, if those are all; each that can be told is
/// added to `told` with where its name is written.
fn parameters(
    session: &mut Session<'_>,
    kind: &CommandType,
    v: V,
    told: &mut Vec<(String, Span)>,
) -> Option<Vec<String>> {
    let (mut listed, mut all) = (false, true);
    for path in &kind.parameters {
        let list = at_path(session, v, path);
        for (_, leaf) in session.store.values.leaves(list, F::TRUE) {
            let Node::List(id) = *session.store.values.node(leaf) else {
                all &= leaf == V::NULL;
                continue;
            };
            listed = true;
            all &= !session.store.list(id).open;
            for (_, item) in session.store.list(id).elements.clone() {
                let name = text_at(session, item, "Name");
                let site = site_at(session, item, "Name");
                match (name, site) {
                    (Some(name), Some(site)) => told.push((name.to_string(), site.span)),
                    _ => all = false,
                }
            }
        }
    }
    (listed && all).then(|| names(told))
}
