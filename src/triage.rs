//! All findings to those that the user asked to hear: levels, duplicates, order, identity.
//!
//! Never looks at source text: a finding's identity must survive edits around it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::config::Config;
use crate::report::{Confidence, Finding, Level, Report};
use crate::rules;
use crate::suppress::{self, FileScopes, Known};
use crate::text::{FileId, Sources, Span};

/// Applies the configuration and the comments in the sources, drops what nobody asked for,
/// orders and names the rest.
pub fn triage(
    mut report: Report,
    scopes: &[Arc<FileScopes>],
    sources: &Sources,
    config: &Config,
) -> Report {
    report.findings.retain(|finding| sources.get(finding.primary.file).reported);
    settle(&mut report.findings, sources, config);
    report.findings.sort_by(|a, b| order(a).cmp(&order(b)));
    report.findings = merge(report.findings);
    let known = Known {
        exists: &|rule| rules::find(rule).is_some(),
        ran: &|rule, span| ran(rule, span, sources, config),
    };
    report = suppress::apply(report, scopes, sources, &known);
    settle(&mut report.findings, sources, config);
    report.findings.sort_by(|a, b| order(a).cmp(&order(b)));
    name(&mut report, sources);
    report.problems.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    report.problems.dedup();
    report
}

/// Gives findings their level and drops those that are off.
fn settle(findings: &mut Vec<Finding>, sources: &Sources, config: &Config) {
    for finding in findings.iter_mut() {
        finding.level = level(finding, sources, config);
        finding.commands.sort();
        finding.commands.dedup();
        finding.labels.sort_by_key(|label| label.span);
    }
    findings.retain(|finding| finding.level != Level::Off);
}

/// Whether a rule was looked for where a comment stands.
fn ran(rule: &str, span: Span, sources: &Sources, config: &Config) -> bool {
    let file = sources.root.join(&sources.get(span.file).path);
    let Some(info) = rules::find(rule) else { return false };
    let chosen = match &config.packs {
        Some(packs) => packs.iter().any(|used| used.id == info.pack),
        None => true,
    };
    let about_run = info.pack == "run";
    config.level(rule, &file) != Some(Level::Off) && (about_run || chosen && info.check.is_some())
}

/// The configured level. Configuration may raise a level, but not above what the command's
/// stage or a doubtful inference allows.
fn level(finding: &Finding, sources: &Sources, config: &Config) -> Level {
    if !config.chooses_levels() {
        return finding.level;
    }
    let file = sources.root.join(&sources.get(finding.primary.file).path);
    let Some(chosen) = config.level(finding.rule, &file) else {
        return finding.level;
    };
    let by_stage = finding.stage.as_deref().and_then(|stage| config.stage_cap(stage));
    let doubtful = finding.confidence == Confidence::Low;
    let by_doubt = doubtful.then(|| finding.level.max(Level::Warning));
    [by_stage, by_doubt].into_iter().flatten().fold(chosen, Level::min)
}

/// Files are in path order.
fn order(finding: &Finding) -> (Span, &str, Option<&str>, &str) {
    (finding.primary, finding.rule, finding.field.as_deref(), &finding.message)
}

/// Findings that say the same of the same place are one: a helper that several commands share
/// is reached once from each.
fn merge(findings: Vec<Finding>) -> Vec<Finding> {
    let mut merged: Vec<Finding> = Vec::with_capacity(findings.len());
    for finding in findings {
        let same = merged.last_mut().filter(|last| {
            last.primary == finding.primary
                && last.rule == finding.rule
                && last.field == finding.field
                && last.message == finding.message
        });
        match same {
            Some(last) => absorb(last, finding),
            None => merged.push(finding),
        }
    }
    merged
}

fn absorb(into: &mut Finding, other: Finding) {
    if other.level > into.level {
        (into.level, into.stage) = (other.level, other.stage);
    }
    into.confidence = into.confidence.max(other.confidence);
    into.commands.extend(other.commands);
    into.commands.sort();
    into.commands.dedup();
    for label in other.labels {
        if !into.labels.contains(&label) {
            into.labels.push(label);
        }
    }
    into.labels.sort_by_key(|label| label.span);
    into.object = into.object.min(other.object);
}

/// Gives each finding its fingerprint. The path belongs to it only where findings of several
/// files would be alike without it, so that a moved file keeps its findings. Excused findings
/// count too: a comment must not change the name of its neighbours.
fn name(report: &mut Report, sources: &Sources) {
    let excused = report.suppressed.iter_mut().map(|suppressed| &mut suppressed.finding);
    let mut findings: Vec<&mut Finding> = report.findings.iter_mut().chain(excused).collect();
    findings.sort_by(|a, b| order(a).cmp(&order(b)));
    let mut keys: Vec<String> = findings.iter().map(|finding| identity(finding)).collect();
    // The file of each, or that there are several.
    let mut files: FxHashMap<&str, Option<FileId>> = FxHashMap::default();
    for (key, finding) in keys.iter().zip(&findings) {
        let file = files.entry(key).or_insert(Some(finding.primary.file));
        *file = file.filter(|file| *file == finding.primary.file);
    }
    let alike: Vec<bool> = keys.iter().map(|key| files[key.as_str()].is_none()).collect();
    let mut seen: FxHashMap<&str, u32> = FxHashMap::default();
    for ((key, finding), alike) in keys.iter_mut().zip(&findings).zip(alike) {
        if alike {
            key.push_str(&sources.get(finding.primary.file).path);
        }
    }
    for (key, finding) in keys.iter().zip(findings) {
        let ordinal = seen.entry(key).or_insert(0);
        finding.fingerprint = format!("{:016x}", hash(format!("{key}\u{1}{ordinal}").as_bytes()));
        *ordinal += 1;
    }
}

/// What a finding is about, apart from where it stands. Separators that no name holds keep
/// neighbouring parts from running together.
fn identity(finding: &Finding) -> String {
    format!(
        "{}\u{1}{}\u{1}{}\u{1}{}\u{1}{}\u{1}",
        finding.rule,
        finding.commands.join("\u{2}"),
        finding.function.as_deref().unwrap_or(""),
        finding.object,
        finding.field.as_deref().unwrap_or(""),
    )
}

/// The fingerprint of a finding that these words tell apart from all others.
pub fn fingerprint(words: &[&str]) -> String {
    format!("{:016x}", hash(words.join("\u{1}").as_bytes()))
}

/// FNV-1a: the value is stored in baselines, so it must be the same in every release, which
/// the standard library's hashers do not promise.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::*;
    use crate::config::Override;
    use crate::globs::Globs;
    use crate::report::Label;
    use crate::text::Source;

    fn sources(paths: &[&str]) -> Sources {
        let file = |path: &&str| Source {
            path: path.to_string(),
            text: "".into(),
            test: false,
            reported: !path.starts_with("context"),
        };
        Sources { root: "/w".into(), files: paths.iter().map(file).collect(), mounts: Vec::new() }
    }

    fn finding(rule: &'static str, file: u32, start: u32) -> Finding {
        Finding {
            rule,
            level: Level::Error,
            confidence: Confidence::High,
            message: "m".to_string(),
            help: None,
            primary: Span { file: FileId(file), start, end: start + 1 },
            labels: Vec::new(),
            function: Some("f".to_string()),
            commands: Vec::new(),
            stage: None,
            field: None,
            object: 0,
            fingerprint: String::new(),
            fix: None,
        }
    }

    fn run(findings: Vec<Finding>, sources: &Sources, config: &Config) -> Vec<Finding> {
        triage(Report { findings, ..Report::default() }, &[], sources, config).findings
    }

    #[test]
    fn levels_follow_the_nearest_choice_and_caps_hold() {
        let sources = sources(&["a.gd", "old/b.gd"]);
        let mut config = Config::default();
        config.rules.insert("r".to_string(), Level::Error);
        config.rules.insert("gone".to_string(), Level::Off);
        config.overrides.push(Override {
            paths: Globs::new(Path::new("/w"), &["old/".to_string()]).expect("a pattern"),
            rules: BTreeMap::from([("r".to_string(), Level::Note)]),
        });
        let mut legacy = finding("r", 0, 2);
        (legacy.stage, legacy.level) = (Some("legacy_only".to_string()), Level::Note);
        let mut doubtful = finding("r", 0, 3);
        (doubtful.confidence, doubtful.level) = (Confidence::Low, Level::Warning);
        let given = vec![
            finding("r", 1, 0),
            doubtful,
            legacy,
            finding("r", 0, 1),
            finding("gone", 0, 0),
            finding("other", 0, 9),
        ];
        let levels: Vec<Level> =
            run(given, &sources, &config).iter().map(|finding| finding.level).collect();
        use Level::*;
        assert_eq!(levels, [Error, Note, Warning, Error, Note]);
    }

    #[test]
    fn same_of_the_same_place_is_one() {
        let sources = sources(&["a.gd"]);
        let label = |start| Label {
            span: Span { file: FileId(0), start, end: start + 1 },
            message: "l".to_string(),
        };
        let (mut one, mut two) = (finding("r", 0, 1), finding("r", 0, 1));
        (one.commands, one.labels) = (vec!["b".to_string()], vec![label(4), label(2)]);
        (two.commands, two.labels) = (vec!["a".to_string()], vec![label(2), label(3)]);
        one.level = Level::Note;
        let out = run(vec![one, two], &sources, &Config::default());
        assert_eq!(out.len(), 1);
        assert_eq!(out[0].commands, ["a", "b"]);
        assert_eq!(out[0].labels, [label(2), label(3), label(4)]);
        assert_eq!(out[0].level, Level::Error);
    }

    #[test]
    fn context_files_are_silent() {
        let sources = sources(&["context.gd", "x.gd"]);
        let out = run(vec![finding("r", 0, 0), finding("r", 1, 0)], &sources, &Config::default());
        assert_eq!(out.len(), 1);
    }

    fn prints(findings: Vec<Finding>, paths: &[&str]) -> Vec<String> {
        let out = run(findings, &sources(paths), &Config::default());
        out.into_iter().map(|finding| finding.fingerprint).collect()
    }

    #[test]
    fn fingerprints_survive_moves_and_tell_apart() {
        let before = prints(vec![finding("r", 0, 5)], &["a.gd"]);
        assert_eq!(before, prints(vec![finding("r", 0, 77)], &["moved/there.gd"]));
        // The value itself is a promise to stored baselines.
        assert_eq!(before, ["29f8231170f06391"]);

        let twice = prints(vec![finding("r", 0, 5), finding("r", 0, 9)], &["a.gd"]);
        assert_eq!(twice[0], before[0]);
        assert_ne!(twice[0], twice[1]);

        let alike = prints(vec![finding("r", 0, 5), finding("r", 1, 5)], &["a.gd", "b.gd"]);
        assert_ne!(alike[0], alike[1]);
        let one_fixed =
            prints(vec![finding("r", 1, 5), finding("r", 2, 5)], &["a.gd", "b.gd", "c.gd"]);
        assert_eq!(alike[1], one_fixed[0], "the path tells them apart, not their order");
    }
}
