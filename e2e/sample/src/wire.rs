//! What pairs and halves look like as JSON.

use bowline_control::Version;
use bowline_runtime::{Address, Watched, Wire};
use bowline_sample::{Half, Id, Kind, Names, Object, Owner, Pair, Phase, Side, Status, Wait};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource;
use kube::core::{ApiResource, DynamicObject};
use serde_json::{Value, json};

use crate::kinds;

/// Names are text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Text;

impl Names for Text {
    type Name = Address;
    type Uid = String;
    type Text = String;
}

/// What holds a pair until its halves are gone.
pub const FINALIZER: &str = "sample.bowline.dev/halves";

/// Reads and writes pairs and halves.
pub struct PairWire;

impl Wire for PairWire {
    type Object = Object<Text>;

    fn watched(&self) -> Vec<Watched<Kind>> {
        let watched = |kind, resource| Watched { kind, resource, namespaced: true };
        vec![
            watched(Kind::Pair, ApiResource::erase::<kinds::Pair>(&())),
            watched(Kind::Half, ApiResource::erase::<kinds::Half>(&())),
        ]
    }

    fn address(&self, id: &Id<Address>) -> Address {
        match id {
            Id::Pair(pair) => pair.clone(),
            Id::Half(pair, side) => Address { name: format!("{}-{side}", pair.name), ..pair.clone() },
        }
    }

    fn read(&self, kind: Kind, raw: &DynamicObject) -> Option<Object<Text>> {
        let meta = &raw.metadata;
        let address = Address { namespace: meta.namespace.clone()?, name: meta.name.clone()? };
        let uid = meta.uid.clone()?;
        let version = Version(meta.resource_version.as_deref()?.parse().ok()?);
        let deleting = meta.deletion_timestamp.is_some();
        let value = number(&raw.data["spec"]["value"]);
        Some(match kind {
            Kind::Pair => Object::Pair(Pair {
                name: address,
                uid,
                version,
                generation: u64::try_from(meta.generation.unwrap_or(0)).ok()?,
                deleting,
                held: meta.finalizers.iter().flatten().any(|finalizer| finalizer == FINALIZER),
                value,
                status: read_status(&raw.data["status"]),
            }),
            Kind::Half => {
                let (pair, side) = half_of(&address)?;
                let owner =
                    meta.owner_references.iter().flatten().find(|owner| owner.kind == kinds::Pair::kind(&()));
                let owner = owner.map(|owner| Owner {
                    name: Address { namespace: address.namespace.clone(), name: owner.name.clone() },
                    uid: owner.uid.clone(),
                });
                let ready = raw.data["status"]["ready"].as_bool().unwrap_or(false);
                Object::Half(Half { pair, side, uid, version, deleting, owner, value, ready })
            }
        })
    }

    fn draw(&self, object: &Object<Text>, raw: &mut DynamicObject) {
        match object {
            Object::Pair(pair) => {
                let finalizers = raw.metadata.finalizers.get_or_insert_default();
                finalizers.retain(|finalizer| finalizer != FINALIZER);
                if pair.held {
                    finalizers.push(FINALIZER.into());
                }
            }
            Object::Half(half) => {
                raw.data["spec"]["value"] = half.value.into();
                let theirs = |owner: &OwnerReference| owner.kind == kinds::Pair::kind(&());
                if let Some(owner) = &half.owner
                    && !raw.metadata.owner_references.iter().flatten().any(theirs)
                {
                    raw.metadata.owner_references.get_or_insert_default().push(OwnerReference {
                        api_version: kinds::Pair::api_version(&()).into_owned(),
                        kind: kinds::Pair::kind(&()).into_owned(),
                        name: owner.name.name.clone(),
                        uid: owner.uid.clone(),
                        controller: Some(true),
                        block_owner_deletion: None,
                    });
                }
            }
        }
    }

    fn draw_status(&self, object: &Object<Text>, raw: &mut DynamicObject) {
        match object {
            Object::Pair(pair) => raw.data["status"] = write_status(&pair.status),
            Object::Half(half) => raw.data["status"] = json!({ "ready": half.ready }),
        }
    }

    fn uid(&self, uid: &String) -> String {
        uid.clone()
    }
}

/// The pair that a half is named after.
fn half_of(address: &Address) -> Option<(Address, Side)> {
    Side::ALL.into_iter().find_map(|side| {
        let name = address.name.strip_suffix(&format!("-{side}"))?.to_owned();
        Some((Address { name, ..address.clone() }, side))
    })
}

fn number(value: &Value) -> u32 {
    value.as_u64().and_then(|value| u32::try_from(value).ok()).unwrap_or(0)
}

/// What is waited for, in a word that does not change.
const WAITS: [(&str, Wait); 6] = [
    ("LeftNotReady", Wait::Ready(Side::Left)),
    ("RightNotReady", Wait::Ready(Side::Right)),
    ("LeftNotGone", Wait::Gone(Side::Left)),
    ("RightNotGone", Wait::Gone(Side::Right)),
    ("LeftNameTaken", Wait::NameTaken(Side::Left)),
    ("RightNameTaken", Wait::NameTaken(Side::Right)),
];

fn read_status(status: &Value) -> Status<String> {
    let text = |field: &str| status[field].as_str().unwrap_or_default();
    let phase = phase_of(text("reason"), text("message"));
    Status { phase, observed: status["observedGeneration"].as_u64().unwrap_or(0) }
}

fn write_status(status: &Status<String>) -> Value {
    let (reason, message) = words_of(&status.phase);
    json!({ "reason": reason, "message": message, "observedGeneration": status.observed })
}

/// How a pair stands that has this reason and this message in its status.
pub fn phase_of(reason: &str, message: &str) -> Phase<String> {
    match reason {
        "Ready" => Phase::Ready,
        "Failing" => Phase::Failing(message.to_owned()),
        "Stalled" => Phase::Stalled(message.to_owned()),
        word => WAITS
            .iter()
            .find(|(known, _)| *known == word)
            .map_or(Phase::New, |(_, wait)| Phase::Waiting(*wait)),
    }
}

/// The reason and the message in the status of a pair that stands so.
pub fn words_of(phase: &Phase<String>) -> (&'static str, String) {
    match phase {
        Phase::New => ("", String::new()),
        Phase::Ready => ("Ready", "both halves are as they should be".into()),
        Phase::Failing(why) => ("Failing", why.clone()),
        Phase::Stalled(why) => ("Stalled", why.clone()),
        Phase::Waiting(wait) => {
            let word = WAITS.iter().find(|(_, known)| known == wait).map_or("", |(word, _)| *word);
            (word, format!("waits for {wait}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(value: Value) -> DynamicObject {
        serde_json::from_value(value).expect("an object")
    }

    #[test]
    fn what_is_read_and_drawn_again_is_the_same() {
        let pair = raw(json!({
            "apiVersion": "sample.bowline.dev/v1", "kind": "Pair",
            "metadata": { "name": "a", "namespace": "ns", "uid": "u", "resourceVersion": "7", "generation": 3,
                "finalizers": ["others", FINALIZER], "labels": { "x": "y" } },
            "spec": { "value": 4, "unknown": [1] },
            "status": { "reason": "LeftNotReady", "message": "waits for the left half to be ready", "observedGeneration": 3 },
        }));
        let half = raw(json!({
            "apiVersion": "sample.bowline.dev/v1", "kind": "Half",
            "metadata": { "name": "a-left", "namespace": "ns", "uid": "h", "resourceVersion": "9",
                "ownerReferences": [{ "apiVersion": "v1", "kind": "Pair", "name": "a", "uid": "u", "controller": true }] },
            "spec": { "value": 4 }, "status": { "ready": true },
        }));
        for (kind, raw) in [(Kind::Pair, pair), (Kind::Half, half)] {
            let object = PairWire.read(kind, &raw).expect("it is ours");
            let mut drawn = raw.clone();
            PairWire.draw(&object, &mut drawn);
            PairWire.draw_status(&object, &mut drawn);
            assert_eq!(drawn, raw);
            assert_eq!(
                PairWire.address(&bowline_control::Object::id(&object)).name,
                raw.metadata.name.unwrap()
            );
        }
    }

    #[test]
    fn every_phase_comes_back() {
        let waits = WAITS.iter().map(|(_, wait)| Phase::Waiting(*wait));
        let others =
            [Phase::New, Phase::Ready, Phase::Failing("no room".into()), Phase::Stalled("why".into())];
        for phase in waits.chain(others) {
            let status = Status { phase, observed: 5 };
            assert_eq!(read_status(&write_status(&status)), status);
        }
    }

    #[test]
    fn others_finalizers_stay() {
        let mut pair =
            raw(json!({ "metadata": { "name": "a", "namespace": "ns", "uid": "u", "resourceVersion": "7",
            "finalizers": [FINALIZER, "others"] }, "spec": { "value": 4 } }));
        let Some(Object::Pair(read)) = PairWire.read(Kind::Pair, &pair) else { panic!("it is ours") };
        PairWire.draw(&Object::Pair(Pair { held: false, ..read }), &mut pair);
        assert_eq!(pair.metadata.finalizers, Some(vec!["others".to_owned()]));
    }
}
