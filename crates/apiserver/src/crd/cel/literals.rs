//! Literals that a function would refuse: told when the rule is written, not when it runs.

use super::syntax::{Expr, Fault, Kind, Literal};
use super::value;

/// Finds texts that are not what `matches`, `duration` and `timestamp` need.
pub(super) fn check(expr: &Expr, names: &[Option<String>], faults: &mut Vec<Fault>) {
    match &expr.kind {
        Kind::Literal(_) | Kind::Ident(_) => {}
        Kind::Select { operand, .. } => check(operand, names, faults),
        Kind::Call { function, target, args } => {
            let text = |arg: Option<&Expr>| match arg.map(|arg| (&arg.kind, arg.at)) {
                Some((Kind::Literal(Literal::String(text)), at)) => Some((text.clone(), at)),
                _ => None,
            };
            let (argument, valid): (_, fn(&str) -> bool) = match function.as_str() {
                "matches" => (text(args.last()), |text| value::regex(text).is_ok()),
                "duration" if target.is_none() => (text(args.first()), |text| value::duration(text).is_some()),
                "timestamp" if target.is_none() => (text(args.first()), |text| value::timestamp(text).is_some()),
                _ => (None, |_| true),
            };
            if let Some((text, at)) = argument
                && !valid(&text)
            {
                faults.push(Fault { at, message: format!("invalid {function} argument") });
            }
            args.iter().chain(target.as_deref()).for_each(|part| check(part, names, faults));
        }
        Kind::List { items, .. } => items.iter().for_each(|item| check(item, names, faults)),
        Kind::Map(entries) => entries.iter().for_each(|(key, value, _)| {
            check(key, names, faults);
            check(value, names, faults);
        }),
        Kind::Loop(inner) => {
            let parts = [&inner.range, &inner.init, &inner.condition, &inner.step, &inner.result];
            parts.into_iter().for_each(|part| check(part, names, faults));
        }
    }
}
