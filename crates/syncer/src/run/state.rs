//! What a syncer knows, and what it sees.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bowline_placements::plain::Plain;
use bowline_placements::syncer::Known;
use bowline_placements::{Epoch, Thing};
use bowline_runtime::{Leader, now};
use kube::runtime::watcher::Event;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::time::Instant;

use crate::acts::Hands;
use crate::asks::{Done, Undone, list};
use crate::bells::News;
use crate::hub::Sight;
use crate::kinds::{namespaces, volumes};
use crate::marks::{self, PLACEMENT, TARGET};
use crate::memory::Record;
use crate::mirror::Mirror;
use crate::site::Site;
use crate::told::Teller;
use crate::upstream::Followed;

/// Nobody sleeps longer without a look at the clock that runs while the machine sleeps.
const NAP: Duration = Duration::from_secs(5);
/// A moment more than until the end of a lease: it is over then.
const LEAST: Duration = Duration::from_millis(5);

/// The syncer of a target.
pub(super) struct Syncer {
    pub(super) hands: Hands,
    pub(super) leader: Leader,
    pub(super) news: UnboundedSender<News>,
    pub(super) teller: Teller,
    /// What was read of the hub.
    pub(super) sight: Option<Sight>,
    /// What is remembered of the target; `None` as long as that was not read.
    pub(super) record: Option<Record>,
    /// The namespaces, as they were read last.
    pub(super) sites: BTreeMap<String, Site>,
    /// Those that have to be read before anything is done there.
    pub(super) dirty: BTreeSet<String>,
    /// Where nothing is done until then.
    pub(super) rests: BTreeMap<String, Rest>,
    /// How often in a row something had to be waited for, by namespace.
    pub(super) waits: BTreeMap<String, u32>,
    /// The hub, or the whole cluster, is not asked until then.
    pub(super) rests_until: Option<Instant>,
    /// What people have on the hub, in namespaces that are up here.
    pub(super) followed: BTreeMap<String, Followed>,
    pub(super) mirror: Mirror,
    /// The namespaces whose copies have to be looked at.
    pub(super) blurred: BTreeSet<String>,
}

/// That nothing is done in a namespace for a while.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest {
    pub(super) until: Instant,
    /// Until then, whatever happens; else until something happens there.
    pub(super) whole: bool,
}

impl Syncer {
    pub(super) fn new(hands: Hands, leader: Leader, news: UnboundedSender<News>, teller: Teller) -> Syncer {
        Syncer {
            hands,
            leader,
            news,
            teller,
            sight: None,
            record: None,
            sites: BTreeMap::new(),
            dirty: BTreeSet::new(),
            rests: BTreeMap::new(),
            waits: BTreeMap::new(),
            rests_until: None,
            followed: BTreeMap::new(),
            mirror: Mirror::default(),
            blurred: BTreeSet::new(),
        }
    }

    /// Goes on until it is dropped.
    pub(super) async fn run(&mut self, mut news: UnboundedReceiver<News>) {
        let mut leader = self.leader.clone();
        loop {
            while let Ok(one) = news.try_recv() {
                self.see(one);
            }
            if self.turn().await {
                continue;
            }
            tokio::select! {
                one = news.recv() => match one {
                    Some(one) => self.see(one),
                    None => return,
                },
                () = leader.changed() => {}
                () = tokio::time::sleep(self.nap()) => {}
            }
        }
    }

    /// How long nothing is to be done, if nothing happens.
    fn nap(&self) -> Duration {
        let now_here = Instant::now();
        let rests =
            self.rests.values().map(|rest| rest.until).chain(self.rests_until).chain(self.mirror.due());
        let next = rests.min().map_or(NAP, |until| until.saturating_duration_since(now_here));
        next.min(self.left().unwrap_or(NAP)).min(NAP).max(LEAST)
    }

    /// In which tenure it holds its lease, if it does.
    pub(super) fn tenure(&self) -> Option<u64> {
        self.leader.may_act(now().clock).map(|tenure| tenure.epoch.0)
    }

    /// How long it holds its lease yet, if it does.
    fn left(&self) -> Option<Duration> {
        let now = now().clock;
        self.leader.may_act(now).map(|tenure| Duration::from_millis(tenure.until.since(now).0))
    }

    /// Waits until a tenure is over; for ever, if there is none.
    pub(super) async fn lapses(&self, tenure: Option<u64>) {
        if tenure.is_none() {
            std::future::pending::<()>().await;
        }
        while self.tenure() == tenure {
            // It may be renewed meanwhile.
            tokio::time::sleep(self.left().unwrap_or_default().max(LEAST)).await;
        }
    }

    /// Everything that is decided by.
    pub(super) fn known(&self, record: &Record) -> Known<Plain> {
        let here = self.sites.iter().filter_map(|(name, site)| Some((name.clone(), site.here.clone()?)));
        Known {
            tenure: self.tenure(),
            view: self.sight.as_ref().map(|sight| sight.view.clone()),
            accepted: Epoch(record.said.accepted),
            enforces: record.said.enforces,
            given: self.given(),
            here: here.collect(),
        }
    }

    /// What was given up, of what is in the view.
    fn given(&self) -> BTreeMap<Thing<String, String>, Epoch> {
        let Some(sight) = &self.sight else { return BTreeMap::new() };
        let spaces =
            sight.view.placements.values().map(|known| (Thing::Namespace(known.name.clone()), &known.name));
        let volumes =
            sight.view.volumes.values().map(|known| (Thing::Volume(known.name.clone()), &known.namespace));
        let given = spaces.chain(volumes).filter_map(|(thing, namespace)| {
            let epoch = self.sites.get(namespace)?.note.kept.given(&thing, sight.uid(&thing)?)?;
            Some((thing, epoch))
        });
        given.collect()
    }

    /// Whether nothing is here by a grant.
    pub(super) fn is_blank(&self) -> bool {
        let here = || self.sites.values().filter_map(|site| site.here.as_ref()).filter(|here| here.ours);
        self.dirty.is_empty()
            && here()
                .all(|here| here.held.is_none() && here.volumes.values().all(|local| local.held.is_none()))
    }

    fn see(&mut self, news: News) {
        match news {
            News::Hub(kind, raw) => {
                let Some(sight) = &mut self.sight else { return };
                let seen = sight.put(kind, *raw);
                // What has to be known without the hub is noted when the hub is read.
                let enforces = sight.view.target.wish.enforces;
                if self.record.as_ref().is_some_and(|record| record.said.enforces != enforces) {
                    self.sight = None;
                }
                if let Some(name) = seen {
                    self.ring(&name);
                    self.blurred.insert(name);
                }
            }
            News::HubGone(kind, raw) => {
                let Some(sight) = &mut self.sight else { return };
                if let Some(name) = sight.remove(kind, &raw) {
                    self.blurred.insert(name);
                }
            }
            News::HubAnew => self.sight = None,
            News::Upstream(name, tenure, kind, event) => {
                let followed = self.followed.get_mut(&name).filter(|followed| followed.tenure == tenure);
                if let Some(followed) = followed {
                    followed.see(kind, *event);
                    self.blurred.insert(name);
                }
            }
            News::Copy(kind, event) => {
                let comes = !matches!(*event, Event::Delete(_));
                let names = self.mirror.see(kind, *event);
                if comes && kind.makes_pods() {
                    // It was on its way when what runs there was stopped.
                    let down: Vec<_> = names.iter().filter(|name| self.is_down(name)).collect();
                    down.into_iter().for_each(|name| self.look_at(name));
                }
                self.blurred.extend(names);
            }
            News::Rings(name, is_ours) => {
                // What is in a namespace that nobody has to do with is not looked at.
                if is_ours || self.sites.contains_key(&name) {
                    self.look_at(&name);
                }
            }
            News::RingsAll => {
                self.dirty.extend(self.sites.keys().cloned());
                let names: Vec<_> = self.rests.keys().cloned().collect();
                names.iter().for_each(|name| self.ring(name));
            }
        }
    }

    /// Whether nothing is to run in a namespace, as it was read last.
    fn is_down(&self, name: &str) -> bool {
        let here = self.sites.get(name).and_then(|site| site.here.as_ref());
        here.is_some_and(|here| here.ours && !here.runs)
    }

    /// Has a namespace read once more.
    fn look_at(&mut self, name: &str) {
        self.dirty.insert(name.to_owned());
        self.ring(name);
    }

    /// Something has happened in a namespace: what was waited for there may be so.
    fn ring(&mut self, name: &str) {
        if self.rests.get(name).is_some_and(|rest| !rest.whole) {
            self.rests.remove(name);
            self.dirty.insert(name.to_owned());
        }
    }

    /// Finds out what is in the cluster, after a start.
    pub(super) async fn survey(&mut self) -> Done {
        let cluster = &self.hands.cluster;
        let record = cluster.memory.record().await?;
        let ours = format!("{TARGET}={}", cluster.target);
        let mut names: BTreeSet<String> = cluster.memory.namespaces().await?.into_iter().collect();
        for space in list(&cluster.server.all(&namespaces()), &ours).await? {
            names.extend(space.metadata.name);
        }
        for volume in list(&cluster.server.all(&volumes()), &ours).await? {
            names.extend(marks::label(&volume, PLACEMENT).map(str::to_owned));
        }
        self.dirty.extend(names);
        self.record = Some(record);
        Ok(())
    }

    /// Reads what has to be read. What cannot be is read later, and nothing is done there before.
    pub(super) async fn refresh(&mut self) {
        let wanted = self.sight.iter().flat_map(|sight| wanted(sight, &self.hands.hub.target));
        let unknown: Vec<_> = wanted.filter(|name| !self.sites.contains_key(name)).collect();
        self.dirty.extend(unknown);
        let resting = |name: &String| self.rests.get(name).is_some_and(|rest| rest.whole);
        let due: Vec<_> = self.dirty.iter().filter(|name| !resting(name)).cloned().collect();
        for some in due.chunks(super::turn::AT_ONCE) {
            let read = some.iter().map(|name| self.hands.cluster.read(name));
            let read = futures::future::join_all(read).await;
            for (name, site) in some.iter().zip(read) {
                match site {
                    Ok(site) => {
                        self.dirty.remove(name);
                        self.blurred.insert(name.clone());
                        self.sites.insert(name.clone(), site);
                    }
                    Err(why) => self.could_not(name, why),
                }
            }
        }
    }

    fn could_not(&mut self, name: &str, why: Undone) {
        let (Undone::Failed(words) | Undone::Waits(words)) = why else { return };
        self.rests.insert(name.to_owned(), Rest { until: Instant::now() + super::turn::AGAIN, whole: true });
        let placement = self.sight.as_ref().and_then(|sight| sight.placement(name));
        self.teller.failed(name, &words, placement);
    }
}

/// The namespaces of which a target has something on the hub.
fn wanted(sight: &Sight, target: &str) -> impl Iterator<Item = String> {
    let view = &sight.view;
    let spaces = view.placements.values().filter(|known| known.grant.users.contains_key(target));
    let volumes = view.volumes.values().filter(|known| known.grant.users.contains_key(target));
    let names = spaces.map(|known| known.name.clone()).chain(volumes.map(|known| known.namespace.clone()));
    names.collect::<BTreeSet<_>>().into_iter()
}
