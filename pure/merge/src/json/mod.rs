//! JSON as Kubernetes reads it: fields that stand twice are told, integers stay integers, and errors have Go's
//! words.

mod odd;
mod string;

use std::fmt;

use serde_json::{Map, Number, Value};

pub use odd::MAX_ODD;
use odd::Search;
pub(crate) use odd::Told;

/// How deep values may be nested. Go allows 10,000, but no object needs that, and every walk of it would
/// recurse as deep.
pub const MAX_DEPTH: usize = 512;

/// Why a text is not JSON. It displays as Go says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    message: String,
    /// How many bytes were read.
    pub offset: usize,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ParseError {}

/// A field that stands twice in one map: `spec.list[0].a`. The last one counts. It displays as the strict
/// decoder says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate(pub String);

impl fmt::Display for Duplicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "duplicate field {}", crate::go::quote(&self.0))
    }
}

/// Reads one value, and says which fields stand twice, each once and at most [`MAX_ODD`].
pub fn parse(bytes: &[u8]) -> Result<(Value, Vec<Duplicate>), ParseError> {
    let mut parser = Parser::new(bytes);
    let value = parser.value("looking for beginning of value")?;
    parser.space();
    match parser.peek() {
        None => Ok((value, parser.duplicates.into_paths().into_iter().map(Duplicate).collect())),
        Some(byte) => Err(parser.unexpected(byte, "after top-level value")),
    }
}

/// What a strict decoder of a built-in kind says, in the order of the text: fields that stand twice, and fields
/// that the kind does not have (as `Schema::prune` lists them); the first [`MAX_ODD`] of both. One that it does not
/// have is not said to stand twice.
pub fn strict(bytes: &[u8], duplicates: &[Duplicate], unknown: &[String]) -> Vec<String> {
    let told = |kind: &str, path: &str| format!("{kind} field {}", crate::go::quote(path));
    let inside = |path: &str| {
        unknown.iter().any(|above| {
            path.strip_prefix(above.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
    };
    let mut wanted: Vec<(&str, bool)> = unknown.iter().map(|path| (path.as_str(), false)).collect();
    wanted.extend(duplicates.iter().map(|found| (found.0.as_str(), true)).filter(|(path, _)| !inside(path)));
    let search = search(bytes, wanted.iter().map(|(path, _)| *path).collect());
    wanted.sort_by_cached_key(|(path, twice)| search.place(path, *twice));
    wanted.truncate(MAX_ODD);
    wanted.into_iter().map(|(path, twice)| told(if twice { "duplicate" } else { "unknown" }, path)).collect()
}

/// Looks for fields in a text that was read before: it has no errors.
fn search<'a>(bytes: &'a [u8], wanted: Vec<&'a str>) -> Search<'a> {
    let mut parser = Parser { search: Search::new(wanted), ..Parser::new(bytes) };
    let _ = parser.value("");
    parser.search
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    /// Where the value is, as duplicates are told.
    path: String,
    duplicates: Told,
    /// What somebody looks for.
    search: Search<'a>,
}

impl<'a> Parser<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Parser {
            bytes,
            at: 0,
            depth: 0,
            path: String::new(),
            duplicates: Told::default(),
            search: Search::new(Vec::new()),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn error(&self, message: String) -> ParseError {
        ParseError { message, offset: (self.at + 1).min(self.bytes.len()) }
    }

    fn unexpected(&self, byte: u8, context: &str) -> ParseError {
        let shown = match byte {
            b'\'' => r"'\''".to_owned(),
            b'"' => "'\"'".to_owned(),
            byte => {
                let quoted = crate::go::quote(&char::from(byte).to_string());
                format!("'{}'", &quoted[1..quoted.len() - 1])
            }
        };
        self.error(format!("invalid character {shown} {context}"))
    }

    fn end(&self) -> ParseError {
        self.error("unexpected end of JSON input".to_owned())
    }

    /// The next byte that is not white space must be one of these.
    fn expect(&mut self, wanted: &[u8], context: &str) -> Result<u8, ParseError> {
        self.space();
        match self.peek() {
            Some(byte) if wanted.contains(&byte) => {
                self.at += 1;
                Ok(byte)
            }
            Some(byte) => Err(self.unexpected(byte, context)),
            None => Err(self.end()),
        }
    }

    fn value(&mut self, context: &str) -> Result<Value, ParseError> {
        self.space();
        match self.peek() {
            None => Err(self.end()),
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => Ok(Value::String(self.string()?)),
            Some(b't') => self.literal("true", Value::Bool(true)),
            Some(b'f') => self.literal("false", Value::Bool(false)),
            Some(b'n') => self.literal("null", Value::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(byte) => Err(self.unexpected(byte, context)),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, ParseError>) -> Result<Value, ParseError> {
        if self.depth >= MAX_DEPTH {
            let byte = self.peek().unwrap_or_default();
            return Err(self.unexpected(byte, "exceeded max depth"));
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Result<Value, ParseError> {
        let mut fields = Map::new();
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Object(fields));
        }
        loop {
            self.space();
            let name = match self.peek() {
                Some(b'"') => self.string()?,
                Some(byte) => return Err(self.unexpected(byte, "looking for beginning of object key string")),
                None => return Err(self.end()),
            };
            self.expect(b":", "after object key")?;
            let length = self.path.len();
            if length > 0 {
                self.path.push('.');
            }
            self.path.push_str(&name);
            if fields.contains_key(&name) {
                self.duplicates.tell(&self.path);
            }
            let before = self.search.step(&self.path, length);
            self.search.at_field(&self.path);
            let value = self.value("looking for beginning of value")?;
            self.search.back(before);
            self.path.truncate(length);
            fields.insert(name, value);
            if self.expect(b",}", "after object key:value pair")? == b'}' {
                return Ok(Value::Object(fields));
            }
        }
    }

    fn array(&mut self) -> Result<Value, ParseError> {
        let mut items = Vec::new();
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::Array(items));
        }
        loop {
            let length = self.path.len();
            self.path.push_str(&format!("[{}]", items.len()));
            let before = self.search.step(&self.path, length);
            let item = self.value("looking for beginning of value")?;
            self.search.back(before);
            self.path.truncate(length);
            items.push(item);
            if self.expect(b",]", "after array element")? == b']' {
                return Ok(Value::Array(items));
            }
        }
    }

    fn literal(&mut self, text: &str, value: Value) -> Result<Value, ParseError> {
        for expected in text.bytes() {
            match self.peek() {
                Some(byte) if byte == expected => self.at += 1,
                Some(byte) => {
                    let context = format!("in literal {text} (expecting '{}')", char::from(expected));
                    return Err(self.unexpected(byte, &context));
                }
                None => return Err(self.end()),
            }
        }
        Ok(value)
    }

    fn digits(&mut self, context: &str) -> Result<(), ParseError> {
        match self.peek() {
            Some(b'0'..=b'9') => {}
            Some(byte) => return Err(self.unexpected(byte, context)),
            None => return Err(self.end()),
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Value, ParseError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        // A zero stands alone.
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits("in numeric literal")?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits("after decimal point in numeric literal")?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits("in exponent of numeric literal")?;
        }
        let text = String::from_utf8_lossy(&self.bytes[start..self.at]);
        convert(&text).ok_or_else(|| {
            self.error(format!("json: cannot unmarshal number {text} into Go value of type float64"))
        })
    }
}

/// An integer if it is one and fits, as Go; otherwise a float. A float without a fraction becomes an integer
/// too: Go writes it as one, and reads it back so.
fn convert(text: &str) -> Option<Value> {
    if let Ok(whole) = text.parse::<i64>() {
        return Some(whole.into());
    }
    let float: f64 = text.parse().ok().filter(|float: &f64| float.is_finite())?;
    if float.fract() == 0.0 && float.abs() < 9.0e15 {
        return Some((float as i64).into());
    }
    Number::from_f64(float).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn good(text: &str) -> Value {
        let (value, duplicates) = parse(text.as_bytes()).unwrap();
        assert!(duplicates.is_empty(), "{duplicates:?}");
        value
    }

    #[test]
    fn values_are_read() {
        let text = " {\"a\": [1, -2.5, 1e3, true, false, null, \"x\\n\\u00e9\\ud83d\\ude00\"], \"b\": {}, \"c\": []} ";
        assert_eq!(good(text), json!({"a": [1, -2.5, 1000, true, false, null, "x\né😀"], "b": {}, "c": []}));
    }

    #[test]
    fn numbers_are_those_of_go() {
        assert!(good("9223372036854775807").is_i64());
        assert_eq!(good("9223372036854775808"), json!(9_223_372_036_854_775_808.0));
        assert_eq!(good("1.0"), json!(1));
        assert_eq!(good("-0"), json!(0));
        assert_eq!(good("0.1"), json!(0.1));
        assert_eq!(
            parse(b"1e999").unwrap_err().to_string(),
            "json: cannot unmarshal number 1e999 into Go value of type float64"
        );
    }

    #[test]
    fn what_stands_twice_is_told_with_its_path() {
        let text = br#"{"a": 1, "spec": {"l": [{"x": 1, "x": 2, "x": 3}]}, "a": 2}"#;
        let (value, duplicates) = parse(text).unwrap();
        assert_eq!(value, json!({"a": 2, "spec": {"l": [{"x": 3}]}}));
        let told: Vec<_> = duplicates.iter().map(ToString::to_string).collect();
        assert_eq!(told, ["duplicate field \"spec.l[0].x\"", "duplicate field \"a\""]);
    }

    fn fields(count: usize) -> String {
        (0..count).map(|number| format!("\"f{number:06}\":0")).collect::<Vec<_>>().join(",")
    }

    #[test]
    fn odd_fields_are_told_in_the_order_of_the_text() {
        let text =
            br#"{"z":{"q":1},"a":{"l":[{"x":1,"x":2},{"u":1}],"x.y":1,"x":{"y":1}},"a":{"l":[]},"":0}"#;
        let (_, duplicates) = parse(text).unwrap();
        let unknown = ["", "a.l[1].u", "a.nowhere", "a.x.y", "z"].map(str::to_owned);
        assert_eq!(
            strict(text, &duplicates, &unknown),
            [
                r#"unknown field "z""#,
                r#"duplicate field "a.l[0].x""#,
                r#"unknown field "a.l[1].u""#,
                r#"unknown field "a.x.y""#,
                r#"duplicate field "a""#,
                r#"unknown field """#,
                r#"unknown field "a.nowhere""#,
            ]
        );
    }

    #[test]
    fn no_more_than_a_hundred_odd_fields_are_told() {
        let text = format!("{{{0},{0}}}", fields(150));
        let (_, duplicates) = parse(text.as_bytes()).unwrap();
        assert_eq!(duplicates.len(), MAX_ODD);
        let unknown: Vec<_> = (0..150).rev().map(|number| format!("f{number:06}")).collect();
        let told = strict(text.as_bytes(), &duplicates, &unknown);
        assert_eq!(told.len(), MAX_ODD);
        assert_eq!((&*told[0], &*told[99]), (r#"unknown field "f000000""#, r#"unknown field "f000099""#));
    }

    /// A path for each field below a name as long as all of them would be their square.
    #[test]
    fn long_names_are_not_repeated_for_all_that_is_below_them() {
        let long = "x".repeat(1 << 20);
        let below = fields(10_000);
        let text = format!(r#"{{"{long}":{{{below},{below}}},"odd":0}}"#);
        let (_, duplicates) = parse(text.as_bytes()).unwrap();
        let bytes: usize = duplicates.iter().map(|duplicate| duplicate.0.len()).sum();
        assert!(bytes < 16 << 20 && !duplicates.is_empty(), "{bytes} bytes of paths");
        let search = search(text.as_bytes(), vec![&long, "odd"]);
        assert_eq!((search.place(&long, false), search.place("odd", false)), (0, 20_001));
        assert!(search.compared < 8 * text.len(), "{} bytes were compared", search.compared);
        let deep = format!("{long}.f000003");
        let search = super::search(text.as_bytes(), vec![&deep]);
        assert_eq!((search.place(&deep, false), search.place(&deep, true)), (4, 10_004));
        assert!(search.compared < 8 * text.len(), "{} bytes were compared", search.compared);
    }

    #[test]
    fn errors_are_worded_as_go_does() {
        for (text, expected) in [
            ("", "unexpected end of JSON input"),
            ("{", "unexpected end of JSON input"),
            ("x", "invalid character 'x' looking for beginning of value"),
            ("{\"a\" 1}", "invalid character '1' after object key"),
            ("{\"a\": 1 \"b\"}", "invalid character '\"' after object key:value pair"),
            ("{a: 1}", "invalid character 'a' looking for beginning of object key string"),
            ("{\"a\": 1,}", "invalid character '}' looking for beginning of object key string"),
            ("[1 2]", "invalid character '2' after array element"),
            ("[1,]", "invalid character ']' looking for beginning of value"),
            ("tru", "unexpected end of JSON input"),
            ("nulx", "invalid character 'x' in literal null (expecting 'l')"),
            ("1 2", "invalid character '2' after top-level value"),
            ("01", "invalid character '1' after top-level value"),
            ("-a", "invalid character 'a' in numeric literal"),
            ("1.a", "invalid character 'a' after decimal point in numeric literal"),
            ("1ea", "invalid character 'a' in exponent of numeric literal"),
            ("\"\\q\"", "invalid character 'q' in string escape code"),
            ("\"\\u12g4\"", "invalid character 'g' in \\u hexadecimal character escape"),
            ("\"a\nb\"", "invalid character '\\n' in string literal"),
            ("'", "invalid character '\\'' looking for beginning of value"),
        ] {
            assert_eq!(parse(text.as_bytes()).unwrap_err().to_string(), expected, "{text}");
        }
        let deep = "[".repeat(MAX_DEPTH + 1);
        assert_eq!(
            parse(deep.as_bytes()).unwrap_err().to_string(),
            "invalid character '[' exceeded max depth"
        );
    }

    #[test]
    fn what_is_not_unicode_is_replaced() {
        assert_eq!(parse(b"\"a\xffb\"").unwrap().0, json!("a\u{fffd}b"));
        assert_eq!(good(r#""\ud800x""#), json!("\u{fffd}x"));
        assert_eq!(good(r#""\ud800\u0041""#), json!("\u{fffd}A"));
    }
}
