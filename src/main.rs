//! The program: everything is in the library.

use std::process::ExitCode;

/// Inference and the editor's server make and drop so many small values that the system's allocator
/// was most of what a keystroke waited for.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    pagelint::cli::main()
}
