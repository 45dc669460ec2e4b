//! `bowline crds`: the definitions of our kinds, for a server that is to know them.

use anyhow::Context;
use clap::ValueEnum;
use serde::Serialize;
use serde_json::{Number, Value, json};

use crate::exit::Exit;
use crate::output::{self, Format};

/// The form in which definitions are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Form {
    /// YAML documents
    Yaml,
    /// One JSON list
    Json,
}

/// Prints the definitions, and the roles if they are wanted.
pub(crate) fn run(form: Form, with_roles: bool) -> anyhow::Result<Exit> {
    let mut objects = all(&bowline_api::crds())?;
    if with_roles {
        objects.extend(all(&bowline_api::cluster_roles())?);
    }
    output::print(&text(form, objects)?)?;
    Ok(Exit::Done)
}

fn all<T: Serialize>(objects: &[T]) -> anyhow::Result<Vec<Value>> {
    objects
        .iter()
        .map(|object| Ok(plain(serde_json::to_value(object).context("cannot write an object")?)))
        .collect()
}

fn text(form: Form, objects: Vec<Value>) -> anyhow::Result<String> {
    match form {
        Form::Json => {
            let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
            output::document(Format::Json, &list)
        }
        Form::Yaml => {
            let documents = objects.iter().map(|object| output::document(Format::Yaml, object));
            Ok(documents.collect::<anyhow::Result<Vec<_>>>()?.join("---\n"))
        }
    }
}

/// Bounds are floating point to the types of a schema: `1.0` is written as the `1` that it was.
fn plain(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(whole(&number).unwrap_or(number)),
        Value::Array(items) => items.into_iter().map(plain).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (key, plain(value))).collect(),
        other => other,
    }
}

/// The whole number that a floating point number is.
fn whole(number: &Number) -> Option<Number> {
    let float = number.as_f64().filter(|_| number.is_f64())?;
    format!("{float:.0}").parse::<i64>().ok().filter(|_| float.fract() == 0.0).map(Number::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_written_as_whole_numbers_and_all_else_as_it_is() {
        let value = json!({"maximum": 9_007_199_254_740_991.0, "minimum": -1.0, "half": 0.5, "list": [1.0, "1.0", true]});
        let expected = json!({"maximum": 9_007_199_254_740_991_i64, "minimum": -1, "half": 0.5, "list": [1, "1.0", true]});
        assert_eq!(plain(value), expected);
    }
}
