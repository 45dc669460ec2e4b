//! What groups, members and clusters look like as JSON.

mod cluster;
mod device;
mod group;
mod lists;
mod member;

use bowline_api::updates::Cluster as ClusterResource;
use bowline_api::upgrades::{Member as MemberResource, NodeGroup};
use bowline_runtime::{Address, Notice, Watched, Wire};
use bowline_upgrades::plain::{Named, Plain};
use bowline_upgrades::{Id, IdOf, Kind, Object};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{OwnerReference, Time};
use kube::Resource;
use kube::core::{ApiResource, DynamicObject};

pub(crate) use self::device::DeviceWire;

/// Reads and writes what the protocol of upgrades knows.
pub struct UpgradeWire;

impl Wire for UpgradeWire {
    type Object = Object<Plain>;

    fn watched(&self) -> Vec<Watched<Kind>> {
        let watched = |kind, resource, namespaced| Watched { kind, resource, namespaced };
        vec![
            watched(Kind::Group, ApiResource::erase::<NodeGroup>(&()), true),
            watched(Kind::Member, ApiResource::erase::<MemberResource>(&()), true),
            watched(Kind::Cluster, ApiResource::erase::<ClusterResource>(&()), false),
        ]
    }

    fn address(&self, id: &IdOf<Plain>) -> Address {
        match id {
            Id::Group(Named { namespace, name }) => {
                Address { namespace: namespace.clone(), name: name.clone() }
            }
            Id::Member(group, name) => Address {
                namespace: group.namespace.clone(),
                name: MemberResource::object_name(&group.name, name),
            },
            Id::Cluster(name) => Address { namespace: String::new(), name: name.clone() },
        }
    }

    fn read(&self, kind: Kind, raw: &DynamicObject) -> Option<Object<Plain>> {
        match kind {
            Kind::Group => group::read(raw).map(Object::Group),
            Kind::Member => member::read(raw).map(Object::Member),
            Kind::Cluster => cluster::read(raw).map(Object::Cluster),
        }
    }

    fn draw(&self, object: &Object<Plain>, raw: &mut DynamicObject) {
        match object {
            Object::Group(group) => group::draw(group, raw),
            Object::Member(member) => member::draw(member, raw),
            // Nothing but its status is ours.
            Object::Cluster(_) => {}
        }
    }

    fn draw_status(&self, object: &Object<Plain>, raw: &mut DynamicObject) {
        let now = Time(k8s_openapi::jiff::Timestamp::now());
        match object {
            Object::Group(group) => group::draw_status(group, raw, &now),
            Object::Member(member) => member::draw_status(member, raw),
            Object::Cluster(cluster) => cluster::draw_status(cluster, raw),
        }
    }

    fn notices(&self, before: &Object<Plain>, after: &Object<Plain>) -> Vec<Notice> {
        let (Object::Group(before), Object::Group(after)) = (before, after) else { return Vec::new() };
        group::notices(before, after)
    }

    fn uid(&self, uid: &String) -> String {
        uid.clone()
    }
}

/// Whether a finalizer is there.
fn is_held(raw: &DynamicObject, finalizer: &str) -> bool {
    raw.metadata.finalizers.iter().flatten().any(|other| other == finalizer)
}

/// Puts a finalizer, or takes it away. Others keep theirs.
fn hold(raw: &mut DynamicObject, finalizer: &str, held: bool) {
    let finalizers = raw.metadata.finalizers.get_or_insert_default();
    finalizers.retain(|other| other != finalizer);
    if held {
        finalizers.push(finalizer.to_owned());
    }
}

/// Whether something is owned by a group, and not by something else of the same name.
fn is_group(owner: &OwnerReference) -> bool {
    owner.kind == NodeGroup::kind(&()) && owner.api_version == NodeGroup::api_version(&())
}

fn owner(group: &str, uid: &str) -> OwnerReference {
    OwnerReference {
        api_version: NodeGroup::api_version(&()).into_owned(),
        kind: NodeGroup::kind(&()).into_owned(),
        name: group.to_owned(),
        uid: uid.to_owned(),
        controller: Some(true),
        block_owner_deletion: None,
    }
}
