//! A lease, as the server has it.

use bowline_control::{Millis, Version};
use bowline_upgrades::leases::{Paper, Tenancy};
use bowline_upgrades::plain::Named;
use k8s_openapi::api::coordination::v1::Lease;

/// What an object says.
pub(crate) fn read(lease: &Lease) -> Option<(Named, Paper)> {
    let meta = &lease.metadata;
    let name = Named { namespace: meta.namespace.clone()?, name: meta.name.clone()? };
    let version = Version(meta.resource_version.as_deref()?.parse().ok()?);
    let spec = lease.spec.clone().unwrap_or_default();
    let seconds = spec.lease_duration_seconds.and_then(|seconds| u64::try_from(seconds).ok());
    let term = seconds.map(|seconds| Millis(seconds.saturating_mul(1_000)));
    let is_held = spec.holder_identity.is_some_and(|holder| !holder.is_empty());
    let tenancy = match (is_held, spec.renew_time) {
        (true, _) => Tenancy::Held,
        (false, Some(_)) => Tenancy::Returned,
        (false, None) => Tenancy::Fresh,
    };
    Some((name, Paper::new(version, term, tenancy)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_lease_is_read_with_care() {
        let lease = |spec: serde_json::Value| {
            let object = json!({ "metadata": { "name": "x", "namespace": "team", "resourceVersion": "7" }, "spec": spec });
            let lease = serde_json::from_value(object).expect("a lease");
            read(&lease).map(|(_, paper)| paper)
        };
        let paper = |seconds: Option<u64>, tenancy| {
            let term = seconds.map(|seconds| Millis(seconds * 1_000));
            Some(Paper::new(Version(7), term, tenancy))
        };
        let lasts = |seconds: i64| lease(json!({ "holderIdentity": "n1", "leaseDurationSeconds": seconds }));
        assert_eq!(lasts(3), paper(Some(3), Tenancy::Held));
        assert_eq!((lasts(0), lasts(-1)), (paper(Some(0), Tenancy::Held), paper(None, Tenancy::Held)));
        assert_eq!(lease(json!({})), paper(None, Tenancy::Fresh));
        let returned = json!({ "holderIdentity": "", "renewTime": "2026-01-01T00:00:00.000000Z" });
        assert_eq!(lease(returned), paper(None, Tenancy::Returned));
        assert_eq!(read(&Lease::default()), None);
    }
}
