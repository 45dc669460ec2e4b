//! The text of an object after a patch, as the real server's messages show it.
//!
//! Go writes the fields of a struct in the order in which they are declared. The library that patches holds what a
//! patch touches in maps, which Go writes in the order of their keys, and moves the text of all the rest.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::document::Json;
use crate::kinds::Kind;
use crate::protobuf::table::{Count, Field, Message, Table, Type};

/// What of an object a patch touches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touched {
    /// All that is below, too.
    all: bool,
    below: BTreeMap<String, Touched>,
}

impl Touched {
    /// What a merge patch touches: what it names, and all of what it puts in.
    pub(crate) fn by_merge(patch: &Value) -> Touched {
        match patch {
            Value::Object(fields) => Touched {
                all: false,
                below: fields.iter().map(|(name, value)| (name.clone(), Touched::by_merge(value))).collect(),
            },
            _ => Touched { all: true, below: BTreeMap::new() },
        }
    }

    /// The operations of a JSON patch touch what is on their way to these paths.
    pub(crate) fn by_paths<'a>(paths: impl Iterator<Item = Vec<&'a str>>) -> Touched {
        let mut root = Touched::default();
        for path in paths {
            let way = path.split_last().map(|(_, way)| way).unwrap_or_default();
            way.iter().fold(&mut root, |touched, name| touched.below.entry((*name).to_owned()).or_default());
        }
        root
    }
}

/// The text of an object of a kind.
pub(crate) fn patched(kind: &Kind, object: &Value, touched: &Touched) -> String {
    let message = Table::get().kind(&kind.group, &kind.version, &kind.kind).filter(|_| kind.custom.is_none());
    let mut out = String::new();
    write(object, Shape::of(message), Some(touched), &mut out);
    // Go escapes these in every text; nothing else in JSON has them.
    out.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// What orders the fields of a value.
#[derive(Clone, Copy)]
enum Shape {
    /// Their names.
    Any,
    /// The struct that they are of.
    Struct(&'static Message),
    /// A list or map of these.
    Many(&'static Message),
}

impl Shape {
    fn of(message: Option<&'static Message>) -> Shape {
        message.filter(|message| message.special.is_none()).map_or(Shape::Any, Shape::Struct)
    }

    fn of_field(field: &Field) -> Shape {
        let Type::Message(index) = field.kind else { return Shape::Any };
        match Shape::of(Some(Table::get().at(index))) {
            Shape::Struct(message) if field.count != Count::One => Shape::Many(message),
            shape => shape,
        }
    }

    fn below(self, name: &str) -> Shape {
        match self {
            Shape::Any => Shape::Any,
            Shape::Struct(message) => Table::get().field(message, name).map_or(Shape::Any, Shape::of_field),
            Shape::Many(message) => Shape::Struct(message),
        }
    }
}

fn write(value: &Value, shape: Shape, touched: Option<&Touched>, out: &mut String) {
    let all = touched.is_some_and(|touched| touched.all);
    let below = |name: &str| if all { touched } else { touched.and_then(|touched| touched.below.get(name)) };
    match value {
        Value::Object(fields) => {
            let names = match (shape, touched) {
                (Shape::Struct(message), None) => in_order(fields, message),
                _ => fields.keys().collect(),
            };
            out.push('{');
            for (index, name) in names.into_iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                out.push_str(&Value::from(name.as_str()).to_string());
                out.push(':');
                write(&fields[name], shape.below(name), below(name), out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write(item, shape.below(""), below(&index.to_string()), out);
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

/// The names of the fields of a struct as they are declared; what says the type comes first.
fn declared(message: &'static Message) -> Vec<&'static str> {
    let mut fields: Vec<_> = message.fields.iter().collect();
    fields.sort_by_key(|field| field.place);
    fields
        .into_iter()
        .flat_map(|field| match field.kind {
            Type::Message(index) if field.inline => declared(Table::get().at(index)),
            _ => vec![&*field.name],
        })
        .collect()
}

fn in_order<'a>(fields: &'a Json, message: &'static Message) -> Vec<&'a String> {
    let declared = declared(message);
    let typed = ["kind", "apiVersion"].iter().filter(|name| !message.by_name.contains_key(**name));
    let order: Vec<&str> = typed.copied().chain(declared).collect();
    let mut names: Vec<&String> = fields.keys().collect();
    names.sort_by_key(|name| order.iter().position(|known| known == name).unwrap_or(usize::MAX));
    names
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::builtin_table;

    #[test]
    fn what_is_not_touched_is_in_the_order_of_its_struct() {
        let kinds = builtin_table::kinds();
        let kind = kinds.iter().find(|kind| &*kind.kind == "ConfigMap").expect("it is built in");
        let object = json!({"kind": "ConfigMap", "apiVersion": "v1", "data": {"b": "<", "a": 1},
            "metadata": {"uid": "u", "namespace": "n", "name": "x",
                "managedFields": [{"time": "t", "manager": "m", "apiVersion": "v1"}]}});
        let text = patched(kind, &object, &Touched::by_merge(&json!({"data": {"a": 1}})));
        let expected = r#"{"apiVersion":"v1","data":{"a":1,"b":"\u003c"},"kind":"ConfigMap","metadata":{"name":"x","namespace":"n","uid":"u","managedFields":[{"manager":"m","apiVersion":"v1","time":"t"}]}}"#;
        assert_eq!(text, expected);
        let touched = Touched::by_paths([vec!["metadata", "labels", "a"]].into_iter());
        let text = patched(kind, &object, &touched);
        assert!(text.ends_with(r#""metadata":{"managedFields":[{"manager":"m","apiVersion":"v1","time":"t"}],"name":"x","namespace":"n","uid":"u"}}"#), "{text}");
    }
}
