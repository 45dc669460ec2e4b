//! A state of Irsa in 16 bytes.

use super::resources::{Arn, AwsRole, Irsa, Policy, Role, Sa};
use crate::seeds::packed::{Bits, codes, sort_records};

codes! {
    /// What a worker is asked to reconcile.
    Req {
        IRSA = 0 "irsa",
        POLICY = 1 "policy",
        ROLE = 2 "role",
        SA = 3 "sa",
        NULL = 4 "NULL",
    }
}

/// A set of requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ReqSet(u8);

impl ReqSet {
    pub(super) const EMPTY: ReqSet = ReqSet(0);

    #[inline]
    pub(super) fn contains(self, req: Req) -> bool {
        self.0 & 1 << req.bits() != 0
    }

    #[inline]
    pub(super) fn with(self, req: Req) -> ReqSet {
        ReqSet(self.0 | 1 << req.bits())
    }

    #[inline]
    pub(super) fn without(self, req: Req) -> ReqSet {
        ReqSet(self.0 & !(1 << req.bits()))
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Req> {
        [Req::IRSA, Req::POLICY, Req::ROLE, Req::SA].into_iter().filter(move |&req| self.contains(req))
    }
}

/// A sequence of requests, 2 bits each, the head lowest; a set bit above the last marks the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sequence(u64);

impl Sequence {
    pub(super) const EMPTY: Sequence = Sequence(1);

    /// The bits that a sequence of `capacity` requests needs.
    const fn width(capacity: u32) -> u32 {
        2 * capacity + 1
    }

    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self == Sequence::EMPTY
    }

    #[inline]
    pub(super) fn len(self) -> u32 {
        self.0.ilog2() / 2
    }

    #[inline]
    pub(super) fn head(self) -> Option<Req> {
        (!self.is_empty()).then_some(Req::from_bits(self.0 & 3))
    }

    #[inline]
    pub(super) fn tail(self) -> Sequence {
        if self.is_empty() { self } else { Sequence(self.0 >> 2) }
    }

    #[inline]
    pub(super) fn append(self, req: Req) -> Sequence {
        debug_assert!(req != Req::NULL, "NULL is never enqueued");
        let end = self.0.ilog2();
        Sequence(self.0 & !(1 << end) | req.bits() << end | 4 << end)
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Req> {
        (0..self.len()).map(move |index| Req::from_bits(self.0 >> (2 * index) & 3))
    }
}

/// The work queue.
#[derive(Clone, Copy)]
pub(super) struct Wq {
    pub(super) dirty: ReqSet,
    pub(super) processing: ReqSet,
    pub(super) queue: Sequence,
}

/// A reconcile loop.
#[derive(Clone, Copy)]
pub(super) struct Worker {
    pub(super) idle: bool,
    pub(super) req: Req,
}

/// The variables of the specification.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    /// The workers, 4 bits each, then `wq`.
    workers: u64,
    /// `irsa`, `policy`, `role`, `sa`, `awsPolicy` and `awsRole`, then `modified`.
    resources: u64,
}

/// How many workers a state has room for.
pub(super) const CAPACITY: u8 = 10;

/// Requests in `wq.queue`: each of the four is there at most once, unless the queue is broken.
const QUEUE_CAPACITY: u32 = 6;

/// Requests in `modified`.
///
/// No behaviour adds more than 13, because each action that adds some gives a value to a variable
/// that had none, and nothing takes a value away: 1 at the beginning, 2 for each of 3 resources
/// created, and 1 for each of 6 other values (the policy in AWS and its ARN, the role in AWS and its
/// ARN, the role's policy ARN, the attachment).
const MODIFIED_CAPACITY: u32 = 13;

const WORKER: u32 = 4;
const WORKER_IDLE: Bits = Bits::new(0, 1);
const WORKER_REQ: Bits = WORKER_IDLE.then(3);
const DIRTY: Bits = Bits::new(CAPACITY as u32 * WORKER, 4);
const PROCESSING: Bits = DIRTY.then(4);
const QUEUE: Bits = PROCESSING.then(Sequence::width(QUEUE_CAPACITY));

const IRSA: Bits = Bits::new(0, Irsa::WIDTH);
const POLICY: Bits = IRSA.then(Policy::WIDTH);
const ROLE: Bits = POLICY.then(Role::WIDTH);
const SA: Bits = ROLE.then(Sa::WIDTH);
const AWS_POLICY_ARN: Bits = SA.then(2);
const AWS_ROLE: Bits = AWS_POLICY_ARN.then(AwsRole::WIDTH);
const MODIFIED: Bits = AWS_ROLE.then(Sequence::width(MODIFIED_CAPACITY));

impl State {
    /// No resource is there but the iamroleserviceaccount, whose creation is the first event.
    pub(super) fn initial(workers: u8) -> State {
        let mut state = State { workers: 0, resources: 0 };
        state.set_wq(Wq { dirty: ReqSet::EMPTY, processing: ReqSet::EMPTY, queue: Sequence::EMPTY });
        state.set_modified(Sequence::EMPTY.append(Req::IRSA));
        (0..workers).for_each(|w| state.set_worker(w, Worker { idle: true, req: Req::NULL }));
        state
    }

    #[inline]
    pub(super) fn worker(&self, w: u8) -> Worker {
        Worker {
            idle: WORKER_IDLE.of(w, WORKER).is_set(self.workers),
            req: Req::from_bits(WORKER_REQ.of(w, WORKER).get(self.workers)),
        }
    }

    #[inline]
    pub(super) fn set_worker(&mut self, w: u8, worker: Worker) {
        self.set_worker_idle(w, worker.idle);
        WORKER_REQ.of(w, WORKER).set(&mut self.workers, worker.req.bits());
    }

    #[inline]
    pub(super) fn set_worker_idle(&mut self, w: u8, idle: bool) {
        WORKER_IDLE.of(w, WORKER).set(&mut self.workers, idle.into());
    }

    #[inline]
    pub(super) fn wq(&self) -> Wq {
        Wq {
            dirty: ReqSet(DIRTY.get(self.workers) as u8),
            processing: ReqSet(PROCESSING.get(self.workers) as u8),
            queue: Sequence(QUEUE.get(self.workers)),
        }
    }

    #[inline]
    pub(super) fn set_wq(&mut self, wq: Wq) {
        assert!(wq.queue.len() <= QUEUE_CAPACITY, "wq.queue has no room for more requests");
        DIRTY.set(&mut self.workers, wq.dirty.0.into());
        PROCESSING.set(&mut self.workers, wq.processing.0.into());
        QUEUE.set(&mut self.workers, wq.queue.0);
    }

    #[inline]
    pub(super) fn modified(&self) -> Sequence {
        Sequence(MODIFIED.get(self.resources))
    }

    #[inline]
    pub(super) fn set_modified(&mut self, modified: Sequence) {
        assert!(modified.len() <= MODIFIED_CAPACITY, "modified has no room for more requests");
        MODIFIED.set(&mut self.resources, modified.0);
    }

    #[inline]
    pub(super) fn irsa(&self) -> Irsa {
        Irsa::unpack(IRSA.get(self.resources))
    }

    #[inline]
    pub(super) fn policy(&self) -> Policy {
        Policy::unpack(POLICY.get(self.resources))
    }

    #[inline]
    pub(super) fn set_policy(&mut self, policy: Policy) {
        POLICY.set(&mut self.resources, policy.pack());
    }

    #[inline]
    pub(super) fn role(&self) -> Role {
        Role::unpack(ROLE.get(self.resources))
    }

    #[inline]
    pub(super) fn set_role(&mut self, role: Role) {
        ROLE.set(&mut self.resources, role.pack());
    }

    #[inline]
    pub(super) fn sa(&self) -> Sa {
        Sa::unpack(SA.get(self.resources))
    }

    #[inline]
    pub(super) fn set_sa(&mut self, sa: Sa) {
        SA.set(&mut self.resources, sa.pack());
    }

    #[inline]
    pub(super) fn aws_policy_arn(&self) -> Arn {
        Arn::from_bits(AWS_POLICY_ARN.get(self.resources))
    }

    #[inline]
    pub(super) fn set_aws_policy_arn(&mut self, arn: Arn) {
        AWS_POLICY_ARN.set(&mut self.resources, arn.bits());
    }

    #[inline]
    pub(super) fn aws_role(&self) -> AwsRole {
        AwsRole::unpack(AWS_ROLE.get(self.resources))
    }

    #[inline]
    pub(super) fn set_aws_role(&mut self, role: AwsRole) {
        AWS_ROLE.set(&mut self.resources, role.pack());
    }

    /// The same state with its workers in order.
    pub(super) fn sorted(mut self, workers: u8) -> State {
        sort_records(&mut self.workers, workers, WORKER);
        self
    }
}
