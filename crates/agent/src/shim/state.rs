//! What a shim knows, and what is to be done when. It has neither clock nor system.

use std::time::Duration;

use crate::clock::Boottime;
use crate::protocol::{Cause, End, Exit, Fence, Launch, PROTOCOL, Phase, Reason, Refusal, Run, Status};

/// How long the last words of a process are waited for that has ended: somebody else may hold its output open.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// What a shim knows.
#[derive(Debug)]
pub(super) struct Kept {
    /// Our own process.
    shim: u32,
    change: u64,
    fence: Fence,
    run: Option<Kin>,
    /// What is to be started.
    wanted: Option<Launch>,
    /// The shim is to go away.
    leaves: bool,
    /// A child may have ended.
    pub(super) children: bool,
    /// Something has to be looked at.
    pub(super) rung: bool,
    /// How many have asked and were not answered yet.
    pub(super) unanswered: u32,
}

/// What was started, and what descends from it.
#[derive(Debug)]
struct Kin {
    launch: Launch,
    /// Which start it is, of all.
    number: u64,
    restarts: u32,
    pid: Option<u32>,
    since: Boottime,
    /// Whether it could be run; none is not known yet.
    could: Option<Result<(), String>>,
    /// How its first process ended.
    exit: Option<Exit>,
    /// It was asked to end, and has time until then.
    kill_at: Option<Boottime>,
    asked: bool,
    cause: Option<Cause>,
    /// All that it printed was read.
    heard: bool,
    /// Nothing of it was left then.
    gone: Option<Boottime>,
    end: Option<End>,
}

/// What is to be done now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Due {
    /// Nothing.
    Nothing,
    /// Ask the group of this process to end.
    Ask(u32),
    /// Kill it, and all that is left.
    Kill,
    /// All is over: let go of it.
    Bury,
}

/// What becomes of the wish to start something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Begun {
    /// It runs.
    Already,
    /// It will be known of this start.
    Asked(u64),
}

impl Kept {
    pub(super) fn new(shim: u32) -> Kept {
        Kept {
            shim,
            change: 1,
            fence: Fence { order: 0, deadline: None },
            run: None,
            wanted: None,
            leaves: false,
            children: false,
            rung: false,
            unanswered: 0,
        }
    }

    fn live(&mut self) -> Option<&mut Kin> {
        self.run.as_mut().filter(|run| run.end.is_none())
    }

    fn is_live(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.end.is_none())
    }

    pub(super) fn change(&self) -> u64 {
        self.change
    }

    /// Somebody wants this to run.
    pub(super) fn start(&mut self, now: Boottime, launch: Launch, fence: Fence) -> Result<Begun, Refusal> {
        if self.leaves {
            return Err(Refusal::new(Reason::Ending, "this shim goes away"));
        }
        let waits = self.wanted.as_ref().map(|wanted| (wanted, true));
        let runs = self.run.as_ref().filter(|run| run.end.is_none());
        // What was told to end is not what is wanted, even if it is the same.
        let runs = runs.map(|run| (&run.launch, run.cause.is_none() && run.exit.is_none()));
        match waits.or(runs) {
            Some((there, true)) if there.is_same(&launch) => {
                self.extend(fence);
                return Ok(match (&self.wanted, &self.run) {
                    (Some(_), _) => Begun::Asked(self.next_number()),
                    (None, Some(run)) if run.could.is_none() => Begun::Asked(run.number),
                    _ => Begun::Already,
                });
            }
            Some((there, _)) => {
                let why = match there.is_same(&launch) {
                    true => format!("{} ends, and has not yet", there.version),
                    false if there.version == launch.version => {
                        format!("{} runs otherwise (command, arguments or environment)", there.version)
                    }
                    false => format!("{} runs", there.version),
                };
                return Err(Refusal::new(
                    Reason::Another,
                    format!("{why}; {} is not started beside it", launch.version),
                ));
            }
            None => {}
        }
        self.extend(fence);
        if self.fence.deadline.is_some_and(|deadline| deadline <= now) {
            return Err(Refusal::new(Reason::Late, "the time is over in which it may run"));
        }
        self.wanted = Some(launch);
        self.rung = true;
        Ok(Begun::Asked(self.next_number()))
    }

    fn next_number(&self) -> u64 {
        self.run.as_ref().map_or(1, |run| run.number + 1)
    }

    /// What is to be started now. It is told by [`started`](Kept::started) what became of it.
    pub(super) fn take_wanted(&mut self) -> Option<Launch> {
        self.wanted.take()
    }

    /// It was started as this process, or was not.
    pub(super) fn started(&mut self, now: Boottime, launch: Launch, pid: Result<u32, String>) {
        let restarts = match &self.run {
            Some(before) if before.launch.version == launch.version => before.restarts + 1,
            _ => 0,
        };
        let (pid, could) = match pid {
            Ok(pid) => (Some(pid), None),
            Err(why) => (None, Some(Err(why))),
        };
        let end = could.clone().and_then(Result::err).map(|why| End {
            exit: Exit::NotStarted(why),
            cause: Cause::Itself,
            at: now,
        });
        self.run = Some(Kin {
            number: self.next_number(),
            launch,
            restarts,
            pid,
            since: now,
            could,
            exit: None,
            kill_at: None,
            asked: false,
            cause: None,
            heard: false,
            gone: None,
            end,
        });
        self.change += 1;
    }

    /// It is known whether it could be run.
    pub(super) fn could(&mut self, number: u64, could: Result<(), String>) {
        if let Some(run) = self.run.as_mut().filter(|run| run.number == number) {
            run.could = Some(could);
            self.change += 1;
        }
    }

    /// Whether that start could be run; none is not known yet. If it could not, that is said when nothing is left of the try,
    /// so that another one can be made at once. What was long ago was run.
    pub(super) fn answer(&self, number: u64) -> Option<Result<(), Refusal>> {
        match &self.run {
            Some(run) if run.number == number => match run.could.clone()? {
                Err(why) => run.end.is_some().then(|| Err(Refusal::new(Reason::CannotStart, why))),
                Ok(()) => Some(Ok(())),
            },
            Some(run) if run.number > number => Some(Ok(())),
            _ if self.wanted.is_none() => {
                Some(Err(Refusal::new(Reason::CannotStart, "it was told to end before it had begun")))
            }
            _ => None,
        }
    }

    /// All that this start printed was read.
    pub(super) fn heard(&mut self, number: u64) {
        if let Some(run) = self.run.as_mut().filter(|run| run.number == number) {
            run.heard = true;
        }
    }

    /// Its first process has ended.
    pub(super) fn left(&mut self, exit: Exit) {
        if let Some(run) = self.live().filter(|run| run.exit.is_none()) {
            run.exit = Some(exit);
            self.change += 1;
        }
    }

    /// Whether anything is left of it beside its first process, if that has ended.
    pub(super) fn remains(&mut self, now: Boottime, any: bool) {
        if let Some(run) = self.live() {
            run.gone = match run.gone {
                _ if any || run.exit.is_none() => None,
                None => Some(now),
                gone => gone,
            };
        }
    }

    /// A later order moves the deadline; an earlier one does nothing.
    pub(super) fn extend(&mut self, fence: Fence) {
        if fence.order > self.fence.order {
            self.fence = fence;
            self.rung = true;
        }
    }

    /// It is to end, and has so much time for it. Asked twice, the shorter time counts.
    pub(super) fn stop(&mut self, now: Boottime, grace: Duration) {
        self.wanted = None;
        let Some(run) = self.live() else { return };
        let kill_at = now.after(grace);
        run.kill_at = Some(run.kill_at.map_or(kill_at, |before| before.min(kill_at)));
        run.cause = run.cause.or(Some(Cause::Stop));
        self.change += 1;
        self.rung = true;
    }

    /// It is killed.
    pub(super) fn kill(&mut self) {
        self.wanted = None;
        let Some(run) = self.live() else { return };
        if !matches!(run.cause, Some(Cause::Kill | Cause::Deadline | Cause::Grace)) {
            run.cause = Some(Cause::Kill);
        }
        self.change += 1;
        self.rung = true;
    }

    /// The shim goes away, if nothing runs.
    pub(super) fn end(&mut self) -> Result<(), Refusal> {
        if self.is_live() || self.wanted.is_some() {
            return Err(Refusal::new(Reason::Running, "something runs: stop it first"));
        }
        self.leaves = true;
        self.change += 1;
        self.rung = true;
        Ok(())
    }

    /// The shim was told to end by the system: it goes as soon as nothing runs, and sees that nothing does.
    pub(super) fn leave(&mut self, now: Boottime) {
        self.leaves = true;
        let grace = self.live().map(|run| Duration::from_millis(run.launch.grace_ms));
        self.stop(now, grace.unwrap_or_default());
        self.rung = true;
    }

    /// Whether the shim can go.
    pub(super) fn is_over(&self) -> bool {
        self.leaves && self.wanted.is_none() && !self.is_live()
    }

    /// The first process of what runs.
    pub(super) fn first(&self) -> Option<u32> {
        self.run.as_ref().filter(|run| run.end.is_none()).and_then(|run| run.pid)
    }

    /// Which start runs.
    pub(super) fn number(&self) -> u64 {
        self.run.as_ref().map_or(0, |run| run.number)
    }

    /// What is to be done now.
    pub(super) fn due(&mut self, now: Boottime) -> Due {
        let late = self.fence.deadline.is_some_and(|deadline| deadline <= now);
        let Some(run) = self.live() else { return Due::Nothing };
        if let Some(gone) = run.gone {
            let is_known = run.heard && run.could.is_some();
            return if is_known || now >= gone.after(LAST_WORDS) { Due::Bury } else { Due::Nothing };
        }
        if run.kill_at.is_some_and(|at| at <= now) && run.cause == Some(Cause::Stop) {
            run.cause = Some(Cause::Grace);
        }
        if late && run.exit.is_none() && !matches!(run.cause, Some(Cause::Kill | Cause::Grace)) {
            run.cause = Some(Cause::Deadline);
        }
        match run.cause {
            Some(Cause::Kill | Cause::Grace | Cause::Deadline) => Due::Kill,
            _ if late => Due::Kill,
            // What it leaves behind without being asked to end serves nobody any more.
            None | Some(Cause::Itself) if run.exit.is_some() => Due::Kill,
            Some(Cause::Stop) if !run.asked => {
                run.asked = true;
                run.pid.map_or(Due::Nothing, Due::Ask)
            }
            _ => Due::Nothing,
        }
    }

    /// When something is due at the latest, if nothing happens before.
    pub(super) fn next(&self) -> Option<Boottime> {
        let run = self.run.as_ref().filter(|run| run.end.is_none())?;
        match run.gone {
            Some(gone) => Some(gone.after(LAST_WORDS)),
            None => [self.fence.deadline, run.kill_at].into_iter().flatten().min(),
        }
    }

    /// Nothing of it is left.
    pub(super) fn buried(&mut self, now: Boottime) {
        let Some(run) = self.live() else { return };
        let exit = match (&run.could, run.exit.take()) {
            (Some(Err(why)), _) => Exit::NotStarted(why.clone()),
            (_, exit) => exit.unwrap_or(Exit::Code(0)),
        };
        let cause = match (&exit, run.cause) {
            // It ended in its time, whatever became of what it left behind.
            (Exit::Code(_), Some(Cause::Grace)) => Cause::Stop,
            (_, cause) => cause.unwrap_or(Cause::Itself),
        };
        run.end = Some(End { exit, cause, at: now });
        run.could.get_or_insert(Ok(()));
        self.change += 1;
    }

    /// All that is known.
    pub(super) fn status(&self, now: Boottime) -> Status {
        let run = self.run.as_ref().map(|run| Run {
            version: run.launch.version.clone(),
            phase: run.phase(),
            pid: run.pid.filter(|_| run.end.is_none()),
            since: run.since,
            restarts: run.restarts,
            end: run.end.clone(),
        });
        Status { protocol: PROTOCOL, shim: self.shim, change: self.change, now, fence: self.fence, run }
    }
}

impl Kin {
    fn phase(&self) -> Phase {
        match (&self.end, &self.exit, self.cause, &self.could) {
            (Some(_), ..) => Phase::Ended,
            (None, Some(_), ..) | (None, None, Some(_), _) => Phase::Stopping,
            (None, None, None, Some(Ok(()))) => Phase::Running,
            (None, None, None, _) => Phase::Starting,
        }
    }
}

#[cfg(test)]
mod tests;
