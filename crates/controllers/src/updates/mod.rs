//! Updates: who fetches contents, looks at clusters and writes to them.

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
use bowline_updates::{Ask, Call, Content, Fetched, Inventory, Object, Outcome, Reply, Rhythm, Updates};
use kube::Client;

use self::gauges::Gauges;
use self::keeping::Keeping;
use self::look::{Eyes, is_enough};
use self::marks::Actor;
use self::names::Text;
use self::target::Targets;
use self::wire::UpdateWire;
use self::write::Hands;
use crate::clusters::Embed;

/// How many stacks are worked on at once, if nobody says otherwise: those whose cluster does not answer must not keep the others waiting.
pub const AT_ONCE: NonZeroUsize = NonZeroUsize::new(256).expect("it is not 0");

/// How the controller of updates is driven.
pub(crate) type UpdateDriver = Driver<Updates<Text>, UpdateWire, Workshop>;

/// The controller of updates, ready to be driven.
pub(crate) fn controller() -> (Updates<Text>, UpdateWire) {
    (Updates::new(Rhythm::default()), UpdateWire)
}

/// What fetches, looks and writes.
pub(crate) struct Workshop {
    targets: Targets,
    keeping: Arc<Keeping>,
    gauges: Gauges,
}

impl Workshop {
    pub(crate) fn new(home: Client, embed: Option<Arc<dyn Embed>>, metrics: &Metrics) -> Workshop {
        let keeping = Arc::new(Keeping::new(home.clone()));
        Workshop { targets: Targets::new(home, embed), keeping, gauges: Gauges::new(metrics) }
    }

    async fn answer(&self, call: Call<Text>) -> Result<Reply<Text>, String> {
        let Call { stack, uid, cluster, attempt, what } = call;
        let actor = Actor { stack, uid, attempt };
        match what {
            Ask::Fetch { content, inventory } => self.fetch(&actor, &cluster, content, inventory).await,
            Ask::Store(inventory) => self.store(&actor, inventory).await,
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
                let cluster = self.targets.cluster(cluster).await?;
                let allowed = self.keeping.is_allowed(&cluster, &stack.namespace).await?;
                let content = self.keeping.content(stack, uid, &digest).await?;
                Some(Fetched { digest, content, allowed })
            }
        };
        let inventory = match inventory {
            None => None,
            Some(digest) => Some(self.keeping.inventory(uid, &digest).await?),
        };
        Ok(Reply::Fetched { fetched, inventory })
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
        match event {
            Event::Gone(Object::Cluster(cluster)) => self.targets.forget(&cluster.name),
            Event::Gone(Object::Stack(stack)) => {
                let (keeping, uid) = (Arc::clone(&self.keeping), stack.uid.clone());
                tokio::spawn(async move { keeping.forget(&uid).await });
            }
            _ => {}
        }
    }
}
