//! Quantities: `500m`, `1Gi`.

use super::super::eval::{Evaluated, Failure};
use super::super::value::Value;
use crate::quantity::{MALFORMED, Quantity};

const NANO: i128 = 1_000_000_000;

/// Calls one of their functions; nothing if it is none. Amounts are in billionths.
pub(super) fn call(function: &str, values: &[Value]) -> Option<Evaluated> {
    let added = |a: i128, b: i128| Ok(Value::Quantity(a.saturating_add(b)));
    Some(match (function, values) {
        ("isQuantity", [Value::String(text)]) => Ok(Value::Bool(Quantity::parse(text).is_some())),
        ("quantity", [Value::String(text)]) => match Quantity::parse(text) {
            Some(quantity) => Ok(Value::Quantity(quantity.nanos())),
            None => Err(Failure::error(MALFORMED)),
        },
        ("sign", [Value::Quantity(amount)]) => Ok(Value::Int(amount.signum() as i64)),
        ("isInteger", [Value::Quantity(amount)]) => Ok(Value::Bool(whole(*amount).is_some())),
        ("asInteger", [Value::Quantity(amount)]) => {
            whole(*amount).map(Value::Int).ok_or_else(|| Failure::error("cannot convert value to integer"))
        }
        ("asApproximateFloat", [Value::Quantity(amount)]) => Ok(Value::Double(*amount as f64 / NANO as f64)),
        ("add", [Value::Quantity(a), Value::Quantity(b)]) => added(*a, *b),
        ("add", [Value::Quantity(a), Value::Int(b)]) => added(*a, i128::from(*b) * NANO),
        ("sub", [Value::Quantity(a), Value::Quantity(b)]) => added(*a, -*b),
        ("sub", [Value::Quantity(a), Value::Int(b)]) => added(*a, -(i128::from(*b) * NANO)),
        ("isGreaterThan", [Value::Quantity(a), Value::Quantity(b)]) => Ok(Value::Bool(a > b)),
        ("isLessThan", [Value::Quantity(a), Value::Quantity(b)]) => Ok(Value::Bool(a < b)),
        ("compareTo", [Value::Quantity(a), Value::Quantity(b)]) => Ok(Value::Int(a.cmp(b) as i64)),
        _ => return None,
    })
}

fn whole(amount: i128) -> Option<i64> {
    (amount % NANO == 0).then(|| i64::try_from(amount / NANO).ok()).flatten()
}
