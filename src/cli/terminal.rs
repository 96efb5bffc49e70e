//! The environment to a [`Style`].
//!
//! Knows nothing of what is printed.

use std::env;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::args::Color;
use crate::render::Style;

/// How often the sign of life moves.
const TICK: Duration = Duration::from_millis(200);

/// Characters in a line where there is no terminal to ask.
const PLAIN_WIDTH: usize = 100;

/// The style for a stream.
pub fn style(color: Color, quiet: bool, stream: &impl IsTerminal) -> Style {
    let terminal = stream.is_terminal();
    let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
    let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let colour = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => terminal && !dumb && !refused,
    };
    let width = match terminal_size::terminal_size() {
        Some((terminal_size::Width(width), _)) if terminal => usize::from(width),
        _ => PLAIN_WIDTH,
    };
    let (unicode, width) = (!dumb && unicode(), width.max(40));
    Style { colour, unicode, width, terminal, quiet, ..Style::default() }
}

/// Says on standard error why a run fails whose output was told to be silent.
pub fn complain(message: &str) {
    let _ = writeln!(std::io::stderr(), "error: {message}");
}

/// Says on standard error what a long run took.
pub fn note(message: &str) {
    let _ = writeln!(std::io::stderr(), "{message}");
}

/// A sign of life while a run takes long; nothing where nobody looks.
pub fn progress(message: &'static str) -> ProgressBar {
    let bar = ProgressBar::no_length();
    // The library itself draws nothing where standard error is no terminal.
    bar.set_draw_target(ProgressDrawTarget::stderr());
    bar.set_style(ProgressStyle::default_spinner());
    bar.set_message(message);
    bar.enable_steady_tick(TICK);
    bar
}

/// Whether the locale can show more than ASCII. One that says nothing can: few terminals left
/// cannot, and containers seldom set a locale.
fn unicode() -> bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let locale = names.iter().filter_map(|name| env::var(name).ok()).find(|v| !v.is_empty());
    locale.is_none_or(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

/// Makes paths of the workspace ones that lead there from the current directory.
pub fn paths_from_here(mut style: Style, root: &Path) -> Style {
    let slashed = |path: &Path| {
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if parts.is_empty() {
            String::new()
        } else {
            parts.join("/") + "/"
        }
    };
    let here = env::current_dir().and_then(|dir| dir.canonicalize()).unwrap_or_default();
    if let Ok(below) = root.strip_prefix(&here) {
        style.prefix = slashed(below);
    } else if let Ok(above) = here.strip_prefix(root) {
        style.strip = slashed(above);
    } else {
        style.prefix = format!("{}/", root.display());
    }
    style
}
