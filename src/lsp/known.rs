//! The baseline of a workspace: moves known findings aside, and adds one where asked.
//!
//! Never writes: what is written goes through whoever may touch the disk.

use std::path::{Path, PathBuf};

use lsp_types::{Diagnostic, Position, Range};

use super::place::{fault, Analysed};
use crate::baseline::{self, Baseline, Entry, View, FILE_NAME};
use crate::check::Outcome;
use crate::config::Config;
use crate::discover::{is_test, near};
use crate::report::{Excuse, Finding, Level};
use crate::suppress;
use crate::text::Sources;

/// The baseline file of a workspace and what it says.
#[derive(Clone, Debug)]
pub struct Known {
    /// Where it is, or would be.
    pub file: PathBuf,
    /// Stands before a path of the workspace to start from the file's directory.
    prefix: String,
    /// What it says; nothing where there is no file.
    baseline: Option<Baseline>,
    /// What is wrong with it.
    pub fault: Option<Diagnostic>,
}

impl Known {
    /// Reads the nearest baseline at or above a workspace.
    pub fn read(root: &Path) -> Known {
        let found = near::upwards(root, FILE_NAME);
        let file = found.clone().unwrap_or_else(|| root.join(FILE_NAME));
        let dir = file.parent().unwrap_or(root);
        let inner = root.strip_prefix(dir).unwrap_or(Path::new(""));
        let prefix: String = inner.iter().map(|p| format!("{}/", p.to_string_lossy())).collect();
        let mut known = Known { file, prefix, baseline: None, fault: None };
        if found.is_some() {
            let read = near::read(&known.file).map_err(|reason| (1, reason));
            let parse = |text: String| {
                Baseline::parse(&text).map_err(|bad| (bad.line, bad.message.to_string()))
            };
            match read.and_then(parse) {
                Ok(baseline) => known.baseline = Some(baseline),
                Err((line, reason)) => {
                    let start = Position { line: (line as u32).saturating_sub(1), character: 0 };
                    let message = format!("the baseline cannot be read: {reason}");
                    known.fault = Some(fault(Range { start, end: start }, message));
                }
            }
        }
        known
    }

    /// Moves known findings aside.
    pub fn apply(
        &self,
        asked: &[PathBuf],
        sources: &Sources,
        config: &Config,
        outcome: &mut Outcome,
    ) {
        let Some(baseline) = &self.baseline else { return };
        let mut report = std::mem::take(&mut outcome.report);
        let functions = suppress::functions(&outcome.scopes, sources);
        let alive = |path: &str, function: &str| match path.strip_prefix(self.prefix.as_str()) {
            Some(path) if function.is_empty() => sources.files.iter().any(|f| f.path == path),
            Some(path) => functions.contains(&(path, function)),
            None => true,
        };
        let looked = |entry: &Entry| self.looked(entry, asked, sources, config);
        let view = View {
            sources,
            prefix: &self.prefix,
            alive: &alive,
            looked: &looked,
            whole: asked.iter().any(|asked| sources.root.starts_with(asked)),
            rows: &outcome.commands,
            stages: &outcome.stages,
        };
        baseline.apply(&mut report, &view);
        for finding in report.findings.iter_mut().filter(|f| f.rule == "stage-regression") {
            let file = sources.root.join(&sources.get(finding.primary.file).path);
            finding.level = config.level(finding.rule, &file).unwrap_or(finding.level);
        }
        report.findings.retain(|finding| finding.level != Level::Off);
        outcome.report = report;
    }

    fn looked(&self, entry: &Entry, asked: &[PathBuf], sources: &Sources, config: &Config) -> bool {
        let Some(path) = entry.path.strip_prefix(self.prefix.as_str()) else { return false };
        let full = sources.root.join(path);
        if config.level(&entry.rule, &full) == Some(Level::Off) {
            return false;
        }
        match sources.files.iter().find(|file| file.path == path) {
            Some(file) => file.reported,
            None => {
                let asked = asked.iter().any(|asked| full.starts_with(asked));
                asked && (config.tests || !is_test(path))
            }
        }
    }

    /// The text of the baseline with one more finding, told by its fingerprint.
    pub fn with(&self, analysed: &Analysed, fingerprint: &str) -> Option<String> {
        let report = &analysed.outcome.report;
        let known = report.suppressed.iter().filter(|s| s.excuse == Excuse::Baseline);
        let mut all: Vec<&Finding> = report.findings.iter().collect();
        all.extend(known.map(|suppressed| &suppressed.finding));
        // Findings that are alike are told apart by their order in the source.
        all.sort_by_key(|f| (f.primary.file, f.primary.start, f.primary.end, f.rule));
        let at = all.iter().position(|finding| finding.fingerprint == fingerprint)?;
        let entries = baseline::entries(all.into_iter(), &analysed.sources, &self.prefix);
        let mut baseline = self.baseline.clone().unwrap_or_default();
        baseline.entries.insert(entries.into_iter().nth(at)?);
        Some(baseline.text())
    }
}
