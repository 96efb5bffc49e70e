//! `pagelint rules` and `pagelint explain`: what the rules are.
//!
//! Reads the table of rules and nothing else.

use std::io::Write;

use super::check::no_rule;
use super::failure::Failure;
use super::Status;
use crate::render::{page, rules_table, Style};
use crate::rules::{self, RULES};

/// Lists all rules.
pub fn rules(style: &Style, out: &mut dyn Write) -> Result<Status, Failure> {
    rules_table(RULES, style, out)?;
    Ok(Status::Clean)
}

/// Shows the page of one.
pub fn rule(id: &str, style: &Style, out: &mut dyn Write) -> Result<Status, Failure> {
    page(rules::find(id).ok_or_else(|| no_rule(id))?, style, out)?;
    Ok(Status::Clean)
}
