//! The right to use a volume.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conditions::Conditions;
use crate::{Epoch, Name, Namespace, ShortName, is_false};

/// Who may use a volume: the hub's word. Syncers only read it.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "bowline.dev",
    version = "v1alpha1",
    kind = "VolumeGrant",
    doc = "The right to use one volume. The hub writes into spec who has it, syncers what they do with it into status. It outlives the claim's namespace, because its epoch does.",
    derive = "Default",
    derive = "PartialEq",
    shortname = "vg",
    category = "bowline",
    status = "VolumeGrantStatus",
    selectable = ".spec.holder",
    printcolumn = r#"{"name": "Namespace", "type": "string", "jsonPath": ".spec.namespace"}"#,
    printcolumn = r#"{"name": "Claim", "type": "string", "jsonPath": ".spec.claim"}"#,
    printcolumn = r#"{"name": "Holder", "type": "string", "jsonPath": ".spec.holder"}"#,
    printcolumn = r#"{"name": "Epoch", "type": "integer", "jsonPath": ".spec.epoch"}"#,
    printcolumn = r#"{"name": "State", "type": "string", "jsonPath": ".spec.state"}"#,
    printcolumn = r#"{"name": "Message", "type": "string", "jsonPath": ".status.message"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#,
    validation = kube::core::Rule::new("self.metadata.name == self.spec.__namespace__ + '.' + self.spec.claim")
        .message("a grant is named namespace.claim, so that a volume has one only")
)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    {
        "rule": "self.__namespace__ == oldSelf.__namespace__ && self.claim == oldSelf.claim && self.sharing == oldSelf.sharing",
        "message": "a grant stays that of its volume"
    },
    {
        "rule": "self.sharing == 'Shared' ? !has(self.holder) : (!has(self.users) || self.users.size() == 0)",
        "message": "an owned volume has a holder, a shared one has users"
    },
    {
        "rule": "self.sharing == 'Shared' || self.state != 'Granted' || has(self.holder)",
        "message": "a grant is granted to somebody"
    },
    {
        "rule": "self.state != 'Released' || !has(self.holder)",
        "message": "what is released is held by nobody"
    },
    {"rule": "self.epoch >= oldSelf.epoch", "message": "an epoch never falls"},
    {
        "rule": "(has(oldSelf.recovering) && oldSelf.recovering) || !has(self.holder) || !has(oldSelf.holder) || self.holder == oldSelf.holder",
        "message": "a holder lets go, or is fenced, before there is another one"
    },
    {
        "rule": "!has(self.holder) || (has(oldSelf.holder) && self.holder == oldSelf.holder) || self.epoch > oldSelf.epoch",
        "message": "another holder has a greater epoch"
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
    /// The target that may use it, if it is owned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<ShortName>,
    /// Raised with every holder. It never falls.
    #[serde(default)]
    pub epoch: Epoch,
    /// The fence epoch of the holder when it was granted: it is void once that has moved on.
    #[serde(default)]
    pub fence_epoch: Epoch,
    /// How things are between hub and holder.
    #[serde(default)]
    pub state: GrantState,
    /// The targets that may use it, if it is shared. The last one deletes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 100),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["target"])
    )]
    pub users: Vec<GrantUser>,
    /// The hub was restored, and does not know yet who uses it: nothing is started and nothing stopped under it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub recovering: bool,
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

/// How things are between hub and holder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum GrantState {
    /// Nobody may use it.
    #[default]
    Released,
    /// The holder may use it.
    Granted,
    /// The holder is to let go of it.
    Releasing,
    /// The holder is kept from it.
    Fenced,
    /// Its data is to be deleted.
    Deleting,
}

/// A target that may use a shared volume.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct GrantUser {
    /// The target.
    pub target: ShortName,
    /// The epoch in which it got it.
    pub epoch: Epoch,
    /// The fence epoch of the target then.
    #[serde(default)]
    pub fence_epoch: Epoch,
}

/// What targets do with a volume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct VolumeGrantStatus {
    /// What the syncer of each target says. Each writes its own entry only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 100),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["target"])
    )]
    pub reports: Vec<TargetReport>,
    /// What the volume is, for any target that reaches it. The syncer of the holder writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<PortableVolume>,
    /// What it waits for. The hub writes it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 32768))]
    pub message: String,
    /// Ready and Stalled. The hub writes them.
    #[serde(default, skip_serializing_if = "Conditions::is_empty")]
    pub conditions: Conditions,
}

/// What a syncer says of a volume.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, extend("x-kubernetes-validations" = [{
    "rule": "self.epoch >= oldSelf.epoch",
    "message": "an epoch never falls"
}]))]
pub struct TargetReport {
    /// Its target.
    pub target: ShortName,
    /// The epoch of the grant that it is about.
    pub epoch: Epoch,
    /// What it does with the volume.
    pub uses: ReportedUse,
}

/// What a target does with a volume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum ReportedUse {
    /// Nothing, and it never did in this epoch.
    #[default]
    Unused,
    /// Workloads may be using it.
    InUse,
    /// It has let go of it: nothing there can use it any more.
    Released,
    /// It has deleted the data.
    Deleted,
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
