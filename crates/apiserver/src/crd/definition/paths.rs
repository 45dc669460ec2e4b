//! Paths into a schema, as selectable fields and the errors of rules name them: `.spec.name`, `.map['a.b']`.

use serde_json::Value;

/// Where a path leads: itself as errors print it, its first field, and the schema there.
pub(in crate::crd) struct Place<'a> {
    pub(in crate::crd) path: String,
    pub(in crate::crd) root: String,
    pub(in crate::crd) schema: &'a Value,
}

/// Follows a path. `keys` says whether `['key']` may stand in it.
///
/// # Errors
/// Why it leads nowhere.
pub(in crate::crd) fn follow<'a>(path: &str, schema: &'a Value, keys: bool) -> Result<Place<'a>, String> {
    let mut place = Place { path: String::new(), root: String::new(), schema };
    let mut tokens = Tokens { rest: path };
    while let Some(token) = tokens.next() {
        match token {
            "." => {
                let name = tokens.next().ok_or("unexpected end of JSON path")?;
                place.step(name)?;
            }
            "[" if !keys => return Err("array notation is not allowed".to_owned()),
            "[" => {
                let quoted = tokens.next().ok_or("unexpected end of JSON path")?;
                let inner = quoted.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
                let inner = inner.filter(|_| quoted.len() >= 2);
                let inner = inner.ok_or_else(|| format!("expected single quoted string but got {quoted}"))?;
                place.step(&unescape(inner)?)?;
                match tokens.next() {
                    None => return Err("unexpected end of JSON path".to_owned()),
                    Some("]") => {}
                    Some(other) => return Err(format!("expected ] but got {other}")),
                }
            }
            other => return Err(format!("expected [ or . but got: {other}")),
        }
    }
    Ok(place)
}

impl Place<'_> {
    fn step(&mut self, name: &str) -> Result<(), String> {
        const NOWHERE: &str = "does not refer to a valid field";
        let properties =
            self.schema.get("properties").and_then(Value::as_object).filter(|all| !all.is_empty());
        if let Some(properties) = properties {
            self.schema = properties.get(name).ok_or(NOWHERE)?;
            if !self.path.is_empty() {
                self.path.push('.');
            }
            self.path.push_str(name);
        } else {
            self.schema =
                self.schema.get("additionalProperties").filter(|value| value.is_object()).ok_or(NOWHERE)?;
            self.path.push_str(&format!("[{name}]"));
        }
        if self.root.is_empty() {
            self.root = name.to_owned();
        }
        Ok(())
    }
}

/// Dots and brackets, and what is between them; quotes hide them.
struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest;
        let first = rest.chars().next()?;
        let end = match first {
            '.' | '[' | ']' => 1,
            '\'' => quoted_end(rest),
            _ => rest.find(['.', '[', ']']).unwrap_or(rest.len()),
        };
        let (token, rest) = rest.split_at(end);
        self.rest = rest;
        Some(token)
    }
}

fn quoted_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    (1..bytes.len()).find(|&i| bytes[i] == b'\'' && bytes[i - 1] != b'\\').map_or(text.len(), |end| end + 1)
}

fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        out.push(match chars.next() {
            Some('a') => '\u{7}',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('v') => '\u{b}',
            Some(c @ ('\'' | '\\')) => c,
            Some(c) => return Err(format!("invalid string literal: invalid escape char \\{c}")),
            None => '\\',
        });
    }
    Ok(out)
}
