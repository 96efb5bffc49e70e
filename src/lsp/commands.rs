//! Commands that the client runs by name, behind some of the code actions.
//!
//! Changes nothing on the disk by itself: the one who may is handed to it.

use std::path::PathBuf;

use lsp_server::ErrorCode;
use lsp_types::ExecuteCommandParams;
use serde_json::{json, Value};

use super::requests::Refusal;
use super::session::{Asked, Session};
use crate::diagnostics::uri;
use crate::discover::near;
use crate::rules;

/// Shows the page of a rule; its argument is the rule.
pub(super) const OPEN_PAGE: &str = "pagelint.openPage";

/// Records a finding in the baseline; its arguments are the file and the fingerprint.
pub(super) const ADD_TO_BASELINE: &str = "pagelint.addToBaseline";

/// All commands.
pub(super) const ALL: &[&str] = &[OPEN_PAGE, ADD_TO_BASELINE];

impl Session {
    /// Runs a command.
    pub(super) fn execute(&mut self, params: &ExecuteCommandParams) -> Result<Value, Refusal> {
        match params.command.as_str() {
            OPEN_PAGE => {
                let id = params.arguments.first().and_then(Value::as_str).unwrap_or_default();
                let Some(rule) = rules::find(id) else {
                    return Err((ErrorCode::InvalidParams, format!("there is no rule `{id}`")));
                };
                if self.client.opens {
                    let show = json!({ "uri": rule.url(), "external": true });
                    self.ask("window/showDocument", show, Asked::Nothing);
                }
                Ok(json!(rule.url()))
            }
            ADD_TO_BASELINE => self.add_to_baseline(&params.arguments),
            other => Err((ErrorCode::InvalidParams, format!("there is no command `{other}`"))),
        }
    }

    fn add_to_baseline(&mut self, arguments: &[Value]) -> Result<Value, Refusal> {
        let text = |index: usize| arguments.get(index).and_then(Value::as_str).unwrap_or_default();
        let path: Option<PathBuf> = uri::to_path(text(0)).map(|path| near::canonical(&path));
        let analysed = path.and_then(|path| self.last.owner(&path));
        let written = analysed.and_then(|analysed| {
            Some((analysed.known.file.clone(), analysed.known.with(analysed, text(1))?))
        });
        let Some((file, written)) = written else {
            return Err((
                ErrorCode::InvalidParams,
                "there is no such finding any more".to_string(),
            ));
        };
        (self.save)(&file, written.as_bytes()).map_err(|error| {
            let text = format!("{} cannot be written: {error}", file.display());
            (ErrorCode::RequestFailed, text)
        })?;
        self.touch(true);
        Ok(Value::Null)
    }
}
