//! The agent of a node: what it knows, and how it does what is decided.

mod acts;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bowline_agent::{Boottime, Cause, Exit as Ended, Local, Phase, Run, Status, ended, tail};
use bowline_api::upgrades::Software as Declared;
use bowline_control::Millis;
use bowline_runtime::{Leader, now};
use bowline_upgrades::Epoch;
use bowline_upgrades::agent::{Death, Drain, Duties, Health, Known, Read, Restarts, Software};
use bowline_upgrades::plain::Plain;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use super::eyes::{self, News, Task};
use super::fence::Fence;
use super::hub::{Hub, Sight};
use super::told;
use super::version::Place;
use crate::exit::Exit;
use crate::output;

/// How long it is waited before something is tried again that did not work.
const AGAIN: Duration = Duration::from_millis(200);
/// Nobody sleeps longer without a look at the clock that runs while the machine sleeps.
const NAP: Duration = Duration::from_secs(5);
/// How many lines are told of what software printed last.
const LAST_LINES: usize = 3;

/// The agent of a node.
pub(super) struct Node {
    hub: Hub,
    place: Place,
    software: Local,
    fence: Arc<Fence>,
    leader: Leader,
    news: UnboundedSender<News>,
    /// The Member, as it was seen last.
    sight: Option<Sight>,
    /// What was read of it, and in which tenure.
    read: Option<Read<Plain>>,
    /// What the shim has.
    shim: Option<Status>,
    /// The versions of the group, as far as they were needed.
    versions: BTreeMap<String, Declared>,
    /// What is known of what runs.
    run: Option<Watched>,
    restarts: Restarts<Plain>,
    /// What the software was told.
    told: Duties<Plain>,
    /// That is in the file, and it is not known whether the software has heard of it.
    unheard: bool,
    /// The software does not hear that something is taken away, and has time to until then.
    deaf_until: Option<Boottime>,
    seen: BTreeMap<String, Epoch>,
    /// The Member is gone, or this agent may not see it any more.
    denied: bool,
    /// Nothing is tried before that.
    rests_until: Option<Boottime>,
    /// What did not work last, as people were told.
    trouble: Option<String>,
}

/// A run of the software, and who watches it.
struct Watched {
    since: Boottime,
    health: Health,
    /// An agent before this one has started it.
    was_found: bool,
    drain: Drain,
    /// Who asks whether it works; `None` as long as it is not known how.
    prober: Option<Task>,
    /// Who lets it finish.
    drains: Option<Task>,
}

impl Node {
    pub(super) fn new(
        hub: Hub,
        place: Place,
        software: Local,
        fence: Arc<Fence>,
        leader: Leader,
        news: UnboundedSender<News>,
    ) -> Node {
        Node {
            hub,
            place,
            software,
            fence,
            leader,
            news,
            sight: None,
            read: None,
            shim: None,
            versions: BTreeMap::new(),
            run: None,
            restarts: Restarts::default(),
            told: Duties::default(),
            unheard: false,
            deaf_until: None,
            seen: BTreeMap::new(),
            denied: false,
            rests_until: None,
            trouble: None,
        }
    }

    /// Acts until the end of the process.
    pub(super) async fn run(&mut self, mut news: UnboundedReceiver<News>) -> anyhow::Result<Exit> {
        let _member = eyes::member(&self.hub, self.news.clone());
        let shim = eyes::shim(self.software.clone(), self.news.clone());
        if let Some(file) = self.fence.file().await {
            self.told = told::said(&file);
            self.seen.extend(self.told.devices.iter().cloned());
            // Who wrote it may have been killed before the software had heard.
            self.unheard = true;
        }
        let mut leader = self.leader.clone();
        loop {
            while let Ok(one) = news.try_recv() {
                self.see(one);
            }
            if self.is_over() {
                // Who watches it would start another one.
                drop(shim);
                return self.leave().await;
            }
            if self.shim.is_some() && !self.rests() {
                match self.turn().await {
                    Ok(true) => continue,
                    Ok(false) => {}
                    Err(why) => self.complain(why),
                }
            }
            tokio::select! {
                one = news.recv() => match one {
                    Some(one) => self.see(one),
                    None => anyhow::bail!("nobody watches any more"),
                },
                () = leader.changed() => {}
                () = tokio::time::sleep(self.nap()) => {}
            }
        }
    }

    /// Whether the node was taken out of its group, and has nothing to do any more.
    fn is_over(&self) -> bool {
        self.denied && self.shim.is_some() && self.known().may_leave()
    }

    async fn leave(&mut self) -> anyhow::Result<Exit> {
        output::note("The node was taken out of its group, and its software has ended.");
        self.software.shim().end().await?;
        Ok(Exit::Done)
    }

    /// Does one thing. Says whether there was one.
    async fn turn(&mut self) -> Result<bool, String> {
        let adopted = if self.known().tenure.is_some() { self.adopt().await } else { Ok(false) };
        if adopted == Ok(true) {
            return Ok(true);
        }
        let Ok(act) = self.known().act(now().clock) else {
            // What cannot be asked whether it works is ended all the same, if it is to end.
            adopted?;
            self.is_well();
            return Ok(false);
        };
        self.perform(act).await?;
        Ok(true)
    }

    /// Everything that is decided by.
    fn known(&self) -> Known<Plain> {
        Known {
            tenure: self.leader.may_act(now().clock).map(|tenure| tenure.epoch.0),
            read: self.read.clone(),
            software: self.view(),
            fence: self.fence.stands(),
            drain: self.run.as_ref().map_or(Drain::Not, |run| run.drain),
            told: self.told.clone(),
            deaf_until: self.deaf_until.map(millis),
            seen: self.seen.clone(),
            reported: self.sight.as_ref().and_then(|sight| sight.member.report.clone()),
        }
    }

    /// The software, as the shim has it.
    fn view(&self) -> Software<Plain> {
        let Some(run) = self.shim.as_ref().and_then(|shim| shim.run.as_ref()) else {
            return Software::Absent;
        };
        let version = run.version.clone();
        match (run.phase, &run.end) {
            (Phase::Starting, _) => Software::Runs { version, health: Health::Unknown },
            (Phase::Running, _) => {
                let health = self.run.as_ref().map_or(Health::Unknown, |run| run.health);
                Software::Runs { version, health }
            }
            (Phase::Stopping, _) => Software::Ends { version },
            (Phase::Ended, Some(end)) if end.cause == Cause::Itself => {
                self.restarts.died(version, self.how_it_ended(run), now().clock)
            }
            // Somebody wanted it.
            (Phase::Ended, _) => Software::Absent,
        }
    }

    fn see(&mut self, news: News) {
        match news {
            News::Member(sight) => {
                self.denied = false;
                self.see_member(*sight);
            }
            News::Denied => self.denied = true,
            News::Shim(status) => self.see_shim(*status),
            News::Health(since, health) => {
                if let Some(run) = self.run.as_mut().filter(|run| run.since == since) {
                    run.health = health;
                }
            }
            News::Drained(since) => {
                if let Some(run) = self.run.as_mut().filter(|run| run.since == since) {
                    (run.drain, run.drains) = (Drain::Done, None);
                }
            }
        }
    }

    /// What a watch shows may be late: who has not read in this tenure reads, and what is not later than what was read is nothing.
    fn see_member(&mut self, sight: Sight) {
        let tenure = self.known().tenure;
        let (Some(known), Some(read)) = (&self.sight, &self.read) else { return };
        if known.member.uid != sight.member.uid {
            self.read = None;
            return;
        }
        if !sight.is_after(known) {
            return;
        }
        let is_current = read.tenure == tenure && tenure.is_some();
        self.sight = Some(sight.clone());
        if is_current {
            self.learn(&sight, tenure);
        }
    }

    /// It was read in this tenure, or after something that was.
    fn learn(&mut self, sight: &Sight, tenure: Option<u64>) {
        let desired = sight.member.desired.clone();
        let mut known = self.known();
        known.learn(Read { tenure, generation: sight.member.generation, desired: desired.clone() });
        if let Some(run) = &mut self.run {
            if run.was_found && run.health == Health::Unknown {
                run.health = known.as_reported();
            }
            let stays = self.shim.as_ref().and_then(|shim| shim.run.as_ref()).map(|run| &run.version)
                == desired.version.as_ref();
            // Who is to drain once more has to do it once more.
            if stays && !desired.drains && run.drain == Drain::Done {
                run.drain = Drain::Not;
            }
        }
        (self.read, self.seen) = (known.read, known.seen);
    }

    fn see_shim(&mut self, status: Status) {
        let is_late = |known: &Status| known.shim == status.shim && known.change > status.change;
        if self.shim.as_ref().is_some_and(is_late) {
            return;
        }
        if let Some(run) = &status.run {
            self.restarts.see(&run.version, death(run));
        }
        let before = self.shim.as_ref().and_then(|shim| shim.run.clone());
        self.tell_of(before.as_ref(), status.run.as_ref());
        let lives = status.run.as_ref().filter(|run| run.end.is_none());
        let known = self.run.as_ref().map(|run| run.since);
        if lives.map(|run| run.since) != known {
            self.run = lives.map(|run| Watched {
                since: run.since,
                health: Health::Unknown,
                was_found: self.shim.is_none(),
                drain: Drain::Not,
                prober: None,
                drains: None,
            });
        }
        self.shim = Some(status);
    }

    /// How a run has ended, in words. Without its last words, if nobody can read them.
    fn how_it_ended(&self, run: &Run) -> String {
        let last = tail(&self.place.home.log(), LAST_LINES).unwrap_or_default();
        ended(run, &last).unwrap_or_default()
    }

    /// Says what has become of the software, for people.
    fn tell_of(&self, before: Option<&Run>, after: Option<&Run>) {
        let Some(after) = after else { return };
        let is_same = before.is_some_and(|before| before.since == after.since);
        if is_same && before.is_some_and(|before| before.phase == after.phase) {
            return;
        }
        let version = &after.version;
        match after.phase {
            Phase::Running => {
                let pid = after.pid.map_or(String::new(), |pid| format!(" as process {pid}"));
                output::note(&format!("{version} runs{pid}."));
            }
            Phase::Ended => {
                output::note(&format!("{version}: {}", output::sentence(&self.how_it_ended(after))));
            }
            Phase::Starting | Phase::Stopping => {}
        }
    }

    fn rests(&self) -> bool {
        self.rests_until.is_some_and(|until| until > Boottime::now())
    }

    fn nap(&self) -> Duration {
        let now = Boottime::now();
        let until = self.leader.may_act(millis(now)).map(|tenure| Boottime(tenure.until.0));
        let dies = matches!(self.view(), Software::Died { is_due: false, .. });
        let due = self.restarts.due().filter(|_| dies).map(|due| Boottime(due.0));
        let times = [self.rests_until, until, self.fence.deadline(), due];
        let times = times.into_iter().flatten().filter(|time| *time > now);
        times.min().map_or(NAP, |time| time.since(now).min(NAP))
    }

    /// What did not work is tried again, and told once.
    fn complain(&mut self, why: String) {
        self.rests_until = Some(Boottime::now().after(AGAIN));
        if self.trouble.as_ref() != Some(&why) {
            output::note(&format!("It is tried again: {}", output::sentence(&why)));
            self.trouble = Some(why);
        }
    }

    fn is_well(&mut self) {
        self.rests_until = None;
        if self.trouble.take().is_some() && self.known().tenure.is_some() {
            output::note("That works again.");
        }
    }
}

/// How a run has ended by itself, if it has.
fn death(run: &Run) -> Option<Death> {
    let end = run.end.as_ref().filter(|end| end.cause == Cause::Itself)?;
    let at_start = matches!(end.exit, Ended::NotStarted(_));
    Some(Death { since: millis(run.since), at: millis(end.at), at_start })
}

/// Both count by one clock.
fn millis(time: Boottime) -> Millis {
    Millis(time.0)
}

#[cfg(test)]
mod tests {
    use bowline_agent::End;

    use super::*;

    #[test]
    fn what_was_told_to_end_has_not_died_and_what_could_not_be_started_has() {
        let run = |exit, cause| Run {
            version: "v1".into(),
            phase: Phase::Ended,
            pid: None,
            since: Boottime(5),
            restarts: 0,
            end: Some(End { exit, cause, at: Boottime(6) }),
        };
        for cause in [Cause::Stop, Cause::Grace, Cause::Kill, Cause::Deadline] {
            assert_eq!(death(&run(Ended::Signal(9), cause)), None, "{cause:?}");
        }
        let died = |at_start| Some(Death { since: Millis(5), at: Millis(6), at_start });
        assert_eq!(death(&run(Ended::Code(1), Cause::Itself)), died(false));
        assert_eq!(death(&run(Ended::NotStarted("no such file".into()), Cause::Itself)), died(true));
        assert_eq!(death(&Run { end: None, ..run(Ended::Code(0), Cause::Itself) }), None);
    }
}
