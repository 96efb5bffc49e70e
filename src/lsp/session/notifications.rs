//! What each notification of the client does to a session.
//!
//! Never answers: a notification that cannot be understood is only logged.

use lsp_server::{ErrorCode, Notification};
use lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
};
use serde::de::DeserializeOwned;
use serde_json::{json, Value};

use super::{Asked, Phase, Session};
use crate::diagnostics::uri;
use crate::discover::near;
use crate::lsp::client::folder;

impl Session {
    pub(super) fn notification(&mut self, notification: Notification) {
        let Notification { method, mut params } = notification;
        if method == "exit" {
            self.phase = Phase::Ended;
            return;
        }
        if self.phase != Phase::Running {
            return;
        }
        tolerate(&mut params);
        match method.as_str() {
            "initialized" => self.initialized(),
            "textDocument/didOpen" => {
                let Some(p) = self.params::<DidOpenTextDocumentParams>(&method, params) else {
                    return;
                };
                let document = p.text_document;
                self.published.forget(&document.uri);
                self.documents.open(document.uri, document.version, document.text);
                self.touch(false);
            }
            "textDocument/didChange" => {
                let Some(p) = self.params::<DidChangeTextDocumentParams>(&method, params) else {
                    return;
                };
                let (id, encoding) = (p.text_document, self.client.encoding);
                match self.documents.change(&id.uri, id.version, &p.content_changes, encoding) {
                    true => self.touch(false),
                    false => self.log(&format!("`{}` is not open", id.uri.as_str())),
                }
            }
            "textDocument/didClose" => {
                let Some(p) = self.params::<DidCloseTextDocumentParams>(&method, params) else {
                    return;
                };
                if let Some(document) = self.documents.close(&p.text_document.uri) {
                    self.clear(&document);
                    self.touch(false);
                }
            }
            "textDocument/didSave"
                // Who watches files hears of this one anyway.
                if !self.client.watches => {
                    self.touch(true);
                }
            "workspace/didChangeWatchedFiles" => self.touch(true),
            "workspace/didChangeWorkspaceFolders" => self.change_folders(&params),
            "workspace/didChangeConfiguration" => {
                match params.get("settings").filter(|settings| !settings.is_null()) {
                    Some(settings) => self.configure(&settings.clone()),
                    None => self.ask_settings(),
                }
                self.touch(true);
            }
            "$/cancelRequest" => {
                let id = params.get("id").cloned().and_then(|id| serde_json::from_value(id).ok());
                let Some(id) = id else { return };
                let at = self.waiting.iter().position(|waiting| waiting.id == id);
                if let Some(at) = at {
                    let waiting = self.waiting.remove(at);
                    self.refuse(waiting.id, ErrorCode::RequestCanceled, "cancelled");
                }
            }
            // Others concern other servers, or nobody.
            _ => {}
        }
    }

    fn initialized(&mut self) {
        if self.client.watches {
            let watchers: Vec<Value> =
                watched().into_iter().map(|glob| json!({ "globPattern": glob })).collect();
            let registration = json!({
                "id": "files",
                "method": "workspace/didChangeWatchedFiles",
                "registerOptions": { "watchers": watchers },
            });
            let params = json!({ "registrations": [registration] });
            self.ask("client/registerCapability", params, Asked::Nothing);
        }
        if self.client.configuration {
            self.ask_settings();
        }
        if self.client.progress && self.done == 0 {
            let params = json!({ "token": PROGRESS });
            self.ask("window/workDoneProgress/create", params, Asked::Progress);
        }
    }

    fn ask_settings(&mut self) {
        if self.client.configuration {
            let params = json!({ "items": [{ "section": "pagelint" }] });
            self.ask("workspace/configuration", params, Asked::Settings);
        }
    }

    pub(super) fn configure(&mut self, settings: &Value) {
        let before = self.settings.clone();
        self.settings.read(settings);
        if self.settings != before {
            self.touch(false);
            if self.client.refreshes_lenses {
                self.ask("workspace/codeLens/refresh", Value::Null, Asked::Nothing);
            }
        }
    }

    fn change_folders(&mut self, params: &Value) {
        let list = |name: &str| {
            let list = params.pointer(&format!("/event/{name}")).and_then(Value::as_array);
            let paths = list.into_iter().flatten().filter_map(folder);
            paths.map(|path| near::canonical(&path)).collect::<Vec<_>>()
        };
        let removed = list("removed");
        self.folders.retain(|folder| !removed.contains(folder));
        for added in list("added") {
            if !self.folders.contains(&added) {
                self.folders.push(added);
            }
        }
        self.touch(false);
    }

    fn params<T: DeserializeOwned>(&self, method: &str, params: Value) -> Option<T> {
        match serde_json::from_value(params) {
            Ok(params) => Some(params),
            Err(error) => {
                self.log(&format!("`{method}` cannot be understood: {error}"));
                None
            }
        }
    }

    pub(super) fn begin_progress(&mut self) {
        if self.done == 0 && self.progress.is_none() {
            self.progress = Some(true);
            let value = json!({ "kind": "begin", "title": "pagelint: reading the workspace" });
            self.notify("$/progress", json!({ "token": PROGRESS, "value": value }));
        }
    }

    pub(super) fn end_progress(&mut self) {
        if self.progress.replace(false) == Some(true) {
            let files: usize = self.last.workspaces.iter().map(|w| w.sources.files.len()).sum();
            let value = json!({ "kind": "end", "message": format!("{files} files") });
            self.notify("$/progress", json!({ "token": PROGRESS, "value": value }));
        }
    }
}

/// The name of the first scan's progress.
const PROGRESS: &str = "pagelint/first-scan";

/// The files whose change matters.
fn watched() -> Vec<String> {
    let languages = crate::lang::LANGUAGES.iter();
    let extensions: Vec<&str> = languages.flat_map(|l| l.extensions).copied().collect();
    let mut globs = vec![format!("**/*.{{{}}}", extensions.join(","))];
    let names = [
        crate::config::FILE_NAME,
        crate::baseline::FILE_NAME,
        "project.godot",
        "go.mod",
        "tsconfig.json",
        ".gitignore",
        ".ignore",
    ];
    globs.extend(names.map(|name| format!("**/{name}")));
    globs
}

/// Mends the names of files in parameters that a strict reader would refuse.
pub(in crate::lsp) fn tolerate(params: &mut Value) {
    if let Some(Value::String(text)) = params.pointer_mut("/textDocument/uri") {
        if text.parse::<lsp_types::Uri>().is_err() {
            *text = uri::tolerate(text);
        }
    }
}
