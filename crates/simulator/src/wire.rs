//! What the objects look like as JSON.

use bowline_control::{Millis, Version};
use bowline_runtime::{Address, Watched, Wire};
use k8s_openapi::api::apps::v1::{ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim, Pod, Service};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::core::{ApiResource, DynamicObject};
use serde_json::Value;

use crate::thing::{Id, Item, Kind, Owner, Thing};

/// How all kinds are read and written.
pub(crate) struct ThingWire;

fn resource(kind: Kind) -> ApiResource {
    match kind {
        Kind::Deployment => ApiResource::erase::<Deployment>(&()),
        Kind::ReplicaSet => ApiResource::erase::<ReplicaSet>(&()),
        Kind::StatefulSet => ApiResource::erase::<StatefulSet>(&()),
        Kind::DaemonSet => ApiResource::erase::<DaemonSet>(&()),
        Kind::Job => ApiResource::erase::<Job>(&()),
        Kind::Pod => ApiResource::erase::<Pod>(&()),
        Kind::Claim => ApiResource::erase::<PersistentVolumeClaim>(&()),
        Kind::Volume => ApiResource::erase::<PersistentVolume>(&()),
        Kind::Service => ApiResource::erase::<Service>(&()),
        Kind::Revision => ApiResource::erase::<ControllerRevision>(&()),
    }
}

impl Wire for ThingWire {
    type Object = Thing;

    fn watched(&self) -> Vec<Watched<Kind>> {
        let watched = |kind| Watched { kind, resource: resource(kind), namespaced: kind != Kind::Volume };
        Kind::ALL.into_iter().map(watched).collect()
    }

    fn address(&self, id: &Id) -> Address {
        Address { namespace: id.namespace.clone(), name: id.name.clone() }
    }

    fn read(&self, kind: Kind, raw: &DynamicObject) -> Option<Thing> {
        let meta = &raw.metadata;
        let namespace = meta.namespace.as_deref().unwrap_or_default();
        let owner = meta.owner_references.iter().flatten().find(|owner| owner.controller == Some(true));
        let created = meta.creation_timestamp.as_ref().map_or(0, |time| time.0.as_millisecond());
        let mut body = raw.data.clone();
        let status = body.as_object_mut().and_then(|body| body.remove("status"));
        Some(Thing::read(Item {
            id: Id::new(kind, namespace, meta.name.as_deref()?),
            uid: meta.uid.clone()?,
            version: Version(meta.resource_version.as_deref()?.parse().ok()?),
            generation: u64::try_from(meta.generation.unwrap_or(0)).unwrap_or(0),
            created: Millis(u64::try_from(created).unwrap_or(0)),
            deleting: meta.deletion_timestamp.is_some(),
            grace_s: meta.deletion_grace_period_seconds.unwrap_or(0),
            labels: meta.labels.clone().unwrap_or_default(),
            annotations: meta.annotations.clone().unwrap_or_default(),
            finalizers: meta.finalizers.clone().unwrap_or_default(),
            owner: owner.map(|owner| Owner {
                api_version: owner.api_version.clone(),
                kind: owner.kind.clone(),
                name: owner.name.clone(),
                uid: owner.uid.clone(),
            }),
            body,
            status: status.unwrap_or(Value::Null),
        }))
    }

    fn draw(&self, thing: &Thing, raw: &mut DynamicObject) {
        let meta = &mut raw.metadata;
        meta.labels = Some(thing.labels.clone()).filter(|labels| !labels.is_empty());
        meta.annotations = Some(thing.annotations.clone()).filter(|annotations| !annotations.is_empty());
        meta.finalizers = Some(thing.finalizers.clone()).filter(|finalizers| !finalizers.is_empty());
        let owners = meta.owner_references.iter().flatten();
        if let Some(owner) = &thing.owner
            && !owners.into_iter().any(|known| known.controller == Some(true))
        {
            meta.owner_references.get_or_insert_default().push(OwnerReference {
                api_version: owner.api_version.clone(),
                kind: owner.kind.clone(),
                name: owner.name.clone(),
                uid: owner.uid.clone(),
                controller: Some(true),
                block_owner_deletion: Some(true),
            });
        }
        let status = raw.data.as_object_mut().and_then(|data| data.remove("status"));
        raw.data = thing.body.clone();
        if let Some(status) = status {
            raw.data["status"] = status;
        }
    }

    fn draw_status(&self, thing: &Thing, raw: &mut DynamicObject) {
        raw.data["status"] = thing.status.clone();
    }

    fn uid(&self, uid: &String) -> String {
        uid.clone()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_read_and_drawn_again_is_the_same() {
        let raw: DynamicObject = serde_json::from_value(json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": { "name": "a", "namespace": "ns", "uid": "u", "resourceVersion": "7", "generation": 3,
                "finalizers": ["others"], "labels": { "x": "y" }, "annotations": { "z": "w" },
                "creationTimestamp": "2026-01-01T00:00:00Z",
                "ownerReferences": [
                    { "apiVersion": "v1", "kind": "ConfigMap", "name": "m", "uid": "m" },
                    { "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "r", "controller": true }] },
            "spec": { "containers": [], "unknown": [1] },
            "status": { "phase": "Pending" },
        }))
        .expect("an object");
        let thing = ThingWire.read(Kind::Pod, &raw).expect("it is read");
        assert_eq!(thing.owner_id(), Some(Id::new(Kind::ReplicaSet, "ns", "r")));
        let mut drawn = raw.clone();
        ThingWire.draw(&thing, &mut drawn);
        ThingWire.draw_status(&thing, &mut drawn);
        assert_eq!(drawn, raw);
    }

    #[test]
    fn a_kind_is_called_as_the_api_calls_it() {
        for kind in Kind::ALL {
            let resource = resource(kind);
            assert_eq!(
                (resource.kind.as_str(), resource.api_version.as_str()),
                (kind.name(), kind.api_version())
            );
        }
    }
}
