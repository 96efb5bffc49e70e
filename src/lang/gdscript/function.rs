//! Functions, methods, constructors and closures, with their parameters.
//!
//! Must not know statements or expressions beyond asking for them.

use tree_sitter::Node;

use super::tree::{Field, Kid, Kind};
use super::{literal, value, Lower, Open};
use crate::ir::{Function, FunctionKind, Name, Param, Range, Stmt, StmtKind, Type, ValueKind};

impl<'t> Lower<'t> {
    /// Begins a function inside what is open now; see [`Lower::finish`].
    pub(super) fn begin(&mut self, name: Name) -> u32 {
        let index = self.module.functions.len() as u32;
        self.module.functions.push(Function::default());
        self.scopes.enter();
        self.open.push(Open { index, name, jumps: Vec::new() });
        index
    }

    /// Ends it and gives the enclosing function and the slots' names.
    pub(super) fn finish(&mut self) -> (Option<u32>, Vec<Name>) {
        self.open.pop();
        (self.open.last().map(|o| o.index), self.scopes.leave())
    }

    /// A function, constructor, property accessor or closure, by its index.
    pub(super) fn function(&mut self, node: Node<'t>, kind: FunctionKind) -> u32 {
        let closure = kind == FunctionKind::Closure;
        // A named function sees no locals around it, wherever a broken text puts it.
        let outside =
            (!closure).then(|| (std::mem::take(&mut self.scopes), std::mem::take(&mut self.open)));
        let kids = self.kids(node);
        let range = self.trimmed(node);
        let (name, name_range) = self.head(&kids, closure, range);
        let index = self.begin(name.clone());
        let mut function = Function { name, name_range, range, ..Function::default() };
        function.kind = kind;
        function.has_error = node.has_error();
        function.owner = self.owner.clone();
        for kid in kids {
            match (kid.field, kid.kind) {
                (_, Kind::Static) => {
                    function.kind = match self.owner {
                        Some(_) => FunctionKind::Static,
                        None => FunctionKind::Free,
                    }
                }
                (_, Kind::Parameters) => function.params = self.parameters(kid.node),
                (Field::ReturnType, _) if self.text(kid.node) != "void" => {
                    function.results = vec![literal::type_of(self.text(kid.node))];
                }
                (_, Kind::Arguments) => self.base_constructor(kid.node, &mut function.body),
                (_, Kind::Body) => function.body.append(&mut self.body(kid.node)),
                (_, Kind::Error) => {
                    let lost = self.unmodelled(kid);
                    function.body.push(lost);
                }
                _ => {}
            }
        }
        let (parent, slot_names) = self.finish();
        function.parent = parent;
        function.slots = slot_names.len() as u16;
        function.slot_names = slot_names;
        if closure {
            function.name = Name::default();
            function.owner = None;
        }
        self.module.functions[index as usize] = function;
        if let Some((scopes, open)) = outside {
            (self.scopes, self.open) = (scopes, open);
        }
        index
    }

    /// The name and where it stands; a closure's head, up to its parameters, stands for it.
    fn head(&self, kids: &[Kid<'t>], closure: bool, range: Range) -> (Name, Range) {
        let named = kids.iter().find(|k| k.kind == Kind::Name);
        let named = named.or_else(|| kids.iter().find(|k| self.text(k.node) == "_init"));
        if let (Some(kid), false) = (named, closure) {
            return (Name::new(self.text(kid.node)), self.range(kid.node));
        }
        let parameters = kids.iter().find(|k| k.kind == Kind::Parameters);
        let end = parameters.map_or(range.start, |k| self.range(k.node).end);
        (Name::default(), Range { start: range.start, end })
    }

    /// `func _init(a).(b)`: the base's constructor with `b`, from older versions.
    fn base_constructor(&mut self, node: Node<'t>, body: &mut Vec<Stmt>) {
        let range = self.range(node);
        let args = self.arguments(node);
        let callee = Box::new(self.base_member(Name::new_static("_init"), range));
        let call = value(ValueKind::Call { callee, args, builtin: None }, range);
        body.push(Stmt { kind: StmtKind::Eval(call), range });
    }

    fn parameters(&mut self, node: Node<'t>) -> Vec<Param> {
        let mut params = Vec::new();
        for kid in self.kids(node) {
            self.parameter(kid, false, &mut params);
        }
        params
    }

    fn parameter(&mut self, kid: Kid<'t>, variadic: bool, params: &mut Vec<Param>) {
        let (mut name, mut ty, mut default) = ("", Type::Unknown, None);
        match kid.kind {
            Kind::Identifier => name = self.text(kid.node),
            Kind::TypedParameter | Kind::DefaultParameter | Kind::TypedDefaultParameter => {
                for part in self.kids(kid.node) {
                    match (part.field, part.kind) {
                        (Field::Value, _) => default = Some(self.expr(part.node)),
                        (_, Kind::Type) => ty = literal::type_of(self.text(part.node)),
                        (_, Kind::Identifier) => name = self.text(part.node),
                        _ => {}
                    }
                }
            }
            Kind::VariadicParameter => {
                for part in self.kids(kid.node) {
                    self.parameter(part, true, params);
                }
                return;
            }
            _ => return,
        }
        let name = Name::new(name);
        let slot = self.scopes.declare(name.clone());
        let range = self.range(kid.node);
        params.push(Param { slot, name, ty, default, variadic, fields: Vec::new(), range });
    }
}
