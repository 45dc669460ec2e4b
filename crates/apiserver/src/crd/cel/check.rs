//! Finding out the types of an expression.

use std::sync::Arc;

use super::declared::{Declared, Shape, spelled};
use super::functions;
use super::syntax::{Expr, Fault, Kind, Literal, Loop};
use super::types::Type;
use super::unify::{Known, most_general};

/// What was found out about the parts of an expression, by their numbers.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) types: Vec<Type>,
    /// The signatures that a call may mean.
    pub(super) overloads: Vec<Vec<&'static str>>,
    /// The full name of a function or variable that is written with dots.
    pub(super) names: Vec<Option<String>>,
    pub(super) result: Type,
    pub(super) uses_old: bool,
}

/// What an expression may speak of.
pub(super) struct Scope {
    variables: Vec<(String, Type)>,
    /// Whether it may ask what somebody may do.
    authorizes: bool,
}

impl Scope {
    /// That of a rule of a schema.
    pub(super) fn rule(this: Type, old: Type) -> Scope {
        Scope { variables: vec![("self".to_owned(), this), (OLD.to_owned(), old)], authorizes: false }
    }

    /// That of a policy.
    pub(super) fn policy(variables: Vec<(String, Type)>) -> Scope {
        Scope { variables, authorizes: true }
    }
}

const OLD: &str = "oldSelf";

/// Checks an expression of so many parts.
///
/// # Errors
/// All that is wrong with it.
pub(super) fn check(expr: &Expr, parts: usize, scope: &Scope) -> Result<Checked, Vec<Fault>> {
    let mut checker = Checker {
        known: Known::default(),
        variables: scope.variables.clone(),
        authorizes: scope.authorizes,
        types: vec![Type::Error; parts],
        overloads: vec![Vec::new(); parts],
        names: vec![None; parts],
        faults: Vec::new(),
        uses_old: false,
        mixed: false,
    };
    checker.check(expr);
    let Checker { known, types, overloads, names, mut faults, uses_old, .. } = checker;
    let types: Vec<Type> = types.iter().map(|kind| known.resolve(kind, true)).collect();
    if faults.is_empty() {
        super::literals::check(expr, &types, &mut faults);
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let result = types.get(expr.id).cloned().unwrap_or(Type::Error);
    Ok(Checked { types, overloads, names, result, uses_old })
}

struct Checker {
    known: Known,
    /// The innermost last.
    variables: Vec<(String, Type)>,
    types: Vec<Type>,
    overloads: Vec<Vec<&'static str>>,
    names: Vec<Option<String>>,
    faults: Vec<Fault>,
    uses_old: bool,
    authorizes: bool,
    /// Lists may hold values of several types: what is formatted may be anything.
    mixed: bool,
}

impl Checker {
    fn fault(&mut self, at: usize, message: String) -> Type {
        self.faults.push(Fault { at, message });
        Type::Error
    }

    fn mismatch(&mut self, at: usize, wanted: &Type, found: &Type) -> Type {
        let (wanted, found) = (self.known.resolve(wanted, false), self.known.resolve(found, false));
        self.fault(at, format!("expected type '{wanted}' but found '{found}'"))
    }

    fn check(&mut self, expr: &Expr) -> Type {
        let kind = match &expr.kind {
            Kind::Literal(literal) => literal_type(literal),
            Kind::Ident(name) => match self.variable(name) {
                Some(kind) => kind,
                None => self.undeclared(expr.at, name),
            },
            Kind::Select { operand, field, test } => self.select(expr, operand, field, *test),
            Kind::Call { function, target, args } => self.call(expr, function, target.as_deref(), args),
            Kind::List { items, optional } => {
                let mut joined = None;
                for (index, item) in items.iter().enumerate() {
                    let kind = self.check(item);
                    let kind = self.unwrapped(item, kind, optional.contains(&index));
                    joined = Some(self.join(item, joined, kind));
                }
                Type::list(joined.unwrap_or_else(|| self.known.fresh()))
            }
            Kind::Map(entries) => self.map(entries),
            Kind::Loop(inner) => self.run(inner),
        };
        self.types[expr.id] = kind.clone();
        kind
    }

    fn undeclared(&mut self, at: usize, name: &str) -> Type {
        self.fault(at, format!("undeclared reference to '{name}' (in container '')"))
    }

    fn variable(&mut self, name: &str) -> Option<Type> {
        if let Some((_, kind)) = self.variables.iter().rev().find(|(known, _)| known == name) {
            let kind = kind.clone();
            let outer = self.variables.iter().rposition(|(known, _)| known == name) == Some(1);
            self.uses_old |= name == OLD && outer;
            return Some(kind);
        }
        let named = match name {
            "bool" => Type::Bool,
            "bytes" => Type::Bytes,
            "double" => Type::Double,
            "int" => Type::Int,
            "uint" => Type::Uint,
            "string" => Type::String,
            "null_type" => Type::Null,
            "list" => Type::list(Type::Dyn),
            "map" => Type::map(Type::Dyn, Type::Dyn),
            "google.protobuf.Timestamp" => Type::Timestamp,
            "google.protobuf.Duration" => Type::Duration,
            "type" => Type::Kind(Arc::new(Type::Dyn)),
            _ => return None,
        };
        Some(Type::Kind(Arc::new(named)))
    }

    fn select(&mut self, expr: &Expr, operand: &Expr, field: &str, test: bool) -> Type {
        if let Some(name) = dotted(expr)
            && let Some(kind) = self.variable(&name)
        {
            self.names[expr.id] = Some(name);
            return kind;
        }
        let kind = self.field(expr, operand, field, false);
        if test { Type::Bool } else { kind }
    }

    fn field(&mut self, expr: &Expr, operand: &Expr, field: &str, optional: bool) -> Type {
        let kind = self.check(operand);
        let kind = self.known.resolve(&kind, false);
        let (target, was_optional) = match &kind {
            Type::Optional(inner) => ((**inner).clone(), true),
            other => (other.clone(), false),
        };
        let found = match &target {
            Type::Map(_, value) => (**value).clone(),
            Type::Object(declared) => match field_type(declared, field) {
                Some(kind) => kind,
                None => self.fault(expr.at, format!("undefined field '{field}'")),
            },
            Type::Var(_) => {
                self.known.assignable(&[Type::Dyn], &[target]);
                Type::Dyn
            }
            Type::Dyn | Type::Error => Type::Dyn,
            other => {
                let message = format!("type '{other}' does not support field selection");
                self.fault(expr.at, message);
                Type::Dyn
            }
        };
        if was_optional || optional { Type::optional(found) } else { found }
    }

    fn call(&mut self, expr: &Expr, function: &str, target: Option<&Expr>, args: &[Expr]) -> Type {
        if let ("_?._", [operand, field]) = (function, args)
            && let Kind::Literal(Literal::String(name)) = &field.kind
        {
            self.types[field.id] = Type::String;
            return self.field(expr, operand, name, true);
        }
        let mixed = std::mem::replace(&mut self.mixed, function == "format" && target.is_some());
        let mut types: Vec<Type> = args.iter().map(|arg| self.check(arg)).collect();
        self.mixed = mixed;
        let Some(target) = target else {
            return match functions::find(function, self.authorizes) {
                Some(overloads) => self.resolve(expr, function, overloads, false, &types, args),
                None => self.undeclared(expr.at, function),
            };
        };
        if let Some(prefix) = dotted(target) {
            let name = format!("{prefix}.{function}");
            if let Some(overloads) = functions::find(&name, self.authorizes) {
                let kind = self.resolve(expr, &name, overloads, false, &types, args);
                self.names[expr.id] = Some(name);
                return kind;
            }
        }
        types.insert(0, self.check(target));
        match functions::find(function, self.authorizes) {
            Some(overloads) => self.resolve(expr, function, overloads, true, &types, args),
            None => self.undeclared(expr.at, function),
        }
    }

    fn resolve(
        &mut self,
        expr: &Expr,
        name: &str,
        overloads: &'static [functions::Overload],
        member: bool,
        types: &[Type],
        args: &[Expr],
    ) -> Type {
        if matches!(name, "_&&_" | "_||_") {
            return self.logical(expr, types, args);
        }
        let mut result: Option<Type> = None;
        for overload in overloads.iter().filter(|overload| overload.member == member) {
            let (wanted, returned) = self.instance(overload);
            if !self.known.assignable(types, &wanted) {
                continue;
            }
            self.overloads[expr.id].push(overload.id);
            let returned = self.known.resolve(&returned, false);
            result = Some(match result {
                None => returned,
                Some(result) if result.is_dyn() || returned.is_exactly(&result) => result,
                Some(_) => Type::Dyn,
            });
        }
        if let Some(result) = result {
            return result;
        }
        let shown: Vec<String> =
            types.iter().map(|kind| self.known.resolve(kind, true).to_string()).collect();
        let shown = match (member, shown.split_first()) {
            (true, Some((target, args))) => format!("{target}.({})", args.join(", ")),
            _ => format!("({})", shown.join(", ")),
        };
        self.fault(expr.at, format!("found no matching overload for '{name}' applied to '{shown}'"))
    }

    fn logical(&mut self, expr: &Expr, types: &[Type], args: &[Expr]) -> Type {
        let mut result = Type::Bool;
        for (kind, arg) in types.iter().zip(args) {
            if !self.known.assignable(std::slice::from_ref(kind), &[Type::Bool]) {
                result = self.mismatch(arg.at, &Type::Bool, kind);
            }
        }
        self.overloads[expr.id].push("logical");
        result
    }

    /// A signature, its parameters not known yet.
    fn instance(&mut self, overload: &functions::Overload) -> (Vec<Type>, Type) {
        let mut fresh: Vec<(char, Type)> = Vec::new();
        let known = &mut self.known;
        let mut replace = |kind: &Type| match kind {
            Type::Param(name) => Some(match fresh.iter().find(|(param, _)| param == name) {
                Some((_, kind)) => kind.clone(),
                None => {
                    fresh.push((*name, known.fresh()));
                    fresh[fresh.len() - 1].1.clone()
                }
            }),
            _ => None,
        };
        let args = overload.args.iter().map(|arg| arg.mapped(&mut replace)).collect();
        (args, overload.result.mapped(&mut replace))
    }

    fn unwrapped(&mut self, expr: &Expr, kind: Type, optional: bool) -> Type {
        match kind {
            kind if !optional => kind,
            Type::Optional(inner) => (*inner).clone(),
            kind if kind.is_dyn() => kind,
            kind => self.mismatch(expr.at, &Type::optional(kind.clone()), &kind),
        }
    }

    fn join(&mut self, expr: &Expr, before: Option<Type>, kind: Type) -> Type {
        match before {
            None => kind,
            Some(before)
                if self.known.assignable(std::slice::from_ref(&before), std::slice::from_ref(&kind)) =>
            {
                most_general(&before, &kind)
            }
            Some(_) if self.mixed => Type::Dyn,
            Some(before) => self.mismatch(expr.at, &before, &kind),
        }
    }

    fn map(&mut self, entries: &[(Expr, Expr, bool)]) -> Type {
        let (mut keys, mut values) = (None, None);
        for (key, value, optional) in entries {
            let kind = self.check(key);
            keys = Some(self.join(key, keys, kind));
            let kind = self.check(value);
            let kind = self.unwrapped(value, kind, *optional);
            values = Some(self.join(value, values, kind));
        }
        let mut or_fresh = |kind: Option<Type>| kind.unwrap_or_else(|| self.known.fresh());
        Type::map(or_fresh(keys), or_fresh(values))
    }

    fn run(&mut self, inner: &Loop) -> Type {
        let range = self.check(&inner.range);
        let collected = self.check(&inner.init);
        let range = self.known.resolve(&range, false);
        let (first, second) = match &range {
            Type::List(item) if inner.second.is_some() => (Type::Int, (**item).clone()),
            Type::List(item) => ((**item).clone(), Type::Dyn),
            Type::Map(key, value) => ((**key).clone(), (**value).clone()),
            Type::Dyn | Type::Error => (Type::Dyn, Type::Dyn),
            Type::Var(_) => {
                self.known.assignable(&[Type::Dyn], std::slice::from_ref(&range));
                (Type::Dyn, Type::Dyn)
            }
            other => {
                let message = format!(
                    "expression of type '{other}' cannot be range of a comprehension (must be list, map, or dynamic)"
                );
                (self.fault(inner.range.at, message), Type::Error)
            }
        };
        let depth = self.variables.len();
        self.variables.push((inner.result_name.clone(), collected.clone()));
        self.variables.push((inner.item.clone(), first));
        self.variables.extend(inner.second.clone().map(|name| (name, second)));
        self.must_be(&inner.condition, &Type::Bool);
        self.must_be(&inner.step, &collected);
        self.variables.truncate(depth + 1);
        let result = self.check(&inner.result);
        self.variables.truncate(depth);
        self.known.resolve(&result, false)
    }

    fn must_be(&mut self, expr: &Expr, wanted: &Type) {
        let kind = self.check(expr);
        if !self.known.assignable(std::slice::from_ref(wanted), std::slice::from_ref(&kind)) {
            self.mismatch(expr.at, wanted, &kind);
        }
    }
}

fn literal_type(literal: &Literal) -> Type {
    match literal {
        Literal::Null => Type::Null,
        Literal::Bool(_) => Type::Bool,
        Literal::Int(_) => Type::Int,
        Literal::Uint(_) => Type::Uint,
        Literal::Double(_) => Type::Double,
        Literal::String(_) => Type::String,
        Literal::Bytes(_) => Type::Bytes,
    }
}

fn field_type(declared: &Arc<Declared>, field: &str) -> Option<Type> {
    match &declared.shape {
        Shape::Object(fields) => fields.get(&*spelled(field)).map(Declared::kind),
        _ => None,
    }
}

/// `a.b.c`, if it is nothing else.
pub(super) fn dotted(expr: &Expr) -> Option<String> {
    match &expr.kind {
        Kind::Ident(name) => Some(name.clone()),
        Kind::Select { operand, field, test: false } => Some(format!("{}.{field}", dotted(operand)?)),
        _ => None,
    }
}
