//! `bowline place cordon|uncordon|drain|fence|unfence`: what may be on a target.

use bowline_api::placements::{Fence, Placement, SyncTarget};
use kube::ResourceExt;
use serde_json::{Value, json};

use super::{Hub, now};
use crate::connection::Wanted;
use crate::exit::{Exit, Refused};
use crate::output::{self, Format};

/// What is wanted of a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Duty {
    Cordon,
    Uncordon,
    Drain,
    Fence { confirmed: bool },
    Unfence,
}

/// Says what is wanted of a target.
pub(crate) async fn set(server: &Wanted, name: &str, duty: Duty, format: Format) -> anyhow::Result<Exit> {
    let hub = Hub::of(server).await?;
    let target = hub.target(name).await?;
    if target.metadata.deletion_timestamp.is_some() && duty != (Duty::Fence { confirmed: true }) {
        anyhow::bail!(Refused(format!("the target {name} is being deleted")));
    }
    let by = match duty {
        Duty::Fence { .. } => hub.whoami().await?,
        _ => String::new(),
    };
    let changed = match change(&target, duty, &by) {
        Some(change) => hub.change_target(name, &change).await?,
        None => target,
    };
    if format.is_text() {
        output::note(&told(name, duty, &changed, &by));
        if duty == Duty::Drain {
            stay(&hub.all_placements().await?, name).iter().for_each(|line| output::note(line));
        }
    } else {
        output::print(&output::document(format, &changed)?)?;
    }
    Ok(Exit::Done)
}

/// What stays on a target that drains: a person has said that it is to be there and nowhere else.
fn stay(placements: &[Placement], name: &str) -> Vec<String> {
    let is_pinned = |placement: &&Placement| {
        placement.spec.target.as_ref().is_some_and(|pinned| pinned.as_str() == name)
            && placement.metadata.deletion_timestamp.is_none()
    };
    let namespaces = placements.iter().filter(is_pinned).filter_map(ResourceExt::namespace);
    let line = |namespace: String| {
        format!(
            "The namespace {namespace} is pinned to {name}, and stays until it is moved: bowline place move {namespace} --to TARGET"
        )
    };
    namespaces.map(line).collect()
}

/// What has to be changed for that; `None` if it is so.
fn change(target: &SyncTarget, duty: Duty, by: &str) -> Option<Value> {
    let spec = &target.spec;
    let (is_so, change) = match duty {
        Duty::Cordon => (spec.unschedulable, json!({ "unschedulable": true })),
        Duty::Uncordon => {
            (!spec.unschedulable && !spec.drain, json!({ "unschedulable": null, "drain": null }))
        }
        Duty::Drain => (spec.drain, json!({ "unschedulable": true, "drain": true })),
        // Who has confirmed it is on record, and is not replaced by who only wants it.
        Duty::Fence { confirmed } => (
            spec.fence.as_ref().is_some_and(|fence| fence.confirmed || !confirmed),
            json!({ "fence": { "by": by, "at": now(), "confirmed": confirmed } }),
        ),
        Duty::Unfence => (spec.fence.is_none(), json!({ "fence": null })),
    };
    (!is_so).then(|| json!({ "spec": change }))
}

fn told(name: &str, duty: Duty, target: &SyncTarget, by: &str) -> String {
    let fence = target.status.as_ref().map_or(Fence::None, |status| status.fence);
    match duty {
        Duty::Cordon => format!("Nothing new is placed on {name}; what is there stays."),
        Duty::Uncordon => format!("{name} is in service again."),
        Duty::Drain => format!("What is on {name} goes elsewhere where it can: see `bowline place status`."),
        Duty::Fence { confirmed: true } => format!(
            "It is on record that {by} vouches for it that nothing on {name} can write to its volumes, and nothing will until it is unfenced. What is on it may be granted to others now."
        ),
        Duty::Fence { confirmed: false } if fence == Fence::Fenced => format!("{name} is fenced."),
        Duty::Fence { confirmed: false } => {
            let rest = match (&target.spec.fencing, target.spec.enforces_epochs) {
                (None, false) => format!(
                    " Nothing can do that by itself: see to it that nothing on it can write, and say so, `bowline place fence {name} --confirmed`."
                ),
                _ => String::new(),
            };
            format!("{name} is to be fenced: see `bowline place status`.{rest}")
        }
        Duty::Unfence if fence == Fence::None => format!("{name} is not fenced."),
        Duty::Unfence => format!(
            "{name} is unfenced when its syncer has stopped what was granted before: see `bowline place status`."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(spec: Value) -> SyncTarget {
        let mut object = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "SyncTarget", "metadata": { "name": "east" }, "spec": { "cluster": "east" },
        });
        for (key, value) in spec.as_object().into_iter().flatten() {
            object["spec"][key.as_str()] = value.clone();
        }
        serde_json::from_value(object).expect("a target")
    }

    #[test]
    fn what_is_so_is_not_written_again() {
        let plain = target(json!({}));
        let drained = target(json!({ "unschedulable": true, "drain": true }));
        for (target, duty, writes) in [
            (&plain, Duty::Cordon, true),
            (&drained, Duty::Cordon, false),
            (&plain, Duty::Uncordon, false),
            (&drained, Duty::Uncordon, true),
            (&plain, Duty::Drain, true),
            (&drained, Duty::Drain, false),
            (&plain, Duty::Unfence, false),
        ] {
            assert_eq!(change(target, duty, "").is_some(), writes, "{duty:?}");
        }
    }

    #[test]
    fn who_is_pinned_to_a_target_that_drains_is_told() {
        let placement = |namespace: &str, spec: Value| {
            let object = json!({
                "apiVersion": "bowline.dev/v1alpha1", "kind": "Placement", "spec": spec,
                "metadata": { "name": "placement", "namespace": namespace },
            });
            serde_json::from_value(object).expect("a placement")
        };
        let all = [
            placement("shop", json!({ "target": "east" })),
            placement("bank", json!({ "target": "west" })),
            placement("free", json!({})),
        ];
        let lines = stay(&all, "east");
        assert!(lines.len() == 1 && lines[0].contains("bowline place move shop --to TARGET"), "{lines:?}");
    }

    #[test]
    fn who_has_confirmed_a_fence_stays_on_record() {
        let fenced = |confirmed: bool| {
            target(json!({ "fence": { "by": "anna", "at": "2026-01-01T00:00:00Z", "confirmed": confirmed } }))
        };
        let by_bert = |target: &SyncTarget, confirmed| {
            change(target, Duty::Fence { confirmed }, "bert")
                .map(|change| change["spec"]["fence"]["by"].clone())
        };
        assert_eq!(by_bert(&fenced(false), true), Some(json!("bert")));
        assert_eq!(by_bert(&fenced(false), false), None);
        assert_eq!((by_bert(&fenced(true), true), by_bert(&fenced(true), false)), (None, None));
    }
}
