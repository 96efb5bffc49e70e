//! What the facts say that conditions are made of.
//!
//! Decides none of them.

use super::formula::F;
use super::value::V;
use crate::ir::Name;

/// The meaning of an atom of the formulas.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    /// The value counts as true.
    Truthy(V),
    /// The value is null or missing.
    Null(V),
    /// The value is this text.
    IsText(V, Name),
    /// The number is at least this.
    AtLeast(V, i64),
    /// The first number is less than the second.
    Less(V, V),
    /// The values are equal.
    Equal(V, V),
    /// The object of unknown fields has the key.
    Has(V, V),
    /// The value is of the type.
    IsType(V, Name),
    /// Something that is not modelled, by number.
    Free(u32),
    /// In the loop with this number, the formula held in some round; 0 stands for the formula
    /// itself, shortened.
    Once(u32, F),
    /// The second formula where the first holds, else the third: where that is too much to write.
    Either(F, F, F),
}
