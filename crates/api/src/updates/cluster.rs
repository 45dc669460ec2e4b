//! A cluster that Bowline acts on.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conditions::Conditions;
use crate::{Arn, Name, Namespace, ShortName, is_false};

/// How to reach a cluster, and who may.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "bowline.dev",
    version = "v1alpha1",
    kind = "Cluster",
    doc = "A cluster that Bowline acts on: how to reach it, and who may use it.",
    derive = "Default",
    derive = "PartialEq",
    category = "bowline",
    status = "ClusterStatus",
    printcolumn = r#"{"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type=='Ready')].status"}"#,
    printcolumn = r#"{"name": "Reachable", "type": "string", "jsonPath": ".status.conditions[?(@.type=='Reachable')].status"}"#,
    printcolumn = r#"{"name": "Version", "type": "string", "jsonPath": ".status.version"}"#,
    printcolumn = r#"{"name": "Server", "type": "string", "jsonPath": ".status.endpoint.server", "priority": 1}"#,
    printcolumn = r#"{"name": "Paused", "type": "boolean", "jsonPath": ".spec.paused", "priority": 1}"#,
    printcolumn = r#"{"name": "Message", "type": "string", "jsonPath": ".status.conditions[?(@.type=='Ready')].message"}"#,
    printcolumn = r#"{"name": "Since", "type": "date", "jsonPath": ".status.conditions[?(@.type=='Ready')].lastTransitionTime"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#,
    validation = kube::core::Rule::new("self.metadata.name.size() <= 63")
        .message("the name of a cluster is put into labels and has at most 63 characters")
)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    {
        "rule": "has(self.kubeconfigSecretRef) != has(self.embedded)",
        "message": "say how the cluster is reached: either kubeconfigSecretRef or embedded"
    },
    {
        "rule": "has(self.embedded) == has(oldSelf.embedded)",
        "message": "an embedded cluster cannot become another one, nor another one embedded: make a new Cluster"
    }
]))]
pub struct ClusterSpec {
    /// The Secret with the kubeconfig by which the cluster is reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kubeconfig_secret_ref: Option<KubeconfigSecretRef>,
    /// The cluster is an API server inside the hub, whose workloads are simulated: something to try things on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedded: Option<EmbeddedCluster>,
    /// The namespaces of the hub whose stacks, groups and identities may use the cluster. Without this none may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_namespaces: Option<AllowedNamespaces>,
    /// How much may be asked of the cluster.
    #[serde(default)]
    pub quota: Quota,
    /// Nothing new is started on the cluster. What runs, or rolls back, finishes.
    #[serde(default, skip_serializing_if = "is_false")]
    pub paused: bool,
    /// Who vouches for the cluster's service accounts, for identities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oidc: Option<Oidc>,
}

/// A kubeconfig in a Secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct KubeconfigSecretRef {
    /// The Secret's namespace.
    #[serde(default = "system_namespace")]
    pub namespace: Namespace,
    /// The Secret's name.
    pub name: Name,
    /// The key in its data.
    #[serde(default = "kubeconfig_key")]
    #[schemars(length(min = 1, max = 253), extend("pattern" = "^[-._a-zA-Z0-9]+$"))]
    pub key: String,
}

impl Default for KubeconfigSecretRef {
    fn default() -> KubeconfigSecretRef {
        KubeconfigSecretRef { namespace: system_namespace(), name: Name::default(), key: kubeconfig_key() }
    }
}

fn system_namespace() -> Namespace {
    crate::SYSTEM_NAMESPACE.into()
}

fn kubeconfig_key() -> String {
    "kubeconfig".to_owned()
}

/// An API server inside the hub. There is nothing to say about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct EmbeddedCluster {}

/// A choice of namespaces, by name or by label.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, extend("x-kubernetes-validations" = [{
    "rule": "has(self.names) != has(self.selector)",
    "message": "give either names or a selector; the selector {} means all namespaces"
}]))]
pub struct AllowedNamespaces {
    /// These namespaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 1000), extend("x-kubernetes-list-type" = "set"))]
    pub names: Vec<Namespace>,
    /// The namespaces with these labels; `{}` means all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::selector::schema")]
    pub selector: Option<LabelSelector>,
}

/// How much may be asked of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(inline)]
pub struct Quota {
    /// How many stacks of one namespace may have an update that waits; more are rejected.
    #[schemars(range(min = 1, max = 10000))]
    pub max_queued_per_namespace: u32,
    /// How many updates may be submitted in an hour, by all together; more are rejected.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_per_hour: u32,
}

impl Default for Quota {
    fn default() -> Quota {
        Quota { max_queued_per_namespace: 100, max_per_hour: 1000 }
    }
}

/// Who vouches for service accounts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Oidc {
    /// The issuer in the tokens of the cluster's service accounts: an https URL.
    #[schemars(length(max = 255), extend("pattern" = "^https://[^?#\\s]+$"))]
    pub issuer: String,
    /// The ARN of the IAM OIDC provider of that issuer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_arn: Option<Arn>,
}

/// What is known of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct ClusterStatus {
    /// The generation of the spec that the rest of this is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub observed_generation: Option<i64>,
    /// The version of Kubernetes that its server says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = ClusterStatus::LONGEST_VERSION))]
    pub version: Option<String>,
    /// Where its server is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<Endpoint>,
    /// What its server is known by: the uid of its namespace `kube-system`. The cluster is that server for as long as it is there,
    /// by whatever address and credentials it is reached; a kubeconfig that leads to another one is not used. It is not there where
    /// the credentials may not read that namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = ClusterStatus::LONGEST_SERVER_ID))]
    pub server_id: Option<String>,
    /// What changes the cluster now. It is taken by one guarded write of this object, so that updates and an upgrade
    /// never do so at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activity: Option<Activity>,
    /// Reachable and Ready.
    #[serde(default, skip_serializing_if = "Conditions::is_empty")]
    pub conditions: Conditions,
}

impl ClusterStatus {
    /// The most characters of [`version`](ClusterStatus::version).
    pub const LONGEST_VERSION: usize = 253;
    /// The most characters of [`server_id`](ClusterStatus::server_id).
    pub const LONGEST_SERVER_ID: usize = 253;
}

/// Where the server of a cluster is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Endpoint {
    /// The address of the server.
    #[schemars(length(max = Endpoint::LONGEST_SERVER))]
    pub server: String,
    /// The file with the administrator's kubeconfig of an embedded cluster, on the machine of the hub.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 4096))]
    pub kubeconfig: Option<String>,
}

impl Endpoint {
    /// The most characters of [`server`](Endpoint::server).
    pub const LONGEST_SERVER: usize = 2048;
}

/// What changes a cluster: updates of stacks, or one upgrade.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, extend("x-kubernetes-validations" = [{
    "rule": "!(has(self.updates) && self.updates.size() > 0 && has(self.upgrade))",
    "message": "updates and an upgrade never change a cluster at once"
}]))]
pub struct Activity {
    /// The stacks that are being updated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 1000),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["namespace", "stack"])
    )]
    pub updates: Vec<UpdateActivity>,
    /// The group that is being upgraded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upgrade: Option<UpgradeActivity>,
}

/// A stack that is being updated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct UpdateActivity {
    /// The stack's namespace.
    pub namespace: Namespace,
    /// The stack.
    pub stack: ShortName,
    /// The attempt that it is updated in: what was begun in another one, and arrives late, is not this.
    #[schemars(range(max = 9_007_199_254_740_991_u64))]
    pub attempt: u64,
}

/// A group that is being upgraded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct UpgradeActivity {
    /// The group's namespace.
    pub namespace: Namespace,
    /// The group.
    pub group: ShortName,
    /// The attempt that it is upgraded in: what was begun in another one, and arrives late, is not this.
    #[schemars(range(max = 9_007_199_254_740_991_u64))]
    pub attempt: u64,
}
