//! Functions, methods and function literals: frames, parameters and results.
//!
//! Must not know what a body does with its slots.

use tree_sitter::Node;

use super::scope::{Binding, Frame};
use super::tree::{at, children, field_children, first_child, range, Ask, Part};
use super::Lower;
use crate::ir::{
    Block, Function, FunctionKind, LocalRef, Name, Param, Range, Stmt, StmtKind, Type, Value,
    ValueKind,
};

impl<'t> Lower<'t> {
    /// Reserves a place for a function, so that closures inside can name it, and enters it.
    pub(super) fn open_function(&mut self) -> u32 {
        let index = self.module.functions.len() as u32;
        self.module.functions.push(Function::default());
        self.frames.push(Frame::new(index));
        self.scopes.open();
        index
    }

    /// Leaves the innermost function and puts it in its place.
    pub(super) fn close_function(&mut self, index: u32, mut function: Function) {
        self.scopes.close();
        if let Some(frame) = self.frames.pop() {
            function.slots = frame.slot_names.len() as u16;
            function.slot_names = frame.slot_names;
            function.result_slots = frame.result_slots;
        }
        if let Some(place) = self.module.functions.get_mut(index as usize) {
            *place = function;
        }
    }

    /// A function or method declaration.
    pub(super) fn function(&mut self, node: Node<'t>) {
        let name_node = node.part(Part::Name);
        // Only in broken code is there a function around a declaration.
        let parent = self.frames.last().map(|f| f.index);
        let index = self.open_function();
        let mut function = Function {
            name: name_node.map(|n| self.name(n)).unwrap_or_default(),
            range: range(node),
            name_range: range(name_node.unwrap_or(node)),
            parent,
            has_error: node.has_error(),
            ..Function::default()
        };
        self.type_parameters(node);
        if let Some(receiver) = node.part(Part::Receiver).and_then(first_child) {
            function.kind = FunctionKind::Method;
            function.owner = receiver.part(Part::Type).and_then(|t| self.owner(t));
            function.receiver = receiver
                .part(Part::Name)
                .filter(|n| self.source(*n) != "_")
                .map(|n| self.new_local(self.source(n)));
        } else if function.name == "init" {
            function.kind = FunctionKind::Init;
        }
        self.signature_and_body(node, &mut function);
        self.close_function(index, function);
    }

    /// A function literal.
    pub(super) fn closure(&mut self, node: Node<'t>) -> Value {
        let parent = self.frames.last().map(|f| f.index);
        let index = self.open_function();
        let head_end = node.part(Part::Body).map_or(node.end_byte(), |b| b.start_byte());
        let head = self.text.get(node.start_byte()..head_end).unwrap_or("").trim_end();
        let start = node.start_byte() as u32;
        let mut function = Function {
            kind: FunctionKind::Closure,
            range: range(node),
            name_range: Range { start, end: start + head.len() as u32 },
            parent,
            has_error: node.has_error(),
            ..Function::default()
        };
        self.signature_and_body(node, &mut function);
        self.close_function(index, function);
        at(node, ValueKind::Closure(index))
    }

    /// The receiver's type name. Its type arguments are type parameters.
    fn owner(&mut self, node: Node<'t>) -> Option<Name> {
        match node.word() {
            "pointer_type" | "parenthesized_type" => first_child(node).and_then(|n| self.owner(n)),
            "generic_type" => {
                let arguments = node.part(Part::TypeArguments);
                for argument in arguments.map(children).unwrap_or_default() {
                    self.scopes.bind(self.source(argument), Binding::Type(Type::Unknown));
                }
                node.part(Part::Type).map(|n| self.name(n))
            }
            _ => Some(self.name(node)),
        }
    }

    fn signature_and_body(&mut self, node: Node<'t>, function: &mut Function) {
        for parameter in node.part(Part::Parameters).map(children).unwrap_or_default() {
            self.parameter(parameter, &mut function.params);
        }
        let result = node.part(Part::Result);
        function.results = self.results(result);
        let mut body = Vec::new();
        if let Some(list) = result.filter(|r| r.word() == "parameter_list") {
            self.named_results(list, &mut body);
        }
        if let Some(block) = node.part(Part::Body) {
            // Parameters and the outermost block share one scope.
            self.statements(block, &mut body);
        }
        function.body = body;
    }

    fn parameter(&mut self, node: Node<'t>, params: &mut Vec<Param>) {
        let variadic = node.word() == "variadic_parameter_declaration";
        let mut ty = node.part(Part::Type).map_or(Type::Unknown, |t| self.ty(t));
        if variadic {
            ty = Type::List(Box::new(ty));
        }
        let names = field_children(node, Part::Name);
        if names.is_empty() {
            params.push(self.param("", ty, variadic, node));
            return;
        }
        let channel = node.part(Part::Type).is_some_and(|t| t.word() == "channel_type");
        for name in names {
            let param = self.param(self.source(name), ty.clone(), variadic, name);
            if channel {
                self.mark_channel(param.slot);
            }
            params.push(param);
        }
    }

    fn param(&mut self, name: &'t str, ty: Type, variadic: bool, node: Node<'t>) -> Param {
        Param {
            slot: self.new_local(name),
            name: name.into(),
            ty,
            default: None,
            variadic,
            fields: Vec::new(),
            range: range(node),
        }
    }

    /// Named results are variables that start as zero.
    fn named_results(&mut self, list: Node<'t>, body: &mut Block) {
        for parameter in children(list) {
            let Some(ty) = parameter.part(Part::Type) else { continue };
            for name in field_children(parameter, Part::Name) {
                let slot = self.new_local(self.source(name));
                if let Some(frame) = self.frames.last_mut() {
                    frame.result_slots.push(slot);
                }
                let target = at(name, ValueKind::Local(LocalRef { up: 0, slot }));
                let value = self.zero(ty);
                body.push(Stmt {
                    kind: StmtKind::Assign { targets: vec![target], value, op: None },
                    range: range(name),
                });
            }
        }
    }

    /// Notes that a variable of the innermost function holds a channel.
    pub(super) fn mark_channel(&mut self, slot: u16) {
        if let Some(frame) = self.frames.last_mut() {
            frame.channels.insert(slot);
        }
    }

    /// Whether an expression is a variable that holds a channel.
    pub(super) fn is_channel(&self, node: Node<'t>) -> bool {
        match self.scopes.get(self.source(node)) {
            Some(Binding::Local { frame, slot }) => {
                self.frames.get(*frame).is_some_and(|f| f.channels.contains(slot))
            }
            _ => false,
        }
    }

    /// A new variable of the innermost function; `_` and the empty name get a slot but are
    /// never found by name.
    pub(super) fn new_local(&mut self, name: &'t str) -> u16 {
        let Some(frame) = self.frames.last_mut() else { return 0 };
        let slot = frame.slot(name);
        if !name.is_empty() && name != "_" {
            self.scopes.bind(name, Binding::Local { frame: self.frames.len() - 1, slot });
        }
        slot
    }
}
