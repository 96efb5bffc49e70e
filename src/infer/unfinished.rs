//! What could not be decided, and which runs were not taken to their end.
//!
//! Must not know which budget a run went over.

use super::drive::Ran;
use super::envelope::function_name;
use super::facts::Facts;
use crate::ir::Range;
use crate::text::Span;

/// Something that could not be decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// Where.
    pub span: Span,
    /// What, in one sentence.
    pub what: String,
}

/// Notes roots of a session that were not run to their end.
pub(super) fn note(ran: &Ran<'_>, facts: &mut Facts) {
    let session = &ran.session;
    let out = session.store.values.forms.work.is_out();
    for root in ran.roots.iter().filter(|r| r.exhausted || out) {
        let file = session.index.program.files[root.function.module as usize];
        let function = session.index.function_at(root.function);
        let range = function.map_or(Range::default(), |function| function.name_range);
        let what = match function_name(session, root.function) {
            name if name.is_empty() => "what stands outside of functions".to_string(),
            name => format!("`{name}`"),
        };
        let (list, what) = match root.cut || out {
            false => (
                &mut facts.undecided,
                format!("{what} calls too deep, or on too many conditions, to be told in full"),
            ),
            true => (
                &mut facts.unfinished,
                format!(
                    "running {what} took too many steps; what it sends {} (take it apart, or \
                     exclude the file)",
                    if out { "was left out" } else { "may be incomplete" }
                ),
            ),
        };
        list.push(Undecided { span: range.in_file(file), what });
    }
}
