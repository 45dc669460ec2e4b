//! What stacks, updates and clusters look like as JSON.

mod cluster;
mod stack;
mod update;

use bowline_api::updates::{
    Cluster as ClusterResource, Stack as StackResource, Update as UpdateResource, UpdatePhase,
};
use bowline_runtime::{Address, Notice, Watched, Wire};
use bowline_updates::{Id, IdOf, Kind, Object, Stage};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::core::{ApiResource, DynamicObject};

use super::names::Text;
use crate::drawing::{cut, put, status};

/// Reads and writes what the protocol of updates knows.
pub(crate) struct UpdateWire;

impl Wire for UpdateWire {
    type Object = Object<Text>;

    fn watched(&self) -> Vec<Watched<Kind>> {
        let watched = |kind, resource, namespaced| Watched { kind, resource, namespaced };
        vec![
            watched(Kind::Stack, ApiResource::erase::<StackResource>(&()), true),
            watched(Kind::Update, ApiResource::erase::<UpdateResource>(&()), true),
            watched(Kind::Cluster, ApiResource::erase::<ClusterResource>(&()), false),
        ]
    }

    fn address(&self, id: &IdOf<Text>) -> Address {
        match id {
            Id::Stack(stack) => Address { namespace: stack.namespace.clone(), name: stack.name.clone() },
            Id::Update(stack, name) => Address { namespace: stack.namespace.clone(), name: name.clone() },
            Id::Cluster(name) => Address { namespace: String::new(), name: name.clone() },
        }
    }

    fn read(&self, kind: Kind, raw: &DynamicObject) -> Option<Object<Text>> {
        match kind {
            Kind::Stack => stack::read(raw).map(Object::Stack),
            Kind::Update => update::read(raw).map(Object::Update),
            Kind::Cluster => cluster::read(raw).map(Object::Cluster),
        }
    }

    fn draw(&self, object: &Object<Text>, raw: &mut DynamicObject) {
        match object {
            Object::Stack(stack) => stack::draw(stack, raw),
            // Nothing but their status is ours.
            Object::Update(_) | Object::Cluster(_) => {}
        }
    }

    fn draw_status(&self, object: &Object<Text>, raw: &mut DynamicObject) {
        let now = Time(k8s_openapi::jiff::Timestamp::now());
        match object {
            Object::Stack(stack) => stack::draw_status(stack, raw, &now),
            Object::Update(update) => update::draw_status(update, raw, &now),
            Object::Cluster(cluster) => cluster::draw_status(cluster, raw),
        }
    }

    fn notice(&self, before: &Object<Text>, after: &Object<Text>) -> Option<Notice> {
        match (before, after) {
            (Object::Stack(before), Object::Stack(after)) => stack::notice(before, after),
            (Object::Update(before), Object::Update(after)) => update::notice(before, after),
            _ => None,
        }
    }

    fn uid(&self, uid: &String) -> String {
        uid.clone()
    }
}

/// Stages, and what the API calls them.
const PHASES: [(Stage, UpdatePhase); 10] = [
    (Stage::Submitted, UpdatePhase::Submitted),
    (Stage::Queued, UpdatePhase::Queued),
    (Stage::Processing, UpdatePhase::Processing),
    (Stage::Partial, UpdatePhase::Partial),
    (Stage::PartialFailure, UpdatePhase::PartialFailure),
    (Stage::Rejected, UpdatePhase::Rejected),
    (Stage::Failed, UpdatePhase::Failed),
    (Stage::Superseded, UpdatePhase::Superseded),
    (Stage::Succeeded, UpdatePhase::Succeeded),
    (Stage::RolledBack, UpdatePhase::RolledBack),
];

pub(super) fn phase(stage: Stage) -> UpdatePhase {
    PHASES.iter().find(|(other, _)| *other == stage).map_or(UpdatePhase::Submitted, |(_, phase)| *phase)
}

fn stage(phase: UpdatePhase) -> Stage {
    PHASES.iter().find(|(_, other)| *other == phase).map_or(Stage::Submitted, |(stage, _)| *stage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_has_a_name_and_comes_back() {
        for one in Stage::ALL {
            assert_eq!(stage(phase(one)), one);
        }
    }
}
