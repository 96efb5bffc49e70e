//! The text of a comment to what it allows.
//!
//! Knows no rule: names are checked by the caller.

use super::Comment;

/// How far an allow reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The line, statement or function that the comment belongs to.
    Here,
    /// The whole file.
    File,
}

/// What a comment allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// How far.
    pub reach: Reach,
    /// Rule ids with the offset of each in the source.
    pub rules: Vec<(String, u32)>,
    /// Why; never empty.
    pub reason: String,
}

impl Directive {
    /// Reads a comment: nothing when it does not speak to pagelint, a sentence when it does
    /// but cannot be understood.
    pub fn read(comment: &Comment, text: &str) -> Option<Result<Directive, String>> {
        let said = comment.text.trim_start_matches(['/', '#', '*', '!']).trim();
        let said = said.strip_prefix("pagelint:")?.trim_end_matches("*/").trim();
        // Offsets come from the source, whose comment holds the same words with its marker.
        let source = text.get(comment.start as usize..comment.end as usize).unwrap_or("");
        Some(parse(said, source, comment.start))
    }
}

fn parse(said: &str, source: &str, base: u32) -> Result<Directive, String> {
    let (reach, rest) = match said.strip_prefix("allow-file") {
        Some(rest) => (Reach::File, rest),
        None => match said.strip_prefix("allow") {
            Some(rest) => (Reach::Here, rest),
            None => {
                let word = said.split([' ', '(', '\t']).next().unwrap_or_default();
                return Err(format!("`{word}` is nothing that pagelint can be told in a comment"));
            }
        },
    };
    let unclear = || "this comment names no rule in parentheses".to_string();
    let rest = rest.trim_start().strip_prefix('(').ok_or_else(unclear)?;
    let (list, reason) = rest.split_once(')').ok_or_else(unclear)?;
    let reason = reason.trim().trim_start_matches(['-', ':', '–', '—']).trim();
    let mut rules = Vec::new();
    let mut at = source.find('(').map_or(0, |at| at + 1);
    for name in list.split(',') {
        let trimmed = name.trim();
        if trimmed.is_empty() {
            return Err(unclear());
        }
        let lead = name.len() - name.trim_start().len();
        rules.push((trimmed.to_string(), base + (at + lead) as u32));
        at += name.len() + 1;
    }
    if reason.is_empty() {
        let first = &rules[0].0;
        return Err(format!("this comment allows `{first}` without a reason, so it hides nothing"));
    }
    Ok(Directive { reach, rules, reason: reason.to_string() })
}
