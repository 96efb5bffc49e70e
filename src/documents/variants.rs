//! Leaves of schema files to where their compact and full variants differ.
//!
//! Compares numbers that stand for values; never looks into one.

use std::collections::BTreeMap;

use super::facts::{finding, label, Place};
use super::json::Value;
use crate::report::Finding;
use crate::text::Span;

/// The two ways to show a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variant {
    /// The short one.
    Compact,
    /// The long one.
    Full,
}

impl Variant {
    /// The variant of a word.
    pub fn of(word: &str) -> Option<Variant> {
        match word {
            "compact" => Some(Variant::Compact),
            "full" => Some(Variant::Full),
            _ => None,
        }
    }

    /// The variant that a file's name tells, and the name without it.
    pub fn of_file(stem: &str) -> (Option<Variant>, String) {
        let parts: Vec<&str> = stem.split(['.', '-', '_']).collect();
        let variant = parts.iter().find_map(|part| Variant::of(part));
        let rest: Vec<&str> =
            parts.into_iter().filter(|part| Variant::of(part).is_none()).collect();
        (variant, rest.join("-"))
    }
}

/// A part of a leaf that both variants must have alike.
#[derive(Clone, Copy, Debug)]
pub struct Half {
    digest: u64,
    key: Span,
}

/// A leaf, as far as it is compared with its other variant.
#[derive(Clone, Debug)]
pub struct Leaf {
    name: String,
    variant: Variant,
    /// Where it stands, by the key of it or of a part of it.
    at: Span,
    halves: [Option<Half>; 2],
}

/// The members that are compared.
const HALVES: [&str; 2] = ["result", "pagination"];

/// What is compared of a leaf.
pub fn known(value: Value<'_>, place: &Place, name: &str, variant: Variant) -> Leaf {
    let halves =
        HALVES.map(|half| value.get(half).map(|v| Half { digest: v.digest(), key: place.key(v) }));
    let at = if value.has_key() {
        place.key(value)
    } else {
        halves.iter().flatten().next().map_or(place.of(value), |half| half.key)
    };
    Leaf { name: name.to_string(), variant, at, halves }
}

/// Compares the variants of each leaf.
pub fn compare(leaves: &[Leaf], acc: &mut Vec<Finding>) {
    let mut by_name: BTreeMap<&str, Vec<&Leaf>> = BTreeMap::new();
    for full in leaves.iter().filter(|l| l.variant == Variant::Full) {
        by_name.entry(&full.name).or_default().push(full);
    }
    for compact in leaves.iter().filter(|l| l.variant == Variant::Compact) {
        for full in by_name.get(compact.name.as_str()).into_iter().flatten() {
            for (at, half) in HALVES.iter().enumerate() {
                let (primary, other, what) = match (compact.halves[at], full.halves[at]) {
                    (Some(one), Some(two)) if one.digest != two.digest => {
                        (two.key, one.key, "differs from the compact one")
                    }
                    (Some(one), None) => (one.key, full.at, "is missing in the full schema"),
                    (None, Some(two)) => (two.key, compact.at, "is missing in the compact schema"),
                    _ => continue,
                };
                let name = Some(compact.name.as_str()).filter(|n| !n.is_empty());
                let mut finding = finding(
                    "variant-mismatch",
                    primary,
                    name,
                    format!("the `{half}` of this command {what}"),
                );
                finding.labels.push(label(other, "the other variant"));
                finding.field = Some(half.to_string());
                finding.help = Some("publish both variants from one declaration".to_string());
                acc.push(finding);
            }
        }
    }
}
