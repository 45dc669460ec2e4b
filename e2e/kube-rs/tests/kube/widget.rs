//! A kind of our own, with all that a derived definition can have.

use anyhow::Result;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::PostParams;
use kube::runtime::wait::{await_condition, conditions};
use kube::{Api, Client, CustomResource, CustomResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a widget is to be.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "test.bowline.dev",
    version = "v1",
    kind = "Widget",
    namespaced,
    shortname = "wd",
    category = "things",
    derive = "Default",
    derive = "PartialEq",
    status = "WidgetStatus",
    selectable = ".spec.colour",
    printcolumn(name = "Colour", type_ = "string", json_path = ".spec.colour"),
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.selector"
    )
)]
pub(crate) struct WidgetSpec {
    #[serde(default = "green")]
    pub(crate) colour: String,
    #[serde(default)]
    #[schemars(range(min = 0, max = 100))]
    pub(crate) replicas: i32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) parts: Vec<String>,
}

fn green() -> String {
    "green".to_owned()
}

/// What a widget is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct WidgetStatus {
    #[serde(default)]
    pub(crate) ready: bool,
    #[serde(default)]
    pub(crate) replicas: i32,
    #[serde(default)]
    pub(crate) selector: String,
}

/// Defines widgets, and gives the API of those in `default`.
pub(crate) async fn widgets(client: &Client) -> Result<Api<Widget>> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    definitions.create(&PostParams::default(), &Widget::crd()).await?;
    await_condition(definitions, Widget::crd_name(), conditions::is_crd_established()).await?;
    Ok(Api::default_namespaced(client.clone()))
}

/// A widget of this name.
pub(crate) fn widget(name: &str) -> Widget {
    Widget::new(name, WidgetSpec { colour: "red".to_owned(), replicas: 1, parts: Vec::new() })
}
