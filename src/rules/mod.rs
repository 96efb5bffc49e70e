//! The table of rules: everything that lists, explains or configures rules reads it.
//!
//! Knows no source text, no tree and no language.

use crate::report::Level;

/// What is known of a rule without running it.
#[derive(Clone, Copy, Debug)]
pub struct RuleInfo {
    /// Its id, which reads after "allow".
    pub id: &'static str,
    /// The pack it belongs to.
    pub pack: &'static str,
    /// Its level where nothing else is configured.
    pub level: Level,
    /// One clause: what is wrong where it fires.
    pub summary: &'static str,
    /// Its page, in Markdown.
    pub page: &'static str,
}

impl RuleInfo {
    /// Where the page can be read without the program.
    pub fn url(&self) -> String {
        format!("{}/blob/main/rules/{}/{}.md", env!("CARGO_PKG_REPOSITORY"), self.pack, self.id)
    }
}

/// All rules, pack by pack.
pub const RULES: &[RuleInfo] = &[RuleInfo {
    id: "hand-built-envelope",
    pack: "offset-envelope",
    level: Level::Error,
    summary: "a paging response has a paging field that the shared builder did not write",
    page: "# hand-built-envelope\nsummary: a paging response has a paging field that the shared builder did not write\nlevel: error\n\n## Why\nA caller must find the same fields in every page.\n",
}];

/// The rule of an id.
pub fn find(id: &str) -> Option<&'static RuleInfo> {
    RULES.iter().find(|rule| rule.id == id)
}
