//! Values as Go prints them: error texts of Kubernetes have them inside, and clients read those texts.

use std::fmt::Write as _;

use serde_json::{Number, Value};

/// A string in Go's quotes (`%q`).
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            c if (c as u32) < 0x20 || c == '\u{7f}' => push(&mut out, format_args!("\\x{:02x}", c as u32)),
            c if c.is_control() || (c.is_whitespace() && c != ' ') => {
                push(&mut out, format_args!("\\u{:04x}", c as u32));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A value as `encoding/json` writes it: keys sorted, no spaces, and `<`, `>` and `&` escaped for HTML.
pub(crate) fn json(value: &Value) -> String {
    let mut out = String::new();
    write_json(&mut out, value);
    out
}

/// A value as `%v` writes it: `map[a:1 b:[x y]]`.
pub(crate) fn show(value: &Value) -> String {
    let mut out = String::new();
    write_show(&mut out, value);
    out
}

/// A number as `%v` writes it.
pub(crate) fn number(number: &Number) -> String {
    match (number.as_i64(), number.as_f64()) {
        (Some(whole), _) => whole.to_string(),
        (None, Some(float)) => self::float(float),
        (None, None) => number.to_string(),
    }
}

/// A float as `%v` writes it: shortest digits, an exponent below 1e-4 and from 1e6 on.
pub(crate) fn float(float: f64) -> String {
    with_exponent(float, 1e-4..1e6, 2)
}

/// The name that Go has for the type of a value.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "%!s(<nil>)",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing into a string does not fail.
    let _ = out.write_fmt(text);
}

fn write_json(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (None, Some(float)) => out.push_str(&with_exponent(float, 1e-6..1e21, 1)),
            _ => out.push_str(&number.to_string()),
        },
        Value::String(text) => json_string(out, text),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_json(out, item);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            out.push('{');
            for (index, (name, field)) in fields.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                json_string(out, name);
                out.push(':');
                write_json(out, field);
            }
            out.push('}');
        }
    }
}

fn json_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => push(out, format_args!("\\u{:04x}", c as u32)),
            c if (c as u32) < 0x20 => push(out, format_args!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn write_show(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("<nil>"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&self::number(number)),
        Value::String(text) => out.push_str(text),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(' ');
                }
                write_show(out, item);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            out.push_str("map[");
            for (index, (name, field)) in fields.iter().enumerate() {
                if index > 0 {
                    out.push(' ');
                }
                out.push_str(name);
                out.push(':');
                write_show(out, field);
            }
            out.push(']');
        }
    }
}

/// Rust prints the shortest digits too, but never an exponent. A negative one has at least so many digits.
fn with_exponent(float: f64, plain: std::ops::Range<f64>, digits: usize) -> String {
    if float == 0.0 || plain.contains(&float.abs()) {
        return format!("{float}");
    }
    let scientific = format!("{float:e}");
    match scientific.split_once('e') {
        Some((mantissa, exponent)) => match exponent.strip_prefix('-') {
            Some(exponent) => format!("{mantissa}e-{exponent:0>digits$}"),
            None => format!("{mantissa}e+{exponent:0>2}"),
        },
        None => scientific,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn strings_are_quoted_as_go_does() {
        for (text, expected) in [
            ("a", "\"a\""),
            ("a\"b\\c", "\"a\\\"b\\\\c\""),
            ("\u{0}\u{7f}\n\u{a0}é", "\"\\x00\\x7f\\n\\u00a0é\""),
        ] {
            assert_eq!(quote(text), expected);
        }
    }

    #[test]
    fn numbers_are_printed_as_go_does() {
        for (value, shown, written) in [
            (json!(1), "1", "1"),
            (json!(-0.5), "-0.5", "-0.5"),
            (json!(1e21), "1e+21", "1e+21"),
            (json!(1e20), "1e+20", "100000000000000000000"),
            (json!(1234567.5), "1.2345675e+06", "1234567.5"),
            (json!(0.00001), "1e-05", "0.00001"),
            (json!(1.5e-9), "1.5e-09", "1.5e-9"),
            (json!(u64::MAX), "1.8446744073709552e+19", "18446744073709552000"),
        ] {
            assert_eq!(show(&value), shown);
            assert_eq!(super::json(&value), written);
        }
    }

    #[test]
    fn maps_and_lists_are_printed_as_go_does() {
        let value = json!({"b": ["x", null, {"c": true}], "a": "<&>"});
        assert_eq!(show(&value), "map[a:<&> b:[x <nil> map[c:true]]]");
        assert_eq!(super::json(&value), r#"{"a":"\u003c\u0026\u003e","b":["x",null,{"c":true}]}"#);
    }
}
