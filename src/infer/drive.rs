//! Runs the program from its roots: registered handlers, and functions that nothing calls.
//!
//! Knows sessions and notes; judges nothing.

use rustc_hash::FxHashSet;

use super::capture::{capture, Captured};
use super::formula::F;
use super::observe::{Exit, Registration};
use super::relevance::Relevance;
use super::resolve::Index;
use super::session::{Frame, Limits, Session};
use super::value::{FunctionId, Node, Op, Origin, V};
use crate::ir::{FunctionKind, Name};
use crate::pack::Pack;

/// Limits of one root.
pub const LIMITS: Limits = Limits { fuel: 60_000, depth: 40 };

/// A root that was run in a session.
#[derive(Clone, Debug)]
pub struct Root {
    /// The name it was registered under.
    pub name: Option<Name>,
    /// Whether it is a registered handler.
    pub registered: bool,
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
}

/// A session that ran to its end, with its roots.
pub struct Ran<'p> {
    /// The session.
    pub session: Session<'p>,
    /// Its roots, by number.
    pub roots: Vec<Root>,
}

/// Runs every root; each uncalled function is a session with the handlers that it registers.
/// `visit` sees each session when it has ended.
pub fn run_all<'p>(
    index: &'p Index<'p>,
    pack: &'p Pack,
    relevance: &'p Relevance,
    visit: &mut dyn FnMut(Ran<'p>),
) {
    let mut visited: FxHashSet<FunctionId> = FxHashSet::default();
    let mut run = |id: FunctionId, called: bool, visited: &mut FxHashSet<FunctionId>| {
        run_root(index, pack, relevance, id, called, &mut |ran| {
            visited.extend(ran.session.seen.visited.iter().copied());
            visit(ran);
        });
    };
    for id in relevance.uncalled() {
        if !visited.contains(id) && !relevance.is_builder(id.module) {
            run(*id, false, &mut visited);
        }
    }
    // What only unresolved calls reach is run on its own.
    for id in relevance.named_only() {
        if !visited.contains(id) && !relevance.is_builder(id.module) {
            run(*id, true, &mut visited);
        }
    }
}

/// A handler that a root registered, with what its closure holds.
struct Handler {
    name: Option<Name>,
    function: FunctionId,
    captured: Captured,
}

fn run_root<'p>(
    index: &'p Index<'p>,
    pack: &'p Pack,
    relevance: &'p Relevance,
    id: FunctionId,
    called: bool,
    visit: &mut dyn FnMut(Ran<'p>),
) {
    let mut session = Session::new(index, pack, relevance, LIMITS);
    let mut roots = Vec::new();
    let results = if called { Results::Inside } else { Results::Guess };
    start(&mut session, &mut roots, None, results, id, Captured::default());
    let mut handlers = handlers(&mut session);
    visit(Ran { session, roots });
    // Each handler has a heap of its own; handlers may register further ones.
    let mut done = FxHashSet::default();
    while let Some(handler) = handlers.pop() {
        if !done.insert((handler.name.clone(), handler.function)) || done.len() > 4000 {
            continue;
        }
        let mut session = Session::new(index, pack, relevance, LIMITS);
        let mut roots = Vec::new();
        start(&mut session, &mut roots, handler.name, Results::Sent, handler.function, handler.captured);
        handlers.extend(self::handlers(&mut session));
        visit(Ran { session, roots });
    }
}

fn handlers(session: &mut Session<'_>) -> Vec<Handler> {
    let mut found = Vec::new();
    session.pc = F::TRUE;
    for Registration { name, handler, .. } in session.seen.registrations.clone() {
        let name = session.store.values.as_text(name).cloned();
        for (_, leaf) in session.store.values.leaves(handler, F::TRUE) {
            if let Some((function, frame, this)) = function_of(session, leaf) {
                let captured = capture(session, frame, this);
                found.push(Handler { name: name.clone(), function, captured });
            }
        }
    }
    found.reverse();
    found
}

fn function_of(session: &Session<'_>, v: V) -> Option<(FunctionId, u32, Option<V>)> {
    match session.store.values.node(v) {
        Node::Function(id, frame, this) => Some((*id, *frame, *this)),
        Node::Op(Op::Bound, parts) => function_of(session, parts[0]),
        _ => None,
    }
}

/// What becomes of a root's result.
#[derive(Clone, Copy)]
enum Results {
    /// It is sent: a registered handler's.
    Sent,
    /// Nothing in the workspace takes it, so it may be sent.
    Guess,
    /// Some code of the workspace takes it.
    Inside,
}

/// Runs one function with unknown parameters and records what it returns.
fn start(
    session: &mut Session<'_>,
    roots: &mut Vec<Root>,
    name: Option<Name>,
    results: Results,
    id: FunctionId,
    captured: Captured,
) {
    session.refuel(LIMITS);
    session.exhausted = false;
    session.pc = F::TRUE;
    session.seen.root = roots.len() as u32;
    let function = session.function(id);
    let outer = captured.restore(session);
    let this = match outer {
        Some(frame) if function.kind == FunctionKind::Closure => session.frames[frame as usize].this,
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
    let params = root_params(session, id);
    let at = session.frames.len() as u32;
    // The root's frame is its own caller until it runs, so that sites have a function.
    let own = Frame { slots: Vec::new(), ..frame.clone() };
    session.frames.push(own);
    session.frame = at;
    let result = session.run_frame(frame, &params, false, Some(V::NULL));
    session.pc = F::TRUE;
    session.frame = at;
    let exit = match results {
        Results::Sent => Some(Exit::Result),
        Results::Guess => Some(Exit::Guess),
        Results::Inside => None,
    };
    if let Some(exit) = exit {
        let range = function.name_range;
        let site = session.site(range);
        for (guard, leaf) in session.store.values.leaves(result, F::TRUE) {
            session.emit(leaf, None, guard, site, exit);
        }
    }
    let exhausted = session.exhausted || session.store.values.forms.overflowed();
    let registered = matches!(results, Results::Sent);
    roots.push(Root { name, registered, function: id, result, params, frame: at, exhausted });
}

fn receiver_type(session: &Session<'_>, id: FunctionId) -> Option<(u32, crate::ir::Type)> {
    let function = session.function(id);
    let owner = function.owner.clone()?;
    Some((id.module, crate::ir::Type::Named(None, owner)))
}

fn root_params(session: &mut Session<'_>, id: FunctionId) -> Vec<V> {
    let function = session.function(id);
    function
        .params
        .iter()
        .map(|p| {
            let ty = session.typed_in(id.module, &p.ty);
            session.store.values.symbol(Origin::Param(p.name.clone()), ty)
        })
        .collect()
}

/// Runs one method of the shared builder on its own.
pub fn run_builder<'p>(index: &'p Index<'p>, pack: &'p Pack, relevance: &'p Relevance, id: FunctionId) -> Ran<'p> {
    let mut session = Session::new(index, pack, relevance, LIMITS);
    let mut roots = Vec::new();
    start(&mut session, &mut roots, None, Results::Inside, id, Captured::default());
    Ran { session, roots }
}
