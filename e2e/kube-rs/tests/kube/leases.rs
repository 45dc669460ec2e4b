//! Leases: of many who want one, one has it.

use anyhow::Result;
use futures::future::try_join_all;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::Timestamp;
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, Client};

use crate::clients::{both, refusal};

const CANDIDATES: i32 = 8;
const TURNS: i32 = 5;

fn lease(holder: &str) -> Lease {
    Lease {
        metadata: ObjectMeta { name: Some("leader".to_owned()), ..ObjectMeta::default() },
        spec: Some(LeaseSpec {
            holder_identity: Some(holder.to_owned()),
            lease_duration_seconds: Some(15),
            renew_time: Some(MicroTime(Timestamp::now())),
            lease_transitions: Some(0),
            ..LeaseSpec::default()
        }),
    }
}

/// Takes the lease once; the others' writes come in between.
async fn take(leases: &Api<Lease>, holder: &str) -> Result<i32> {
    let mut overtaken = 0;
    loop {
        let mut lease = leases.get("leader").await?;
        let spec = lease.spec.get_or_insert_default();
        spec.holder_identity = Some(holder.to_owned());
        spec.renew_time = Some(MicroTime(Timestamp::now()));
        *spec.lease_transitions.get_or_insert(0) += 1;
        let answer = leases.replace("leader", &PostParams::default(), &lease).await;
        if answer.is_ok() {
            return Ok(overtaken);
        }
        let conflict = refusal(answer)?;
        assert!(conflict.is_conflict(), "{conflict:?}");
        overtaken += 1;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_candidate_creates_it_and_every_transition_counts() -> Result<()> {
    both(async |client: Client| {
        let leases: Api<Lease> = Api::namespaced(client, "kube-system");
        let names: Vec<_> = (0..CANDIDATES).map(|number| format!("candidate-{number}")).collect();
        let made = futures::future::join_all(
            names.iter().map(async |name| leases.create(&PostParams::default(), &lease(name)).await),
        )
        .await;
        assert_eq!(made.iter().filter(|made| made.is_ok()).count(), 1);
        for lost in made.into_iter().filter(Result::is_err) {
            assert!(refusal(lost)?.is_already_exists());
        }
        let candidates = names.iter().map(async |name| {
            for _ in 0..TURNS {
                take(&leases, name).await?;
            }
            anyhow::Ok(())
        });
        try_join_all(candidates).await?;
        let transitions = leases.get("leader").await?.spec.and_then(|spec| spec.lease_transitions);
        assert_eq!(transitions, Some(CANDIDATES * TURNS), "no write was lost");
        Ok(())
    })
    .await
}
