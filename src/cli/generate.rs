//! The definition of the command line to completion scripts and the manual page.
//!
//! Says nothing of its own.

use std::io::{self, Write};

use clap::CommandFactory;
use clap_complete::Shell;

use super::args::Args;
use super::failure::Failure;
use super::Status;

/// Prints the completion script of a shell.
pub fn completions(shell: Shell, out: &mut dyn Write) -> Result<Status, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "pagelint", &mut script);
    out.write_all(&script)?;
    Ok(Status::Clean)
}

/// Prints the manual page: the program, then each of its commands.
pub fn manual(out: &mut dyn Write) -> Result<Status, Failure> {
    let mut command = Args::command();
    // Subcommands inherit what is global only when the whole is built.
    command.build();
    let page = clap_mangen::Man::new(command.clone());
    page.render_title(out)?;
    page.render_name_section(out)?;
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    page.render_options_section(out)?;
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        writeln!(out, ".SH PAGELINT {}", sub.get_name().to_uppercase())?;
        subcommand(sub, out)?;
        for inner in sub.get_subcommands().filter(|inner| inner.get_name() != "help") {
            writeln!(out, ".SS {} {}", sub.get_name(), inner.get_name())?;
            subcommand(inner, out)?;
        }
    }
    page.render_extra_section(out)?;
    Ok(Status::Clean)
}

/// One command's text, with the headings of its sections one level down.
fn subcommand(command: &clap::Command, out: &mut dyn Write) -> io::Result<()> {
    let page = clap_mangen::Man::new(command.clone());
    let mut text = Vec::new();
    page.render_description_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_options_section(&mut text)?;
    let text = String::from_utf8_lossy(&text).replace(".SH ", ".SS ");
    out.write_all(text.as_bytes())
}
