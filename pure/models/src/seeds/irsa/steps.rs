//! What one worker of Irsa may do, and what it does.

use super::resources::{Arn, Status};
use super::state::{Req, Sequence, State, Worker};

/// The actions of a worker, in the order of the specification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    Get,
    Done,
    CreatePolicy,
    CreateRole,
    CreateServiceAccount,
    PolicyHasNoARN,
    RoleHasNoRoleARN,
    RoleHasNoPolicyARN,
    RoleHasPolicyARN,
    IrsaAllDone,
    PolicyAllDone,
    RoleAllDone,
    SaAllDone,
}

impl Step {
    pub(super) const ALL: [Step; 13] = [
        Step::Get,
        Step::Done,
        Step::CreatePolicy,
        Step::CreateRole,
        Step::CreateServiceAccount,
        Step::PolicyHasNoARN,
        Step::RoleHasNoRoleARN,
        Step::RoleHasNoPolicyARN,
        Step::RoleHasPolicyARN,
        Step::IrsaAllDone,
        Step::PolicyAllDone,
        Step::RoleAllDone,
        Step::SaAllDone,
    ];

    /// Names the steps that are enabled for worker `w`.
    #[inline]
    pub(super) fn enabled(s: &State, w: u8, mut each: impl FnMut(Step)) {
        let worker = s.worker(w);
        if worker.idle {
            if worker.req != Req::NULL {
                each(Step::Done);
            } else if !s.wq().queue.is_empty() {
                each(Step::Get);
            }
            return;
        }
        match worker.req {
            Req::IRSA => Step::enabled_for_irsa(s, each),
            Req::POLICY => {
                if s.policy().aws_policy_arn == Arn::NULL {
                    each(Step::PolicyHasNoARN);
                }
                if s.policy().is_complete() {
                    each(Step::PolicyAllDone);
                }
            }
            Req::ROLE => Step::enabled_for_role(s, each),
            Req::SA if s.sa().is_complete() => each(Step::SaAllDone),
            _ => {}
        }
    }

    #[inline]
    fn enabled_for_irsa(s: &State, mut each: impl FnMut(Step)) {
        let (policy, role, sa) = (s.policy(), s.role(), s.sa());
        if policy.st == Status::NULL {
            each(Step::CreatePolicy);
        }
        if role.st == Status::NULL {
            each(Step::CreateRole);
        }
        if sa.st == Status::NULL && role.is_complete() && policy.is_complete() {
            each(Step::CreateServiceAccount);
        }
        if irsa_is_complete(s) {
            each(Step::IrsaAllDone);
        }
    }

    #[inline]
    fn enabled_for_role(s: &State, mut each: impl FnMut(Step)) {
        let role = s.role();
        if role.role_arn == Arn::NULL {
            each(Step::RoleHasNoRoleARN);
        }
        // The defect: without the policy's ARN the worker waits, and no other request gets it.
        if role.policy_arn == Arn::NULL && s.policy().aws_policy_arn != Arn::NULL {
            each(Step::RoleHasNoPolicyARN);
        }
        // The defect: a policy that is attached already is waited for to be detached.
        if role.policy_arn != Arn::NULL
            && role.role_arn != Arn::NULL
            && !role.policies_attached
            && s.aws_role().attached_policy == Arn::NULL
        {
            each(Step::RoleHasPolicyARN);
        }
        if role.is_complete() {
            each(Step::RoleAllDone);
        }
    }

    /// Does this step of worker `w`.
    #[inline]
    pub(super) fn take(self, s: &mut State, w: u8) {
        match self {
            Step::Get => get(s, w),
            Step::Done => done(s, w),
            Step::CreatePolicy => create_policy(s, w),
            Step::CreateRole => create_role(s, w),
            Step::CreateServiceAccount => create_service_account(s),
            Step::PolicyHasNoARN => policy_has_no_arn(s),
            Step::RoleHasNoRoleARN => role_has_no_role_arn(s),
            Step::RoleHasNoPolicyARN => role_has_no_policy_arn(s),
            Step::RoleHasPolicyARN => role_has_policy_arn(s),
            Step::IrsaAllDone | Step::PolicyAllDone | Step::RoleAllDone | Step::SaAllDone => {
                s.set_worker_idle(w, true);
            }
        }
    }
}

/// `IrsaComplete`.
#[inline]
pub(super) fn irsa_is_complete(s: &State) -> bool {
    s.policy().st != Status::NULL && s.role().st != Status::NULL && s.sa().st != Status::NULL
}

/// `Add`, which no worker does: the watch reports a modified resource to the work queue.
#[inline]
pub(super) fn add(s: &mut State) {
    let modified = s.modified();
    let mut wq = s.wq();
    if let Some(req) = modified.head()
        && !wq.dirty.contains(req)
    {
        wq.dirty = wq.dirty.with(req);
        if !wq.processing.contains(req) {
            wq.queue = wq.queue.append(req);
        }
    }
    s.set_wq(wq);
    s.set_modified(modified.tail());
}

#[inline]
fn enqueue<const N: usize>(s: &mut State, reqs: [Req; N]) {
    s.set_modified(reqs.into_iter().fold(s.modified(), Sequence::append));
}

#[inline]
fn get(s: &mut State, w: u8) {
    let mut wq = s.wq();
    if let Some(head) = wq.queue.head() {
        s.set_worker(w, Worker { idle: false, req: head });
        wq.queue = wq.queue.tail();
        wq.dirty = wq.dirty.without(head);
        wq.processing = wq.processing.with(head);
        s.set_wq(wq);
    }
}

#[inline]
fn done(s: &mut State, w: u8) {
    let req = s.worker(w).req;
    let mut wq = s.wq();
    wq.processing = wq.processing.without(req);
    if wq.dirty.contains(req) {
        wq.queue = wq.queue.append(req);
    }
    s.set_wq(wq);
    s.set_worker(w, Worker { idle: true, req: Req::NULL });
}

#[inline]
fn create_policy(s: &mut State, w: u8) {
    let mut policy = s.policy();
    policy.st = Status::PENDING;
    policy.stmt = true;
    s.set_policy(policy);
    s.set_worker_idle(w, true);
    enqueue(s, [Req::POLICY, Req::IRSA]);
}

#[inline]
fn create_role(s: &mut State, w: u8) {
    let mut role = s.role();
    role.st = Status::PENDING;
    role.sa_name = true;
    s.set_role(role);
    s.set_worker_idle(w, true);
    enqueue(s, [Req::ROLE, Req::IRSA]);
}

#[inline]
fn create_service_account(s: &mut State) {
    let mut sa = s.sa();
    sa.st = Status::PENDING;
    sa.name = true;
    sa.role_arn = s.role().role_arn;
    s.set_sa(sa);
    enqueue(s, [Req::SA, Req::IRSA]);
}

#[inline]
fn policy_has_no_arn(s: &mut State) {
    if s.aws_policy_arn() == Arn::NULL {
        s.set_aws_policy_arn(Arn::POLICY);
    } else {
        let mut policy = s.policy();
        policy.aws_policy_arn = s.aws_policy_arn();
        s.set_policy(policy);
    }
    enqueue(s, [Req::POLICY]);
}

#[inline]
fn role_has_no_role_arn(s: &mut State) {
    let mut aws_role = s.aws_role();
    if aws_role.arn == Arn::NULL {
        aws_role.arn = Arn::ROLE;
        s.set_aws_role(aws_role);
    } else {
        let mut role = s.role();
        role.role_arn = aws_role.arn;
        s.set_role(role);
    }
    enqueue(s, [Req::ROLE]);
}

#[inline]
fn role_has_no_policy_arn(s: &mut State) {
    let mut role = s.role();
    role.policy_arn = s.policy().aws_policy_arn;
    s.set_role(role);
    enqueue(s, [Req::ROLE]);
}

#[inline]
fn role_has_policy_arn(s: &mut State) {
    let (mut role, mut aws_role) = (s.role(), s.aws_role());
    aws_role.attached_policy = role.policy_arn;
    role.policies_attached = true;
    s.set_aws_role(aws_role);
    s.set_role(role);
    enqueue(s, [Req::ROLE]);
}
