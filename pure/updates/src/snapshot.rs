//! What is known of a stack.

use std::collections::BTreeMap;
use std::sync::Arc;

use bowline_control::Millis;

use crate::effect::{Outcome, Reply};
use crate::inventory::{Content, Inventory};
use crate::object::Object;
use crate::plan::{Fit, Plan, Sight, Sights};
use crate::state::{
    Cluster, Mood, Names, Number, Phase, Quarantined, Quota, Request, Stack, Stage, Status, Update,
};
use crate::{Aim, Rhythm, Step};

/// A stack with its updates and its cluster, and what was learned of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot<N: Names> {
    /// The stack, if it is there.
    pub stack: Option<Stack<N>>,
    /// Its updates, in the order in which they were made.
    pub updates: Vec<Update<N>>,
    /// Its cluster, if it is there.
    pub cluster: Option<Cluster<N>>,
    /// What was learned.
    pub memory: Memory<N>,
}

/// What is remembered of a stack until the next crash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Memory<N: Names> {
    /// The content that was fetched last.
    pub fetched: Option<Fetched<N>>,
    /// The version that it was fetched for: of another one with this content something else may be so.
    pub fetched_for: Option<Number>,
    /// The inventory that was fetched last: the one that was recorded then.
    pub recorded: Option<(N::Digest, Arc<Inventory<N>>)>,
    /// The inventory that was taken into safe keeping last.
    pub stored: Option<(N::Digest, Arc<Inventory<N>>)>,
    /// The last look at the cluster.
    pub look: Option<Look<N>>,
    /// Since when the content of the look before had waited, if this one is for another, and nothing was written since.
    pub waited: Option<(Option<N::Digest>, Millis)>,
    /// The writes of this attempt that did not work, or did not last.
    pub tries: u8,
    /// Why the last of them did not.
    pub trouble: N::Text,
    /// The objects that the cluster has refused in this attempt, and why.
    pub refused: BTreeMap<N::Place, N::Text>,
    /// When it was last time to show how much is done, and whether it is now.
    pub shows: (Millis, bool),
    /// The attempt that the last five are of.
    pub attempt: u64,
    /// Nothing is kept for the stack any more.
    pub forgotten: bool,
}

/// A content that was fetched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fetched<N: Names> {
    /// Which.
    pub digest: N::Digest,
    /// What it wants, or why it cannot be used.
    pub content: Result<Arc<Content<N>>, N::Text>,
    /// What speaks for its version.
    pub admission: Admission,
}

/// What speaks for a version, or against it, on the hub.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Admission {
    /// Its stack may use its cluster.
    pub allowed: bool,
    /// What is asked of the cluster, this version included.
    pub used: Quota,
}

/// A look at a cluster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Look<N: Names> {
    /// Which cluster it shows, of all that had the name.
    pub on: Option<N::Uid>,
    /// The generation of that cluster.
    pub generation: u64,
    /// For which content; `None` if nothing is wanted.
    pub digest: Option<N::Digest>,
    /// When it was answered.
    pub at: Millis,
    /// When the first of those was, between which nothing was written.
    pub since: Millis,
    /// It shows everything. What is known after a write is what that has left; others may have written too.
    pub whole: bool,
    /// The namespace of the stack could use the cluster then.
    pub allowed: bool,
    /// It could not at the look before, and nothing was written since.
    pub regained: bool,
    /// What was seen.
    pub sights: Arc<Sights<N>>,
}

impl<N: Names> Default for Memory<N> {
    fn default() -> Memory<N> {
        Memory {
            fetched: None,
            fetched_for: None,
            recorded: None,
            stored: None,
            look: None,
            waited: None,
            tries: 0,
            trouble: "".into(),
            refused: BTreeMap::new(),
            shows: (Millis(0), false),
            attempt: 0,
            forgotten: false,
        }
    }
}

impl<N: Names> Memory<N> {
    pub(crate) fn learn(
        &mut self,
        step: &Step,
        reply: Reply<N>,
        rhythm: &Rhythm,
        at: Millis,
    ) -> Result<(), String> {
        match reply {
            Reply::Fetched { fetched, inventory } => {
                self.fetched = fetched;
                self.fetched_for = match step {
                    Step::Fetch(Aim::Version(number)) => Some(*number),
                    _ => None,
                };
                self.recorded = inventory.map(|inventory| (N::digest_of(&inventory), inventory));
                // What nobody names may be gone by the time that it is named.
                self.stored = None;
            }
            Reply::Forgotten => *self = Memory { forgotten: true, ..Memory::default() },
            Reply::Stored(inventory) => self.stored = Some((N::digest_of(&inventory), inventory)),
            Reply::Seen { attempt, on, generation, digest, allowed, sights } => {
                self.be_at(attempt);
                if self.look.as_ref().is_some_and(|look| look.on != on) {
                    // Nothing of it has waited on this cluster.
                    (self.look, self.waited) = (None, None);
                }
                let before = self.look.take();
                let (before, other) = match before {
                    Some(look) if look.digest != digest => (None, Some(look)),
                    before => (before, None),
                };
                if let Some(place) = before.as_ref().and_then(|before| before.undone(&sights)) {
                    let text = format!(
                        "{} does not stay as it was written: somebody else changes it",
                        N::place(place)
                    );
                    self.fail_once(&text);
                }
                // That a newer version was looked at does not give this one more time.
                let waited = self.waited.take().filter(|(known, _)| *known == digest).map(|(_, since)| since);
                self.waited = other.map(|look| (look.digest, look.since));
                let was_barred = before.as_ref().is_some_and(|look| !look.allowed || look.regained);
                let regained = allowed && was_barred;
                let since = before.map(|look| look.since).or(waited);
                let since = since.unwrap_or(at);
                self.look =
                    Some(Look { on, generation, digest, at, since, whole: true, allowed, regained, sights });
            }
            Reply::Written { attempt, outcomes } => {
                self.be_at(attempt);
                let (last, _) = self.shows;
                let shows = at >= last.plus(rhythm.shows);
                self.shows = (if shows { at } else { last }, shows);
                return self.wrote(outcomes, at);
            }
            Reply::Failed(why) => {
                if matches!(step, Step::Write(_)) {
                    // It may have been done or not.
                    (self.look, self.waited) = (None, None);
                    self.fail_once(&why);
                }
                return Err(why);
            }
        }
        Ok(())
    }

    /// What was learned in another attempt says nothing of this one.
    fn be_at(&mut self, attempt: u64) {
        if self.attempt != attempt {
            *self = Memory {
                attempt,
                fetched: self.fetched.take(),
                fetched_for: self.fetched_for,
                recorded: self.recorded.take(),
                stored: self.stored.take(),
                forgotten: self.forgotten,
                ..Memory::default()
            };
        }
    }

    fn fail_once(&mut self, why: &str) {
        self.tries = self.tries.saturating_add(1);
        self.trouble = why.into();
    }

    fn wrote(&mut self, outcomes: Vec<(N::Place, Outcome<N>)>, at: Millis) -> Result<(), String> {
        let mut look = self.look.take();
        self.waited = None;
        let (mut refused, mut trouble) = (None, None);
        for (place, outcome) in outcomes {
            match outcome {
                Outcome::Is(sight) => {
                    self.refused.remove(&place);
                    if let Some(look) = &mut look {
                        Arc::make_mut(&mut look.sights).insert(place, *sight);
                    }
                }
                Outcome::Refused(why) => {
                    refused = Some(why.clone());
                    self.refused.insert(place, why);
                }
                Outcome::Unknown(why) => trouble = Some(why),
                Outcome::Outdated => look = None,
            }
        }
        if let Some(why) = refused.as_ref().map(AsRef::as_ref).or(trouble.as_deref()) {
            self.fail_once(why);
            look = None;
        }
        self.look = look.map(|look| Look { at, since: at, whole: false, regained: false, ..look });
        trouble.map_or(Ok(()), Err)
    }
}

impl<N: Names> Snapshot<N> {
    pub(crate) fn of(objects: &[&Object<N>], memory: &Memory<N>) -> Snapshot<N> {
        let mut this = Snapshot { stack: None, updates: Vec::new(), cluster: None, memory: memory.clone() };
        for object in objects {
            match object {
                Object::Stack(stack) => this.stack = Some(stack.clone()),
                Object::Update(update) => this.updates.push(update.clone()),
                Object::Cluster(cluster) => this.cluster = Some(cluster.clone()),
            }
        }
        this.updates.sort_by(|a, b| (a.created, a.version, &a.name).cmp(&(b.created, b.version, &b.name)));
        let attempt = this.stack.as_ref().map_or(0, |stack| stack.status.attempt);
        this.memory.be_at(attempt);
        // What was seen on another cluster of this name says nothing of this one; nor whether somebody may use it who could not by
        // what was wanted of it then.
        let (on, now) =
            this.cluster.as_ref().map_or((None, 0), |cluster| (Some(&cluster.uid), cluster.generation));
        let is_of_this = |look: &Look<N>| look.on.as_ref() == on && (look.allowed || look.generation >= now);
        this.memory.look = this.memory.look.take().filter(is_of_this);
        this
    }

    /// The update of a version, if it is there.
    pub(crate) fn update_of(&self, request: &Request<N>) -> Option<&Update<N>> {
        self.updates.iter().find(|update| request.is_of(update))
    }

    /// The content with this digest, if it was fetched; nothing is wanted where there is none.
    pub(crate) fn content(&self, digest: Option<&N::Digest>) -> Option<Result<Arc<Content<N>>, N::Text>> {
        let Some(digest) = digest else { return Some(Ok(Arc::default())) };
        let fetched = self.memory.fetched.as_ref().filter(|fetched| fetched.digest == *digest)?;
        Some(fetched.content.clone())
    }

    /// The inventory that is recorded, if it was fetched or stored.
    pub(crate) fn inventory(&self, stack: &Stack<N>) -> Option<Arc<Inventory<N>>> {
        let Some(digest) = &stack.status.inventory else { return Some(Arc::default()) };
        let known = self.memory.recorded.iter().chain(&self.memory.stored);
        known.into_iter().find(|(known, _)| known == digest).map(|(_, inventory)| Arc::clone(inventory))
    }

    /// The last look for this content.
    pub(crate) fn look(&self, digest: Option<&N::Digest>) -> Option<&Look<N>> {
        self.memory.look.as_ref().filter(|look| look.digest.as_ref() == digest)
    }
}

impl<N: Names> Look<N> {
    /// Something that was as it should be after a write, and is not in what is seen now.
    fn undone<'a>(&self, now: &'a Sights<N>) -> Option<&'a N::Place> {
        let is_well = |sight: &Sight<N>| sight.fit == Fit::Same;
        let differs = |(place, sight): &(&N::Place, &Sight<N>)| {
            matches!(sight.fit, Fit::Differs(_)) && self.sights.get(*place).is_some_and(is_well)
        };
        now.iter().find(differs).map(|(place, _)| place).filter(|_| !self.whole)
    }

    /// What is to be done, by this look.
    pub(crate) fn plan(&self, content: &Content<N>, inventory: &Inventory<N>) -> Plan<N> {
        Plan::new(content, inventory, &self.sights)
    }
}

impl<N: Names> Stack<N> {
    /// Whether what people want is on the cluster, and works.
    pub fn is_ready(&self, mood: Mood) -> bool {
        let Status { phase, good, submitted, .. } = &self.status;
        let is_there = good.is_some() || mood == Mood::Well && *submitted == Number(0);
        *phase == Phase::Idle && matches!(mood, Mood::Well | Mood::Drifted) && is_there
    }

    /// What is known of a version.
    pub fn request(&self, number: Number) -> Option<&Request<N>> {
        self.status.requests.iter().find(|request| request.number == number)
    }

    /// The version that is to be next: there is one at most.
    pub fn queued(&self) -> Option<&Request<N>> {
        self.status.requests.iter().find(|request| request.stage == Stage::Queued)
    }

    /// Why content is not applied, if it is not: it failed before, and nobody has released it.
    pub fn quarantine(&self, digest: &N::Digest) -> Option<&Quarantined<N>> {
        let good = self.status.good.as_ref().is_some_and(|good| good.digest == *digest);
        let is_it =
            |bad: &&Quarantined<N>| bad.digest == *digest && !self.wish.released.contains(&bad.number);
        self.status.quarantined.iter().find(is_it).filter(|_| !good)
    }
}

impl<N: Names> Sight<N> {
    /// Nothing is there, and nothing is wanted.
    pub fn nothing() -> Sight<N> {
        Sight { live: None, fit: Fit::Same }
    }
}
