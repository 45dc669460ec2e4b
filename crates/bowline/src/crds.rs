//! `bowline crds`: the definitions of our kinds, for a server that is to know them.

use anyhow::Context;
use bowline_runtime::plain;
use clap::ValueEnum;
use serde::Serialize;
use serde_json::{Value, json};

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
