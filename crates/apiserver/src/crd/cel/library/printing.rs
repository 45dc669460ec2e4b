//! `'%s'.format([…])`.

use super::super::convert;
use super::super::eval::{Evaluated, Failure};
use super::super::types::Type;
use super::super::value::{Key, Value};
use super::texts::quote;

/// A part of a pattern that a value is put into.
pub(in super::super) struct Clause {
    verb: char,
    precision: Option<usize>,
    /// What stands before it.
    before: String,
}

/// The clauses of a pattern.
///
/// # Errors
/// If it is none.
pub(in super::super) fn clauses(pattern: &str) -> Result<Vec<Clause>, String> {
    split(pattern).map(|(clauses, _)| clauses)
}

/// The clauses, and what stands after the last.
fn split(pattern: &str) -> Result<(Vec<Clause>, String), String> {
    let (mut clauses, mut before) = (Vec::new(), String::new());
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            before.push(c);
            continue;
        }
        if chars.next_if_eq(&'%').is_some() {
            before.push('%');
            continue;
        }
        let mut precision = None;
        if chars.next_if_eq(&'.').is_some() {
            let mut digits = String::new();
            while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            let number = digits.parse::<usize>().map_err(|_| {
                format!(
                    "could not parse formatting clause: error while parsing precision: error while converting precision \
                     to integer: strconv.Atoi: parsing {digits:?}: invalid syntax"
                )
            })?;
            // No number has more digits.
            precision = Some(number.min(1000));
        }
        let verb = chars.next().ok_or("unexpected end of string")?;
        if !"sdfebxXo".contains(verb) {
            return Err(format!(
                "could not parse formatting clause: unrecognized formatting clause \"{verb}\""
            ));
        }
        clauses.push(Clause { verb, precision, before: std::mem::take(&mut before) });
    }
    Ok((clauses, before))
}

/// Puts values into a text.
pub(super) fn format(pattern: &str, values: &[Value]) -> Evaluated {
    let (clauses, after) = split(pattern).map_err(Failure::Error)?;
    let mut out = String::with_capacity(pattern.len());
    for (index, clause) in clauses.iter().enumerate() {
        let Some(value) = values.get(index) else {
            return Err(Failure::error(format!("index {index} out of range")));
        };
        out.push_str(&clause.before);
        out.push_str(&clause.print(value)?);
    }
    if values.len() > clauses.len() {
        let (expected, got) = (clauses.len(), values.len());
        let why = format!("too many arguments supplied to string.format (expected {expected}, got {got})");
        return Err(Failure::Error(why));
    }
    out.push_str(&after);
    Ok(Value::text(&out))
}

impl Clause {
    /// What values it takes.
    fn takes(&self) -> &'static str {
        match self.verb {
            'd' => "decimal clause can only be used on integers",
            'f' => "fixed-point clause can only be used on doubles",
            'e' => "scientific clause can only be used on doubles",
            'b' => "only integers and bools can be formatted as binary",
            'x' | 'X' => "only integers, byte buffers, and strings can be formatted as hex",
            'o' => "octal clause can only be used on integers",
            _ => {
                "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, \
                 and timestamps"
            }
        }
    }

    /// Why it takes no value of a type.
    pub(in super::super) fn refuses(&self, kind: &Type) -> Option<&'static str> {
        let fits = match (self.verb, kind) {
            (_, Type::Dyn | Type::Error | Type::Var(_) | Type::Param(_)) => true,
            ('s', Type::Object(_) | Type::Optional(_) | Type::Opaque(_)) => false,
            ('s', _) | ('d' | 'o' | 'b' | 'x' | 'X', Type::Int | Type::Uint) => true,
            ('b', Type::Bool) | ('x' | 'X', Type::String | Type::Bytes) | ('f' | 'e', Type::Double) => true,
            _ => false,
        };
        (!fits).then(|| self.takes())
    }

    fn print(&self, value: &Value) -> Result<String, Failure> {
        let refused = || {
            Failure::error(format!(
                "error during formatting: {}, was given {}",
                self.takes(),
                value.type_name()
            ))
        };
        Ok(match (self.verb, value) {
            ('s', value) => top(value).ok_or_else(refused)?,
            ('d' | 'b' | 'x' | 'X' | 'o', Value::Int(number)) => {
                let sign = if *number < 0 { "-" } else { "" };
                format!("{sign}{}", based(self.verb, number.unsigned_abs()))
            }
            ('d' | 'b' | 'x' | 'X' | 'o', Value::Uint(number)) => based(self.verb, *number),
            ('b', Value::Bool(flag)) => u8::from(*flag).to_string(),
            ('x' | 'X', Value::String(text)) => hex(self.verb, text.as_bytes()),
            ('x' | 'X', Value::Bytes(bytes)) => hex(self.verb, bytes),
            ('f', Value::Double(number)) => fixed(*number, self.precision.unwrap_or(6)),
            // The precision is not looked at, there as here.
            ('e', Value::Double(number)) => scientific(*number),
            _ => return Err(refused()),
        })
    }
}

fn based(verb: char, number: u64) -> String {
    match verb {
        'b' => format!("{number:b}"),
        'x' => format!("{number:x}"),
        'X' => format!("{number:X}"),
        'o' => format!("{number:o}"),
        _ => number.to_string(),
    }
}

fn hex(verb: char, bytes: &[u8]) -> String {
    let digits = |byte: &u8| if verb == 'x' { format!("{byte:02x}") } else { format!("{byte:02X}") };
    bytes.iter().map(digits).collect()
}

fn fixed(number: f64, precision: usize) -> String {
    match number {
        number if number.is_nan() => "NaN".to_owned(),
        number if number.is_infinite() => if number > 0.0 { "∞" } else { "-∞" }.to_owned(),
        number => format!("{number:.precision$}"),
    }
}

/// `1.500000×10⁰³`: the locale that Kubernetes prints with has it so.
fn scientific(number: f64) -> String {
    if !number.is_finite() {
        return fixed(number, 6);
    }
    let text = format!("{number:.6e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(("", exponent), |rest| ("⁻", rest));
    let raised: String = format!("{exponent:0>2}").chars().map(raised).collect();
    format!("{digits}×10{sign}{raised}")
}

fn raised(digit: char) -> char {
    let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    digit.to_digit(10).and_then(|digit| digits.get(digit as usize).copied()).unwrap_or(digit)
}

/// A value by itself.
fn top(value: &Value) -> Option<String> {
    match value {
        Value::List(_) | Value::Map(_) => inside(value),
        Value::Null => Some("null".to_owned()),
        Value::Type(name) => Some(name.to_string()),
        Value::Bytes(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        value => match convert::convert("string", value) {
            Ok(Value::String(text)) => Some(text.to_string()),
            _ => None,
        },
    }
}

/// A value in a list or map.
fn inside(value: &Value) -> Option<String> {
    Some(match value {
        Value::String(text) => quote(text),
        Value::Bytes(bytes) => format!("b{}", quote(&String::from_utf8_lossy(bytes))),
        Value::Double(number) => fixed(*number, 6),
        Value::Duration(_) => format!("duration({})", quote(&top(value)?)),
        Value::Timestamp(_) => format!("timestamp({})", quote(&top(value)?)),
        Value::List(list) => {
            let items = list.items.iter().map(inside).collect::<Option<Vec<_>>>()?;
            format!("[{}]", items.join(", "))
        }
        Value::Map(map) => {
            let entry =
                |(key, value): (&Key, &Value)| Some(format!("{}:{}", inside(&key.value())?, inside(value)?));
            format!("{{{}}}", map.iter().map(entry).collect::<Option<Vec<_>>>()?.join(", "))
        }
        value => top(value)?,
    })
}
