//! What the document claims of UpdateCluster, and what it most plausibly meant.

use bowline_explorer::{Formula, Property};

use super::UpdateCluster;
use super::state::{ClusterSt, RequestSt, State, Version, WorkerSt};

type Claims = Vec<Property<UpdateCluster>>;

pub(super) fn all(model: &UpdateCluster) -> Claims {
    let mut claims = as_written();
    claims.extend(intended_of_states());
    claims.extend(intended_of_steps());
    claims.extend(intended_to_end());
    claims.extend(intended_to_happen(model));
    claims
}

fn as_written() -> Claims {
    vec![
        Property::no_deadlock("Deadlock").about("there is always something that can happen"),
        Property::always("TypeInvariants", types_hold).about("every variable holds a declared value"),
        Property::always("NoConcurrentUpdate", |m: &UpdateCluster, s: &State| {
            m.request_ids().filter(|&r| s.request_st(r) == RequestSt::WORKING).count() < 2
        })
        .about("fewer than two requests are \"working\": vacuous, no request ever is"),
        Property::eventually_always("NoPartialUpdateTermination", |_, s: &State| cluster_is_idle(s))
            .about("in the end the cluster is idle, and stays so"),
        Property::eventually_always("EveryReqIsProcessed", |m: &UpdateCluster, s: &State| {
            m.request_ids().all(|r| s.request_st(r) != RequestSt::WAITING)
        })
        .about("in the end no request waits to be submitted"),
    ]
}

fn intended_of_states() -> Claims {
    vec![
        Property::always("AtMostOneWorking", |m: &UpdateCluster, s: &State| {
            m.worker_ids().filter(|&w| s.worker_st(w) == WorkerSt::WORKING).count() <= 1
        })
        .about("at most one worker changes the cluster at a time"),
        Property::always("AtMostOneActive", |m: &UpdateCluster, s: &State| {
            m.worker_ids().filter(|&w| s.worker_st(w) != WorkerSt::WAITING).count() <= 1
        })
        .about("at most one worker is busy at a time"),
        Property::always("LockHasHolder", |m: &UpdateCluster, s: &State| {
            !s.lock() || some_worker_is_busy(m, s)
        })
        .about("the lock is held for a busy worker: it does not leak"),
        Property::always("ActiveImpliesLock", |m: &UpdateCluster, s: &State| {
            !some_worker_is_busy(m, s) || s.lock()
        })
        .about("a busy worker holds the lock"),
        Property::always("OnlyFourRequestStates", |m: &UpdateCluster, s: &State| {
            m.request_ids().all(|r| {
                matches!(
                    s.request_st(r),
                    RequestSt::WAITING | RequestSt::SUBMITTED | RequestSt::VALID | RequestSt::REJECTED
                )
            })
        })
        .about("six of the ten declared request states are never reached"),
        Property::always("ClusterNeverStarting", |_, s: &State| s.cluster_st() != ClusterSt::STARTING)
            .about("the cluster's declared state \"starting\" is never reached"),
    ]
}

fn intended_of_steps() -> Claims {
    vec![
        Property::always_step("NoApplicationOfOutdatedReq", |m: &UpdateCluster, s, _, t| {
            starts_outside_rollback(m, s, t).all(|v| v >= s.version_to_apply())
        })
        .about("outside a rollback no worker starts a version older than the newest accepted one"),
        Property::always_step("NoSilentDowngrade", |m: &UpdateCluster, s, _, t| {
            starts_outside_rollback(m, s, t).all(|v| v >= s.cluster_v())
        })
        .about("outside a rollback the deployed version never decreases"),
        Property::always_step("NoUselessApply", |m: &UpdateCluster, s, _, t| {
            starts_outside_rollback(m, s, t).all(|v| v != s.last_v_ok())
        })
        .about("outside a rollback nothing is applied that is deployed already"),
        Property::always_step("AcceptedIsNotRejected", |m: &UpdateCluster, s, _, t| {
            m.request_ids().all(|r| {
                let accepted =
                    s.request_st(r) == RequestSt::VALID && s.request_v(r) == Some(s.version_to_apply());
                !accepted || t.request_st(r) != RequestSt::REJECTED
            })
        })
        .about("an accepted request does not turn into a rejected one while it is the one to apply"),
    ]
}

fn intended_to_end() -> Claims {
    vec![
        Property::eventually_always("EveryReqTerminates", |m: &UpdateCluster, s: &State| {
            m.request_ids().all(|r| {
                matches!(
                    s.request_st(r),
                    RequestSt::REJECTED | RequestSt::SUCCESS | RequestSt::FAILURE | RequestSt::ROLLED_BACK
                )
            })
        })
        .about("every request comes to an end"),
        Property::eventually_always("AllEndRejected", |m: &UpdateCluster, s: &State| {
            m.request_ids().all(|r| s.request_st(r) == RequestSt::REJECTED)
        })
        .about("every request ends rejected, also one that was applied"),
        Property::eventually_always("FailuresStop", |_, s: &State| s.cluster_st() != ClusterSt::FAILED)
            .about("a version that fails is given up at some time"),
        Property::eventually_always("ClusterEndsIdle", |_, s: &State| cluster_is_idle(s))
            .about("in the end the cluster is idle, and stays so"),
        Property::eventually_always("WorkersEndIdle", |m: &UpdateCluster, s: &State| {
            m.worker_ids().all(|w| s.worker_st(w) == WorkerSt::WAITING)
        })
        .about("in the end every worker rests"),
    ]
}

fn intended_to_happen(model: &UpdateCluster) -> Claims {
    vec![
        Property::for_each("DeployedIsSuccess", model.request_ids(), |r| {
            Formula::leads_to(
                move |_, s: &State| s.request_v(r) == Some(s.last_v_ok()),
                move |_, s: &State| s.request_st(r) == RequestSt::SUCCESS,
            )
        })
        .about("a request whose version is deployed is marked a success at some time"),
        Property::for_each("AcceptedIsAttempted", model.request_ids(), |r| {
            Formula::leads_to(
                move |_, s: &State| s.request_v(r) == Some(s.version_to_apply()) && s.conf_ok(),
                move |_, s: &State| {
                    let v = s.request_v(r);
                    v == Some(s.cluster_v()) || v != Some(s.version_to_apply())
                },
            )
        })
        .about("an accepted version is tried at some time, or replaced by a newer one"),
        Property::always_eventually("LockFreedInfinitelyOften", |_, s: &State| !s.lock())
            .about("the lock does not stay held for ever"),
    ]
}

fn types_hold(m: &UpdateCluster, s: &State) -> bool {
    matches!(s.cluster_st(), ClusterSt::IDLE | ClusterSt::STARTING | ClusterSt::PARTIAL | ClusterSt::FAILED)
        && m.request_ids().all(|r| request_st_is_declared(s.request_st(r)))
        && m.worker_ids()
            .all(|w| matches!(s.worker_st(w), WorkerSt::WAITING | WorkerSt::STARTING | WorkerSt::WORKING))
}

fn request_st_is_declared(st: RequestSt) -> bool {
    matches!(
        st,
        RequestSt::WAITING
            | RequestSt::SUBMITTED
            | RequestSt::REJECTED
            | RequestSt::VALID
            | RequestSt::PROCESSING
            | RequestSt::PARTIAL
            | RequestSt::PARTIAL_FAILURE
            | RequestSt::SUCCESS
            | RequestSt::FAILURE
            | RequestSt::ROLLED_BACK
    )
}

fn cluster_is_idle(s: &State) -> bool {
    s.cluster_st() == ClusterSt::IDLE
}

fn some_worker_is_busy(m: &UpdateCluster, s: &State) -> bool {
    m.worker_ids().any(|w| matches!(s.worker_st(w), WorkerSt::STARTING | WorkerSt::WORKING))
}

/// The versions that workers start to apply in this step, if the cluster has not failed.
fn starts_outside_rollback(m: &UpdateCluster, s: &State, t: &State) -> impl Iterator<Item = Version> {
    let starts = |w: &u8| s.worker_st(*w) == WorkerSt::STARTING && t.worker_st(*w) == WorkerSt::WORKING;
    let failed = s.cluster_st() == ClusterSt::FAILED;
    m.worker_ids().filter(move |w| !failed && starts(w)).filter_map(|w| s.worker_v(w))
}
