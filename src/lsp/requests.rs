//! Requests to answers, from what the last run found.
//!
//! Answers only for the present texts: the session holds a request back until a run is over.

use std::panic::{self, AssertUnwindSafe};

use lsp_server::{ErrorCode, Request, Response};
use lsp_types::{
    CodeActionParams, CodeLensParams, Diagnostic, DocumentDiagnosticParams, ExecuteCommandParams,
    HoverParams, WorkspaceDiagnosticParams,
};
use serde::de::DeserializeOwned;
use serde_json::{json, Value};

use super::session::{tolerate, Session};
use super::{actions, hover};
use crate::diagnostics::uri;
use crate::discover::near;

/// Why a request has no answer.
pub(super) type Refusal = (ErrorCode, String);

/// Whether a request speaks of what was found, so that it waits for a run.
pub(super) fn needs_run(method: &str) -> bool {
    method.starts_with("textDocument/")
        || method == "workspace/diagnostic"
        || method == "workspace/executeCommand"
}

impl Session {
    /// Answers a request.
    pub(super) fn answer(&mut self, request: Request) {
        let Request { id, method, mut params } = request;
        tolerate(&mut params);
        let run = AssertUnwindSafe(|| self.result(&method, params));
        let result = panic::catch_unwind(run).unwrap_or_else(|_| {
            let text = format!("`{method}` failed; this is a bug in pagelint");
            Err((ErrorCode::InternalError, text))
        });
        let response = match result {
            Ok(value) => Response::new_ok(id, value),
            Err((code, text)) => Response::new_err(id, code as i32, text),
        };
        self.send(response.into());
    }

    fn result(&mut self, method: &str, params: Value) -> Result<Value, Refusal> {
        match method {
            "textDocument/diagnostic" => self.pull(read(params)?),
            "workspace/diagnostic" => self.pull_all(read(params)?),
            "textDocument/hover" => {
                let params: HoverParams = read(params)?;
                Ok(hover::hover(self, &params.text_document_position_params).unwrap_or(Value::Null))
            }
            "textDocument/codeAction" => {
                // What the client thinks of its diagnostics is not needed, and some clients
                // send back less than they got.
                let mut params = params;
                if let Some(diagnostics) = params.pointer_mut("/context/diagnostics") {
                    *diagnostics = json!([]);
                }
                let params: CodeActionParams = read(params)?;
                Ok(actions::actions(self, &params).into())
            }
            "textDocument/codeLens" => {
                let params: CodeLensParams = read(params)?;
                Ok(hover::lenses(self, &params.text_document.uri).into())
            }
            "workspace/executeCommand" => {
                let params: ExecuteCommandParams = read(params)?;
                self.execute(&params)
            }
            _ => Err((ErrorCode::MethodNotFound, format!("there is no method `{method}`"))),
        }
    }

    fn pull(&self, params: DocumentDiagnosticParams) -> Result<Value, Refusal> {
        let uri = params.text_document.uri;
        let open = self.documents.get(&uri).map(|document| document.path.clone());
        let path = open.unwrap_or_else(|| uri::to_path(uri.as_str()).map(|p| near::canonical(&p)));
        let list = path.map(|path| self.list(&path)).unwrap_or_default();
        Ok(report(list, params.previous_result_id.as_deref()))
    }

    fn pull_all(&self, params: WorkspaceDiagnosticParams) -> Result<Value, Refusal> {
        let before = |uri: &str| {
            let ids = params.previous_result_ids.iter();
            ids.clone().find(|id| id.uri.as_str() == uri).map(|id| id.value.as_str())
        };
        let mut items = Vec::new();
        let mut told: Vec<String> = Vec::new();
        let paths = self.last.workspaces.iter().flat_map(|workspace| {
            let reported = workspace.sources.files.iter().filter(|file| file.reported);
            reported.map(|file| workspace.sources.root.join(&file.path))
        });
        let mut paths: Vec<_> = paths.chain(self.last.diagnostics.keys().cloned()).collect();
        paths.sort();
        paths.dedup();
        for path in paths {
            let document = self.documents.iter().find(|d| d.path.as_ref() == Some(&path));
            let uri = document.map_or_else(|| uri::from_path(&path), |d| d.uri.clone());
            let mut item = report(self.list(&path), before(uri.as_str()));
            item["uri"] = json!(uri);
            item["version"] = json!(document.map(|document| document.version));
            told.push(uri.as_str().to_string());
            items.push(item);
        }
        // A file that is gone keeps what was said of it until it is told otherwise.
        for id in params.previous_result_ids {
            if !told.contains(&id.uri.as_str().to_string()) {
                let mut item = report(Vec::new(), Some(&id.value));
                item["uri"] = json!(id.uri);
                item["version"] = Value::Null;
                items.push(item);
            }
        }
        Ok(json!({ "items": items }))
    }
}

/// A full report, or the news that nothing has changed since the one of that id.
fn report(list: Vec<Diagnostic>, before: Option<&str>) -> Value {
    let items = json!(list);
    let id = format!("{:016x}", hash(items.to_string().as_bytes()));
    if before == Some(id.as_str()) {
        json!({ "kind": "unchanged", "resultId": id })
    } else {
        json!({ "kind": "full", "resultId": id, "items": items })
    }
}

/// FNV-1a: a client may keep an id over a restart, so it is the same in every release.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, Refusal> {
    serde_json::from_value(params).map_err(|e| (ErrorCode::InvalidParams, e.to_string()))
}
