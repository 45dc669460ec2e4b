//! What `bowline restore` makes of placements, grants and targets before anybody reads them.

use bowline_api::placements::Placement as PlacementResource;
use bowline_api::placements::VolumeGrant;
use bowline_placements::plain::Plain;
use bowline_placements::{Epoch, FenceWish, Kind, Object, Restore};
use bowline_runtime::Wire as _;
use kube::core::DynamicObject;
use serde_json::Value;

use super::PlacementWire;

/// Marks what is in a backup, each by its resource and its JSON: nothing is granted, released or unfenced before all targets have said
/// what they use, or are fenced. Nobody was ever given an epoch above this one. Says which targets these are.
///
/// # Errors
/// If something cannot be read: then it is not known what it means.
pub fn mark_restored<'a>(
    objects: impl IntoIterator<Item = (&'a str, &'a mut Value)>,
    above: u64,
) -> Result<Vec<String>, String> {
    let mut read = Vec::new();
    for (resource, json) in objects {
        let Some(kind) = kind(resource) else { continue };
        let raw: DynamicObject = serde_json::from_value(json.clone())
            .map_err(|error| format!("something of {resource} cannot be read: {error}"))?;
        match PlacementWire.read(kind, &raw) {
            Some(object) => read.push((object, raw, json)),
            None if is_nobodys(kind, &raw) => {}
            None => {
                let name = raw.metadata.name.unwrap_or_default();
                return Err(format!(
                    "{resource} {name} cannot be read: it is of another version of bowline, which has to restore it"
                ));
            }
        }
    }
    let restore: Restore<Plain> = Restore::of(read.iter().map(|(object, ..)| object));
    for (mut object, mut raw, json) in read {
        restore.mark(&mut object, Epoch(above));
        PlacementWire.draw_status(&object, &mut raw);
        json["status"] = raw.data["status"].take();
        // What people say is not drawn: who has vouched for a fence is asked again.
        if let (Object::Target(target), Some(said)) = (&object, json.pointer_mut("/spec/fence/confirmed")) {
            *said = Value::Bool(target.wish.fence == FenceWish::Confirmed);
        }
    }
    Ok(restore.awaits().iter().cloned().collect())
}

fn kind(resource: &str) -> Option<Kind> {
    match resource {
        "placements" => Some(Kind::Placement),
        "volumegrants" => Some(Kind::Volume),
        "synctargets" => Some(Kind::Target),
        _ => None,
    }
}

/// Whether it is an object that nobody goes by, because it has not the name that it would have to have.
fn is_nobodys(kind: Kind, raw: &DynamicObject) -> bool {
    let name = raw.metadata.name.as_deref();
    let spec = |field: &str| raw.data["spec"][field].as_str().unwrap_or_default();
    match kind {
        Kind::Placement => name != Some(PlacementResource::NAME),
        Kind::Volume => name != Some(VolumeGrant::object_name(spec("namespace"), spec("claim")).as_str()),
        Kind::Target | Kind::Claim => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ABOVE: u64 = 1_790_000_000_000;

    fn backup() -> Vec<(&'static str, Value)> {
        let meta =
            |name: &str| json!({ "name": name, "namespace": "shop", "uid": name, "resourceVersion": "7" });
        let user =
            json!({ "target": "east", "epoch": 3, "fenceEpoch": 1, "state": "Granted", "said": "Ready" });
        let grant = json!({ "holder": "east", "epoch": 3, "users": [user], "phase": "Granted", "message": "on east" });
        let volume = json!({ "holder": "east", "epoch": 4, "state": "Granted", "users": [user] });
        let target = |fence: &str| json!({ "fence": fence, "fenceEpoch": 1, "restore": 2 });
        let vouched = json!({ "by": "anna", "at": "2026-01-01T00:00:00Z", "confirmed": true });
        vec![
            ("stacks", json!({ "metadata": meta("a"), "spec": {} })),
            (
                "placements",
                json!({ "metadata": meta("placement"), "spec": { "target": "east" }, "status": grant }),
            ),
            ("placements", json!({ "metadata": meta("other"), "spec": {} })),
            (
                "volumegrants",
                json!({ "metadata": meta("shop.data"), "spec": { "namespace": "shop", "claim": "data" }, "status": volume }),
            ),
            (
                "synctargets",
                json!({ "metadata": meta("east"), "spec": { "cluster": "east" }, "status": target("None") }),
            ),
            (
                "synctargets",
                json!({ "metadata": meta("west"), "spec": { "cluster": "west", "fence": vouched }, "status": target("Fenced") }),
            ),
        ]
    }

    fn mark(objects: &mut [(&'static str, Value)]) -> Result<Vec<String>, String> {
        mark_restored(objects.iter_mut().map(|(resource, json)| (*resource, json)), ABOVE)
    }

    #[test]
    fn grants_are_left_open_epochs_go_on_above_and_no_fence_is_believed() {
        let before = backup();
        let mut after = before.clone();
        assert_eq!(mark(&mut after), Ok(vec!["east".to_owned(), "west".to_owned()]));
        assert_eq!((&after[0], &after[2]), (&before[0], &before[2]), "nobody goes by them");
        for grant in [&after[1].1["status"], &after[3].1["status"]] {
            assert_eq!(grant["recovering"], json!({ "restore": 3, "awaits": ["east", "west"] }));
            assert_eq!((&grant["epoch"], &grant["users"][0]["epoch"]), (&json!(ABOVE + 1), &json!(3)));
        }
        let [east, west] = [&after[4].1, &after[5].1];
        for (target, fence) in [(east, "None"), (west, "Requested")] {
            let status = &target["status"];
            assert_eq!((&status["restore"], &status["fence"]), (&json!(3), &json!(fence)));
            assert_eq!(status["fenceEpoch"], ABOVE + 1);
        }
        assert_eq!(
            west["spec"]["fence"],
            json!({ "by": "anna", "at": "2026-01-01T00:00:00Z", "confirmed": false })
        );
        assert_eq!(
            (&after[1].1["metadata"], &after[1].1["spec"]),
            (&before[1].1["metadata"], &before[1].1["spec"])
        );
        // The same once more, of what has come of it.
        assert!(mark(&mut after).is_ok());
        assert_eq!(after[1].1["status"]["recovering"]["restore"], 4);
    }

    #[test]
    fn what_cannot_be_read_is_not_restored_as_if_it_meant_nothing() {
        for (at, path) in [(1, "/status/epoch"), (3, "/status/users"), (4, "/status/fence")] {
            let mut objects = backup();
            *objects[at].1.pointer_mut(path).expect("a field") = json!({ "of": "tomorrow" });
            let said = mark(&mut objects).expect_err("it cannot be read");
            assert!(said.contains("another version of bowline"), "{said}");
        }
    }
}
