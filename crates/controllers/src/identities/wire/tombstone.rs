//! What is left of identities: objects outside of all namespaces, which may go with their identities.

use bowline_api::identities::IamTombstoneSpec;
use bowline_control::Version;
use bowline_identities::Tombstone;
use bowline_identities::plain::{Named, Plain};
use kube::core::DynamicObject;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::drawing::{part, put};
use crate::times::{millis, time};

/// How many bytes of the hash are a name.
const HASH: usize = 20;

/// What the tombstone of an identity is called. Namespace and name together may be longer than a name can be, so it is a hash of
/// both; what it is of stands in it.
pub(super) fn name(of: &Named) -> String {
    let mut hasher = Sha256::new();
    for part in [&of.namespace, &of.name] {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    hasher.finalize().iter().take(HASH).map(|byte| format!("{byte:02x}")).collect()
}

/// One that does not have the name of what it is of is nobody's: there would be two for one identity.
pub(super) fn read(raw: &DynamicObject) -> Option<Tombstone<Plain>> {
    let meta = &raw.metadata;
    let spec: IamTombstoneSpec = serde_json::from_value(raw.data.get("spec")?.clone()).ok()?;
    let of = Named { namespace: spec.namespace.to_string(), name: spec.identity.to_string() };
    if meta.name.as_deref()? != name(&of) {
        return None;
    }
    Some(Tombstone {
        name: of,
        uid: meta.uid.clone()?,
        version: Version(meta.resource_version.as_deref()?.parse().ok()?),
        of: spec.uids,
        at: spec.deleted_at.as_ref().map(millis).unwrap_or_default(),
        sweeps: spec.sweeps,
    })
}

pub(super) fn draw(tombstone: &Tombstone<Plain>, raw: &mut DynamicObject) {
    let Tombstone { name, of, at, sweeps, .. } = tombstone;
    let fields = part(raw, "spec");
    put(fields, "namespace", Some(json!(name.namespace)));
    put(fields, "identity", Some(json!(name.name)));
    put(fields, "uids", Some(json!(of)));
    put(fields, "deletedAt", Some(json!(time(*at))));
    put(fields, "sweeps", Some(json!(sweeps)));
}

#[cfg(test)]
mod tests {
    use bowline_control::Millis;

    use super::*;

    fn raw(name: &str) -> DynamicObject {
        let object = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "IamTombstone",
            "metadata": { "name": name, "uid": "t", "resourceVersion": "7" },
        });
        serde_json::from_value(object).expect("an object")
    }

    fn named(namespace: &str, name: &str) -> Named {
        Named { namespace: namespace.into(), name: name.into() }
    }

    #[test]
    fn what_is_buried_comes_back() {
        let of = named("team", "reader");
        for (of_uids, at, sweeps) in [(vec!["1".into()], 5_000, 0), (vec!["1".into(), "2".into()], 0, 2)] {
            let tombstone = Tombstone {
                name: of.clone(),
                uid: "t".into(),
                version: Version(7),
                of: of_uids,
                at: Millis(at),
                sweeps,
            };
            let mut raw = raw(&name(&of));
            draw(&tombstone, &mut raw);
            assert_eq!(read(&raw), Some(tombstone.clone()));
            let drawn = raw.clone();
            draw(&tombstone, &mut raw);
            assert_eq!(raw, drawn);
        }
    }

    #[test]
    fn one_of_another_name_is_nobodys() {
        let tombstone = Tombstone {
            name: named("team", "reader"),
            uid: "t".into(),
            version: Version(7),
            of: vec!["1".into()],
            at: Millis(0),
            sweeps: 0,
        };
        let mut raw = raw("another");
        draw(&tombstone, &mut raw);
        assert_eq!(read(&raw), None);
    }

    #[test]
    fn each_identity_has_a_name_of_its_own_that_a_server_takes() {
        let long = named(&"n".repeat(63), &"x".repeat(253));
        let names =
            [name(&named("a-b", "c")), name(&named("a", "b-c")), name(&named("ab", "c")), name(&long)];
        for (number, one) in names.iter().enumerate() {
            assert!(one.len() <= 63 && !names[..number].contains(one), "{names:?}");
        }
    }
}
