//! Where the parts of a file stand, so that an edit moves nothing but what it touches.
//!
//! A file is cut at its declarations. Each piece is placed with room behind it; as long as its
//! text is the same, it keeps its place in later versions of the file, whatever is written above
//! it. Places keep the order of the text, so that what compares them sees what it would see in the
//! text itself. Knows no language and no finding.

use std::hash::BuildHasher;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::ir::{ranges, FunctionKind, Module, Range};
use crate::text::{FileId, Span};

/// A file with its parts at their places.
#[derive(Clone, Debug)]
pub struct Placed {
    layout: Arc<Layout>,
    /// What it says, at its places.
    pub module: Arc<Module>,
}

impl Placed {
    /// Places what a text was lowered to; `before` is the version of the file that was placed last.
    pub fn new(text: &Arc<str>, mut module: Module, before: Option<&Placed>) -> Placed {
        let layout = Layout::new(text, &module, before.map(|before| &*before.layout));
        layout.place(&mut module);
        Placed { layout: Arc::new(layout), module: Arc::new(module) }
    }
}

/// The layouts of files; where a file has none its text is its place.
#[derive(Debug, Default)]
pub struct Layouts {
    by_file: FxHashMap<FileId, Arc<Layout>>,
}

impl Layouts {
    /// Notes how a file is laid out.
    pub fn add(&mut self, file: FileId, placed: &Placed) {
        self.by_file.insert(file, placed.layout.clone());
    }

    /// The bytes that a span stands for.
    pub fn real(&self, span: Span) -> Span {
        self.by_file.get(&span.file).map_or(span, |layout| layout.real(span))
    }
}

/// Least room that is left behind a piece, in bytes.
const ROOM: u32 = 64;

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    /// Its first byte in the text.
    start: u32,
    /// Its length in bytes.
    length: u32,
    /// Its first byte as placed.
    place: u32,
}

impl Piece {
    fn end(&self) -> u32 {
        self.start + self.length
    }

    fn placed_end(&self) -> u32 {
        self.place + self.length
    }
}

/// The places of one version of a file.
#[derive(Clone, Debug)]
struct Layout {
    text: Arc<str>,
    /// In the order of the text, without gaps there; never empty.
    pieces: Vec<Piece>,
}

impl Layout {
    /// The layout of a file's text and what it was lowered to; keeps the places of the version
    /// `before`, as far as its pieces are still there.
    fn new(text: &Arc<str>, module: &Module, before: Option<&Layout>) -> Layout {
        let mut pieces = pieces(text.len() as u32, module);
        let kept = before.is_some_and(|before| before.place_again(text, &mut pieces));
        if !kept {
            place_anew(&mut pieces);
        }
        Layout { text: text.clone(), pieces }
    }

    /// Moves a module of this text to its places.
    fn place(&self, module: &mut Module) {
        ranges::each_range(module, |range| *range = self.placed(*range));
    }

    /// The bytes of the text that a placed span stands for.
    fn real(&self, span: Span) -> Span {
        let real = |at: u32| {
            let after = self.pieces.partition_point(|piece| piece.place <= at);
            let piece = &self.pieces[after.saturating_sub(1)];
            piece.start + at.saturating_sub(piece.place).min(piece.length)
        };
        Span { start: real(span.start), end: real(span.end), ..span }
    }

    fn placed(&self, range: Range) -> Range {
        let start = self.place_of(range.start, |piece| piece.start <= range.start);
        if range.end <= range.start {
            return Range { start, end: start };
        }
        // What ends where a piece begins belongs to the one before.
        Range { start, end: self.place_of(range.end, |piece| piece.start < range.end) }
    }

    fn place_of(&self, at: u32, before: impl Fn(&Piece) -> bool) -> u32 {
        let after = self.pieces.partition_point(before);
        let piece = &self.pieces[after.saturating_sub(1)];
        piece.place + (at - piece.start).min(piece.length)
    }

    fn text_of(&self, piece: &Piece) -> &[u8] {
        bytes(&self.text, piece)
    }

    /// Gives the pieces of a later text their places. Gives whether all found room.
    fn place_again(&self, text: &str, pieces: &mut [Piece]) -> bool {
        let matched = self.matches(text, pieces);
        let mut free = 0;
        let mut at = 0;
        let (mut old, mut fits) = (0, true);
        for (new, known) in matched.into_iter().chain([(pieces.len(), self.pieces.len())]) {
            let limit = self.pieces.get(known).map_or(u32::MAX, |piece| piece.place);
            fits &= fill(&mut pieces[at..new], &self.pieces[old..known], free, limit);
            if let (Some(piece), Some(known)) = (pieces.get_mut(new), self.pieces.get(known)) {
                piece.place = known.place;
                free = piece.placed_end() + 1;
            }
            (at, old) = (new + 1, known + 1);
        }
        fits
    }

    /// Pieces that are still there, in order: the new index and the old one.
    fn matches(&self, text: &str, pieces: &[Piece]) -> Vec<(usize, usize)> {
        let same = |(new, old): (&Piece, &Piece)| bytes(text, new) == self.text_of(old);
        let head = pieces.iter().zip(&self.pieces).take_while(|pair| same(*pair)).count();
        let (new, old) = (&pieces[head..], &self.pieces[head..]);
        let tail = new.iter().rev().zip(old.iter().rev()).take_while(|pair| same(*pair)).count();
        let (new, old) = (&new[..new.len() - tail], &old[..old.len() - tail]);
        let hash = |bytes: &[u8]| FxBuildHasher.hash_one(bytes);
        // What stands in one place before and in one place now; most white space does not.
        let mut places: FxHashMap<u64, (Vec<usize>, Vec<usize>)> = FxHashMap::default();
        for (i, piece) in new.iter().enumerate() {
            places.entry(hash(bytes(text, piece))).or_default().0.push(i);
        }
        for (i, piece) in old.iter().enumerate() {
            places.entry(hash(self.text_of(piece))).or_default().1.push(i);
        }
        let mut once: Vec<(usize, usize)> = places
            .into_values()
            .filter_map(|(new, old)| match (new.as_slice(), old.as_slice()) {
                ([new], [old]) => Some((*new, *old)),
                _ => None,
            })
            .filter(|(n, o)| same((&new[*n], &old[*o])))
            .collect();
        once.sort_unstable();
        let heads = (0..head).map(|i| (i, i));
        let middle = rising(&once).into_iter().map(|(n, o)| (head + n, head + o));
        let tails = (0..tail).rev().map(|i| (pieces.len() - 1 - i, self.pieces.len() - 1 - i));
        heads.chain(middle).chain(tails).collect()
    }
}

fn bytes<'t>(text: &'t str, piece: &Piece) -> &'t [u8] {
    text.as_bytes().get(piece.start as usize..piece.end() as usize).unwrap_or(&[])
}

/// Cuts a text where declarations begin and end.
fn pieces(length: u32, module: &Module) -> Vec<Piece> {
    let outer = module.functions.iter().filter(|f| f.parent.is_none());
    // Code of file scope is cut at its statements.
    let inits = module.functions.iter().filter(|f| f.kind == FunctionKind::Init);
    let statements = inits.flat_map(|f| &f.body).map(|statement| statement.range);
    let globals = module.globals.iter().map(|global| global.range);
    let declarations = outer.map(|f| f.range).chain(globals).chain(statements);
    let mut cuts: Vec<u32> = declarations.flat_map(|r| [r.start, r.end]).collect();
    cuts.extend([0, length]);
    cuts.retain(|cut| *cut <= length);
    cuts.sort_unstable();
    cuts.dedup();
    if cuts.len() == 1 {
        return vec![Piece { start: 0, length: 0, place: 0 }];
    }
    let piece = |ends: &[u32]| Piece { start: ends[0], length: ends[1] - ends[0], place: 0 };
    cuts.windows(2).map(piece).collect()
}

/// Places all pieces with room to grow.
fn place_anew(pieces: &mut [Piece]) {
    let mut free = 0u32;
    for piece in pieces {
        piece.place = free;
        free = piece.placed_end() + ROOM + piece.length / 2;
    }
}

/// Places pieces between two that stay: each where its predecessor was where that fits, else with
/// the same room behind each. Gives whether they fit at all.
fn fill(new: &mut [Piece], old: &[Piece], free: u32, limit: u32) -> bool {
    if new.len() == old.len() {
        let ends = old.iter().skip(1).map(|piece| piece.place).chain([limit]);
        let mut slots = new.iter().zip(old).zip(ends);
        if slots.all(|((new, old), end)| old.place + new.length < end) {
            new.iter_mut().zip(old).for_each(|(new, old)| new.place = old.place);
            return true;
        }
    }
    let needed: u32 = new.iter().map(|piece| piece.length + 1).sum();
    let Some(left) = limit.checked_sub(free).and_then(|all| all.checked_sub(needed)) else {
        return new.is_empty();
    };
    let room = (left / (new.len() as u32 + 1)).min(ROOM * 16);
    let mut at = free + room;
    for piece in new {
        piece.place = at;
        at = piece.placed_end() + 1 + room;
    }
    true
}

/// A longest part of some pairs, ordered by their first, in which the second rise too.
fn rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length the pair that ends a rising part of it with the least second.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for (i, (_, second)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *second);
        before[i] = length.checked_sub(1).map(|shorter| ends[shorter]);
        match ends.get_mut(length) {
            Some(end) => *end = i,
            None => ends.push(i),
        }
    }
    let mut found = Vec::new();
    let mut at = ends.last().copied();
    while let Some(i) = at {
        found.push(pairs[i]);
        at = before[i];
    }
    found.reverse();
    found
}
