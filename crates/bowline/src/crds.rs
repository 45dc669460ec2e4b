//! `bowline crds`: what a Kubernetes needs to know our kinds, and to run our controllers.

mod fields;

use anyhow::{Context, bail};
use bowline_runtime::plain;
use clap::ValueEnum;
use serde::Serialize;
use serde_json::{Value, json};

use crate::exit::{BadUsage, Exit};
use crate::output::{self, Format};

/// The form in which definitions are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Form {
    /// YAML documents
    Yaml,
    /// One JSON list
    Json,
    /// A page for people, with every field
    Markdown,
}

/// What the controllers run as on Kubernetes: their account and its rights, and the pods.
const DEPLOYMENT: &str = include_str!("../../../examples/kubernetes/bowline.yaml");
/// Where the image is named in a Deployment.
const IMAGE: &str = "/spec/template/spec/containers/0/image";

/// Prints the definitions; the roles if they are wanted; and what runs the controllers, if it is said by which image.
pub(crate) fn run(form: Form, with_roles: bool, image: Option<&str>) -> anyhow::Result<Exit> {
    if form == Form::Markdown && (with_roles || image.is_some()) {
        bail!(BadUsage(
            "-o markdown is a page about kinds: --with-roles and --with-deployment have none".into()
        ));
    }
    let mut objects = all(&bowline_api::crds())?;
    if with_roles {
        objects.extend(all(&bowline_api::cluster_roles())?);
    }
    if let Some(image) = image {
        objects.extend(deployment(image)?);
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

fn deployment(image: &str) -> anyhow::Result<Vec<Value>> {
    let documents = DEPLOYMENT.split("\n---\n").map(serde_saphyr::from_str);
    let mut objects: Vec<Value> =
        documents.collect::<Result<_, _>>().context("the manifests cannot be read")?;
    for named in objects.iter_mut().filter_map(|object| object.pointer_mut(IMAGE)) {
        *named = image.into();
    }
    Ok(objects)
}

fn text(form: Form, objects: Vec<Value>) -> anyhow::Result<String> {
    match form {
        Form::Json => {
            let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
            output::document(Format::Json, &list)
        }
        Form::Markdown => Ok(fields::page(&objects)),
        Form::Yaml => {
            let documents = objects.iter().map(|object| output::document(Format::Yaml, object));
            Ok(documents.collect::<anyhow::Result<Vec<_>>>()?.join("---\n"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_controllers_run_by_the_image_that_was_named() {
        let objects = deployment("registry.example/bowline:1").unwrap();
        let kinds: Vec<_> = objects.iter().filter_map(|object| object["kind"].as_str()).collect();
        let expected = [
            "Namespace",
            "ServiceAccount",
            "Role",
            "RoleBinding",
            "ClusterRole",
            "ClusterRoleBinding",
            "Deployment",
        ];
        assert_eq!(kinds, expected);
        let images: Vec<_> = objects.iter().filter_map(|object| object.pointer(IMAGE)).collect();
        assert_eq!(images, ["registry.example/bowline:1"]);
    }
}
