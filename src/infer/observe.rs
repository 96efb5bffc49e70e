//! What a run shows: objects that leave, tools that are registered, windows that are read and
//! bounded, responses that are asked for.
//!
//! Judges nothing; the facts are made of these notes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::activity::Activity;
use super::atom::Atom;
use super::dry_runs::DryRuns;
use super::formula::F;
use super::session::Session;
use super::store::Site;
use super::taken::Taken;
use super::trees::Grown;
use super::value::{FunctionId, Node, Op, Origin, V};
use super::work::Work;
use crate::ir::{Name, Range, Type};
use crate::pack::WindowKind;
use crate::text::{FileId, Span};

/// How an object was seen to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Through a sink of the pack, by its index.
    Sink(usize),
    /// As a registered handler's result.
    Result,
    /// The whole response of an upstream call that also prints it, by the call's number.
    Upstream(u32),
    /// By a call or return of which only the name says so.
    Guess,
}

/// An object that leaves.
#[derive(Clone, Debug)]
pub struct Emission {
    /// What leaves.
    pub value: V,
    /// The meta half that goes with it, if one was given.
    pub meta: Option<V>,
    /// When.
    pub guard: F,
    /// Where.
    pub site: Site,
    /// Whether that is as seen from outside a loop in progress.
    pub lifted: bool,
    /// How.
    pub exit: Exit,
    /// Which root and which arm of its dispatcher run.
    pub activity: Activity,
}

/// A handler that was given a name.
#[derive(Clone, Debug)]
pub struct Registration {
    /// The name.
    pub name: V,
    /// The handler.
    pub handler: V,
    /// Where.
    pub site: Site,
    /// Whether the handler answers several tools, which it tells apart by itself.
    pub dispatches: bool,
    /// Whether only a call that could not be followed says that it is a handler.
    pub guess: bool,
    /// What it runs, where that may be another thing in the next round.
    pub now: Option<Vec<Taken>>,
}

/// A request parameter that bounds the rows.
#[derive(Clone, Debug)]
pub struct WindowRead {
    /// The parameter's value as it was sent.
    pub value: V,
    /// Its name.
    pub name: Name,
    /// What it bounds.
    pub kind: WindowKind,
    /// Where it is read first.
    pub site: Site,
    /// Which root and which arm of its dispatcher run.
    pub activity: Activity,
}

/// A bound or reset put on a value.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The bounded value.
    pub value: V,
    /// Whether the value is replaced by a constant rather than held at a bound, and when.
    pub reset: Option<(F, V)>,
    /// When the bound is this one, where several can be put on.
    pub when: F,
    /// Where.
    pub site: Site,
    /// Which root and which arm of its dispatcher run.
    pub activity: Activity,
}

/// A call to the service.
#[derive(Clone, Debug)]
pub struct UpstreamCall {
    /// Its response.
    pub response: V,
    /// The tool that it names.
    pub tool: Option<V>,
    /// The request.
    pub request: Option<V>,
    /// When.
    pub guard: F,
    /// Where.
    pub site: Site,
    /// Which root and which arm of its dispatcher run.
    pub activity: Activity,
}

/// A key read from something whose fields are not known.
#[derive(Clone, Debug)]
pub struct KeyRead {
    /// What is read.
    pub base: V,
    /// The key.
    pub key: Name,
    /// The value read.
    pub value: V,
    /// When it is first read.
    pub guard: F,
    /// Where.
    pub site: Site,
    /// Which root and which arm of its dispatcher run.
    pub activity: Activity,
}

/// A key taken out of something.
#[derive(Clone, Debug)]
pub struct Removal {
    /// Of what.
    pub from: V,
    /// The key.
    pub key: V,
    /// When.
    pub guard: F,
    /// Where.
    pub site: Site,
    /// Which root and which arm of its dispatcher run.
    pub activity: Activity,
}

/// What a function of the shared builder returns on one path.
#[derive(Clone, Copy, Debug)]
pub struct Built {
    /// The function.
    pub function: FunctionId,
    /// The value.
    pub value: V,
    /// When.
    pub guard: F,
    /// The statement.
    pub span: Span,
}

/// A value that leaves a function, for errors and rejections.
#[derive(Clone, Debug)]
pub struct ErrorExit {
    /// The error.
    pub value: V,
    /// Where it is made.
    pub site: Site,
    /// When it is made.
    pub guard: F,
    /// The branches that lead to it, outermost first: what they ask, and where.
    pub tests: Vec<(F, Span)>,
    /// What it was given.
    pub operands: Vec<V>,
    /// Which root and which arm of its dispatcher run.
    pub activity: Activity,
}

/// All that was seen in one session.
#[derive(Debug, Default)]
pub struct Observations {
    /// Objects that leave.
    pub emissions: Vec<Emission>,
    /// Handlers with names.
    pub registrations: Vec<Registration>,
    /// Window parameters.
    pub windows: Vec<WindowRead>,
    /// Bounds.
    pub bounds: Vec<Bound>,
    /// Calls to the service.
    pub upstreams: Vec<UpstreamCall>,
    /// Keys read from unknown things.
    pub reads: Vec<KeyRead>,
    /// Keys taken out of things.
    pub removals: Vec<Removal>,
    /// Errors made.
    pub errors: Vec<ErrorExit>,
    /// Struct literals by their type's name.
    pub structs: Vec<(V, Type, Site)>,
    /// The arm of the outermost dispatcher that returned an object.
    pub returned_by: FxHashMap<V, Activity>,
    /// The texts by which functions were looked up in a table and called.
    pub looked_up: rustc_hash::FxHashSet<Vec<Name>>,
    /// Names of the outermost dispatcher's arms.
    pub arms: Vec<Name>,
    /// What functions of the shared builder return.
    pub built: Vec<Built>,
    /// Where objects were returned last.
    pub returned: FxHashMap<V, Span>,
    /// Where text constants stand.
    pub texts: FxHashMap<V, Vec<Span>>,
    /// The conditions under which a dry run is asked for.
    pub dry: DryRuns,
    /// Commands with the declaration attached to them: command, declaration, where.
    pub metadata: Vec<(V, V, usize, Site)>,
    /// Flags that calls register.
    pub flags: Vec<super::flags::Registered>,
    /// What code outside the workspace was given.
    pub handed: rustc_hash::FxHashSet<V>,
    /// Which command hangs below which.
    pub grown: Grown,
    /// Stages set by a call: command, stage.
    pub stages: Vec<(V, V)>,
    /// Functions made as values: function and the frame they hold.
    pub closures: Vec<(FunctionId, u32)>,
    /// Lists cut by a slice: the list, the bounds, where.
    pub slices: Vec<(V, Vec<V>, Span)>,
    /// The root that runs, by number.
    pub root: u32,
    /// Every function that was run.
    pub visited: rustc_hash::FxHashSet<FunctionId>,
    /// What results of calls that could not be followed were made of.
    pub made_of: FxHashMap<V, Box<[V]>>,
    /// Where those calls stand.
    pub made_at: FxHashMap<V, Site>,
    /// Results that were taken apart into more than a value and an error.
    pub taken_apart: rustc_hash::FxHashSet<V>,
    pub(super) bound_values: FxHashMap<V, usize>,
    read_values: FxHashMap<(u32, V), usize>,
}

impl<'p> Session<'p> {
    /// Whether a function's file is the shared builder's.
    pub(super) fn in_builder(&self, id: FunctionId) -> bool {
        self.relevance.is_builder(id.module)
    }

    /// Remembers where an object is handed out last before it leaves the program.
    pub(super) fn note_return(&mut self, v: V, range: Range) {
        let span = self.span(range);
        let running = self.running();
        let named = !self.function(running).name.is_empty();
        if self.in_builder(running) {
            self.seen.built.push(Built { function: running, value: v, guard: self.pc, span });
            return;
        }
        let called =
            |v| matches!(self.store.values.symbol_of(v).map(|s| &s.origin), Some(Origin::Call(_)));
        if !self.store.values.any_leaf(v, |v, _| self.store.body(v).is_some() || called(v)) {
            return;
        }
        for (_, leaf) in self.store.values.leaves(v, self.pc) {
            if self.store.body(leaf).is_none() {
                if let Some(Origin::Call(name)) =
                    self.store.values.symbol_of(leaf).map(|s| s.origin.clone())
                {
                    self.note_failed_call(&name, leaf, range);
                }
                continue;
            }
            if !self.dispatch.is_empty() {
                let activity = self.activity();
                self.seen.returned_by.insert(leaf, activity);
            }
            if self.is_flagged_error(leaf) && !self.seen.errors.iter().any(|e| e.value == leaf) {
                self.note_error_at(leaf, &[], range);
            }
            // A lambda that only passes a result on is no better place than the function itself.
            if named {
                self.seen.returned.insert(leaf, span);
            } else {
                self.seen.returned.entry(leaf).or_insert(span);
            }
        }
    }

    pub(super) fn note_throw(&mut self, v: V, range: Range) {
        self.note_error_at(v, &[], range);
    }

    pub(super) fn note_text(&mut self, v: V, range: Range) {
        let wanted = self.store.values.as_text(v).is_some_and(|t| t.len() > 1);
        if wanted {
            let span = self.span(range);
            if span.file == FileId::NOWHERE {
                return;
            }
            let spans = self.seen.texts.entry(v).or_default();
            if spans.len() < 8 && !spans.contains(&span) {
                spans.push(span);
            }
        }
    }

    pub(super) fn note_error(&mut self, v: V, operands: &[V]) {
        self.note_error_at(v, operands, self.statement);
    }

    pub(super) fn note_error_at(&mut self, value: V, operands: &[V], range: Range) {
        let site = self.site(range);
        let guard = self.outer_condition(self.pc);
        self.store.values.forms.work.did(self.tests.len());
        let (tests, activity) = (self.tests.clone(), self.activity());
        self.seen.errors.push(ErrorExit {
            value,
            site,
            guard,
            tests,
            operands: operands.to_vec(),
            activity,
        });
    }

    /// Remembers keys asked of unknown things: window parameters of a request, fields of a
    /// response.
    pub(super) fn note_read(&mut self, base: V, key: V, v: V, range: Range) {
        let Some(name) = self.store.values.as_text(key).cloned() else { return };
        let root = self.seen.root;
        let is_new = |s: &Self, v| {
            let known = s.seen.read_values.get(&(root, v));
            !known.is_some_and(|at| s.runs_still(&s.seen.reads[*at].activity))
        };
        let asks = |node: &Node| matches!(node, Node::Op(Op::Field, parts) if parts[1] == key);
        if !self.store.values.any_leaf(v, |v, node| asks(node) && is_new(self, v)) {
            return;
        }
        let leaves = self.store.values.leaves(v, self.pc);
        for (_, leaf) in leaves {
            let Node::Op(Op::Field, parts) = self.store.values.node(leaf) else { continue };
            if parts[1] != key {
                continue;
            }
            let from = parts[0];
            if !is_new(self, leaf) {
                continue;
            }
            self.seen.read_values.insert((root, leaf), self.seen.reads.len());
            let site = self.asker(key, self.site(range));
            let activity = self.activity();
            let guard = self.pc;
            self.seen.reads.push(KeyRead {
                base: from,
                key: name.clone(),
                value: leaf,
                guard,
                site,
                activity: activity.clone(),
            });
            if let Some(kind) = self.pack.window(&name) {
                if self.window_of(leaf).is_some() {
                    self.seen.windows.push(WindowRead {
                        value: leaf,
                        name: name.clone(),
                        kind,
                        site,
                        activity,
                    });
                }
            }
        }
        let _ = base;
    }

    /// Remembers where a value was first held at a bound.
    pub(super) fn note_bound(&mut self, v: V, range: Range) {
        let mut found = Vec::new();
        for (when, leaf) in self.store.values.leaves(v, F::TRUE) {
            let mut stack = vec![leaf];
            let mut seen = FxHashSet::default();
            while let Some(v) = stack.pop().filter(|_| !self.store.values.forms.work.is_out()) {
                if let Node::Op(Op::Min | Op::Max, parts) = self.store.values.node(v) {
                    self.store.values.forms.work.did(Work::NODE);
                    if !seen.insert(v) {
                        continue;
                    }
                    found.push((when, v));
                    stack.extend(parts.iter().copied());
                }
            }
        }
        for (when, v) in found {
            let known = self.seen.bound_values.get(&v).copied();
            if let Some(at) = known.filter(|at| self.runs_still(&self.seen.bounds[*at].activity)) {
                let known = &mut self.seen.bounds[at].when;
                *known = self.store.values.forms.or(*known, when);
                continue;
            }
            self.seen.bound_values.insert(v, self.seen.bounds.len());
            let (site, activity) = (self.site(range), self.activity());
            self.seen.bounds.push(Bound { value: v, reset: None, when, site, activity });
        }
    }

    pub(super) fn is_number(&self, v: V) -> bool {
        match self.store.values.node(v) {
            Node::Int(_) | Node::Float(_) | Node::Symbol(_) => true,
            Node::Op(op, _) => !matches!(op, Op::Text | Op::Encode | Op::Tuple),
            _ => false,
        }
    }

    /// Whether a formula compares a value with numbers.
    pub fn tests(&self, f: F, v: V) -> bool {
        self.store.values.forms.support(f).into_iter().any(|id| {
            match self.store.values.atom_meaning(id) {
                Atom::AtLeast(x, _) => *x == v,
                Atom::Less(x, y) => *x == v || *y == v,
                _ => false,
            }
        })
    }

    pub(super) fn note_struct(&mut self, v: V, ty: &Type, range: Range) {
        let site = self.site(range);
        self.send_text_of(v, site);
        self.seen.structs.push((v, ty.clone(), site));
    }

    pub(super) fn note_slice(&mut self, x: V, bounds: &[V], range: Range) {
        let span = self.span(range);
        self.seen.slices.push((x, bounds.to_vec(), span));
    }

    /// Objects given to a call that could not be followed, which may say that it sends them.
    pub(super) fn note_escape(&mut self, name: &Name, sends: bool, args: &[V], range: Range) {
        self.release(args);
        if sends {
            self.note_failed_call(name, V::NULL, range);
        }
        for arg in args {
            let has_body = |v, _: &Node| self.store.body(self.put_into_words(v)).is_some();
            if !self.store.values.any_leaf(*arg, has_body) {
                continue;
            }
            for (guard, leaf) in self.store.values.leaves(*arg, self.pc) {
                let leaf = self.put_into_words(leaf);
                let Some(id) = self.store.body(leaf) else { continue };
                self.store.objects[id.0 as usize].escaped = true;
                if sends {
                    let site = self.site(range);
                    self.emit(leaf, None, guard, site, Exit::Guess);
                }
            }
        }
    }

    /// Records an object that leaves.
    pub(super) fn emit(&mut self, value: V, meta: Option<V>, guard: F, site: Site, exit: Exit) {
        let outer = self.outer_condition(guard);
        let lifted = outer != guard;
        let guard = self.with_dry_runs(outer);
        let activity = self.activity();
        self.seen.emissions.push(Emission { value, meta, guard, lifted, site, exit, activity });
    }

    /// One result of several of a call that could not be followed.
    pub(super) fn unknown_result_part(&mut self, v: V, i: V) -> V {
        if self.store.values.as_int(i).is_some_and(|i| i > 1) {
            self.seen.taken_apart.insert(v);
        }
        self.store.values.op(Op::Field, &[v, i])
    }
}
