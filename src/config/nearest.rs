//! A word and the words there are to the one that was likely meant.
//!
//! Knows nothing of what the words name.

/// The known word closest to `word`, if one is close enough to be a slip of the hand, else
/// one that it abbreviates.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).clamp(1, 4);
    let scored = known.iter().map(|candidate| (distance(word, candidate), *candidate));
    let slip = scored.filter(|(d, _)| *d <= limit).min().map(|(_, candidate)| candidate);
    let longer = |candidate: &&&str| word.len() > 2 && candidate.starts_with(word);
    slip.or_else(|| known.iter().find(longer).copied())
}

/// Letters to insert, delete or replace to get from one word to the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
