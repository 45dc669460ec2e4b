//! Updates: who fetches contents, looks at clusters and writes to them.

mod album;
mod brought;
mod census;
mod discreet;
mod epochs;
#[cfg(test)]
mod fake;
mod fields;
#[cfg(test)]
pub(crate) mod fuzz;
mod gauges;
mod health;
mod inspect;
mod inventory;
mod keeping;
mod kinds;
mod look;
mod marks;
mod names;
mod preview;
mod refused;
mod request;
mod returned;
mod spared;
mod target;
mod together;
mod unpack;
mod unseen;
mod wire;
mod write;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use bowline_control::Event;
use bowline_runtime::{Driver, Mandate, Metrics, Outside};
use bowline_updates::{
    Admission, Ask, Call, Content, Fetched, Inventory, Object, Outcome, Quota, Reply, Rhythm, Updates,
};
use kube::Client;

use self::census::Census;
pub(crate) use self::epochs::latest_epoch;
#[cfg(test)]
pub(crate) use self::fake::{Fake, missing};
use self::gauges::Gauges;
pub(crate) use self::keeping::Keeping;
use self::look::{Eyes, is_enough};
use self::marks::Actor;
use self::names::{StackName, Text};
pub use self::preview::{Action, Against, Blind, Foreseen, Foretold, Preview, Sighted, Submission};
pub(crate) use self::request::{Asked, Trouble, Way, segment};
use self::target::Known;
pub(crate) use self::target::{Targets, of_home};
pub use self::unseen::Unseen;
use self::wire::UpdateWire;
use self::write::Hands;
use crate::clusters::Embed;

/// How many stacks are worked on at once, if nobody says otherwise: those whose cluster does not answer must not keep the others waiting.
pub const AT_ONCE: NonZeroUsize = NonZeroUsize::new(256).expect("it is not 0");

/// How many effects in a row lead somewhere: a stack knows up to 1,000 versions, each of which is fetched, judged and shown, and a
/// version writes up to 100,000 objects, 200 at a time. What leads nowhere there has bounds of its own.
pub(crate) const EFFECTS: u32 = 4_096;

/// Nothing that was sent to a cluster arrives later than this after whoever sent it was lost.
pub fn latest() -> Duration {
    Duration::from_millis(Rhythm::default().lease.0)
}

/// How the controller of updates is driven.
pub(crate) type UpdateDriver = Driver<Updates<Text>, UpdateWire, Workshop>;

/// The controller of updates, ready to be driven.
pub(crate) fn controller() -> (Updates<Text>, UpdateWire) {
    (Updates::new(Rhythm::default()), UpdateWire)
}

/// What fetches, looks and writes.
pub(crate) struct Workshop {
    targets: Targets,
    keeping: Keeping,
    gauges: Gauges,
    census: Census,
}

impl Workshop {
    pub(crate) fn new(home: Client, embed: Option<Arc<dyn Embed>>, metrics: &Metrics) -> Workshop {
        let keeping = Keeping::new(home.clone());
        let gauges = Gauges::new(metrics);
        Workshop { targets: Targets::new(home, embed), keeping, gauges, census: Census::default() }
    }

    async fn answer(&self, call: Call<Text>, mandate: &Mandate) -> Result<Reply<Text>, String> {
        let Call { stack, uid, cluster, on, attempt, what } = call;
        let actor = Actor { stack, uid, attempt };
        match what {
            Ask::Fetch { content, inventory } => self.fetch(&actor, &cluster, content, inventory).await,
            Ask::Store(inventory) => self.store(&actor, inventory).await,
            Ask::Forget => self.keeping.forget(&actor.uid).await.map(|()| Reply::Forgotten),
            Ask::Look { digest, content, inventory } => {
                let known = self.reach(&actor, &cluster, on.as_deref()).await?;
                let sights = self.look(&actor, (&cluster, &known), (&content, &inventory), mandate).await?;
                let allowed = self.keeping.is_allowed(known.allowed.as_ref(), &actor.stack.namespace).await?;
                let generation = known.generation();
                Ok(Reply::Seen { attempt, on, generation, digest, allowed, sights })
            }
            Ask::Write(deeds) => {
                let known = self.reach(&actor, &cluster, on.as_deref()).await?;
                let kinds = self.targets.kinds(&cluster, &known, |_| true).await?;
                let client = Way { client: &known.client, mandate };
                let hands = Hands { client, kinds: &kinds, actor: &actor };
                let outcomes = hands.write(&deeds).await;
                self.gauges.wrote(&outcomes);
                Ok(Reply::Written { attempt, outcomes })
            }
        }
    }

    async fn fetch(
        &self,
        actor: &Actor,
        cluster: &str,
        content: Option<String>,
        inventory: Option<String>,
    ) -> Result<Reply<Text>, String> {
        let Actor { stack, uid, .. } = actor;
        let fetched = match content {
            None => None,
            Some(digest) => {
                let (admission, is_admitted) = self.admission(stack, cluster).await?;
                let content = self.keeping.content(stack, uid, &digest, is_admitted).await?;
                Some(Fetched { digest, content, admission })
            }
        };
        let inventory = match inventory {
            None => None,
            Some(digest) => Some(self.keeping.inventory(uid, &digest).await?),
        };
        Ok(Reply::Fetched { fetched, inventory })
    }

    /// What speaks for a version of a stack on its cluster, and whether that is enough.
    async fn admission(&self, stack: &StackName, name: &str) -> Result<(Admission, bool), String> {
        let cluster = self.targets.cluster(name).await?;
        let may = cluster.spec.allowed_namespaces.as_ref();
        let allowed = self.keeping.is_allowed(may, &stack.namespace).await?;
        let mut barred = self.census.askers(name);
        barred.remove(&stack.namespace);
        for namespace in barred.clone() {
            if self.keeping.is_allowed(may, &namespace).await? {
                barred.remove(&namespace);
            }
        }
        let used = self.census.used(stack, name, &barred, seconds());
        let (used, is_left) = within(used, &cluster.spec.quota);
        Ok((Admission { allowed, used }, allowed && is_left))
    }

    async fn store(&self, actor: &Actor, inventory: Arc<Inventory<Text>>) -> Result<Reply<Text>, String> {
        let Actor { stack, uid, .. } = actor;
        let stored = self.keeping.store(uid, &inventory).await?;
        self.keeping.tidy(stack, uid, &stored).await;
        Ok(Reply::Stored(inventory))
    }

    /// The way to a cluster, if it is still the one that is meant. That a version was judged by another kubeconfig, or by what
    /// the cluster said before, opens the hub to nobody.
    async fn reach(&self, actor: &Actor, cluster: &str, on: Option<&str>) -> Result<Known, String> {
        let known = self.targets.reach(cluster).await?;
        if on != Some(known.uid()) {
            return Err(format!("the cluster {cluster} is another one by now"));
        }
        match known.closed_to(&actor.stack.namespace) {
            Some(why) => Err(format!("the cluster {cluster} {why}")),
            None => Ok(known),
        }
    }

    async fn look(
        &self,
        actor: &Actor,
        (cluster, known): (&str, &Known),
        (content, inventory): (&Content<Text>, &Inventory<Text>),
        mandate: &Mandate,
    ) -> Result<Arc<bowline_updates::Sights<Text>>, String> {
        let kinds = self.targets.kinds(cluster, known, |kinds| is_enough(kinds, content, inventory)).await?;
        let client = Way { client: &known.client, mandate };
        let eyes = Eyes { client, kinds: &kinds, actor, keeping: &self.keeping, album: None };
        eyes.look(content, inventory)
            .await
            .map_err(|why| format!("the cluster {cluster} cannot be looked at: {why}"))
    }
}

/// Since 1970.
fn seconds() -> u64 {
    u64::try_from(k8s_openapi::jiff::Timestamp::now().as_second()).unwrap_or(0)
}

/// What is asked of a cluster, and whether it may be. What is too much is said to be so by any quota: whoever decides may know an
/// older one, and must not accept what was not taken into safe keeping.
fn within(used: Quota, quota: &bowline_api::updates::Quota) -> (Quota, bool) {
    let bounded = |used, most| if used > most { u32::MAX } else { used };
    let told = Quota {
        waiting: bounded(used.waiting, quota.max_queued_per_namespace),
        hourly: bounded(used.hourly, quota.max_per_hour),
    };
    (told, told == used)
}

impl Outside<Updates<Text>> for Workshop {
    async fn call(&self, call: Call<Text>, mandate: &Mandate) -> Reply<Text> {
        self.answer(call, mandate).await.unwrap_or_else(Reply::Failed)
    }

    /// What is kept is known by its digest: whoever keeps it late keeps the same. Only what is written to a cluster changes it.
    fn only_reads(&self, call: &Call<Text>) -> bool {
        !matches!(call.what, Ask::Write(_))
    }

    fn asked(&self, call: &Call<Text>) -> String {
        match &call.what {
            Ask::Fetch { content, inventory } => {
                let told = |digest: &Option<String>| digest.clone().unwrap_or_else(|| "none".into());
                format!("fetch the content {}, the inventory {}", told(content), told(inventory))
            }
            Ask::Forget => "keep nothing any more".into(),
            Ask::Store(inventory) => format!("keep an inventory of {} objects", inventory.0.len()),
            Ask::Look { content, inventory, .. } => {
                let (wanted, touched) = (content.0.len(), inventory.0.len());
                format!("look at {}: {wanted} objects wanted, {touched} touched", call.cluster)
            }
            Ask::Write(deeds) => format!("write {} objects to {}", deeds.len(), call.cluster),
        }
    }

    fn heard(&self, reply: &Reply<Text>) -> String {
        match reply {
            Reply::Fetched { fetched, .. } => match fetched.as_ref().map(|fetched| &fetched.content) {
                None => "fetched".into(),
                Some(Ok(content)) => format!("fetched {} objects", content.0.len()),
                Some(Err(why)) => format!("it cannot be used: {why}"),
            },
            Reply::Stored(_) => "it is kept".into(),
            Reply::Forgotten => "nothing is kept".into(),
            Reply::Seen { sights, .. } => format!("{} objects seen", sights.len()),
            Reply::Written { outcomes, .. } => {
                let done = outcomes.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Is(_))).count();
                let why = outcomes.iter().find_map(|(_, outcome)| match outcome {
                    Outcome::Refused(why) | Outcome::Unknown(why) => Some(why.as_str()),
                    Outcome::Outdated => Some("outdated"),
                    Outcome::Is(_) => None,
                });
                format!(
                    "{done} of {} objects written{}",
                    outcomes.len(),
                    why.map_or_else(String::new, |why| format!("; {why}"))
                )
            }
            Reply::Failed(why) => format!("failed: {why}"),
        }
    }

    fn sees(&self, event: &Event<Object<Text>>) {
        self.gauges.see(event);
        self.gauges.see_updates(event, seconds());
        self.census.see(event);
        if let Event::Gone(Object::Cluster(cluster)) = event {
            self.targets.forget(&cluster.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_is_too_much_by_any_quota() {
        let quota = bowline_api::updates::Quota { max_queued_per_namespace: 2, max_per_hour: 3 };
        let used = |waiting, hourly| Quota { waiting, hourly };
        assert_eq!(within(used(2, 3), &quota), (used(2, 3), true));
        assert_eq!(within(used(3, 3), &quota), (used(u32::MAX, 3), false));
        assert_eq!(within(used(2, 4), &quota), (used(2, u32::MAX), false));
    }
}
