//! Lowered modules to the extents that a comment can belong to.
//!
//! The only part of this folder that knows the program's form; everything else sees bytes.

use crate::ir::walk::each_stmt;
use crate::ir::{Block, Module, StmtKind};
use crate::text::{FileId, LineIndex};

/// A comment as plain data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The text after the marker.
    pub text: String,
    /// Whether nothing but white space stands before it on its line.
    pub own_line: bool,
    /// First byte, marker included.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A function's name and extent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionScope {
    /// Its name, as findings call it.
    pub name: String,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// The comments of one file and what they can belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileScopes {
    /// The file.
    pub file: FileId,
    /// Its comments in source order.
    pub comments: Vec<Comment>,
    /// Its functions; no closures.
    pub functions: Vec<FunctionScope>,
    /// The bytes of statements and declarations, sorted.
    pub statements: Vec<(u32, u32)>,
}

impl FileScopes {
    /// Nothing, for a file without comments.
    pub fn empty(file: FileId) -> FileScopes {
        FileScopes { file, comments: Vec::new(), functions: Vec::new(), statements: Vec::new() }
    }

    /// The extents of one module.
    pub fn of(file: FileId, module: &Module) -> FileScopes {
        let mut scopes = FileScopes::empty(file);
        scopes.comments = module
            .comments
            .iter()
            .map(|comment| Comment {
                text: comment.text.to_string(),
                own_line: comment.own_line,
                start: comment.range.start,
                end: comment.range.end,
            })
            .collect();
        for function in &module.functions {
            block(&function.body, &mut scopes.statements);
            // Closures have no name, and top-level code is not before anything.
            if !function.name.is_empty() && function.range.start < function.name_range.end {
                scopes.functions.push(FunctionScope {
                    name: match &function.owner {
                        Some(owner) => format!("{owner}.{}", function.name),
                        None => function.name.to_string(),
                    },
                    start: function.range.start,
                    end: function.range.end,
                });
            }
        }
        let globals = module.globals.iter().map(|global| global.range);
        let types = module.types.iter().flat_map(|ty| {
            std::iter::once(ty.range).chain(ty.fields.iter().map(|field| field.range))
        });
        scopes.statements.extend(globals.chain(types).map(|range| (range.start, range.end)));
        scopes.statements.sort_unstable();
        scopes.statements.dedup();
        scopes
    }

    /// The name of the innermost function that holds a byte.
    pub fn function_at(&self, offset: u32) -> Option<&str> {
        let holds = |f: &&FunctionScope| f.start <= offset && offset < f.end;
        let inner = self.functions.iter().filter(holds).min_by_key(|f| f.end - f.start);
        inner.map(|f| f.name.as_str())
    }

    /// The bytes that a comment speaks of: its own line when something stands before it, else
    /// the longest function or statement that begins on the next line of code, else that line.
    pub fn reach(&self, comment: &Comment, text: &str, lines: &LineIndex) -> (u32, u32) {
        let own = lines.line(comment.start);
        if !comment.own_line {
            return line_range(own, text, lines);
        }
        let Some(line) = self.next_code_line(comment, text, lines) else {
            return line_range(own, text, lines);
        };
        let (start, mut end) = line_range(line, text, lines);
        let mut at = start;
        // An annotation on a line of its own belongs to what follows.
        while self.longest(at, end).is_none() && annotates(text, at, end) {
            (at, end) = line_range(lines.line(at) + 1, text, lines);
        }
        (start, self.longest(at, end).map_or(end, |longest| longest.max(end)))
    }

    /// The end of the longest function or statement that begins in a range.
    fn longest(&self, start: u32, end: u32) -> Option<u32> {
        let functions = self.functions.iter().map(|f| (f.start, f.end));
        let begins = functions.chain(self.statements.iter().copied());
        begins.filter(|(at, _)| start <= *at && *at < end).map(|(_, end)| end).max()
    }

    /// The first line below a comment that is not itself a comment; none across an empty line.
    fn next_code_line(&self, comment: &Comment, text: &str, lines: &LineIndex) -> Option<u32> {
        let mut line = lines.line(comment.end.max(1) - 1) + 1;
        loop {
            let (start, end) = line_range(line, text, lines);
            let words = text.get(start as usize..end as usize)?.trim_start();
            if start >= end || words.trim().is_empty() {
                return None;
            }
            let first = end - words.len() as u32;
            let at = self.comments.partition_point(|other| other.start < first);
            match self.comments.get(at).filter(|other| other.start == first) {
                Some(other) => line = lines.line(other.end.max(1) - 1) + 1,
                None => return Some(line),
            }
        }
    }
}

fn annotates(text: &str, start: u32, end: u32) -> bool {
    text.get(start as usize..end as usize).is_some_and(|line| line.trim_start().starts_with('@'))
}

/// The bytes of a 0-based line.
pub fn line_range(line: u32, text: &str, lines: &LineIndex) -> (u32, u32) {
    let all = text.len() as u32;
    let start = lines.start(line).unwrap_or(all);
    (start, lines.start(line + 1).unwrap_or(all))
}

/// The bytes of every statement of a body, and of every arm.
fn block(statements: &Block, out: &mut Vec<(u32, u32)>) {
    each_stmt(statements, &mut |statement| {
        out.push((statement.range.start, statement.range.end));
        if let StmtKind::Switch { arms, .. } = &statement.kind {
            out.extend(arms.iter().map(|arm| (arm.range.start, arm.range.end)));
        }
    });
}
