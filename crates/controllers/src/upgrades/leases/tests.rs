use bowline_control::Millis;
use bowline_runtime::now;
use serde_json::{Value, json};

use super::*;
use crate::leases::paper;
use crate::updates::Fake;

/// A call about these members, each of which was shown in this generation.
fn call(members: &[(&str, u64)]) -> Call<Plain> {
    let group = Named { namespace: "team".into(), name: "kv".into() };
    let members = members.iter().map(|(name, generation)| ((*name).to_owned(), *generation)).collect();
    Call { group, members }
}

fn lease(member: &str, version: u64) -> Value {
    json!({
        "metadata": { "name": format!("bowline-member-kv-{member}"), "namespace": "team", "resourceVersion": version.to_string() },
        "spec": { "holderIdentity": member, "leaseDurationSeconds": 1, "renewTime": "2026-01-01T00:00:00.000000Z" },
    })
}

fn renewed(court: &Court, member: &str, version: u64, at: Millis) {
    let lease = serde_json::from_value(lease(member, version)).expect("a lease");
    let (name, paper) = paper::read(&lease).expect("a paper");
    court.docket().see(name, paper, at);
}

async fn said(leases: &Leases, members: &[(&str, u64)]) -> (Vec<Pulse>, bool) {
    let reply = leases.call(call(members), &Mandate::always()).await;
    assert_eq!(reply.to, call(members));
    (reply.said.expect("an answer").into_values().collect(), reply.suspect)
}

#[tokio::test]
async fn who_is_seen_to_renew_is_not_asked_for() {
    let fake = Fake::new(|_| panic!("nothing is asked"));
    let court = Court::new(now().clock);
    let leases = Leases::new(&fake.client, &court, &Metrics::new());
    ["a", "b"].iter().for_each(|member| renewed(&court, member, 1, now().clock));
    assert_eq!(said(&leases, &[("a", 1), ("b", 7)]).await, (vec![Pulse::Live; 2], false));
}

#[tokio::test]
async fn a_lapse_is_believed_only_if_the_server_says_so_too() {
    // The watch is behind: the server knows of a renewal of `b`, and of none of `a`; there is no `d`.
    let fake = Fake::new(|asked| match asked.what.as_str() {
        "GET /apis/coordination.k8s.io/v1/namespaces/team/leases/bowline-member-kv-a" => (200, lease("a", 1)),
        "GET /apis/coordination.k8s.io/v1/namespaces/team/leases/bowline-member-kv-b" => (200, lease("b", 2)),
        "GET /apis/coordination.k8s.io/v1/namespaces/team/leases/bowline-member-kv-d" => {
            (404, json!({ "kind": "Status", "code": 404, "reason": "NotFound" }))
        }
        other => panic!("{other}"),
    });
    let long_ago = Millis(now().clock.0 - 10_000);
    let court = Court::new(long_ago);
    let leases = Leases::new(&fake.client, &court, &Metrics::new());
    ["a", "b"].iter().for_each(|member| renewed(&court, member, 1, long_ago));
    renewed(&court, "c", 1, now().clock);
    let pulses = said(&leases, &[("a", 1), ("b", 1), ("c", 1), ("d", 1)]).await;
    assert_eq!(pulses, (vec![Pulse::Lapsed, Pulse::Live, Pulse::Live, Pulse::Silent], false));
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_no_lapse() {
    let fake = Fake::silent();
    let leases = Leases::new(&fake.client, &Court::new(now().clock), &Metrics::new());
    let reply = leases.call(call(&[("a", 1)]), &Mandate::always()).await;
    assert!(reply.said.is_err(), "{reply:?}");
    assert!(leases.heard(&reply).starts_with("failed: "));
}
