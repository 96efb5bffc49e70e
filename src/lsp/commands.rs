//! Commands that the client runs by name, behind some of the code actions.
//!
//! Changes nothing on the disk by itself.

use lsp_server::ErrorCode;
use lsp_types::ExecuteCommandParams;
use serde_json::{json, Value};

use super::requests::Refusal;
use super::session::{Asked, Session};
use crate::rules;

/// Shows the page of a rule; its argument is the rule.
pub(super) const OPEN_PAGE: &str = "pagelint.openPage";

/// All commands.
pub(super) const ALL: &[&str] = &[OPEN_PAGE];

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
            other => Err((ErrorCode::InvalidParams, format!("there is no command `{other}`"))),
        }
    }
}
