//! What was found out about a program last, so that an edit costs what it can change.
//!
//! Keeps nothing whose grounds have changed.

use std::sync::Arc;

use super::grounds::Change;
use super::look::ModuleLook;
use super::looks::Looks;
use super::names::{self, Tables};
use super::relevance::Relevance;
use super::resolve::Index;
use super::schedule::{From, Runs};
use super::words::pack_call_names;
use crate::ir::Program;
use crate::pack::Pack;

/// Most eyes that are remembered: those of a pack, and of one that its builders taught.
const MOST_EYES: usize = 2;

/// The memory of one pack.
pub struct Memory<T> {
    last: Option<Last<T>>,
}

struct Last<T> {
    program: Program,
    pack: Pack,
    tables: Arc<Tables>,
    looks: Looks,
    judged: Vec<Judged>,
    /// The pack with what the builders teach, and the functions worth running by it.
    worth: Option<(Pack, Arc<Relevance>)>,
    runs: Runs<T>,
}

/// Which functions are worth running, and what that was told from.
struct Judged {
    pack: Pack,
    tables: Arc<Tables>,
    looks: Vec<Arc<ModuleLook>>,
    relevance: Arc<Relevance>,
}

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Memory { last: None }
    }
}

impl<T> std::fmt::Debug for Memory<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Memory of {} roots", self.last.as_ref().map_or(0, |last| last.runs.len()))
    }
}

impl<T> Memory<T> {
    /// Turns to a program: forgets what its changes touch. Gives its lookup tables.
    pub fn turn_to(&mut self, program: &Program, pack: &Pack) -> Arc<Tables> {
        let same_names = |last: &&Last<T>| names::same(&last.program, program);
        let tables = match self.last.as_ref().filter(same_names) {
            Some(last) => last.tables.clone(),
            None => Arc::new(Tables::new(program)),
        };
        let fits = |last: &mut Last<T>| {
            last.pack == *pack && same_places((&last.program, &last.tables), (program, &tables))
        };
        let last = match self.last.take_if(fits) {
            Some(mut last) => {
                let change = Change::between((&last.program, &last.tables), (program, &tables));
                last.looks.turn(&change);
                // At once, so that a run that fails half way leaves nothing that is old.
                last.runs.retain(|_, run| run.grounds.survive(&change));
                let old = std::mem::replace(&mut last.program, program.clone());
                rayon::spawn(move || drop(old));
                Last { tables: tables.clone(), ..last }
            }
            None => Last {
                program: program.clone(),
                pack: pack.clone(),
                tables: tables.clone(),
                looks: Looks::default(),
                judged: Vec::new(),
                worth: None,
                runs: Runs::default(),
            },
        };
        self.last = Some(last);
        tables
    }

    /// The functions that are worth running with a pack's eyes.
    pub fn relevance(&mut self, index: &Index<'_>, pack: &Pack) -> Arc<Relevance> {
        let calls = pack_call_names(pack);
        let Some(last) = &mut self.last else {
            let looks = Looks::default().at_all(index, pack, &calls);
            return Arc::new(Relevance::new(index, pack, calls, &looks));
        };
        let looks = last.looks.at_all(index, pack, &calls);
        let at = last.judged.iter().position(|judged| judged.pack == *pack);
        if let Some(judged) = at.map(|at| &mut last.judged[at]) {
            if Arc::ptr_eq(&judged.tables, &last.tables)
                && Relevance::told_alike(index, &judged.looks, &looks)
            {
                judged.looks = looks;
                return judged.relevance.clone();
            }
        }
        at.into_iter().for_each(|at| drop(last.judged.remove(at)));
        last.judged.truncate(MOST_EYES - 1);
        let relevance = Arc::new(Relevance::new(index, pack, calls, &looks));
        let (pack, tables) = (pack.clone(), last.tables.clone());
        last.judged.insert(0, Judged { pack, tables, looks, relevance: relevance.clone() });
        relevance
    }

    /// The runs that are still good where these functions are worth running.
    pub fn known(&mut self, index: &Index<'_>, pack: &Pack, relevance: &Relevance) -> Runs<T> {
        let Some(last) = &mut self.last else { return Runs::default() };
        let mut runs = std::mem::take(&mut last.runs);
        match &last.worth {
            Some((p, before)) if p == pack && std::ptr::eq(&**before, relevance) => runs,
            Some((p, before)) if p == pack && before.same_setting(relevance) => {
                let change = Change::of(before.differing(relevance));
                let declares = before.declaring_otherwise(relevance);
                let declares = |unit| declares.iter().any(|m| index.unit_of(*m) == unit);
                runs.retain(|from, run| {
                    run.grounds.survive(&change)
                        && !matches!(from, From::Unit(unit) if declares(*unit))
                });
                runs
            }
            Some(_) | None => Runs::default(),
        }
    }

    /// Remembers the runs of all roots.
    pub fn keep(&mut self, pack: Pack, relevance: Arc<Relevance>, runs: Runs<T>) {
        if let Some(last) = &mut self.last {
            last.worth = Some((pack, relevance));
            last.runs = runs;
        }
    }
}

/// Whether two programs have their files in the same places.
fn same_places((a, before): (&Program, &Tables), (b, now): (&Program, &Tables)) -> bool {
    a.files == b.files
        && a.tests == b.tests
        && a.forwards == b.forwards
        && a.mounts == b.mounts
        && before.units == now.units
}
