//! Inventories, our own kinds and objects of clusters, on input that is nearly good.

use bowline_fuzz::{Target, same};
use bowline_updates::Kind;

use super::wire::UpdateWire;
use super::{health, inventory, marks, names};
use crate::fuzz::{drawn, object};

const INVENTORY: &str = r#"{"objects":[{"group":"","kind":"ConfigMap","namespace":"a","name":"b"},{"group":"apps","kind":"Deployment",
    "namespace":"a","name":"c","before":{"data":{"x":"y"},"n":1.5}}]}"#;
const STACK: &str = r#"{"apiVersion":"bowline.dev/v1alpha1","kind":"Stack","metadata":{"name":"s","namespace":"n","uid":"u","resourceVersion":"7","generation":3},
    "spec":{"cluster":"c","timeoutSeconds":300,"released":[2]},"status":{"observedGeneration":3,"phase":"Partial","working":3,"lastSubmittedVersion":3,
    "epoch":5,"attempt":7,"message":"m","lastGood":{"version":1,"digest":"sha256:0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"},"quarantined":[{"digest":"sha256:0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f","version":2,"reason":"r"}],
    "requests":[{"version":3,"update":"s-3","uid":"v","digest":"sha256:0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f","phase":"Processing"}]}}"#;
const UPDATE: &str = r#"{"apiVersion":"bowline.dev/v1alpha1","kind":"Update","metadata":{"name":"s-1","namespace":"n","uid":"u","resourceVersion":"8",
    "creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{"stack":"s","bundle":"sha256:0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"},"status":{"version":1,"phase":"Queued","message":"m"}}"#;
const CLUSTER: &str = r#"{"apiVersion":"bowline.dev/v1alpha1","kind":"Cluster","metadata":{"name":"c","uid":"u","resourceVersion":"7"},"spec":{"embedded":{}},
    "status":{"activity":{"updates":[{"namespace":"n","stack":"s","attempt":3}]}}}"#;
const LIVE: [&str; 3] = [
    r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","namespace":"n","generation":2,"labels":{"bowline.dev/stack-uid":"u"},
        "annotations":{"bowline.dev/stack":"n/s","bowline.dev/object":"Deployment.apps/n/d"},"managedFields":[{"manager":"bowline","operation":"Update"}]},
        "spec":{"replicas":2},"status":{"observedGeneration":2,"replicas":2,"updatedReplicas":2,"availableReplicas":1,
        "conditions":[{"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded","message":"m"}]}}"#,
    r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"status":{"phase":"Failed","containerStatuses":[{"state":{"waiting":{"reason":"ImagePullBackOff"}}}]}}"#,
    r#"{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{"completions":3},"status":{"succeeded":1,"failed":2,"conditions":[]}}"#,
];

pub(crate) fn targets() -> Vec<Target> {
    vec![
        Target::new("inventory", [INVENTORY], |input| {
            let Ok(read) = inventory::read(input) else { return Ok(()) };
            let text = inventory::text(&read);
            let again = inventory::read(&text).ok();
            same(read, &String::from_utf8_lossy(&text), again)
        }),
        drawn("stack-object", STACK, UpdateWire, Kind::Stack),
        drawn("update-object", UPDATE, UpdateWire, Kind::Update),
        drawn("cluster-of-updates", CLUSTER, UpdateWire, Kind::Cluster),
        Target::new("live-object", LIVE, |input| {
            let Some(live) = object(input) else { return Ok(()) };
            let _ = (health::health(&live), marks::stack_of(&live), names::Place::of(&live));
            let read = marks::read(&live);
            let again = marks::read(&marks::guarded(marks::said(&live), &read));
            same((read.uid, read.version), "a guarded write", Some((again.uid, again.version)))
        }),
    ]
}
