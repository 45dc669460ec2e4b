//! Functions: those of the language, and those of Kubernetes.

mod amounts;
mod authorizer;
mod formats;
mod net;
pub(super) mod printing;
mod semver;
mod texts;
mod url;

use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp, Zoned};

use super::eval::{Evaluated, Failure, Run};
use super::value::{self, List, Value, compare, equal};

pub(super) use authorizer::{AUTHORIZER, DECISION, GROUP_CHECK, PATH_CHECK, RESOURCE_CHECK};
pub(crate) use authorizer::{Decision, Question, Subject};
pub(super) use semver::Semver;
pub(super) use url::Url;

/// Calls a function with its target, if it has one, before its arguments.
pub(super) fn call(run: &mut Run<'_>, function: &str, values: &[Value]) -> Evaluated {
    run.pay(price(function, values))?;
    if let Some(result) = authorizer::call(run, function, values) {
        return result;
    }
    let libraries =
        [lists, language, texts::call, formatted, amounts::call, net::call, url::call, semver::call];
    if let Some(result) = libraries.iter().find_map(|library| library(function, values)) {
        return result;
    }
    if let ("getHours" | "getMinutes" | "getSeconds" | "getMilliseconds", [Value::Duration(length)]) =
        (function, values)
    {
        return Ok(Value::Int(part_of_duration(function, *length)));
    }
    if let [Value::Timestamp(moment), zone @ ..] = values
        && function.starts_with("get")
    {
        return part_of_moment(function, *moment, zone.first());
    }
    Err(Failure::NoSuchOverload)
}

fn formatted(function: &str, values: &[Value]) -> Option<Evaluated> {
    Some(match (function, values) {
        ("format", [Value::String(pattern), Value::List(list)]) => printing::format(pattern, &list.items),
        ("format.named", [Value::String(name)]) => {
            Ok(formats::named(name).map_or(Value::Optional(None), Value::some))
        }
        ("validate", [Value::Format(format), Value::String(text)]) => Ok(formats::validate(format, text)),
        (function, []) => return function.strip_prefix("format.").and_then(formats::named).map(Ok),
        _ => return None,
    })
}

/// What it costs before it runs: as Kubernetes counts, by the sizes of what goes in.
fn price(function: &str, values: &[Value]) -> u64 {
    let bytes = |index: usize| match values.get(index) {
        Some(Value::String(text)) => text.len() as u64,
        Some(value) => value.size(),
        None => 0,
    };
    let tenth = |size: u64| size.div_ceil(10);
    let cost = match function {
        // Not more than two in an expression, as in the real server.
        "check" => 350_000,
        "contains" => tenth(bytes(0)).saturating_mul(tenth(bytes(1))),
        "matches" | "find" | "findAll" => tenth(bytes(0) + 1).saturating_mul(bytes(1).div_ceil(4)),
        "validate" => tenth(bytes(1) + 1).saturating_mul(32),
        "startsWith" | "endsWith" => tenth(bytes(1)),
        "replace" | "split" => tenth(bytes(0)).saturating_mul(2),
        "sets.contains" | "sets.equivalent" | "sets.intersects" => bytes(0).saturating_mul(bytes(1)),
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" | "join" => match values.first() {
            Some(Value::List(list)) => list.items.iter().map(|item| tenth(item.size()).max(1)).sum(),
            _ => tenth(bytes(0)),
        },
        _ => tenth(bytes(0)),
    };
    cost.max(1)
}

fn lists(function: &str, values: &[Value]) -> Option<Evaluated> {
    let found = |index: Option<usize>| {
        Ok(Value::Int(index.map_or(-1, |index| i64::try_from(index).unwrap_or(i64::MAX))))
    };
    Some(match (function, values) {
        ("size", [value @ (Value::String(_) | Value::Bytes(_) | Value::List(_) | Value::Map(_))]) => {
            Ok(Value::Int(i64::try_from(value.size()).unwrap_or(i64::MAX)))
        }
        ("indexOf", [Value::List(list), item]) => {
            found(list.items.iter().position(|other| equal(other, item)))
        }
        ("lastIndexOf", [Value::List(list), item]) => {
            found(list.items.iter().rposition(|other| equal(other, item)))
        }
        ("first", [Value::List(list)]) => {
            Ok(list.items.first().cloned().map_or(Value::Optional(None), Value::some))
        }
        ("last", [Value::List(list)]) => {
            Ok(list.items.last().cloned().map_or(Value::Optional(None), Value::some))
        }
        ("optional.unwrap" | "unwrapOpt", [Value::List(list)]) => {
            let there = list.items.iter().filter_map(|item| match item {
                Value::Optional(inner) => inner.as_deref().cloned(),
                other => Some(other.clone()),
            });
            Ok(Value::list(there.collect()))
        }
        ("isSorted", [Value::List(list)]) => {
            let ordered = |pair: &[Value]| compare(&pair[0], &pair[1]).is_some_and(std::cmp::Ordering::is_le);
            Ok(Value::Bool(list.items.windows(2).all(ordered)))
        }
        ("sum", [Value::List(list)]) => sum(list),
        ("min" | "max", [Value::List(list)]) => extreme(list, function),
        ("sets.contains", [Value::List(list), Value::List(part)]) => Ok(Value::Bool(covers(list, part))),
        ("sets.equivalent", [Value::List(a), Value::List(b)]) => {
            Ok(Value::Bool(covers(a, b) && covers(b, a)))
        }
        ("sets.intersects", [Value::List(a), Value::List(b)]) => {
            Ok(Value::Bool(a.items.iter().any(|item| b.items.iter().any(|other| equal(item, other)))))
        }
        _ => return None,
    })
}

fn covers(list: &List, part: &List) -> bool {
    part.items.iter().all(|item| list.items.iter().any(|other| equal(item, other)))
}

fn sum(list: &List) -> Evaluated {
    let overflow = || Failure::error("integer overflow");
    let mut items = list.items.iter();
    let Some(first) = items.next() else { return Ok(Value::Int(0)) };
    items.try_fold(first.clone(), |sum, item| {
        Ok(match (sum, item) {
            (Value::Int(a), Value::Int(b)) => Value::Int(a.checked_add(*b).ok_or_else(overflow)?),
            (Value::Uint(a), Value::Uint(b)) => Value::Uint(a.checked_add(*b).ok_or_else(overflow)?),
            (Value::Double(a), Value::Double(b)) => Value::Double(a + b),
            (Value::Duration(a), Value::Duration(b)) => {
                Value::Duration(a.checked_add(*b).ok_or_else(overflow)?)
            }
            _ => return Err(Failure::NoSuchOverload),
        })
    })
}

fn extreme(list: &List, function: &str) -> Evaluated {
    let wanted = if function == "min" { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater };
    let best = list
        .items
        .iter()
        .cloned()
        .reduce(|best, item| if compare(&item, &best) == Some(wanted) { item } else { best });
    best.ok_or_else(|| Failure::error(format!("{function} called on empty list")))
}

fn language(function: &str, values: &[Value]) -> Option<Evaluated> {
    Some(match (function, values) {
        ("type", [value]) => Ok(Value::Type(value.type_name().into())),
        ("dyn", [value]) => Ok(value.clone()),
        ("startsWith", [Value::String(text), Value::String(part)]) => {
            Ok(Value::Bool(text.starts_with(&**part)))
        }
        ("endsWith", [Value::String(text), Value::String(part)]) => Ok(Value::Bool(text.ends_with(&**part))),
        ("contains", [Value::String(text), Value::String(part)]) => Ok(Value::Bool(text.contains(&**part))),
        ("matches", [Value::String(text), Value::String(pattern)]) => match value::regex(pattern) {
            Ok(regex) => Ok(Value::Bool(regex.is_match(text))),
            Err(error) => Err(texts::not_a_regex(&error)),
        },
        ("optional.none", []) => Ok(Value::Optional(None)),
        ("optional.of", [value]) => Ok(Value::some(value.clone())),
        ("optional.ofNonZeroValue", [value]) if is_zero(value) => Ok(Value::Optional(None)),
        ("optional.ofNonZeroValue", [value]) => Ok(Value::some(value.clone())),
        ("hasValue", [Value::Optional(inner)]) => Ok(Value::Bool(inner.is_some())),
        ("value", [Value::Optional(inner)]) => match inner {
            Some(inner) => Ok((**inner).clone()),
            None => Err(Failure::error("optional.none() dereference")),
        },
        ("or", [first @ Value::Optional(Some(_)), _]) => Ok(first.clone()),
        ("or", [Value::Optional(None), second]) => Ok(second.clone()),
        ("orValue", [Value::Optional(Some(inner)), _]) => Ok((**inner).clone()),
        ("orValue", [Value::Optional(None), default]) => Ok(default.clone()),
        ("bool" | "int" | "uint" | "double" | "string" | "bytes" | "duration" | "timestamp", [value]) => {
            super::convert::convert(function, value)
        }
        _ => return None,
    })
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Int(number) => *number == 0,
        Value::Uint(number) => *number == 0,
        Value::Double(number) => *number == 0.0,
        Value::Duration(length) => length.is_zero(),
        Value::String(_) | Value::Bytes(_) | Value::List(_) | Value::Map(_) => value.size() == 0,
        _ => false,
    }
}

fn part_of_duration(function: &str, length: SignedDuration) -> i64 {
    match function {
        "getHours" => length.as_secs() / 3600,
        "getMinutes" => length.as_secs() / 60,
        "getSeconds" => length.as_secs(),
        _ => i64::try_from(length.as_millis()).unwrap_or(i64::MAX),
    }
}

fn part_of_moment(function: &str, moment: Timestamp, zone: Option<&Value>) -> Evaluated {
    let zone = match zone {
        None => TimeZone::UTC,
        Some(Value::String(name)) => {
            time_zone(name).ok_or_else(|| Failure::error(format!("unknown time zone {name}")))?
        }
        Some(_) => return Err(Failure::NoSuchOverload),
    };
    let local: Zoned = moment.to_zoned(zone);
    Ok(Value::Int(match function {
        "getFullYear" => i64::from(local.year()),
        "getMonth" => i64::from(local.month()) - 1,
        "getDate" => i64::from(local.day()),
        "getDayOfMonth" => i64::from(local.day()) - 1,
        "getDayOfYear" => i64::from(local.day_of_year()) - 1,
        "getDayOfWeek" => i64::from(local.weekday().to_sunday_zero_offset()),
        "getHours" => i64::from(local.hour()),
        "getMinutes" => i64::from(local.minute()),
        "getSeconds" => i64::from(local.second()),
        "getMilliseconds" => i64::from(local.millisecond()),
        _ => return Err(Failure::NoSuchOverload),
    }))
}

/// `UTC` or an offset like `-08:30`: there is no database of time zones here.
fn time_zone(name: &str) -> Option<TimeZone> {
    if matches!(name, "UTC" | "") {
        return Some(TimeZone::UTC);
    }
    let (hours, minutes) = name.split_once(':')?;
    let negative = hours.starts_with('-');
    let hours: i32 = hours.trim_start_matches(['+', '-']).parse().ok()?;
    let minutes: i32 = minutes.parse().ok()?;
    let seconds = hours.checked_mul(3600)?.checked_add(minutes.checked_mul(60)?)?;
    Offset::from_seconds(if negative { -seconds } else { seconds }).ok().map(TimeZone::fixed)
}
