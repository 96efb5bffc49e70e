//! Checks what Go text becomes, case by case, and that no text makes lowering fail.

mod cases;
mod dump;
mod places;
mod robust;

use super::{Input, Trouble, LANGUAGE};
use crate::ir::Module;

fn lower(text: &str) -> (Module, Vec<Trouble>) {
    LANGUAGE.lower(&Input { path: "internal/app/page.go", text })
}

/// Asserts that a text becomes the given dump.
fn shows(text: &str, expected: &str) {
    let (module, _) = lower(text.trim_start());
    let dump = dump::module(&module, text.trim_start());
    assert_eq!(dump.trim_end(), expected.trim(), "\n---- became\n{dump}");
}
