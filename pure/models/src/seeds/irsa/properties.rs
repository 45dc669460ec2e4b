//! What the document claims of Irsa, and what it most plausibly meant.

use bowline_explorer::Property;

use super::resources::{Arn, Status};
use super::state::{Req, ReqSet, State};
use super::{IrsaOperator, has_step};

type Claims = Vec<Property<IrsaOperator>>;

pub(super) fn all() -> Claims {
    let mut claims = as_written();
    claims.extend(intended());
    claims
}

fn as_written() -> Claims {
    vec![
        Property::no_deadlock("Deadlock").about("there is always something that can happen"),
        Property::always("TypeOk", types_hold).about("every variable holds a declared value"),
        Property::always("NoConcurrentProcessingOfSameResource", |m: &IrsaOperator, s: &State| {
            m.worker_ids().all(|w| {
                let worker = s.worker(w);
                worker.idle || m.worker_ids().all(|x| x == w || s.worker(x).req != worker.req)
            })
        })
        .about("no resource is reconciled while another worker holds it"),
        // The document says ([]ENABLED Termination) ~> (ENABLED Termination /\ ~ENABLED Actions). A
        // behaviour violates that if from some time on Termination is enabled, and never again
        // without another action; that is, if from some time on both are enabled.
        Property::always_eventually("TerminationIsTheLastAction", |m: &IrsaOperator, s: &State| {
            !(m.has_converged(s) && m.has_work(s))
        })
        .about("what has converged for ever has nothing left to do at some time"),
    ]
}

fn intended() -> Claims {
    vec![
        Property::eventually_always("EventuallyConverged", IrsaOperator::has_converged)
            .about("in the end everything is there, and stays so"),
        Property::eventually_always("EventuallyQuiet", |m: &IrsaOperator, s: &State| {
            m.has_converged(s) && queue_is_drained(s)
        })
        .about("in the end everything is there and the work queue is empty"),
        Property::always("NoConcurrent", |m: &IrsaOperator, s: &State| {
            m.worker_ids().all(|w| (0..w).all(|x| !same_resource(s, w, x)))
        })
        .about("no two workers reconcile the same resource at a time"),
        Property::always("QueueConsistent", queue_is_consistent)
            .about("the queue knows what the workers hold, and holds each other request at most once"),
        Property::always("NeverBlockedWorker", |m: &IrsaOperator, s: &State| {
            m.worker_ids().all(|w| s.worker(w).idle || has_step(s, w))
        })
        .about("no worker waits inside a request, where it keeps others waiting"),
        Property::always("IrsaStatusNeverWritten", |_, s: &State| {
            let irsa = s.irsa();
            irsa.st == Status::NULL && irsa.role_arn == Arn::NULL && irsa.policy_arn == Arn::NULL
        })
        .about("nobody ever writes the status of the iamroleserviceaccount"),
    ]
}

fn types_hold(m: &IrsaOperator, s: &State) -> bool {
    let statuses = [s.irsa().st, s.policy().st, s.role().st, s.sa().st];
    statuses.iter().all(|st| matches!(*st, Status::NULL | Status::PENDING))
        && m.worker_ids().all(|w| s.worker(w).req.bits() <= Req::NULL.bits())
        && matches!(s.aws_role().arn, Arn::NULL | Arn::ROLE)
        && matches!(s.aws_policy_arn(), Arn::NULL | Arn::POLICY)
}

fn same_resource(s: &State, w: u8, x: u8) -> bool {
    let (w, x) = (s.worker(w), s.worker(x));
    !w.idle && !x.idle && w.req == x.req
}

fn queue_is_drained(s: &State) -> bool {
    let wq = s.wq();
    wq.queue.is_empty()
        && wq.dirty == ReqSet::EMPTY
        && wq.processing == ReqSet::EMPTY
        && s.modified().is_empty()
}

fn queue_is_consistent(m: &IrsaOperator, s: &State) -> bool {
    let wq = s.wq();
    let held = m.worker_ids().map(|w| s.worker(w).req).filter(|&req| req != Req::NULL);
    let mut seen = ReqSet::EMPTY;
    let mut once = true;
    for req in wq.queue.iter() {
        once &= !seen.contains(req) && wq.dirty.contains(req) && !wq.processing.contains(req);
        seen = seen.with(req);
    }
    once && wq.processing == held.fold(ReqSet::EMPTY, ReqSet::with)
}
