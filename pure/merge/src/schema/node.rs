//! A schema, read once: what every walk looks at.

use std::collections::BTreeMap;
use std::sync::Arc;

use regex::Regex;
use serde_json::{Map, Value};

use super::rules::Rule;

/// The type of a value, as a schema names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Object,
    Array,
    String,
    Integer,
    Number,
    Boolean,
}

impl Type {
    pub(crate) fn parse(name: &str) -> Option<Type> {
        Some(match name {
            "object" => Type::Object,
            "array" => Type::Array,
            "string" => Type::String,
            "integer" => Type::Integer,
            "number" => Type::Number,
            "boolean" => Type::Boolean,
            _ => return None,
        })
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Type::Object => "object",
            Type::Array => "array",
            Type::String => "string",
            Type::Integer => "integer",
            Type::Number => "number",
            Type::Boolean => "boolean",
        }
    }
}

/// What a map may hold beside its named properties.
#[derive(Clone, Debug, Default)]
pub(crate) enum Additional {
    /// The schema does not say.
    #[default]
    Unsaid,
    /// Nothing.
    Denied,
    /// Anything.
    Any,
    /// Values of one kind.
    Of(Box<Node>),
}

impl Additional {
    pub(crate) fn schema(&self) -> Option<&Node> {
        match self {
            Additional::Of(node) => Some(node),
            _ => None,
        }
    }
}

/// How the items of a list are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListType {
    Atomic,
    Set,
    Map,
}

/// How a map is owned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MapType {
    Atomic,
    Granular,
}

/// A regular expression with its text, which complaints show.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    pub(crate) text: String,
    /// None if it does not compile; admission refuses it, and a stored one matches nothing.
    pub(crate) regex: Option<Regex>,
}

/// Limits of numbers, strings, lists and maps. Few nodes have any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bounds {
    pub(crate) maximum: Option<f64>,
    pub(crate) exclusive_maximum: bool,
    pub(crate) minimum: Option<f64>,
    pub(crate) exclusive_minimum: bool,
    pub(crate) multiple_of: Option<f64>,
    pub(crate) max_length: Option<i64>,
    pub(crate) min_length: Option<i64>,
    pub(crate) pattern: Option<Pattern>,
    pub(crate) max_items: Option<i64>,
    pub(crate) min_items: Option<i64>,
    pub(crate) unique_items: bool,
    pub(crate) max_properties: Option<i64>,
    pub(crate) min_properties: Option<i64>,
}

/// One schema, with those below it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    /// The name of the definition that stands here instead.
    pub(crate) reference: Option<String>,
    pub(crate) kind: Option<Type>,
    pub(crate) nullable: bool,
    pub(crate) format: String,
    pub(crate) properties: BTreeMap<String, Node>,
    pub(crate) additional: Additional,
    pub(crate) items: Option<Box<Node>>,
    pub(crate) required: Vec<String>,
    pub(crate) default: Option<Value>,
    pub(crate) enumeration: Vec<Value>,
    pub(crate) bounds: Option<Box<Bounds>>,
    pub(crate) all_of: Vec<Node>,
    pub(crate) any_of: Vec<Node>,
    pub(crate) one_of: Vec<Node>,
    pub(crate) not: Option<Box<Node>>,
    pub(crate) preserve: bool,
    pub(crate) embedded: bool,
    pub(crate) int_or_string: bool,
    pub(crate) list: Option<ListType>,
    pub(crate) map_keys: Vec<String>,
    pub(crate) map: Option<MapType>,
    pub(crate) patch_strategy: Option<String>,
    pub(crate) patch_merge_key: Option<String>,
    pub(crate) rules: Vec<Rule>,
    /// The schema as it was written, kept where there are rules: those who evaluate them need its types.
    pub(crate) source: Option<Arc<Value>>,
}

impl Node {
    /// Reads a schema. What is not understood is passed over: admission has refused it, or a later version
    /// of Kubernetes wrote it.
    pub(crate) fn parse(source: &Value) -> Node {
        let Value::Object(map) = source else { return Node::default() };
        let rules = Rule::parse_all(map);
        Node {
            reference: reference(map),
            kind: text(map, "type").and_then(Type::parse),
            nullable: flag(map, "nullable"),
            format: text(map, "format").unwrap_or_default().to_owned(),
            properties: properties(map),
            additional: additional(map),
            items: child(map, "items"),
            required: texts(map, "required"),
            default: map.get("default").filter(|value| !value.is_null()).cloned(),
            enumeration: list(map, "enum").to_vec(),
            bounds: bounds(map),
            all_of: nodes(map, "allOf"),
            any_of: nodes(map, "anyOf"),
            one_of: nodes(map, "oneOf"),
            not: child(map, "not"),
            preserve: flag(map, "x-kubernetes-preserve-unknown-fields"),
            embedded: flag(map, "x-kubernetes-embedded-resource"),
            int_or_string: flag(map, "x-kubernetes-int-or-string"),
            list: text(map, "x-kubernetes-list-type").and_then(list_type),
            map_keys: texts(map, "x-kubernetes-list-map-keys"),
            map: text(map, "x-kubernetes-map-type").and_then(map_type),
            patch_strategy: text(map, "x-kubernetes-patch-strategy").map(ToOwned::to_owned),
            patch_merge_key: text(map, "x-kubernetes-patch-merge-key").map(ToOwned::to_owned),
            source: (!rules.is_empty()).then(|| Arc::new(source.clone())),
            rules,
        }
    }

    /// Whether a null may stand here.
    pub(crate) fn refuses_null(&self) -> bool {
        !self.nullable
    }

    /// The schema of a named property, or that of all entries of a map.
    pub(crate) fn field(&self, name: &str) -> Option<&Node> {
        self.properties.get(name).or_else(|| self.additional.schema())
    }
}

pub(crate) fn text<'a>(map: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    map.get(key).and_then(Value::as_str)
}

pub(crate) fn flag(map: &Map<String, Value>, key: &str) -> bool {
    map.get(key).and_then(Value::as_bool).unwrap_or(false)
}

fn list<'a>(map: &'a Map<String, Value>, key: &str) -> &'a [Value] {
    map.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn texts(map: &Map<String, Value>, key: &str) -> Vec<String> {
    list(map, key).iter().filter_map(Value::as_str).map(ToOwned::to_owned).collect()
}

fn nodes(map: &Map<String, Value>, key: &str) -> Vec<Node> {
    list(map, key).iter().map(Node::parse).collect()
}

fn child(map: &Map<String, Value>, key: &str) -> Option<Box<Node>> {
    map.get(key).filter(|value| value.is_object()).map(|value| Box::new(Node::parse(value)))
}

fn properties(map: &Map<String, Value>) -> BTreeMap<String, Node> {
    let properties = map.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().map(|(name, value)| (name.clone(), Node::parse(value))).collect()
}

fn additional(map: &Map<String, Value>) -> Additional {
    match map.get("additionalProperties") {
        Some(Value::Bool(true)) => Additional::Any,
        Some(Value::Bool(false)) => Additional::Denied,
        Some(value @ Value::Object(_)) => Additional::Of(Box::new(Node::parse(value))),
        _ => Additional::Unsaid,
    }
}

/// OpenAPI v3 cannot have a description beside a `$ref`, so it is wrapped into an `allOf` of one.
fn reference(map: &Map<String, Value>) -> Option<String> {
    let here = |map: &Map<String, Value>| {
        let name = text(map, "$ref")?.rsplit('/').next()?;
        (!name.is_empty()).then(|| name.to_owned())
    };
    here(map).or_else(|| match list(map, "allOf") {
        [Value::Object(only)] => here(only),
        _ => None,
    })
}

fn list_type(name: &str) -> Option<ListType> {
    Some(match name {
        "atomic" => ListType::Atomic,
        "set" => ListType::Set,
        "map" => ListType::Map,
        _ => return None,
    })
}

fn map_type(name: &str) -> Option<MapType> {
    Some(match name {
        "atomic" => MapType::Atomic,
        "granular" => MapType::Granular,
        _ => return None,
    })
}

fn bounds(map: &Map<String, Value>) -> Option<Box<Bounds>> {
    const KEYS: &[&str] = &[
        "maximum",
        "minimum",
        "multipleOf",
        "maxLength",
        "minLength",
        "pattern",
        "maxItems",
        "minItems",
        "uniqueItems",
        "maxProperties",
        "minProperties",
    ];
    if !KEYS.iter().any(|key| map.contains_key(*key)) {
        return None;
    }
    let float = |key: &str| map.get(key).and_then(Value::as_f64);
    let whole = |key: &str| map.get(key).and_then(Value::as_i64);
    let pattern = text(map, "pattern").filter(|pattern| !pattern.is_empty());
    Some(Box::new(Bounds {
        maximum: float("maximum"),
        exclusive_maximum: flag(map, "exclusiveMaximum"),
        minimum: float("minimum"),
        exclusive_minimum: flag(map, "exclusiveMinimum"),
        multiple_of: float("multipleOf"),
        max_length: whole("maxLength"),
        min_length: whole("minLength"),
        pattern: pattern.map(|text| Pattern { text: text.to_owned(), regex: compile(text).ok() }),
        max_items: whole("maxItems"),
        min_items: whole("minItems"),
        unique_items: flag(map, "uniqueItems"),
        max_properties: whole("maxProperties"),
        min_properties: whole("minProperties"),
    }))
}

/// Compiles an expression as Go does: its `\d`, `\s`, `\w` and `\b` are ASCII, `\z` ends the text, and `\pN`
/// needs Unicode. The two syntaxes are otherwise one family (RE2).
pub(crate) fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    Regex::new(&translate(pattern))
}

/// Rust's `\d` is any Unicode digit, and its `\z` is the same; only the classes differ.
fn translate(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('d') => out.push_str(if in_class { "0-9" } else { "[0-9]" }),
                Some('w') => out.push_str(if in_class { "0-9A-Za-z_" } else { "[0-9A-Za-z_]" }),
                Some('s') => out.push_str(if in_class { r"\t\n\f\r " } else { r"[\t\n\f\r ]" }),
                Some('D') if !in_class => out.push_str("[^0-9]"),
                Some('W') if !in_class => out.push_str("[^0-9A-Za-z_]"),
                Some('S') if !in_class => out.push_str(r"[^\t\n\f\r ]"),
                Some(other) => {
                    out.push('\\');
                    out.push(other);
                }
                None => out.push('\\'),
            },
            // Go takes these inside a class as they are; Rust has set operations there.
            '[' if in_class => match named_class(chars.as_str()) {
                Some(name) => {
                    out.push('[');
                    out.push_str(name);
                    chars = chars.as_str()[name.len()..].chars();
                }
                None => out.push_str(r"\["),
            },
            '&' | '~' if in_class => {
                out.push('\\');
                out.push(c);
            }
            '[' => {
                in_class = true;
                out.push('[');
                // A closing bracket right at the start is a member.
                let rest = chars.as_str();
                let negated = rest.starts_with('^');
                if negated {
                    chars.next();
                    out.push('^');
                }
                if chars.as_str().starts_with(']') {
                    chars.next();
                    out.push_str(r"\]");
                }
            }
            ']' if in_class => {
                in_class = false;
                out.push(']');
            }
            other => out.push(other),
        }
    }
    out
}

/// What is left of `[:alpha:]` after its first bracket. A colon alone does not make a class of a class:
/// `[A-Z,:]`, which is in the conditions of every other CRD, ends at its first bracket.
fn named_class(rest: &str) -> Option<&str> {
    let end = rest.strip_prefix(':')?.find(":]")?;
    Some(&rest[..end + 3])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn expressions_mean_what_they_mean_to_go() {
        for (pattern, text, matches) in [
            (r"^\d+$", "12", true),
            (r"^\d+$", "١", false),
            (r"^\w$", "é", false),
            (r"^[\w.-]+$", "a.b-c", true),
            (r"^[^\s]+$", "a b", false),
            (r"^[]a]$", "]", true),
            (r"^[[a]+$", "[a", true),
            (r"^[a&&b]+$", "&", true),
            (r"^[[:alpha:]0]+$", "ab0", true),
            (r"^[[:alpha:]0]+$", "-", false),
            (r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$", "AsExpected", true),
            (r"^[a:]b$", "ab", true),
            (r"^[[:]b$", "[b", true),
            ("^a$", "a\n", false),
        ] {
            assert_eq!(compile(pattern).unwrap().is_match(text), matches, "{pattern} {text}");
        }
        assert!(compile("(").is_err());
    }

    #[test]
    fn references_are_found_bare_and_wrapped() {
        let name = |value: Value| Node::parse(&value).reference;
        assert_eq!(name(json!({"$ref": "#/components/schemas/a.B"})).as_deref(), Some("a.B"));
        assert_eq!(name(json!({"$ref": "a.B"})).as_deref(), Some("a.B"));
        assert_eq!(name(json!({"allOf": [{"$ref": "a.B"}], "default": {}})).as_deref(), Some("a.B"));
        assert_eq!(name(json!({"allOf": [{"type": "string"}]})), None);
    }
}
