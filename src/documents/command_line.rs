//! A recorded command line to the command that it names and its arguments.
//!
//! Knows no command: what stands before the first flag is the command.

use super::facts::{Argument, Request, Worth};
use super::json::{Kind, Value};
use crate::text::Span;

/// The words of a recorded command line: a list, or one line as a shell reads it.
pub fn words(value: Value<'_>) -> Option<Vec<String>> {
    match value.kind() {
        Kind::Array => value.parts().map(|part| part.str().map(|word| word.into_owned())).collect(),
        Kind::String => value.str().map(|line| split(&line)),
        _ => None,
    }
}

fn split(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        match (quote, sign) {
            (Some(open), sign) if sign == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(sign);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(signs.next()),
            (None, sign) if sign.is_whitespace() => words.extend(word.take()),
            (_, sign) => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    words
}

/// The call that a command line makes. The first word is the program.
pub fn request(words: &[String], span: Span) -> Request {
    let is_flag = |word: &&String| word.starts_with('-') && word.len() > 1;
    let rest = words.get(1..).unwrap_or_default();
    let named = rest.iter().take_while(|word| !is_flag(word)).count();
    let mut arguments = Vec::new();
    let mut at = named;
    while at < rest.len() {
        let word = &rest[at];
        at += 1;
        if !is_flag(&word) {
            arguments.push(argument(format!("#{}", arguments.len()), word));
            continue;
        }
        let name = word.trim_start_matches('-');
        match name.split_once('=') {
            Some((name, value)) => arguments.push(argument(name.to_string(), value)),
            None => {
                match rest.get(at).filter(|next| !is_flag(next) || next.parse::<i64>().is_ok()) {
                    Some(value) => {
                        arguments.push(argument(name.to_string(), value));
                        at += 1;
                    }
                    None => arguments
                        .push(Argument { name: name.to_string(), worth: Worth::Bool(true) }),
                }
            }
        }
    }
    Request { tool: rest[..named].join(" "), arguments, span, parameters: None }
}

fn argument(name: String, value: &str) -> Argument {
    let worth = value.parse().map_or_else(|_| Worth::Text(value.to_string()), Worth::Int);
    Argument { name, worth }
}
