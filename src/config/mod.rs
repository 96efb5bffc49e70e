//! User choices: the text of a `pagelint.toml` to a checked [`Config`].
//!
//! Never looks for the file and never reads it; what rules, packs and languages exist is
//! told to it.

mod documents;
mod file;
mod locate;
mod nearest;
mod plan;
mod vocabulary;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::json;

pub use documents::{DocumentKind, Documents};
pub use nearest::nearest;
pub use plan::{fits, Date, Exception, Plan};

use crate::globs::Globs;
use crate::report::Level;
use locate::{locate, Step};

/// Name of the configuration file.
pub const FILE_NAME: &str = "pagelint.toml";

/// What the user wants.
#[derive(Clone, Debug)]
pub struct Config {
    /// The packs to run; `None` runs every shipped pack on its own languages.
    pub packs: Option<Vec<PackUse>>,
    /// Additions to packs, by pack id, in id order; the tables have the form of `pack.toml`.
    pub vocabulary: Vec<(String, toml::Table)>,
    /// Files that are not read at all.
    pub exclude: Globs,
    /// Whether tests are checked too.
    pub tests: bool,
    /// Levels by rule id.
    pub rules: BTreeMap<String, Level>,
    /// Levels for some paths; a later one wins over an earlier one.
    pub overrides: Vec<Override>,
    /// Levels by rule id that win over all others (from the command line).
    pub forced: BTreeMap<String, Level>,
    /// The lowest level that fails the run; `None` never fails it.
    pub fail_on: Option<Level>,
    /// The highest level of a finding by the stage of its command.
    pub stages: BTreeMap<String, Level>,
    /// Files of captured JSON.
    pub documents: Documents,
    /// What the migration is expected to have reached, and what was excepted from it.
    pub plan: Plan,
}

/// One pack to run, and where.
#[derive(Clone, Debug)]
pub struct PackUse {
    /// Its id.
    pub id: String,
    /// The languages it reads, in place of its own.
    pub languages: Option<Vec<String>>,
    /// The files it reads; `None` is all of its languages.
    pub paths: Option<Globs>,
}

/// Levels for the files that match.
#[derive(Clone, Debug)]
pub struct Override {
    /// The files.
    pub paths: Globs,
    /// Levels by rule id.
    pub rules: BTreeMap<String, Level>,
}

/// What the program knows, for checking names.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// Rule ids.
    pub rules: &'a [&'a str],
    /// Ids of the shipped packs.
    pub packs: &'a [&'a str],
    /// Language ids.
    pub languages: &'a [&'a str],
}

/// Why a configuration was not accepted, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConfigError {
    /// What is wrong.
    pub message: String,
    /// Bytes of the text.
    pub span: Range<usize>,
    /// What to do.
    pub help: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            packs: None,
            vocabulary: Vec::new(),
            exclude: Globs::default(),
            tests: false,
            rules: BTreeMap::new(),
            overrides: Vec::new(),
            forced: BTreeMap::new(),
            fail_on: Some(Level::Warning),
            stages: default_stages(),
            documents: Documents::default(),
            plan: Plan::default(),
        }
    }
}

/// Output that a plan keeps until the command moves is no error before that.
fn default_stages() -> BTreeMap<String, Level> {
    BTreeMap::from([
        ("legacy_only".to_string(), Level::Note),
        ("dual_validate".to_string(), Level::Warning),
    ])
}

impl Config {
    /// Reads the text of a configuration file. Its globs are relative to `base`.
    pub fn parse(text: &str, base: &Path, known: Known<'_>) -> Result<Config, ConfigError> {
        let file: file::File = toml::from_str(text).map_err(|e| syntax_error(&e, text))?;
        let reader = Reader { text, base, known, own_packs: file.pack.keys().cloned().collect() };
        let mut config = Config {
            packs: file.packs.map(|packs| reader.packs(packs)).transpose()?,
            exclude: reader.globs(&file.exclude, &[Step::Key("exclude")])?,
            tests: file.tests,
            rules: reader.levels(file.rules, &[Step::Key("rules")])?,
            plan: reader.plan(file.progress, file.exceptions)?,
            ..Config::default()
        };
        for (index, entry) in file.overrides.into_iter().enumerate() {
            let at = [Step::Key("override"), Step::Index(index)];
            config.overrides.push(Override {
                paths: reader.globs(&entry.paths, &[at[0], at[1], Step::Key("paths")])?,
                rules: reader.levels(entry.rules, &[at[0], at[1], Step::Key("rules")])?,
            });
        }
        if let Some(fail_on) = file.fail_on {
            config.fail_on = fail_on.level();
        }
        let documents = |key| [Step::Key("documents"), Step::Key(key)];
        config.documents = Documents {
            responses: reader.globs(&file.documents.responses, &documents("responses"))?,
            schemas: reader.globs(&file.documents.schemas, &documents("schemas"))?,
            sessions: reader.globs(&file.documents.sessions, &documents("sessions"))?,
            named: BTreeMap::new(),
            patterns: [
                &file.documents.responses,
                &file.documents.schemas,
                &file.documents.sessions,
            ]
            .iter()
            .any(|patterns| !patterns.is_empty()),
        };
        config.stages.extend(file.stages.into_iter().map(|(k, v)| (k, v.level())));
        config.vocabulary = reader.vocabulary(file.pack, config.packs.as_deref())?;
        Ok(config)
    }

    /// Whether the user chose a level for any rule.
    pub fn chooses_levels(&self) -> bool {
        !(self.forced.is_empty() && self.rules.is_empty() && self.overrides.is_empty())
    }

    /// The level that the user chose for a rule in a file, if any.
    pub fn level(&self, rule: &str, file: &Path) -> Option<Level> {
        let overridden = || {
            let matching = self.overrides.iter().rev().filter(|o| o.paths.matches(file, false));
            matching.filter_map(|o| o.rules.get(rule)).next()
        };
        let chosen = self.forced.get(rule).or_else(overridden).or_else(|| self.rules.get(rule));
        chosen.copied()
    }

    /// The highest level that a finding in a command of this stage may have.
    pub fn stage_cap(&self, stage: &str) -> Option<Level> {
        self.stages.get(stage).copied()
    }
}

/// The JSON Schema of the configuration file, as text that ends in a newline. `rules` are ids
/// and what they mean, so that editors complete and explain them.
pub fn schema(rules: &[(&str, &str)]) -> String {
    let mut schema = schemars::schema_for!(file::File);
    let level = "#/$defs/LevelWord";
    let levels: serde_json::Map<String, serde_json::Value> = rules
        .iter()
        .map(|(id, summary)| (id.to_string(), json!({ "$ref": level, "description": summary })))
        .collect();
    for place in ["/properties/rules", "/$defs/OverrideEntry/properties/rules"] {
        if let Some(serde_json::Value::Object(table)) = schema.pointer_mut(place) {
            table.insert("properties".to_string(), levels.clone().into());
            table.insert("additionalProperties".to_string(), false.into());
        }
    }
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

struct Reader<'a> {
    text: &'a str,
    base: &'a Path,
    known: Known<'a>,
    own_packs: Vec<String>,
}

impl Reader<'_> {
    fn error(&self, at: &[Step<'_>], message: String, help: Option<String>) -> ConfigError {
        ConfigError { message, span: locate(self.text, at), help }
    }

    fn packs(&self, packs: file::Packs) -> Result<Vec<PackUse>, ConfigError> {
        let mut uses = Vec::new();
        match packs {
            file::Packs::List(ids) => {
                for (index, id) in ids.into_iter().enumerate() {
                    self.known_pack(&id, &[Step::Key("packs"), Step::Index(index)])?;
                    uses.push(PackUse { id, languages: None, paths: None });
                }
            }
            file::Packs::Table(scopes) => {
                for (id, scope) in scopes {
                    let at = [Step::Key("packs"), Step::Key(&id)];
                    self.known_pack(&id, &at)?;
                    let mut languages = scope.languages.iter().flatten().enumerate();
                    if let Some((index, language)) =
                        languages.find(|(_, l)| !self.known.languages.contains(&l.as_str()))
                    {
                        let at = [at[0], at[1], Step::Key("languages"), Step::Index(index)];
                        let help = choices(language, self.known.languages);
                        let message = format!("there is no language `{language}`");
                        return Err(self.error(&at, message, Some(help)));
                    }
                    let under = [at[0], at[1], Step::Key("paths")];
                    let paths =
                        scope.paths.as_deref().map(|p| self.globs(p, &under)).transpose()?;
                    uses.push(PackUse { id: id.clone(), languages: scope.languages, paths });
                }
            }
        }
        Ok(uses)
    }

    /// A pack is known when it is shipped or when the file describes one of that name.
    fn known_pack(&self, id: &str, at: &[Step<'_>]) -> Result<(), ConfigError> {
        if self.known.packs.contains(&id) || self.own_packs.iter().any(|own| own == id) {
            return Ok(());
        }
        let known = choices(id, self.known.packs);
        let help = format!("{known} (or describe a pack of your own under [pack.{id}])");
        Err(self.error(at, format!("there is no pack `{id}`"), Some(help)))
    }

    fn levels(
        &self,
        rules: BTreeMap<String, file::LevelWord>,
        at: &[Step<'_>],
    ) -> Result<BTreeMap<String, Level>, ConfigError> {
        if let Some(id) = rules.keys().find(|id| !self.known.rules.contains(&id.as_str())) {
            let at: Vec<Step<'_>> = at.iter().copied().chain([Step::Key(id)]).collect();
            let help = match nearest(id, self.known.rules) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`pagelint rules` lists the rules".to_string(),
            };
            return Err(self.error(&at, format!("there is no rule `{id}`"), Some(help)));
        }
        Ok(rules.into_iter().map(|(id, word)| (id, word.level())).collect())
    }

    fn globs(&self, patterns: &[String], at: &[Step<'_>]) -> Result<Globs, ConfigError> {
        Globs::new(self.base, patterns).map_err(|(index, reason)| {
            let at: Vec<Step<'_>> = at.iter().copied().chain([Step::Index(index)]).collect();
            let help = "patterns are written as in .gitignore".to_string();
            self.error(&at, format!("not a pattern: {reason}"), Some(help))
        })
    }
}

fn choices(word: &str, known: &[&str]) -> String {
    match nearest(word, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known: {}", known.join(", ")),
    }
}

fn syntax_error(error: &toml::de::Error, text: &str) -> ConfigError {
    let (message, help) = reworded(error.message());
    let end = text.trim_end().len();
    ConfigError { message, span: error.span().unwrap_or(end..end), help }
}

/// What the parser says in the words of this program, and what to do if that is known. The
/// parser names a wrong word first and then the words it would take, all in backticks.
fn reworded(message: &str) -> (String, Option<String>) {
    let message = message.trim_end();
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let help = match quoted.split_first() {
        Some((wrong, expected)) if message.starts_with("unknown") && !expected.is_empty() => {
            Some(choices(wrong, expected))
        }
        _ => None,
    };
    let message = match (&help, quoted.first(), message.split_once(", expected")) {
        (Some(_), Some(wrong), Some(_)) => match message.starts_with("unknown field") {
            true => format!("there is no key `{wrong}` here"),
            false => format!("there is no value `{wrong}` here"),
        },
        _ => message
            .replace('\n', ", ")
            .replace("missing field", "missing key")
            .replace("invalid type", "wrong type")
            .replace("expected a sequence", "expected a list")
            .replace("expected a map", "expected a table"),
    };
    (message, help)
}

/// Directory whose `pagelint.toml` governs a path: the nearest one that holds it, not looking
/// above a repository. `holds` tells whether a directory has an entry of a name.
pub fn governing(start: &Path, holds: impl Fn(&Path, &str) -> bool) -> Option<PathBuf> {
    for dir in start.ancestors() {
        if holds(dir, FILE_NAME) {
            return Some(dir.join(FILE_NAME));
        }
        if holds(dir, ".git") {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests;
