//! The cases on the strict IAM, and what only that can do.

mod cases;
mod strict;

use anyhow::Result;
use bowline_e2e_aws::fake::Fake;
use bowline_e2e_identities::Bed;
use cases::{assumed, clusters, drift, faults, input, life, names, others};
use strict::{assumed as unassumed, credentials};

async fn bed() -> Result<Bed> {
    let fake = Fake::start().await?;
    let endpoint = fake.endpoint();
    Bed::before(&endpoint, Some(fake)).await
}

cases_of_aws!();

cases! {
    input:
        what_cannot_be_is_told_by_its_field;
    life:
        without_settings_an_identity_says_so;
    // Moto deletes also a policy that a role has.
    others:
        what_others_use_stays_until_they_do_not, an_account_of_another_identity_is_not_taken_over;
    strict:
        a_missing_permission_is_named, a_boundary_that_is_not_there_is_named,
        one_with_a_boundary_is_made_with_six_calls, who_is_stalled_does_not_flap_while_aws_fails,
        a_role_that_is_lost_is_not_ready, more_policies_than_a_role_may_have_are_told, a_storm_of_throttling_passes, as_many_calls_are_under_way_as_is_said,
        what_is_not_visible_yet_is_not_drift, the_permissions_are_those_of_the_calls;
    unassumed:
        a_role_that_is_not_known_everywhere_yet_is_tried_again, a_role_that_is_denied_says_so,
        a_token_that_is_not_believed_is_for_a_person, no_secret_is_told;
    credentials:
        a_profile_is_enough, the_environment_is_enough, the_web_identity_of_its_own_pod_is_enough,
        the_role_of_the_machine_is_enough, without_credentials_an_identity_says_what_to_set;
}
