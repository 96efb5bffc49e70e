//! The table of languages: which files a front end reads and how it lowers them.

pub mod build;
mod fragments;
pub mod gdscript;
pub mod go;
pub mod typescript;

pub use fragments::{Fragment, Fragments, Recall};

use crate::ir::Module;

/// What a front end is given.
pub struct Input<'a> {
    /// Path relative to the workspace root, with `/`.
    pub path: &'a str,
    /// The text; byte offsets refer to it.
    pub text: &'a str,
}

/// Something in a text that could not be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// First byte of the place, if it has one.
    pub offset: Option<u32>,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Whether nothing of the file was analysed.
    pub fatal: bool,
}

/// A front end.
pub struct Language {
    /// Its id, as used in configuration.
    pub id: &'static str,
    /// File name extensions, without the dot.
    pub extensions: &'static [&'static str],
    /// How a line comment starts.
    pub comment: &'static str,
    /// Lowers a text. Never fails: what is not modelled becomes an opaque node that keeps its
    /// children, and a text that cannot be parsed at all gives an empty module and a fatal
    /// [`Trouble`].
    /// Parts of the version before are recalled.
    pub lower_with: fn(&Input<'_>, &mut Recall<'_>) -> (Module, Vec<Trouble>),
}

impl Language {
    /// Lowers a text of which nothing is known.
    pub fn lower(&self, input: &Input<'_>) -> (Module, Vec<Trouble>) {
        (self.lower_with)(input, &mut Recall::default())
    }
}

/// All languages.
pub const LANGUAGES: &[Language] = &[gdscript::LANGUAGE, go::LANGUAGE, typescript::LANGUAGE];

/// The language of a path, by its extension.
pub fn language_of(path: &str) -> Option<&'static Language> {
    let extension = path.rsplit_once('.')?.1;
    LANGUAGES.iter().find(|l| l.extensions.contains(&extension))
}
