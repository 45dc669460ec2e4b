//! What identities do with an IAM, whichever it is.

pub(crate) mod assumed;
pub(crate) mod clusters;
pub(crate) mod drift;
pub(crate) mod faults;
pub(crate) mod input;
pub(crate) mod life;
pub(crate) mod names;
pub(crate) mod others;

/// A test for each case. Before it the test's file has a function `bed`.
#[macro_export]
macro_rules! cases {
    ($($module:ident: $($case:ident),+ $(,)?;)+) => {
        $($(
            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $case() -> anyhow::Result<()> {
                let mut bed = bed().await?;
                $module::$case(&mut bed).await
            }
        )+)+
    };
}

/// Those that say something of the IAM. What Bowline does by itself is seen once, with the strict one.
#[macro_export]
macro_rules! cases_of_aws {
    () => {
        $crate::cases! {
            life:
                an_identity_is_made_with_few_calls_and_rests, an_identity_follows_its_spec,
                a_policy_is_changed_more_often_than_aws_keeps_versions, a_deleted_identity_leaves_nothing,
                an_orphan_stays_and_is_found_and_taken_over,
                one_that_was_made_again_behind_its_back_keeps_what_it_has;
            others:
                a_foreign_role_is_left_alone, a_foreign_policy_is_taken_over_if_asked, a_foreign_account_is_left_alone;
            drift:
                what_others_change_is_put_right, what_others_say_of_the_role_is_put_right,
                what_others_write_into_the_role_is_deleted_and_told;
            assumed:
                a_role_that_was_assumed_is_ready, what_stands_in_for_aws_is_shown_a_token_once;
            faults:
                lost_and_throttled_calls_are_made_up_for, killed_between_any_two_calls_it_is_made_once,
                killed_between_any_two_calls_of_its_deletion_nothing_stays, what_arrives_late_is_swept;
            names:
                names_do_not_collide, two_hubs_with_one_cluster_name_do_not_meet, two_hundred_at_once;
            clusters:
                one_identity_is_published_on_two_clusters;
        }
    };
}
