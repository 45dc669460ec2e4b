//! Placements and what belongs to them, on objects that are nearly good.

use bowline_fuzz::Target;
use bowline_placements::Kind;
use bowline_placements::plain::signs::PieceKind;

use super::wire::{PlacementWire, SignWire};
use crate::fuzz::drawn;

const PLACEMENT: &str = r#"{"apiVersion":"bowline.dev/v1alpha1","kind":"Placement","metadata":{"name":"placement","namespace":"n","uid":"u",
    "resourceVersion":"7","generation":3,"finalizers":["bowline.dev/placement"]},"spec":{"targetSelector":{"matchLabels":{"zone":"a"}},
    "tolerations":[{"key":"gpu","value":"yes"}]},"status":{"observedGeneration":3,"desired":"east","holder":"east","epoch":4,
    "users":[{"target":"east","epoch":4,"fenceEpoch":1,"state":"Releasing","said":"Released"}],"recovering":{"restore":1,"awaits":["east","west"]},
    "end":"Delete","phase":"Deleting","history":[{"at":"2026-01-01T00:00:00Z","what":"Granted","target":"east","epoch":4,"fenceEpoch":1}],
    "message":"m","conditions":[{"type":"Ready","status":"False","reason":"Waiting","message":"m","observedGeneration":3,
    "lastTransitionTime":"2026-01-01T00:00:00Z"},{"type":"Reconciling","status":"True","reason":"Waiting","message":"m","observedGeneration":3,
    "lastTransitionTime":"2026-01-01T00:00:00Z"},{"type":"Stalled","status":"False","reason":"Waiting","message":"m","observedGeneration":3,
    "lastTransitionTime":"2026-01-01T00:00:00Z"}]}}"#;
const VOLUME: &str = r#"{"apiVersion":"bowline.dev/v1alpha1","kind":"VolumeGrant","metadata":{"name":"n.data","uid":"u","resourceVersion":"7",
    "finalizers":["bowline.dev/volumegrant"]},"spec":{"namespace":"n","claim":"data","sharing":"Shared","abandoned":{"by":"anna",
    "at":"2026-01-01T00:00:00Z"}},"status":{"holder":"east","epoch":4,"state":"Granted","users":[{"target":"east","epoch":4,"fenceEpoch":1,
    "state":"Granted","said":"Ready"},{"target":"west","epoch":3,"fenceEpoch":0,"state":"Deleting"}],"recovering":{"restore":1,"awaits":["east"]},
    "volume":{"driver":"csi.example","handle":"h","size":"1Gi","class":"fast","accessModes":["ReadWriteMany"],"mode":"Filesystem","fsType":"ext4",
    "attributes":{"a":"b"}},"onlyOn":"east","unknown":true,"destroyed":true,"history":[{"at":"2026-01-01T00:00:00Z","what":"Fenced","target":"x",
    "epoch":1,"fenceEpoch":0}]}}"#;
const TARGET: &str = r#"{"apiVersion":"bowline.dev/v1alpha1","kind":"SyncTarget","metadata":{"name":"east","uid":"u","resourceVersion":"7","generation":3,
    "labels":{"zone":"a","bare":""},"finalizers":["bowline.dev/synctarget"]},"spec":{"cluster":"east","unschedulable":true,"drain":true,
    "taints":[{"key":"gpu","value":"yes"}],"evictAfterSeconds":60,"capacity":{"namespaces":9},"enforcesEpochs":true,"fencing":{"hook":{"name":"f",
    "timeoutSeconds":9}},"fence":{"by":"anna","at":"2026-01-01T00:00:00Z","confirmed":true}},"status":{"observedGeneration":3,"fence":"Fenced",
    "fenceEpoch":2,"fencedBy":"Person","lapsedSince":"2026-01-01T00:00:00Z","restore":1,"report":{"highestEpochSeen":2,"tenure":3,"restore":1,
    "uses":[{"namespace":"n","epoch":4},{"namespace":"n","claim":"data","epoch":5}]},"history":[{"at":"2026-01-01T00:00:00Z","fence":"Fenced",
    "epoch":2,"fencedBy":"Person","request":{"by":"anna","at":"2026-01-01T00:00:00Z","confirmed":true}}],"message":"m","conditions":[{"type":"Ready",
    "status":"False","reason":"AsWanted","message":"m","observedGeneration":3,"lastTransitionTime":"2026-01-01T00:00:00Z"},{"type":"Reconciling",
    "status":"False","reason":"AsWanted","message":"m","observedGeneration":3,"lastTransitionTime":"2026-01-01T00:00:00Z"},{"type":"Stalled",
    "status":"False","reason":"AsWanted","message":"m","observedGeneration":3,"lastTransitionTime":"2026-01-01T00:00:00Z"}]}}"#;
const CLAIM: &str = r#"{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"data","namespace":"n","uid":"u","resourceVersion":"7",
    "labels":{"state.bowline.dev/east":"Sync","a":"b"}},"spec":{"accessModes":["ReadWriteOnce","ReadOnlyMany"]},"status":{"phase":"Bound"}}"#;
const SPACE: &str = r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n","uid":"u","resourceVersion":"7",
    "labels":{"state.bowline.dev/east":"Sync","state.bowline.dev/west":"Odd"}},"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}}"#;
const PASS: &str = r#"{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":"bowline-syncer-east","namespace":"n","uid":"u",
    "resourceVersion":"7","labels":{"bowline.dev/target":"east"},"finalizers":["bowline.dev/syncer"]},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",
    "kind":"ClusterRole","name":"bowline-syncer"},"subjects":[{"kind":"ServiceAccount","name":"bowline-syncer-east","namespace":"bowline-system"}]}"#;

pub(crate) fn targets() -> Vec<Target> {
    vec![
        drawn("placement-object", PLACEMENT, PlacementWire, Kind::Placement),
        drawn("grant-object", VOLUME, PlacementWire, Kind::Volume),
        drawn("target-object", TARGET, PlacementWire, Kind::Target),
        drawn("claim-object", CLAIM, PlacementWire, Kind::Claim),
        drawn("signed-placement", PLACEMENT, SignWire, PieceKind::Placed),
        drawn("signed-namespace", SPACE, SignWire, PieceKind::Space),
        drawn("signed-claim", CLAIM, SignWire, PieceKind::Claim),
        drawn("rights-of-a-syncer", PASS, SignWire, PieceKind::Pass),
    ]
}
