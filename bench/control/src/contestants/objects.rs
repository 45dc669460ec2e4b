//! The types that kube-rs' derive makes, and the protocol's objects.

use bowline_control::Version;
use bowline_e2e_sample::{FINALIZER, Half, HalfSpec, Pair, PairStatus, Text, phase_of, words_of};
use bowline_runtime::Address;
use bowline_sample::{self as sample, Object, Owner, Side, Status};
use kube::{Resource, ResourceExt};

pub(super) fn read_pair(pair: &Pair) -> Option<Object<Text>> {
    let status = pair.status.as_ref();
    let words = status.map_or(("", ""), |status| (&status.reason, &status.message));
    Some(Object::Pair(sample::Pair {
        name: Address { namespace: pair.namespace()?, name: pair.name_any() },
        uid: pair.uid()?,
        version: version(pair)?,
        generation: u64::try_from(pair.metadata.generation.unwrap_or(0)).ok()?,
        deleting: pair.metadata.deletion_timestamp.is_some(),
        held: pair.finalizers().iter().any(|finalizer| finalizer == FINALIZER),
        value: pair.spec.value,
        status: Status {
            phase: phase_of(words.0, words.1),
            observed: status.map_or(0, |status| status.observed_generation),
        },
    }))
}

pub(super) fn read_half(pair: &Address, side: Side, half: &Half) -> Option<Object<Text>> {
    let owner = half.owner_references().iter().find(|owner| owner.kind == Pair::kind(&()));
    Some(Object::Half(sample::Half {
        pair: pair.clone(),
        side,
        uid: half.uid()?,
        version: version(half)?,
        deleting: half.metadata.deletion_timestamp.is_some(),
        owner: owner.map(|owner| Owner {
            name: Address { namespace: pair.namespace.clone(), name: owner.name.clone() },
            uid: owner.uid.clone(),
        }),
        value: half.spec.value,
        ready: half.status.as_ref().is_some_and(|status| status.ready),
    }))
}

/// A half as it is made for a pair.
pub(super) fn new_half(pair: &Pair, half: &sample::Half<Text>) -> Half {
    let mut raw = Half::new(&format!("{}-{}", half.pair.name, half.side), HalfSpec { value: half.value });
    raw.metadata.namespace = pair.namespace();
    raw.metadata.owner_references = pair.controller_owner_ref(&()).map(|owner| vec![owner]);
    raw
}

/// The pair with our finalizer, or without.
pub(super) fn hold(pair: &Pair, held: bool) -> Pair {
    let mut raw = pair.clone();
    let finalizers = raw.finalizers_mut();
    finalizers.retain(|finalizer| finalizer != FINALIZER);
    if held {
        finalizers.push(FINALIZER.into());
    }
    raw
}

/// The pair, with what people are told.
pub(super) fn tell(pair: &Pair, status: &Status<String>) -> Pair {
    let (reason, message) = words_of(&status.phase);
    let status = PairStatus { reason: reason.into(), message, observed_generation: status.observed };
    Pair { status: Some(status), ..pair.clone() }
}

fn version(object: &impl ResourceExt) -> Option<Version> {
    object.resource_version()?.parse().ok().map(Version)
}

#[cfg(test)]
mod tests {
    use bowline_e2e_sample::PairWire;
    use bowline_runtime::Wire;
    use bowline_sample::Kind;
    use kube::core::DynamicObject;
    use serde_json::{Value, json};

    use super::*;

    fn parsed<T: serde::de::DeserializeOwned>(value: Value) -> T {
        serde_json::from_value(value).expect("an object")
    }

    #[test]
    fn both_contestants_read_the_same() {
        let pair = json!({
            "apiVersion": "sample.bowline.dev/v1", "kind": "Pair",
            "metadata": { "name": "p1", "namespace": "ns", "uid": "u", "resourceVersion": "7", "generation": 3,
                "finalizers": [FINALIZER] },
            "spec": { "value": 4 },
            "status": { "reason": "LeftNotReady", "message": "waits", "observedGeneration": 3 },
        });
        let half = json!({
            "apiVersion": "sample.bowline.dev/v1", "kind": "Half",
            "metadata": { "name": "p1-left", "namespace": "ns", "uid": "h", "resourceVersion": "9",
                "ownerReferences": [{ "apiVersion": "v1", "kind": "Pair", "name": "p1", "uid": "u" }] },
            "spec": { "value": 4 }, "status": { "ready": true },
        });
        let raw: DynamicObject = parsed(pair.clone());
        let theirs = read_pair(&parsed(pair));
        assert!(theirs.is_some() && theirs == PairWire.read(Kind::Pair, &raw));
        let raw: DynamicObject = parsed(half.clone());
        let address = Address { namespace: "ns".into(), name: "p1".into() };
        let theirs = read_half(&address, Side::Left, &parsed(half));
        assert!(theirs.is_some() && theirs == PairWire.read(Kind::Half, &raw));
    }

    #[test]
    fn both_contestants_write_the_same() {
        let pair: Pair = parsed(json!({
            "apiVersion": "sample.bowline.dev/v1", "kind": "Pair",
            "metadata": { "name": "p1", "namespace": "ns", "uid": "u", "resourceVersion": "7",
                "finalizers": ["others"] },
            "spec": { "value": 4 },
        }));
        let Some(Object::Pair(read)) = read_pair(&pair) else { panic!("it is a pair") };
        let wire = |object: &Object<Text>| {
            let mut raw: DynamicObject = parsed(json!(pair));
            PairWire.draw(object, &mut raw);
            PairWire.draw_status(object, &mut raw);
            json!(raw)
        };
        let status = Status { phase: bowline_sample::Phase::Ready, observed: 3 };
        let after = sample::Pair { held: true, status: status.clone(), ..read };
        assert_eq!(json!(tell(&hold(&pair, true), &status)), wire(&Object::Pair(after)));
    }
}
