//! What submitting something would do to a cluster now: seen with the eyes of the controller, and nothing is changed anywhere.

mod face;
mod foretold;
mod way;

use std::sync::Arc;

use bowline_api::updates::{Plan as Tally, Stack as StackResource, StackSpec};
use bowline_bundle::Packed;
use bowline_control::Version;
use bowline_runtime::{Mandate, Wire};
use bowline_updates::{Content, Inventory, Kind, Names, Object, Phase, Prospect, Stack, Update};
use kube::core::{ApiResource, DynamicObject};
use kube::{Api, Client};
use serde::Serialize;

use super::album::Album;
use super::keeping::Keeping;
use super::look::Eyes;
use super::marks::Actor;
use super::names::{StackName, Text};
use super::request::Way;
use super::target::{Targets, is_its_own, kinds_of, of_home};
use super::unpack;
use super::unseen::Unseen;
use super::wire::UpdateWire;
use crate::hub;

pub use self::foretold::{Action, Foretold};

/// The uid of a stack that is not there yet: no server gives it to anything.
const UNMADE: &str = "00000000-0000-0000-0000-000000000000";

/// Looks at what submitting something would do, with the rights of whoever asks. It writes nothing.
pub struct Preview {
    home: Client,
    own: Option<Client>,
}

/// What might be submitted, and where to.
pub struct Submission<'a> {
    /// The namespace of the team.
    pub namespace: &'a str,
    /// The stack, which need not be there yet.
    pub stack: &'a str,
    /// The cluster.
    pub cluster: &'a str,
    /// The content.
    pub packed: &'a Packed,
}

/// What would become of a submission.
#[derive(Clone, PartialEq, Debug)]
pub struct Foreseen {
    /// The stack would be made.
    pub is_first: bool,
    /// The number that the version would have, if nobody else submits one before.
    pub version: u64,
    /// How much would be done, and the hash of it.
    pub plan: Tally,
    /// What would become of each object, in the order of the work.
    pub objects: Vec<Foretold>,
    /// What the stack is doing now, if it does anything.
    pub under_way: Option<String>,
    /// Why it would be rejected.
    pub rejected: Option<Against>,
    /// Why it would fail, and change nothing.
    pub fails: Option<Against>,
    /// What it would wait for before it starts.
    pub waits: Option<Against>,
}

/// What speaks against a version.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Against {
    /// In a word that does not change.
    pub reason: String,
    /// In a sentence.
    pub message: String,
}

/// What could not be seen, and why: without it nothing can be foreseen.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{why}")]
pub struct Blind {
    /// What.
    pub to: Sighted,
    /// Why.
    #[source]
    pub why: Unseen,
}

/// What has to be seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sighted {
    /// The content.
    Content,
    /// The Cluster.
    Cluster,
    /// The Stack.
    Stack,
    /// What the stack has touched.
    Inventory,
    /// The credentials of the cluster.
    Credentials,
    /// What is on the cluster.
    Target,
}

fn blind(to: Sighted) -> impl FnOnce(Unseen) -> Blind {
    move |why| Blind { to, why }
}

impl Preview {
    /// Looks with the rights of this client, and at clusters with the credentials that Bowline has for them.
    pub fn new(home: Client) -> Preview {
        Preview { home, own: None }
    }

    /// Looks at the cluster with these credentials instead.
    #[must_use]
    pub fn with_credentials(self, own: Client) -> Preview {
        Preview { own: Some(own), ..self }
    }

    /// What would become of a submission now.
    ///
    /// # Errors
    /// If something cannot be seen that it depends on.
    pub async fn see(&self, it: &Submission<'_>) -> Result<Foreseen, Blind> {
        let parts: Vec<_> = it.packed.parts.iter().map(|part| part.bytes.clone()).collect();
        let content = unpack::content(it.packed.spec.digest.as_str(), &parts);
        let content = content.map_err(Unseen::Wrong).map_err(blind(Sighted::Content))?;
        let targets = Targets::new(self.home.clone(), None);
        let cluster = targets.cluster(it.cluster).await.map_err(blind(Sighted::Cluster))?;
        let found = self.stack(it).await.map_err(blind(Sighted::Stack))?;
        let is_first = found.is_none();
        let stack = found.map_or_else(|| unmade(it), Ok).map_err(blind(Sighted::Stack))?;
        let inventory = self.inventory(&stack).await.map_err(blind(Sighted::Inventory))?;
        let client = match &self.own {
            Some(own) => {
                // Who may not be asked, or does not answer, is looked at all the same.
                let there = hub::uid(own).await.ok().and_then(hub::Mark::told);
                is_its_own(&cluster, there.as_deref()).map_err(blind(Sighted::Credentials))?;
                own.clone()
            }
            None => way::to(&targets, &cluster).await.map_err(blind(Sighted::Credentials))?,
        };
        let (album, keeping) = (Album::default(), Keeping::new(self.home.clone()));
        let sights = look(it.cluster, &client, &keeping, (&stack, &content, &inventory), &album).await;
        let sights = sights.map_err(blind(Sighted::Target))?;
        // Whoever may not read the labels of the namespace learns it when the version is judged.
        let allowed =
            keeping.is_allowed(cluster.spec.allowed_namespaces.as_ref(), it.namespace).await.unwrap_or(true);
        let cluster = raw(&cluster).and_then(|raw| UpdateWire.read(Kind::Cluster, &raw));
        let cluster = match cluster {
            Some(Object::Cluster(cluster)) => Some(cluster),
            _ => None,
        };
        let phase = stack.status.phase;
        let prospect = Prospect {
            update: request(it, &stack),
            stack,
            cluster,
            allowed,
            content: Arc::clone(&content),
            inventory,
            sights: Arc::clone(&sights),
        };
        let outlook = prospect.outlook();
        let against = |reason: String, message: String| Against { reason, message };
        Ok(Foreseen {
            is_first,
            version: outlook.number.0,
            plan: Text::tally(&outlook.plan),
            objects: foretold::all(&content, &sights, &outlook.plan, &album.into_pictures()),
            under_way: under_way(phase),
            rejected: outlook.rejected.map(|(why, words)| against(format!("{why:?}"), words)),
            fails: outlook.fails.map(|(why, words)| against(format!("{why:?}"), words)),
            waits: outlook.waits.map(|why| against(format!("{why:?}"), format!("it would wait for {why}"))),
        })
    }

    async fn stack(&self, it: &Submission<'_>) -> Result<Option<Stack<Text>>, Unseen> {
        let kind = ApiResource::erase::<StackResource>(&());
        let stacks: Api<DynamicObject> = Api::namespaced_with(self.home.clone(), it.namespace, &kind);
        let Some(raw) = of_home(stacks.get_opt(it.stack)).await? else { return Ok(None) };
        read(&raw).map(Some)
    }

    async fn inventory(&self, stack: &Stack<Text>) -> Result<Arc<Inventory<Text>>, Unseen> {
        match &stack.status.inventory {
            None => Ok(Arc::default()),
            Some(digest) => Keeping::new(self.home.clone()).inventory(&stack.uid, digest).await,
        }
    }
}

async fn look(
    cluster: &str,
    client: &Client,
    keeping: &Keeping,
    (stack, content, inventory): (&Stack<Text>, &Content<Text>, &Inventory<Text>),
    album: &Album,
) -> Result<Arc<bowline_updates::Sights<Text>>, Unseen> {
    let kinds = kinds_of(cluster, client).await?;
    let attempt = stack.status.attempt + 1;
    let actor = Actor { stack: stack.name.clone(), uid: stack.uid.clone(), attempt };
    let way = Way { client, mandate: &Mandate::always() };
    let eyes = Eyes { client: way, kinds: &kinds, actor: &actor, keeping, album: Some(album) };
    let seen = eyes.look(content, inventory).await;
    seen.map_err(|why| why.told(|why| format!("the cluster {cluster} cannot be looked at: {why}")))
}

/// A stack as it would be made.
fn unmade(it: &Submission<'_>) -> Result<Stack<Text>, Unseen> {
    let spec = StackSpec { cluster: it.cluster.into(), ..StackSpec::default() };
    let mut stack = StackResource::new(it.stack, spec);
    stack.metadata.namespace = Some(it.namespace.to_owned());
    stack.metadata.uid = Some(UNMADE.to_owned());
    stack.metadata.resource_version = Some("0".to_owned());
    raw(&stack).map_or_else(|| Err(unreadable(it.stack)), |raw| read(&raw))
}

fn read(raw: &DynamicObject) -> Result<Stack<Text>, Unseen> {
    match UpdateWire.read(Kind::Stack, raw) {
        Some(Object::Stack(stack)) => Ok(stack),
        _ => Err(unreadable(raw.metadata.name.as_deref().unwrap_or_default())),
    }
}

fn unreadable(stack: &str) -> Unseen {
    Unseen::Wrong(format!("the Stack {stack} says what this version of bowline does not know"))
}

/// An object as watches show it.
fn raw<K: Serialize>(object: &K) -> Option<DynamicObject> {
    serde_json::from_value(serde_json::to_value(object).ok()?).ok()
}

/// The request that would be made.
fn request(it: &Submission<'_>, stack: &Stack<Text>) -> Update<Text> {
    Update {
        name: String::new(),
        stack: StackName { namespace: it.namespace.to_owned(), name: stack.name.name.clone() },
        uid: UNMADE.to_owned(),
        version: Version(0),
        created: 0,
        deleting: false,
        digest: it.packed.spec.digest.to_string(),
        plan: None,
        shown: None,
    }
}

/// What a stack does now: what is seen of its cluster is then only what it is at this moment.
fn under_way(phase: Phase) -> Option<String> {
    match phase {
        Phase::Idle => None,
        Phase::Starting(number) => Some(format!("version {number} is being planned")),
        Phase::Partial(number) => Some(format!("version {number} is being applied")),
        Phase::RollingBack(Some(number)) => Some(format!("version {number} is being rolled back")),
        Phase::RollingBack(None) => Some("what others have changed is being put right".into()),
        Phase::Stalled(_) => Some("the last good version could not be put back".into()),
    }
}

#[cfg(test)]
mod tests {
    use bowline_bundle::{Manifest, pack};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_stack_that_is_not_there_is_as_it_would_be_made() {
        let manifest = Manifest::new(
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a", "namespace": "b" } }),
        );
        let packed = pack(&[manifest.expect("a manifest")]).expect("a bundle");
        let it = Submission { namespace: "team", stack: "shop", cluster: "toy", packed: &packed };
        let stack = unmade(&it).expect("a stack");
        let name = StackName { namespace: "team".into(), name: "shop".into() };
        assert_eq!((&stack.name, stack.uid.as_str(), stack.status.submitted.0), (&name, UNMADE, 0));
        assert_eq!(stack.wish.deletions, StackSpec::default().max_deletions);
        assert_eq!((stack.status.inventory.clone(), stack.status.phase), (None, Phase::Idle));
        assert_eq!(request(&it, &stack).digest, packed.spec.digest.as_str());
    }
}
