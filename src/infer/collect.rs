//! Gathers the facts of a pack from all sessions.
//!
//! Says which objects are pages; judges nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::activity::Activity;
use super::drive::Ran;
use super::envelope::{responses, Sent};
use super::exact::inexact;
use super::facts::{Facts, Inconsistency, Response, Worth};
use super::memory::Memory;
use super::names::Tables;
use super::requests::request_of;
use super::resolve::Index;
use super::schedule::run_all;
use super::session::Session;
use super::tree_nodes::is_tree_node;
use super::value::{FunctionId, Node, Op, V};
use super::windows::windows;
use crate::ir::Program;
use crate::pack::{Pack, Role};
use crate::report::Confidence;
use crate::text::{FileId, Span};

/// The facts of a pack about a program.
pub fn facts(program: &Program, pack: &Pack) -> Facts {
    let tables = Tables::new(program);
    found(&Index::new(program, &tables), pack, &mut Memory::default())
}

/// The facts of a pack about a program; what the memory has of it is not found out again.
pub fn facts_with(program: &Program, pack: &Pack, memory: &mut Memory<Given>) -> Facts {
    let tables = memory.turn_to(program, pack);
    found(&Index::watched(program, &tables), pack, memory)
}

fn found(index: &Index<'_>, pack: &Pack, memory: &mut Memory<Given>) -> Facts {
    let pack = &super::frameworks::fitting(index, pack);
    let relevance = memory.relevance(index, pack);
    let learned = super::vocabulary::learn(index, pack, &relevance);
    let relevance = match learned == *pack {
        true => relevance,
        false => memory.relevance(index, &learned),
    };
    let pack = &learned;
    let known = memory.known(index, pack, &relevance);
    let parts = index.parts();
    let run = || {
        run_all(&Index::made_of(parts), pack, &relevance, &known, |ran, gives: &mut Given| {
            gives.commands.push(Runner::of(ran));
            // What could not be looked at to the end is not judged at all.
            let mut facts = Facts::default();
            session_facts(ran, &mut facts);
            if !ran.session.store.values.forms.work.is_out() {
                gives.facts.absorb(&facts);
            }
            super::unfinished::note(ran, &mut gives.facts);
        })
    };
    // Neither knows of the other.
    let ((runs, all), mut inconsistent) =
        rayon::join(run, || super::consistency::find(&Index::made_of(parts), pack));
    let mut facts = Facts::default();
    for run in &runs {
        for runner in &run.gives.commands {
            runner.add_to(&mut inconsistent, pack);
        }
        facts.absorb(&run.gives.facts);
    }
    facts.inconsistencies = inconsistent.into_iter().map(|(_, found)| found).collect();
    super::builders::builder_facts(index, pack, &relevance, &mut facts);
    number(&mut facts.responses);
    memory.keep(learned, relevance, all);
    facts
}

/// Counts the objects of each function in source order: what tells two of them apart when
/// lines move.
fn number(responses: &mut [Arc<Response>]) {
    let mut places: BTreeMap<(FileId, String), BTreeSet<Span>> = BTreeMap::new();
    for response in responses.iter() {
        let function = (response.created.file, response.function.clone());
        places.entry(function).or_default().insert(response.created);
    }
    for response in responses {
        let function = (response.created.file, response.function.clone());
        let own = places.get(&function);
        let object = own.map_or(0, |own| own.range(..response.created).count()) as u32;
        // Most functions make one object, and what runs keep of those is shared.
        if response.object != object {
            Arc::make_mut(response).object = object;
        }
    }
}

/// What one root gives.
#[derive(Default)]
pub struct Given {
    facts: Facts,
    /// Who ran, a session each.
    commands: Vec<Runner>,
}

/// A session: its command and what it ran.
struct Runner {
    names: Vec<String>,
    stage: Option<String>,
    went: FxHashSet<FunctionId>,
}

impl Runner {
    fn of(ran: &Ran<'_>) -> Runner {
        let names = ran.roots.iter().filter_map(|r| r.name.as_ref());
        Runner {
            names: names.filter(|n| !n.is_empty()).map(|n| n.to_string()).collect(),
            stage: ran.session.stage.as_ref().map(|s| s.to_string()),
            went: ran.session.seen.visited.clone(),
        }
    }

    /// Notes which command this is where it came through a function of the list.
    fn add_to(&self, found: &mut [(Vec<FunctionId>, Inconsistency)], pack: &Pack) {
        let rank = |stage: &Option<String>| {
            stage.as_ref().and_then(|stage| pack.stages.iter().position(|s| s.name == *stage))
        };
        for (_, one) in
            found.iter_mut().filter(|(ids, _)| ids.iter().any(|i| self.went.contains(i)))
        {
            one.commands.extend(self.names.iter().cloned());
            if rank(&self.stage) > rank(&one.stage) {
                one.stage = self.stage.clone();
            }
        }
    }
}

fn session_facts(ran: &mut Ran<'_>, facts: &mut Facts) {
    super::data::collect(ran, facts);
    if pack_has_no_envelope(&ran.session) {
        return;
    }
    let mut sent = responses(ran);
    let pages: Vec<bool> = sent.iter().map(|s| is_page(&mut ran.session, s)).collect();
    let paging: BTreeSet<Activity> =
        sent.iter().zip(&pages).filter(|(_, p)| **p).map(|(s, _)| s.activity.clone()).collect();
    let makers: BTreeSet<String> = sent
        .iter()
        .zip(&pages)
        .filter(|(_, p)| **p)
        .map(|(s, _)| s.response.function.clone())
        .collect();
    for (one, page) in sent.iter_mut().zip(pages) {
        // A page size alone is one where another path of the same tool pages. What has no name
        // may be several tools: there the function has to be the same.
        let same = !one.response.tools.is_empty() || makers.contains(&one.response.function);
        let sibling = same
            && paging.iter().any(|a| a.reaches(&one.activity))
            && one.response.role(Role::Size).next().is_some();
        one.response.paging = page || sibling;
        let (linear, scopes) = request_of(&ran.session, &one.activity);
        one.response.linear = linear;
        one.response.scopes = scopes;
    }
    sent.retain(|s| {
        let response = &s.response;
        let guess = || !is_tree_node(&ran.session, s.object) && strong(response);
        response.confidence > Confidence::Low || guess() || changes_page(response)
    });
    for one in &mut sent {
        if one.response.paging {
            let found = inexact(&mut ran.session, one);
            one.response.inexact = found;
            one.response.overwritten = super::builders::overwritten(&mut ran.session, one);
        }
        one.response.understood &= !ran.roots[one.activity.root as usize].exhausted;
    }
    facts.windows.extend(windows(ran, &sent).into_iter().map(Arc::new));
    facts.responses.extend(sent.into_iter().map(|s| Arc::new(s.response)));
}

/// Whether a pack asks nothing of envelopes.
fn pack_has_no_envelope(session: &Session<'_>) -> bool {
    session.pack.fields.more.is_empty()
}

/// Whether an object that is only guessed to leave carries a strong paging field.
fn strong(response: &Response) -> bool {
    response.paging
        && (response.role(Role::More).next().is_some()
            || response.role(Role::Resume).next().is_some()
            || (response.role(Role::Size).next().is_some()
                && response.role(Role::Total).next().is_some()))
}

/// Whether an object passes a response on, but not as it came.
fn changes_page(response: &Response) -> bool {
    let forwarded = &response.forwarded;
    let resized = forwarded.whole && response.role(Role::Size).next().is_some();
    response.awaited && (resized || !forwarded.dropped.is_empty() || !forwarded.renamed.is_empty())
}

/// Whether an object is a page by its own fields.
fn is_page(session: &mut Session<'_>, sent: &Sent) -> bool {
    let response = &sent.response;
    let has = |role: Role| response.role(role).next().is_some();
    let flag =
        response.role(Role::More).any(|(_, f)| !matches!(f.worth, Worth::Text | Worth::Number));
    if flag || has(Role::Resume) || has(Role::Clamped) {
        return true;
    }
    let sizes: Vec<(usize, bool)> = response.role(Role::Size).map(|(i, _)| (i, true)).collect();
    for (i, _) in sizes {
        let name = response.fields[i].name.clone();
        let (counts, cut) = what_size_counts(session, sent, &name);
        if !counts {
            continue;
        }
        if cut {
            return true;
        }
        let unit = session.pack.unit(&name);
        let same_unit = response.role(Role::Total).any(|(_, f)| {
            let other = session.pack.unit(&f.name);
            unit.is_none() || other.is_none() || other == unit
        });
        let window = session.seen.windows.iter().any(|w| w.activity.reaches(&sent.activity));
        if same_unit && (window || has_rows(session, sent)) {
            return true;
        }
    }
    false
}

/// Whether a page size is a number of rows, and whether those rows were cut.
fn what_size_counts(session: &mut Session<'_>, sent: &Sent, name: &str) -> (bool, bool) {
    let key = session.store.values.text(name);
    let holders = std::iter::once(&sent.object).chain(sent.members.iter().map(|(m, _)| m));
    let holds =
        |v: &&V| session.store.body(**v).is_some_and(|id| session.store.keys(id).contains(&key));
    let holder = holders.into_iter().find(holds).copied().unwrap_or(sent.object);
    let value = session.store.read(holder, key, sent.guard);
    let (mut counts, mut cut) = (false, false);
    for (_, leaf) in session.store.values.leaves(value, sent.guard) {
        match session.store.values.node(leaf).clone() {
            Node::Op(Op::Size, parts)
                if matches!(session.store.values.node(parts[0]), Node::List(_)) =>
            {
                counts = true;
                cut |= !session.list_is_whole(parts[0]);
            }
            Node::Int(_) | Node::Op(Op::Field, _) => counts = true,
            _ => {}
        }
    }
    (counts, cut)
}

fn has_rows(session: &mut Session<'_>, sent: &Sent) -> bool {
    let Some(id) = session.store.body(sent.object) else { return false };
    session.store.keys(id).into_iter().any(|key| {
        let value: V = session.store.read(sent.object, key, sent.guard);
        session
            .store
            .values
            .leaves(value, sent.guard)
            .iter()
            .any(|(_, leaf)| matches!(session.store.values.node(*leaf), Node::List(_)))
    })
}
