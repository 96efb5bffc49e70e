//! The states that the paging fields of one page can be in, and what a value says in each.
//!
//! Knows no program: only sets of states and how to join what is said of them.

use std::rc::Rc;

use crate::infer::value::FunctionId;
use crate::ir::Name;
use crate::text::Span;

/// A set of states. A state is what the flag is (true, false, missing, ill-typed) and what the
/// cursor is (usable, empty, missing, ill-typed); each stands there twice, the second time for
/// a walk that its page limit has stopped.
pub(super) type Worlds = u32;

const fn both(half: u32) -> Worlds {
    half | half << 16
}

/// All states.
pub(super) const ALL: Worlds = u32::MAX;
/// The states of a walk that nothing has stopped.
pub(super) const RUNNING: Worlds = 0xFFFF;
/// The flag says that more remains.
pub(super) const MORE: Worlds = both(0x000F);
/// The flag says that nothing remains.
pub(super) const LAST: Worlds = both(0x00F0);
/// There is no flag.
pub(super) const NO_FLAG: Worlds = both(0x0F00);
/// The flag is no truth value.
pub(super) const ILL_FLAG: Worlds = both(0xF000);
/// The cursor can be used.
pub(super) const USABLE: Worlds = both(0x1111);
/// The cursor is empty text.
pub(super) const EMPTY: Worlds = both(0x2222);
/// There is no cursor.
pub(super) const NO_CURSOR: Worlds = both(0x4444);
/// The cursor is no text.
pub(super) const ILL_CURSOR: Worlds = both(0x8888);

/// The page is as it should be.
pub(super) const SOUND: Worlds = (MORE & USABLE) | (LAST & (EMPTY | NO_CURSOR));
/// More remains, but nothing to go on with.
pub(super) const STUCK: Worlds = MORE & !USABLE;
/// The page contradicts itself. A missing flag does not.
pub(super) const CONTRADICTION: Worlds = STUCK | (LAST & (USABLE | ILL_CURSOR)) | ILL_FLAG;
/// Whoever goes on from here would get another page.
pub(super) const GOES_ON: Worlds = (MORE | NO_FLAG) & USABLE & RUNNING;

/// The same states, stopped by a limit.
pub(super) fn stopped(worlds: Worlds) -> Worlds {
    (worlds & RUNNING) << 16
}

/// What a value is about; a set of bits.
pub(super) type Role = u16;

/// A has-more flag, as a truth value.
pub(super) const FLAG: Role = 1;
/// A cursor, as text.
pub(super) const CURSOR: Role = 2;
/// Whether there is a flag of the right type.
pub(super) const FLAG_KNOWN: Role = 4;
/// Whether there is a cursor of the right type.
pub(super) const CURSOR_KNOWN: Role = 8;
/// A flag as it came.
pub(super) const RAW_FLAG: Role = 16;
/// A cursor as it came.
pub(super) const RAW_CURSOR: Role = 32;
/// The name of a flag.
pub(super) const FLAG_KEY: Role = 64;
/// The name of a cursor.
pub(super) const CURSOR_KEY: Role = 128;
/// An error that was made here.
pub(super) const MADE_ERROR: Role = 256;
/// The error of a call that reads a page.
pub(super) const ERROR: Role = 512;
/// An object that is made here, such as a request.
pub(super) const OWN: Role = 1024;
/// An object that holds a flag.
pub(super) const HOLDS_FLAG: Role = 2048;
/// An object that holds a cursor.
pub(super) const HOLDS_CURSOR: Role = 4096;
/// An object that also holds whether there was a flag of the right type.
pub(super) const KNOWS_FLAG: Role = 8192;

/// The roles by which a condition or argument is about a page.
pub(super) const PAGING: Role = FLAG | CURSOR | FLAG_KNOWN | CURSOR_KNOWN | RAW_FLAG | RAW_CURSOR;
/// The roles for which a call is worth following.
pub(super) const FOLLOWED: Role = PAGING | FLAG_KEY | CURSOR_KEY;

/// What is known of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Val {
    /// Where it may be true, not empty, not null.
    pub yes: Worlds,
    /// Where it may be false, empty, null.
    pub no: Worlds,
    /// What it is about.
    pub role: Role,
    /// Where a flag was read.
    pub read: Option<Span>,
    /// The function that it is.
    pub function: Option<FunctionId>,
    /// Its parts, if it is several values.
    pub parts: Option<Rc<Vec<Val>>>,
    /// Its fields that are about a page, if it is an object that was made here.
    pub fields: Option<Rc<Vec<(Name, Val)>>>,
}

impl Val {
    /// A value about a page.
    pub fn new(role: Role, yes: Worlds, no: Worlds) -> Self {
        Val { yes, no, role, read: None, function: None, parts: None, fields: None }
    }

    /// Anything.
    pub fn unknown() -> Self {
        Val::new(0, ALL, ALL)
    }

    /// What no path gives.
    pub fn nothing() -> Self {
        Val::new(0, 0, 0)
    }

    /// A constant.
    pub fn constant(truth: bool) -> Self {
        match truth {
            true => Val::new(0, ALL, 0),
            false => Val::new(0, 0, ALL),
        }
    }

    /// Several values.
    pub fn several(parts: Vec<Val>) -> Self {
        Val { parts: Some(Rc::new(parts)), ..Val::unknown() }
    }

    /// The opposite.
    pub fn not(mut self) -> Self {
        std::mem::swap(&mut self.yes, &mut self.no);
        self
    }

    /// The `n`th part.
    pub fn part(&self, n: usize) -> Val {
        match &self.parts {
            Some(parts) => parts.get(n).cloned().unwrap_or_else(Val::unknown),
            None if n == 0 && self.role != 0 => self.clone(),
            None => Val::unknown(),
        }
    }

    /// One of its fields.
    pub fn field(&self, name: &Name) -> Option<&Val> {
        self.fields.as_ref()?.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Whether no path gives it.
    fn is_nothing(&self) -> bool {
        self.yes | self.no == 0
    }

    /// What the fields of two values say together, where both have them.
    fn joined_fields(
        &self,
        here: Worlds,
        other: &Val,
        there: Worlds,
    ) -> Option<Rc<Vec<(Name, Val)>>> {
        let within = |of: &Val, worlds: Worlds| {
            let fields = of.fields.as_ref()?.iter();
            let fields = fields.map(|(name, v)| (name.clone(), v.join(worlds, &Val::nothing(), 0)));
            Some(Rc::new(fields.collect()))
        };
        if self.is_nothing() || here == 0 {
            return within(other, there);
        }
        if other.is_nothing() || there == 0 {
            return within(self, here);
        }
        let both = self.fields.as_ref()?.iter().filter_map(|(name, a)| {
            other.field(name).map(|b| (name.clone(), a.join(here, b, there)))
        });
        let both: Vec<(Name, Val)> = both.collect();
        (!both.is_empty()).then(|| Rc::new(both))
    }

    /// Whether it is about a page.
    pub fn is(&self, role: Role) -> bool {
        self.role & role != 0
    }

    /// `self` where the first set holds, `other` where the second does.
    pub fn join(&self, here: Worlds, other: &Val, there: Worlds) -> Val {
        let parts = match (&self.parts, &other.parts) {
            (Some(a), Some(b)) if a.len() == b.len() => {
                let joined = a.iter().zip(b.iter()).map(|(a, b)| a.join(here, b, there));
                Some(Rc::new(joined.collect()))
            }
            _ => None,
        };
        Val {
            yes: self.yes & here | other.yes & there,
            no: self.no & here | other.no & there,
            role: self.role | other.role,
            read: self.read.or(other.read),
            function: self.function.filter(|f| other.function == Some(*f)),
            parts,
            fields: self.joined_fields(here, other, there),
        }
    }

    /// Where a flag, or its opposite, says "last page" although the page is not known to be it.
    pub fn says_last(&self) -> Worlds {
        let (more, last) = (MORE & USABLE & RUNNING, LAST & EMPTY & RUNNING);
        let only = |yes: Worlds, no: Worlds, at: Worlds| yes & at == at && no & at == 0;
        let lost = STUCK | ILL_FLAG;
        if !self.is(FLAG) {
            0
        } else if only(self.yes, self.no, more) && only(self.no, self.yes, last) {
            self.no & !self.yes & lost
        } else if only(self.no, self.yes, more) && only(self.yes, self.no, last) {
            self.yes & !self.no & lost
        } else {
            0
        }
    }
}

/// Where control can be, and what its variables hold there.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// The states of the page in which control gets here.
    pub reach: Worlds,
    /// The states in which it is the paging fields alone that lead here.
    pub forced: Worlds,
    /// The states in which an error was made on the way.
    pub failed: Worlds,
    /// The condition that led here.
    pub because: Option<Span>,
    /// The local variables.
    pub slots: Vec<Val>,
}

impl State {
    /// The same place without anything that leads to it.
    pub fn dead(&self) -> State {
        State { reach: 0, forced: 0, ..self.clone() }
    }

    /// The states in which the page, and not something else, is why control is here.
    pub fn by_page(&self) -> Worlds {
        match self.reach & SOUND {
            0 => self.reach,
            _ => self.forced & self.reach,
        }
    }

    /// Where two ways meet.
    pub fn meet(self, other: State) -> State {
        if self.reach == 0 {
            return other;
        }
        if other.reach == 0 {
            return self;
        }
        let (a, b) = (self.reach, other.reach);
        let slots = self.slots.iter().zip(&other.slots).map(|(x, y)| match x == y {
            true => x.clone(),
            false => x.join(a, y, b),
        });
        State {
            reach: a | b,
            forced: 0,
            failed: self.failed & a | other.failed & b,
            because: None,
            slots: slots.collect(),
        }
    }
}
