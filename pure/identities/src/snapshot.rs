//! What is known of an identity.

use std::collections::{BTreeMap, BTreeSet};

use bowline_control::Millis;

use crate::aws::{Holder, Policy, Published, Role, Whose};
use crate::effect::{Ask, Call, Reply, Said};
use crate::object::Object;
use crate::state::{Account, Cluster, Identity, Names, Tombstone};
use crate::{Rhythm, Step};

/// An identity with its accounts, its clusters and what is left of those before it, and what was learned of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot<N: Names> {
    /// The identity, if it is there.
    pub identity: Option<Identity<N>>,
    /// The accounts that it names, or that say they are of it.
    pub accounts: Vec<Account<N>>,
    /// The clusters that it names.
    pub clusters: Vec<Cluster<N>>,
    /// What is left of those that had its name.
    pub tombstone: Option<Tombstone<N>>,
    /// What was learned.
    pub memory: Memory<N>,
}

/// Accounts on other clusters, by cluster and name: when they were looked at, and what was there.
pub type Elsewhere<N> =
    BTreeMap<(<N as Names>::Cluster, <N as Names>::Account), (Millis, Option<Published<N>>)>;

/// What is remembered of an identity until the next crash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Memory<N: Names> {
    /// Of which identity, and of which sweep after it was gone.
    pub about: Option<(N::Uid, u8)>,
    /// What is in AWS.
    pub look: Option<Look<N>>,
    /// What AWS, or a cluster, will not do.
    pub refused: Option<Refused<N>>,
    /// What did not work, how often since it last came to rest, and why.
    pub failures: BTreeMap<Step, Failures>,
    /// The accounts on other clusters, and when they were looked at.
    pub accounts: Elsewhere<N>,
    /// What came of trying to assume the role.
    pub trial: Trial,
    /// Other people's policies that were there when it was looked.
    pub checked: BTreeSet<N::Arn>,
    /// The generation in which all was as it is wanted, if that is known to have been so.
    pub rested: Option<u64>,
}

/// What is in AWS under the names of an identity: as it was seen, and as our own writes have left it since.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Look<N: Names> {
    /// When it was seen.
    pub at: Millis,
    /// When we have last written to it since.
    pub written: Option<Millis>,
    /// How often AWS has not shown since what we have written.
    pub doubts: u8,
    /// It was not seen as we had left it.
    pub news: bool,
    /// The policy, if it is there.
    pub policy: Option<Policy<N>>,
    /// The role, if it is there.
    pub role: Option<Role<N>>,
    /// Since when nothing of ours is known to be there.
    pub clear: Option<Millis>,
    /// It was seen twice, long enough apart, that nothing of ours is there.
    pub confirmed: bool,
}

/// What AWS, or a cluster, will not do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused<N: Names> {
    /// Which step.
    pub step: Step,
    /// For which generation: what is wanted otherwise is tried.
    pub generation: u64,
    /// When.
    pub at: Millis,
    /// Why, and what to do.
    pub why: N::Text,
}

/// What came of trying to assume a role by its account's own token.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Trial {
    /// Nothing yet.
    #[default]
    NotYet,
    /// It worked.
    Worked,
    /// Nobody gives us the token.
    Impossible,
}

/// How often a step did not work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failures {
    /// So often.
    pub times: u8,
    /// Last at.
    pub at: Millis,
    /// Why, the last time; or when that became too often: what goes on in another way is no news.
    pub why: String,
}

impl<N: Names> Default for Memory<N> {
    fn default() -> Memory<N> {
        Memory {
            about: None,
            look: None,
            refused: None,
            failures: BTreeMap::new(),
            accounts: BTreeMap::new(),
            trial: Trial::default(),
            checked: BTreeSet::new(),
            rested: None,
        }
    }
}

impl<N: Names> Memory<N> {
    pub(crate) fn learn(
        &mut self,
        step: Step,
        reply: Reply<N>,
        rhythm: &Rhythm,
        now: Millis,
    ) -> Result<(), String> {
        let Reply { to, said } = reply;
        self.be_about(&to.uid, to.round);
        if to.rested {
            self.rested = Some(to.generation);
        }
        let learned = self.take_in(step, to, said, rhythm, now);
        match &learned {
            Ok(()) => drop(self.failures.remove(&step)),
            Err(why) => {
                let before = self.failures.remove(&step);
                let times = before.as_ref().map_or(0, |failures| failures.times).saturating_add(1);
                let told = before.filter(|failures| failures.times > rhythm.tries);
                let why = told.map_or_else(|| why.clone(), |failures| failures.why);
                self.failures.insert(step, Failures { times, at: now, why });
            }
        }
        learned
    }

    fn take_in(
        &mut self,
        step: Step,
        to: Call<N>,
        said: Said<N>,
        rhythm: &Rhythm,
        now: Millis,
    ) -> Result<(), String> {
        let Call { uid, generation, what, .. } = to;
        match said {
            Said::Failed(why) => return Err(why),
            Said::Refused(why) => {
                self.refused = Some(Refused { step, generation, at: now, why });
                // What it names may be gone by now: that is looked for before anything is tried again.
                self.checked.clear();
                return Ok(());
            }
            Said::Exists | Said::Outdated(_) => {
                self.look = None;
                self.accounts.clear();
                let why =
                    if let Said::Outdated(why) = said { why } else { "there is one already".to_owned() };
                return Err(format!("could not {step}: {why}; it is looked at again"));
            }
            Said::Missing if !takes_away(&what) => {
                if let Some(look) = self.look.as_mut().filter(|look| look.is_young(rhythm, now)) {
                    look.doubts = look.doubts.saturating_add(1);
                    return Err(format!("could not {step}: what was just made is not visible in AWS yet"));
                }
                self.look = None;
                return Err(format!("could not {step}: it is not there any more; it is looked at again"));
            }
            Said::Seen { policy, role } => self.see(policy, role, rhythm, now),
            // What is waited for instead passes by itself.
            Said::Untried => self.trial = Trial::Impossible,
            Said::Account(account) => {
                if let Ask::LookAtAccount(cluster, name) = what {
                    self.accounts.insert((cluster, name), (now, account));
                }
                return Ok(());
            }
            Said::Made(_) | Said::Version(_) | Said::Done | Said::Missing => {
                self.wrote(what, said, &uid, now);
            }
        }
        self.refused = None;
        Ok(())
    }

    fn see(&mut self, policy: Option<Policy<N>>, role: Option<Role<N>>, rhythm: &Rhythm, now: Millis) {
        let before = self.look.take();
        if let Some(before) = &before {
            // What did not fail since the last look is over. What did may be tried so rarely that there is a look before each
            // try: that look says nothing of whether it works.
            self.failures.retain(|_, failures| failures.at >= before.at);
        }
        if let Some(look) = before.clone().filter(|look| look.is_young(rhythm, now))
            && (&look.policy, &look.role) != (&policy, &role)
        {
            // What was just written is not visible yet.
            self.look = Some(Look { at: now, doubts: look.doubts.saturating_add(1), ..look });
            return;
        }
        if self.trial == Trial::Worked && !role.as_ref().is_some_and(Role::is_ours) {
            // What can be assumed later is another one.
            self.trial = Trial::NotYet;
        }
        let is_as_left = |look: &Look<N>| (&look.policy, &look.role) == (&policy, &role);
        let news = !before.as_ref().is_some_and(is_as_left);
        let (clear, confirmed) = (None, false);
        let mut look = Look { at: now, written: None, doubts: 0, news, policy, role, clear, confirmed };
        if look.is_clear() {
            let since = before.as_ref().and_then(|before| before.clear);
            let was_confirmed = before.is_some_and(|before| before.confirmed);
            look.confirmed = was_confirmed || since.is_some_and(|since| now >= since.plus(rhythm.settle));
            look.clear = since.or(Some(now));
        }
        self.look = Some(look);
    }

    /// A write has been done.
    fn wrote(&mut self, what: Ask<N>, said: Said<N>, uid: &N::Uid, now: Millis) {
        match what {
            Ask::Assume => self.trial = Trial::Worked,
            Ask::Check(others) => self.checked.extend(others.boundary.into_iter().chain(others.managed)),
            Ask::Publish { cluster, account, role, .. } => {
                let published = Published { holder: Holder::Itself, role: Some(role) };
                self.accounts.insert((cluster, account), (now, Some(published)));
            }
            Ask::Withdraw(cluster, account) => drop(self.accounts.insert((cluster, account), (now, None))),
            what => {
                let Some(look) = &mut self.look else { return };
                look.become_so(what, said, uid);
                (look.written, look.doubts) = (Some(now), 0);
                look.clear = look.is_clear().then_some(look.clear.unwrap_or(now));
                look.confirmed &= look.clear.is_some();
            }
        }
    }

    /// What was learned of another one, or in another sweep, says nothing of this one.
    fn be_about(&mut self, uid: &N::Uid, round: u8) {
        if self.about.as_ref() != Some(&(uid.clone(), round)) {
            *self = Memory { about: Some((uid.clone(), round)), ..Memory::default() };
        }
    }
}

/// Whether it is what was wanted, if nothing is there.
fn takes_away<N: Names>(what: &Ask<N>) -> bool {
    matches!(
        what,
        Ask::DeletePolicyVersion(_)
            | Ask::DeletePolicy
            | Ask::DetachRolePolicy(_)
            | Ask::DeleteRolePolicy(_)
            | Ask::DeleteRole
            | Ask::Withdraw(..)
    )
}

impl<N: Names> Look<N> {
    /// Whether nothing of ours is there.
    pub(crate) fn is_clear(&self) -> bool {
        !self.policy.as_ref().is_some_and(Policy::is_ours) && !self.role.as_ref().is_some_and(Role::is_ours)
    }

    /// Whether we have written so lately that AWS may not show it yet; unless it has been asked too often.
    fn is_young(&self, rhythm: &Rhythm, now: Millis) -> bool {
        let is_new = self.written.is_some_and(|written| now < written.plus(rhythm.settle));
        is_new && self.doubts < rhythm.tries
    }

    fn become_so(&mut self, what: Ask<N>, said: Said<N>, uid: &N::Uid) {
        let whose = Whose::Ours(uid.clone());
        match (what, said) {
            (Ask::CreatePolicy(document), Said::Made(arn)) => {
                let (others, held_by) = (Vec::new(), Vec::new());
                self.policy = Some(Policy { arn, whose, document, default: 1, others, held_by });
            }
            (Ask::CreateRole { trust, boundary }, Said::Made(arn)) => {
                let (attached, inline, held_by) = (Vec::new(), Vec::new(), Vec::new());
                self.role = Some(Role { arn, whose, trust, boundary, attached, inline, held_by });
            }
            (Ask::DeletePolicy, _) => self.policy = None,
            (Ask::DeleteRole, _) => self.role = None,
            (what, said) => {
                if let Some(policy) = &mut self.policy {
                    policy.become_so(&what, &said, &whose);
                }
                if let Some(role) = &mut self.role {
                    role.become_so(what, whose);
                }
            }
        }
    }
}

impl<N: Names> Policy<N> {
    fn become_so(&mut self, what: &Ask<N>, said: &Said<N>, whose: &Whose<N::Uid>) {
        match (what, said) {
            (Ask::CreatePolicyVersion(document), Said::Version(version)) => {
                self.others.push(self.default);
                self.default = *version;
                self.document = document.clone();
            }
            (Ask::DeletePolicyVersion(version), _) => self.others.retain(|other| other != version),
            (Ask::TagPolicy, _) => self.whose = whose.clone(),
            _ => {}
        }
    }
}

impl<N: Names> Role<N> {
    fn become_so(&mut self, what: Ask<N>, whose: Whose<N::Uid>) {
        match what {
            Ask::UpdateAssumeRolePolicy(trust) => self.trust = trust,
            Ask::PutRolePermissionsBoundary(arn) => self.boundary = Some(arn),
            Ask::DeleteRolePermissionsBoundary => self.boundary = None,
            Ask::TagRole => self.whose = whose,
            Ask::AttachRolePolicy(arn) => {
                if let Err(place) = self.attached.binary_search(&arn) {
                    self.attached.insert(place, arn);
                }
            }
            Ask::DetachRolePolicy(arn) => self.attached.retain(|attached| *attached != arn),
            Ask::DeleteRolePolicy(name) => self.inline.retain(|inline| *inline != name),
            _ => {}
        }
    }
}

impl<N: Names> Snapshot<N> {
    pub(crate) fn of(name: &N::Name, objects: &[&Object<N>], memory: &Memory<N>) -> Snapshot<N> {
        let mut this = Snapshot {
            identity: None,
            accounts: Vec::new(),
            clusters: Vec::new(),
            tombstone: None,
            memory: memory.clone(),
        };
        for object in objects {
            match object {
                Object::Identity(identity) if identity.name == *name => {
                    this.identity = Some(identity.clone())
                }
                // Another one may want the same account.
                Object::Identity(_) => {}
                Object::Account(account) => this.accounts.push(account.clone()),
                Object::Cluster(cluster) => this.clusters.push(cluster.clone()),
                Object::Tombstone(tombstone) => this.tombstone = Some(tombstone.clone()),
            }
        }
        if let Some((uid, round)) = this.about() {
            this.memory.be_about(&uid, round);
        }
        let generation = this.identity.as_ref().map_or(0, |identity| identity.generation);
        this.memory.refused = this.memory.refused.take().filter(|refused| refused.generation == generation);
        this
    }

    /// Who is decided about, and in which sweep after it was gone.
    pub(crate) fn about(&self) -> Option<(N::Uid, u8)> {
        match (&self.identity, &self.tombstone) {
            (Some(identity), _) => Some((identity.uid.clone(), 0)),
            (None, Some(tombstone)) => {
                Some((tombstone.of.last()?.clone(), tombstone.sweeps.saturating_add(1)))
            }
            (None, None) => None,
        }
    }
}
