//! A place in the structure of a TOML text to its bytes.
//!
//! Knows no key of the configuration.

use std::ops::Range;

use toml::de::{DeTable, DeValue};
use toml::Spanned;

/// One step down.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// Into a table.
    Key(&'a str),
    /// Into a list.
    Index(usize),
}

/// The bytes of a key (where the last step is one) or of a list's element; of the deepest
/// thing found where the path leads nowhere.
pub fn locate(text: &str, path: &[Step<'_>]) -> Range<usize> {
    let Ok(document) = DeTable::parse(text) else {
        return 0..0;
    };
    let mut found = 0..0;
    let mut value = None;
    for step in path {
        let next: Option<(Range<usize>, &Spanned<DeValue<'_>>)> = match step {
            Step::Key(key) => {
                let table = match value {
                    None => Some(document.get_ref()),
                    Some(v) => table_of(v),
                };
                let entry = table.and_then(|t| t.iter().find(|(k, _)| k.get_ref() == key));
                entry.map(|(k, v)| (k.span(), v))
            }
            Step::Index(index) => {
                let list = value.and_then(|v: &Spanned<DeValue<'_>>| v.get_ref().as_array());
                list.and_then(|l| l.get(*index)).map(|v| (v.span(), v))
            }
        };
        let Some((span, inner)) = next else {
            break;
        };
        found = span;
        value = Some(inner);
    }
    found
}

fn table_of<'a, 'i>(value: &'a Spanned<DeValue<'i>>) -> Option<&'a DeTable<'i>> {
    value.get_ref().as_table()
}
