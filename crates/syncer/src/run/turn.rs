//! One turn: what is decided for each namespace is done, all of it beside each other.

use std::collections::BTreeSet;
use std::time::Duration;

use bowline_placements::plain::Plain;
use bowline_placements::syncer::{Act, Idle};
use tokio::time::Instant;

use super::state::{Rest, Syncer};
use crate::acts::{Known as Seen, News, namespace};
use crate::asks::{Done, Undone};
use crate::copies::Mark;
use crate::memory::Record;
use crate::mirror::{At, Did, Todo};
use crate::site::Site;
use crate::told::idle;
use crate::upstream::Followed;

/// In so many namespaces something is done at once.
pub(super) const AT_ONCE: usize = 16;
/// How long it is waited before something is tried again that did not work.
pub(super) const AGAIN: Duration = Duration::from_millis(500);
/// How soon it is looked again after something had changed that was to be written.
const SOON: Duration = Duration::from_millis(20);
/// After so many waits in a row it is not rested longer.
const MOST_WAITS: u32 = 5;

impl Syncer {
    /// Does what there is to be done. Says whether there may be more.
    pub(super) async fn turn(&mut self) -> bool {
        let now = Instant::now();
        if self.rests_until.is_some_and(|until| until > now) {
            return false;
        }
        self.rests_until = None;
        if self.record.is_none()
            && let Err(why) = self.survey().await
        {
            self.rest_all(why);
            return false;
        }
        let over: Vec<_> =
            self.rests.iter().filter(|(_, rest)| rest.until <= now).map(|(name, _)| name.clone()).collect();
        for name in over {
            self.rests.remove(&name);
            self.dirty.insert(name);
        }
        self.refresh().await;
        let Some(record) = self.record.clone() else { return false };
        let acts = self.acts(&record);
        if acts.is_empty() {
            return self.reflect(&record).await;
        }
        self.perform(acts, &record).await
    }

    /// What is to be done now: one thing of the whole target, or the next one of each namespace.
    fn acts(&mut self, record: &Record) -> Vec<Act<Plain>> {
        let known = self.known(record);
        let mut busy: BTreeSet<String> = self.dirty.iter().chain(self.rests.keys()).cloned().collect();
        let mut acts = Vec::new();
        while acts.len() < AT_ONCE {
            let act = match known.act_beside(&busy) {
                Ok(act) => act,
                Err(waits) => {
                    self.idles(&waits);
                    break;
                }
            };
            match namespace(&act).map(str::to_owned) {
                Some(name) => {
                    busy.insert(name);
                    acts.push(act);
                }
                // What is not in a report is taken for not used: everything has to have been looked at.
                None if matches!(act, Act::Report(_)) && !self.dirty.is_empty() => break,
                // It is done when nothing else is.
                None if acts.is_empty() => return vec![act],
                None => break,
            }
        }
        acts
    }

    fn idles(&mut self, waits: &Idle<Plain>) {
        if let Some((name, words)) = idle(waits) {
            let placement = self.sight.as_ref().and_then(|sight| sight.placement(&name));
            self.teller.waits(&name, &words, placement);
            // Nobody watches what is not ours.
            let rest = Rest { until: Instant::now() + 4 * AGAIN, whole: false };
            self.rests.entry(name).or_insert(rest);
        }
        let tied = self.sites.iter().filter_map(|(name, site)| {
            site.volumes.values().find_map(|stand| Some((name.clone(), stand.tied.clone()?)))
        });
        for (name, words) in tied.collect::<Vec<_>>() {
            let placement = self.sight.as_ref().and_then(|sight| sight.placement(&name));
            self.teller.waits(&name, &format!("its volume: {words}"), placement);
            // Nodes are not watched.
            let rest = Rest { until: Instant::now() + 2 * AGAIN, whole: false };
            self.rests.entry(name).or_insert(rest);
        }
    }

    async fn perform(&mut self, acts: Vec<Act<Plain>>, record: &Record) -> bool {
        let nowhere = Site::default();
        let blank = self.is_blank();
        let tenure = self.tenure();
        let done = {
            let work = acts.iter().map(|act| {
                let site = namespace(act).and_then(|name| self.sites.get(name)).unwrap_or(&nowhere);
                let seen = Seen { tenure, sight: self.sight.as_ref(), record, site, blank };
                self.hands.perform(act, seen)
            });
            // Who loses the lease may have to stop what runs, and does not wait for answers until then.
            tokio::select! {
                done = futures::future::join_all(work) => done,
                () = self.lapses(tenure) => acts.iter().map(|_| Err(Undone::Outdated)).collect(),
            }
        };
        for (act, done) in acts.iter().zip(done) {
            self.take(act, done);
        }
        true
    }

    /// Takes in what came of an act.
    fn take(&mut self, act: &Act<Plain>, done: Done<News>) {
        let name = namespace(act).unwrap_or_default().to_owned();
        let at_hub = matches!(act, Act::Report(_) | Act::Say(..) | Act::Describe(_) | Act::Adopt(..));
        match done {
            Ok(news) => {
                self.waits.remove(&name);
                self.learn(&name, news, matches!(act, Act::Adopt(..)));
                let placement = self.sight.as_ref().and_then(|sight| sight.placement(&name));
                self.teller.is_well(&name);
                self.teller.done(act, &name, placement);
            }
            Err(Undone::Outdated) if name.is_empty() => {
                self.sight = None;
                self.record = None;
                self.rests_until = Some(Instant::now() + SOON);
            }
            Err(Undone::Outdated) => {
                if at_hub {
                    self.sight = None;
                }
                self.dirty.insert(name.clone());
                self.rests.insert(name, Rest { until: Instant::now() + SOON, whole: true });
            }
            Err(why) if name.is_empty() => self.rest_all(why),
            Err(why) => {
                let mut rest = AGAIN;
                if matches!(why, Undone::Waits(_)) {
                    rest = self.rest_after_wait(&name);
                }
                let placement = self.sight.as_ref().and_then(|sight| sight.placement(&name));
                match &why {
                    // What is so in a moment is not worth a word.
                    Undone::Waits(_) if rest < AGAIN => {}
                    Undone::Waits(words) => self.teller.waits(&name, words, placement),
                    Undone::Failed(words) => self.teller.failed(&name, words, placement),
                    Undone::Outdated => {}
                }
                let whole = !matches!(why, Undone::Waits(_));
                self.dirty.insert(name.clone());
                self.rests.insert(name, Rest { until: Instant::now() + rest, whole });
            }
        }
    }

    /// How long it is rested after an act that waits: pods are not watched, and most end soon.
    fn rest_after_wait(&mut self, name: &str) -> Duration {
        let waits = self.waits.entry(name.to_owned()).or_default();
        let rest = SOON.saturating_mul(1 << *waits).min(AGAIN);
        *waits = (*waits + 1).min(MOST_WAITS);
        rest
    }

    fn learn(&mut self, name: &str, news: News, changes_both: bool) {
        match news {
            News::Here => drop(self.dirty.insert(name.to_owned())),
            News::Hub(kind, raw) => {
                if let Some(sight) = &mut self.sight {
                    sight.put(kind, *raw);
                }
                if changes_both {
                    self.dirty.insert(name.to_owned());
                }
            }
            News::Read(sight, record) => {
                self.blurred.extend(sight.view.placements.keys().cloned());
                (self.sight, self.record) = (Some(*sight), Some(record));
            }
            News::Record(record) => self.record = Some(record),
        }
    }

    /// The hub or the cluster as a whole did not answer, or refused.
    fn rest_all(&mut self, why: Undone) {
        self.rests_until = Some(Instant::now() + AGAIN);
        if let Undone::Failed(words) | Undone::Waits(words) = why {
            self.teller.failed("", &words, None);
        }
    }

    /// Sees that copies are as they are to be, where that has to be looked at. Says whether there may be more.
    async fn reflect(&mut self, record: &Record) -> bool {
        let now = Instant::now();
        self.blurred.extend(self.mirror.overdue(now));
        let blurred = std::mem::take(&mut self.blurred);
        if blurred.is_empty() {
            return false;
        }
        let known = self.known(record);
        let (Some(tenure), Some(sight)) = (known.tenure, &self.sight) else {
            // It is looked at when there is a lease again.
            self.followed.clear();
            return false;
        };
        let (target, restore) = (self.hands.hub.target.clone(), sight.restore.clone());
        let mark = Mark { target: &target, restore: &restore };
        let mut plans = Vec::new();
        for name in blurred {
            if !known.mirrors(&name) {
                self.followed.remove(&name);
                self.mirror.forget(&name);
                continue;
            }
            let is_current = self.followed.get(&name).is_some_and(|followed| followed.tenure == tenure);
            if !is_current {
                let hub = &self.hands.hub.server;
                self.followed.insert(name.clone(), Followed::new(hub, &name, tenure, &self.news));
            }
            let Some(followed) = self.followed.get(&name) else { continue };
            let plan = self.mirror.plan(&name, followed, mark, now);
            if !plan.is_empty() {
                plans.push((name, plan));
            }
        }
        let any = !plans.is_empty();
        for some in plans.chunks(AT_ONCE) {
            let work = some.iter().map(|(_, plan)| self.carry_all(plan, tenure));
            let done = tokio::select! {
                done = futures::future::join_all(work) => done,
                // What was not answered is looked at in the next tenure.
                () = self.lapses(Some(tenure)) => return true,
            };
            for ((name, plan), done) in some.iter().zip(done) {
                self.reflected(name, plan, done);
            }
        }
        any
    }

    /// Does it in its order: what others need comes first.
    async fn carry_all(&self, plan: &[(At, Todo)], tenure: u64) -> Vec<Done<Did>> {
        let mut done = Vec::new();
        for (at, todo) in plan {
            // Who was paused sends no more than what was on its way then.
            let is_held = self.tenure() == Some(tenure);
            done.push(if is_held { self.hands.carry(at, todo).await } else { Err(Undone::Outdated) });
        }
        done
    }

    fn reflected(&mut self, name: &str, plan: &[(At, Todo)], done: Vec<Done<Did>>) {
        for ((at, todo), done) in plan.iter().zip(done) {
            match self.mirror.did(at, todo, done) {
                Ok(Some(shown)) => {
                    if let Some(followed) = self.followed.get_mut(name) {
                        followed.put(at.1, shown);
                    }
                }
                Ok(None) => {}
                Err(words) => {
                    let placement = self.sight.as_ref().and_then(|sight| sight.placement(name));
                    self.teller.failed(name, &words, placement);
                }
            }
        }
        // Status is shown of what was just written.
        self.blurred.insert(name.to_owned());
    }
}
