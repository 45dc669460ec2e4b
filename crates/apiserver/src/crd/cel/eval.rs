//! Evaluating a checked expression, within a budget.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::check::Checked;
use super::library::{self, Decision, Question};
use super::operators;
use super::syntax::{Expr, Kind, Literal, Loop};
use super::value::{Key, List, Sort, Value};

/// Why there is no value.
#[derive(Clone, Debug)]
pub(super) enum Failure {
    /// An error that `&&` and `||` may pass over: `no such key: x`.
    Error(String),
    /// No function fits what it was called with.
    NoSuchOverload,
    /// It costs more than one call may.
    TooExpensive,
}

impl Failure {
    pub(super) fn error(message: impl Into<String>) -> Failure {
        Failure::Error(message.into())
    }
}

pub(super) type Evaluated = Result<Value, Failure>;

/// An expression with all that it needs to be evaluated.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) expr: Expr,
    pub(super) checked: Checked,
}

/// What an expression of a policy speaks of: it comes from outside, when it is asked for.
pub(super) trait Outside {
    /// The value of a variable.
    fn value(&self, name: &str) -> Option<Evaluated>;

    /// Whether somebody may do something.
    fn decide(&self, question: &Question, verb: &str) -> Decision;
}

/// The variables, the innermost last, and what was spent.
pub(super) struct Run<'a> {
    pub(super) checked: &'a Checked,
    variables: Vec<(&'a str, Value)>,
    pub(super) outside: Option<&'a dyn Outside>,
    spent: u64,
}

/// What one expression may cost: a tenth of a second, about.
const MOST_A_CALL: u64 = 1_000_000;

impl Program {
    /// The value of the expression, and what it cost.
    pub(super) fn run(&self, this: &Value, old: Option<&Value>) -> (Evaluated, u64) {
        let mut variables = vec![("self", this.clone())];
        variables.extend(old.map(|old| ("oldSelf", old.clone())));
        let mut run = Run { checked: &self.checked, variables, outside: None, spent: 0 };
        let result = run.eval(&self.expr);
        (result, run.spent)
    }

    /// The same for an expression that is no rule.
    pub(super) fn run_in(&self, outside: &dyn Outside) -> (Evaluated, u64) {
        let mut run = Run { checked: &self.checked, variables: Vec::new(), outside: Some(outside), spent: 0 };
        let result = run.eval(&self.expr);
        (result, run.spent)
    }
}

impl<'a> Run<'a> {
    /// Pays, or ends.
    pub(super) fn pay(&mut self, cost: u64) -> Result<(), Failure> {
        self.spent = self.spent.saturating_add(cost);
        if self.spent > MOST_A_CALL { Err(Failure::TooExpensive) } else { Ok(()) }
    }

    pub(super) fn eval(&mut self, expr: &'a Expr) -> Evaluated {
        match &expr.kind {
            Kind::Literal(literal) => Ok(constant(literal)),
            Kind::Ident(name) => {
                self.pay(1)?;
                let found = self.variables.iter().rev().find(|(known, _)| known == name);
                match found {
                    Some((_, value)) => Ok(value.clone()),
                    None => self.named(name),
                }
            }
            Kind::Select { operand, field, test } => self.select(expr, operand, field, *test),
            Kind::Call { function, target, args } => self.call(expr, function, target.as_deref(), args),
            Kind::List { items, optional } => {
                self.pay(10)?;
                let mut made = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    match self.eval(item)? {
                        Value::Optional(inner) if optional.contains(&index) => {
                            made.extend(inner.map(|inner| (*inner).clone()));
                        }
                        value => made.push(value),
                    }
                }
                Ok(Value::list(made))
            }
            Kind::Map(entries) => self.map(entries),
            Kind::Loop(inner) => self.run_loop(inner),
        }
    }

    fn map(&mut self, entries: &'a [(Expr, Expr, bool)]) -> Evaluated {
        self.pay(30)?;
        let mut made = BTreeMap::new();
        for (key, value, optional) in entries {
            let key = Key::of(&self.eval(key)?).ok_or(Failure::NoSuchOverload)?;
            let value = match self.eval(value)? {
                Value::Optional(inner) if *optional => match inner {
                    Some(inner) => (*inner).clone(),
                    None => continue,
                },
                value => value,
            };
            if made.insert(key, value).is_some() {
                return Err(Failure::error("duplicate map key"));
            }
        }
        Ok(Value::Map(made.into()))
    }

    /// What is not a variable of a loop: it comes from outside, or is a type.
    fn named(&self, name: &str) -> Evaluated {
        let given = self.outside.and_then(|outside| outside.value(name));
        given.unwrap_or_else(|| Ok(Value::Type(name.into())))
    }

    fn select(&mut self, expr: &Expr, operand: &'a Expr, field: &'a str, test: bool) -> Evaluated {
        if let Some(name) = &self.checked.names[expr.id] {
            self.pay(1)?;
            return self.named(name);
        }
        let value = self.eval(operand)?;
        if !test {
            self.pay(1)?;
        }
        match value {
            Value::Map(map) if test => Ok(Value::Bool(operators::field(&map, field).is_some())),
            Value::Map(map) => operators::field(&map, field)
                .cloned()
                .ok_or_else(|| Failure::error(format!("no such key: {field}"))),
            Value::Optional(inner) if test => match inner.as_deref() {
                Some(Value::Map(map)) => Ok(Value::Bool(operators::field(map, field).is_some())),
                _ => Ok(Value::Bool(false)),
            },
            Value::Optional(inner) => Ok(operators::optional_field(inner.as_deref(), field)),
            _ => Err(Failure::error(format!("no such key: {field}"))),
        }
    }

    fn call(
        &mut self,
        expr: &'a Expr,
        function: &'a str,
        target: Option<&'a Expr>,
        args: &'a [Expr],
    ) -> Evaluated {
        match (function, args) {
            ("_&&_", [left, right]) => return self.logical(left, right, false),
            ("_||_", [left, right]) => return self.logical(left, right, true),
            ("_?_:_", [condition, yes, no]) => {
                return match self.eval(condition)? {
                    Value::Bool(true) => self.eval(yes),
                    Value::Bool(false) => self.eval(no),
                    _ => Err(Failure::NoSuchOverload),
                };
            }
            ("@not_strictly_false", [inner]) => {
                self.pay(1)?;
                return match self.eval(inner) {
                    Err(Failure::TooExpensive) => Err(Failure::TooExpensive),
                    Ok(Value::Bool(false)) => Ok(Value::Bool(false)),
                    _ => Ok(Value::Bool(true)),
                };
            }
            _ => {}
        }
        let name = self.checked.names[expr.id].as_deref();
        let mut values = Vec::with_capacity(args.len() + 1);
        if let (Some(target), None) = (target, name) {
            values.push(self.eval(target)?);
        }
        for arg in args {
            values.push(self.eval(arg)?);
        }
        let function = name.unwrap_or(function);
        match operators::apply(self, function, &values) {
            Some(result) => result,
            None => library::call(self, function, &values),
        }
    }

    /// What decides is `decisive`, on whichever side; only if nothing does, an error counts.
    fn logical(&mut self, left: &'a Expr, right: &'a Expr, decisive: bool) -> Evaluated {
        let left = self.eval(left);
        match left {
            Ok(Value::Bool(flag)) if flag == decisive => return Ok(Value::Bool(decisive)),
            Err(Failure::TooExpensive) => return left,
            _ => {}
        }
        let right = self.eval(right);
        match (&left, &right) {
            (_, Ok(Value::Bool(flag))) if *flag == decisive => Ok(Value::Bool(decisive)),
            (_, Err(Failure::TooExpensive)) => right,
            (Ok(Value::Bool(_)), Ok(Value::Bool(_))) => right,
            (Err(_), _) => left,
            (_, Err(_)) => right,
            _ => Err(Failure::NoSuchOverload),
        }
    }

    fn run_loop(&mut self, inner: &'a Loop) -> Evaluated {
        let init = self.eval(&inner.init)?;
        let depth = self.variables.len();
        if inner.is_binding() {
            self.variables.push((&inner.result_name, init));
            let result = self.eval(&inner.result);
            self.variables.truncate(depth);
            return result;
        }
        let range = self.eval(&inner.range)?;
        let result = self.iterate(inner, &range, init);
        self.variables.truncate(depth);
        result
    }

    fn iterate(&mut self, inner: &'a Loop, range: &Value, init: Value) -> Evaluated {
        let depth = self.variables.len();
        let pairs: Box<dyn Iterator<Item = (Value, Option<Value>)>> = match (range, &inner.second) {
            (Value::List(list), None) => Box::new(list.items.iter().map(|item| (item.clone(), None))),
            (Value::List(list), Some(_)) => Box::new(
                list.items.iter().zip(0_i64..).map(|(item, index)| (Value::Int(index), Some(item.clone()))),
            ),
            (Value::Map(map), None) => Box::new(map.keys().map(|key| (key.value(), None))),
            (Value::Map(map), Some(_)) => {
                Box::new(map.iter().map(|(key, value)| (key.value(), Some(value.clone()))))
            }
            _ => return Err(Failure::NoSuchOverload),
        };
        // The result so far may be an error: `exists` goes on, and may find what it looks for.
        let mut failure: Option<Failure> = None;
        self.variables.push((&inner.result_name, init));
        let step = call_of(&inner.step).map(|(function, _)| function);
        let quantifier = matches!(step, Some("_&&_" | "_||_"));
        for (first, second) in pairs {
            self.variables.truncate(depth + 1);
            if failure.is_none()
                && let Value::Bool(false) = self.eval(&inner.condition)?
            {
                break;
            }
            self.variables.push((&inner.item, first));
            if let (Some(name), Some(second)) = (&inner.second, second) {
                self.variables.push((name, second));
            }
            let stepped = match failure.take() {
                None => self.step(&inner.step, depth),
                Some(failure) => self.recover(inner, failure),
            };
            match stepped {
                Ok(value) => self.variables[depth].1 = value,
                Err(Failure::TooExpensive) => return Err(Failure::TooExpensive),
                Err(error) if !quantifier => return Err(error),
                Err(error) => failure = Some(error),
            }
        }
        self.variables.truncate(depth + 1);
        match failure {
            Some(failure) => Err(failure),
            None => self.eval(&inner.result),
        }
    }

    /// What is collected grows in place: a copy for every item would make loops quadratic. It is the variable
    /// at `slot`.
    fn step(&mut self, step: &'a Expr, slot: usize) -> Evaluated {
        match call_of(step) {
            Some(("_?_:_", [condition, grown, kept])) if self.is_collected(kept, slot) => {
                match self.eval(condition)? {
                    Value::Bool(true) => self.step(grown, slot),
                    Value::Bool(false) => Ok(self.take(slot)),
                    _ => Err(Failure::NoSuchOverload),
                }
            }
            Some(("_+_", [so_far, added])) if self.is_collected(so_far, slot) => {
                let added = self.eval(added)?;
                self.pay(2)?;
                match (self.take(slot), added) {
                    (Value::List(mut so_far), Value::List(added)) => {
                        Arc::make_mut(&mut so_far.items).extend(added.items.iter().cloned());
                        Ok(Value::List(List { items: so_far.items, sort: Sort::Plain }))
                    }
                    (so_far, added) => operators::add(self, &so_far, &added),
                }
            }
            Some(("cel.@mapInsert", [so_far, entry @ ..])) if self.is_collected(so_far, slot) => {
                let mut values = Vec::with_capacity(2);
                for part in entry {
                    values.push(self.eval(part)?);
                }
                self.pay(2)?;
                let collected = self.take(slot);
                operators::insert(collected, values)
            }
            _ => self.eval(step),
        }
    }

    fn is_collected(&self, expr: &Expr, slot: usize) -> bool {
        matches!(&expr.kind, Kind::Ident(name) if self.variables.get(slot).is_some_and(|(known, _)| known == name))
    }

    fn take(&mut self, slot: usize) -> Value {
        std::mem::replace(&mut self.variables[slot].1, Value::Null)
    }

    /// After an error, only the item that decides changes the result.
    fn recover(&mut self, inner: &'a Loop, failure: Failure) -> Evaluated {
        let Some((function, [_, body])) = call_of(&inner.step) else { return Err(failure) };
        let decisive = function == "_||_";
        match self.eval(body) {
            Ok(Value::Bool(flag)) if flag == decisive => Ok(Value::Bool(decisive)),
            Err(Failure::TooExpensive) => Err(Failure::TooExpensive),
            _ => Err(failure),
        }
    }
}

fn call_of(expr: &Expr) -> Option<(&str, &[Expr])> {
    match &expr.kind {
        Kind::Call { function, target: None, args } => Some((function, args)),
        _ => None,
    }
}

fn constant(literal: &Literal) -> Value {
    match literal {
        Literal::Null => Value::Null,
        Literal::Bool(flag) => Value::Bool(*flag),
        Literal::Int(number) => Value::Int(*number),
        Literal::Uint(number) => Value::Uint(*number),
        Literal::Double(number) => Value::Double(*number),
        Literal::String(text) => Value::text(text),
        Literal::Bytes(bytes) => Value::Bytes(bytes.as_slice().into()),
    }
}
