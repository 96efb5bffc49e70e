//! Which files are captured JSON, by the user's word.
//!
//! Never looks into a file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::globs::Globs;

/// What a file of captured JSON is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    /// One or more responses.
    Response,
    /// Schemas of commands or tools.
    Schema,
    /// Recorded messages or runs.
    Session,
}

impl DocumentKind {
    /// All kinds, with the words for them.
    pub const ALL: [(DocumentKind, &'static str); 3] = [
        (DocumentKind::Response, "response"),
        (DocumentKind::Schema, "schema"),
        (DocumentKind::Session, "session"),
    ];
}

/// The files of captured JSON.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    /// Responses.
    pub responses: Globs,
    /// Schemas.
    pub schemas: Globs,
    /// Sessions.
    pub sessions: Globs,
    /// Files named one by one, in full; nothing where the content has to tell the kind.
    pub named: BTreeMap<PathBuf, Option<DocumentKind>>,
    /// Whether there is any pattern: without one nothing has to be walked.
    pub patterns: bool,
}

impl Documents {
    /// What a file is: nothing for no captured JSON, nothing inside where its content tells.
    pub fn kind(&self, file: &Path) -> Option<Option<DocumentKind>> {
        if let Some(kind) = self.named.get(file).filter(|kind| kind.is_some()) {
            return Some(*kind);
        }
        let globs = [
            (&self.responses, DocumentKind::Response),
            (&self.schemas, DocumentKind::Schema),
            (&self.sessions, DocumentKind::Session),
        ];
        let matching = globs.into_iter().find(|(globs, _)| globs.matches(file, false));
        matching.map(|(_, kind)| Some(kind)).or_else(|| self.named.get(file).copied())
    }
}
