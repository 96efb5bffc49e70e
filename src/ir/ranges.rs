//! Every range of a module, and every mention of its functions by index, to be changed in place.
//!
//! Must not know why. Iterative: how deep an expression is nested is up to the input.

use super::{
    Arg, Arm, Block, Entry, EntryKey, Import, LoopKind, Module, Pattern, Range, Stmt, StmtKind,
    Value, ValueKind,
};

/// What is still to be visited.
enum Todo<'m> {
    Stmt(&'m mut Stmt),
    Value(&'m mut Value),
}

/// What is done with each of them.
trait Mover {
    fn range(&mut self, range: &mut Range);
    fn function(&mut self, index: &mut u32);
}

/// Changes only ranges.
struct Ranges<R>(R);

impl<R: FnMut(&mut Range)> Mover for Ranges<R> {
    fn range(&mut self, range: &mut Range) {
        (self.0)(range);
    }

    fn function(&mut self, _: &mut u32) {}
}

/// Moves everything by so many bytes and functions.
struct By {
    bytes: u32,
    functions: u32,
}

impl Mover for By {
    fn range(&mut self, range: &mut Range) {
        range.start += self.bytes;
        range.end += self.bytes;
    }

    fn function(&mut self, index: &mut u32) {
        *index += self.functions;
    }
}

/// Visits every range of a module once, comments included.
pub fn each_range(module: &mut Module, visit: impl FnMut(&mut Range)) {
    each(module, &mut Ranges(visit));
}

impl Module {
    /// Adds what stands so many bytes behind the beginning of the file.
    pub fn append(&mut self, mut part: Module, bytes: u32) {
        each(&mut part, &mut By { bytes, functions: self.functions.len() as u32 });
        for import in part.imports {
            let same = |i: &Import| {
                i.local == import.local && i.targets == import.targets && i.item == import.item
            };
            if !self.imports.iter().any(same) {
                self.imports.push(import);
            }
        }
        self.functions.append(&mut part.functions);
        self.types.append(&mut part.types);
        self.globals.append(&mut part.globals);
        self.reexports.append(&mut part.reexports);
        self.comments.append(&mut part.comments);
        self.global_name |= part.global_name;
        self.name = part.name.or(self.name.take());
        self.extends = part.extends.or(self.extends.take());
    }
}

fn each(module: &mut Module, visit: &mut impl Mover) {
    let Module { imports, functions, types, globals, comments, .. } = module;
    let mut values: Vec<&mut Value> = Vec::new();
    imports.iter_mut().for_each(|import| visit.range(&mut import.range));
    comments.iter_mut().for_each(|comment| visit.range(&mut comment.range));
    for ty in types {
        visit.range(&mut ty.range);
        for field in &mut ty.fields {
            visit.range(&mut field.range);
            visit.range(&mut field.wire_range);
            values.extend(&mut field.init);
        }
    }
    for global in globals {
        visit.range(&mut global.range);
        values.extend(&mut global.value);
    }
    let mut todo: Vec<Todo<'_>> = values.into_iter().map(Todo::Value).collect();
    for function in functions {
        visit.range(&mut function.range);
        function.parent.iter_mut().for_each(|parent| visit.function(parent));
        visit.range(&mut function.name_range);
        for param in &mut function.params {
            visit.range(&mut param.range);
            todo.extend(param.default.as_mut().map(Todo::Value));
        }
        todo.extend(function.body.iter_mut().map(Todo::Stmt));
    }
    while let Some(next) = todo.pop() {
        match next {
            Todo::Stmt(stmt) => in_stmt(stmt, &mut todo, visit),
            Todo::Value(value) => in_value(value, &mut todo, visit),
        }
    }
}

fn in_stmt<'m>(stmt: &'m mut Stmt, todo: &mut Vec<Todo<'m>>, visit: &mut impl Mover) {
    visit.range(&mut stmt.range);
    let blocks: [Option<&mut Block>; 3] = match &mut stmt.kind {
        StmtKind::Assign { targets, value, .. } => {
            todo.extend(targets.iter_mut().map(Todo::Value));
            todo.push(Todo::Value(value));
            [None, None, None]
        }
        StmtKind::If { condition, then, otherwise } => {
            todo.push(Todo::Value(condition));
            [Some(then), Some(otherwise), None]
        }
        StmtKind::Loop { kind, body, post } => {
            match kind {
                LoopKind::While(condition) => todo.extend(condition.as_mut().map(Todo::Value)),
                LoopKind::Each { key, value, over, .. } => {
                    let places = key.as_mut().into_iter().chain(value.as_mut());
                    todo.extend(places.chain([over]).map(|value| Todo::Value(value)));
                }
            }
            [Some(body), Some(post), None]
        }
        StmtKind::Switch { subject, arms } => {
            todo.extend(subject.as_mut().map(Todo::Value));
            arms.iter_mut().for_each(|arm| in_arm(arm, todo, visit));
            [None, None, None]
        }
        StmtKind::Return(values) => {
            todo.extend(values.iter_mut().map(Todo::Value));
            [None, None, None]
        }
        StmtKind::Eval(value) | StmtKind::Defer(value) | StmtKind::Throw(value) => {
            todo.push(Todo::Value(value));
            [None, None, None]
        }
        StmtKind::Try { body, handler, finally, .. } => [Some(body), Some(handler), Some(finally)],
        StmtKind::Opaque(values, blocks) => {
            todo.extend(values.iter_mut().map(Todo::Value));
            todo.extend(blocks.iter_mut().flatten().map(Todo::Stmt));
            [None, None, None]
        }
        StmtKind::Break(_) | StmtKind::Continue(_) => [None, None, None],
    };
    todo.extend(blocks.into_iter().flatten().flatten().map(Todo::Stmt));
}

fn in_arm<'m>(arm: &'m mut Arm, todo: &mut Vec<Todo<'m>>, visit: &mut impl Mover) {
    visit.range(&mut arm.range);
    for pattern in &mut arm.patterns {
        match pattern {
            Pattern::Value(value) => todo.push(Todo::Value(value)),
            Pattern::Type(..) | Pattern::Any(_) | Pattern::Opaque => {}
        }
    }
    todo.extend(arm.guard.as_mut().map(Todo::Value));
    todo.extend(arm.body.iter_mut().map(Todo::Stmt));
}

fn in_value<'m>(value: &'m mut Value, todo: &mut Vec<Todo<'m>>, visit: &mut impl Mover) {
    visit.range(&mut value.range);
    match &mut value.kind {
        ValueKind::Format(parts)
        | ValueKind::List(parts)
        | ValueKind::Builtin(_, parts)
        | ValueKind::Opaque(parts) => todo.extend(parts.iter_mut().map(Todo::Value)),
        ValueKind::Object(entries) | ValueKind::Struct(_, entries) => {
            entries.iter_mut().for_each(|entry| in_entry(entry, todo, visit));
        }
        ValueKind::Member(base, _, name) => {
            visit.range(name);
            todo.push(Todo::Value(base));
        }
        ValueKind::Call { callee, args, .. } => {
            todo.push(Todo::Value(callee));
            todo.extend(args.iter_mut().map(|Arg { value, .. }| Todo::Value(value)));
        }
        ValueKind::New(_, args) => {
            todo.extend(args.iter_mut().map(|Arg { value, .. }| Todo::Value(value)));
        }
        ValueKind::Spread(inner)
        | ValueKind::Unary(_, inner)
        | ValueKind::Await(inner)
        | ValueKind::Assert(inner, _)
        | ValueKind::CommaOk(inner) => todo.push(Todo::Value(inner)),
        ValueKind::Index(a, b) | ValueKind::Binary(_, a, b) | ValueKind::Assign(a, b) => {
            todo.extend([Todo::Value(a), Todo::Value(b)]);
        }
        ValueKind::Ternary(a, b, c) => {
            todo.extend([Todo::Value(a), Todo::Value(b), Todo::Value(c)]);
        }
        ValueKind::Null
        | ValueKind::Bool(_)
        | ValueKind::Int(_)
        | ValueKind::Float(_)
        | ValueKind::Str(_)
        | ValueKind::Local(_)
        | ValueKind::Global(_)
        | ValueKind::This => {}
        ValueKind::Closure(index) => visit.function(index),
    }
}

fn in_entry<'m>(entry: &'m mut Entry, todo: &mut Vec<Todo<'m>>, visit: &mut impl Mover) {
    visit.range(&mut entry.key_range);
    match &mut entry.key {
        EntryKey::Computed(key) => todo.push(Todo::Value(key)),
        EntryKey::Known(_) | EntryKey::Spread | EntryKey::Position(_) => {}
    }
    todo.push(Todo::Value(&mut entry.value));
}
