//! Volumes as they are on a cluster, and as another one can attach them.

use bowline_api::Name;
use bowline_api::placements::{AccessMode, PortableVolume, VolumeMode};
use kube::core::DynamicObject;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// What fields end with that name Secrets of a driver.
const SECRET: &str = "SecretRef";
/// A directory of a node: it stays on its cluster.
const DIRECTORY: &str = "kubernetes.io/host-path";
/// A disk of a node: it stays on its cluster.
const DISK: &str = "kubernetes.io/local-volume";
/// A directory of a server. Its handle is `server:path`.
const SHARE: &str = "kubernetes.io/nfs";

/// What a volume is, and whether only its own cluster reaches it.
///
/// # Errors
/// Why nobody can say it, in words.
pub(crate) fn describe(volume: &DynamicObject) -> Result<(PortableVolume, bool), String> {
    let spec = &volume.data["spec"];
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let mut is = PortableVolume {
        size: text(&spec["capacity"]["storage"]).unwrap_or_default(),
        class: text(&spec["storageClassName"]).map(|class| Name::from(class.as_str())),
        access_modes: read(&spec["accessModes"]).unwrap_or_default(),
        mode: read(&spec["volumeMode"]).unwrap_or_default(),
        ..PortableVolume::default()
    };
    let csi = &spec["csi"];
    if let (Some(driver), Some(handle)) = (text(&csi["driver"]), text(&csi["volumeHandle"])) {
        let named = csi.as_object().into_iter().flatten().filter_map(|(field, secret)| {
            let what = field.strip_suffix(SECRET)?;
            let (namespace, name) = (text(&secret["namespace"])?, text(&secret["name"])?);
            Some((what.to_owned(), format!("{namespace}/{name}")))
        });
        is.secrets = named.collect();
        (is.driver, is.handle, is.fs_type) = (driver, handle, text(&csi["fsType"]));
        is.attributes = read(&csi["volumeAttributes"]).unwrap_or_default();
        return Ok((is, false));
    }
    if let (Some(server), Some(path)) = (text(&spec["nfs"]["server"]), text(&spec["nfs"]["path"])) {
        (is.driver, is.handle) = (SHARE.to_owned(), format!("{server}:{path}"));
        return Ok((is, false));
    }
    for (source, driver) in [("hostPath", DIRECTORY), ("local", DISK)] {
        if let Some(path) = text(&spec[source]["path"]) {
            (is.driver, is.handle) = (driver.to_owned(), path);
            if let Ok(affinity) = serde_json::to_string(&spec["nodeAffinity"]) {
                is.attributes.extend((affinity != "null").then(|| ("nodeAffinity".to_owned(), affinity)));
            }
            return Ok((is, true));
        }
    }
    Err("it is none of CSI, NFS, hostPath and local".to_owned())
}

fn read<T: DeserializeOwned>(value: &Value) -> Option<T> {
    serde_json::from_value(value.clone()).ok()
}

fn written<T: Serialize>(value: &T) -> Value {
    json!(value)
}

/// The spec of a PersistentVolume that is that volume, for a claim that is not there yet. Its data stays.
pub(crate) fn spec(volume: &PortableVolume, namespace: &str, claim: &str) -> Value {
    let mut spec = json!({
        "capacity": { "storage": volume.size },
        "accessModes": written(&volume.access_modes),
        "volumeMode": match volume.mode { VolumeMode::Block => "Block", VolumeMode::Filesystem => "Filesystem" },
        "persistentVolumeReclaimPolicy": "Retain",
        // Without a uid: whatever claim has that name is bound to it, and no other.
        "claimRef": { "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespace, "name": claim },
    });
    if let Some(class) = &volume.class {
        spec["storageClassName"] = json!(class);
    }
    match volume.driver.as_str() {
        SHARE => {
            let (server, path) = volume.handle.split_once(':').unwrap_or((volume.handle.as_str(), "/"));
            spec["nfs"] = json!({ "server": server, "path": path });
        }
        DIRECTORY => spec["hostPath"] = json!({ "path": volume.handle }),
        DISK => spec["local"] = json!({ "path": volume.handle }),
        driver => {
            let mut csi = Map::from_iter([
                ("driver".to_owned(), json!(driver)),
                ("volumeHandle".to_owned(), json!(volume.handle)),
            ]);
            if let Some(system) = &volume.fs_type {
                csi.insert("fsType".to_owned(), json!(system));
            }
            if !volume.attributes.is_empty() {
                csi.insert("volumeAttributes".to_owned(), json!(volume.attributes));
            }
            for (what, secret) in &volume.secrets {
                if let Some((namespace, name)) = secret.split_once('/') {
                    csi.insert(format!("{what}{SECRET}"), json!({ "namespace": namespace, "name": name }));
                }
            }
            spec["csi"] = Value::Object(csi);
        }
    }
    let affinity =
        volume.attributes.get("nodeAffinity").filter(|_| volume.driver.starts_with("kubernetes.io/"));
    if let Some(affinity) = affinity.and_then(|text| serde_json::from_str::<Value>(text).ok()) {
        spec["nodeAffinity"] = affinity;
    }
    spec
}

/// The spec of a claim for a volume: as people want it, as far as it fits the volume. Without a volume it is what they want.
pub(crate) fn claim(wanted: Option<&Value>, volume: Option<&DynamicObject>) -> Value {
    let mut spec = Map::new();
    for field in ["accessModes", "resources", "storageClassName", "volumeMode"] {
        if let Some(value) = wanted.and_then(|wanted| wanted.get(field)) {
            spec.insert(field.to_owned(), value.clone());
        }
    }
    let Some(volume) = volume else { return Value::Object(spec) };
    let is = &volume.data["spec"];
    spec.insert("volumeName".to_owned(), json!(volume.metadata.name));
    // A claim without a class would be given the one that is the default here, and then not fit.
    spec.insert("storageClassName".to_owned(), json!(is["storageClassName"].as_str().unwrap_or_default()));
    spec.insert("accessModes".to_owned(), is["accessModes"].clone());
    spec.insert("resources".to_owned(), json!({ "requests": { "storage": is["capacity"]["storage"] } }));
    if is["volumeMode"].is_string() {
        spec.insert("volumeMode".to_owned(), is["volumeMode"].clone());
    }
    Value::Object(spec)
}

/// Whether several clusters may use a claim's volume at once.
pub(crate) fn is_shared(claim: &DynamicObject) -> bool {
    let modes: Vec<AccessMode> = read(&claim.data["spec"]["accessModes"]).unwrap_or_default();
    modes.iter().any(|mode| matches!(mode, AccessMode::ReadWriteMany | AccessMode::ReadOnlyMany))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(spec: Value) -> DynamicObject {
        let object = json!({ "apiVersion": "v1", "kind": "PersistentVolume", "metadata": { "name": "v" }, "spec": spec });
        serde_json::from_value(object).expect("an object")
    }

    #[test]
    fn a_volume_is_the_same_on_another_cluster() {
        for (source, stays) in [
            (
                json!({ "csi": { "driver": "d.example", "volumeHandle": "h", "fsType": "ext4", "volumeAttributes": { "a": "b" } } }),
                false,
            ),
            (
                json!({ "csi": { "driver": "d", "volumeHandle": "h", "nodeStageSecretRef": { "namespace": "n", "name": "s" } } }),
                false,
            ),
            (json!({ "nfs": { "server": "s", "path": "/p" } }), false),
            (json!({ "hostPath": { "path": "/x" } }), true),
            (json!({ "local": { "path": "/x" }, "nodeAffinity": { "required": {} } }), true),
        ] {
            let mut spec = json!({
                "capacity": { "storage": "1Gi" }, "accessModes": ["ReadWriteOnce"], "volumeMode": "Filesystem", "storageClassName": "fast",
            });
            spec.as_object_mut().expect("fields").extend(source.as_object().expect("fields").clone());
            let (is, only) = describe(&volume(spec.clone())).expect("it can be said");
            assert_eq!(only, stays, "{source}");
            let again = super::spec(&is, "shop", "data");
            for (field, value) in spec.as_object().expect("fields") {
                assert_eq!(again[field], *value, "{field} of {source}");
            }
            assert_eq!(again["persistentVolumeReclaimPolicy"], "Retain");
            assert!(again["claimRef"].get("uid").is_none());
        }
    }

    #[test]
    fn what_cannot_be_attached_elsewhere_is_not_described() {
        assert!(describe(&volume(json!({ "awsElasticBlockStore": { "volumeID": "x" } }))).is_err());
    }

    #[test]
    fn a_claim_fits_its_volume_also_if_people_want_something_else() {
        let wanted =
            json!({ "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } } });
        assert_eq!(claim(Some(&wanted), None), wanted);
        let volume = volume(json!({ "capacity": { "storage": "2Gi" }, "accessModes": ["ReadWriteOncePod"] }));
        let claim = claim(Some(&wanted), Some(&volume));
        assert_eq!(claim["volumeName"], "v");
        assert_eq!(claim["storageClassName"], "");
        assert_eq!(claim["resources"]["requests"]["storage"], "2Gi");
        assert_eq!(claim["accessModes"], json!(["ReadWriteOncePod"]));
    }
}
