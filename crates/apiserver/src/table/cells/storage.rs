//! Volumes, and what provides them.

use serde_json::Value;

use super::{Object, any_text, text_of};

pub(super) fn of(plural: &str, object: &Object<'_>) -> Option<Vec<Value>> {
    Some(match plural {
        "persistentvolumes" => volume(object),
        "persistentvolumeclaims" => claim(object),
        "storageclasses" => class(object),
        "volumeattributesclasses" => vec![object.name(), object.text("driverName").into(), object.age()],
        "volumeattachments" => vec![
            object.name(),
            object.text("spec.attacher").into(),
            object.text("spec.source.persistentVolumeName").into(),
            object.text("spec.nodeName").into(),
            object.flag("status.attached").unwrap_or(false).into(),
            object.age(),
        ],
        "csinodes" => vec![object.name(), object.count("spec.drivers").into(), object.age()],
        "csidrivers" => driver(object),
        _ => return None,
    })
}

fn volume(object: &Object<'_>) -> Vec<Value> {
    let claim = object.at("spec.claimRef").map_or_else(String::new, |claim| {
        format!("{}/{}", text_of(claim, "namespace"), text_of(claim, "name"))
    });
    vec![
        object.name(),
        quantity(object, "spec.capacity.storage").into(),
        modes(object, "spec.accessModes").into(),
        object.text("spec.persistentVolumeReclaimPolicy").into(),
        phase(object).into(),
        claim.into(),
        class_of(object).into(),
        or_unset(object, "spec.volumeAttributesClassName").into(),
        object.text("status.reason").into(),
        object.age(),
        or_unset(object, "spec.volumeMode").into(),
    ]
}

fn claim(object: &Object<'_>) -> Vec<Value> {
    let volume = object.text("spec.volumeName");
    let (capacity, modes) = match volume {
        "" => (String::new(), String::new()),
        _ => (quantity(object, "status.capacity.storage"), modes(object, "status.accessModes")),
    };
    vec![
        object.name(),
        phase(object).into(),
        volume.into(),
        capacity.into(),
        modes.into(),
        class_of(object).into(),
        or_unset(object, "spec.volumeAttributesClassName").into(),
        object.age(),
        or_unset(object, "spec.volumeMode").into(),
    ]
}

fn phase<'a>(object: &Object<'a>) -> &'a str {
    if object.is_going() { "Terminating" } else { object.text("status.phase") }
}

fn or_unset<'a>(object: &Object<'a>, path: &str) -> &'a str {
    object.at(path).and_then(Value::as_str).unwrap_or("<unset>")
}

fn quantity(object: &Object<'_>, path: &str) -> String {
    object.at(path).map_or_else(|| "0".to_owned(), any_text)
}

fn class_of<'a>(object: &Object<'a>) -> &'a str {
    let old = object.annotation("volume.beta.kubernetes.io/storage-class");
    old.unwrap_or_else(|| object.text("spec.storageClassName"))
}

fn modes(object: &Object<'_>, path: &str) -> String {
    let short = [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ];
    let modes = object.list(path);
    let shown = short.iter().filter(|(mode, _)| modes.iter().any(|other| other == mode));
    shown.map(|(_, short)| *short).collect::<Vec<_>>().join(",")
}

fn class(object: &Object<'_>) -> Vec<Value> {
    let is_default =
        ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"]
            .iter()
            .any(|name| object.annotation(name) == Some("true"));
    let name = object.text("metadata.name");
    vec![
        if is_default { format!("{name} (default)").into() } else { name.into() },
        object.text("provisioner").into(),
        object.text_or("reclaimPolicy", "Delete").into(),
        object.text_or("volumeBindingMode", "Immediate").into(),
        object.flag("allowVolumeExpansion").unwrap_or(false).into(),
        object.age(),
    ]
}

fn driver(object: &Object<'_>) -> Vec<Value> {
    let flag = |name: &str, otherwise| object.flag(&format!("spec.{name}")).unwrap_or(otherwise).into();
    let modes: Vec<_> = object.list("spec.volumeLifecycleModes").iter().filter_map(Value::as_str).collect();
    let audiences = object.at("spec.tokenRequests").map(|_| {
        let each = object.list("spec.tokenRequests").iter().map(|request| text_of(request, "audience"));
        each.collect::<Vec<_>>().join(",")
    });
    vec![
        object.name(),
        flag("attachRequired", true),
        flag("podInfoOnMount", false),
        flag("storageCapacity", false),
        audiences.unwrap_or_else(|| "<unset>".to_owned()).into(),
        flag("requiresRepublish", false),
        if modes.is_empty() { "<none>".into() } else { modes.join(",").into() },
        object.age(),
    ]
}
