//! What a body does.

use super::{Range, Type, Value};

/// Statements in order.
pub type Block = Vec<Stmt>;

/// One statement with the bytes it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it stands.
    pub range: Range,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// Writes to places. More than one target takes the value apart (a pair, a tuple call).
    /// Targets are `Local`, `Global`, `Member`, `Index`, or `Opaque` for a discarded part.
    Assign {
        /// The places.
        targets: Vec<Value>,
        /// What is written.
        value: Value,
        /// `a op= b` in place of `a = b`.
        op: Option<super::BinaryOp>,
    },
    /// Two ways.
    If {
        /// Decides.
        condition: Value,
        /// Run when it holds.
        then: Block,
        /// Run when it does not.
        otherwise: Block,
    },
    /// Runs its body any number of times.
    Loop {
        /// What drives it.
        kind: LoopKind,
        /// One round.
        body: Block,
        /// Run after each round, also after `continue`.
        post: Block,
    },
    /// The first arm that matches, once.
    Switch {
        /// What is compared; `None` takes the patterns as conditions.
        subject: Option<Value>,
        /// In source order; a default arm has [`Pattern::Any`] and may stand anywhere.
        arms: Vec<Arm>,
    },
    /// Leaves the function with values.
    Return(Vec<Value>),
    /// Leaves the `n`th enclosing loop or switch, 0 being the innermost.
    Break(u8),
    /// Goes on with the next round of the `n`th enclosing loop (switches do not count).
    Continue(u8),
    /// An expression for its effect.
    Eval(Value),
    /// A call that runs when the function ends.
    Defer(Value),
    /// Leaves the function with an error; nothing is returned.
    Throw(Value),
    /// `body`; on an error the handler; `finally` in any case.
    Try {
        /// What may fail.
        body: Block,
        /// The slot of the caught error, if bound.
        caught: Option<u16>,
        /// Run on an error.
        handler: Block,
        /// Run in any case.
        finally: Block,
    },
    /// What the front end does not model: its expressions and blocks, each possibly run.
    Opaque(Vec<Value>, Vec<Block>),
}

/// What drives a loop.
#[derive(Clone, Debug, PartialEq)]
pub enum LoopKind {
    /// As long as a condition holds; `None` is endless.
    While(Option<Value>),
    /// Once for each element: `key` takes the index or key, `value` the element.
    /// Iterating over a dictionary with one variable binds `key` in languages where that is
    /// the key, else `value`; the front end decides.
    Each {
        /// Place of the index or key.
        key: Option<Box<Value>>,
        /// Place of the element.
        value: Option<Box<Value>>,
        /// What is iterated.
        over: Box<Value>,
        /// Whether `over` may also be a dictionary whose *keys* go to `value`
        /// (`for x in thing`, where the source does not say which).
        keys_to_value: bool,
    },
}

/// One arm of a switch.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// Alternatives.
    pub patterns: Vec<Pattern>,
    /// A further condition.
    pub guard: Option<Value>,
    /// What it does.
    pub body: Block,
    /// Whether control goes on into the next arm's body.
    pub falls_through: bool,
    /// Where it stands.
    pub range: Range,
}

/// What an arm matches.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// A value equal to this one (or this condition, without a subject).
    Value(Value),
    /// A value of a type, then bound to a slot if given.
    Type(Type, Option<u16>),
    /// Anything, bound to a slot if given.
    Any(Option<u16>),
    /// A shape that is not modelled: may match.
    Opaque,
}
