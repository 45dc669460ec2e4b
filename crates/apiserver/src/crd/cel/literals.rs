//! Literals that a function would refuse: told when the rule is written, not when it runs.

use super::library::printing;
use super::syntax::{Expr, Fault, Kind, Literal};
use super::types::Type;
use super::value;

/// Finds texts that are not what `matches`, `duration`, `timestamp` and `format` need.
pub(super) fn check(expr: &Expr, types: &[Type], faults: &mut Vec<Fault>) {
    match &expr.kind {
        Kind::Literal(_) | Kind::Ident(_) => {}
        Kind::Select { operand, .. } => check(operand, types, faults),
        Kind::Call { function, target, args } => {
            let text = |arg: Option<&Expr>| match arg.map(|arg| (&arg.kind, arg.at)) {
                Some((Kind::Literal(Literal::String(text)), at)) => Some((text.clone(), at)),
                _ => None,
            };
            let (argument, valid): (_, fn(&str) -> bool) = match function.as_str() {
                "matches" => (text(args.last()), |text| value::regex(text).is_ok()),
                "duration" if target.is_none() => {
                    (text(args.first()), |text| value::duration(text).is_some())
                }
                "timestamp" if target.is_none() => {
                    (text(args.first()), |text| value::timestamp(text).is_some())
                }
                _ => (None, |_| true),
            };
            if let Some((text, at)) = argument
                && !valid(&text)
            {
                faults.push(Fault { at, message: format!("invalid {function} argument") });
            }
            if let ("format", Some(target), [list]) = (function.as_str(), target.as_deref(), args.as_slice())
            {
                format(expr, target, list, types, faults);
            }
            args.iter().chain(target.as_deref()).for_each(|part| check(part, types, faults));
        }
        Kind::List { items, .. } => items.iter().for_each(|item| check(item, types, faults)),
        Kind::Map(entries) => entries.iter().for_each(|(key, value, _)| {
            check(key, types, faults);
            check(value, types, faults);
        }),
        Kind::Loop(inner) => {
            let parts = [&inner.range, &inner.init, &inner.condition, &inner.step, &inner.result];
            parts.into_iter().for_each(|part| check(part, types, faults));
        }
    }
}

fn format(expr: &Expr, target: &Expr, list: &Expr, types: &[Type], faults: &mut Vec<Fault>) {
    let (Kind::Literal(Literal::String(pattern)), Kind::List { items, .. }) = (&target.kind, &list.kind)
    else {
        return;
    };
    let clauses = match printing::clauses(pattern) {
        Ok(clauses) => clauses,
        Err(message) => return faults.push(Fault { at: expr.at, message }),
    };
    for (index, clause) in clauses.iter().enumerate() {
        let Some(item) = items.get(index) else {
            return faults.push(Fault { at: expr.at, message: format!("index {index} out of range") });
        };
        let kind = types.get(item.id).unwrap_or(&Type::Dyn);
        if let Some(what) = clause.refuses(kind) {
            let message = format!("error during formatting: {what}, was given {kind}");
            return faults.push(Fault { at: item.at, message });
        }
    }
    if items.len() > clauses.len() {
        let (expected, got) = (clauses.len(), items.len());
        let message =
            format!("too many arguments supplied to string.format (expected {expected}, got {got})");
        faults.push(Fault { at: expr.at, message });
    }
}
