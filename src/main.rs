//! The program: everything is in the library.

use std::process::ExitCode;

/// Inference makes and drops millions of small values; see CONTRIBUTING.md for what this is worth.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    pagelint::cli::main()
}
