//! Claims: the volumes that people ask for.

use bowline_api::placements::VolumeGrant;
use bowline_control::Version;
use bowline_placements::Claim;
use bowline_placements::plain::Plain;
use kube::core::DynamicObject;
use serde_json::Value;

/// How a volume may be mounted that several may use at once.
const SHARED: [&str; 2] = ["ReadWriteMany", "ReadOnlyMany"];

pub(super) fn read(raw: &DynamicObject) -> Option<Claim<Plain>> {
    let meta = &raw.metadata;
    let namespace = meta.namespace.clone()?;
    let modes = raw.data.pointer("/spec/accessModes").and_then(Value::as_array);
    let mut modes = modes.into_iter().flatten().filter_map(Value::as_str);
    Some(Claim {
        volume: VolumeGrant::object_name(&namespace, meta.name.as_deref()?),
        namespace,
        uid: meta.uid.clone()?,
        version: Version(meta.resource_version.as_deref()?.parse().ok()?),
        deleting: meta.deletion_timestamp.is_some(),
        shared: modes.any(|mode| SHARED.contains(&mode)),
    })
}
