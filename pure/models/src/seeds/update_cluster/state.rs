//! A state of UpdateCluster in 16 bytes.

use crate::seeds::packed::{Bits, codes, sort_records};

codes! {
    /// `requests[r].st`.
    RequestSt {
        WAITING = 0 "waiting",
        SUBMITTED = 1 "submitted",
        REJECTED = 2 "rejected",
        VALID = 3 "valid",
        PROCESSING = 4 "processing",
        PARTIAL = 5 "partial",
        PARTIAL_FAILURE = 6 "partialFailure",
        SUCCESS = 7 "success",
        FAILURE = 8 "failure",
        ROLLED_BACK = 9 "rolledback",
        /// Declared nowhere: what `NoConcurrentUpdate` counts.
        WORKING = 10 "working",
    }
}

codes! {
    /// `workers[w].st`.
    WorkerSt {
        WAITING = 0 "waiting",
        STARTING = 1 "starting",
        WORKING = 2 "working",
    }
}

codes! {
    /// `cluster.st`.
    ClusterSt {
        IDLE = 0 "idle",
        STARTING = 1 "starting",
        PARTIAL = 2 "partial",
        FAILED = 3 "failed",
    }
}

/// A version of the configuration: 0, then one for each request in the order of submission.
pub(super) type Version = u8;

/// The variables of the specification.
///
/// A request has the version `NULL` as long as it is waiting, and only then: `Submit` gives the
/// version and ends the waiting in one step, and nothing undoes either. So `NULL` needs no code
/// there, and eight versions fit into three bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    /// The requests, 7 bits each, then `lastVSubmitted` and `lastVOK`.
    requests: u64,
    /// The workers, 6 bits each, then `toApply`, `cluster`, `lock` and `confOK`.
    workers: u64,
}

/// How many requests, and how many workers, a state has room for.
pub(super) const CAPACITY: u8 = 8;

const REQUEST: u32 = 7;
const REQUEST_ST: Bits = Bits::new(0, 4);
const REQUEST_V_LESS_1: Bits = REQUEST_ST.then(3);
const LAST_V_SUBMITTED: Bits = Bits::new(CAPACITY as u32 * REQUEST, 4);
const LAST_V_OK: Bits = LAST_V_SUBMITTED.then(4);

const WORKER: u32 = 6;
const WORKER_ST: Bits = Bits::new(0, 2);
const WORKER_V: Bits = WORKER_ST.then(4);
const TO_APPLY: Bits = Bits::new(CAPACITY as u32 * WORKER, 4);
const CLUSTER_V: Bits = TO_APPLY.then(4);
const CLUSTER_ST: Bits = CLUSTER_V.then(2);
const LOCK: Bits = CLUSTER_ST.then(1);
const CONF_OK: Bits = LOCK.then(1);

/// The code of a worker's version `NULL`.
const NULL: u64 = 15;

impl State {
    /// The initial state with this `confOK`.
    pub(super) fn initial(conf_ok: bool, workers: u8) -> State {
        let mut state = State { requests: 0, workers: 0 };
        CONF_OK.set(&mut state.workers, conf_ok.into());
        (0..workers).for_each(|w| state.release_worker(w));
        state
    }

    #[inline]
    pub(super) fn request_st(&self, r: u8) -> RequestSt {
        RequestSt::from_bits(REQUEST_ST.of(r, REQUEST).get(self.requests))
    }

    /// The request's version, or `None` for `NULL`.
    #[inline]
    pub(super) fn request_v(&self, r: u8) -> Option<Version> {
        let v = REQUEST_V_LESS_1.of(r, REQUEST).get(self.requests) as Version + 1;
        (self.request_st(r) != RequestSt::WAITING).then_some(v)
    }

    #[inline]
    pub(super) fn set_request_st(&mut self, r: u8, st: RequestSt) {
        REQUEST_ST.of(r, REQUEST).set(&mut self.requests, st.bits());
    }

    /// The request is submitted as version `v`, the greatest so far.
    #[inline]
    pub(super) fn submit_request(&mut self, r: u8, v: Version) {
        self.set_request_st(r, RequestSt::SUBMITTED);
        REQUEST_V_LESS_1.of(r, REQUEST).set(&mut self.requests, u64::from(v - 1));
        LAST_V_SUBMITTED.set(&mut self.requests, v.into());
    }

    #[inline]
    pub(super) fn worker_st(&self, w: u8) -> WorkerSt {
        WorkerSt::from_bits(WORKER_ST.of(w, WORKER).get(self.workers))
    }

    /// The worker's version, or `None` for `NULL`.
    #[inline]
    pub(super) fn worker_v(&self, w: u8) -> Option<Version> {
        let v = WORKER_V.of(w, WORKER).get(self.workers);
        (v != NULL).then_some(v as Version)
    }

    #[inline]
    pub(super) fn set_worker_st(&mut self, w: u8, st: WorkerSt) {
        WORKER_ST.of(w, WORKER).set(&mut self.workers, st.bits());
    }

    #[inline]
    pub(super) fn set_worker_v(&mut self, w: u8, v: Version) {
        WORKER_V.of(w, WORKER).set(&mut self.workers, v.into());
    }

    /// The worker waits again, with no version.
    #[inline]
    pub(super) fn release_worker(&mut self, w: u8) {
        self.set_worker_st(w, WorkerSt::WAITING);
        WORKER_V.of(w, WORKER).set(&mut self.workers, NULL);
    }

    #[inline]
    pub(super) fn last_v_submitted(&self) -> Version {
        LAST_V_SUBMITTED.get(self.requests) as Version
    }

    #[inline]
    pub(super) fn last_v_ok(&self) -> Version {
        LAST_V_OK.get(self.requests) as Version
    }

    #[inline]
    pub(super) fn set_last_v_ok(&mut self, v: Version) {
        LAST_V_OK.set(&mut self.requests, v.into());
    }

    #[inline]
    pub(super) fn version_to_apply(&self) -> Version {
        TO_APPLY.get(self.workers) as Version
    }

    #[inline]
    pub(super) fn set_version_to_apply(&mut self, v: Version) {
        TO_APPLY.set(&mut self.workers, v.into());
    }

    #[inline]
    pub(super) fn cluster_v(&self) -> Version {
        CLUSTER_V.get(self.workers) as Version
    }

    #[inline]
    pub(super) fn set_cluster_v(&mut self, v: Version) {
        CLUSTER_V.set(&mut self.workers, v.into());
    }

    #[inline]
    pub(super) fn cluster_st(&self) -> ClusterSt {
        ClusterSt::from_bits(CLUSTER_ST.get(self.workers))
    }

    #[inline]
    pub(super) fn set_cluster_st(&mut self, st: ClusterSt) {
        CLUSTER_ST.set(&mut self.workers, st.bits());
    }

    #[inline]
    pub(super) fn lock(&self) -> bool {
        LOCK.is_set(self.workers)
    }

    #[inline]
    pub(super) fn set_lock(&mut self, locked: bool) {
        LOCK.set(&mut self.workers, locked.into());
    }

    #[inline]
    pub(super) fn conf_ok(&self) -> bool {
        CONF_OK.is_set(self.workers)
    }

    /// The same state with its requests and its workers in order.
    pub(super) fn sorted(mut self, requests: u8, workers: u8) -> State {
        sort_records(&mut self.requests, requests, REQUEST);
        sort_records(&mut self.workers, workers, WORKER);
        self
    }
}
