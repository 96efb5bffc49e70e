//! By which names a call may be written in a pack: as the source has it, by the type of its
//! receiver, and as the function that it reaches.
//!
//! Knows no pack word itself.

use super::session::Session;
use super::value::{Node, V};
use crate::ir::{Name, Type, Value, ValueKind};

/// How a call is written and resolved, for comparison with a pack's names.
#[derive(Clone, Debug, Default)]
pub struct CallNames {
    /// Chains of names, each ending in the called name.
    pub chains: Vec<Vec<Name>>,
}

impl CallNames {
    /// The name of a type as a call.
    pub fn of_type(ty: &Type) -> CallNames {
        match ty {
            Type::Named(Some(q), name) => CallNames { chains: vec![vec![q.clone(), name.clone()]] },
            Type::Named(None, name) => CallNames { chains: vec![vec![name.clone()]] },
            _ => CallNames::default(),
        }
    }

    /// Whether some chain ends with the dotted pattern, in which `*` is any receiver; a pattern
    /// of one name asks for a call without a receiver.
    pub fn matches(&self, pattern: &str) -> bool {
        let parts: Vec<&str> = pattern.split('.').collect();
        self.chains.iter().any(|chain| {
            chain.len() >= parts.len()
                && (parts.len() > 1 || chain.len() == 1)
                && chain
                    .iter()
                    .rev()
                    .zip(parts.iter().rev())
                    .enumerate()
                    .all(|(i, (a, b))| a == b || (i > 0 && *b == "*"))
        })
    }

    /// The called name.
    pub fn last(&self) -> Option<&Name> {
        self.chains.first().and_then(|c| c.last())
    }
}

impl<'p> Session<'p> {
    /// How a call is named, if a pack may have something to say of it.
    pub(super) fn interesting_names(
        &mut self,
        callee: &'p Value,
        base: Option<V>,
        function: Option<V>,
    ) -> Option<CallNames> {
        let last = match &callee.kind {
            ValueKind::Member(_, name, _) | ValueKind::Global(name) => name.clone(),
            ValueKind::Local(_) => match function.map(|f| self.store.values.node(f).clone()) {
                Some(Node::Function(id, ..)) => self.function(id).name.clone(),
                _ => return None,
            },
            _ => return None,
        };
        if !self.relevance.is_pack_call(&last) {
            return None;
        }
        let mut chains = vec![self.written_chain(callee)];
        if let Some(base) = base {
            if let Some((_, Type::Named(_, ty))) = self.type_of(base) {
                chains.push(vec![ty, last.clone()]);
            }
            for (_, leaf) in self.store.values.leaves(base, self.pc) {
                chains.extend(self.unit_chains(leaf, &last));
            }
        }
        if let Some(Node::Function(id, ..)) = function.map(|f| self.store.values.node(f).clone()) {
            let f = self.function(id);
            match &f.owner {
                Some(owner) => chains.push(vec![owner.clone(), f.name.clone()]),
                None => {
                    if let Some(package) = &self.index.head(id.module).name {
                        chains.push(vec![package.clone(), f.name.clone()]);
                    }
                }
            }
        }
        Some(CallNames { chains })
    }

    fn written_chain(&self, callee: &Value) -> Vec<Name> {
        let mut chain = Vec::new();
        let mut at = callee;
        loop {
            match &at.kind {
                ValueKind::Member(base, name, _) => {
                    chain.push(name.clone());
                    at = base;
                }
                ValueKind::Global(name) => {
                    chain.push(self.import_name(name).unwrap_or_else(|| name.clone()));
                    break;
                }
                ValueKind::Local(local) => {
                    if let Some(name) = self.slot_name(local.up, local.slot) {
                        chain.push(name);
                    }
                    break;
                }
                ValueKind::Await(inner) | ValueKind::Assert(inner, _) => at = inner,
                ValueKind::Call { callee, .. } => at = callee,
                _ => break,
            }
        }
        chain.reverse();
        chain
    }

    /// The last element of an import's path, which a pack's names go by.
    fn import_name(&self, local: &Name) -> Option<Name> {
        let (_, import) = self.index.import_named(self.running().module, local)?;
        if import.item.is_some() {
            return import.item.clone();
        }
        let target = import.targets.first()?;
        let last = target.rsplit('/').next().unwrap_or(target);
        Some(Name::new(last.split('.').next().unwrap_or(last)))
    }

    pub(super) fn slot_name(&self, up: u8, slot: u16) -> Option<Name> {
        let mut frame = &self.frames[self.frame as usize];
        for _ in 0..up {
            frame = &self.frames[frame.outer? as usize];
        }
        self.index.function_at(frame.function)?.slot_names.get(slot as usize).cloned()
    }

    fn unit_chains(&self, base: V, last: &Name) -> Vec<Vec<Name>> {
        match self.store.values.node(base) {
            Node::Unit(unit) => {
                let Some(m) = self.index.modules_of(*unit).first() else { return Vec::new() };
                let module = self.index.head(*m);
                let tail = module.unit.rsplit('/').next().unwrap_or(&module.unit);
                let stem = Name::new(tail.split('.').next().unwrap_or(tail));
                let mut chains = vec![vec![stem, last.clone()]];
                if let Some(name) = &module.name {
                    chains.push(vec![name.clone(), last.clone()]);
                }
                chains
            }
            _ => Vec::new(),
        }
    }
}
