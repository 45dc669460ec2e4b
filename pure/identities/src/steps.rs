//! How a step is one write, or one call.

use bowline_control::{Effect, Version, Write};

use crate::decide::{Case, Step};
use crate::effect::{Ask, Call};
use crate::object::Object;
use crate::report::LOST;
use crate::snapshot::Look;
use crate::state::{Account, Identity, Mood, Names, Status, Told, Tombstone, Wanted};

/// The most uids in a tombstone. Who is deleted waits a minute, so these are more than go in a day, after which nothing of one
/// is swept any more; without a bound, a name that is used again and again would have one that no server takes.
const BURIED: usize = 2_000;

type EffectOf<N> = Effect<Object<N>, Call<N>>;

impl<N: Names> Case<'_, N> {
    pub(crate) fn effect(&self, step: Step) -> EffectOf<N> {
        match (&self.s.identity, &self.s.tombstone) {
            (Some(identity), _) => self.of_identity(identity, step),
            (None, Some(tombstone)) => self.of_tombstone(tombstone, step),
            (None, None) => unreachable!("a step is about what is there"),
        }
    }

    fn of_identity(&self, identity: &Identity<N>, step: Step) -> EffectOf<N> {
        match step {
            Step::Hold => hold(identity, true),
            Step::LetGo => hold(identity, false),
            Step::Intend => {
                let intent = identity.status.intent.or(Some(self.now.wall));
                with_status(identity, Status { intent, ..identity.status.clone() })
            }
            Step::Record => {
                let (wanted, look) = self.basis(identity);
                with_status(identity, self.complete(identity, &wanted, look))
            }
            Step::Lapse => lapse(identity),
            Step::Settle => with_status(identity, Status { ready: true, ..identity.status.clone() }),
            Step::Bury => self.bury(identity),
            Step::Forget => match &self.s.tombstone {
                Some(tombstone) => Effect::Write(Write::Delete(Object::Tombstone(tombstone.clone()))),
                None => unreachable!("what is forgotten is there"),
            },
            Step::PublishHere => self.publish_account(identity),
            Step::WithdrawHere => self.withdraw_account(identity),
            step => {
                let what = self.ask(identity, step);
                let rested = self.rested(identity, step);
                let (name, uid, generation) =
                    (identity.name.clone(), identity.uid.clone(), identity.generation);
                Effect::Call(Call { name, uid, round: 0, generation, rested, what })
            }
        }
    }

    fn of_tombstone(&self, tombstone: &Tombstone<N>, step: Step) -> EffectOf<N> {
        let object = Object::Tombstone(tombstone.clone());
        if step == Step::Swept {
            let sweeps = tombstone.sweeps.saturating_add(1);
            let after = Tombstone { sweeps, ..tombstone.clone() };
            return Effect::Write(match usize::from(sweeps) < self.rhythm.sweeps.len() {
                true => Write::Change { before: object, after: Object::Tombstone(after) },
                false => Write::Delete(object),
            });
        }
        let Some((uid, round)) = self.s.about() else { unreachable!("a tombstone is of somebody") };
        let look = self.s.memory.look.as_ref();
        let what = look.map_or(Ask::Look { goes: true }, |look| taken_down(look, step));
        let name = tombstone.name.clone();
        Effect::Call(Call { name, uid, round, generation: 0, rested: false, what })
    }

    /// Whether it had come to rest as it is wanted, and what is seen now we have not left so.
    fn rested(&self, identity: &Identity<N>, step: Step) -> bool {
        let memory = &self.s.memory;
        let is_of_now = |told: &Told<N>| told.mood == Mood::Well && told.observed == identity.generation;
        let has_rested =
            memory.rested == Some(identity.generation) || identity.told.as_ref().is_some_and(is_of_now);
        let is_news = step == Step::Look || memory.look.as_ref().is_some_and(|look| look.news);
        has_rested && is_news && !identity.deleting
    }

    fn ask(&self, identity: &Identity<N>, step: Step) -> Ask<N> {
        match step {
            Step::Look => {
                let keeps = self.wanted(identity).is_ok_and(|wanted| wanted.policy.is_some());
                return Ask::Look { goes: identity.deleting || !keeps };
            }
            Step::Assume => return Ask::Assume,
            Step::LookAtAccount | Step::Publish | Step::Withdraw => return self.elsewhere(identity, step),
            _ if identity.deleting => return taken_down(self.looked(), step),
            _ => {}
        }
        let (wanted, look) = self.basis(identity);
        let Wanted { policy, trust, boundary, .. } = &wanted;
        let attached = |find: &dyn Fn(&crate::Role<N>) -> Option<N::Arn>| look.role.as_ref().and_then(find);
        let ask = match step {
            Step::Check => Some(Ask::Check(self.unchecked(&wanted, look))),
            Step::CreatePolicy => policy.clone().map(Ask::CreatePolicy),
            Step::CreatePolicyVersion => policy.clone().map(Ask::CreatePolicyVersion),
            Step::TagPolicy => Some(Ask::TagPolicy),
            Step::CreateRole => Some(Ask::CreateRole { trust: trust.clone(), boundary: boundary.clone() }),
            Step::UpdateAssumeRolePolicy => Some(Ask::UpdateAssumeRolePolicy(trust.clone())),
            Step::PutRolePermissionsBoundary => boundary.clone().map(Ask::PutRolePermissionsBoundary),
            Step::DeleteRolePermissionsBoundary => Some(Ask::DeleteRolePermissionsBoundary),
            Step::TagRole => Some(Ask::TagRole),
            Step::AttachRolePolicy => {
                attached(&|role| self.missing(identity, &wanted, role)).map(Ask::AttachRolePolicy)
            }
            Step::DetachRolePolicy => {
                attached(&|role| self.extra(identity, &wanted, role)).map(Ask::DetachRolePolicy)
            }
            step => Some(taken_down(look, step)),
        };
        ask.unwrap_or_else(|| unreachable!("{step:?} rests on what was seen"))
    }

    fn elsewhere(&self, identity: &Identity<N>, step: Step) -> Ask<N> {
        let spot = self.first_spot(identity, step);
        let Some((cluster, account)) = spot else { unreachable!("{step:?} is about an account") };
        match (step, &identity.status.role) {
            (Step::Publish, Some(role)) => {
                Ask::Publish { cluster, account, role: role.clone(), adopts: identity.wish.adopts }
            }
            (Step::Withdraw, _) => Ask::Withdraw(cluster, account),
            _ => Ask::LookAtAccount(cluster, account),
        }
    }

    fn looked(&self) -> &Look<N> {
        let Some(look) = &self.s.memory.look else { unreachable!("a step in AWS rests on a look") };
        look
    }

    fn basis(&self, identity: &Identity<N>) -> (Wanted<N>, &Look<N>) {
        match self.wanted(identity) {
            Ok(wanted) => (wanted, self.looked()),
            Err(wait) => unreachable!("nothing is done while it waits for {wait}"),
        }
    }

    fn bury(&self, identity: &Identity<N>) -> EffectOf<N> {
        let (at, sweeps) = (self.now.wall, 0);
        Effect::Write(match self.s.tombstone.clone() {
            Some(before) => {
                let late = before.of.len().saturating_sub(BURIED - 1);
                let of = before.of[late..].iter().cloned().chain([identity.uid.clone()]).collect();
                let after = Tombstone { of, at, sweeps, ..before.clone() };
                Write::Change { before: Object::Tombstone(before), after: Object::Tombstone(after) }
            }
            None => Write::Create(Object::Tombstone(Tombstone {
                name: identity.name.clone(),
                uid: identity.uid.clone(),
                version: Version(0),
                of: vec![identity.uid.clone()],
                at,
                sweeps,
            })),
        })
    }

    fn publish_account(&self, identity: &Identity<N>) -> EffectOf<N> {
        let of = Some((identity.name.clone(), identity.uid.clone()));
        let role = identity.status.role.clone();
        Effect::Write(match self.account(&identity.wish.account).cloned() {
            Some(before) => {
                let after = Account { of, role, ..before.clone() };
                Write::Change { before: Object::Account(before), after: Object::Account(after) }
            }
            None => Write::Create(Object::Account(Account {
                name: identity.wish.account.clone(),
                uid: identity.uid.clone(),
                version: Version(0),
                deleting: false,
                of,
                role,
            })),
        })
    }

    fn withdraw_account(&self, identity: &Identity<N>) -> EffectOf<N> {
        let wanted = crate::decide::spots(identity);
        let published = identity.status.published.iter();
        let mut left = published
            .filter(|spot| spot.0.is_none() && !wanted.contains(spot) && self.is_left(identity, spot));
        let account = left.find_map(|(_, name)| self.account(name));
        let Some(account) = account else { unreachable!("what is withdrawn is there") };
        Effect::Write(Write::Delete(Object::Account(account.clone())))
    }
}

/// What is asked so that policy and role go.
fn taken_down<N: Names>(look: &Look<N>, step: Step) -> Ask<N> {
    let policy = look.policy.as_ref();
    let ask = match step {
        Step::Look => Some(Ask::Look { goes: true }),
        Step::DetachRolePolicy => {
            let role = look.role.as_ref();
            role.and_then(|role| role.attached.first()).cloned().map(Ask::DetachRolePolicy)
        }
        Step::DeleteRolePolicy => {
            let role = look.role.as_ref();
            role.and_then(|role| role.inline.first()).cloned().map(Ask::DeleteRolePolicy)
        }
        Step::DeleteRole => Some(Ask::DeleteRole),
        Step::DeletePolicyVersion => {
            policy.and_then(|policy| policy.others.first()).copied().map(Ask::DeletePolicyVersion)
        }
        Step::DeletePolicy => Some(Ask::DeletePolicy),
        _ => None,
    };
    ask.unwrap_or_else(|| unreachable!("{step:?} takes nothing away that was seen"))
}

fn hold<N: Names>(identity: &Identity<N>, held: bool) -> EffectOf<N> {
    let after = Identity { held, ..identity.clone() };
    Effect::Write(Write::Change {
        before: Object::Identity(identity.clone()),
        after: Object::Identity(after),
    })
}

/// What was told is not so any more either.
fn lapse<N: Names>(identity: &Identity<N>) -> EffectOf<N> {
    let Status { intent, published, .. } = identity.status.clone();
    let status = Status { intent, published, ..Status::default() };
    let told = Told { mood: Mood::Waiting, words: LOST.into(), observed: identity.generation };
    let after = Identity { status, told: Some(told), ..identity.clone() };
    Effect::Write(Write::Status {
        before: Object::Identity(identity.clone()),
        after: Object::Identity(after),
    })
}

fn with_status<N: Names>(identity: &Identity<N>, status: Status<N>) -> EffectOf<N> {
    let after = Identity { status, ..identity.clone() };
    Effect::Write(Write::Status {
        before: Object::Identity(identity.clone()),
        after: Object::Identity(after),
    })
}
