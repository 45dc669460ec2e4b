//! Groups and what belongs to them, on objects that are nearly good.

use bowline_fuzz::Target;
use bowline_upgrades::Kind;
use bowline_upgrades::plain::devices::PieceKind;

use super::wire::{DeviceWire, UpgradeWire};
use crate::fuzz::drawn;

const GROUP: &str = r#"{"apiVersion":"bowline.dev/v1alpha1","kind":"NodeGroup","metadata":{"name":"kv","namespace":"n","uid":"u","resourceVersion":"7",
    "generation":3,"finalizers":["bowline.dev/nodegroup"]},"spec":{"cluster":"c","versions":[{"name":"v1","command":["a"],"probe":{"http":{"port":80}}},
    {"name":"v2","command":["b"]}],"version":"v2","mode":"Automatic","commit":"Automatic","soakSeconds":9,"onCrash":"Any","partitions":{"count":2,"size":3},
    "devices":["d1"],"command":{"verb":"Node","member":"n1","id":"t"}},"status":{"observedGeneration":3,"upgradeState":"Upgraded","servingVersion":"v2",
    "fromVersion":"v1","targetVersion":"v2","attempt":4,"members":[{"name":"n1","uid":"a","version":"v2","state":"Lost"},{"name":"n2","uid":"b","version":"v1"}],
    "inHand":{"member":"n2","to":"v2","moving":true},"lastMoved":"n1","memberships":[{"version":"v1","partitions":[{"partition":0,"members":["n2"]},
    {"partition":1}]}],"devices":[{"name":"d1","master":"n1","epoch":5,"leaving":true}],"failedVersion":"v2","failedGeneration":2,"forwarded":true,
    "lastProgressTime":"2026-01-01T00:00:00Z","command":{"id":"s","refused":"not now"},"message":"m","counts":{"members":2,"present":1,"upgraded":1,
    "summary":"1/2"},"conditions":[{"type":"Ready","status":"False","reason":"Waiting","message":"m","observedGeneration":3,
    "lastTransitionTime":"2026-01-01T00:00:00Z"},{"type":"Reconciling","status":"True","reason":"Waiting","message":"m","observedGeneration":3,
    "lastTransitionTime":"2026-01-01T00:00:00Z"},{"type":"Stalled","status":"False","reason":"Waiting","message":"m","observedGeneration":3,
    "lastTransitionTime":"2026-01-01T00:00:00Z"}]}}"#;
const MEMBER: &str = r#"{"apiVersion":"bowline.dev/v1alpha1","kind":"Member","metadata":{"name":"kv-n1","namespace":"n","uid":"u","resourceVersion":"7",
    "generation":3,"finalizers":["bowline.dev/member"]},"spec":{"group":"kv","desired":{"version":"v1","drain":true,"fenced":true,"devices":[{"name":"d1",
    "epoch":5,"leaving":true}],"partitions":[{"partition":0,"members":["n1","n2"]}]}},"status":{"observedGeneration":2,"version":"v1","phase":"Draining","devices":[{"name":"d1",
    "epoch":5}],"seen":[{"name":"d1","epoch":5},{"name":"d2","epoch":1}],"message":"m"}}"#;
const CLUSTER: &str = r#"{"apiVersion":"bowline.dev/v1alpha1","kind":"Cluster","metadata":{"name":"c","uid":"u","resourceVersion":"7"},"spec":{"embedded":{}},
    "status":{"version":"v1.34.0","activity":{"updates":[{"namespace":"n","stack":"s","attempt":3}],"upgrade":{"namespace":"n","group":"kv","attempt":4}}}}"#;
const DEVICE: &str = r#"{"apiVersion":"bowline.dev/v1alpha1","kind":"Device","metadata":{"name":"kv-d1","namespace":"n","uid":"u","resourceVersion":"7",
    "ownerReferences":[{"apiVersion":"bowline.dev/v1alpha1","kind":"NodeGroup","name":"kv","uid":"g","controller":true}]},"spec":{"group":"kv","device":"d1"},
    "status":{"master":"n1","epoch":5}}"#;

pub(crate) fn targets() -> Vec<Target> {
    vec![
        drawn("group-object", GROUP, UpgradeWire, Kind::Group),
        drawn("member-object", MEMBER, UpgradeWire, Kind::Member),
        drawn("cluster-of-upgrades", CLUSTER, UpgradeWire, Kind::Cluster),
        drawn("device-object", DEVICE, DeviceWire, PieceKind::Device),
    ]
}
