//! Pairs and halves, as the API has them.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{CustomResource, CustomResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Two halves that belong together.
#[derive(CustomResource, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "sample.bowline.dev", version = "v1", kind = "Pair", namespaced, status = "PairStatus")]
#[kube(printcolumn = r#"{"name": "Status", "type": "string", "jsonPath": ".status.reason"}"#)]
#[kube(printcolumn = r#"{"name": "Message", "type": "string", "jsonPath": ".status.message"}"#)]
pub struct PairSpec {
    /// What its halves shall carry.
    pub value: u32,
}

/// How a pair stands.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PairStatus {
    /// How it stands, in a word.
    pub reason: String,
    /// How it stands, in a sentence.
    pub message: String,
    /// For which generation that was found.
    pub observed_generation: u64,
}

/// One half of a pair.
#[derive(CustomResource, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "sample.bowline.dev",
    version = "v1",
    kind = "Half",
    plural = "halves",
    namespaced,
    status = "HalfStatus"
)]
pub struct HalfSpec {
    /// What it carries.
    pub value: u32,
}

/// How a half stands.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct HalfStatus {
    /// Somebody says that it works.
    pub ready: bool,
}

/// The definitions of both.
pub fn crds() -> Vec<CustomResourceDefinition> {
    vec![Pair::crd(), Half::crd()]
}
