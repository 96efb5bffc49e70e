//! Texts put together from lists of parts, each part under its own condition, and taken apart to
//! such lists; what can be asked of texts that are known.
//!
//! Knows no pack word.

use super::arith::LONGEST_TEXT;
use super::atom::Atom;
use super::formula::F;
use super::schema::hole;
use super::session::Session;
use super::value::{Node, Op, V};
use crate::ir::{Builtin, Name, Range};

/// Most parts of a list whose every combination is told apart.
const MAX_PARTS: usize = 5;

impl<'p> Session<'p> {
    /// The elements of a list as one text.
    pub(super) fn joined(&mut self, list: V, separator: V) -> V {
        let Some(elements) = self.few_elements(list) else {
            return self.store.values.op(Op::Other, &[list, separator]);
        };
        let empty = self.store.values.text("");
        let mut text = empty;
        for (when, element) in elements {
            let mut longer = Vec::new();
            for (guard, so_far) in self.store.values.leaves(text, F::TRUE) {
                let next = match so_far == empty {
                    true => element,
                    false => self.join_text(&[so_far, separator, element]),
                };
                longer.push((guard, next));
            }
            let longer = self.store.values.join(&longer);
            text = self.store.values.choose(when, longer, text);
        }
        text
    }

    /// The elements of a list that holds nothing else, if they are few.
    fn few_elements(&self, list: V) -> Option<Vec<(F, V)>> {
        let Node::List(id) = self.store.values.node(list) else { return None };
        let list = self.store.list(*id);
        (!list.open && list.elements.len() <= MAX_PARTS).then(|| list.elements.clone())
    }

    /// A text split at a separator: its pieces, where both are known.
    pub(super) fn split(&mut self, text: V, separator: Option<V>, range: Range) -> V {
        let known = |v: V| self.store.values.as_text(v).cloned();
        let (Some(whole), Some(at)) = (known(text), separator.and_then(known)) else {
            return self.derived_list(text, range, false);
        };
        if at.is_empty() {
            return self.derived_list(text, range, false);
        }
        let pieces: Vec<(F, V)> =
            whole.split(at.as_str()).map(|p| (F::TRUE, self.store.values.text(p))).collect();
        let site = self.site(range);
        self.store.new_list(site, pieces, false)
    }

    /// The part of a list between two places, where all of that is known.
    pub(super) fn known_part(&mut self, list: V, bounds: &[V], range: Range) -> Option<V> {
        let elements = self.few_elements(list)?;
        if bounds.is_empty() || elements.iter().any(|(when, _)| *when != F::TRUE) {
            return None;
        }
        let place = |v: Option<&V>, open: usize| match v.map(|v| self.store.values.node(*v)) {
            None | Some(Node::Null) => Some(open),
            Some(Node::Int(n)) => usize::try_from(*n).ok(),
            Some(_) => None,
        };
        let (from, to) = (place(bounds.first(), 0)?, place(bounds.get(1), elements.len())?);
        let part = elements.get(from..to)?.to_vec();
        let site = self.site(range);
        Some(self.store.new_list(site, part, false))
    }

    /// Whether a text holds another.
    pub(super) fn text_holds(&mut self, text: V, part: V) -> F {
        let values = &mut self.store.values;
        match (values.as_text(text), values.as_text(part)) {
            (Some(text), Some(part)) => F::constant(text.contains(part.as_str())),
            _ => values.atom(Atom::Equal(text, part)),
        }
    }

    /// What a question about two texts gives; nothing is known of it unless both are.
    pub(super) fn text_test(&mut self, question: Builtin, text: V, other: Option<V>) -> V {
        let Some(other) = other else { return self.store.values.unknown() };
        let (pc, maybe) = (self.pc, self.store.values.free_atom());
        let f = self.store.values.test2(text, other, pc, |values, text, other| {
            let (Some(text), Some(other)) = (values.as_text(text), values.as_text(other)) else {
                return maybe;
            };
            F::constant(match question {
                Builtin::StartsWith => text.starts_with(other.as_str()),
                Builtin::EndsWith => text.ends_with(other.as_str()),
                _ => text.to_lowercase() == other.to_lowercase(),
            })
        });
        self.store.values.cond(f)
    }

    /// Text put together from parts.
    pub(super) fn join_text(&mut self, parts: &[V]) -> V {
        // A schema stays in its parts: each of them says where it stands.
        let whole = |t: &Name| parts.len() == 1 || !t.contains("properties");
        let texts = parts.iter().map(|p| self.store.values.as_text(*p).filter(|t| whole(t)));
        if let Some(texts) = texts.collect::<Option<Vec<&Name>>>() {
            if parts.len() > 1 && texts.iter().map(|t| t.len()).sum::<usize>() > LONGEST_TEXT {
                return self.store.values.unknown();
            }
            let text: String = texts.into_iter().map(|t| t.as_str()).collect();
            return self.store.values.text(&text);
        }
        self.store.values.sum_of(Op::Text, parts)
    }

    /// A template with its holes filled, where the template and all that goes in are known.
    pub(super) fn formatted(&mut self, parts: &[V]) -> V {
        self.holes_filled(parts).unwrap_or_else(|| self.join_text(parts))
    }

    fn holes_filled(&mut self, parts: &[V]) -> Option<V> {
        let (template, mut rest) = parts.split_first()?;
        let template = self.store.values.as_text(*template)?;
        // A schema stays in its parts: each of them says where it stands.
        if template.contains("properties") {
            return None;
        }
        let (mut text, mut from) = (String::new(), 0);
        while let Some((at, after)) = hole(template, from) {
            let (next, others) = rest.split_first()?;
            text.push_str(&template[from..at]);
            match (self.store.values.node(*next), &template[at..after]) {
                (Node::Text(part), "%q") => text.push_str(&format!("{part:?}")),
                (Node::Text(part), _) => text.push_str(part),
                (Node::Int(n), _) => text.push_str(&n.to_string()),
                _ => return None,
            }
            if text.len() > LONGEST_TEXT {
                return Some(self.store.values.unknown());
            }
            (from, rest) = (after, others);
        }
        text.push_str(&template[from..]);
        (from > 0 && rest.is_empty()).then(|| self.store.values.text(&text))
    }
}
