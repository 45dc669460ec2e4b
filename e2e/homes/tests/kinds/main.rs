//! What is refused at the door, and what is not: each rule of each kind, on the hub in process, and with the test bed on
//! both homes.

mod cases;
mod grants;
mod groups;
#[cfg(feature = "testbed")]
mod homes;
#[cfg(feature = "testbed")]
mod kubectl;
mod placements;
mod run;

use anyhow::Result;
use bowline_e2e_kube::Cluster;
use kube::Client;

#[tokio::test(flavor = "multi_thread")]
async fn every_rule_refuses_what_it_is_for_and_right_objects_get_in() -> Result<()> {
    let mut cluster = Cluster::start().await?;
    let service = cluster.service("admin", &["system:masters", "system:authenticated"])?;
    run::all(Client::new(service, "default")).await?;
    cluster.stop().await;
    Ok(())
}

/// A rule that no case breaks would not be missed.
#[test]
fn every_rule_has_a_case_of_its_own() {
    let mut expected = cases::rules();
    let mut broken: Vec<_> = cases::wrong()
        .into_iter()
        .filter(|case| case.rule)
        .map(|case| (case.kind, case.message.to_owned()))
        .collect();
    expected.sort();
    broken.sort();
    assert_eq!(broken, expected);
}
