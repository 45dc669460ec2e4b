//! The lease as the server has it.

use bowline_control::lease::{Epoch, Lease, Settings};
use bowline_control::{Millis, Version};
use jiff::Timestamp;
use k8s_openapi::api::coordination::v1 as coordination;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;

/// What the object says. `None` if it has no version, which is no answer of a server.
pub(super) fn read(raw: &coordination::Lease, settings: &Settings) -> Option<Lease<String>> {
    let version = Version(raw.metadata.resource_version.as_deref()?.parse().ok()?);
    let spec = raw.spec.clone().unwrap_or_default();
    let term = spec.lease_duration_seconds.and_then(|seconds| u64::try_from(seconds).ok());
    let epoch = spec.lease_transitions.and_then(|epoch| u64::try_from(epoch).ok());
    Some(Lease {
        version,
        // client-go gives a lease back by an empty name.
        holder: spec.holder_identity.filter(|holder| !holder.is_empty()),
        term: term.map_or(settings.term(), |seconds| Millis(seconds.saturating_mul(1000))),
        epoch: Epoch(epoch.unwrap_or(0)),
        acquired: millis(spec.acquire_time),
        renewed: millis(spec.renew_time),
    })
}

/// Writes the lease into the object; what else is in it stays.
pub(super) fn draw(lease: &Lease<String>, raw: &mut coordination::Lease) {
    let spec = raw.spec.get_or_insert_default();
    spec.holder_identity.clone_from(&lease.holder);
    spec.lease_duration_seconds = Some(i32::try_from(lease.term.0 / 1000).unwrap_or(i32::MAX));
    spec.lease_transitions = Some(i32::try_from(lease.epoch.0).unwrap_or(i32::MAX));
    spec.acquire_time = Some(time(lease.acquired));
    spec.renew_time = Some(time(lease.renewed));
}

fn millis(time: Option<MicroTime>) -> Millis {
    let millis = time.map_or(0, |MicroTime(time)| time.as_millisecond());
    Millis(u64::try_from(millis).unwrap_or(0))
}

fn time(millis: Millis) -> MicroTime {
    let millis = i64::try_from(millis.0).unwrap_or(i64::MAX);
    MicroTime(Timestamp::from_millisecond(millis).unwrap_or(Timestamp::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lease() -> Lease<String> {
        Lease {
            version: Version(7),
            holder: Some("a".into()),
            term: Millis(15_000),
            epoch: Epoch(3),
            acquired: Millis(1_700_000_000_001),
            renewed: Millis(1_700_000_000_002),
        }
    }

    fn raw(version: &str) -> coordination::Lease {
        let mut raw = coordination::Lease::default();
        raw.metadata.resource_version = Some(version.into());
        raw
    }

    #[test]
    fn what_is_drawn_is_read_and_the_rest_stays() {
        let settings = Settings::default();
        let mut it = raw("7");
        it.metadata.labels = Some([("theirs".to_owned(), "kept".to_owned())].into());
        it.spec.get_or_insert_default().preferred_holder = Some("b".into());
        draw(&lease(), &mut it);
        assert_eq!(read(&it, &settings), Some(lease()));
        let given_back = Lease { holder: None, ..lease() };
        draw(&given_back, &mut it);
        assert_eq!(read(&it, &settings), Some(given_back));
        assert_eq!(it.spec.and_then(|spec| spec.preferred_holder).as_deref(), Some("b"));
        assert!(it.metadata.labels.is_some_and(|labels| labels.contains_key("theirs")));
    }

    #[test]
    fn what_others_write_is_read_with_care() {
        let settings = Settings::default();
        assert_eq!(read(&coordination::Lease::default(), &settings), None, "it has no version");
        let bare = read(&raw("7"), &settings).expect("a lease");
        assert_eq!((bare.holder, bare.term, bare.epoch), (None, settings.term(), Epoch(0)));
        let mut odd = raw("8");
        let spec = odd.spec.get_or_insert_default();
        spec.holder_identity = Some(String::new());
        spec.lease_duration_seconds = Some(-1);
        spec.lease_transitions = Some(-5);
        let odd = read(&odd, &settings).expect("a lease");
        assert_eq!((odd.holder, odd.term, odd.epoch), (None, settings.term(), Epoch(0)));
    }
}
