//! Conversions between types.

use jiff::{SignedDuration, Timestamp};

use super::eval::{Evaluated, Failure};
use super::value::{self, Value};

/// The value as another type.
pub(super) fn convert(function: &str, value: &Value) -> Evaluated {
    match (function, value) {
        ("bool", Value::Bool(_))
        | ("int", Value::Int(_))
        | ("uint", Value::Uint(_))
        | ("double", Value::Double(_))
        | ("string", Value::String(_))
        | ("bytes", Value::Bytes(_))
        | ("duration", Value::Duration(_))
        | ("timestamp", Value::Timestamp(_)) => Ok(value.clone()),
        ("bool", Value::String(text)) => boolean(text),
        ("int", value) => int(value),
        ("uint", value) => uint(value),
        ("double", Value::Int(number)) => Ok(Value::Double(*number as f64)),
        ("double", Value::Uint(number)) => Ok(Value::Double(*number as f64)),
        ("double", Value::String(text)) => match text.parse() {
            Ok(number) => Ok(Value::Double(number)),
            Err(_) => Err(not_a("double")),
        },
        ("bytes", Value::String(text)) => Ok(Value::Bytes(text.as_bytes().into())),
        ("string", value) => string(value),
        ("duration", Value::String(text)) => match value::duration(text) {
            Some(length) => Ok(Value::Duration(length)),
            None => Err(not_a("google.protobuf.Duration")),
        },
        ("duration", Value::Int(nanos)) => Ok(Value::Duration(SignedDuration::from_nanos(*nanos))),
        ("timestamp", Value::String(text)) => match value::timestamp(text) {
            Some(moment) => Ok(Value::Timestamp(moment)),
            None => Err(not_a("google.protobuf.Timestamp")),
        },
        ("timestamp", Value::Int(seconds)) => match Timestamp::from_second(*seconds) {
            Ok(moment) => Ok(Value::Timestamp(moment)),
            Err(_) => Err(Failure::error("timestamp overflow")),
        },
        _ => Err(Failure::NoSuchOverload),
    }
}

fn not_a(kind: &str) -> Failure {
    Failure::error(format!("type conversion error from 'string' to '{kind}'"))
}

fn boolean(text: &str) -> Evaluated {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(Value::Bool(true)),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(Value::Bool(false)),
        _ => Err(not_a("bool")),
    }
}

fn int(value: &Value) -> Evaluated {
    let overflow = || Failure::error("integer overflow");
    match value {
        Value::Uint(number) => i64::try_from(*number).map(Value::Int).map_err(|_| overflow()),
        Value::Double(number) if number.is_finite() && number.abs() < 9_223_372_036_854_775_807.0 => {
            Ok(Value::Int(*number as i64))
        }
        Value::Double(_) => Err(overflow()),
        Value::String(text) => text.parse().map(Value::Int).map_err(|_| not_a("int")),
        Value::Timestamp(moment) => Ok(Value::Int(moment.as_second())),
        Value::Duration(length) => i64::try_from(length.as_nanos()).map(Value::Int).map_err(|_| overflow()),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn uint(value: &Value) -> Evaluated {
    let overflow = || Failure::error("unsigned integer overflow");
    match value {
        Value::Int(number) => u64::try_from(*number).map(Value::Uint).map_err(|_| overflow()),
        Value::Double(number) if *number >= 0.0 && *number < 18_446_744_073_709_551_615.0 => {
            Ok(Value::Uint(*number as u64))
        }
        Value::Double(_) => Err(overflow()),
        Value::String(text) => text.parse().map(Value::Uint).map_err(|_| not_a("uint")),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn string(value: &Value) -> Evaluated {
    let text = match value {
        Value::Bool(flag) => flag.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Uint(number) => number.to_string(),
        Value::Double(number) => double(*number),
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => return Err(Failure::error("invalid UTF-8 in bytes, cannot convert to string")),
        },
        Value::Timestamp(moment) => moment.to_string(),
        Value::Duration(length) => seconds(*length),
        Value::Ip(ip) => ip.to_string(),
        Value::Cidr(ip, bits) => format!("{ip}/{bits}"),
        _ => return Err(Failure::NoSuchOverload),
    };
    Ok(Value::text(&text))
}

/// Go's shortest form (`%g`): an exponent when it is small or large.
fn double(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && !(1e-4..1e21).contains(&size) && number.is_finite() {
        let text = format!("{number:e}");
        return match text.split_once('e') {
            Some((digits, exponent)) => match exponent.strip_prefix('-') {
                Some(exponent) => format!("{digits}e-{exponent:0>2}"),
                None => format!("{digits}e+{exponent:0>2}"),
            },
            None => text,
        };
    }
    if number.is_infinite() {
        return if number > 0.0 { "+Inf".to_owned() } else { "-Inf".to_owned() };
    }
    number.to_string()
}

/// `1.5s`: a duration in seconds.
fn seconds(length: SignedDuration) -> String {
    let nanos = length.subsec_nanos().unsigned_abs();
    let sign = if length.is_negative() { "-" } else { "" };
    let whole = length.as_secs().unsigned_abs();
    if nanos == 0 {
        return format!("{sign}{whole}s");
    }
    let fraction = format!("{nanos:09}");
    format!("{sign}{whole}.{}s", fraction.trim_end_matches('0'))
}
