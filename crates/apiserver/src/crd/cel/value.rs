//! The values that rules see.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value as Json;

use super::declared::{Declared, Shape};
use super::library::{DECISION, Decision, Question, Semver, Url};
use super::types::Type;

/// A value. Copies are cheap.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(Arc<str>),
    Bytes(Arc<[u8]>),
    Timestamp(Timestamp),
    Duration(SignedDuration),
    List(List),
    Map(Arc<BTreeMap<Key, Value>>),
    Optional(Option<Arc<Value>>),
    /// A type, by its name.
    Type(Arc<str>),
    /// An amount, in billionths.
    Quantity(i128),
    Ip(IpAddr),
    /// A network: an address in it, and how many of its bits are those of all in it.
    Cidr(IpAddr, u8),
    Url(Arc<Url>),
    Semver(Arc<Semver>),
    /// A named format.
    Format(&'static str),
    /// What is asked of who may do what, so far.
    Question(Arc<Question>),
    /// What the answer is.
    Decision(Arc<Decision>),
}

/// A list, and what makes two of its kind equal.
#[derive(Clone, Debug)]
pub(super) struct List {
    pub(super) items: Arc<Vec<Value>>,
    pub(super) sort: Sort,
}

#[derive(Clone, Debug)]
pub(super) enum Sort {
    /// Order counts.
    Plain,
    /// Order does not count.
    Set,
    /// Order does not count, and these fields tell items apart.
    ByKeys(Arc<[String]>),
}

/// The key of an entry. Whole numbers are one kind, whatever their type.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Key {
    Bool(bool),
    Number(i128),
    String(Arc<str>),
}

impl Key {
    pub(super) fn of(value: &Value) -> Option<Key> {
        Some(match value {
            Value::Bool(flag) => Key::Bool(*flag),
            Value::Int(number) => Key::Number(i128::from(*number)),
            Value::Uint(number) => Key::Number(i128::from(*number)),
            Value::Double(number) if number.fract() == 0.0 && number.abs() < 1e18 => {
                Key::Number(*number as i128)
            }
            Value::String(text) => Key::String(Arc::clone(text)),
            _ => return None,
        })
    }

    pub(super) fn value(&self) -> Value {
        match self {
            Key::Bool(flag) => Value::Bool(*flag),
            Key::Number(number) => match i64::try_from(*number) {
                Ok(number) => Value::Int(number),
                Err(_) => Value::Uint(u64::try_from(*number).unwrap_or(u64::MAX)),
            },
            Key::String(text) => Value::String(Arc::clone(text)),
        }
    }
}

impl Value {
    pub(super) fn text(text: &str) -> Value {
        Value::String(text.into())
    }

    pub(super) fn list(items: Vec<Value>) -> Value {
        Value::List(List { items: Arc::new(items), sort: Sort::Plain })
    }

    pub(super) fn some(value: Value) -> Value {
        Value::Optional(Some(Arc::new(value)))
    }

    /// The name of its type, as `type(x)` compares it.
    pub(super) fn type_name(&self) -> String {
        match self {
            Value::Null => "null_type".to_owned(),
            Value::Bool(_) => "bool".to_owned(),
            Value::Int(_) => "int".to_owned(),
            Value::Uint(_) => "uint".to_owned(),
            Value::Double(_) => "double".to_owned(),
            Value::String(_) => "string".to_owned(),
            Value::Bytes(_) => "bytes".to_owned(),
            Value::Timestamp(_) => "google.protobuf.Timestamp".to_owned(),
            Value::Duration(_) => "google.protobuf.Duration".to_owned(),
            Value::List(_) => "list".to_owned(),
            Value::Map(_) => "map".to_owned(),
            Value::Optional(_) => "optional_type".to_owned(),
            Value::Type(_) => "type".to_owned(),
            Value::Quantity(_) => "kubernetes.Quantity".to_owned(),
            Value::Ip(_) => "net.IP".to_owned(),
            Value::Cidr(..) => "net.CIDR".to_owned(),
            Value::Url(_) => "kubernetes.URL".to_owned(),
            Value::Semver(_) => "kubernetes.Semver".to_owned(),
            Value::Format(_) => "kubernetes.NamedFormat".to_owned(),
            Value::Question(question) => question.type_name().to_owned(),
            Value::Decision(_) => DECISION.to_owned(),
        }
    }

    /// Its size, as costs count it.
    pub(super) fn size(&self) -> u64 {
        match self {
            Value::String(text) => text.chars().count() as u64,
            Value::Bytes(bytes) => bytes.len() as u64,
            Value::List(list) => list.items.len() as u64,
            Value::Map(map) => map.len() as u64,
            _ => 1,
        }
    }

    /// The value of some JSON, as its schema declares it.
    pub(super) fn of(json: &Json, declared: &Arc<Declared>, schema: &Json) -> Value {
        match (json, &declared.shape) {
            (Json::Null, _) => Value::Null,
            (Json::Object(fields), Shape::Object(known)) => {
                let properties = schema.get("properties");
                let entries = fields.iter().filter_map(|(name, value)| {
                    let escaped = super::declared::escape(name)?;
                    let declared = known.get(&escaped)?;
                    let schema = properties.and_then(|all| all.get(name)).unwrap_or(&Json::Null);
                    Some((Key::String(escaped.into()), Value::of(value, declared, schema)))
                });
                Value::Map(Arc::new(entries.collect()))
            }
            (Json::Object(fields), Shape::Map(inner)) => {
                let schema = schema.get("additionalProperties").unwrap_or(&Json::Null);
                let entries = fields.iter();
                let entries = entries.map(|(name, value)| {
                    (Key::String(name.as_str().into()), Value::of(value, inner, schema))
                });
                Value::Map(Arc::new(entries.collect()))
            }
            (Json::Array(items), Shape::List(inner)) => {
                let below = schema.get("items").unwrap_or(&Json::Null);
                let items = items.iter().map(|item| Value::of(item, inner, below)).collect();
                Value::List(List { items: Arc::new(items), sort: sort(schema) })
            }
            (json, Shape::Simple(kind)) => scalar(json, kind),
            (json, _) => plain(json),
        }
    }
}

fn sort(schema: &Json) -> Sort {
    match schema.get("x-kubernetes-list-type").and_then(Json::as_str) {
        Some("set") => Sort::Set,
        Some("map") => {
            let keys =
                schema.get("x-kubernetes-list-map-keys").and_then(Json::as_array).into_iter().flatten();
            Sort::ByKeys(keys.filter_map(Json::as_str).filter_map(super::declared::escape).collect())
        }
        _ => Sort::Plain,
    }
}

/// What is not what its type says stays what it is: validation has refused it before.
fn scalar(json: &Json, kind: &Type) -> Value {
    match (json, kind) {
        (Json::Number(number), Type::Double) => Value::Double(number.as_f64().unwrap_or(f64::NAN)),
        (Json::Number(number), Type::Int) => match number.as_i64() {
            Some(whole) => Value::Int(whole),
            None => Value::Int(number.as_f64().unwrap_or_default() as i64),
        },
        (Json::String(text), Type::Bytes) => match STANDARD.decode(text) {
            Ok(bytes) => Value::Bytes(bytes.into()),
            Err(_) => Value::text(text),
        },
        (Json::String(text), Type::Duration) => {
            duration(text).map_or_else(|| Value::text(text), Value::Duration)
        }
        (Json::String(text), Type::Timestamp) => {
            let moment = timestamp(text).or_else(|| timestamp(&format!("{text}T00:00:00Z")));
            moment.map_or_else(|| Value::text(text), Value::Timestamp)
        }
        (json, _) => plain(json),
    }
}

/// The value of JSON that no schema declares.
pub(super) fn plain(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => Value::Int(whole),
            (None, Some(whole)) => Value::Uint(whole),
            (None, None) => Value::Double(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Value::text(text),
        Json::Array(items) => Value::list(items.iter().map(plain).collect()),
        Json::Object(fields) => {
            let entries =
                fields.iter().map(|(name, value)| (Key::String(name.as_str().into()), plain(value)));
            Value::Map(Arc::new(entries.collect()))
        }
    }
}

/// A regular expression, as Go reads it: without Unicode classes.
pub(super) fn regex(text: &str) -> Result<regex::Regex, regex::Error> {
    regex::Regex::new(text)
}

/// A moment (RFC 3339).
pub(super) fn timestamp(text: &str) -> Option<Timestamp> {
    // Go wants a `T` and a zone, both in capitals.
    let well_formed = text.len() >= 20 && text.as_bytes().get(10) == Some(&b'T');
    well_formed.then(|| text.parse().ok()).flatten()
}

/// A duration, as Go writes them: `1h30m`, `-1.5s`.
pub(super) fn duration(text: &str) -> Option<SignedDuration> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut nanos: i128 = 0;
    let mut rest = rest;
    if rest == "0" {
        return Some(SignedDuration::ZERO);
    }
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(end);
        let units: [(&str, i128); 8] = [
            ("ns", 1),
            ("us", 1_000),
            ("µs", 1_000),
            ("μs", 1_000),
            ("ms", 1_000_000),
            ("s", 1_000_000_000),
            ("m", 60_000_000_000),
            ("h", 3_600_000_000_000),
        ];
        let (name, unit) = units.into_iter().find(|(name, _)| after.starts_with(name))?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let digits = |text: &str| if text.is_empty() { Some(0) } else { text.parse::<i128>().ok() };
        let fraction = fraction.get(..fraction.len().min(18))?;
        let scale = 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        nanos = nanos
            .checked_add(digits(whole)?.checked_mul(unit)?)?
            .checked_add(digits(fraction)? * unit / scale)?;
        rest = &after[name.len()..];
    }
    let nanos = i64::try_from(if negative { -nanos } else { nanos }).ok()?;
    Some(SignedDuration::from_nanos(nanos))
}

/// Whether two values are equal: numbers by what they are, whatever their type.
pub(super) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Bytes(a), Value::Bytes(b)) => a == b,
        (Value::Type(a), Value::Type(b)) => a == b,
        (Value::Optional(a), Value::Optional(b)) => match (a, b) {
            (Some(a), Some(b)) => equal(a, b),
            (None, None) => true,
            _ => false,
        },
        (Value::List(a), Value::List(b)) => equal_lists(a, b),
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|((k, v), (l, w))| k == l && equal(v, w))
        }
        (Value::Quantity(a), Value::Quantity(b)) => a == b,
        (Value::Ip(a), Value::Ip(b)) => a == b,
        (Value::Cidr(a, m), Value::Cidr(b, n)) => a == b && m == n,
        (Value::Url(a), Value::Url(b)) => a == b,
        (Value::Semver(a), Value::Semver(b)) => a.order(b).is_eq(),
        (Value::Format(a), Value::Format(b)) => a == b,
        (a, b) => compare(a, b) == Some(Ordering::Equal),
    }
}

fn equal_lists(left: &List, right: &List) -> bool {
    let (a, b) = (&left.items, &right.items);
    if a.len() != b.len() {
        return false;
    }
    match &left.sort {
        Sort::Plain => a.iter().zip(b.iter()).all(|(a, b)| equal(a, b)),
        Sort::Set => a.iter().all(|item| b.iter().any(|other| equal(item, other))),
        Sort::ByKeys(keys) => {
            a.iter().all(|item| b.iter().any(|other| same_keys(item, other, keys) && equal(item, other)))
        }
    }
}

/// Whether two items of a list have the same keys.
pub(super) fn same_keys(left: &Value, right: &Value, keys: &[String]) -> bool {
    let (Value::Map(left), Value::Map(right)) = (left, right) else { return false };
    keys.iter().all(|key| {
        let key = Key::String(key.as_str().into());
        match (left.get(&key), right.get(&key)) {
            (Some(left), Some(right)) => equal(left, right),
            (None, None) => true,
            _ => false,
        }
    })
}

/// The order of two values, if they have one.
pub(super) fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Uint(a), Value::Uint(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Uint(b)) => Some(i128::from(*a).cmp(&i128::from(*b))),
        (Value::Uint(a), Value::Int(b)) => Some(i128::from(*a).cmp(&i128::from(*b))),
        (Value::Double(a), Value::Double(b)) => a.partial_cmp(b),
        (Value::Double(a), Value::Int(b)) => a.partial_cmp(&(*b as f64)),
        (Value::Int(a), Value::Double(b)) => (*a as f64).partial_cmp(b),
        (Value::Double(a), Value::Uint(b)) => a.partial_cmp(&(*b as f64)),
        (Value::Uint(a), Value::Double(b)) => (*a as f64).partial_cmp(b),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Bytes(a), Value::Bytes(b)) => Some(a.cmp(b)),
        (Value::Timestamp(a), Value::Timestamp(b)) => Some(a.cmp(b)),
        (Value::Duration(a), Value::Duration(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_go_does() {
        for (text, expected) in [
            ("1h", Some(3_600_000_000_000)),
            ("1h30m", Some(5_400_000_000_000)),
            ("-1.5s", Some(-1_500_000_000)),
            ("100ms", Some(100_000_000)),
            ("0", Some(0)),
            (".5s", Some(500_000_000)),
            ("1", None),
            ("", None),
            ("h", None),
            ("1d", None),
            ("999999999h", None),
        ] {
            assert_eq!(duration(text), expected.map(SignedDuration::from_nanos), "{text}");
        }
    }
}
