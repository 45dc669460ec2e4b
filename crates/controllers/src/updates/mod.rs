//! Updates: who fetches contents, looks at clusters and writes to them.

mod census;
mod gauges;
mod health;
mod inventory;
mod keeping;
mod kinds;
mod look;
mod marks;
mod names;
mod request;
mod spared;
mod target;
mod together;
mod unpack;
mod wire;
mod write;

use std::num::NonZeroUsize;
use std::sync::Arc;

use bowline_control::Event;
use bowline_runtime::{Driver, Metrics, Outside};
use bowline_updates::{
    Admission, Ask, Call, Content, Fetched, Inventory, Object, Outcome, Reply, Rhythm, Updates,
};
use kube::Client;

use self::census::Census;
use self::gauges::Gauges;
use self::keeping::Keeping;
use self::look::{Eyes, is_enough};
use self::marks::Actor;
use self::names::{StackName, Text};
use self::target::Targets;
use self::wire::UpdateWire;
use self::write::Hands;
use crate::clusters::Embed;

/// How many stacks are worked on at once, if nobody says otherwise: those whose cluster does not answer must not keep the others waiting.
pub const AT_ONCE: NonZeroUsize = NonZeroUsize::new(256).expect("it is not 0");

/// More steps than this for one stack, without a rest, have led nowhere. It is no small number: every version that a stack knows
/// (1,000) is shown at every stage, one by one, and a bundle of 100,000 objects is written in 500 batches.
pub(crate) const STEPS: u32 = 10_000;

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

    async fn answer(&self, call: Call<Text>) -> Result<Reply<Text>, String> {
        let Call { stack, uid, cluster, attempt, what } = call;
        let actor = Actor { stack, uid, attempt };
        match what {
            Ask::Fetch { content, inventory } => self.fetch(&actor, &cluster, content, inventory).await,
            Ask::Store(inventory) => self.store(&actor, inventory).await,
            Ask::Forget => self.keeping.forget(&actor.uid).await.map(|()| Reply::Forgotten),
            Ask::Look { digest, content, inventory } => {
                let sights = self.look(&actor, &cluster, &content, &inventory).await?;
                Ok(Reply::Seen { attempt, digest, sights })
            }
            Ask::Write(deeds) => {
                let known = self.targets.reach(&cluster).await?;
                let kinds = self.targets.kinds(&cluster, &known, |_| true).await?;
                let hands = Hands { client: &known.client, kinds: &kinds, actor: &actor };
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
                let admission = self.admission(stack, cluster).await?;
                let content = self.keeping.content(stack, uid, &digest).await?;
                Some(Fetched { digest, content, admission })
            }
        };
        let inventory = match inventory {
            None => None,
            Some(digest) => Some(self.keeping.inventory(uid, &digest).await?),
        };
        Ok(Reply::Fetched { fetched, inventory })
    }

    /// What speaks for a version of a stack on its cluster.
    async fn admission(&self, stack: &StackName, name: &str) -> Result<Admission, String> {
        let cluster = self.targets.cluster(name).await?;
        let allowed = self.keeping.is_allowed(&cluster, &stack.namespace).await?;
        let now = k8s_openapi::jiff::Timestamp::now().as_second();
        let used = self.census.used(stack, name, u64::try_from(now).unwrap_or(0));
        Ok(Admission { allowed, used })
    }

    async fn store(&self, actor: &Actor, inventory: Arc<Inventory<Text>>) -> Result<Reply<Text>, String> {
        let Actor { stack, uid, .. } = actor;
        let stored = self.keeping.store(uid, &inventory).await?;
        self.keeping.tidy(stack, uid, &stored).await;
        Ok(Reply::Stored(inventory))
    }

    async fn look(
        &self,
        actor: &Actor,
        cluster: &str,
        content: &Content<Text>,
        inventory: &Inventory<Text>,
    ) -> Result<Arc<bowline_updates::Sights<Text>>, String> {
        let known = self.targets.reach(cluster).await?;
        let kinds = self.targets.kinds(cluster, &known, |kinds| is_enough(kinds, content)).await?;
        let eyes = Eyes { client: &known.client, kinds: &kinds, actor };
        eyes.look(content, inventory)
            .await
            .map_err(|why| format!("the cluster {cluster} cannot be looked at: {why}"))
    }
}

impl Outside<Updates<Text>> for Workshop {
    async fn call(&self, call: Call<Text>) -> Reply<Text> {
        self.answer(call).await.unwrap_or_else(Reply::Failed)
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
        self.census.see(event);
        if let Event::Gone(Object::Cluster(cluster)) = event {
            self.targets.forget(&cluster.name);
        }
    }
}
