//! A project's additions to packs, checked against what a pack may hold.
//!
//! Knows no key of a pack: the pack itself says which it does not take.

use std::collections::BTreeMap;

use super::locate::Step;
use super::{choices, reworded, ConfigError, Reader};
use crate::pack::Pack;

impl Reader<'_> {
    /// The additions, by pack id. One to a pack that never runs, or with a key that packs do not
    /// have, would do nothing and look as if it did.
    pub(super) fn vocabulary(
        &self,
        additions: BTreeMap<String, toml::Table>,
        run: Option<&[super::PackUse]>,
    ) -> Result<Vec<(String, toml::Table)>, ConfigError> {
        for (id, table) in &additions {
            let at = [Step::Key("pack"), Step::Key(id)];
            let runs = run.is_some_and(|run| run.iter().any(|one| one.id == *id));
            if !runs && !self.known.packs.contains(&id.as_str()) {
                let known = choices(id, self.known.packs);
                let help = format!("{known} (a pack of your own is named in `packs`, too)");
                return Err(self.error(&at, format!("there is no pack `{id}`"), Some(help)));
            }
            let Err(reason) = Pack::load(id, Some(table)) else { continue };
            let reason = reason.split_once("]: ").map_or(reason.as_str(), |(_, reason)| reason);
            let (message, help) = reworded(reason);
            let wrong = message.split('`').nth(1).unwrap_or_default();
            let mut deeper: Vec<Step<'_>> = at.to_vec();
            if help.is_none() || !descend(table, wrong, &mut deeper) {
                deeper.truncate(at.len());
            }
            let help = help
                .or_else(|| Some("the `pack.toml` of the shipped packs show the keys".to_string()));
            return Err(self.error(&deeper, message, help));
        }
        Ok(additions.into_iter().collect())
    }
}

/// Extends the steps to the first place of a key; leaves them as they were where there is none.
fn descend<'a>(table: &'a toml::Table, wrong: &str, steps: &mut Vec<Step<'a>>) -> bool {
    for (key, value) in table {
        steps.push(Step::Key(key));
        if key == wrong {
            return true;
        }
        let found = match value {
            toml::Value::Table(inner) => descend(inner, wrong, steps),
            toml::Value::Array(list) => list.iter().enumerate().any(|(index, item)| {
                steps.push(Step::Index(index));
                let found = item.as_table().is_some_and(|inner| descend(inner, wrong, steps));
                if !found {
                    steps.pop();
                }
                found
            }),
            _ => false,
        };
        if found {
            return true;
        }
        steps.pop();
    }
    false
}
