//! Measures what each stage of a check takes, beside only reading and parsing the same files; must
//! not know how a stage works.
//!
//! `cargo bench --bench stages` measures a made workspace, `PAGELINT_BENCH=DIR` another one,
//! `PAGELINT_JOBS=N` with so many threads (default: one for each core). Each figure is the least of
//! several runs, in milliseconds of wall time, without the start of the process; ratios are of runs
//! in turn.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

#[path = "../tests/support/tree.rs"]
mod tree;
#[path = "support/workspace.rs"]
mod workspace;

use std::path::PathBuf;
use std::time::Instant;

use pagelint::config::Config;
use pagelint::ir::Program;
use pagelint::lang::{language_of, LANGUAGES};
use pagelint::pack::{shipped, Pack};
use pagelint::text::Sources;
use pagelint::{check, discover, infer, rules, syntax};
use rayon::prelude::*;
use tree::Tree;

const RUNS: usize = 7;
const PAIRS: usize = 11;

fn main() {
    let made = Tree::new();
    let root = workspace::root(&made);
    let jobs = std::env::var("PAGELINT_JOBS").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).stack_size(64 << 20).build();
    pool.expect("threads start").install(|| measure(root));
}

fn measure(root: PathBuf) {
    let options = discover::Options {
        extensions: LANGUAGES.iter().flat_map(|l| l.extensions).copied().collect(),
        ..discover::Options::default()
    };
    let paths = [root];
    let read = || discover::discover(&paths, &options).expect("the workspace is there").0;
    let sources = read();
    let config = Config::default();
    let packs: Vec<Pack> = shipped().map(|id| Pack::load(id, None).expect("it loads")).collect();
    let lower = || -> Vec<check::Lowered> {
        let files: Vec<_> = sources.iter().collect();
        files.into_par_iter().filter_map(|(id, source)| check::lower_file(id, source)).collect()
    };
    let lowered = lower();
    let programs: Vec<Program> =
        packs.iter().map(|pack| program(&sources, &lowered, pack)).collect();
    let infer = || -> Vec<infer::facts::Facts> {
        programs.iter().zip(&packs).map(|(program, pack)| infer::facts(program, pack)).collect()
    };
    let facts = infer();
    let words: Vec<String> = packs.iter().flat_map(words).collect();
    let speaks = |text: &str| words.iter().any(|word| text.contains(word.as_str()));
    println!("{} threads, {} files", rayon::current_num_threads(), sources.files.len());
    least("reading", || drop(read()));
    least("parsing, no more", || parse(&sources, |_| true));
    least("lowering (parsing in it)", || drop(lower()));
    least("inferring", || drop(infer()));
    least("rules", || {
        facts.iter().zip(&packs).for_each(|(facts, pack)| drop(rules::run(facts, pack)));
    });
    let whole = || {
        check::check(&read(), &config);
    };
    least("a whole check, read and analysed", whole);
    ratio("whole check / (reading + parsing)", whole, || parse(&read(), |_| true));
    let some = sources.files.iter().filter(|source| speaks(&source.text)).count();
    println!("\n{some} files hold a word of these: {}", words.join(" "));
    least("parsing only those", || parse(&sources, speaks));
    ratio("whole check / (reading + parsing those)", whole, || parse(&read(), speaks));
}

/// The time of one run, in milliseconds.
fn time(run: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    run();
    begun.elapsed().as_secs_f64() * 1000.0
}

/// Prints the least time of several runs.
fn least(what: &str, mut run: impl FnMut()) {
    let least = (0..RUNS).map(|_| time(&mut run)).fold(f64::INFINITY, f64::min);
    println!("{what}: {least:.1} ms");
}

/// Prints how much longer one thing takes than another, both timed in turn: a clock that changes
/// from one second to the next changes both.
fn ratio(what: &str, one: impl Fn(), other: impl Fn()) {
    let mut ratios: Vec<f64> = (0..PAIRS).map(|_| time(&one) / time(&other)).collect();
    ratios.sort_by(f64::total_cmp);
    let (least, most) = (ratios[0], ratios[PAIRS - 1]);
    println!("{what}: {:.2} (median of {PAIRS} pairs, {least:.2} to {most:.2})", ratios[PAIRS / 2]);
}

/// Parses the files that are chosen, and nothing else.
fn parse(sources: &Sources, choose: impl Fn(&str) -> bool + Sync) {
    sources.files.par_iter().filter(|source| choose(&source.text)).for_each(|source| {
        let grammar = match language_of(&source.path).map(|language| language.id) {
            Some("gdscript") => tree_sitter_gdscript::LANGUAGE.into(),
            Some("go") => tree_sitter_go::LANGUAGE.into(),
            Some(_) => tree_sitter_typescript::LANGUAGE_TSX.into(),
            None => return,
        };
        drop(syntax::parse(&grammar, &source.text));
    });
}

/// What a pack reads of the lowered files, for measuring alone.
fn program(sources: &Sources, lowered: &[check::Lowered], pack: &Pack) -> Program {
    let mut program = Program { mounts: sources.mounts.clone(), ..Program::default() };
    let reads = |one: &&check::Lowered| pack.languages.iter().any(|id| id == one.language);
    for one in lowered.iter().filter(reads) {
        program.modules.push(one.module.clone());
        program.files.push(one.file);
        program.tests.push(false);
        program.forwards.push(false);
    }
    program
}

/// Words of a pack without which a file has nothing to do with pages.
fn words(pack: &Pack) -> Vec<String> {
    let (fields, raw) = (&pack.fields, &pack.raw);
    let fields =
        [&fields.more, &fields.size, &fields.resume, &fields.old_more, &raw.more, &raw.cursor];
    let last = |call: &String| call.rsplit('.').next().unwrap_or(call).to_string();
    let calls = pack.upstreams.iter().map(|u| &u.call).chain(pack.builders.iter().map(|b| &b.name));
    fields.into_iter().flatten().cloned().chain(calls.map(last)).collect()
}
