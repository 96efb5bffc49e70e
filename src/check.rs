//! The pipeline: sources and choices in, everything that can be said about them out.
//!
//! Never touches the disk: the same function serves files, open buffers and tests.

mod lowering;
mod words;

use std::collections::BTreeMap;
use std::sync::Arc;

use lowering::{lower, lower_once, place, Files, Laid};
pub use lowering::{lower_file, lower_with, Lowered};

use crate::config::Config;
use crate::documents::{self, Captured, Sendable, Stream, Words};
use crate::infer;
use crate::infer::commands::DeclaredPagination;
use crate::infer::facts::Facts;
use crate::infer::memory::Memory;
use crate::infer::Given;
use crate::ir::Program;
use crate::lang::{language_of, Input};
use crate::layout::Layouts;
use crate::pack::{FixedPath, Pack};
use crate::report::{CommandRow, Coverage, Level, Problem, Report, ShapeRow, Undecided};
use crate::rules;
use crate::shapes;
use crate::suppress::FileScopes;
use crate::text::{FileId, LineIndex, Sources, Span};
use crate::triage;

/// What a run gives.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Findings and problems.
    pub report: Report,
    /// What was inferred, by pack.
    inferred: Vec<Facts>,
    /// Where the spans of what was inferred stand.
    layouts: Arc<Layouts>,
    /// What commands declare, by name.
    pub commands: Vec<CommandRow>,
    /// How much was understood.
    pub coverage: Coverage,
    /// Comments and extents of every file.
    pub scopes: Vec<Arc<FileScopes>>,
    /// The stages that a command can be in, lowest first.
    pub stages: Vec<String>,
}

impl Outcome {
    /// What was inferred, one row a tool, command or function, for the sources of the run.
    pub fn shapes(&self, sources: &Sources) -> Vec<ShapeRow> {
        let real = &|span: Span| self.layouts.real(span);
        let rows = self.inferred.iter().flat_map(|facts| shapes::rows(facts, sources));
        rows.map(|row| row.at(real)).collect()
    }
}

/// Files as they were lowered last, by path, and what was found out about them, so that only
/// what a change can touch is done again.
#[derive(Debug, Default)]
pub struct Cache {
    files: Files,
    memories: Memories,
    packs: Option<Loaded>,
}

/// Packs as they were loaded last, and what was asked for.
#[derive(Debug)]
struct Loaded {
    asked: Vec<Asked>,
    packs: Arc<[Pack]>,
    problems: Vec<Problem>,
}

/// A pack to load.
#[derive(Debug, PartialEq)]
struct Asked {
    id: String,
    languages: Option<Vec<String>>,
    additions: Option<toml::Table>,
}

/// What was found out last, by pack.
type Memories = BTreeMap<String, Memory<Given>>;

/// Analyses the sources.
pub fn check(sources: &Sources, config: &Config) -> Outcome {
    let mut outcome = Outcome::default();
    let packs = packs(&asked(config), &mut outcome.report.problems);
    run((sources, config, &packs), lower_once(sources), None, Vec::new(), outcome)
}

/// Analyses the sources; does again only what the cache has not for the same text.
pub fn check_with(sources: &Sources, config: &Config, cache: &mut Cache) -> Outcome {
    let laid = lower(sources, &mut cache.files);
    check_laid(sources, laid, config, cache)
}

/// Analyses sources that are lowered already, so that a text need not be lowered twice. The cache
/// is the one that the revision before was checked with.
pub fn check_lowered(
    sources: &Sources,
    lowered: Vec<Lowered>,
    config: &Config,
    cache: &mut Cache,
) -> Outcome {
    let laid = place(sources, lowered, &mut cache.files);
    check_laid(sources, laid, config, cache)
}

fn check_laid(sources: &Sources, laid: Laid, config: &Config, cache: &mut Cache) -> Outcome {
    let mut outcome = Outcome::default();
    let asked = asked(config);
    let loaded = match cache.packs.take().filter(|loaded| loaded.asked == asked) {
        Some(loaded) => loaded,
        None => {
            let mut problems = Vec::new();
            let packs = packs(&asked, &mut problems).into();
            Loaded { asked, packs, problems }
        }
    };
    outcome.report.problems.extend(loaded.problems.iter().cloned());
    let packs = loaded.packs.clone();
    cache.packs = Some(loaded);
    run((sources, config, &packs), laid, Some(&mut cache.memories), Vec::new(), outcome)
}

/// Analyses the sources and what streams beside them; of a stream, the sources get what is
/// needed to show its findings.
pub fn check_streams(sources: &mut Sources, streams: &mut [Stream], config: &Config) -> Outcome {
    let mut outcome = Outcome::default();
    let packs = packs(&asked(config), &mut outcome.report.problems);
    let words = Words::of(&packs);
    let captured =
        streams.iter_mut().map(|s| documents::stream(s, sources, config, words)).collect();
    run((sources, config, &packs), lower_once(sources), None, captured, outcome)
}

fn run<'p>(
    (sources, config, packs): (&Sources, &Config, &'p [Pack]),
    Laid { lowered, layouts }: Laid,
    mut memories: Option<&mut Memories>,
    mut captured: Vec<Captured<'p>>,
    mut outcome: Outcome,
) -> Outcome {
    let streamed = captured.len();
    let whole = sources.files.len() - streamed;
    captured.extend(documents::read(sources, whole, config, Words::of(packs)));
    let mut sendable = Vec::new();
    for stage in packs.iter().flat_map(|pack| &pack.stages) {
        if !outcome.stages.contains(&stage.name) {
            outcome.stages.push(stage.name.clone());
        }
    }
    outcome.report.counts.files = sources.files.iter().filter(|file| file.reported).count();
    outcome.report.counts.parsed = lowered.len();
    note_troubles(sources, &lowered, &mut outcome);
    if memories.is_none() {
        // In an editor it would be said again with every key.
        outcome.report.problems.extend(words::unused(&config.vocabulary, sources, &lowered));
    }
    for pack in packs {
        let program = program(sources, pack, &lowered);
        if program.modules.is_empty() {
            continue;
        }
        let facts = match &mut memories {
            Some(memories) => {
                let memory = memories.entry(pack.id.clone()).or_default();
                infer::facts_with(&program, pack, memory)
            }
            None => infer::facts(&program, pack),
        };
        let real = &|span: Span| layouts.real(span);
        outcome.report.findings.extend(rules::run(&facts, pack).into_iter().map(|f| f.at(real)));
        if !captured.is_empty() {
            sendable.extend(documents::sendable(&facts, real));
        }
        outcome.commands.extend(declared(&facts, pack, real));
        cover(sources, &facts, real, &mut outcome);
        outcome.inferred.push(facts);
    }
    note_documents(sources, captured, &sendable, &mut outcome);
    outcome.report.counts.emitters = outcome.coverage.found;
    outcome.coverage.items.sort();
    outcome.coverage.items.dedup();
    outcome.layouts = Arc::new(layouts);
    outcome.scopes = lowered.into_iter().map(|one| one.scopes).collect();
    outcome.report = triage::triage(outcome.report, &outcome.scopes, sources, config);
    outcome
}

fn note_documents(
    sources: &Sources,
    mut captured: Vec<Captured<'_>>,
    sendable: &[Sendable],
    outcome: &mut Outcome,
) {
    outcome.report.findings.extend(documents::compare(&mut captured, sendable));
    outcome.coverage.items.extend(documents::undecided(&captured, sources));
    let silent: Vec<&str> =
        sources.files.iter().filter(|f| !f.reported).map(|f| f.path.as_str()).collect();
    for one in captured {
        outcome.report.findings.extend(one.findings);
        let context = one.problems.first().is_some_and(|p| silent.contains(&p.path.as_str()));
        outcome.report.problems.extend(one.problems.into_iter().map(|problem| Problem {
            level: if context { Level::Note } else { problem.level },
            ..problem
        }));
    }
}

/// The commands that have a name, by name; one that is declared twice counts once.
fn declared(facts: &Facts, pack: &Pack, real: &dyn Fn(Span) -> Span) -> Vec<CommandRow> {
    let staged = facts.commands.iter().any(|command| command.stage.is_some());
    // Where stages are declared at all, a command without one is in the lowest.
    let lowest = pack.stages.first().filter(|_| staged).map(|stage| stage.name.clone());
    let mut rows: BTreeMap<String, CommandRow> = BTreeMap::new();
    for command in &facts.commands {
        let Some(name) = &command.name else { continue };
        let pagination = command.pagination.as_ref().map(|declared| in_words(declared, pack));
        let row = CommandRow {
            name: name.clone(),
            span: real(command.span),
            stage: command.stage.clone().or(lowest.clone()),
            paging: pagination.is_some() || !command.schema_fields.is_empty(),
            pagination,
            emits_meta: facts.deliveries.get(name).and_then(|d| match (d.emits, d.unsure) {
                (true, _) => Some(true),
                (false, unsure) => (!unsure).then_some(false),
            }),
            parameters_known: command.parameters.is_some(),
            schema_known: command.schema,
        };
        let known = rows.entry(name.clone()).or_insert_with(|| row.clone());
        if known.pagination.is_none() && row.pagination.is_some() {
            *known = row;
        }
    }
    rows.into_values().collect()
}

/// A pagination declaration in a word or two: what the contract fixes is not repeated.
fn in_words(declared: &DeclaredPagination, pack: &Pack) -> String {
    let words = declared.fields.iter().filter_map(|field| {
        let value = field.value.as_deref().filter(|value| !value.is_empty())?;
        let fixed = |path: &FixedPath| path.fields.contains(&field.name) && path.value == value;
        let flag = pack.meta.cursor_parameter_field.contains(&field.name);
        match (pack.meta.fixed_paths.iter().any(fixed), flag) {
            (true, _) => None,
            (false, true) => Some(format!("--{value}")),
            (false, false) => Some(value.to_string()),
        }
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() {
        "declared".to_string()
    } else {
        words.join(" ")
    }
}

/// The packs to run, with the project's words.
fn asked(config: &Config) -> Vec<Asked> {
    let uses: Vec<(&str, Option<&Vec<String>>)> = match &config.packs {
        Some(uses) => uses.iter().map(|u| (u.id.as_str(), u.languages.as_ref())).collect(),
        None => crate::pack::shipped().map(|id| (id, None)).collect(),
    };
    let additions = |id| config.vocabulary.iter().find(|(known, _)| known == id).map(|(_, t)| t);
    let asked = uses.into_iter().map(|(id, languages)| Asked {
        id: id.to_string(),
        languages: languages.cloned(),
        additions: additions(id).cloned(),
    });
    asked.collect()
}

fn packs(asked: &[Asked], problems: &mut Vec<Problem>) -> Vec<Pack> {
    let mut packs = Vec::new();
    for Asked { id, languages, additions } in asked {
        match Pack::load(id, additions.as_ref()) {
            Ok(mut pack) => {
                if let Some(languages) = languages {
                    pack.forwarding.retain(|id| !languages.contains(id));
                    pack.languages.clone_from(languages);
                }
                packs.push(pack);
            }
            Err(message) => problems.push(Problem {
                path: crate::config::FILE_NAME.to_string(),
                line: None,
                level: Level::Error,
                message: format!("{message}; see the keys of the shipped packs"),
            }),
        }
    }
    packs
}

fn program(sources: &Sources, pack: &Pack, lowered: &[Lowered]) -> Program {
    let mut program = Program { mounts: sources.mounts.clone(), ..Program::default() };
    let is_in = |list: &[String], l: &Lowered| list.iter().any(|id| id == l.language);
    for one in lowered.iter().filter(|l| is_in(&pack.languages, l) || is_in(&pack.forwarding, l)) {
        program.forwards.push(is_in(&pack.forwarding, one));
        program.modules.push(one.module.clone());
        program.files.push(one.file);
        program.tests.push(sources.get(one.file).test);
    }
    if !program.modules.is_empty() {
        let guessed = infer::guessed_mounts(&program);
        program.mounts.extend(guessed);
        add_models(&mut program, pack);
    }
    program
}

/// Puts in a description of each shared builder whose own source is not in the workspace.
fn add_models(program: &mut Program, pack: &Pack) {
    for builder in &pack.builders {
        let Some(text) = builder.model_text() else { continue };
        let Some(language) = language_of(&builder.file) else { continue };
        if program.modules.iter().any(|m| builder.is_file(&m.unit))
            || !pack.languages.iter().any(|id| id == language.id)
        {
            continue;
        }
        let (module, _) = language.lower(&Input { path: &builder.file, text });
        program.modules.push(Arc::new(module));
        program.files.push(FileId::NOWHERE);
        program.tests.push(false);
        program.forwards.push(false);
    }
}

fn note_troubles(sources: &Sources, lowered: &[Lowered], outcome: &mut Outcome) {
    for one in lowered {
        let source = sources.get(one.file);
        for trouble in one.troubles.iter() {
            let line = trouble.offset.map(|o| LineIndex::new(&source.text).line(o) + 1);
            if source.reported {
                outcome.coverage.items.push(Undecided {
                    path: source.path.clone(),
                    line: line.unwrap_or(0),
                    what: trouble.message.clone(),
                });
            }
            let level = if source.reported { Level::Warning } else { Level::Note };
            outcome.report.problems.push(Problem {
                path: source.path.clone(),
                line,
                level,
                message: trouble.message.clone(),
            });
        }
    }
}

fn cover(sources: &Sources, facts: &Facts, real: &dyn Fn(Span) -> Span, outcome: &mut Outcome) {
    let reported = |span: Span| span.file != FileId::NOWHERE && sources.get(span.file).reported;
    let responses = facts.responses.iter().map(|r| (r.sink, r.understood));
    let outlines = facts.outlines.iter().map(|o| (o.sink, o.is_understood()));
    for (_, understood) in responses.chain(outlines).filter(|(sink, _)| reported(*sink)) {
        outcome.coverage.found += 1;
        if understood {
            outcome.coverage.understood += 1;
        } else {
            outcome.coverage.unresolved += 1;
        }
    }
    let mut indices: BTreeMap<FileId, LineIndex> = BTreeMap::new();
    let mut place = |span: Span| {
        let source = sources.get(span.file);
        let index = indices.entry(span.file).or_insert_with(|| LineIndex::new(&source.text));
        (source.path.clone(), index.line(real(span).start) + 1)
    };
    for undecided in facts.undecided.iter().filter(|u| reported(u.span)) {
        let (path, line) = place(undecided.span);
        outcome.coverage.items.push(Undecided { path, line, what: undecided.what.clone() });
    }
    for unfinished in facts.unfinished.iter().filter(|u| reported(u.span)) {
        let (path, line) = place(unfinished.span);
        let message = unfinished.what.clone();
        let what = message.clone();
        outcome.coverage.items.push(Undecided { path: path.clone(), line, what });
        let problem = Problem { path, line: Some(line), level: Level::Warning, message };
        if !outcome.report.problems.contains(&problem) {
            outcome.report.problems.push(problem);
        }
    }
}
