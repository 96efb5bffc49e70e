//! Runs the program from its roots: registered handlers, and functions that nothing calls.
//!
//! Knows sessions and notes; judges nothing.

use std::sync::{Mutex, PoisonError};

use super::arms::{run_arms, told_apart};
use super::capture::{capture, Captured};
use super::commands::{commands, BoundArgs, Declared, Handler};
use super::formula::F;
use super::observe::{Exit, Registration};
use super::relevance::Relevance;
use super::replaced::replaced;
use super::resolve::Index;
use super::schedule::{From, Results};
use super::session::{Frame, Limits, Session};
use super::store::Site;
use super::tables::in_tables;
use super::taken::taken;
use super::value::{FunctionId, Node, Op, Origin, Values, V};
use crate::ir::{FunctionKind, Name};
use crate::pack::Pack;

/// Values of sessions that have ended, emptied, so that the next need not make room again.
#[derive(Default)]
pub(super) struct Spare(Mutex<Vec<Values>>);

impl Spare {
    /// Empty values.
    pub(super) fn take(&self) -> Values {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Empties values and keeps them.
    pub(super) fn give(&self, mut values: Values) {
        values.clear();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(values);
    }
}

/// Limits of one root.
pub(super) const LIMITS: Limits = Limits { fuel: 60_000, depth: 40, work: 5_000_000 };

/// A root that was run in a session.
#[derive(Clone, Debug)]
pub struct Root {
    /// The name it was registered under.
    pub name: Option<Name>,
    /// Whether it is a registered handler.
    pub registered: bool,
    /// Whether it answers several tools, which it tells apart by itself.
    pub dispatches: bool,
    /// What was run.
    pub function: FunctionId,
    /// What it returned.
    pub result: V,
    /// The parameters it was run with.
    pub params: Vec<V>,
    /// The frame of its run.
    pub frame: u32,
    /// Whether fuel or depth ran out.
    pub exhausted: bool,
    /// Whether statements were left out because fuel or work ran out.
    pub cut: bool,
}

/// A session that ran to its end, with its roots.
pub struct Ran<'p> {
    /// The session.
    pub session: Session<'p>,
    /// Its roots, by number.
    pub roots: Vec<Root>,
    /// The commands that it declared.
    pub declared: Vec<Declared>,
}

/// Runs one root. Gives what it registers, declares or leaves as a function value, each for a heap
/// of its own, last first.
pub(super) fn run_root<'p>(
    index: &'p Index<'p>,
    pack: &'p Pack,
    relevance: &'p Relevance,
    spare: &Spare,
    (from, work): (&From, u64),
    visit: &mut dyn FnMut(&mut Ran<'p>),
) -> Vec<Handler> {
    let limits = Limits { work, ..LIMITS };
    let mut session = Session::new(index, pack, relevance, limits, spare.take());
    session.stage = pack.stages.first().map(|s| Name::new(&s.name));
    let mut roots = Vec::new();
    match from {
        From::Function(id, results) => {
            start(&mut session, &mut roots, None, *results, *id, &Captured::default())
        }
        From::Unit(unit) => start_unit(&mut session, &mut roots, *unit),
        From::Handler(handler) => start_handler(&mut session, &mut roots, handler),
    }
    let mut declared = Vec::new();
    let handlers = handlers(&mut session, &mut declared);
    let arms = told_apart(std::mem::take(&mut session.seen.arms));
    let mut whole = Ran { session, roots, declared };
    match from {
        // A dispatcher that is too much for one heap gets one for each of its arms.
        From::Function(id, results) if whole.roots[0].exhausted && arms.len() > 1 => {
            run_arms(whole, (*id, *results), arms, (spare, work), visit)
        }
        From::Function(..) | From::Unit(_) | From::Handler(_) => {
            visit(&mut whole);
            spare.give(whole.session.store.values);
        }
    }
    handlers
}

fn start_handler(session: &mut Session<'_>, roots: &mut Vec<Root>, handler: &Handler) {
    // A command that declares no stage is in the lowest one, as is a function that no
    // declaration leads to.
    if handler.stage.is_some() {
        session.stage = handler.stage.clone();
    }
    session.frames.push(idle_frame(handler.function));
    session.declaration = handler.declaration.as_ref().map(|d| d.restore(session));
    let results = match handler.dispatches {
        true => Results::Dispatched,
        false if handler.guess => Results::Guess,
        false if handler.command || handler.is_anonymous() => Results::Inside,
        false => Results::Sent,
    };
    session.bound = handler.bound.clone();
    let (name, captured) = (handler.name.clone(), &handler.captured);
    start(session, roots, name, results, handler.function, captured);
}

/// What a session registered, declared or left as a function value, last first.
fn handlers(session: &mut Session<'_>, declared: &mut Vec<Declared>) -> Vec<Handler> {
    let mut found = Vec::new();
    session.pc = F::TRUE;
    // What a command does not run any more is no root.
    let replaced = replaced(session);
    session.seen.visited.extend(replaced);
    for (function, frame) in session.seen.closures.clone() {
        if session.relevance_of(function).worth_running(function)
            && !session.seen.visited.contains(&function)
        {
            let captured = capture(session, frame, None);
            found.push(Handler {
                name: None,
                stage: None,
                function,
                captured,
                declaration: None,
                command: false,
                dispatches: false,
                guess: false,
                bound: BoundArgs::default(),
            });
        }
    }
    for (command, handlers) in commands(session) {
        declared.push(command);
        found.extend(handlers);
    }
    found.extend(in_tables(session));
    for registration in session.seen.registrations.clone() {
        let Registration { name, handler, dispatches, guess, now, .. } = registration;
        let name = name_given(session, name).or(Some(Name::default()));
        let name = name.filter(|_| !dispatches);
        let mut all = now.unwrap_or_else(|| taken(session, handler, F::TRUE));
        all.retain(|one| !guess || !session.seen.visited.contains(&one.function));
        for one in all {
            found.push(Handler {
                name: name.clone(),
                stage: None,
                function: one.function,
                captured: one.captured,
                declaration: None,
                command: false,
                dispatches,
                guess,
                bound: one.bound,
            });
        }
    }
    found
}

/// The name that a handler is registered under: a text, or the name of what describes it.
fn name_given(session: &mut Session<'_>, v: V) -> Option<Name> {
    if let Some(text) = session.store.values.as_text(v) {
        return Some(text.clone());
    }
    session.store.body(v)?;
    let key = session.store.values.text("Name");
    let name = session.store.read(v, key, F::TRUE);
    session.store.values.as_text(name).cloned()
}

/// A frame that stands around everything else in a session.
fn idle_frame(function: FunctionId) -> Frame {
    Frame {
        function,
        slots: Vec::new(),
        outer: None,
        caller: None,
        call: None,
        this: V::NULL,
        builder: false,
    }
}

/// Evaluates a unit's declaring variables and runs its initialisers, in source order.
fn start_unit(session: &mut Session<'_>, roots: &mut Vec<Root>, unit: u32) {
    let modules = session.index.modules_of(unit).to_vec();
    session.refuel(Limits { fuel: LIMITS.fuel * 4, ..session.limits });
    let function = FunctionId { module: modules[0], index: u32::MAX };
    session.frames.push(idle_frame(function));
    session.frame = 0;
    for (m, g) in session.relevance.declaring() {
        if session.index.unit_of(*m) == unit {
            session.pc = F::TRUE;
            session.global(*m, *g);
        }
    }
    for m in modules {
        for (i, f) in session.index.module(m).functions.iter().enumerate() {
            let id = FunctionId { module: m, index: i as u32 };
            if f.kind == FunctionKind::Init && session.relevance_of(id).worth_running(id) {
                session.pc = F::TRUE;
                let frame = Frame { slots: vec![V::NULL; f.slots as usize], ..idle_frame(id) };
                session.frame = 0;
                session.run_frame(frame, &[], false, Some(V::NULL));
            }
        }
    }
    session.pc = F::TRUE;
    session.frame = 0;
    let cut = session.cut || session.store.values.forms.work.is_out();
    let exhausted = session.exhausted || cut;
    session.store.values.forms.work.allow(session.limits.work);
    roots.push(Root {
        name: None,
        registered: false,
        dispatches: false,
        function,
        result: V::NULL,
        params: Vec::new(),
        frame: 0,
        exhausted,
        cut,
    });
}

/// The function behind a value, with the frame and object that it holds.
pub(super) fn function_of(session: &Session<'_>, v: V) -> Option<(FunctionId, u32, Option<V>)> {
    match session.store.values.node(v) {
        Node::Function(id, frame, this) => Some((*id, *frame, *this)),
        Node::Op(Op::Bound, parts) => function_of(session, parts[0]),
        _ => None,
    }
}

/// Runs one function with unknown parameters and records what it returns.
pub(super) fn start(
    session: &mut Session<'_>,
    roots: &mut Vec<Root>,
    name: Option<Name>,
    results: Results,
    id: FunctionId,
    captured: &Captured,
) {
    session.refuel(session.limits);
    (session.exhausted, session.cut) = (false, false);
    session.dispatches = matches!(results, Results::Dispatched);
    session.pc = F::TRUE;
    session.exits = F::FALSE;
    session.seen.root = roots.len() as u32;
    let function = session.function(id);
    if session.frames.is_empty() {
        session.frames.push(idle_frame(id));
    }
    let outer = captured.restore(session);
    let this = match outer {
        Some(frame) if function.kind == FunctionKind::Closure => {
            session.frames[frame as usize].this
        }
        _ => {
            let ty = receiver_type(session, id);
            session.store.values.symbol(Origin::Param(Name::new_static("this")), ty)
        }
    };
    let frame = Frame {
        function: id,
        slots: vec![V::NULL; function.slots as usize],
        outer,
        caller: None,
        call: None,
        this,
        builder: session.in_builder(id),
    };
    let at = session.frames.len() as u32;
    // The root's frame is its own caller until it runs, so that sites have a function.
    let own = Frame { slots: Vec::new(), ..frame.clone() };
    session.frames.push(own);
    session.frame = at;
    let mut params = root_params(session, id);
    std::mem::take(&mut session.bound).give(session, &mut params);
    let result = session.run_frame(frame, &params, false, Some(V::NULL));
    session.pc = F::TRUE;
    session.frame = at;
    let exit = match results {
        Results::Sent | Results::Dispatched => Some(Exit::Result),
        Results::Guess => Some(Exit::Guess),
        Results::Inside => None,
    };
    session.release(&[result]);
    if let Some(exit) = exit {
        let range = function.name_range;
        let site = session.site(range);
        // Nothing is sent where the program was left by a throw.
        let stays = session.exits.denied();
        for (guard, leaf) in session.store.values.leaves(result, stays) {
            let span = session.seen.returned.get(&leaf).copied().unwrap_or(site.span);
            session.emit(leaf, None, guard, Site { span, ..site }, exit);
        }
    }
    let forms = &session.store.values.forms;
    let cut = session.cut || forms.work.is_out();
    let exhausted = session.exhausted || cut || forms.overflowed();
    // As much again for what is asked of it.
    session.store.values.forms.work.allow(session.limits.work);
    let registered = matches!(results, Results::Sent);
    let dispatches = matches!(results, Results::Dispatched);
    let function = id;
    roots.push(Root {
        name,
        registered,
        dispatches,
        function,
        result,
        params,
        frame: at,
        exhausted,
        cut,
    });
}

fn receiver_type(session: &Session<'_>, id: FunctionId) -> Option<(u32, crate::ir::Type)> {
    let function = session.function(id);
    let owner = function.owner.clone()?;
    Some((id.module, crate::ir::Type::Named(None, owner)))
}

fn root_params(session: &mut Session<'_>, id: FunctionId) -> Vec<V> {
    let function = session.function(id);
    session.frame = session.frames.len() as u32 - 1;
    function
        .params
        .iter()
        .map(|p| {
            let ty = session.typed_in(id.module, &p.ty);
            session.handler_param(p.name.clone(), ty)
        })
        .collect()
}

/// Runs one method of the shared builder on its own.
pub fn run_builder<'p>(
    index: &'p Index<'p>,
    pack: &'p Pack,
    relevance: &'p Relevance,
    id: FunctionId,
) -> Ran<'p> {
    let mut session = Session::new(index, pack, relevance, LIMITS, Values::default());
    let mut roots = Vec::new();
    start(&mut session, &mut roots, None, Results::Inside, id, &Captured::default());
    Ran { session, roots, declared: Vec::new() }
}
