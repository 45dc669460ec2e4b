//! What a schema says to rules: the types of values, and how large they can be.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::types::Type;

/// No request is larger.
const REQUEST: u64 = 3 * 1024 * 1024;
/// The longest moment or duration, with its quotes.
const MOMENT: u64 = 32;
const DATE: u64 = 12;

/// Words that a field's name may not be.
const RESERVED: &[&str] = &[
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// The type that a schema declares.
#[derive(Debug)]
pub(super) struct Declared {
    pub(super) shape: Shape,
    /// How errors call it.
    pub(super) name: String,
    /// The most items, entries or bytes that it can have.
    pub(super) most: u64,
    /// The least bytes that it takes in JSON.
    least_bytes: u64,
}

#[derive(Debug)]
pub(super) enum Shape {
    Simple(Type),
    List(Arc<Declared>),
    Map(Arc<Declared>),
    /// By the name that rules use.
    Object(BTreeMap<String, Arc<Declared>>),
}

impl Declared {
    /// What a schema declares; nothing if rules cannot see it.
    pub(super) fn of(schema: &Value, root: bool) -> Option<Arc<Declared>> {
        Self::named(schema, root, "selfType")
    }

    /// A type that is not of a schema, by its name.
    pub(super) fn known_as(kind: Type) -> Arc<Declared> {
        simple(kind, 0, 2)
    }

    /// An object of these fields.
    pub(super) fn of_fields(name: &str, fields: BTreeMap<String, Arc<Declared>>) -> Arc<Declared> {
        Arc::new(Declared { shape: Shape::Object(fields), name: name.to_owned(), most: 0, least_bytes: 2 })
    }

    /// What a schema declares, by this name.
    pub(super) fn named(schema: &Value, root: bool, name: &str) -> Option<Arc<Declared>> {
        let fields = schema.as_object()?;
        if flag(fields, "x-kubernetes-int-or-string") {
            let most = whole(fields, "maxLength").map_or(REQUEST - 2, |length| length.saturating_mul(4));
            return Some(simple(Type::Dyn, most, 1));
        }
        match fields.get("type").and_then(Value::as_str).unwrap_or(if root { "object" } else { "" }) {
            "array" => Self::list(fields, name),
            "object" => Self::object(fields, root, name),
            "string" => Some(Self::text(fields)),
            "boolean" => Some(simple(Type::Bool, 0, 4)),
            "number" => Some(simple(Type::Double, 0, 1)),
            "integer" => Some(simple(Type::Int, 0, 1)),
            _ => None,
        }
    }

    fn list(fields: &Map<String, Value>, name: &str) -> Option<Arc<Declared>> {
        let item = child(fields.get("items")?, &format!("{name}.@idx"))?;
        let most = whole(fields, "maxItems").unwrap_or((REQUEST - 2) / (item.least_bytes + 1));
        Some(Arc::new(Declared { shape: Shape::List(item), name: name.to_owned(), most, least_bytes: 2 }))
    }

    fn object(fields: &Map<String, Value>, root: bool, name: &str) -> Option<Arc<Declared>> {
        if let Some(values) = fields.get("additionalProperties").filter(|value| value.is_object()) {
            let value = child(values, &format!("{name}.@elem"))?;
            let most = whole(fields, "maxProperties").unwrap_or((REQUEST - 2) / (value.least_bytes + 6));
            return Some(Arc::new(Declared {
                shape: Shape::Map(value),
                name: name.to_owned(),
                most,
                least_bytes: 2,
            }));
        }
        let required: Vec<&str> = fields
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut declared = BTreeMap::new();
        let mut least_bytes = 2;
        for (property, schema) in fields.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let escaped = escape(property);
            let below = format!("{name}.{}", escaped.as_deref().unwrap_or(property));
            let Some(kind) = child(schema, &below) else { continue };
            if required.contains(&property.as_str()) && schema.get("default").is_none() {
                least_bytes += property.len() as u64 + kind.least_bytes + 4;
            }
            if let Some(escaped) = escaped {
                declared.insert(escaped, kind);
            }
        }
        if root {
            let text = || simple(Type::String, REQUEST - 2, 2);
            declared.insert("kind".to_owned(), text());
            declared.insert("apiVersion".to_owned(), text());
            let inner = BTreeMap::from([("name".to_owned(), text()), ("generateName".to_owned(), text())]);
            let name = format!("{name}.metadata");
            let metadata = Declared { shape: Shape::Object(inner), name, most: 0, least_bytes: 2 };
            declared.insert("metadata".to_owned(), Arc::new(metadata));
        }
        Some(Arc::new(Declared {
            shape: Shape::Object(declared),
            name: name.to_owned(),
            most: 0,
            least_bytes,
        }))
    }

    fn text(fields: &Map<String, Value>) -> Arc<Declared> {
        let length = whole(fields, "maxLength");
        match fields.get("format").and_then(Value::as_str).unwrap_or_default() {
            "byte" => simple(Type::Bytes, length.unwrap_or(REQUEST - 2), 2),
            "duration" => simple(Type::Duration, MOMENT, 3),
            "date" => simple(Type::Timestamp, DATE, DATE),
            "date-time" => simple(Type::Timestamp, MOMENT, 21),
            _ => {
                let choices = fields.get("enum").and_then(Value::as_array).filter(|all| !all.is_empty());
                let longest = choices.map(|all| all.iter().filter_map(Value::as_str).map(str::len).max());
                let longest = longest.map(|longest| longest.unwrap_or(0) as u64);
                let most = length.map(|length| length.saturating_mul(4)).or(longest).unwrap_or(REQUEST - 2);
                simple(Type::String, most, 2)
            }
        }
    }

    /// Its type.
    pub(super) fn kind(self: &Arc<Self>) -> Type {
        match &self.shape {
            Shape::Simple(kind) => kind.clone(),
            Shape::List(item) => Type::list(item.kind()),
            Shape::Map(value) => Type::map(Type::String, value.kind()),
            Shape::Object(_) => Type::Object(Arc::clone(self)),
        }
    }

    /// How often it can be in one request, if nothing else bounds it.
    pub(super) fn most_times(&self) -> u64 {
        REQUEST / (self.least_bytes + 1)
    }

    /// What is there, one step further: a field, or `@items`, `@values`, `@keys`.
    pub(super) fn step(&self, name: &str) -> Option<Arc<Declared>> {
        match (&self.shape, name) {
            (Shape::List(item), "@items" | "@values") | (Shape::Map(item), "@items" | "@values") => {
                Some(Arc::clone(item))
            }
            (Shape::Map(_), "@keys") => Some(simple(Type::String, 0, 2)),
            (Shape::Object(fields), name) => fields.get(name).cloned(),
            _ => None,
        }
    }
}

fn child(schema: &Value, name: &str) -> Option<Arc<Declared>> {
    Declared::named(schema, is_embedded(schema), name)
}

/// A resource stands there.
pub(super) fn is_embedded(schema: &Value) -> bool {
    schema.get("x-kubernetes-embedded-resource").and_then(Value::as_bool) == Some(true)
}

fn simple(kind: Type, most: u64, least_bytes: u64) -> Arc<Declared> {
    Arc::new(Declared { shape: Shape::Simple(kind), name: String::new(), most, least_bytes })
}

fn flag(fields: &Map<String, Value>, name: &str) -> bool {
    fields.get(name).and_then(Value::as_bool) == Some(true)
}

fn whole(fields: &Map<String, Value>, name: &str) -> Option<u64> {
    fields.get(name).and_then(Value::as_i64).map(|number| u64::try_from(number).unwrap_or(0))
}

/// Whether it is a word of the language.
pub(super) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// The field that a rule names: words of the language may be written as they are.
pub(super) fn spelled(name: &str) -> std::borrow::Cow<'_, str> {
    if RESERVED.contains(&name) { format!("__{name}__").into() } else { name.into() }
}

/// The name by which rules know a field; none if they cannot.
pub(super) fn escape(name: &str) -> Option<String> {
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if RESERVED.contains(&name) {
        return Some(format!("__{name}__"));
    }
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("__") {
            out.push_str("__underscores__");
            rest = after;
            continue;
        }
        match c {
            '.' => out.push_str("__dot__"),
            '-' => out.push_str("__dash__"),
            '/' => out.push_str("__slash__"),
            c if c.is_ascii_alphanumeric() || c == '_' => out.push(c),
            _ => return None,
        }
        rest = &rest[c.len_utf8()..];
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_as_kubernetes_does() {
        for (name, expected) in [
            ("a", Some("a")),
            ("a_b", Some("a_b")),
            ("a__b", Some("a__underscores__b")),
            ("a-b.c/d", Some("a__dash__b__dot__c__slash__d")),
            ("namespace", Some("__namespace__")),
            ("default", Some("default")),
            ("1a", None),
            ("a b", None),
            ("$ref", None),
        ] {
            assert_eq!(escape(name).as_deref(), expected, "{name}");
        }
    }
}
