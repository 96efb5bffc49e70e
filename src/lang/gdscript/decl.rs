//! Declarations of a file or inner class: variables, enums, classes and imports.
//!
//! Must not know statements or expressions beyond asking for them.

use tree_sitter::Node;

use super::tree::{Field, Kid, Kind};
use super::{literal, value, Lower};
use crate::ir::{
    BinaryOp, Entry, EntryKey, Function, FunctionKind, Global, Import, Module, Name, Range, Type,
    TypeDecl, TypeField, Value, ValueKind,
};

/// A `var` or `const` declaration in parts.
pub(super) struct Variable<'t> {
    pub name: Name,
    pub name_range: Range,
    pub ty: Type,
    pub init: Option<Node<'t>>,
    setget: Option<Node<'t>>,
}

impl<'t> Lower<'t> {
    /// A whole piece: its members, and apart from them its code outside of any function.
    pub(super) fn file(mut self, root: Node<'t>) -> (Module, Module) {
        let mut stray = Vec::new();
        self.members(root, &mut stray);
        let members = std::mem::take(&mut self.module);
        self.strays(root, stray);
        (members, self.module)
    }

    fn members(&mut self, node: Node<'t>, stray: &mut Vec<Kid<'t>>) {
        for kid in self.kids(node) {
            if !self.declaration(kid) {
                self.other_member(kid, stray);
            }
            // What a function loads has its name there only.
            self.loaded.clear();
        }
    }

    /// Lowers a declaration that can stand in a class; false when the node is none.
    pub(super) fn declaration(&mut self, kid: Kid<'t>) -> bool {
        match kid.kind {
            Kind::Function | Kind::Constructor => {
                self.function(kid.node, FunctionKind::Method);
            }
            Kind::Class => self.class(kid.node),
            Kind::Enum => self.enumeration(kid.node),
            Kind::Signal => self.signal(kid.node),
            Kind::ClassName => self.class_name(kid.node),
            Kind::Extends => {
                let base = self.base(kid.node);
                // An inner class may name its base in its body; the file's own stays.
                if self.owner.is_none() {
                    self.module.extends = base;
                }
            }
            Kind::Annotation | Kind::Annotations | Kind::RegionStart | Kind::RegionEnd => {}
            _ => return false,
        }
        true
    }

    fn other_member(&mut self, kid: Kid<'t>, stray: &mut Vec<Kid<'t>>) {
        match kid.kind {
            Kind::Const | Kind::Variable | Kind::ExportVariable | Kind::OnreadyVariable => {
                self.member_variable(kid);
            }
            Kind::Error => self.members(kid.node, stray),
            Kind::Pass | Kind::Name | Kind::Token | Kind::Static | Kind::Remote => {}
            // A text on its own is a comment.
            Kind::ExpressionStatement if self.text(kid.node).starts_with(['"', '\'']) => {}
            _ => stray.push(kid),
        }
    }

    /// Code outside of any function, which only a broken text has. It is kept, so that what is
    /// written in it is still seen.
    fn strays(&mut self, root: Node<'t>, stray: Vec<Kid<'t>>) {
        if stray.is_empty() {
            return;
        }
        let index = self.begin(Name::default());
        let mut body = Vec::new();
        for kid in stray {
            self.statement(kid, &mut body);
        }
        let (_, slot_names) = self.finish();
        self.module.functions[index as usize] = Function {
            kind: FunctionKind::Init,
            body,
            slots: slot_names.len() as u16,
            slot_names,
            range: self.range(root),
            has_error: true,
            ..Function::default()
        };
    }

    fn class_name(&mut self, node: Node<'t>) {
        for kid in self.kids(node) {
            match kid.kind {
                Kind::Name => {
                    self.class_name = Some(Name::new(self.text(kid.node)));
                    self.module.name.clone_from(&self.class_name);
                    self.module.global_name = true;
                }
                Kind::Extends => self.module.extends = self.base(kid.node),
                _ => {}
            }
        }
    }

    /// What an `extends` names: a class, or a script as an import target.
    fn base(&mut self, node: Node<'t>) -> Option<Name> {
        let kids = self.kids(node);
        let kid = kids.iter().find(|k| matches!(k.kind, Kind::String | Kind::Type))?;
        let text = self.text(kid.node);
        Some(match kid.kind {
            Kind::String => {
                let (path, _) = literal::string(text, 0);
                literal::script_path(self.path, &path)
            }
            _ => Name::new(text),
        })
    }

    fn class(&mut self, node: Node<'t>) {
        let (mut name, mut extends, mut body) = (Name::default(), Vec::new(), None);
        for kid in self.kids(node) {
            match kid.kind {
                Kind::Name => name = Name::new(self.text(kid.node)),
                Kind::Extends => extends.extend(self.base(kid.node)),
                Kind::ClassBody => body = Some(kid.node),
                _ => {}
            }
        }
        let outer = self.owner.replace(name.clone());
        let outer_fields = std::mem::take(&mut self.fields);
        if let Some(body) = body {
            let mut stray = Vec::new();
            for kid in self.kids(body) {
                if kid.kind == Kind::Extends {
                    extends.extend(self.base(kid.node));
                } else if !self.declaration(kid) {
                    self.other_member(kid, &mut stray);
                }
            }
            self.strays(body, stray);
        }
        self.owner = outer;
        let fields = std::mem::replace(&mut self.fields, outer_fields);
        self.module.types.push(TypeDecl {
            name,
            alias: None,
            extends: extends.iter().map(|base| literal::named(base)).collect(),
            fields,
            interface: false,
            range: self.trimmed(node),
        });
    }

    /// Takes a variable or constant apart.
    pub(super) fn variable(&mut self, node: Node<'t>) -> Variable<'t> {
        let range = self.range(node);
        let mut found = Variable {
            name: Name::default(),
            name_range: Range { start: range.start, end: range.start },
            ty: Type::Unknown,
            init: None,
            setget: None,
        };
        for kid in self.kids(node) {
            match (kid.field, kid.kind) {
                (Field::Name, _) => {
                    found.name = Name::new(self.text(kid.node));
                    found.name_range = self.range(kid.node);
                }
                (_, Kind::Type) => found.ty = literal::type_of(self.text(kid.node)),
                (Field::Value, _) => found.init = Some(kid.node),
                (_, Kind::Setget) => found.setget = Some(kid.node),
                _ => {}
            }
        }
        found
    }

    fn member_variable(&mut self, kid: Kid<'t>) {
        let variable = self.variable(kid.node);
        let range = self.trimmed(kid.node);
        let init = variable.init.map(|node| self.expr(node));
        if let Some(import) = self.import(&variable.name, init.as_ref(), range) {
            self.module.imports.push(import);
            // A constant of an inner class is also reached through the class.
            if self.owner.is_none() {
                return;
            }
        }
        let end = Range { start: range.end, end: range.end };
        let init = init.or_else(|| Some(value(literal::initial(&variable.ty)?, end)));
        let constant = kid.kind == Kind::Const;
        if self.owner.is_some() && !constant {
            self.fields.push(TypeField {
                name: variable.name.clone(),
                wire: None,
                omit_empty: false,
                embedded: false,
                ty: variable.ty.clone(),
                init: init.clone(),
                range,
                wire_range: variable.name_range,
            });
        }
        if let Some(setget) = variable.setget {
            self.accessors(setget, &variable.name);
        }
        self.global(variable.name, init, variable.ty, constant, range);
    }

    fn global(&mut self, name: Name, value: Option<Value>, ty: Type, constant: bool, range: Range) {
        let owner = self.owner.clone();
        self.module.globals.push(Global { name, owner, value, ty, constant, range });
    }

    /// A loaded script as a name: `const X = preload("res://x.gd")`, or one thing inside it.
    pub(super) fn import(
        &self,
        local: &Name,
        init: Option<&Value>,
        range: Range,
    ) -> Option<Import> {
        let (load, item) = match &init?.kind {
            ValueKind::Member(base, item, _) => (&base.kind, Some(item.clone())),
            kind => (kind, None),
        };
        let ValueKind::Builtin(crate::ir::Builtin::Load, operands) = load else { return None };
        let ValueKind::Str(path) = &operands.first()?.kind else { return None };
        Some(Import { local: local.clone(), targets: vec![path.clone()], item, range })
    }

    /// The code that runs when a property is read or written, as functions that no source can
    /// name.
    fn accessors(&mut self, node: Node<'t>, property: &Name) {
        for kid in self.kids(node) {
            let role = match kid.kind {
                Kind::SetBody => "setter",
                Kind::GetBody => "getter",
                _ => continue,
            };
            let index = self.function(kid.node, FunctionKind::Method);
            let function = &mut self.module.functions[index as usize];
            function.name = Name::from(format!("@{property}_{role}"));
        }
    }

    fn signal(&mut self, node: Node<'t>) {
        let variable = self.variable(node);
        let ty = Type::Named(None, Name::new_static("Signal"));
        self.global(variable.name, None, ty, true, self.range(node));
    }

    /// Named enums become an object, the values of others globals of their own.
    fn enumeration(&mut self, node: Node<'t>) {
        let (mut name, mut values) = (None, Vec::new());
        for kid in self.kids(node) {
            match kid.kind {
                Kind::Name => name = Some(Name::new(self.text(kid.node))),
                Kind::EnumeratorList => values = self.enumerators(kid.node),
                _ => {}
            }
        }
        let Some(name) = name else {
            for (name, name_range, init) in values {
                self.global(name, Some(init), Type::Unknown, true, name_range);
            }
            return;
        };
        let entries = values.into_iter().map(|(name, key_range, value)| Entry {
            key: EntryKey::Known(name),
            value,
            key_range,
        });
        let object = value(ValueKind::Object(entries.collect()), self.range(node));
        self.global(name, Some(object), Type::Unknown, true, self.range(node));
    }

    fn enumerators(&mut self, node: Node<'t>) -> Vec<(Name, Range, Value)> {
        let mut found = Vec::new();
        // The last explicit value and how many came after it.
        let (mut base, mut after) = (None::<Value>, 0i64);
        for kid in self.kids(node).into_iter().filter(|k| k.kind == Kind::Enumerator) {
            let (mut name, mut init) = (kid.node, None);
            for part in self.kids(kid.node) {
                match part.field {
                    Field::Left => name = part.node,
                    Field::Right => init = Some(self.expr(part.node)),
                    _ => {}
                }
            }
            let range = self.range(name);
            if let Some(init) = init {
                (base, after) = (Some(init), 0);
            }
            found.push((Name::new(self.text(name)), range, counted(base.as_ref(), after, range)));
            after += 1;
        }
        found
    }
}

/// The value of an enumerator: so many after the last explicit one, or after none.
fn counted(base: Option<&Value>, after: i64, range: Range) -> Value {
    let kind = match base.map(|b| (&b.kind, b)) {
        None => ValueKind::Int(after),
        Some((ValueKind::Int(first), _)) => ValueKind::Int(first.wrapping_add(after)),
        Some((_, base)) if after == 0 => return base.clone(),
        Some((_, base)) => {
            let step = Box::new(value(ValueKind::Int(after), range));
            ValueKind::Binary(BinaryOp::Add, Box::new(base.clone()), step)
        }
    };
    value(kind, range)
}
