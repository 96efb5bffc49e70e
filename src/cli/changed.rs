//! `--since` and `--staged`: both revisions analysed, and the difference of their findings.
//!
//! Never looks at changed lines: a finding may be caused by a change elsewhere, and an old one
//! may stand on a line that was touched.

use std::collections::BTreeSet;

use super::args::CheckArgs;
use super::failure::Failure;
use super::reading::Analysed;
use crate::baseline::{entries, matching, Entry};
use crate::check::{check, Outcome};
use crate::report::Finding;
use crate::revisions::{Repository, Revision};
use crate::suppress;
use crate::text::{FileId, Sources, Span};

/// What tells the findings of one run apart.
type Key = (Span, &'static str, Option<String>, String);

/// Which findings the older revision does not have; nothing when none was asked for.
pub struct Fresh(Option<BTreeSet<Key>>);

impl Fresh {
    /// Analyses the older revision.
    pub fn find(args: &CheckArgs, analysed: &mut Analysed) -> Result<Fresh, Failure> {
        let base = match (&args.since, args.staged) {
            (Some(name), _) => Revision::Named(name.clone()),
            (None, true) => Revision::Head,
            (None, false) => return Ok(Fresh(None)),
        };
        let repository = Repository::open(&analysed.workspace.root)?;
        let before = Side::read(&repository, &base, analysed)?;
        if args.staged {
            add_staged(&repository, &before, analysed)?;
        }
        let outcome = std::mem::take(&mut analysed.outcome);
        let now = Side { sources: analysed.sources.clone(), outcome };
        let fresh = now.new_since(&before);
        analysed.outcome = now.outcome;
        let findings = analysed.outcome.report.findings.iter().zip(fresh);
        Ok(Fresh(Some(findings.filter(|(_, fresh)| *fresh).map(|(f, _)| key(f)).collect())))
    }

    /// Leaves only those. A command that fell back to a lower stage is measured against the
    /// baseline and not against a revision, so that is left too.
    pub fn narrow(&self, findings: &mut Vec<Finding>) {
        if let Fresh(Some(fresh)) = self {
            findings.retain(|f| f.rule == "stage-regression" || fresh.contains(&key(f)));
        }
    }
}

fn key(finding: &Finding) -> Key {
    (finding.primary, finding.rule, finding.field.clone(), finding.message.clone())
}

/// A revision with what was found in it.
struct Side {
    sources: Sources,
    outcome: Outcome,
}

impl Side {
    fn read(
        repository: &Repository,
        revision: &Revision,
        analysed: &Analysed,
    ) -> Result<Side, Failure> {
        let sources = repository.sources(revision, &analysed.workspace, &analysed.options)?;
        let outcome = check(&sources, &analysed.config);
        Ok(Side { sources, outcome })
    }

    fn entries(&self) -> Vec<Entry> {
        entries(self.outcome.report.findings.iter(), &self.sources, "")
    }

    fn functions(&self) -> BTreeSet<(&str, &str)> {
        suppress::functions(&self.outcome.scopes, &self.sources)
    }

    /// For each finding whether it is new.
    fn new_since(&self, before: &Side) -> Vec<bool> {
        let (here, there) = (self.functions(), before.functions());
        let alive = |path: &str, function: &str| holds(&here, &self.sources, path, function);
        let was = |path: &str, function: &str| {
            !function.is_empty() && holds(&there, &before.sources, path, function)
        };
        let pairs = matching(&before.entries(), &self.entries(), &alive, Some(&was));
        pairs.iter().map(Option::is_none).collect()
    }
}

/// Whether a function is there; without a name, whether the file is.
pub fn holds(
    functions: &BTreeSet<(&str, &str)>,
    sources: &Sources,
    path: &str,
    function: &str,
) -> bool {
    match function {
        "" => sources.files.iter().any(|file| file.path == path),
        _ => functions.contains(&(path, function)),
    }
}

fn keep(findings: &mut Vec<Finding>, which: &[bool]) {
    let mut which = which.iter();
    findings.retain(|_| which.next().copied().unwrap_or(true));
}

/// What is staged may differ from the file on disk; a finding that only the staged text has
/// goes into the commit and is reported with that text.
fn add_staged(
    repository: &Repository,
    before: &Side,
    analysed: &mut Analysed,
) -> Result<(), Failure> {
    let mut staged = Side::read(repository, &Revision::Index, analysed)?;
    let same = |one: &Sources, other: &Sources| {
        let texts = |sources: &Sources| -> Vec<_> {
            sources.files.iter().map(|file| (file.path.clone(), file.text.clone())).collect()
        };
        texts(one) == texts(other)
    };
    if same(&staged.sources, &analysed.sources) || same(&staged.sources, &before.sources) {
        return Ok(());
    }
    let fresh = staged.new_since(before);
    keep(&mut staged.outcome.report.findings, &fresh);
    let functions = suppress::functions(&analysed.outcome.scopes, &analysed.sources);
    let alive = |path: &str, function: &str| holds(&functions, &analysed.sources, path, function);
    let on_disk = entries(analysed.outcome.report.findings.iter(), &analysed.sources, "");
    let seen = matching(&on_disk, &staged.entries(), &alive, None);
    let unseen: Vec<bool> = seen.iter().map(Option::is_none).collect();
    keep(&mut staged.outcome.report.findings, &unseen);
    let asked = |path: &str| {
        let full = analysed.workspace.root.join(path);
        analysed.workspace.asked.iter().any(|asked| full.starts_with(asked))
    };
    let findings = std::mem::take(&mut staged.outcome.report.findings);
    let findings = findings.into_iter().filter(|f| asked(&staged.sources.get(f.primary.file).path));
    let offset = analysed.sources.files.len() as u32;
    let moved: Vec<Finding> = findings.map(|finding| shift(finding, offset)).collect();
    if !moved.is_empty() {
        analysed.sources.files.append(&mut staged.sources.files);
        analysed.outcome.report.findings.extend(moved);
    }
    Ok(())
}

/// A finding of files that are put behind others.
fn shift(mut finding: Finding, offset: u32) -> Finding {
    let shift = |file: &mut FileId| file.0 += offset;
    shift(&mut finding.primary.file);
    finding.labels.iter_mut().for_each(|label| shift(&mut label.span.file));
    for edit in finding.fix.iter_mut().flat_map(|fix| &mut fix.edits) {
        shift(&mut edit.span.file);
    }
    // What it would change is not what is on disk.
    finding.fix = None;
    finding
}
