//! How what is decided is carried out. Every act can be done twice, and rests on what was read before it.

mod spaces;
mod volumes;

use bowline_placements::plain::Plain;
use bowline_placements::syncer::Act;
use bowline_placements::{Kind, Thing};
use kube::core::DynamicObject;

use crate::asks::{Done, Undone};
use crate::hub::{Hub, Sight};
use crate::marks;
use crate::memory::{Record, Said};
use crate::site::{Cluster, Site};

/// Both ends.
#[derive(Clone)]
pub(crate) struct Hands {
    pub(crate) hub: Hub,
    pub(crate) cluster: Cluster,
}

/// What is known when something is done.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(crate) tenure: Option<u64>,
    pub(crate) sight: Option<&'a Sight>,
    pub(crate) record: &'a Record,
    /// The namespace that it is about.
    pub(crate) site: &'a Site,
    /// Nothing is here by a grant.
    pub(crate) blank: bool,
}

impl<'a> Known<'a> {
    fn sight(&self) -> Done<&'a Sight> {
        self.sight.ok_or(Undone::Outdated)
    }
}

/// What is known after something was done.
#[derive(Debug)]
pub(crate) enum News {
    /// The cluster has changed, in the namespace that it was about.
    Here,
    /// An object of the hub, as it is now.
    Hub(Kind, Box<DynamicObject>),
    /// All that was read of the hub, and what is remembered by it.
    Read(Box<Sight>, Record),
    /// What is remembered of the target.
    Record(Record),
}

fn said((kind, raw): (Kind, DynamicObject)) -> Done<News> {
    Ok(News::Hub(kind, Box::new(raw)))
}

/// The namespace that something is done in; `None` if it is about the whole target.
pub(crate) fn namespace(act: &Act<Plain>) -> Option<&str> {
    match act {
        Act::Read | Act::Accept(_) | Act::Report(_) => None,
        Act::Stop(name) | Act::Clear(name) | Act::Start(name, _) => Some(name),
        Act::Confirm(thing, _) | Act::GiveUp(thing, _) | Act::Say(thing, _) => Some(match thing {
            Thing::Namespace(name) => name,
            Thing::Volume(volume) => marks::parts(volume).0,
        }),
        Act::Retain(volume)
        | Act::Describe(volume)
        | Act::Unclaim(volume)
        | Act::Remove(volume)
        | Act::Destroy(volume)
        | Act::Make(volume, _)
        | Act::Claim(volume, _)
        | Act::Adopt(volume, _) => Some(marks::parts(volume).0),
    }
}

impl Hands {
    pub(crate) async fn perform(&self, act: &Act<Plain>, known: Known<'_>) -> Done<News> {
        match act {
            Act::Read => self.read(known).await,
            Act::Accept(epoch) => {
                let said = Said { accepted: epoch.0, ..known.record.said.clone() };
                Ok(News::Record(self.cluster.memory.put_record(known.record, said).await?))
            }
            Act::Report(report) => said(self.hub.report(known.sight()?, report.clone()).await?),
            Act::Say(thing, word) => said(self.hub.say(known.sight()?, thing, *word).await?),
            Act::Describe(volume) => self.describe(volume, known).await,
            Act::Adopt(volume, held) => self.adopt(volume, *held, known).await,
            Act::GiveUp(thing, epoch) => {
                let uid = known.sight()?.uid(thing).ok_or(Undone::Outdated)?;
                let kept = known.site.note.kept.clone().giving(thing, uid, *epoch);
                let name = namespace(act).unwrap_or_default();
                self.cluster.memory.put_note(name, &known.site.note, kept).await?;
                Ok(News::Here)
            }
            Act::Confirm(Thing::Namespace(name), held) => {
                self.cluster.confirm_space(name, *held, known.site).await.map(|()| News::Here)
            }
            Act::Confirm(Thing::Volume(volume), held) => {
                self.cluster.confirm_volume(volume, *held, known.site).await.map(|()| News::Here)
            }
            Act::Stop(name) => self.cluster.stop(name, known.site).await.map(|()| News::Here),
            Act::Start(name, held) => self.cluster.start(name, *held, known.site).await.map(|()| News::Here),
            Act::Clear(name) => self.cluster.clear(name, known.site).await.map(|()| News::Here),
            Act::Retain(volume) => self.cluster.retain(volume, known.site).await.map(|()| News::Here),
            Act::Unclaim(volume) => self.cluster.unclaim(volume, known.site).await.map(|()| News::Here),
            Act::Remove(volume) => self.cluster.remove(volume, known.site).await.map(|()| News::Here),
            Act::Destroy(volume) => self.cluster.destroy(volume, known.site).await.map(|()| News::Here),
            Act::Make(volume, held) => {
                let is = known.sight()?.view.volumes.get(volume).and_then(|known| known.described.clone());
                let is = is.ok_or(Undone::Outdated)?;
                self.cluster.make(volume, &is, *held, known.site).await.map(|()| News::Here)
            }
            Act::Claim(volume, held) => {
                let (namespace, claim) = marks::parts(volume);
                let wanted = self.hub.claim(namespace, claim).await?;
                self.cluster.claim(volume, wanted.as_ref(), *held, known.site).await.map(|()| News::Here)
            }
        }
    }

    /// Reads the hub, and remembers what has to be known without it.
    async fn read(&self, known: Known<'_>) -> Done<News> {
        let tenure = known.tenure.ok_or(Undone::Outdated)?;
        let sight = self.hub.read(tenure).await?;
        let target = &sight.view.target;
        let was = &known.record.said;
        let mut said = Said { enforces: target.wish.enforces, ..was.clone() };
        if was.uid != target.uid {
            // Another target by this name counts its fences anew. Who still has something of the one before goes on with its count:
            // what it reports then is more than the hub knows, and nothing new is taken before a person has looked.
            if was.uid.is_empty() || known.blank {
                said = Said { uid: target.uid.clone(), accepted: 0, ..said };
            } else {
                tracing::warn!(
                    "the hub has another target by this name than the one by which things are here"
                );
            }
        }
        let record = if said == *was {
            known.record.clone()
        } else {
            self.cluster.memory.put_record(known.record, said).await?
        };
        Ok(News::Read(Box::new(sight), record))
    }

    async fn describe(&self, volume: &str, known: Known<'_>) -> Done<News> {
        let is = self.cluster.portable(volume, known.site)?;
        said(self.hub.describe(known.sight()?, volume, is).await?)
    }

    async fn adopt(
        &self,
        volume: &str,
        held: bowline_placements::syncer::Held,
        known: Known<'_>,
    ) -> Done<News> {
        let (is, only) = self.cluster.portable(volume, known.site)?;
        let stand = known.site.volumes.get(volume).ok_or(Undone::Outdated)?;
        let shared = stand.claim.as_ref().is_some_and(crate::portable::is_shared);
        let view = &known.sight()?.view;
        let (restore, seen) = (view.target.restore, view.volumes.contains_key(volume));
        let adopted = crate::hub::Adopted { volume, shared, is, only, held, restore, seen };
        let ((kind, raw), held) = self.hub.adopt(adopted).await?;
        // The hub knows first: who is killed between finds its own grant there.
        self.cluster.confirm_volume(volume, held, known.site).await?;
        said((kind, raw))
    }
}
