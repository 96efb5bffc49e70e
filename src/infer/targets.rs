//! Which unit a path or a global name stands for, seen from a file: where several projects lie in
//! one workspace, the nearest one's.
//!
//! Knows no language's rules for paths; those are in the mounts.

use super::resolve::Index;
use crate::ir::Name;

impl Index<'_> {
    /// The unit that goes by a global name, as seen from a module.
    pub(super) fn global_unit(&self, from: Option<u32>, name: &str) -> Option<u32> {
        self.watch.asked_for(name);
        let units = self.tables.global_names.get(name)?;
        match (units.as_slice(), from) {
            ([first, _, ..], Some(from)) => {
                let path =
                    |unit: u32| &self.program.modules[self.modules_of(unit)[0] as usize].unit;
                self.nearest(from, units.iter().map(|unit| (path(*unit).as_str(), *unit)))
                    .or(Some(*first))
            }
            (units, _) => units.first().copied(),
        }
    }

    /// The unit that the first fitting target names, as seen from a module.
    pub fn resolve_targets(&self, from: u32, targets: &[Name]) -> Option<u32> {
        targets.iter().find_map(|target| {
            if let Some(unit) = self.unit_at(target) {
                return Some(unit);
            }
            let mounted = self.program.mounts.iter().filter_map(|mount| {
                let rest = target.strip_prefix(mount.prefix.as_str())?;
                let whole = mount.prefix.is_empty() || mount.prefix.ends_with('/');
                let inside = whole || rest.is_empty() || rest.starts_with('/');
                if !inside {
                    return None;
                }
                let rest = rest.trim_start_matches('/');
                let path = match (mount.dir.is_empty(), rest.is_empty()) {
                    (true, _) => rest.to_string(),
                    (false, true) => mount.dir.clone(),
                    (false, false) => format!("{}/{rest}", mount.dir),
                };
                Some((mount.dir.as_str(), self.unit_at(&path)?))
            });
            self.nearest(from, mounted)
        })
    }

    fn unit_at(&self, path: &str) -> Option<u32> {
        self.watch.asked_for(path);
        self.tables.unit_names.get(path).copied()
    }

    /// Of several units, the one whose path shares most folders with a module's; the first of equals.
    fn nearest<'a>(&self, from: u32, units: impl Iterator<Item = (&'a str, u32)>) -> Option<u32> {
        let own = &self.program.modules[from as usize].unit;
        let shared =
            |path: &str| own.split('/').zip(path.split('/')).take_while(|(a, b)| a == b).count();
        let mut best: Option<(usize, u32)> = None;
        for (path, unit) in units {
            let near = shared(path);
            if best.is_none_or(|(known, _)| near > known) {
                best = Some((near, unit));
            }
        }
        best.map(|(_, unit)| unit)
    }
}
