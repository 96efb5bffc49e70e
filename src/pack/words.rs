//! Spelling: one name in several cases, and a noun's number.
//!
//! Knows no pack.

use std::borrow::Cow;

/// A name in one form: `hasMore`, `HasMore` and `has-more` are `has_more`.
pub fn folded(name: &str) -> Cow<'_, str> {
    // Most names have that form.
    if name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_') {
        return Cow::Borrowed(name);
    }
    let mut out = String::with_capacity(name.len() + 4);
    out.extend(letters(name));
    Cow::Owned(out)
}

/// Whether two names have the same form.
pub fn same_folded(a: &str, b: &str) -> bool {
    letters(a).eq(letters(b))
}

/// The letters of a name in one form, one by one: most comparisons end with the first.
fn letters(name: &str) -> impl Iterator<Item = char> + '_ {
    let mut previous_lower = false;
    name.chars().flat_map(move |c| {
        let after_lower = std::mem::replace(&mut previous_lower, false);
        let (gap, c) = match c {
            '-' | ' ' => (None, '_'),
            _ if c.is_uppercase() => (after_lower.then_some('_'), c),
            _ => {
                previous_lower = c.is_lowercase() || c.is_ascii_digit();
                (None, c)
            }
        };
        gap.into_iter().chain(c.to_lowercase())
    })
}

/// A noun with its plural ending, as far as English spelling tells.
pub fn plural(noun: &str) -> String {
    let vowel = |c: Option<char>| c.is_some_and(|c| "aeiou".contains(c));
    if let Some(stem) = noun.strip_suffix('y').filter(|s| !vowel(s.chars().last())) {
        return format!("{stem}ies");
    }
    match ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end)) {
        true => format!("{noun}es"),
        false => format!("{noun}s"),
    }
}

/// A noun without its plural ending, as far as English spelling tells.
pub fn singular(noun: &str) -> String {
    for (plural, one) in
        [("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x")]
    {
        if let Some(stem) = noun.strip_suffix(plural) {
            return format!("{stem}{one}");
        }
    }
    match noun.strip_suffix('s') {
        Some(stem) if !stem.ends_with('s') && stem.len() > 1 => stem.to_string(),
        _ => noun.to_string(),
    }
}
