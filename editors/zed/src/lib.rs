//! Tells Zed how to start the server; knows nothing of what it says.

use zed_extension_api::{self as zed, Command, LanguageServerId, Result, Worktree};

struct Pagelint;

impl zed::Extension for Pagelint {
    fn new() -> Self {
        Pagelint
    }

    fn language_server_command(&mut self, _: &LanguageServerId, tree: &Worktree) -> Result<Command> {
        let command = tree.which("pagelint").ok_or("pagelint is not on the path")?;
        Ok(Command { command, args: vec!["lsp".to_string()], env: tree.shell_env() })
    }
}

zed::register_extension!(Pagelint);
