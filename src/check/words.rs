//! Words that a project added to a pack and that its sources never use: a misspelt call would
//! select nothing, and pass.
//!
//! Must not know what a word is for, only which keys hold calls and the places of arguments.

use rustc_hash::FxHashMap;

use super::Lowered;
use crate::ir::{walk, Value, ValueKind};
use crate::report::{Level, Problem};
use crate::text::Sources;

/// Keys that hold the name of a call or of a type.
const NAMES: [&str; 2] = ["call", "type-name"];

/// Keys that hold the place of an argument, from 0.
const PLACES: [&str; 5] = ["argument", "name", "handler", "tool", "request"];

/// What there is to say about a project's additions to packs.
pub(super) fn unused(
    additions: &[(String, toml::Table)],
    sources: &Sources,
    lowered: &[Lowered],
) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut most: Option<FxHashMap<String, usize>> = None;
    for (pack, table) in additions {
        for (list, entry) in entries(table) {
            let named = NAMES.iter().find_map(|key| entry.get(*key)?.as_str());
            let Some(name) = named else { continue };
            let last = name.rsplit(['.', '*']).next().unwrap_or(name);
            let place = format!("[[pack.{pack}.{list}]]");
            if last.is_empty() {
                continue;
            }
            if !sources.files.iter().any(|file| has_word(&file.text, last)) {
                found.push(format!("{place}: `{name}` occurs nowhere in the sources"));
                continue;
            }
            if entry.contains_key("field") {
                continue;
            }
            let most = most.get_or_insert_with(|| most_arguments(lowered));
            let Some(most) = most.get(last) else { continue };
            for key in PLACES {
                let at = entry.get(key).and_then(toml::Value::as_integer);
                if at.is_some_and(|at| at >= 0 && at as usize >= *most) {
                    let at = at.unwrap_or_default();
                    found.push(format!(
                        "{place}: {key} = {at}, but no call of `{name}` has more than {most} \
                         arguments, counted from 0"
                    ));
                }
            }
        }
    }
    let problem = |message| Problem {
        path: crate::config::FILE_NAME.to_string(),
        line: None,
        level: Level::Note,
        message,
    };
    found.into_iter().map(problem).collect()
}

/// The tables in the lists of a pack's additions, each with the list's key.
fn entries(table: &toml::Table) -> impl Iterator<Item = (&String, &toml::Table)> {
    table.iter().flat_map(|(key, value)| {
        let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
        list.iter().filter_map(move |item| Some((key, item.as_table()?)))
    })
}

/// Whether a text has a word, not as a part of another.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(part)
            && !text[at + word.len()..].chars().next().is_some_and(part)
    })
}

/// The most arguments that a call of each name has.
fn most_arguments(lowered: &[Lowered]) -> FxHashMap<String, usize> {
    let mut most: FxHashMap<String, usize> = FxHashMap::default();
    let mut look = |value: &Value| {
        let ValueKind::Call { callee, args, .. } = &value.kind else { return };
        let (ValueKind::Member(_, name, _) | ValueKind::Global(name)) = &callee.kind else {
            return;
        };
        let spread = args.iter().any(|arg| matches!(arg.value.kind, ValueKind::Spread(_)));
        let count = if spread { usize::MAX } else { args.len() };
        let known = most.entry(name.to_string()).or_default();
        *known = count.max(*known);
    };
    for one in lowered {
        let module = &one.module;
        for function in &module.functions {
            walk::each_value(&function.body, &mut look);
        }
        for global in module.globals.iter().filter_map(|global| global.value.as_ref()) {
            walk::each_part(global, &mut look);
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::has_word;

    #[test]
    fn words_are_found_whole() {
        assert!(has_word("a.emit(x)", "emit"));
        assert!(has_word("emit", "emit"));
        assert!(!has_word("emits(x) re_emit(x)", "emit"));
        assert!(!has_word("", "emit"));
    }
}
