//! From a message to the JSON that a client would have sent instead.
//!
//! Go writes every field that is no pointer, also if it is empty; what is empty is dropped later, by the same
//! rules as from JSON (see `builtin::shape`).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::Malformed;
use super::table::{Count, Field, Message, Special, Table, Type};
use super::wire::{Reader, Wire};
use crate::time::{Micros, Moment};

/// How deep messages may nest: schemas of definitions contain themselves.
const DEPTH: usize = 100;

/// The JSON object of a message.
///
/// # Errors
/// If the bytes are not such a message, or nest too deep.
pub(super) fn object(
    table: &Table,
    message: &Message,
    bytes: &[u8],
) -> Result<Map<String, Value>, Malformed> {
    let mut json = Map::new();
    fields(table, message, bytes, DEPTH, &mut json)?;
    Ok(json)
}

fn fields(
    table: &Table,
    message: &Message,
    bytes: &[u8],
    depth: usize,
    json: &mut Map<String, Value>,
) -> Result<(), Malformed> {
    let depth = depth.checked_sub(1).ok_or(Malformed::Deep)?;
    let mut reader = Reader::new(bytes);
    while let Some((number, wire)) = reader.next()? {
        // What a newer client knows and we do not is dropped, as by Go.
        let Ok(index) = message.fields.binary_search_by_key(&number, |field| field.number) else { continue };
        field(table, &message.fields[index], wire, depth, json)?;
    }
    Ok(())
}

fn field(
    table: &Table,
    field: &Field,
    wire: Wire<'_>,
    depth: usize,
    json: &mut Map<String, Value>,
) -> Result<(), Malformed> {
    if let (Type::Message(inlined), true) = (field.kind, field.inline) {
        return fields(table, table.at(inlined), bytes(wire)?, depth, json);
    }
    match field.count {
        Count::One => {
            let value = value(table, field.kind, wire, depth)?;
            json.insert(field.name.as_ref().into(), value);
        }
        Count::List => {
            let list = json.entry(field.name.as_ref()).or_insert_with(|| json!([]));
            let Value::Array(list) = list else { return Err(Malformed::Wire) };
            match (field.kind, wire) {
                // Numbers may come packed.
                (
                    Type::Int32 | Type::Int64 | Type::Uint32 | Type::Uint64 | Type::Bool,
                    Wire::Bytes(packed),
                ) => {
                    list.extend(unpack(field.kind, packed)?);
                }
                _ => list.push(value(table, field.kind, wire, depth)?),
            }
        }
        Count::Map => {
            let (key, value) = entry(table, field.kind, bytes(wire)?, depth)?;
            let map = json.entry(field.name.as_ref()).or_insert_with(|| json!({}));
            let Value::Object(map) = map else { return Err(Malformed::Wire) };
            map.insert(key, value);
        }
    }
    Ok(())
}

fn unpack(kind: Type, packed: &[u8]) -> Result<Vec<Value>, Malformed> {
    // A packed list is varints only: put a tag before each, by reading them as a field's value.
    let mut values = Vec::new();
    let mut start = 0;
    for (index, byte) in packed.iter().enumerate() {
        if *byte < 0x80 {
            let mut one = vec![0x08];
            one.extend_from_slice(&packed[start..=index]);
            let Some((_, wire)) = Reader::new(&one).next()? else { return Err(Malformed::Wire) };
            values.push(scalar(kind, wire)?);
            start = index + 1;
        }
    }
    if start == packed.len() { Ok(values) } else { Err(Malformed::Wire) }
}

fn entry(table: &Table, kind: Type, message: &[u8], depth: usize) -> Result<(String, Value), Malformed> {
    let (mut key, mut found) = (String::new(), None);
    let mut reader = Reader::new(message);
    while let Some((number, wire)) = reader.next()? {
        match number {
            1 => key = text(wire)?,
            2 => found = Some(value(table, kind, wire, depth)?),
            _ => {}
        }
    }
    let found = match (found, kind) {
        (Some(found), _) => found,
        (None, Type::Message(_)) => value(table, kind, Wire::Bytes(&[]), depth)?,
        (None, Type::String | Type::Bytes) => "".into(),
        (None, Type::Bool) => false.into(),
        (None, _) => 0.into(),
    };
    Ok((key, found))
}

fn value(table: &Table, kind: Type, wire: Wire<'_>, depth: usize) -> Result<Value, Malformed> {
    let Type::Message(index) = kind else { return scalar(kind, wire) };
    let (message, bytes) = (table.at(index), bytes(wire)?);
    match message.special {
        None => {
            let mut json = Map::new();
            fields(table, message, bytes, depth, &mut json)?;
            Ok(Value::Object(json))
        }
        Some(special) => {
            let mut parts = Map::new();
            fields(table, message, bytes, depth, &mut parts)?;
            convert(special, parts, bytes)
        }
    }
}

fn scalar(kind: Type, wire: Wire<'_>) -> Result<Value, Malformed> {
    Ok(match (kind, wire) {
        (Type::String, _) => text(wire)?.into(),
        (Type::Bytes, _) => STANDARD.encode(bytes(wire)?).into(),
        (Type::Bool, Wire::Varint(value)) => (value != 0).into(),
        // Signed numbers are written as their two's complement with 64 bits.
        (Type::Int32, Wire::Varint(value)) => (value.cast_signed() as i32).into(),
        (Type::Int64, Wire::Varint(value)) => value.cast_signed().into(),
        (Type::Uint32, Wire::Varint(value)) => (value as u32).into(),
        (Type::Uint64, Wire::Varint(value)) => value.into(),
        (Type::Double, Wire::Fixed64(bits)) => float(f64::from_bits(bits)),
        (Type::Float, Wire::Fixed32(bits)) => float(f32::from_bits(bits).into()),
        _ => return Err(Malformed::Wire),
    })
}

/// Go writes whole numbers without a point.
fn float(value: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT { (value as i64).into() } else { value.into() }
}

/// The JSON of a message that is no object of its fields; `parts` are these fields.
fn convert(special: Special, mut parts: Map<String, Value>, bytes: &[u8]) -> Result<Value, Malformed> {
    let mut part = |name: &str| parts.remove(name).unwrap_or(Value::Null);
    Ok(match special {
        Special::StringList => list(part("items")),
        Special::Quantity => match part("string") {
            Value::String(text) if !text.is_empty() => text.into(),
            _ => "0".into(),
        },
        Special::Duration => duration(part("duration").as_i64().unwrap_or(0)).into(),
        Special::Time | Special::MicroTime => {
            let (seconds, nanos) =
                (part("seconds").as_i64().unwrap_or(0), part("nanos").as_i64().unwrap_or(0));
            if (seconds, nanos) == (0, 0) {
                Value::Null
            } else if special == Special::Time {
                Moment::at_unix_s(seconds).to_string().into()
            } else {
                Micros::from_s(seconds, nanos).to_string().into()
            }
        }
        Special::IntOrString => match part("type").as_i64() {
            Some(1) => part("strVal"),
            _ => match part("intVal") {
                Value::Null => 0.into(),
                number => number,
            },
        },
        Special::Json | Special::FieldsV1 | Special::RawExtension => raw(bytes)?,
        Special::SchemaOrArray => match part("schema") {
            Value::Null => list(part("jSONSchemas")),
            schema => schema,
        },
        Special::SchemaOrBool => match part("schema") {
            Value::Null => part("allows"),
            schema => schema,
        },
        Special::SchemaOrStringArray => match part("schema") {
            Value::Null => list(part("property")),
            schema => schema,
        },
    })
}

fn list(value: Value) -> Value {
    if value.is_null() { json!([]) } else { value }
}

/// JSON in a field of bytes, the first of the message.
fn raw(message: &[u8]) -> Result<Value, Malformed> {
    let mut reader = Reader::new(message);
    while let Some((number, wire)) = reader.next()? {
        if number == 1 {
            let bytes = bytes(wire)?;
            return if bytes.is_empty() {
                Ok(Value::Null)
            } else {
                serde_json::from_slice(bytes).map_err(|_| Malformed::Json)
            };
        }
    }
    Ok(Value::Null)
}

/// As Go writes it: `1h2m3s`, `1.5s`, `100ms`, `0s`.
fn duration(nanos: i64) -> String {
    let (sign, left) = (if nanos < 0 { "-" } else { "" }, nanos.unsigned_abs());
    let fraction = |value: u64, unit: u64| {
        let mut text = (value / unit).to_string();
        let digits = unit.ilog10() as usize;
        let rest = format!("{:0digits$}", value % unit);
        let rest = rest.trim_end_matches('0');
        if unit > 1 && !rest.is_empty() {
            text.push('.');
            text.push_str(rest);
        }
        text
    };
    let text = match left {
        0 => return "0s".into(),
        1..1_000 => format!("{left}ns"),
        1_000..1_000_000 => format!("{}µs", fraction(left, 1_000)),
        1_000_000..1_000_000_000 => format!("{}ms", fraction(left, 1_000_000)),
        _ => {
            let (minutes, rest) = (left / 60_000_000_000, left % 60_000_000_000);
            let seconds = fraction(rest, 1_000_000_000);
            match (minutes / 60, minutes % 60) {
                (0, 0) => format!("{seconds}s"),
                (0, minutes) => format!("{minutes}m{seconds}s"),
                (hours, minutes) => format!("{hours}h{minutes}m{seconds}s"),
            }
        }
    };
    format!("{sign}{text}")
}

fn bytes(wire: Wire<'_>) -> Result<&[u8], Malformed> {
    match wire {
        Wire::Bytes(bytes) => Ok(bytes),
        _ => Err(Malformed::Wire),
    }
}

fn text(wire: Wire<'_>) -> Result<String, Malformed> {
    // Go does not look; JSON has to be UTF-8.
    Ok(String::from_utf8_lossy(bytes(wire)?).into_owned())
}
