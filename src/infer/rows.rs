//! How lists relate: which is a part of which, and what bounds it.

use super::atom::Atom;
use super::formula::F;
use super::session::Session;
use super::value::{ListId, Node, Op, Origin, V};

impl<'p> Session<'p> {
    fn list_id(&self, v: V) -> Option<ListId> {
        match self.store.values.node(v) {
            Node::List(id) => Some(*id),
            _ => None,
        }
    }

    /// Whether nothing cuts a list: no cap, no slice, nor anything cut that it is made of.
    pub fn list_is_whole(&self, v: V) -> bool {
        self.limit_of(v, 0).is_none()
    }

    /// What limits a list: a cap it is filled under, a slice by a bound, or the limit of the
    /// list whose elements it holds. Gives the bound's place.
    pub fn limit_of(&self, v: V, depth: u8) -> Option<crate::text::Span> {
        let id = self.list_id(v)?;
        if depth > 6 {
            return None;
        }
        let list = self.store.list(id);
        if let Some(cap) = list.caps.first() {
            return Some(cap.span);
        }
        if let Some((of, span)) = list.cut {
            if self.cuts(span) {
                return Some(span);
            }
            return self.limit_of(of, depth + 1);
        }
        if let Some(limit) = list.base.and_then(|b| self.limit_of(b, depth + 1)) {
            return Some(limit);
        }
        list.fills
            .iter()
            .find_map(|(_, _, v)| self.source_list(*v).and_then(|s| self.limit_of(s, depth + 1)))
    }

    /// Whether the slice at a place is bounded by a window parameter or a constant above one.
    fn cuts(&self, at: crate::text::Span) -> bool {
        self.seen.slices.iter().filter(|(_, _, span)| *span == at).any(|(_, bounds, _)| {
            bounds.iter().any(|b| {
                self.store.values.as_int(*b).is_some_and(|n| n > 1)
                    || self.store.values.mentions(*b, &|x, node| {
                        self.window_of(x).is_some()
                            || matches!(node, Node::Int(n) if *n > 1)
                            || matches!(node, Node::Symbol(_)
                                if matches!(self.store.values.symbol_of(x).map(|s| &s.origin), Some(Origin::Param(_))))
                    })
            })
        })
    }

    /// The list that an element comes from.
    pub fn source_list(&self, element: V) -> Option<V> {
        let mut stack = vec![element];
        for _ in 0..64 {
            let at = stack.pop()?;
            match self.store.values.node(at) {
                Node::Symbol(_) => {
                    if let Some(Origin::Item(of) | Origin::Key(of)) =
                        self.store.values.symbol_of(at).map(|s| &s.origin)
                    {
                        return Some(*of);
                    }
                }
                Node::Op(Op::Field, parts) => stack.push(parts[0]),
                Node::Choice(_, a, b) => stack.extend([*a, *b]),
                _ => {}
            }
        }
        None
    }

    /// Whether `part` holds elements of `whole`: a slice, a filtered list, or one filled from it.
    pub fn is_part_of(&self, part: V, whole: V) -> bool {
        let mut at = part;
        for _ in 0..8 {
            let Some(id) = self.list_id(at) else { return false };
            let list = self.store.list(id);
            let next = list
                .cut
                .map(|(of, _)| of)
                .or(list.base)
                .or_else(|| list.fills.iter().find_map(|(_, _, v)| self.source_list(*v)));
            match next {
                Some(of) if of == whole => return true,
                Some(of) if self.store.values.mentions(of, &|x, _| x == whole) => return true,
                Some(of) => at = of,
                None => return false,
            }
        }
        false
    }

    /// Whether a list is filled from another under a condition about its elements, so that it
    /// holds other rows than that one.
    pub fn filters(&self, part: V, whole: V) -> bool {
        let mut at = part;
        for _ in 0..8 {
            let Some(id) = self.list_id(at) else { return false };
            let list = self.store.list(id);
            if let Some((of, _)) = list.cut {
                at = of;
                continue;
            }
            if let (true, Some(of)) = (list.filtered, list.base) {
                return of == whole || self.is_part_of(of, whole);
            }
            let Some((guard, first, source)) =
                list.fills.iter().find_map(|(g, a, v)| self.source_list(*v).map(|s| (*g, *a, s)))
            else {
                return false;
            };
            if self.asks_of_elements(guard, first)
                && (source == whole || self.is_part_of(source, whole))
            {
                return true;
            }
            at = source;
        }
        false
    }

    /// Whether a condition inside a round asks anything but counts and bounds.
    fn asks_of_elements(&self, guard: F, first_atom: u32) -> bool {
        self.store.values.forms.support_since(guard, first_atom).into_iter().any(|a| {
            let counts = |v: V| {
                self.store.values.mentions(v, &|x, node| {
                    matches!(node, Node::Op(Op::Size, parts) if matches!(self.store.values.node(parts[0]), Node::List(_) | Node::Object(_)))
                        || matches!(
                            self.store.values.symbol_of(x).map(|s| &s.origin),
                            Some(Origin::Round | Origin::Counter(_) | Origin::Carried(_))
                        )
                })
            };
            match self.store.values.atom_meaning(a) {
                Atom::Less(x, y) | Atom::Equal(x, y) => !counts(*x) && !counts(*y),
                Atom::AtLeast(x, _) => !counts(*x),
                Atom::Free(_) | Atom::Once(..) | Atom::Either(..) => false,
                Atom::Truthy(x) | Atom::Null(x) => !counts(*x),
                Atom::IsText(..) | Atom::Has(..) => true,
                Atom::IsType(..) => false,
            }
        })
    }
}

impl<'p> Session<'p> {
    /// Whether the rows of a list are chosen by one of these parameters.
    pub fn window_touches(&self, list: V, windows: &[V]) -> bool {
        let mut at = list;
        for _ in 0..8 {
            let Some(id) = self.list_id(at) else { return false };
            let known = self.store.list(id);
            let asks = |f: F| {
                self.store.values.forms.support(f).into_iter().any(|a| {
                    match self.store.values.atom_meaning(a) {
                        Atom::Less(x, y) | Atom::Equal(x, y) => [x, y]
                            .iter()
                            .any(|v| self.store.values.mentions(**v, &|w, _| windows.contains(&w))),
                        _ => false,
                    }
                })
            };
            if known.fills.iter().any(|(f, _, _)| asks(*f)) {
                return true;
            }
            if let Some((of, span)) = known.cut {
                let bounded =
                    self.seen.slices.iter().filter(|(_, _, s)| *s == span).any(|(_, bounds, _)| {
                        bounds
                            .iter()
                            .any(|b| self.store.values.mentions(*b, &|w, _| windows.contains(&w)))
                    });
                if bounded {
                    return true;
                }
                at = of;
                continue;
            }
            match known.base {
                Some(of) => at = of,
                None => return false,
            }
        }
        false
    }
}

/// The lists among an object's values.
pub fn rows_of(session: &mut Session<'_>, presences: &[(V, F, V)]) -> Vec<V> {
    let mut rows: Vec<V> = Vec::new();
    for (_, list) in rows_when(session, presences) {
        if !rows.contains(&list) {
            rows.push(list);
        }
    }
    rows
}

/// The lists that a page holds, each with the condition under which it is that one.
pub fn rows_when(session: &mut Session<'_>, presences: &[(V, F, V)]) -> Vec<(F, V)> {
    let mut rows = Vec::new();
    for (_, presence, value) in presences {
        for (guard, leaf) in session.store.values.leaves(*value, *presence) {
            let mut lists = Vec::new();
            collect_lists(session, leaf, &mut lists, 0);
            rows.extend(lists.into_iter().map(|list| (guard, list)));
        }
    }
    rows
}

/// Lists inside a value: itself, or what text or wrapper is made of it.
fn collect_lists(session: &mut Session<'_>, v: V, rows: &mut Vec<V>, depth: u8) {
    if depth > 4 {
        return;
    }
    match session.store.values.node(v).clone() {
        Node::List(_) if !rows.contains(&v) => {
            rows.push(v);
        }
        Node::Op(Op::Encode | Op::Other | Op::Text, parts) => {
            for part in parts.iter() {
                for (_, leaf) in session.store.values.leaves(*part, F::TRUE) {
                    collect_lists(session, leaf, rows, depth + 1);
                }
            }
        }
        _ => {}
    }
}
