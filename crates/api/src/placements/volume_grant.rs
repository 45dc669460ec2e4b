//! The right to use a volume.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grant::{GrantEvent, GrantUser, Recovering, is_none};
use crate::{Epoch, Name, Namespace, ShortName, is_false};

/// Which volume it is.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "bowline.dev",
    version = "v1alpha1",
    kind = "VolumeGrant",
    doc = "The right to use one volume: who has it, in which epoch. Syncers say in it what they do with it. It outlives its claim, because its epoch does.",
    derive = "Default",
    derive = "PartialEq",
    shortname = "vg",
    category = "bowline",
    status = "VolumeGrantStatus",
    selectable = ".spec.namespace",
    printcolumn = r#"{"name": "Namespace", "type": "string", "jsonPath": ".spec.namespace"}"#,
    printcolumn = r#"{"name": "Claim", "type": "string", "jsonPath": ".spec.claim"}"#,
    printcolumn = r#"{"name": "Holder", "type": "string", "jsonPath": ".status.holder"}"#,
    printcolumn = r#"{"name": "Epoch", "type": "integer", "jsonPath": ".status.epoch"}"#,
    printcolumn = r#"{"name": "State", "type": "string", "jsonPath": ".status.state"}"#,
    printcolumn = r#"{"name": "Size", "type": "string", "jsonPath": ".status.volume.size"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#,
    validation = kube::core::Rule::new("self.metadata.name == self.spec.__namespace__ + '.' + self.spec.claim")
        .message("a grant is named namespace.claim, so that a volume has one only"),
    validation = kube::core::Rule::new("!has(oldSelf.status) || has(self.status)")
        .message("the status of a grant is who has the volume, and is never taken away"),
    validation = kube::core::Rule::new(
        "self.spec.sharing == 'Shared' || !has(self.status) || !has(oldSelf.status) || has(oldSelf.status.recovering) || \
         !has(oldSelf.status.users) || !has(self.status.users) || oldSelf.status.users.size() == 0 || \
         self.status.users.all(user, oldSelf.status.users.exists(old, old.target == user.target))"
    )
    .message("a holder lets go, or is fenced, before there is another one")
)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    {
        "rule": "self.__namespace__ == oldSelf.__namespace__ && self.claim == oldSelf.claim && self.sharing == oldSelf.sharing",
        "message": "a grant stays that of its volume"
    },
    {
        "rule": "!has(oldSelf.abandoned) || has(self.abandoned)",
        "message": "what was abandoned is not taken up again: another volume may be in its place"
    }
]))]
pub struct VolumeGrantSpec {
    /// The namespace of the claim.
    pub namespace: Namespace,
    /// The PersistentVolumeClaim.
    pub claim: Name,
    /// Whether one target may use it at a time, or several.
    #[serde(default)]
    pub sharing: Sharing,
    /// A person says that nothing of it can be reached any more, and that it is to be forgotten. `bowline place abandon` sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abandoned: Option<Abandoned>,
}

impl VolumeGrant {
    /// The annotation of a grant that a syncer is about to write, for a volume that was made in its cluster. As long as it has no
    /// status, it is not known what the volume is, and nobody is granted it; its value is the target.
    pub const ADOPTED_BY: &'static str = "bowline.dev/adopted-by";

    /// The name of the grant of a claim.
    pub fn object_name(namespace: &str, claim: &str) -> String {
        format!("{namespace}.{claim}")
    }
}

/// Who has abandoned a volume.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Abandoned {
    /// The person.
    #[schemars(length(min = 1, max = 256))]
    pub by: String,
    /// When.
    pub at: Time,
}

/// Whether one target may use a volume at a time, or several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum Sharing {
    /// One: ReadWriteOnce and ReadWriteOncePod.
    #[default]
    Owned,
    /// Several: ReadWriteMany and ReadOnlyMany.
    Shared,
}

/// How things are between hub and holder, for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum GrantState {
    /// Nobody may use it.
    #[default]
    Released,
    /// Somebody may use it.
    Granted,
    /// Who has it is to let go of it.
    Releasing,
    /// Nobody may use it, and who had it last is kept from it by a fence.
    Fenced,
    /// Its data is to be deleted, or is.
    Deleting,
}

/// The one truth about who may use a volume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, extend("x-kubernetes-validations" = [
    {"rule": "self.epoch >= oldSelf.epoch", "message": "an epoch never falls"},
    {
        "rule": "has(oldSelf.recovering) || !has(self.users) || self.users.all(user, (has(oldSelf.users) && oldSelf.users.exists(old, old.target == user.target && old.epoch == user.epoch)) || user.epoch > oldSelf.epoch)",
        "message": "who is granted something new is granted it in a greater epoch"
    },
    {
        "rule": "!has(oldSelf.destroyed) || !oldSelf.destroyed || (has(self.destroyed) && self.destroyed)",
        "message": "what was deleted does not come back"
    }
]))]
pub struct VolumeGrantStatus {
    /// The target that may use it: the first of the users, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<ShortName>,
    /// Raised with every target that gets it. It never falls.
    #[serde(default)]
    pub epoch: Epoch,
    /// How things are between hub and holder, for people.
    #[serde(default)]
    pub state: GrantState,
    /// The targets that may use it, or may still use it: one at most, if it is owned. The last one deletes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 100),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["target"])
    )]
    pub users: Vec<GrantUser>,
    /// The hub was restored, and does not know yet who uses it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovering: Option<Recovering>,
    /// The last restore of the hub after which it was found out who uses it.
    #[serde(default, skip_serializing_if = "is_none")]
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    pub restore: u64,
    /// What the volume is, for any target that reaches it. The syncer of the holder writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<PortableVolume>,
    /// The only target that reaches its storage, if it is one that stays on its cluster. The syncer of the holder writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_on: Option<ShortName>,
    /// It may have been made somewhere, and nobody had said what it is when that target was fenced.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unknown: bool,
    /// Its data is deleted.
    #[serde(default, skip_serializing_if = "is_false")]
    pub destroyed: bool,
    /// What has happened to it, the newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), extend("x-kubernetes-list-type" = "atomic"))]
    pub history: Vec<GrantEvent>,
}

/// What a volume is, for any target that reaches it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct PortableVolume {
    /// The CSI driver.
    #[schemars(length(min = 1, max = 253))]
    pub driver: String,
    /// What the driver knows it by.
    #[schemars(length(min = 1, max = 2048))]
    pub handle: String,
    /// Its size, as in a PersistentVolume: `10Gi`.
    #[schemars(length(max = 32), extend("pattern" = r"^[0-9]+(\.[0-9]+)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$"))]
    pub size: String,
    /// Its StorageClass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Name>,
    /// How it may be mounted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 4), extend("x-kubernetes-list-type" = "set"))]
    pub access_modes: Vec<AccessMode>,
    /// Whether it has a file system.
    #[serde(default)]
    pub mode: VolumeMode,
    /// Its file system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 63))]
    pub fs_type: Option<String>,
    /// What the driver wants to be told of it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "crate::selector::texts")]
    pub attributes: BTreeMap<String, String>,
    /// The Secrets that the driver needs, each as `namespace/name`, by what it needs them for: `nodeStage`, for one. They are not
    /// copied: each cluster has to have them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "crate::selector::texts")]
    pub secrets: BTreeMap<String, String>,
}

/// Whether a volume has a file system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum VolumeMode {
    /// It has.
    #[default]
    Filesystem,
    /// It is a bare device.
    Block,
}

/// How a volume may be mounted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum AccessMode {
    /// By one node.
    #[default]
    ReadWriteOnce,
    /// By one pod.
    ReadWriteOncePod,
    /// By many nodes.
    ReadWriteMany,
    /// By many nodes that only read.
    ReadOnlyMany,
}
