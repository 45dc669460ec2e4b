//! What identities, service accounts, clusters and tombstones look like as JSON.

mod account;
mod child;
mod cluster;
mod identity;
mod tombstone;

use bowline_api::identities::{IamRoleServiceAccount, IamTombstone};
use bowline_api::updates::Cluster as ClusterResource;
use bowline_identities::plain::{Named, Plain};
use bowline_identities::{Id, IdOf, Kind, Object};
use bowline_runtime::{Address, Notice, Watched, Wire};
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::core::{ApiResource, DynamicObject};

pub(crate) use self::account::ROLE_ARN;
pub(crate) use self::child::ChildWire;

/// Reads and writes what the protocol of identities knows.
pub(crate) struct IdentityWire;

impl Wire for IdentityWire {
    type Object = Object<Plain>;

    fn watched(&self) -> Vec<Watched<Kind>> {
        let watched = |kind, resource, namespaced| Watched { kind, resource, namespaced };
        vec![
            watched(Kind::Identity, ApiResource::erase::<IamRoleServiceAccount>(&()), true),
            watched(Kind::Account, ApiResource::erase::<ServiceAccount>(&()), true),
            watched(Kind::Tombstone, ApiResource::erase::<IamTombstone>(&()), false),
            watched(Kind::Cluster, ApiResource::erase::<ClusterResource>(&()), false),
        ]
    }

    fn address(&self, id: &IdOf<Plain>) -> Address {
        match id {
            Id::Identity(Named { namespace, name }) | Id::Account(Named { namespace, name }) => {
                Address { namespace: namespace.clone(), name: name.clone() }
            }
            Id::Tombstone(of) => Address { namespace: String::new(), name: tombstone::name(of) },
            Id::Cluster(name) => Address { namespace: String::new(), name: name.clone() },
        }
    }

    fn read(&self, kind: Kind, raw: &DynamicObject) -> Option<Object<Plain>> {
        match kind {
            Kind::Identity => identity::read(raw).map(Object::Identity),
            Kind::Account => account::read(raw).map(Object::Account),
            Kind::Tombstone => tombstone::read(raw).map(Object::Tombstone),
            Kind::Cluster => cluster::read(raw).map(Object::Cluster),
        }
    }

    fn draw(&self, object: &Object<Plain>, raw: &mut DynamicObject) {
        match object {
            Object::Identity(identity) => identity::draw(identity, raw),
            Object::Account(account) => account::draw(account, raw),
            Object::Tombstone(tombstone) => tombstone::draw(tombstone, raw),
            // Nothing of it is ours.
            Object::Cluster(_) => {}
        }
    }

    fn draw_status(&self, object: &Object<Plain>, raw: &mut DynamicObject) {
        let now = Time(k8s_openapi::jiff::Timestamp::now());
        match object {
            Object::Identity(identity) => identity::draw_status(identity, raw, &now),
            Object::Account(_) | Object::Tombstone(_) | Object::Cluster(_) => {}
        }
    }

    fn notice(&self, before: &Object<Plain>, after: &Object<Plain>) -> Option<Notice> {
        let (Object::Identity(before), Object::Identity(after)) = (before, after) else { return None };
        after.notice(before).map(told)
    }

    fn uid(&self, uid: &String) -> String {
        uid.clone()
    }
}

/// What is told of an identity, as an Event.
pub(super) fn told(notice: bowline_identities::Notice<String>) -> Notice {
    let bowline_identities::Notice { warns, reason, message } = notice;
    Notice { good: !warns, reason: reason.to_owned(), action: "Grant", note: message }
}
