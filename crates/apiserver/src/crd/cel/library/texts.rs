//! Functions of texts.

use super::super::eval::{Evaluated, Failure};
use super::super::value::{self, Value};

/// Calls one of them; nothing if it is none.
pub(super) fn call(function: &str, values: &[Value]) -> Option<Evaluated> {
    Some(match (function, values) {
        ("charAt", [Value::String(text), Value::Int(index)]) => char_at(text, *index),
        ("indexOf", [Value::String(text), Value::String(part)]) => index_of(text, part, 0),
        ("indexOf", [Value::String(text), Value::String(part), Value::Int(from)]) => {
            index_of(text, part, *from)
        }
        ("lastIndexOf", [Value::String(text), Value::String(part)]) => {
            let end = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
            last_index_of(text, part, if part.is_empty() { end } else { (end - 1).max(0) })
        }
        ("lastIndexOf", [Value::String(text), Value::String(part), Value::Int(from)]) => {
            last_index_of(text, part, *from)
        }
        ("lowerAscii", [Value::String(text)]) => Ok(Value::text(&text.to_ascii_lowercase())),
        ("upperAscii", [Value::String(text)]) => Ok(Value::text(&text.to_ascii_uppercase())),
        ("trim", [Value::String(text)]) => Ok(Value::text(text.trim())),
        ("replace", [Value::String(text), Value::String(from), Value::String(to)]) => {
            Ok(Value::text(&text.replace(&**from, to)))
        }
        ("replace", [Value::String(text), Value::String(from), Value::String(to), Value::Int(most)]) => {
            let replaced = match usize::try_from(*most) {
                Ok(most) => text.replacen(&**from, to, most),
                Err(_) => text.replace(&**from, to),
            };
            Ok(Value::text(&replaced))
        }
        ("split", [Value::String(text), Value::String(separator)]) => Ok(split(text, separator, -1)),
        ("split", [Value::String(text), Value::String(separator), Value::Int(most)]) => {
            Ok(split(text, separator, *most))
        }
        ("substring", [Value::String(text), Value::Int(start)]) => {
            substring(text, *start, i64::try_from(text.chars().count()).unwrap_or(i64::MAX), false)
        }
        ("substring", [Value::String(text), Value::Int(start), Value::Int(end)]) => {
            substring(text, *start, *end, true)
        }
        ("join", [Value::List(list)]) => join(&list.items, ""),
        ("join", [Value::List(list), Value::String(separator)]) => join(&list.items, separator),
        ("strings.quote", [Value::String(text)]) => Ok(Value::text(&quote(text))),
        ("find", [Value::String(text), Value::String(pattern)]) => value::regex(pattern)
            .map(|regex| Value::text(regex.find(text).map_or("", |found| found.as_str())))
            .map_err(|error| not_a_regex(&error)),
        ("findAll", [Value::String(text), Value::String(pattern)]) => find_all(text, pattern, -1),
        ("findAll", [Value::String(text), Value::String(pattern), Value::Int(most)]) => {
            find_all(text, pattern, *most)
        }
        _ => return None,
    })
}

/// What is said of a regular expression that is none.
pub(super) fn not_a_regex(error: &regex::Error) -> Failure {
    let text = error.to_string();
    let reason = text.lines().last().unwrap_or_default();
    Failure::error(format!("error parsing regexp: {}", reason.trim_start_matches("error: ")))
}

fn out_of_range<T>(index: i64) -> Result<T, Failure> {
    Err(Failure::error(format!("index out of range: {index}")))
}

fn char_at(text: &str, index: i64) -> Evaluated {
    let Ok(position) = usize::try_from(index) else { return out_of_range(index) };
    match text.chars().nth(position) {
        Some(c) => Ok(Value::text(c.encode_utf8(&mut [0; 4]))),
        None if text.chars().count() == position => Ok(Value::text("")),
        None => out_of_range(index),
    }
}

fn position(index: usize) -> Value {
    Value::Int(i64::try_from(index).unwrap_or(i64::MAX))
}

fn index_of(text: &str, part: &str, from: i64) -> Evaluated {
    let Ok(start) = usize::try_from(from) else { return out_of_range(from) };
    if part.is_empty() {
        return Ok(Value::Int(from));
    }
    let Some((offset, _)) = text.char_indices().nth(start) else { return Ok(Value::Int(-1)) };
    Ok(match text[offset..].find(part) {
        Some(found) => position(start + text[offset..offset + found].chars().count()),
        None => Value::Int(-1),
    })
}

/// The last place, not after `from`, where the part begins.
fn last_index_of(text: &str, part: &str, from: i64) -> Evaluated {
    let Ok(last) = usize::try_from(from) else { return out_of_range(from) };
    if part.is_empty() {
        return Ok(Value::Int(from));
    }
    if last >= text.chars().count() && !text.is_empty() {
        return Ok(Value::Int(-1));
    }
    let found = text
        .char_indices()
        .enumerate()
        .take(last + 1)
        .filter(|(_, (offset, _))| text[*offset..].starts_with(part));
    Ok(found.last().map_or(Value::Int(-1), |(index, _)| position(index)))
}

fn split(text: &str, separator: &str, most: i64) -> Value {
    let most = match most {
        0 => return Value::list(Vec::new()),
        most => usize::try_from(most).unwrap_or(usize::MAX),
    };
    if !separator.is_empty() {
        return Value::list(text.splitn(most, separator).map(Value::text).collect());
    }
    // Nothing separates every character from the next.
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = if parts.len() + 1 >= most { rest.len() } else { c.len_utf8() };
        let (part, after) = rest.split_at(end);
        parts.push(Value::text(part));
        rest = after;
    }
    Value::list(parts)
}

fn substring(text: &str, start: i64, end: i64, ranged: bool) -> Evaluated {
    let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    if ranged && start > end {
        return Err(Failure::error(format!("invalid substring range. start: {start}, end: {end}")));
    }
    for index in [start, end] {
        if index < 0 || index > length {
            return out_of_range(index);
        }
    }
    let (start, count) = (usize::try_from(start).unwrap_or(0), usize::try_from(end - start).unwrap_or(0));
    Ok(Value::text(&text.chars().skip(start).take(count).collect::<String>()))
}

fn join(items: &[Value], separator: &str) -> Evaluated {
    let mut texts = Vec::with_capacity(items.len());
    for item in items {
        let Value::String(text) = item else { return Err(Failure::NoSuchOverload) };
        texts.push(&**text);
    }
    Ok(Value::text(&texts.join(separator)))
}

fn find_all(text: &str, pattern: &str, most: i64) -> Evaluated {
    let regex = value::regex(pattern).map_err(|error| not_a_regex(&error))?;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    Ok(Value::list(regex.find_iter(text).take(most).map(|found| Value::text(found.as_str())).collect()))
}

/// A text in quotes, all that is special in it escaped.
pub(super) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
