//! What rules may ask: plain data about the objects that leave, the windows that callers may
//! ask for, and the shared builder.

use std::collections::BTreeSet;
use std::sync::Arc;

pub use super::unfinished::Undecided;
use crate::pack::{Role, WindowKind};
use crate::report::Confidence;
use crate::text::Span;

/// All facts of a pack about a workspace; what runs keep is shared with them.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Objects that leave.
    pub responses: Vec<Arc<Response>>,
    /// Request parameters that bound the rows, as far as a tool reads them.
    pub windows: Vec<Arc<Window>>,
    /// Paths of the shared builder.
    pub builders: Vec<super::builders::BuilderPath>,
    /// What could not be decided.
    pub undecided: Vec<Undecided>,
    /// Functions whose run took too many steps.
    pub unfinished: Vec<Undecided>,
    /// Raw paging fields in emitted data.
    pub raw_fields: Vec<Arc<RawField>>,
    /// Whole responses of the service that are emitted.
    pub passthroughs: Vec<Arc<Passthrough>>,
    /// Tools of the service that page, with what tells it.
    pub paged_tools: std::collections::BTreeMap<String, PagedBy>,
    /// Declared commands.
    pub commands: Vec<Arc<Command>>,
    /// Commands that emit data, with what is known of the meta half of their pages.
    pub deliveries: std::collections::BTreeMap<String, super::pages::Delivery>,
    /// Pairs of exhausted and token that contradict each other.
    pub unpaired: Vec<super::pages::Unpaired>,
    /// Pages whose meta half comes from another response than their data.
    pub second_calls: Vec<super::second_calls::SecondCall>,
    /// Declarations of pages by the place of their literals, also of those that no command has.
    pub declarations: std::collections::BTreeMap<Span, super::declarations::Declaration>,
    /// Raw paging fields in schemas that no command has, with where they stand.
    pub loose_schemas: BTreeSet<(String, Span)>,
    /// Flags that calls register, and whether the commands below have them too.
    pub flags: BTreeSet<(String, Span, bool)>,
    /// Declarations of pages on summaries of products and groups.
    pub on_groups: BTreeSet<Span>,
    /// Fields of emitted data that would be another version of the protocol.
    pub aliases: Vec<Alias>,
    /// What becomes of pages that contradict themselves.
    pub inconsistencies: Vec<Inconsistency>,
    /// What commands emit, in outline.
    pub outlines: Vec<Arc<super::outlines::Outline>>,
}

/// A field of emitted data whose name says that it versions the protocol.
#[derive(Clone, Debug)]
pub struct Alias {
    /// Its name.
    pub name: String,
    /// Where it is written.
    pub span: Span,
    /// Its value, where it is a constant text.
    pub value: Option<String>,
    /// Who emits it.
    pub emitter: Emitter,
}

/// What tells that a tool of the service pages.
#[derive(Clone, Debug, Default)]
pub struct PagedBy {
    /// A call that asks it for a page.
    pub asked: Option<Span>,
    /// Where paging fields of its responses are read.
    pub read: BTreeSet<Span>,
}

/// What becomes of a page that contradicts itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It passes for the last page.
    Masked,
    /// It is answered with an error of another type.
    Untyped,
}

/// A function that lets a contradiction of the paging fields through, or answers it untyped.
#[derive(Clone, Debug)]
pub struct Inconsistency {
    /// Which of the two.
    pub outcome: Outcome,
    /// Where it happens first.
    pub span: Span,
    /// The condition or the loop that leads there.
    pub because: Option<Span>,
    /// Where else in the function it happens.
    pub others: Vec<Span>,
    /// Whether it is a walk over pages that ends.
    pub walks: bool,
    /// The function.
    pub function: String,
    /// The commands that run it.
    pub commands: BTreeSet<String>,
    /// The highest stage among them.
    pub stage: Option<String>,
}

/// Who emits: the command that runs and the calls on the way to the place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Emitter {
    /// The command, if it has a name.
    pub command: Option<String>,
    /// Its stage, if it declares one.
    pub stage: Option<String>,
    /// The function that holds the place.
    pub function: String,
    /// The calls that lead there, innermost first.
    pub calls: Vec<Span>,
}

/// A raw paging field in emitted data.
#[derive(Clone, Debug)]
pub struct RawField {
    /// Its name.
    pub name: String,
    /// Where it is written.
    pub span: Span,
    /// Where the data leaves.
    pub sink: Span,
    /// Who emits it.
    pub emitter: Emitter,
    /// Whether only a name or a result that nobody takes says that it leaves.
    pub guessed: bool,
}

/// A whole response of the service that is emitted.
#[derive(Clone, Debug)]
pub struct Passthrough {
    /// Where it leaves.
    pub span: Span,
    /// Who emits it.
    pub emitter: Emitter,
    /// The tools of the service that it may come from, as far as they are known.
    pub tools: Vec<String>,
    /// Whether the request asks for a page.
    pub asks_for_page: bool,
    /// Whether only a name or a result that nobody takes says that it leaves.
    pub guessed: bool,
}

/// A declared command.
#[derive(Clone, Debug)]
pub struct Command {
    /// Its name, if all its parts are known.
    pub name: Option<String>,
    /// Its stage, if one is set.
    pub stage: Option<String>,
    /// Where it is declared.
    pub span: Span,
    /// Where its name is written.
    pub named: Span,
    /// What it says of its pages.
    pub pagination: Option<super::commands::DeclaredPagination>,
    /// What its result says of its pages, in the wrong place.
    pub result_pagination: Option<super::commands::DeclaredPagination>,
    /// Its parameters' names, if all are known.
    pub parameters: Option<Vec<String>>,
    /// The parameters that could be told, with where their names are written.
    pub told: Vec<(String, Span)>,
    /// Whether the schema of its data is known; `None` where it has none.
    pub schema: Option<bool>,
    /// Fields of its data schema that would be another version of the protocol.
    pub schema_aliases: Vec<(String, Span)>,
    /// Raw paging fields of its data schema, with where they stand.
    pub schema_fields: Vec<(String, Span)>,
}

/// Where a field is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldSite {
    /// The key, or the builder's call where the builder writes it.
    pub span: Span,
    /// The write itself, where the builder does it.
    pub inside: Span,
    /// Whether the shared builder writes it.
    pub builder: bool,
    /// Whether the function that makes the object writes it.
    pub own: bool,
    /// Name of the function that writes it.
    pub function: String,
    /// Whether it can be written where nothing more remains and nothing was clamped.
    pub idle: bool,
}

/// What is known of a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worth {
    /// A truth value that is always the same.
    Constant(bool),
    /// A number that is computed from other numbers.
    Number,
    /// Text.
    Text,
    /// Anything else.
    Other,
}

/// One field of an object that leaves.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name; a computed part is a `*`.
    pub name: String,
    /// Its role in an envelope, and whether the name is an old one.
    pub role: Option<(Role, bool)>,
    /// Whether it is on every path.
    pub always: bool,
    /// Where it is written, in source order.
    pub sites: Vec<FieldSite>,
    /// Its value.
    pub worth: Worth,
    /// The fields of its own value, where that is an object: name and whether always there.
    pub inner: Vec<(String, bool)>,
    /// Whether it stands in a member of the object that leaves.
    pub nested: bool,
}

/// A hint as it can be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HintText {
    /// Its constant parts, joined; `None` when nothing of it is known.
    pub text: Option<String>,
}

/// One combination of fields that can be sent.
#[derive(Clone, Debug)]
pub struct Case {
    /// Whether more remains; `None` without a has-more flag.
    pub more: Option<bool>,
    /// Which of the paging fields are there, by index into [`Response::fields`].
    pub present: Vec<usize>,
    /// The texts that the hint may have; empty when it is not there.
    pub hints: Vec<HintText>,
    /// Whether it is known under which conditions this is sent; else some that could not be
    /// told may exclude it.
    pub sure: bool,
}

/// Why a total or has-more flag is not exact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inexact {
    /// The total is the size of rows already cut.
    CutRows,
    /// The total is a count that stops at the cap, or counts only what the cap lets through.
    CountStops,
    /// The total counts other rows than the page holds.
    OtherRows,
    /// The has-more flag is a constant beside a cap.
    ConstantMore,
    /// The has-more flag ignores the offset.
    IgnoresOffset,
    /// The has-more flag only says that the page is full.
    FullPage,
}

/// An object that leaves.
#[derive(Clone, Debug)]
pub struct Response {
    /// Tools that send it, sorted.
    pub tools: BTreeSet<String>,
    /// Where it is made; the builder's call where the builder makes it.
    pub created: Span,
    /// The function that makes it.
    pub function: String,
    /// Which of the objects that its function makes: counted from 0 in source order.
    pub object: u32,
    /// Where it leaves.
    pub sink: Span,
    /// How sure it is that it leaves.
    pub confidence: Confidence,
    /// Its fields in order of their first writing.
    pub fields: Vec<Field>,
    /// Whether unknown fields may be there too.
    pub open: bool,
    /// Whether it is a page.
    pub paging: bool,
    /// Every combination of paging fields that can be sent.
    pub cases: Vec<Case>,
    /// Whether its handler takes an offset or a start line.
    pub linear: bool,
    /// Parameters of the handler that narrow the rows.
    pub scopes: BTreeSet<String>,
    /// What is wrong with its total or has-more flag, with the field concerned.
    pub inexact: Vec<(Inexact, usize)>,
    /// Invariants that the builder's call lets its extras overwrite.
    pub overwritten: Vec<(String, Span)>,
    /// Whether the whole of it was understood.
    pub understood: bool,
    /// Whether code that only passes on what others send makes it.
    pub forwards: bool,
    /// Whether a response of the service was asked for on the way.
    pub awaited: bool,
    /// What code that only passes on does to the response behind it.
    pub forwarded: Forwarded,
}

/// What becomes of a response that is passed on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forwarded {
    /// The tools behind it that were asked for it.
    pub asked: BTreeSet<String>,
    /// Whether all of the response is in what leaves.
    pub whole: bool,
    /// Paging fields that its function reads.
    pub reads: BTreeSet<String>,
    /// Where the first of them is read.
    pub read_at: Option<Span>,
    /// Paging fields that are taken out.
    pub dropped: Vec<(String, Span)>,
    /// Paging fields that leave under another name, with that name.
    pub renamed: Vec<(String, String, Span)>,
    /// Paging fields that leave as they came, beside all others.
    pub kept: BTreeSet<String>,
}

impl Response {
    /// The fields with a role, old names included.
    pub fn role(&self, role: Role) -> impl Iterator<Item = (usize, &Field)> {
        self.fields.iter().enumerate().filter(move |(_, f)| f.role.is_some_and(|(r, _)| r == role))
    }

    /// Whether a case has a field of the role.
    pub fn has(&self, case: &Case, role: Role) -> bool {
        case.present.iter().any(|i| self.fields[*i].role.is_some_and(|(r, _)| r == role))
    }

    /// The span by which a finding about the object as a whole is known: its has-more flag,
    /// else its first paging field, else its making.
    pub fn anchor(&self) -> Span {
        let paging = |f: &&Field| f.role.is_some_and(|(r, _)| r != Role::Hint);
        self.role(Role::More)
            .map(|(_, f)| f)
            .chain(self.fields.iter().filter(paging))
            .find_map(|f| f.sites.first())
            .map_or(self.created, |s| s.span)
    }
}

/// A bound put on a window parameter from above.
#[derive(Clone, Debug)]
pub struct Clamp {
    /// Where.
    pub span: Span,
    /// The function.
    pub function: String,
    /// Whether the parameter is replaced by a default rather than held at the bound.
    pub reset: bool,
    /// Whether some page of the tool discloses it.
    pub disclosed: bool,
    /// Pages that can be sent under it without saying so: their anchors, functions and makings.
    pub silent: Vec<(Span, String, Span)>,
}

/// A request parameter that bounds the rows of a tool.
#[derive(Clone, Debug)]
pub struct Window {
    /// Tools that read it, sorted.
    pub tools: BTreeSet<String>,
    /// Low where only a result that nobody takes says that it is one.
    pub confidence: Confidence,
    /// Its name.
    pub name: String,
    /// What it bounds.
    pub kind: WindowKind,
    /// Where it is read first.
    pub read: Span,
    /// The function that reads it.
    pub function: String,
    /// Where an invalid value is silently repaired.
    pub repaired: Option<(Span, String)>,
    /// Whether an invalid value is accepted, repaired or not.
    pub accepts_invalid: bool,
    /// Errors that answer a value over the maximum.
    pub rejections: Vec<(Span, String)>,
    /// Bounds from above.
    pub clamps: Vec<Clamp>,
}
