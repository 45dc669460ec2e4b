//! Clusters: who signs the tokens of their accounts.

use bowline_api::updates::{ClusterSpec, Oidc};
use bowline_control::Version;
use bowline_identities::Cluster;
use bowline_identities::plain::{Issuer, Plain};
use kube::core::DynamicObject;

pub(super) fn read(raw: &DynamicObject) -> Option<Cluster<Plain>> {
    let meta = &raw.metadata;
    let spec: ClusterSpec = serde_json::from_value(raw.data.get("spec")?.clone()).ok()?;
    Some(Cluster {
        name: meta.name.clone()?,
        uid: meta.uid.clone()?,
        version: Version(meta.resource_version.as_deref()?.parse().ok()?),
        issuer: spec.oidc.as_ref().and_then(issuer),
    })
}

/// Who signs. AWS knows the issuer by its provider, and compares what tokens say with that: one of another address would never
/// be trusted, and says nothing.
fn issuer(oidc: &Oidc) -> Option<Issuer> {
    let issuer = Issuer::of(oidc.provider_arn.as_ref()?.as_str()).ok()?;
    let said = oidc.issuer.strip_prefix("https://")?;
    (said.trim_end_matches('/') == issuer.url.trim_end_matches('/')).then_some(issuer)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn of(oidc: &Value) -> Option<Issuer> {
        let object = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "Cluster",
            "metadata": { "name": "east", "uid": "u", "resourceVersion": "7" },
            "spec": { "embedded": {}, "oidc": oidc },
        });
        let raw: DynamicObject = serde_json::from_value(object).expect("an object");
        let cluster = read(&raw).expect("a cluster");
        assert_eq!((cluster.name.as_str(), cluster.version), ("east", Version(7)));
        cluster.issuer
    }

    #[test]
    fn a_cluster_says_who_signs_if_its_issuer_is_the_one_of_its_provider() {
        let provider = "arn:aws:iam::123456789012:oidc-provider/oidc.example/id/X";
        let issuer = Issuer { url: "oidc.example/id/X".into(), provider: provider.into() };
        let said = |address: &str| of(&json!({ "issuer": address, "providerArn": provider }));
        assert_eq!(said("https://oidc.example/id/X"), Some(issuer.clone()));
        assert_eq!(said("https://oidc.example/id/X/"), Some(issuer));
        assert_eq!(said("https://oidc.example/id/Y"), None);
        assert_eq!(of(&json!({ "issuer": "https://oidc.example/id/X" })), None);
        let role = "arn:aws:iam::123456789012:role/x";
        assert_eq!(of(&json!({ "issuer": "https://x", "providerArn": role })), None);
        assert_eq!(of(&Value::Null), None);
    }
}
