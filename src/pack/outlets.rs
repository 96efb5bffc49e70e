//! What stands for the way out of programs that use no framework: writers, encoders, and calls
//! that only wrap what they are given.
//!
//! Knows no language and no rule.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{folded, same_folded, Pack};

/// The writers and encoders of programs whose sinks are those of the libraries.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Outlets {
    /// Names of variables, fields and calls that give the writer of the program's output.
    pub writers: Vec<String>,
    /// Types of writers that lead elsewhere.
    pub elsewhere: Vec<String>,
    /// Calls that give a writer around the one they are given.
    pub around: Vec<String>,
    /// Calls that give an encoder for a writer.
    pub encoders: Vec<String>,
    /// Methods by which an encoder takes a value.
    pub encode: Vec<String>,
    /// Methods by which a writer takes text.
    pub write: Vec<String>,
    /// Methods that give what a buffer took in.
    pub contents: Vec<String>,
    /// Calls that give back one of their arguments, as far as this matters.
    pub gives: Vec<Gives>,
    /// Fields of a response that hold all of it.
    pub whole: Vec<String>,
}

/// A call that gives back one of its arguments.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Gives {
    /// The call, by the last elements of its name.
    pub call: String,
    /// Which argument, from 0.
    pub argument: usize,
}

impl Outlets {
    /// Whether no such way out counts.
    pub fn is_empty(&self) -> bool {
        self.encoders.is_empty() && self.writers.is_empty()
    }
}

impl Pack {
    /// Whether a key of a request asks for a page.
    pub fn is_request_key(&self, key: &str) -> bool {
        let name = folded(key);
        let cursor = self
            .raw
            .weak_cursor
            .iter()
            .any(|w| name.strip_suffix(w.as_str()).is_some_and(|before| before.ends_with('_')));
        cursor || self.raw.request.iter().any(|raw| same_folded(raw, key))
    }

    /// Whether a request may take a place to go on from by this key, which means other things too.
    pub fn is_weak_request_key(&self, key: &str) -> bool {
        self.raw.weak_request.iter().any(|raw| same_folded(raw, key))
    }

    /// Whether an address or query names a cursor or token (`...?cursor=`).
    pub fn asks_in_text(&self, text: &str) -> bool {
        text.contains('=')
            && text
                .split(['?', '&'])
                .any(|part| part.split_once('=').is_some_and(|(name, _)| self.is_request_key(name)))
    }

    /// The pack for a program that uses a sink of its own: without what stands in where none is.
    pub fn without_fallbacks(&self) -> Pack {
        let mut pack = self.clone();
        pack.sinks.retain(|s| !s.fallback);
        pack.registrars.retain(|r| !r.fallback);
        pack.commands.retain(|c| !c.fallback);
        pack.outlets = Outlets { whole: self.outlets.whole.clone(), ..Outlets::default() };
        pack
    }
}
