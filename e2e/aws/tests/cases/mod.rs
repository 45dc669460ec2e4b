//! What `crates/aws` does with an IAM, whichever it is. Where one is laxer than AWS, the case says so.

pub(crate) mod bed;
pub(crate) mod faults;
pub(crate) mod policies;
pub(crate) mod roles;

/// A test for each case. Before it the test's file has a function `bed`.
#[macro_export]
macro_rules! cases {
    ($($module:ident: $($case:ident),+ $(,)?;)+) => {
        $($(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() -> anyhow::Result<()> {
                let bed = bed().await?;
                cases::$module::$case(&bed).await
            }
        )+)+
    };
}

/// All of them.
#[macro_export]
macro_rules! all_cases {
    () => {
        $crate::cases! {
            policies:
                a_policy_is_made_read_and_removed, a_sixth_version_needs_room, versions_are_removed_before_their_policy,
                tags_of_a_policy_are_added_and_changed, what_is_no_document_is_refused, a_document_has_a_size,
                policies_are_listed_by_their_path;
            roles:
                a_role_is_made_read_and_removed, trust_can_be_changed, a_boundary_comes_and_goes,
                a_boundary_has_to_be_there, attaching_twice_is_attaching_once, what_is_attached_is_not_removed,
                what_is_written_into_a_role_is_removed_before_it,
                ten_policies_and_no_more, names_are_of_a_kind, fifty_tags_and_no_more, roles_are_listed_by_their_path,
                the_caller_is_known, a_role_is_assumed_by_its_token;
            faults:
                a_lost_request_may_have_arrived, a_lost_reply_may_have_arrived, a_late_request_arrives_after_the_look,
                throttling_slows_all_down,
                a_failure_inside_is_told_and_not_tried_again, nobody_there_is_not_sent,
                who_may_no_longer_act_sends_nothing;
        }
    };
}
