//! Texts put together from lists of parts, each part under its own condition.
//!
//! Knows no pack word.

use super::formula::F;
use super::session::Session;
use super::value::{Node, Op, V};

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
}
