//! What a client says of itself in `initialize`, and what its user set.
//!
//! Reads plain JSON: one field of a wrong type must not cost the whole session.

use std::path::PathBuf;

use serde_json::{json, Value};

use crate::diagnostics::uri;
use crate::positions::Encoding;

/// Which files get diagnostics without being asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those that are open.
    Open,
    /// All of the workspace.
    Workspace,
}

/// What the user set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether each emitter shows its shape above itself.
    pub lens: bool,
    /// Which files get diagnostics.
    pub scope: Scope,
    /// The reason that an allow comment gets when the editor writes it.
    pub reason: String,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { lens: false, scope: Scope::Open, reason: "say why here".to_string() }
    }
}

impl Settings {
    /// Reads options, given by themselves or under the program's name; what is not there or of
    /// another form stays as it is.
    pub fn read(&mut self, options: &Value) {
        let options = options.get("pagelint").unwrap_or(options);
        if let Some(lens) = options.get("lens").and_then(Value::as_bool) {
            self.lens = lens;
        }
        match options.get("scope").and_then(Value::as_str) {
            Some("workspace") => self.scope = Scope::Workspace,
            Some("open") => self.scope = Scope::Open,
            _ => {}
        }
        let reason = options.get("reason").and_then(Value::as_str).map(str::trim);
        if let Some(reason) = reason.filter(|r| !r.is_empty() && !r.contains(['\n', '\r'])) {
            self.reason = reason.to_string();
        }
    }
}

/// What a client can do.
#[derive(Clone, Debug)]
pub struct Client {
    /// How columns are counted.
    pub encoding: Encoding,
    /// The folders it has open.
    pub folders: Vec<PathBuf>,
    /// Asks for diagnostics itself, so that none are sent.
    pub pulls: bool,
    /// Can be told to ask again.
    pub refreshes: bool,
    /// Can be told to ask for lenses again.
    pub refreshes_lenses: bool,
    /// Shows progress.
    pub progress: bool,
    /// Watches files when told to.
    pub watches: bool,
    /// Can be asked for settings.
    pub configuration: bool,
    /// Opens pages when told to.
    pub opens: bool,
    /// Takes edits that name the version they belong to.
    pub versioned_edits: bool,
    /// Shows further places of a diagnostic.
    pub related: bool,
}

impl Client {
    /// Reads the parameters of `initialize`.
    pub fn read(params: &Value) -> Client {
        let flag = |path: &str| {
            let value = params.pointer(&format!("/capabilities/{path}"));
            value.and_then(Value::as_bool).unwrap_or(false)
        };
        let there = |path: &str| {
            params.pointer(&format!("/capabilities/{path}")).is_some_and(Value::is_object)
        };
        Client {
            encoding: encoding(params),
            folders: folders(params),
            pulls: there("textDocument/diagnostic"),
            // The specification changed its spelling; clients send either.
            refreshes: flag("workspace/diagnostics/refreshSupport")
                || flag("workspace/diagnostic/refreshSupport"),
            refreshes_lenses: flag("workspace/codeLens/refreshSupport"),
            progress: flag("window/workDoneProgress"),
            watches: flag("workspace/didChangeWatchedFiles/dynamicRegistration"),
            configuration: flag("workspace/configuration"),
            opens: flag("window/showDocument/support"),
            versioned_edits: flag("workspace/workspaceEdit/documentChanges"),
            related: flag("textDocument/publishDiagnostics/relatedInformation")
                || there("textDocument/diagnostic"),
        }
    }

    /// The word for the encoding.
    pub fn encoding_word(&self) -> &'static str {
        match self.encoding {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf16 => "utf-16",
            Encoding::Utf32 => "utf-32",
        }
    }

    /// The answer to `initialize`.
    pub fn answer(&self) -> Value {
        json!({
            "serverInfo": { "name": "pagelint", "version": env!("CARGO_PKG_VERSION") },
            "capabilities": {
                "positionEncoding": self.encoding_word(),
                "textDocumentSync": {
                    "openClose": true,
                    "change": 2,
                    "save": { "includeText": false },
                },
                "diagnosticProvider": {
                    "identifier": "pagelint",
                    "interFileDependencies": true,
                    "workspaceDiagnostics": true,
                },
                "codeActionProvider": {
                    "codeActionKinds": ["quickfix", "source.fixAll.pagelint"],
                },
                "hoverProvider": true,
                "codeLensProvider": { "resolveProvider": false },
                "executeCommandProvider": { "commands": super::commands::ALL },
                "workspace": {
                    "workspaceFolders": { "supported": true, "changeNotifications": true },
                },
            },
        })
    }
}

/// The first encoding on the client's list, which is the one it handles best.
fn encoding(params: &Value) -> Encoding {
    let list = params.pointer("/capabilities/general/positionEncodings").and_then(Value::as_array);
    let known = list.into_iter().flatten().filter_map(|word| match word.as_str()? {
        "utf-8" => Some(Encoding::Utf8),
        "utf-16" => Some(Encoding::Utf16),
        "utf-32" => Some(Encoding::Utf32),
        _ => None,
    });
    known.into_iter().next().unwrap_or(Encoding::Utf16)
}

/// The folders; older clients name one root in one of two ways.
fn folders(params: &Value) -> Vec<PathBuf> {
    let list = params.get("workspaceFolders").and_then(Value::as_array);
    let several: Vec<PathBuf> = list.into_iter().flatten().filter_map(folder).collect();
    if !several.is_empty() || list.is_some_and(|list| list.is_empty()) {
        return several;
    }
    let root = params.get("rootUri").and_then(Value::as_str).and_then(uri::to_path);
    let path = || params.get("rootPath").and_then(Value::as_str).map(PathBuf::from);
    root.or_else(path).into_iter().collect()
}

/// The path of one `WorkspaceFolder`.
pub fn folder(value: &Value) -> Option<PathBuf> {
    uri::to_path(value.get("uri")?.as_str()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clients_order_decides() {
        let client = |words: Value| {
            let general = json!({ "positionEncodings": words });
            Client::read(&json!({ "capabilities": { "general": general } })).encoding
        };
        assert_eq!(client(json!(["utf-32", "utf-16"])), Encoding::Utf32);
        assert_eq!(client(json!(["utf-7", 8, "utf-8"])), Encoding::Utf8);
        assert_eq!(client(json!(null)), Encoding::Utf16);
        assert_eq!(client(json!([])), Encoding::Utf16);
    }

    #[test]
    fn roots_come_in_three_forms() {
        let dir = vec![PathBuf::from("/w")];
        let several = json!({ "workspaceFolders": [{ "uri": "file:///w", "name": "w" }] });
        assert_eq!(Client::read(&several).folders, dir);
        assert_eq!(Client::read(&json!({ "rootUri": "file:///w" })).folders, dir);
        assert_eq!(Client::read(&json!({ "rootPath": "/w", "rootUri": null })).folders, dir);
        assert!(Client::read(&json!({ "workspaceFolders": null })).folders.is_empty());
        assert!(Client::read(&json!(null)).folders.is_empty());
    }
}
