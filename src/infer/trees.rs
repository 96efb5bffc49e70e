//! Names commands by where they hang in a tree: their own first word after those of all above.
//!
//! Only for commands that no declaration names; judges nothing.

use rustc_hash::{FxHashMap, FxHashSet};

use super::commands::{at_path, handlers_in, stage_set_on, Declared, Handler};
use super::formula::F;
use super::session::Session;
use super::store::Site;
use super::value::{Node, ObjectId, V};
use crate::ir::{Name, Type};
use crate::pack::CommandTree;

/// Most commands above one.
const MAX_DEPTH: usize = 12;

/// What calls said of commands in trees.
#[derive(Debug, Default)]
pub struct Grown {
    /// The command above each.
    above: FxHashMap<ObjectId, ObjectId>,
    /// Those that are the program itself, whose word a user types to start it.
    programs: FxHashSet<ObjectId>,
}

impl<'p> Session<'p> {
    /// Notes a call that hangs commands below another, or that runs one as the program.
    pub(super) fn note_tree(&mut self, base: V, name: &Name, args: &[V]) {
        let fits = |calls: &[String]| calls.iter().any(|call| call == name.as_str());
        let trees = &self.pack.command_trees;
        let (adds, runs) =
            (trees.iter().any(|t| fits(&t.add)), trees.iter().any(|t| fits(&t.program)));
        if !adds && !runs {
            return;
        }
        let Some(above) = self.store.body(base) else { return };
        let kind = self.store.object(above).ty.as_ref().and_then(|(_, ty)| tree_of(self, ty));
        if runs && kind.is_some_and(|tree| fits(&tree.program)) {
            self.seen.grown.programs.insert(above);
        }
        for v in args.iter().filter(|_| adds) {
            self.hang(above, *v);
        }
    }

    /// Hangs a command, or each of a list, below another.
    fn hang(&mut self, above: ObjectId, v: V) {
        let mut below = vec![v];
        while let Some(v) = below.pop() {
            if let Node::List(id) = *self.store.values.node(v) {
                below.extend(self.store.list(id).elements.iter().map(|(_, element)| *element));
                continue;
            }
            for (_, leaf) in self.store.values.leaves(v, F::TRUE) {
                if let Some(id) = self.store.body(leaf).filter(|id| *id != above) {
                    self.seen.grown.above.entry(id).or_insert(above);
                }
            }
        }
    }
}

/// Hangs what the fields of commands list.
fn hang_listed(session: &mut Session<'_>) {
    let trees = || session.pack.command_trees.iter().filter(|tree| !tree.below.is_empty());
    let lists = |ty: &Type| {
        let root = |tree: &CommandTree| tree.root.as_ref().is_some_and(|root| is_type(ty, root));
        trees().any(|tree| root(tree) || is_type(ty, &tree.type_name))
    };
    let structs = session.seen.structs.iter().filter(|(_, ty, _)| lists(ty));
    for (v, ty, _) in structs.cloned().collect::<Vec<_>>() {
        let mut trees = session.pack.command_trees.iter();
        let root = trees.find(|t| t.root.as_ref().is_some_and(|root| is_type(&ty, root)));
        let Some(tree) = root.or_else(|| tree_of(session, &ty)) else { continue };
        let Some(id) = session.store.body(v) else { continue };
        if root.is_some() {
            session.seen.grown.programs.insert(id);
        }
        for field in &tree.below {
            let listed = at_path(session, v, field);
            session.hang(id, listed);
        }
    }
}

/// Adds the commands of trees that nothing else named.
pub fn add(session: &mut Session<'_>, found: &mut Vec<(Declared, Vec<Handler>)>) {
    hang_listed(session);
    if session.seen.grown.above.is_empty() {
        return;
    }
    let named: FxHashSet<ObjectId> = {
        let attached = session.seen.metadata.iter();
        attached.filter_map(|(command, ..)| session.store.body(*command)).collect()
    };
    for (v, ty, site) in session.seen.structs.clone() {
        let Some(tree) = tree_of(session, &ty) else { continue };
        let Some(id) = session.store.body(v) else { continue };
        if named.contains(&id) || !session.seen.grown.above.contains_key(&id) {
            continue;
        }
        let Some(name) = name(session, tree, id) else { continue };
        let declared = plain(session, v, name, site);
        let mut handlers = handlers_in(session, tree.run.iter(), v, v, &declared);
        let works = |handler: &Handler| {
            session.relevance_of(handler.function).worth_running(handler.function)
        };
        // A group runs its help, a hint prints where to go: no command of the ledger.
        handlers.retain(works);
        if !handlers.is_empty() {
            found.push((declared, handlers));
        }
    }
}

fn tree_of<'p>(session: &Session<'p>, ty: &Type) -> Option<&'p CommandTree> {
    session.pack.command_trees.iter().find(|tree| is_type(ty, &tree.type_name))
}

/// Whether a type goes by a name, with its package where the name says one.
fn is_type(ty: &Type, wanted: &str) -> bool {
    let Type::Named(package, name) = ty else { return false };
    match wanted.rsplit_once('.') {
        Some((of, last)) => {
            last == name.as_str()
                && package.as_ref().is_some_and(|p| p.rsplit('/').next() == Some(of))
        }
        None => wanted == name.as_str(),
    }
}

/// A command that says nothing of its pages.
fn plain(session: &mut Session<'_>, v: V, name: Name, site: Site) -> Declared {
    let stage = stage_set_on(session, v);
    Declared {
        name: Some(name),
        stage,
        span: site.span,
        named: site.span,
        pagination: None,
        result_pagination: None,
        told: Vec::new(),
        parameters: None,
        schemas: Vec::new(),
        whole: None,
    }
}

/// The first words of a command and all above it, but for the program's.
fn name(session: &mut Session<'_>, tree: &CommandTree, id: ObjectId) -> Option<Name> {
    let mut words = Vec::new();
    let mut at = Some(id);
    while let Some(id) = at.filter(|id| !session.seen.grown.programs.contains(id)) {
        let v = session.store.values.intern(Node::Object(id));
        let usage = at_path(session, v, &tree.name);
        let word = session.store.values.as_text(usage)?.split_whitespace().next()?.to_string();
        words.push(word);
        if words.len() > MAX_DEPTH {
            return None;
        }
        at = session.seen.grown.above.get(&id).copied();
    }
    words.reverse();
    (!words.is_empty()).then(|| Name::new(words.join(" ")))
}
