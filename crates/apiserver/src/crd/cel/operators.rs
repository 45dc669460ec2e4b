//! Operators, and the functions of the language itself.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::eval::{Evaluated, Failure, Run};
use super::value::{self, Key, List, Sort, Value, compare, equal};

/// Applies an operator; nothing if it is none.
pub(super) fn apply(run: &mut Run<'_>, function: &str, values: &[Value]) -> Option<Evaluated> {
    Some(match (function, values) {
        ("!_", [Value::Bool(flag)]) => run.pay(1).map(|()| Value::Bool(!flag)),
        ("-_", [value]) => run.pay(1).and_then(|()| negate(value)),
        ("_==_", [left, right]) => equality(run, left, right),
        ("_!=_", [left, right]) => {
            equality(run, left, right).map(|same| Value::Bool(!matches!(same, Value::Bool(true))))
        }
        ("_<_" | "_<=_" | "_>_" | "_>=_", [left, right]) => order(run, function, left, right),
        ("_+_", [left, right]) => add(run, left, right),
        ("_-_", [left, right]) => run.pay(1).and_then(|()| subtract(left, right)),
        ("_*_" | "_/_" | "_%_", [left, right]) => run.pay(1).and_then(|()| arithmetic(function, left, right)),
        ("@in", [item, container]) => contains(run, item, container),
        ("_[_]", [container, index]) => run.pay(1).and_then(|()| index_of(container, index)),
        ("_[?_]", [container, index]) => run.pay(1).map(|()| optional_index(container, index)),
        ("_?._", [operand, Value::String(field)]) => run.pay(1).map(|()| match operand {
            Value::Optional(inner) => optional_field(inner.as_deref(), field),
            other => optional_field(Some(other), field),
        }),
        ("cel.@mapInsert", [map, rest @ ..]) => {
            let cost = run.pay(map.size().saturating_add(1));
            cost.and_then(|()| insert(map.clone(), rest.to_vec()))
        }
        _ => return None,
    })
}

fn negate(value: &Value) -> Evaluated {
    match value {
        Value::Int(number) => number.checked_neg().map(Value::Int).ok_or_else(overflow),
        Value::Double(number) => Ok(Value::Double(-number)),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn overflow() -> Failure {
    Failure::error("integer overflow")
}

/// How much there is of a value, all the way down: what comparing it can take.
fn weight(value: &Value) -> u64 {
    match value {
        Value::List(list) => list.items.iter().fold(1, |sum, item| weight(item).saturating_add(sum)),
        Value::Map(map) => map.iter().fold(1, |sum, (key, value)| {
            weight(&key.value()).saturating_add(weight(value)).saturating_add(sum)
        }),
        Value::String(text) => 1 + text.len() as u64 / 10,
        Value::Bytes(bytes) => 1 + bytes.len() as u64 / 10,
        Value::Optional(Some(inner)) => weight(inner),
        _ => 1,
    }
}

fn equality(run: &mut Run<'_>, left: &Value, right: &Value) -> Evaluated {
    run.pay(weight(left).min(weight(right)))?;
    Ok(Value::Bool(equal(left, right)))
}

fn order(run: &mut Run<'_>, function: &str, left: &Value, right: &Value) -> Evaluated {
    run.pay(weight(left).min(weight(right)))?;
    let nan = |value: &Value| matches!(value, Value::Double(number) if number.is_nan());
    if nan(left) || nan(right) {
        return Err(Failure::error("NaN values cannot be ordered"));
    }
    let order = compare(left, right).ok_or(Failure::NoSuchOverload)?;
    Ok(Value::Bool(match function {
        "_<_" => order == Ordering::Less,
        "_<=_" => order != Ordering::Greater,
        "_>_" => order == Ordering::Greater,
        _ => order != Ordering::Less,
    }))
}

/// Sums and joined texts and lists.
pub(super) fn add(run: &mut Run<'_>, left: &Value, right: &Value) -> Evaluated {
    let cost = match (left, right) {
        (Value::String(a), Value::String(b)) => (a.len() + b.len()).div_ceil(10) as u64,
        (Value::Bytes(a), Value::Bytes(b)) => (a.len() + b.len()).div_ceil(10) as u64,
        (Value::List(a), Value::List(b)) => (a.items.len() + b.items.len()).div_ceil(10) as u64,
        _ => 1,
    };
    run.pay(cost.max(1))?;
    Ok(match (left, right) {
        (Value::Int(a), Value::Int(b)) => Value::Int(a.checked_add(*b).ok_or_else(overflow)?),
        (Value::Uint(a), Value::Uint(b)) => {
            Value::Uint(a.checked_add(*b).ok_or_else(|| Failure::error("unsigned integer overflow"))?)
        }
        (Value::Double(a), Value::Double(b)) => Value::Double(a + b),
        (Value::String(a), Value::String(b)) => Value::String(format!("{a}{b}").into()),
        (Value::Bytes(a), Value::Bytes(b)) => Value::Bytes([&**a, &**b].concat().into()),
        (Value::Duration(a), Value::Duration(b)) => Value::Duration(a.checked_add(*b).ok_or_else(overflow)?),
        (Value::Timestamp(a), Value::Duration(b)) | (Value::Duration(b), Value::Timestamp(a)) => {
            Value::Timestamp(a.checked_add(*b).map_err(|_| Failure::error("timestamp overflow"))?)
        }
        (Value::List(a), Value::List(b)) => Value::List(joined(a, b)),
        _ => return Err(Failure::NoSuchOverload),
    })
}

/// Sets and maps take only what they do not have; an item of a map replaces the one with its keys.
fn joined(left: &List, right: &List) -> List {
    let mut items = (*left.items).clone();
    for item in right.items.iter() {
        let known = match &left.sort {
            Sort::Plain => None,
            Sort::Set => items.iter().position(|known| equal(known, item)),
            Sort::ByKeys(keys) => items.iter().position(|known| value::same_keys(known, item, keys)),
        };
        match known {
            Some(index) => items[index] = item.clone(),
            None => items.push(item.clone()),
        }
    }
    List { items: Arc::new(items), sort: left.sort.clone() }
}

fn subtract(left: &Value, right: &Value) -> Evaluated {
    Ok(match (left, right) {
        (Value::Int(a), Value::Int(b)) => Value::Int(a.checked_sub(*b).ok_or_else(overflow)?),
        (Value::Uint(a), Value::Uint(b)) => {
            Value::Uint(a.checked_sub(*b).ok_or_else(|| Failure::error("unsigned integer overflow"))?)
        }
        (Value::Double(a), Value::Double(b)) => Value::Double(a - b),
        (Value::Duration(a), Value::Duration(b)) => Value::Duration(a.checked_sub(*b).ok_or_else(overflow)?),
        (Value::Timestamp(a), Value::Duration(b)) => {
            Value::Timestamp(a.checked_sub(*b).map_err(|_| Failure::error("timestamp overflow"))?)
        }
        (Value::Timestamp(a), Value::Timestamp(b)) => Value::Duration(a.duration_since(*b)),
        _ => return Err(Failure::NoSuchOverload),
    })
}

fn arithmetic(function: &str, left: &Value, right: &Value) -> Evaluated {
    let zero = || Failure::error(if function == "_%_" { "modulus by zero" } else { "division by zero" });
    match (left, right) {
        (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) if function != "_*_" => Err(zero()),
        (Value::Int(a), Value::Int(b)) => {
            let result = match function {
                "_*_" => a.checked_mul(*b),
                "_/_" => a.checked_div(*b),
                _ => a.checked_rem(*b),
            };
            result.map(Value::Int).ok_or_else(overflow)
        }
        (Value::Uint(a), Value::Uint(b)) => {
            let result = match function {
                "_*_" => a.checked_mul(*b),
                "_/_" => a.checked_div(*b),
                _ => a.checked_rem(*b),
            };
            result.map(Value::Uint).ok_or_else(|| Failure::error("unsigned integer overflow"))
        }
        (Value::Double(a), Value::Double(b)) => match function {
            "_*_" => Ok(Value::Double(a * b)),
            "_/_" => Ok(Value::Double(a / b)),
            _ => Err(Failure::NoSuchOverload),
        },
        _ => Err(Failure::NoSuchOverload),
    }
}

fn contains(run: &mut Run<'_>, item: &Value, container: &Value) -> Evaluated {
    match container {
        Value::List(list) => {
            for other in list.items.iter() {
                run.pay(weight(item).min(weight(other)))?;
                if equal(item, other) {
                    return Ok(Value::Bool(true));
                }
            }
            Ok(Value::Bool(false))
        }
        Value::Map(map) => {
            run.pay(1)?;
            Ok(Value::Bool(Key::of(item).is_some_and(|key| map.contains_key(&key))))
        }
        _ => Err(Failure::NoSuchOverload),
    }
}

fn index_of(container: &Value, index: &Value) -> Evaluated {
    match container {
        Value::List(list) => {
            let number = match index {
                Value::Int(number) => i128::from(*number),
                Value::Uint(number) => i128::from(*number),
                Value::Double(number) if number.fract() == 0.0 => *number as i128,
                Value::Double(number) => {
                    return Err(Failure::error(format!("unsupported index value {number} in list")));
                }
                other => {
                    let why = format!("unsupported index type '{}' in list", other.type_name());
                    return Err(Failure::Error(why));
                }
            };
            let item = usize::try_from(number).ok().and_then(|index| list.items.get(index));
            item.cloned().ok_or_else(|| Failure::error(format!("index out of bounds: {number}")))
        }
        Value::Map(map) => {
            let key = Key::of(index).ok_or(Failure::NoSuchOverload)?;
            map.get(&key).cloned().ok_or_else(|| Failure::error(format!("no such key: {}", show(index))))
        }
        Value::Optional(_) => Ok(optional_index(container, index)),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn show(key: &Value) -> String {
    match key {
        Value::String(text) => text.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Uint(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        _ => String::new(),
    }
}

fn optional_index(container: &Value, index: &Value) -> Value {
    let inner = match container {
        Value::Optional(Some(inner)) => inner,
        Value::Optional(None) => return Value::Optional(None),
        other => other,
    };
    index_of(inner, index).map_or(Value::Optional(None), Value::some)
}

/// A field that may not be there, of something that may not be there.
pub(super) fn optional_field(operand: Option<&Value>, name: &str) -> Value {
    match operand {
        Some(Value::Map(map)) => field(map, name).cloned().map_or(Value::Optional(None), Value::some),
        _ => Value::Optional(None),
    }
}

/// What is there by this name. Fields of a schema are known by other names than keys of a map.
pub(super) fn field<'m>(map: &'m BTreeMap<Key, Value>, name: &str) -> Option<&'m Value> {
    let spelled = super::declared::spelled(name);
    map.get(&Key::String((*spelled).into())).or_else(|| match spelled {
        Cow::Owned(_) => map.get(&Key::String(name.into())),
        Cow::Borrowed(_) => None,
    })
}

/// Puts an entry, or those of another map, into a map.
pub(super) fn insert(map: Value, values: Vec<Value>) -> Evaluated {
    let Value::Map(mut map) = map else { return Err(Failure::NoSuchOverload) };
    let entries: BTreeMap<Key, Value> = match <[Value; 2]>::try_from(values) {
        Ok([key, value]) => BTreeMap::from([(Key::of(&key).ok_or(Failure::NoSuchOverload)?, value)]),
        Err(mut values) => match values.pop() {
            Some(Value::Map(entries)) => (*entries).clone(),
            _ => return Err(Failure::NoSuchOverload),
        },
    };
    let grown = Arc::make_mut(&mut map);
    for (key, value) in entries {
        if grown.contains_key(&key) {
            return Err(Failure::error(format!("insert failed: key {} already exists", show(&key.value()))));
        }
        grown.insert(key, value);
    }
    Ok(Value::Map(map))
}
