//! Who may use something, in which epoch: the same for a namespace and for a volume.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Epoch, ShortName};

/// A target that may use something, or may still use it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct GrantUser {
    /// The target.
    pub target: ShortName,
    /// The epoch in which it got it.
    pub epoch: Epoch,
    /// The fence epoch of the target then: this is void once that has moved on.
    #[serde(default)]
    pub fence_epoch: Epoch,
    /// What the hub wants of the target.
    #[serde(default)]
    pub state: UseState,
    /// What the target's syncer says to that. Its syncer writes it, and nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<Said>,
}

/// What the hub wants of who has something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum UseState {
    /// To use it.
    #[default]
    Granted,
    /// To give it up. That is never taken back.
    Releasing,
    /// To delete its data, and give it up. That is never taken back.
    Deleting,
}

/// What a syncer says of something that its target has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum Said {
    /// It is in use, and all is well.
    #[default]
    Ready,
    /// It is given up, and will not be used in this epoch again.
    Released,
    /// Its data is deleted, and it is given up.
    Deleted,
}

/// A restore of the hub whose consequences are not known yet: nothing is started and nothing stopped by this grant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Recovering {
    /// Which restore.
    #[schemars(range(max = 9_007_199_254_740_991_u64))]
    pub restore: u64,
    /// The targets that have to say what they use, or to be fenced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000), extend("x-kubernetes-list-type" = "set"))]
    pub awaits: Vec<ShortName>,
}

/// Something that happened to a grant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct GrantEvent {
    /// When it was recorded.
    pub at: Time,
    /// What happened.
    pub what: GrantEventKind,
    /// To which target.
    pub target: ShortName,
    /// The epoch of the grant.
    pub epoch: Epoch,
    /// The fence epoch of the target then.
    #[serde(default)]
    pub fence_epoch: Epoch,
}

/// For the number of a restore when there was none.
pub(super) fn is_none(restore: &u64) -> bool {
    *restore == 0
}

impl GrantEvent {
    /// So many are kept, the newest.
    pub const KEPT: usize = 64;
}

/// What can happen to a grant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum GrantEventKind {
    /// The target may use it from then on.
    #[default]
    Granted,
    /// The target is to give it up.
    Releasing,
    /// The target is to delete its data.
    Deleting,
    /// The target's syncer has acknowledged that it has given it up: it could use it until then.
    Released,
    /// The target's syncer has acknowledged that the data is deleted.
    Deleted,
    /// A fence was in force: the target could use it until then, and not after.
    Fenced,
    /// After a restore of the hub the target was found to use it.
    Adopted,
    /// After a restore of the hub nobody was found to use it there.
    Dropped,
}
