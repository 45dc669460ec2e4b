//! The agent of a node whose software is simulated: what is decided is what real agents decide.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use bowline_control::Millis;
use bowline_runtime::{Leader, elect, now};
use bowline_upgrades::agent::{Act, Drain, Duties, Fence, Known, Read, Software};
use bowline_upgrades::plain::Plain;
use bowline_upgrades::{Epoch, Report};
use futures::StreamExt;

use crate::diary::Diary;
use crate::hub::{Hub, Sight};
use crate::software::Simulated;

/// Nobody sleeps longer.
const NAP: Duration = Duration::from_secs(5);

struct Agent {
    hub: Hub,
    leader: Leader,
    diary: Arc<Diary>,
    software: Simulated,
    sight: Option<Sight>,
    read: Option<Read<Plain>>,
    fenced: bool,
    drain: Drain,
    told: Duties<Plain>,
    seen: BTreeMap<String, Epoch>,
}

/// Acts for a member until something cannot be.
pub(crate) async fn run(hub: Hub, restart: Duration, diary: Arc<Diary>) -> Result<()> {
    let (leader, election) = elect(hub.election(), std::future::pending());
    let election = tokio::spawn(election);
    let mut shown = hub.watch();
    let mut changes = leader.clone();
    let mut agent = Agent {
        hub,
        leader,
        diary,
        software: Simulated::new(restart),
        sight: None,
        read: None,
        fenced: false,
        drain: Drain::Not,
        told: Duties::default(),
        seen: BTreeMap::new(),
    };
    while !election.is_finished() {
        agent.software.look();
        if let Ok(act) = agent.known().act(now().clock) {
            agent.perform(act).await?;
            continue;
        }
        let due = agent.software.due().map_or(NAP, |due| due.saturating_duration_since(Instant::now()));
        tokio::select! {
            Some(sight) = shown.next() => agent.see(sight),
            () = changes.changed() => {}
            () = tokio::time::sleep(due.min(NAP)) => {}
        }
    }
    Ok(())
}

impl Agent {
    fn known(&self) -> Known<Plain> {
        let tenure = self.leader.may_act(now().clock);
        let until = tenure.as_ref().map_or(Millis(0), |tenure| tenure.until);
        Known {
            tenure: tenure.map(|tenure| tenure.epoch.0),
            read: self.read.clone(),
            software: self.software.stands.clone(),
            fence: if self.fenced { Fence::Until(until) } else { Fence::Open },
            drain: self.drain,
            told: self.told.clone(),
            deaf_until: None,
            seen: self.seen.clone(),
            reported: self.sight.as_ref().and_then(|sight| sight.member.report.clone()),
        }
    }

    /// What a watch shows counts if it is later than what was read in this tenure.
    fn see(&mut self, sight: Sight) {
        let tenure = self.known().tenure;
        let is_later = self.sight.as_ref().is_some_and(|known| sight.member.version > known.member.version);
        let is_current = self.read.as_ref().is_some_and(|read| read.tenure == tenure && tenure.is_some());
        if is_later && is_current {
            self.learn(sight, tenure);
        }
    }

    fn learn(&mut self, sight: Sight, tenure: Option<u64>) {
        let desired = sight.member.desired.clone();
        let stays = matches!(&self.software.stands, Software::Runs { version, .. } if Some(version) == desired.version.as_ref());
        // Who is to drain once more has to do it once more.
        if stays && !desired.drains && self.drain == Drain::Done {
            self.drain = Drain::Not;
        }
        let generation = sight.member.generation;
        self.sight = Some(sight);
        let mut known = self.known();
        known.learn(Read { tenure, generation, desired });
        (self.read, self.seen) = (known.read, known.seen);
    }

    async fn perform(&mut self, act: Act<Plain>) -> Result<()> {
        match act {
            Act::Read => self.read_member().await?,
            Act::Fence(wanted) => self.fenced = wanted,
            Act::Start(version) => {
                (self.drain, self.told) = (Drain::Not, Duties::default());
                self.software.start(version);
            }
            Act::Drain => self.drain = Drain::Done,
            Act::Tell(duties) => self.tell(duties),
            Act::Stop => self.software.stop(),
            Act::Kill => {
                self.diary.killed(&self.hub.member);
                self.tell(Duties::default());
                self.software.kill();
            }
            Act::Report(report) => self.report(report).await?,
        }
        Ok(())
    }

    fn tell(&mut self, duties: Duties<Plain>) {
        let (member, before) = (&self.hub.member, &self.told.devices);
        let gone = before.iter().filter(|device| !duties.devices.contains(device));
        gone.for_each(|(device, _)| self.diary.lets_go(member, device));
        let new = duties.devices.iter().filter(|device| !before.contains(device));
        new.for_each(|(device, _)| self.diary.takes(member, device));
        self.told = duties;
    }

    async fn read_member(&mut self) -> Result<()> {
        let tenure = self.known().tenure;
        let sight = self.hub.read().await?;
        self.learn(sight, tenure);
        Ok(())
    }

    async fn report(&mut self, report: Report<Plain>) -> Result<()> {
        let Some(sight) = self.sight.clone() else { return Ok(()) };
        match self.hub.report(&sight, report).await? {
            Some(after) => {
                self.sight = Some(after);
                Ok(())
            }
            None => self.read_member().await,
        }
    }
}
