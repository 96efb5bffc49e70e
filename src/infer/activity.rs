//! Whose work something is: which root runs, which arm of a dispatcher inside it, and which call
//! named the field that a helper reads or writes.
//!
//! Judges nothing; knows no pack word.

use super::observe::Emission;
use super::session::Session;
use super::store::Site;
use super::value::V;
use crate::ir::Name;

/// What runs: a root, and the outermost named arm of a dispatcher inside it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Activity {
    /// The root, by number.
    pub root: u32,
    /// The texts of the arm.
    pub arm: Vec<Name>,
    /// The texts of the arms inside it, outermost first.
    pub inner: Vec<Name>,
}

impl Activity {
    /// Whether what is asked for by this is in force in another: before all arms, or in the same
    /// one. Of arms inside an arm each may be a tool of its own.
    pub fn reaches(&self, other: &Activity) -> bool {
        let shared = self.inner.len().min(other.inner.len());
        let same = || self.arm == other.arm && self.inner[..shared] == other.inner[..shared];
        self.root == other.root && (self.arm.is_empty() || same())
    }
}

impl Session<'_> {
    /// What runs now.
    pub(super) fn activity(&self) -> Activity {
        let mut arms = self.dispatch.iter();
        let arm = arms.next().cloned().unwrap_or_default();
        Activity { root: self.seen.root, arm, inner: arms.flatten().cloned().collect() }
    }

    /// Whose work it is that an object leaves: that of the arm which returned it, where the root
    /// `dispatches` tools or a table of them is looked into.
    pub(super) fn work_of(&self, emission: &Emission, leaf: V, dispatches: bool) -> Activity {
        let seen = &self.seen;
        let by = seen.returned_by.get(&leaf).filter(|_| emission.activity.arm.is_empty());
        let by = by.filter(|by| dispatches || seen.looked_up.contains(&by.arm));
        by.unwrap_or(&emission.activity).clone()
    }

    /// Whether something was seen while the same thing ran as now: each arm of a dispatcher asks
    /// for itself.
    pub(super) fn runs_still(&self, activity: &Activity) -> bool {
        let arm = self.dispatch.first().map_or(&[][..], Vec::as_slice);
        let inner = self.dispatch.iter().skip(1).flatten();
        activity.root == self.seen.root && activity.arm == arm && activity.inner.iter().eq(inner)
    }

    /// Who says which field is written: where a helper of a pack with a shared builder writes what
    /// it is told to, the call that names the field.
    pub(super) fn teller(&self, key: V, site: Site) -> Site {
        match self.pack.fields.more.is_empty() || site.builder {
            true => site,
            false => {
                let told = self.asker(key, site);
                let texts = self.seen.texts.get(&key).into_iter().flatten();
                let mut inside = texts.filter(|t| {
                    t.file == told.span.file && told.span.start <= t.start && t.end <= told.span.end
                });
                let named = inside.next().copied().filter(|_| told.span != site.span);
                Site { span: named.unwrap_or(told.span), ..told }
            }
        }
    }

    /// Who asks for a key: where a helper reads what it is told to, the call that names the key.
    pub(super) fn asker(&self, key: V, site: Site) -> Site {
        let Some(texts) = self.seen.texts.get(&key) else { return site };
        let mut at = site;
        loop {
            // What stands in no function has nobody who asks.
            if at.function.index == u32::MAX {
                return site;
            }
            let function = self.function(at.function);
            let file = self.index.program.files[at.function.module as usize];
            let whole = function.range.in_file(file);
            if texts
                .iter()
                .any(|t| t.file == whole.file && whole.start <= t.start && t.end <= whole.end)
            {
                return at;
            }
            let frame = &self.frames[at.frame as usize];
            let (Some(call), Some(caller)) = (frame.call, frame.caller) else { return site };
            let function = self.frames[caller as usize].function;
            at = Site {
                span: call,
                function,
                frame: caller,
                builder: self.frames[caller as usize].builder,
            };
        }
    }
}
