//! UpdateCluster: versioned updates of a cluster, with a lock around the worker that applies one.
//!
//! The specification as it is written, defects included (`UpdateCluster.tla`).

mod expected;
mod properties;
mod state;

use std::ops::Range;

use bowline_explorer::{Class, Field, Model, Property};

pub(super) use self::expected::EXPECTED;
use self::state::{CAPACITY, ClusterSt, RequestSt, State, WorkerSt};
use super::names;
use crate::catalogue::{Catalogued, Entry, Size, SizeKey, Value};

pub(crate) const ENTRY: Entry = Entry {
    name: "seed/update-cluster",
    about: "the seed UpdateCluster as written: versioned updates of a cluster under a lock",
    sizes: &[
        SizeKey {
            name: "requests",
            about: "update requests that users send",
            default: Value::Number(2),
            range: (1, CAPACITY as u32),
        },
        SizeKey {
            name: "workers",
            about: "workers that apply versions",
            default: Value::Number(2),
            range: (1, CAPACITY as u32),
        },
    ],
    faults: &[],
    build: |size, _| Ok(Box::new(UpdateCluster::new(size))),
};

/// The model at a size.
pub(crate) struct UpdateCluster {
    pub(super) requests: u8,
    pub(super) workers: u8,
}

/// A step, with its request or worker; `ok` is the witness of `\E ok \in BOOLEAN`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    Submit(u8),
    Initialcheck(u8, bool),
    PushToPending(u8),
    SpawnWorker(u8),
    ApplyStart(u8),
    ApplyFinish(u8, bool),
}

impl UpdateCluster {
    pub(super) fn new(size: &Size) -> UpdateCluster {
        UpdateCluster { requests: size.small("requests"), workers: size.small("workers") }
    }

    fn request_ids(&self) -> Range<u8> {
        0..self.requests
    }

    fn worker_ids(&self) -> Range<u8> {
        0..self.workers
    }
}

impl Catalogued for UpdateCluster {}

impl Model for UpdateCluster {
    type State = State;
    type Action = Action;

    fn init(&self) -> Vec<State> {
        [false, true].map(|conf_ok| State::initial(conf_ok, self.workers)).into()
    }

    #[inline]
    fn actions(&self, s: &State, out: &mut Vec<Action>) {
        for r in self.request_ids() {
            match s.request_st(r) {
                RequestSt::WAITING => out.push(Action::Submit(r)),
                RequestSt::SUBMITTED => {
                    out.extend([Action::Initialcheck(r, true), Action::Initialcheck(r, false)]);
                }
                RequestSt::VALID => out.push(Action::PushToPending(r)),
                _ => {}
            }
        }
        let may_spawn = !s.lock() && matches!(s.cluster_st(), ClusterSt::IDLE | ClusterSt::FAILED);
        for w in self.worker_ids() {
            match s.worker_st(w) {
                WorkerSt::WAITING if may_spawn => out.push(Action::SpawnWorker(w)),
                WorkerSt::STARTING => out.push(Action::ApplyStart(w)),
                WorkerSt::WORKING => {
                    out.extend([Action::ApplyFinish(w, true), Action::ApplyFinish(w, false)]);
                }
                _ => {}
            }
        }
    }

    #[inline]
    fn next(&self, state: &State, action: &Action) -> State {
        let mut s = *state;
        match *action {
            Action::Submit(r) => s.submit_request(r, s.last_v_submitted() + 1),
            Action::Initialcheck(r, true) => s.set_request_st(r, RequestSt::VALID),
            Action::Initialcheck(r, false) => s.set_request_st(r, RequestSt::REJECTED),
            Action::PushToPending(r) => push_to_pending(&mut s, r),
            Action::SpawnWorker(w) => spawn_worker(&mut s, w),
            Action::ApplyStart(w) => apply_start(&mut s, w),
            Action::ApplyFinish(w, ok) => apply_finish(&mut s, w, ok),
        }
        s
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties::all(self)
    }

    #[inline]
    fn class(&self, action: &Action) -> Class {
        let (requests, workers) = (u16::from(self.requests), u16::from(self.workers));
        Class::new(match *action {
            Action::Submit(r) => r.into(),
            Action::Initialcheck(r, _) => requests + u16::from(r),
            Action::PushToPending(r) => 2 * requests + u16::from(r),
            Action::SpawnWorker(w) => 3 * requests + u16::from(w),
            Action::ApplyStart(w) => 3 * requests + workers + u16::from(w),
            Action::ApplyFinish(w, _) => 3 * requests + 2 * workers + u16::from(w),
        })
    }

    fn fairness(&self) -> Vec<String> {
        let of_requests = ["Submit", "Initialcheck", "PushToPending"];
        let of_workers = ["SpawnWorker", "ApplyStart", "ApplyFinish"];
        let requests =
            of_requests.iter().flat_map(|a| self.request_ids().map(move |r| format!("{a}({})", request(r))));
        let workers =
            of_workers.iter().flat_map(|a| self.worker_ids().map(move |w| format!("{a}({})", worker(w))));
        requests.chain(workers).collect()
    }

    fn representative(&self, state: &State) -> Option<State> {
        Some(state.sorted(self.requests, self.workers))
    }

    fn action_name(&self, action: &Action) -> String {
        let outcome = |ok| if ok { "ok" } else { "not ok" };
        match *action {
            Action::Submit(r) => format!("Submit({})", request(r)),
            Action::Initialcheck(r, ok) => format!("Initialcheck({}, {})", request(r), outcome(ok)),
            Action::PushToPending(r) => format!("PushToPending({})", request(r)),
            Action::SpawnWorker(w) => format!("SpawnWorker({})", worker(w)),
            Action::ApplyStart(w) => format!("ApplyStart({})", worker(w)),
            Action::ApplyFinish(w, ok) => format!("ApplyFinish({}, {})", worker(w), outcome(ok)),
        }
    }

    fn fields(&self, s: &State) -> Vec<Field> {
        let mut fields = vec![
            Field::new("confOK", names::boolean(s.conf_ok())),
            Field::new("lastVSubmitted", s.last_v_submitted().to_string()),
            Field::new("lastVOK", s.last_v_ok().to_string()),
            Field::new("toApply", s.version_to_apply().to_string()),
            Field::new("cluster.v", s.cluster_v().to_string()),
            Field::new("cluster.st", s.cluster_st().name()),
        ];
        for r in self.request_ids() {
            fields.push(Field::new(format!("requests[{}].st", request(r)), s.request_st(r).name()));
            fields.push(Field::new(format!("requests[{}].v", request(r)), names::or_null(s.request_v(r))));
        }
        for w in self.worker_ids() {
            fields.push(Field::new(format!("workers[{}].st", worker(w)), s.worker_st(w).name()));
            fields.push(Field::new(format!("workers[{}].v", worker(w)), names::or_null(s.worker_v(w))));
        }
        fields.push(Field::new("lock", names::boolean(s.lock())));
        fields
    }
}

fn request(r: u8) -> String {
    names::indexed("r", r)
}

fn worker(w: u8) -> String {
    names::indexed("w", w)
}

/// The defect: the request stays "valid", so the second push of the same request rejects it.
#[inline]
fn push_to_pending(s: &mut State, r: u8) {
    match s.request_v(r) {
        Some(v) if s.version_to_apply() < v => s.set_version_to_apply(v),
        _ => s.set_request_st(r, RequestSt::REJECTED),
    }
}

#[inline]
fn spawn_worker(s: &mut State, w: u8) {
    let v = if s.cluster_st() == ClusterSt::IDLE { s.version_to_apply() } else { s.last_v_ok() };
    s.set_worker_v(w, v);
    s.set_worker_st(w, WorkerSt::STARTING);
    s.set_lock(true);
}

#[inline]
fn apply_start(s: &mut State, w: u8) {
    match s.worker_v(w) {
        Some(v) if v == s.last_v_submitted() || v == s.last_v_ok() => {
            if s.conf_ok() {
                s.set_cluster_v(v);
                s.set_cluster_st(ClusterSt::PARTIAL);
                s.set_worker_st(w, WorkerSt::WORKING);
            } else {
                s.set_lock(false);
                s.release_worker(w);
            }
        }
        // The defect: the worker gives up and keeps the lock.
        _ => s.release_worker(w),
    }
}

#[inline]
fn apply_finish(s: &mut State, w: u8, ok: bool) {
    s.set_lock(false);
    match s.worker_v(w) {
        Some(v) if ok || v == s.last_v_ok() => {
            s.set_cluster_st(ClusterSt::IDLE);
            s.set_last_v_ok(v);
        }
        _ => s.set_cluster_st(ClusterSt::FAILED),
    }
    s.release_worker(w);
}
