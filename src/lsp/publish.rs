//! What was found to what the client is told without asking.
//!
//! Never tells what the client knows already, nor what speaks of a text it no longer has.

use std::collections::BTreeMap;
use std::path::Path;

use lsp_types::{Diagnostic, Uri};
use serde_json::{json, Value};

use super::analysis::Finished;
use super::client::Scope;
use super::documents::Document;
use super::session::{Asked, Session};
use crate::diagnostics::uri;

/// What the client was told last, by its spelling of each name.
#[derive(Debug, Default)]
pub(super) struct Published {
    known: BTreeMap<String, Vec<Diagnostic>>,
}

impl Published {
    /// Forgets what was told of a file, so that it is told again.
    pub(super) fn forget(&mut self, uri: &Uri) {
        self.known.remove(uri.as_str());
    }
}

impl Session {
    /// Tells the client what a result changes. `before` is the result before it.
    pub(super) fn show(&mut self, before: &Finished) {
        if self.client.pulls {
            self.refresh(before);
            return;
        }
        let mut told: Vec<(Uri, Option<i32>, Vec<Diagnostic>)> = Vec::new();
        let mut open: Vec<&Path> = Vec::new();
        for document in self.documents.iter() {
            let Some(path) = &document.path else { continue };
            open.push(path);
            // The result speaks of another text than the one on the screen: one that speaks
            // of this text is under way.
            if self.last.versions.get(path) != Some(&document.version) {
                continue;
            }
            told.push((document.uri.clone(), Some(document.version), self.list(path)));
        }
        if self.settings.scope == Scope::Workspace {
            let gone =
                before.diagnostics.keys().filter(|path| !self.last.diagnostics.contains_key(*path));
            for path in self.last.diagnostics.keys().chain(gone) {
                if !open.contains(&path.as_path()) {
                    told.push((uri::from_path(path), None, self.list(path)));
                }
            }
        }
        for (uri, version, list) in told {
            self.publish(&uri, version, list);
        }
    }

    /// Tells that nothing is to be shown for a file that was closed, or what its saved text
    /// gives where the whole workspace is shown.
    pub(super) fn clear(&mut self, document: &Document) {
        if !self.client.pulls && self.settings.scope == Scope::Open {
            self.published.forget(&document.uri);
            let params = json!({ "uri": document.uri, "diagnostics": [] });
            self.notify("textDocument/publishDiagnostics", params);
        }
    }

    fn publish(&mut self, uri: &Uri, version: Option<i32>, list: Vec<Diagnostic>) {
        let known = self.published.known.get(uri.as_str());
        // A file that was just opened is told of even if there is nothing to show; one that
        // nobody has open is not.
        let same = match known {
            Some(known) => *known == list,
            None => version.is_none() && list.is_empty(),
        };
        if same {
            return;
        }
        let mut params = json!({ "uri": uri, "diagnostics": list });
        if let Some(version) = version {
            params["version"] = json!(version);
        }
        self.published.known.insert(uri.as_str().to_string(), list);
        self.notify("textDocument/publishDiagnostics", params);
    }

    /// What is to be shown for a file now.
    pub(super) fn list(&self, path: &Path) -> Vec<Diagnostic> {
        let mut list =
            self.last.diagnostics.get(path).map(|list| list.to_vec()).unwrap_or_default();
        if !self.client.related {
            list.iter_mut().for_each(|diagnostic| diagnostic.related_information = None);
        }
        list
    }

    /// A client that asks by itself asks about a file when it edits it; it must be told when
    /// an edit changes what there is to say about others.
    fn refresh(&mut self, before: &Finished) {
        if !self.client.refreshes {
            return;
        }
        let elsewhere = |document: &Document| {
            let Some(path) = &document.path else { return false };
            let (old, new) = (before.versions.get(path), self.last.versions.get(path));
            old.is_some()
                && old == new
                && before.diagnostics.get(path) != self.last.diagnostics.get(path)
        };
        if self.documents.iter().any(elsewhere) {
            self.ask("workspace/diagnostic/refresh", Value::Null, Asked::Nothing);
        }
    }
}
