//! What commands, results and groups declare of their pages, also where the declaration stands in
//! a function of its own that no command is seen to use.
//!
//! Judges nothing.

use std::sync::Arc;

use super::commands::{declared_fields, last_write, Declared, DeclaredField};
use super::drive::Ran;
use super::facts::{Command, Emitter, Facts, Passthrough};
use super::formula::F;
use super::schema::listed;
use super::session::Session;
use super::value::{Node, Op, V};
use crate::ir::Type;
use crate::pack::versions_payload;
use crate::text::Span;

/// A declaration of pages as it is written.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// Its fields.
    pub fields: Vec<DeclaredField>,
    /// Whether it is of the kind that stands in a result, which is the wrong place.
    pub in_result: bool,
}

/// Adds the declarations that a session shows to the facts.
pub fn collect(ran: &mut Ran<'_>, facts: &mut Facts) {
    for declared in std::mem::take(&mut ran.declared) {
        let whole = declared.whole.clone();
        let command = command(&ran.session, declared);
        if let Some(whole) = whole {
            let tool = whole.tool.to_string();
            if whole.asks {
                let paged = facts.paged_tools.entry(tool.clone()).or_default();
                paged.asked.get_or_insert(whole.span);
            }
            let emitter = Emitter {
                command: command.name.clone(),
                stage: command.stage.clone(),
                ..Emitter::default()
            };
            facts.passthroughs.push(Arc::new(Passthrough {
                span: whole.span,
                emitter,
                tools: vec![tool],
                asks_for_page: whole.asks,
                guessed: false,
            }));
        }
        facts.commands.push(Arc::new(command));
    }
    let flags = ran.session.seen.flags.iter();
    let named = flags.filter_map(|f| Some((f.name.as_ref()?.to_string(), f.span, f.inherited)));
    facts.flags.extend(named);
    let meta = &ran.session.pack.meta;
    let is = |list: &[String], name: &str| list.iter().any(|t| t == name);
    for (v, ty, site) in ran.session.seen.structs.clone() {
        let Type::Named(_, name) = &ty else { continue };
        let in_result = is(&meta.result_declaration_types, name);
        if in_result || is(&meta.declaration_types, name) {
            let fields = declared_fields(&mut ran.session, v, site.span);
            facts.declarations.insert(site.span, Declaration { fields, in_result });
        } else if is(&meta.result_types, name) {
            let schema = field(&mut ran.session, v, &meta.schema_field);
            facts.loose_schemas.extend(raw_fields(&ran.session, &[schema]));
        } else if is(&meta.group_types, name) {
            let key = ran.session.store.values.text(&meta.group_field);
            let declared = field(&mut ran.session, v, &meta.group_field);
            let id = ran.session.store.body(v).filter(|_| declared != V::NULL);
            let at = id.and_then(|id| last_write(&ran.session, id, key));
            facts.on_groups.extend(at.map(|site| site.span));
        }
    }
}

fn field(session: &mut Session<'_>, v: V, name: &str) -> V {
    let key = session.store.values.text(name);
    session.store.read(v, key, F::TRUE)
}

fn raw_fields(session: &Session<'_>, schemas: &[V]) -> Vec<(String, Span)> {
    listed(session, schemas, &|name, _| session.pack.is_raw(name))
}

fn command(session: &Session<'_>, declared: Declared) -> Command {
    let alias = |name: &str, constant: Option<&str>| {
        session.pack.meta.alias_fields.iter().any(|a| a == name)
            && !constant.is_some_and(versions_payload)
    };
    let known = |v: &V| is_known(session, *v);
    let schema = (!declared.schemas.is_empty()).then(|| declared.schemas.iter().all(known));
    Command {
        name: declared.name.map(|n| n.to_string()),
        stage: declared.stage.map(|n| n.to_string()),
        span: declared.span,
        named: declared.named,
        pagination: declared.pagination,
        result_pagination: declared.result_pagination,
        parameters: declared.parameters,
        told: declared.told,
        schema,
        schema_fields: raw_fields(session, &declared.schemas),
        schema_aliases: listed(session, &declared.schemas, &alias),
    }
}

/// Whether the text of a schema is known but for the holes of a template.
fn is_known(session: &Session<'_>, schema: V) -> bool {
    match session.store.values.node(schema) {
        Node::Text(_) | Node::Object(_) => true,
        Node::Op(Op::Text | Op::Encode | Op::Add | Op::Other | Op::Tuple, parts) => {
            parts.iter().any(|p| is_known(session, *p))
        }
        Node::Choice(_, a, b) => is_known(session, *a) && is_known(session, *b),
        _ => false,
    }
}
