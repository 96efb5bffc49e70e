//! The state of one run of the program on symbolic values: frames, path condition, journal.
//!
//! Makes no findings and reads no text.

use rustc_hash::FxHashMap;

use super::copies::Copied;
use super::formula::F;
use super::observe::Observations;
use super::pointers::Decoded;
use super::relevance::Relevance;
use super::resolve::Index;
pub use super::rounds::{Breakable, Round};
use super::store::{Site, Store};
use super::value::{FunctionId, Origin, Values, V};
use super::work::Work;
use crate::ir::{Function, LocalRef, Name, Range, Type};
use crate::pack::Pack;
use crate::text::Span;

/// A call in progress, or one whose variables a closure still holds.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The function that runs.
    pub function: FunctionId,
    /// Its local slots.
    pub slots: Vec<V>,
    /// The frame that surrounds a closure's.
    pub outer: Option<u32>,
    /// The frame that called this one.
    pub caller: Option<u32>,
    /// Where that call stands.
    pub call: Option<Span>,
    /// The current object.
    pub this: V,
    /// Whether the shared builder runs here or further out.
    pub builder: bool,
}

/// Slots changed since a mark, with what they hold now.
pub type Held = FxHashMap<(u32, u16), V>;

/// Limits of one root's run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Statements and calls that may be run.
    pub fuel: u32,
    /// Steps that may be taken in all of them, and once more to look at what came of it.
    pub work: u64,
    /// Nesting of calls.
    pub depth: u32,
}

/// One run of the program, from one or several roots that share a heap.
pub struct Session<'p> {
    /// The program's lookup tables.
    pub index: &'p Index<'p>,
    /// The words.
    pub pack: &'p Pack,
    /// Which functions are worth running.
    pub relevance: &'p Relevance,
    /// Values and heap.
    pub store: Store,
    /// All frames made so far.
    pub frames: Vec<Frame>,
    /// The frame that runs.
    pub frame: u32,
    /// The path condition.
    pub pc: F,
    /// Undo list of slot writes: frame, slot, value before.
    pub(super) journal: Vec<(u32, u16, V)>,
    /// Loops and switches of the running frame, outermost first.
    pub(super) breakables: Vec<Breakable>,
    /// Rounds that are run once for all, outermost first, over all frames.
    pub(super) rounds: Vec<Round>,
    /// What the running frame returned so far.
    pub(super) returns: Vec<(F, V)>,
    /// Where each of them was returned.
    pub(super) returned_at: Vec<Range>,
    /// Paths of the running frame that ended the program or threw.
    pub(super) exits: F,
    /// Functions in progress.
    pub(super) stack: Vec<FunctionId>,
    /// Values of constants and variables of file scope.
    pub(super) globals: FxHashMap<(u32, u32), V>,
    /// What fields hold that one literal of the workspace fills.
    pub(super) fields_given: FxHashMap<((u32, u32), Name), Option<V>>,
    /// Texts decoded into what parameters of calls in progress point to.
    pub(super) decoded: Vec<Decoded>,
    /// The field of an iterated object that the innermost such round stands at.
    pub(super) copied: Option<Copied>,
    /// The statement that runs, for sites of bounds.
    pub(super) statement: Range,
    /// What the branches in progress ask, outermost first, over all frames, and where.
    pub(super) tests: Vec<(F, Span)>,
    /// Names of the switch arms that dispatch what runs, outermost first.
    pub(super) dispatch: Vec<Vec<Name>>,
    /// The only arm of the outermost dispatcher that is run, if not all are.
    pub(super) only_arm: Option<Name>,
    /// What was seen.
    pub seen: Observations,
    /// The stage of the command whose handler runs, where it is known.
    pub stage: Option<Name>,
    /// The declaration of that command.
    pub declaration: Option<V>,
    /// Arguments bound to the root that is about to run.
    pub bound: super::commands::BoundArgs,
    /// What each of its roots may take.
    pub(super) limits: Limits,
    /// Fuel left.
    pub(super) fuel: u32,
    /// Whether fuel or depth ran out.
    pub exhausted: bool,
    /// Whether statements were left out because fuel or work ran out.
    pub(super) cut: bool,
    pub(super) depth_limit: u32,
    pub(super) next_round: u32,
    /// Loops in progress whose rounds are run one by one, over all frames.
    pub(super) unrolling: u32,
    /// Whether the root answers several tools, which it tells apart by their names.
    pub(super) dispatches: bool,
}

impl<'p> Session<'p> {
    /// A fresh session; `values` are empty.
    pub fn new(
        index: &'p Index<'p>,
        pack: &'p Pack,
        relevance: &'p Relevance,
        limits: Limits,
        values: Values,
    ) -> Self {
        Session {
            index,
            pack,
            relevance,
            store: Store::of(values),
            frames: Vec::new(),
            frame: 0,
            pc: F::TRUE,
            journal: Vec::new(),
            breakables: Vec::new(),
            rounds: Vec::new(),
            returns: Vec::new(),
            returned_at: Vec::new(),
            exits: F::FALSE,
            stack: Vec::new(),
            globals: FxHashMap::default(),
            fields_given: FxHashMap::default(),
            decoded: Vec::new(),
            copied: None,
            statement: Range::default(),
            tests: Vec::new(),
            dispatch: Vec::new(),
            only_arm: None,
            seen: Observations::default(),
            stage: None,
            declaration: None,
            bound: super::commands::BoundArgs::default(),
            limits,
            fuel: limits.fuel,
            exhausted: false,
            cut: false,
            depth_limit: limits.depth,
            next_round: 0,
            unrolling: 0,
            dispatches: false,
        }
    }

    /// Gives the session a full tank for its next root.
    pub fn refuel(&mut self, limits: Limits) {
        self.fuel = limits.fuel;
        self.store.values.forms.work.allow(limits.work);
        self.depth_limit = limits.depth;
    }

    /// What was found out of how functions are run, taken down as asked for one of them.
    pub fn relevance_of(&self, id: FunctionId) -> &'p Relevance {
        self.index.asked_about(id);
        self.relevance
    }

    /// The function of an id.
    pub fn function(&self, id: FunctionId) -> &'p Function {
        self.index.function(id)
    }

    /// The function that runs.
    pub fn running(&self) -> FunctionId {
        self.frames[self.frame as usize].function
    }

    /// The class that the running function belongs to, through its enclosing functions.
    pub fn owner(&self) -> Option<&'p Name> {
        self.index.holder(self.running()).and_then(|f| f.owner.as_ref())
    }

    /// The class whose members the running function may name without saying whose they are.
    pub(super) fn open_owner(&self) -> Option<&'p Name> {
        let holder = self.index.holder(self.running());
        holder.filter(|f| f.receiver.is_none()).and_then(|f| f.owner.as_ref())
    }

    /// A range of the running function's file as a span.
    pub fn span(&self, range: Range) -> Span {
        range.in_file(self.index.program.files[self.running().module as usize])
    }

    /// A place in the running function, with who runs it.
    pub fn site(&self, range: Range) -> Site {
        Site {
            span: self.span(range),
            function: self.running(),
            frame: self.frame,
            builder: self.frames[self.frame as usize].builder,
        }
    }

    /// The head of the running function, for things that no statement makes.
    pub(super) fn own_site(&self) -> Site {
        let id = self.running();
        let range = self.index.function_at(id).map_or(Range::default(), |f| f.name_range);
        self.site(range)
    }

    /// The frame of a local variable.
    fn frame_of(&self, local: LocalRef) -> Option<u32> {
        let mut at = self.frame;
        for _ in 0..local.up {
            at = self.frames[at as usize].outer?;
        }
        Some(at)
    }

    /// The value of a local variable.
    pub fn local(&mut self, local: LocalRef) -> V {
        let found = self
            .frame_of(local)
            .and_then(|f| self.frames[f as usize].slots.get(local.slot as usize).copied());
        match found {
            Some(v) => v,
            None => self.store.values.unknown(),
        }
    }

    /// Sets a local variable.
    pub fn set_local(&mut self, local: LocalRef, v: V) {
        if let Some(frame) = self.frame_of(local) {
            self.set_slot(frame, local.slot, v);
        }
    }

    /// Sets a slot of a frame, so that it can be undone.
    pub(super) fn set_slot(&mut self, frame: u32, slot: u16, v: V) {
        let Some(place) = self.frames[frame as usize].slots.get_mut(slot as usize) else { return };
        let before = *place;
        if before != v {
            *place = v;
            self.journal.push((frame, slot, before));
        }
    }

    /// Undoes all slot writes since `mark` and gives what the slots held until now.
    pub(super) fn roll_back(&mut self, mark: usize) -> Held {
        let mut held = FxHashMap::default();
        self.store.values.forms.work.did(Work::NODE * self.journal.len().saturating_sub(mark));
        while self.journal.len() > mark {
            let Some((frame, slot, before)) = self.journal.pop() else { break };
            let place = &mut self.frames[frame as usize].slots[slot as usize];
            held.entry((frame, slot)).or_insert(*place);
            *place = before;
        }
        held
    }

    /// What the slots written since `mark` hold now.
    pub(super) fn held_since(&self, mark: usize) -> Held {
        self.store.values.forms.work.did(Work::NODE * self.journal.len().saturating_sub(mark));
        let mut held = FxHashMap::default();
        for (frame, slot, _) in &self.journal[mark.min(self.journal.len())..] {
            held.entry((*frame, *slot))
                .or_insert_with(|| self.frames[*frame as usize].slots[*slot as usize]);
        }
        held
    }

    /// What the slots written since `mark` held before.
    pub(super) fn held_before(&self, mark: usize) -> Held {
        self.store.values.forms.work.did(Work::NODE * self.journal.len().saturating_sub(mark));
        let mut held = FxHashMap::default();
        for (frame, slot, before) in &self.journal[mark.min(self.journal.len())..] {
            held.entry((*frame, *slot)).or_insert(*before);
        }
        held
    }

    /// Joins paths that left early, each with the slots it had changed since `mark`, into the
    /// state that runs now.
    pub(super) fn rejoin(&mut self, early: Vec<(F, Held)>, mark: usize) {
        for (f, held) in early {
            let before = self.held_before(mark);
            let mut places: Vec<(u32, u16)> = held.keys().chain(before.keys()).copied().collect();
            places.sort_unstable();
            places.dedup();
            if self.store.values.forms.work.is_out_after(Work::NODE * places.len()) {
                places.clear();
            }
            let alive = self.pc != F::FALSE;
            for place in places {
                let now = self.frames[place.0 as usize].slots[place.1 as usize];
                let then = held.get(&place).or_else(|| before.get(&place)).copied().unwrap_or(now);
                let v = if alive { self.store.values.choose(f, then, now) } else { then };
                self.set_slot(place.0, place.1, v);
            }
            self.pc = self.store.values.forms.or(self.pc, f);
        }
    }

    /// Takes up what two ways made of the slots: `then` where `condition` held, else `other`.
    pub(super) fn merge(&mut self, condition: F, then: (&Held, F), other: (&Held, F)) {
        let mut changed: Vec<(u32, u16)> = then.0.keys().chain(other.0.keys()).copied().collect();
        changed.sort_unstable();
        changed.dedup();
        for place in changed {
            let before = self.frames[place.0 as usize].slots[place.1 as usize];
            let a = then.0.get(&place).copied().unwrap_or(before);
            let b = other.0.get(&place).copied().unwrap_or(before);
            let v = if then.1 == F::FALSE {
                b
            } else if other.1 == F::FALSE {
                a
            } else {
                let v = self.store.values.choose(condition, a, b);
                self.note_reset(condition, a, b);
                v
            };
            self.set_slot(place.0, place.1, v);
        }
    }

    /// A typed symbol for something that runs outside the model.
    pub fn outside(&mut self, name: Name, ty: Option<(u32, Type)>) -> V {
        self.store.values.symbol(Origin::Call(name), ty)
    }

    /// The path condition as it can be told outside the loops in progress: what only one
    /// round knows becomes one new fact, the same for the same formula.
    pub(super) fn outer_condition(&mut self, f: F) -> F {
        let mut f = f;
        for i in (0..self.rounds.len()).rev() {
            f = self.lift(f, self.rounds[i]);
        }
        f
    }

    /// `f` seen from outside a round.
    pub(super) fn lift(&mut self, f: F, round: Round) -> F {
        let first = round.first_atom;
        if self.store.values.forms.is_older(f, first) {
            return f;
        }
        let open = self.store.values.forms.exists(f, first, &|_| true);
        let once = self.store.values.atom(super::atom::Atom::Once(round.id, f));
        self.store.values.forms.and(open, once)
    }
}
