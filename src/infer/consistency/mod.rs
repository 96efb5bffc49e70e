//! Contradictions of the paging fields of a page, and what the code that reads them does: it
//! takes the page for the last one, or answers with an error of some type.
//!
//! A structural reading: each function that reads such fields is run over the few states that a
//! page can be in. Emits facts only; levels and stages are not known here.

mod calls;
mod closures;
mod errors;
mod eval;
mod fields;
mod flow;
mod frame;
mod run;
mod scan;
mod walks;
mod worlds;
mod writes;

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use errors::Fate;
use frame::{Event, Frame, Made, Walk};
use run::{Runner, LOST};
use scan::Scan;
use worlds::{Worlds, FLAG, LAST, MORE, RUNNING, SOUND};

use super::facts::{Inconsistency, Outcome};
use super::resolve::Index;
use super::value::FunctionId;
use crate::ir::walk::{each_part, each_stmt, each_value};
use crate::ir::{EntryKey, Name, StmtKind, ValueKind};
use crate::pack::Pack;
use crate::text::Span;

/// Most callers that are looked at to learn what becomes of an error.
const MAX_CALLERS: usize = 64;
/// Most calls through which an error is followed to who reports it.
const MAX_CALLS: usize = 4;

/// The contradictions that functions of a program let through or answer untyped, each with the
/// functions of which one runs where it happens.
pub(super) fn find(index: &Index<'_>, pack: &Pack) -> Vec<(Vec<FunctionId>, Inconsistency)> {
    let mut found = Vec::new();
    if pack.raw.more.is_empty() || pack.meta.inconsistency.is_empty() {
        return found;
    }
    let Some(scan) = Scan::new(index, pack) else { return found };
    let mut runner = Runner::new(&scan);
    let mut made: BTreeMap<FunctionId, (Vec<FunctionId>, Vec<Made>)> = BTreeMap::new();
    let own = |id: &FunctionId| !index.program.tests[id.module as usize] && !scan.is_machinery(*id);
    for id in scan.readers.iter().copied().filter(own) {
        let mut frame = runner.root(id);
        made.entry(id).or_default().1.append(&mut frame.made);
        if let Some(masked) = masked(&frame) {
            let function = function_name(&scan, id);
            found.push((vec![id], Inconsistency { function, ..masked }));
        }
        for (inner, one) in runner.inside.drain(..) {
            let entry = made.entry(inner).or_default();
            entry.0.push(id);
            entry.1.push(one);
        }
    }
    for (id, (mut ids, mut errors)) in made {
        ids.push(id);
        errors.sort_by_key(|e| e.at);
        let untyped: Vec<&Made> = errors.iter().filter(|e| !e.typed).collect();
        let Some(first) = untyped.first() else { continue };
        if scan.is_machinery(id) || is_typed_by_callers(&scan, id) {
            continue;
        }
        let mut others: Vec<Span> =
            untyped.iter().map(|e| e.at).filter(|at| *at != first.at).collect();
        others.dedup();
        found.push((
            ids,
            Inconsistency {
                outcome: Outcome::Untyped,
                span: first.at,
                because: first.because,
                others,
                walks: false,
                function: function_name(&scan, id),
                commands: Default::default(),
                stage: None,
            },
        ));
    }
    found
}

/// What a function lets through as the last page, if anything.
fn masked(frame: &Frame<'_>) -> Option<Inconsistency> {
    let mut spans: Vec<(Span, bool, Option<Span>)> = Vec::new();
    let walk_of = |head: u32| frame.walks.iter().find(|w| w.start == head);
    for event in &frame.events {
        match event {
            Event::Leaves { head, because, states, returns } => {
                let Some(walk) = walk_of(*head) else { continue };
                if *returns && !told(frame, walk) || ends_so(frame, walk, *states) {
                    spans.push((*because, true, Some(walk.head)));
                }
            }
            Event::Says { at } => spans.push((*at, false, None)),
            Event::Passes { at } if frame.maps && !gives_verdict(frame) => {
                spans.push((*at, false, None));
            }
            Event::Passes { .. } => {}
            Event::Discards { at } => spans.push((*at, false, None)),
        }
    }
    if !frame.flag_seen {
        spans.clear();
    }
    for walk in &frame.walks {
        let stopped =
            frame.ends.iter().any(|(at, states)| *at >= walk.start && states & !RUNNING != 0);
        if stopped
            && !walk.resumes
            && !told(frame, walk)
            && !says_stopped(frame)
            && !marks_stopped(frame, walk)
            && !named_after(frame, walk, (&walk.cursors, &walk.kept))
        {
            let head = walk.limit.map(|_| walk.head);
            spans.push((walk.limit.unwrap_or(walk.head), true, head));
        }
    }
    let (span, walks, because) = *spans.first()?;
    let mut others: Vec<Span> = spans.iter().map(|(s, ..)| *s).filter(|s| *s != span).collect();
    others.dedup();
    Some(Inconsistency {
        outcome: Outcome::Masked,
        span,
        because,
        others,
        walks,
        function: String::new(),
        commands: Default::default(),
        stage: None,
    })
}

/// Whether a walk that ends in some states lets one of them through as the result.
fn ends_so(frame: &Frame<'_>, walk: &Walk, states: Worlds) -> bool {
    let mut after = frame.ends.iter().filter(|(at, _)| *at >= walk.end);
    after.any(|(_, reach)| states & reach != 0) && !told(frame, walk)
}

/// Whether the last result of a function says whether the page makes sense at all: it holds for
/// each sound page and for no contradictory one that was let through.
fn gives_verdict(frame: &Frame<'_>) -> bool {
    let Some((results, _)) = &frame.results else { return false };
    let Some(last) = results.last().filter(|v| results.len() > 1 && !v.is(FLAG)) else {
        return false;
    };
    let sound = SOUND & RUNNING;
    last.yes & MORE & sound != 0
        && last.yes & LAST & sound != 0
        && last.no & sound == 0
        && last.no & LOST != 0
}

/// Whether a result is one truth at the end of the pages and the other where a limit stops them.
fn says_stopped(frame: &Frame<'_>) -> bool {
    let Some((results, _)) = &frame.results else { return false };
    let splits = |ended: Worlds, stopped: Worlds| {
        ended & LAST & RUNNING != 0
            && ended & !RUNNING == 0
            && stopped & LAST & RUNNING == 0
            && stopped & !RUNNING != 0
    };
    results.iter().any(|v| splits(v.yes, v.no) || splits(v.no, v.yes))
}

/// Whether what a walk hands out says that more remains.
fn told(frame: &Frame<'_>, walk: &Walk) -> bool {
    walk.told || named_after(frame, walk, (&walk.tellers, &FxHashSet::default()))
}

/// Whether what is returned behind a walk bears a mark that is the opposite inside it:
/// `complete: false` where the limit stops it, `complete: true` where the pages end.
fn marks_stopped(frame: &Frame<'_>, walk: &Walk) -> bool {
    let mut marks: Vec<(bool, &Name, bool)> = Vec::new();
    each_stmt(&frame.function.body, &mut |stmt| {
        let StmtKind::Return(values) = &stmt.kind else { return };
        let (behind, inside) = (stmt.range.start >= walk.end, stmt.range.start > walk.start);
        for value in values.iter().filter(|_| inside) {
            each_part(value, &mut |v| {
                let (ValueKind::Object(entries) | ValueKind::Struct(_, entries)) = &v.kind else {
                    return;
                };
                marks.extend(entries.iter().filter_map(|e| match (&e.key, &e.value.kind) {
                    (EntryKey::Known(key), ValueKind::Bool(mark)) => Some((behind, key, *mark)),
                    _ => None,
                }));
            });
        }
    });
    let inside = |key: &Name, mark: bool| {
        marks.iter().any(|(behind, k, m)| !behind && *k == key && *m != mark)
    };
    marks.iter().any(|(behind, key, mark)| *behind && inside(key, *mark))
}

/// Whether one of some variables, or of fields of variables, is named behind a walk.
fn named_after(
    frame: &Frame<'_>,
    walk: &Walk,
    (slots, fields): (&FxHashSet<u16>, &FxHashSet<(u16, Name)>),
) -> bool {
    let mut named = false;
    each_value(&frame.function.body, &mut |v| {
        let behind = v.range.start >= walk.end;
        named |= behind
            && match &v.kind {
                ValueKind::Local(local) => local.up == 0 && slots.contains(&local.slot),
                ValueKind::Member(base, name, _) => match &base.kind {
                    ValueKind::Local(local) => fields.contains(&(local.slot, name.clone())),
                    _ => false,
                },
                _ => false,
            };
    });
    named
}

/// Whether those who report a function's error give it the right type, or nobody reports it.
fn is_typed_by_callers(scan: &Scan<'_>, id: FunctionId) -> bool {
    let mut seen: FxHashSet<FunctionId> = FxHashSet::default();
    let mut queue = vec![(id, 0)];
    let (mut reported, mut dropped) = (false, false);
    while let Some((id, depth)) = queue.pop() {
        if !seen.insert(id) || seen.len() > MAX_CALLERS || depth > MAX_CALLS {
            continue;
        }
        let name = &scan.function(id).name;
        let callers = if name.is_empty() { &[] } else { scan.callers(name) };
        for caller in callers {
            let fate = scan.fate(*caller, name);
            match fate {
                Fate::Typed => return true,
                Fate::Reported if scan.hands_errors_on(*caller) => {
                    queue.push((*caller, depth + 1));
                }
                Fate::Reported => reported = true,
                Fate::Dropped => dropped |= depth == 0,
                Fate::Elsewhere => {}
            }
            reported |= depth == 0 && fate == Fate::Reported;
        }
    }
    // An error that no caller reports, one that a ledger takes down, is none.
    dropped && !reported
}

fn function_name(scan: &Scan<'_>, id: FunctionId) -> String {
    let module = scan.index.module(id.module);
    let mut function = scan.function(id);
    while let (true, Some(parent)) = (function.name.is_empty(), function.parent) {
        function = &module.functions[parent as usize];
    }
    match &function.owner {
        Some(owner) => format!("{owner}.{}", function.name),
        None => function.name.to_string(),
    }
}
