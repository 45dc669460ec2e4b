//! The cases on the strict IAM, and what only that can do.

mod cases;
mod strict;

use anyhow::Result;
use bowline_e2e_aws::fake::Fake;
use bowline_e2e_identities::Bed;
use cases::{clusters, drift, faults, life, names, others};

async fn bed() -> Result<Bed> {
    let fake = Fake::start().await?;
    let endpoint = fake.endpoint();
    Bed::before(&endpoint, Some(fake)).await
}

all_cases!();

cases! {
    strict:
        a_missing_permission_is_named, a_boundary_that_is_not_there_is_named, a_storm_of_throttling_passes,
        what_is_not_visible_yet_is_not_drift, the_permissions_are_those_of_the_calls;
}
