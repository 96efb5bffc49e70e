//! The pipeline: sources and choices in, everything that can be said about them out.
//!
//! Never touches the disk: the same function serves files, open buffers and tests.

use std::sync::Arc;

use rayon::prelude::*;

use crate::config::Config;
use crate::documents::{self, Captured, Sendable, Stream, Words};
use crate::infer;
use crate::infer::facts::Facts;
use crate::ir::{Module, Program};
use crate::lang::{language_of, Input, Trouble};
use crate::pack::Pack;
use crate::report::{Coverage, Level, Problem, Report, ShapeRow, Undecided};
use crate::rules;
use crate::shapes;
use crate::text::{FileId, LineIndex, Sources};
use crate::triage;

/// What a run gives.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Findings and problems.
    pub report: Report,
    /// What was inferred, one row a tool, command or function.
    pub shapes: Vec<ShapeRow>,
    /// How much was understood.
    pub coverage: Coverage,
}

/// Analyses the sources.
pub fn check(sources: &Sources, config: &Config) -> Outcome {
    let mut outcome = Outcome::default();
    let packs = packs(config, &mut outcome.report.problems);
    run(sources, config, &packs, Vec::new(), outcome)
}

/// Analyses the sources and what streams beside them; of a stream, the sources get what is
/// needed to show its findings.
pub fn check_streams(sources: &mut Sources, streams: &mut [Stream], config: &Config) -> Outcome {
    let mut outcome = Outcome::default();
    let packs = packs(config, &mut outcome.report.problems);
    let words = Words::of(&packs);
    let captured = streams.iter_mut().map(|s| documents::stream(s, sources, config, words)).collect();
    run(sources, config, &packs, captured, outcome)
}

fn run<'p>(
    sources: &Sources,
    config: &Config,
    packs: &'p [Pack],
    mut captured: Vec<Captured<'p>>,
    mut outcome: Outcome,
) -> Outcome {
    let streamed = captured.len();
    captured.extend(documents::read(sources, sources.files.len() - streamed, config, Words::of(packs)));
    let mut sendable = Vec::new();
    let lowered = lower(sources);
    outcome.report.counts.files = sources.files.iter().filter(|file| file.reported).count();
    outcome.report.counts.parsed = lowered.len();
    note_troubles(sources, &lowered, &mut outcome);
    for pack in packs {
        let program = program(sources, pack, &lowered);
        if program.modules.is_empty() {
            continue;
        }
        let facts = infer::facts(&program, pack);
        outcome.report.findings.extend(rules::run(&facts, pack));
        sendable.extend(documents::sendable(&facts));
        outcome.shapes.extend(shapes::rows(&facts, sources));
        cover(sources, &facts, &mut outcome);
    }
    note_documents(sources, captured, &sendable, &mut outcome);
    outcome.report.counts.emitters = outcome.coverage.found;
    outcome.coverage.items.sort();
    outcome.coverage.items.dedup();
    outcome.report = triage::triage(outcome.report, sources, config);
    outcome
}

fn note_documents(sources: &Sources, mut captured: Vec<Captured<'_>>, sendable: &[Sendable], outcome: &mut Outcome) {
    outcome.report.findings.extend(documents::compare(&mut captured, sendable));
    outcome.coverage.items.extend(documents::undecided(&captured, sources));
    let silent: Vec<&str> = sources.files.iter().filter(|f| !f.reported).map(|f| f.path.as_str()).collect();
    for one in captured {
        outcome.report.findings.extend(one.findings);
        let context = one.problems.first().is_some_and(|p| silent.contains(&p.path.as_str()));
        outcome.report.problems.extend(one.problems.into_iter().map(|problem| Problem {
            level: if context { Level::Note } else { problem.level },
            ..problem
        }));
    }
}

/// The packs to run, with the project's words.
fn packs(config: &Config, problems: &mut Vec<Problem>) -> Vec<Pack> {
    let ids: Vec<String> = match &config.packs {
        Some(uses) => uses.iter().map(|u| u.id.clone()).collect(),
        None => crate::pack::shipped().map(String::from).collect(),
    };
    let mut packs = Vec::new();
    for id in ids {
        let additions = config.vocabulary.iter().find(|(known, _)| *known == id).map(|(_, t)| t);
        match Pack::load(&id, additions) {
            Ok(mut pack) => {
                let languages = config.packs.iter().flatten().find(|u| u.id == id).and_then(|u| u.languages.clone());
                if let Some(languages) = languages {
                    pack.languages = languages;
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

/// One lowered file.
struct Lowered {
    file: FileId,
    language: &'static str,
    module: Arc<Module>,
    troubles: Vec<Trouble>,
}

fn lower(sources: &Sources) -> Vec<Lowered> {
    let files: Vec<FileId> = sources.iter().map(|(id, _)| id).collect();
    files
        .into_par_iter()
        .filter_map(|file| {
            let source = sources.get(file);
            let language = language_of(&source.path)?;
            let (module, troubles) = (language.lower)(&Input { path: &source.path, text: &source.text });
            Some(Lowered { file, language: language.id, module: Arc::new(module), troubles })
        })
        .collect()
}

fn program(sources: &Sources, pack: &Pack, lowered: &[Lowered]) -> Program {
    let mut program = Program { mounts: sources.mounts.clone(), ..Program::default() };
    for one in lowered.iter().filter(|l| pack.languages.iter().any(|id| id == l.language)) {
        program.modules.push(one.module.clone());
        program.files.push(one.file);
        program.tests.push(sources.get(one.file).test);
    }
    program
}

fn note_troubles(sources: &Sources, lowered: &[Lowered], outcome: &mut Outcome) {
    for one in lowered {
        let source = sources.get(one.file);
        for trouble in &one.troubles {
            let line = trouble.offset.map(|o| LineIndex::new(&source.text).line(o) + 1);
            outcome.coverage.items.push(Undecided {
                path: source.path.clone(),
                line: line.unwrap_or(0),
                what: trouble.message.clone(),
            });
            let level = if source.reported { Level::Warning } else { Level::Note };
            outcome.report.problems.push(Problem { path: source.path.clone(), line, level, message: trouble.message.clone() });
        }
    }
}

fn cover(sources: &Sources, facts: &Facts, outcome: &mut Outcome) {
    for response in &facts.responses {
        outcome.coverage.found += 1;
        if response.understood {
            outcome.coverage.understood += 1;
        } else {
            outcome.coverage.unresolved += 1;
        }
    }
    for undecided in &facts.undecided {
        let source = sources.get(undecided.span.file);
        let line = LineIndex::new(&source.text).line(undecided.span.start) + 1;
        outcome.coverage.items.push(Undecided { path: source.path.clone(), line, what: undecided.what.clone() });
    }
}
