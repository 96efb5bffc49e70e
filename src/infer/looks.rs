//! The looks at all modules of a program, kept from one version of it to the next.
//!
//! Says nothing of what a look sees.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::given::called_fields;
use super::grounds::{Change, Grounds, Touched};
use super::look::{look, look_at, look_at_global, Eyes, ModuleLook};
use super::resolve::Index;
use super::telling::paging_types;
use super::words::{word_names, PackCalls};
use crate::ir::{Module, Name};
use crate::pack::Pack;

/// A look that was taken.
#[derive(Debug)]
struct Kept {
    look: Arc<ModuleLook>,
    /// What it rests on; nothing where that has changed.
    grounds: Option<Grounds>,
    /// What of the module itself has changed since.
    touched: Option<Touched>,
}

impl Kept {
    /// Whether nothing has changed.
    fn is_good(&self) -> bool {
        self.grounds.is_some() && self.touched.is_none()
    }

    /// Notes a change to the program, in which the module has this index.
    fn turn(&mut self, m: u32, change: &Change) {
        let Some(grounds) = self.grounds.take() else { return };
        if self.touched.is_none() && grounds.survive(change) {
            self.grounds = Some(grounds);
            return;
        }
        let Some(mut touched) = change.touched(m) else { return };
        if grounds.survive_outside(m, change) {
            let before = self.touched.take().unwrap_or_default();
            touched.functions.extend(before.functions);
            touched.globals.extend(before.globals);
            (self.grounds, self.touched) = (Some(grounds), Some(touched));
        }
    }

    /// The look as it was, where only what was touched need be looked at again.
    fn again(&mut self, module: &Module, eyes: Eyes<'_>) -> Option<ModuleLook> {
        let touched = self.touched.take().filter(|_| self.grounds.is_some())?;
        let ModuleLook { functions, globals } = &*self.look;
        let same =
            functions.len() == module.functions.len() && globals.len() == module.globals.len();
        if !same {
            self.grounds = None;
            return None;
        }
        let (mut functions, mut globals) = (functions.clone(), globals.clone());
        // What was there for a while only is not there any more.
        for (i, function) in (0..).zip(&module.functions) {
            if touched.functions.contains(&i) {
                functions[i as usize] = Arc::new(look(function, eyes));
            }
        }
        for (i, global) in (0..).zip(&module.globals) {
            if touched.globals.contains(&i) {
                globals[i as usize] = look_at_global(global, eyes);
            }
        }
        Some(ModuleLook { functions, globals })
    }
}

/// The looks of one program, kept from one version of it to the next.
#[derive(Debug, Default)]
pub struct Looks {
    kept: Vec<Seen>,
}

/// Looks with the same eyes.
#[derive(Debug)]
struct Seen {
    pack: Pack,
    types: FxHashSet<Name>,
    words: FxHashSet<Name>,
    called_fields: FxHashSet<Name>,
    modules: Vec<Option<Kept>>,
    used: bool,
}

impl Looks {
    /// Forgets what a change touches, and what nobody used since the last one.
    pub fn turn(&mut self, change: &Change) {
        self.kept.retain_mut(|seen| std::mem::take(&mut seen.used));
        for seen in &mut self.kept {
            for (m, kept) in (0..).zip(&mut seen.modules) {
                kept.iter_mut().for_each(|kept| kept.turn(m, change));
            }
        }
    }

    /// A look at every module; what was seen before with the same eyes is not looked at again, and
    /// a second look that shows the same is the first one.
    pub(super) fn at_all(
        &mut self,
        index: &Index<'_>,
        pack: &Pack,
        calls: &PackCalls,
    ) -> Vec<Arc<ModuleLook>> {
        let (types, words) = (paging_types(index, pack), word_names(index, pack));
        let called_fields = called_fields(index, pack);
        let same = |s: &Seen| {
            let sets = s.types == types && s.words == words && s.called_fields == called_fields;
            sets && s.pack == *pack
        };
        let at = self.kept.iter().position(same).unwrap_or_else(|| {
            let modules = index.program.modules.iter().map(|_| None).collect();
            let pack = pack.clone();
            self.kept.push(Seen { pack, types, words, called_fields, modules, used: true });
            self.kept.len() - 1
        });
        let seen = &mut self.kept[at];
        seen.used = true;
        let (parts, types, words) = (index.parts(), &seen.types, &seen.words);
        let called_fields = &seen.called_fields;
        let all = seen.modules.par_iter_mut().enumerate().map(|(m, kept)| {
            if let Some(good) = kept.as_ref().filter(|kept| kept.is_good()) {
                return good.look.clone();
            }
            let (index, module) = (&Index::made_of(parts), &parts.program().modules[m]);
            let module_index = m as u32;
            let eyes =
                Eyes { index, pack, calls, types, words, called_fields, module: module_index };
            let mut before = kept.take();
            let look = before.as_mut().and_then(|before| before.again(module, eyes));
            let look = look.unwrap_or_else(|| look_at(module, eyes));
            let (before, grounds) = before.map_or((None, None), |b| (Some(b.look), b.grounds));
            let grounds = match grounds {
                Some(grounds) => grounds.with(index.grounds()),
                None => index.grounds(),
            };
            let look = before.filter(|before| **before == look).unwrap_or_else(|| Arc::new(look));
            *kept = Some(Kept { look: look.clone(), grounds: Some(grounds), touched: None });
            look
        });
        all.collect()
    }
}
