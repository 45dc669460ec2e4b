//! The content of a version.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Digest;

/// What content it is, and where it is.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "bowline.dev",
    version = "v1alpha1",
    kind = "Bundle",
    doc = "The content of a version, known by its digest and never changed. The manifests, which may hold secrets, are in parts, compressed, in Secrets of type bowline.dev/part.",
    namespaced,
    derive = "Default",
    derive = "PartialEq",
    category = "bowline",
    printcolumn = r#"{"name": "Objects", "type": "integer", "jsonPath": ".spec.objects"}"#,
    printcolumn = r#"{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#,
    validation = kube::core::Rule::new("self.metadata.name == self.spec.digest.replace(':', '-')")
        .message("a bundle is named after its content: sha256- and the digits of its digest")
)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "self == oldSelf",
    "message": "a bundle cannot be changed: other content is another bundle"
}]))]
pub struct BundleSpec {
    /// The digest of the whole content, before it is compressed.
    pub digest: Digest,
    /// How many objects are in it.
    #[schemars(range(max = 100_000))]
    pub objects: u32,
    /// Its size in bytes, before it is compressed.
    #[schemars(range(max = 1_073_741_824))]
    pub size: u64,
    /// The parts in their order. Each is a Secret in the same namespace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 256), extend("x-kubernetes-list-type" = "atomic"))]
    pub parts: Vec<BundlePart>,
}

/// A piece of the compressed content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct BundlePart {
    /// What it is known by; its Secret is named `sha256-` and the digits.
    pub digest: Digest,
    /// Its size in bytes. Larger ones would not fit into a Secret with the rest.
    #[schemars(range(min = 1, max = 524_288))]
    pub size: u32,
}
