//! The form of `pagelint.toml`, as types; the JSON Schema is generated from them.
//!
//! Knows no rule and no pack: names are checked one floor up, where the errors can point at
//! them.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::de::{self, value, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::report::Level;

/// Configuration of pagelint.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[schemars(title = "pagelint.toml")]
pub struct File {
    /// The packs to run: a list of pack ids, or a table from pack id to the languages and
    /// paths it reads. Without it every shipped pack runs on its own languages.
    pub packs: Option<Packs>,
    /// Files that are not read at all; patterns as in .gitignore, relative to this file.
    pub exclude: Vec<String>,
    /// Whether test files are checked too.
    pub tests: bool,
    /// Levels by rule id.
    pub rules: BTreeMap<String, LevelWord>,
    /// Levels for some paths; a later entry wins over an earlier one.
    #[serde(rename = "override")]
    pub overrides: Vec<OverrideEntry>,
    /// The lowest level that makes the exit status 1. Default: warning.
    pub fail_on: Option<FailOn>,
    /// The highest level of a finding, by the stage of its command.
    /// Default: legacy_only is note, dual_validate is warning.
    pub stages: BTreeMap<String, LevelWord>,
    /// Files of captured JSON and what they are; patterns as in .gitignore, relative to this file.
    pub documents: DocumentGlobs,
    /// What the migration is expected to have reached, for `pagelint progress`.
    pub progress: Progress,
    /// Agreed exceptions, for `pagelint progress`.
    #[serde(rename = "exception")]
    pub exceptions: Vec<ExceptionEntry>,
    /// Additions to the vocabulary of a pack, by pack id, with the keys of its pack.toml.
    /// The key `replace` lists the keys that replace the shipped ones in place of extending them.
    #[schemars(with = "BTreeMap<String, BTreeMap<String, serde_json::Value>>")]
    pub pack: BTreeMap<String, toml::Table>,
}

/// Files of captured JSON.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DocumentGlobs {
    /// Responses: one JSON document, a list of the pages of one walk, or JSON Lines.
    pub responses: Vec<String>,
    /// Schemas: compact or full leaves, groups, MCP tool lists.
    pub schemas: Vec<String>,
    /// Sessions: recorded JSON-RPC messages, or runs of a command line.
    pub sessions: Vec<String>,
}

/// Levels for the files that match.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OverrideEntry {
    /// The files; patterns as in .gitignore, relative to this file.
    pub paths: Vec<String>,
    /// Levels by rule id.
    pub rules: BTreeMap<String, LevelWord>,
}

/// What the migration is expected to have reached.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Progress {
    /// Tools that page without a resume field by agreement. `*` stands for any text.
    pub cursor_less: Vec<String>,
    /// The stage that a command should have reached, by its name. `*` stands for any text.
    pub stages: BTreeMap<String, String>,
}

/// A departure that was agreed on.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExceptionEntry {
    /// The tool or command. `*` stands for any text.
    pub name: String,
    /// The rule that it may depart from. Without it the whole tool or command is excepted.
    pub rule: Option<String>,
    /// Why.
    pub reason: String,
    /// The last day on which it holds, as YYYY-MM-DD. A passed day is a finding.
    pub until: Option<String>,
}

/// The packs to run.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub enum Packs {
    /// Pack ids.
    List(Vec<String>),
    /// Pack ids with what they read.
    Table(BTreeMap<String, PackScope>),
}

/// What a pack reads.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PackScope {
    /// Language ids, in place of the pack's own.
    pub languages: Option<Vec<String>>,
    /// Files; patterns as in .gitignore, relative to this file.
    pub paths: Option<Vec<String>>,
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LevelWord {
    /// Not reported.
    Off,
    /// Worth knowing.
    Note,
    /// Should change.
    Warning,
    /// Must change.
    Error,
}

impl LevelWord {
    /// The level of the word.
    pub fn level(self) -> Level {
        match self {
            LevelWord::Off => Level::Off,
            LevelWord::Note => Level::Note,
            LevelWord::Warning => Level::Warning,
            LevelWord::Error => Level::Error,
        }
    }
}

/// The lowest level that makes the exit status 1.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FailOn {
    /// Any finding.
    Note,
    /// Warnings and errors.
    Warning,
    /// Errors only.
    Error,
    /// Nothing.
    Never,
}

impl FailOn {
    /// The level of the word; none for "never".
    pub fn level(self) -> Option<Level> {
        match self {
            FailOn::Note => Some(Level::Note),
            FailOn::Warning => Some(Level::Warning),
            FailOn::Error => Some(Level::Error),
            FailOn::Never => None,
        }
    }
}

/// By hand: an untagged enum would answer every mistake inside with "no variant matched".
impl<'de> Deserialize<'de> for Packs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Packs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of pack ids, or a table from pack id to languages and paths")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Packs, A::Error> {
                let list = value::SeqAccessDeserializer::new(seq);
                Vec::deserialize(list).map(Packs::List)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Packs, A::Error> {
                let table = value::MapAccessDeserializer::new(map);
                BTreeMap::deserialize(table).map(Packs::Table)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Packs, E> {
                Err(E::invalid_type(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(Either)
    }
}
