//! Who wants to hold a lease: what it knows, and what it is to do.

use super::{Epoch, Lease, Settings};
use crate::object::Version;
use crate::{Millis, Moment};

/// One who wants to hold a lease. All times are by its own clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate<H> {
    /// Its identity: of this run of this process, and of nobody else ever; or [exclusive](Candidate::exclusive).
    pub me: H,
    /// How long things last.
    pub settings: Settings,
    /// What it wants.
    pub wish: Wish,
    /// What it saw last of the lease.
    pub seen: Option<Sight<H>>,
    /// What it saw may not be so any more: a write was refused, or not answered.
    pub must_look: bool,
    /// What it has asked for, and was not answered yet.
    pub asked: Option<Asked>,
    /// What it holds, or has held and not let go of.
    pub hold: Option<Hold>,
    /// No acquisition has an epoch up to this one: it was seen, or somebody else knows it.
    pub floor: Epoch,
    /// Nothing is asked before that.
    pub rests_until: Option<Millis>,
}

/// What a candidate wants.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wish {
    /// To hold the lease.
    Hold,
    /// To begin nothing any more; something is still under way.
    Drain,
    /// To give the lease back: nothing is under way.
    Leave,
}

/// What was seen of the lease.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sight<H> {
    /// The lease; `None` if there was none.
    pub lease: Option<Lease<H>>,
    /// When it was first seen at this version.
    pub since: Millis,
}

/// A request that is not answered yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    /// What for.
    pub step: Step,
    /// When, before it was sent.
    pub at: Millis,
    /// The lease had been given back.
    pub handed: bool,
}

/// A lease that is held, or was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hold {
    /// The epoch of its acquisition.
    pub epoch: Epoch,
    /// When the last write of it that was answered was sent.
    pub sent: Millis,
    /// Somebody else has the lease, whatever the clock says.
    pub lost: bool,
    /// Whoever held it before has given it back.
    pub handed: bool,
}

/// The right to act.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tenure {
    /// What is done carries this.
    pub epoch: Epoch,
    /// And is over by then.
    pub until: Millis,
    /// Whoever acted before has given the lease back: nobody was lost.
    pub handed: bool,
}

/// What a candidate is to do next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// To act no more: the lease has lapsed, or is another's.
    StepDown,
    /// To look at the lease, at the server and not in a cache.
    Look,
    /// To take the lease.
    Acquire,
    /// To renew it.
    Renew,
    /// To give it back.
    Release,
    /// Nothing before this moment, unless something is seen or answered.
    Wait(Option<Millis>),
    /// Nothing: it has left.
    Left,
}

/// What is to be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request<H> {
    /// Read the lease.
    Read,
    /// Write it, if it is still at this version; or make it, if there is none.
    Write {
        /// The version that it was seen at.
        guard: Option<Version>,
        /// As it shall be; its version means nothing.
        lease: Lease<H>,
    },
}

/// What came of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer<H> {
    /// The lease as it was read, or as the write left it.
    Is(Lease<H>),
    /// There was none to read.
    Absent,
    /// The write was refused, because the lease is at another version, is gone, or is there already.
    Outdated,
    /// No answer, or none that says what became of it: it may still happen.
    Unknown,
}

impl<H: Clone + Eq> Sight<H> {
    fn version(&self) -> Option<Version> {
        self.lease.as_ref().map(|lease| lease.version)
    }

    fn is_held_by(&self, who: &H) -> bool {
        self.lease.as_ref().is_some_and(|lease| lease.holder.as_ref() == Some(who))
    }

    /// When `me` may take it. One's own may be taken at once, and so may what was given back. Where there is none, there
    /// may have been one until just now.
    fn free_at(&self, me: &H, settings: &Settings) -> Millis {
        match &self.lease {
            None => self.since.plus(settings.term()),
            Some(lease) if lease.holder.as_ref().is_none_or(|holder| holder == me) => self.since,
            Some(lease) => self.since.plus(lease.term),
        }
    }
}

impl<H: Clone + Eq> Candidate<H> {
    /// A candidate that has seen nothing.
    pub fn new(me: H, settings: Settings) -> Candidate<H> {
        Candidate {
            me,
            settings,
            wish: Wish::Hold,
            seen: None,
            must_look: true,
            asked: None,
            hold: None,
            floor: Epoch::default(),
            rests_until: None,
        }
    }

    /// A candidate that has seen nothing, under a name that it also had before a crash.
    ///
    /// A lease that names it is its own, and is taken at once, in a new epoch. So the name has to be exclusive by
    /// construction: nobody else can have it as long as this one lives, and whatever an earlier run had under way, its
    /// writes to the lease included, was over before this one began. A process that holds the lock of the store that all of
    /// it goes to, and is its server, is such a one. What goes to anybody else does not end with the process: there
    /// only the epoch tells who is late.
    pub fn exclusive(name: H, settings: Settings) -> Candidate<H> {
        Candidate::new(name, settings)
    }

    /// Whether it may act now, as what, and until when. To be asked before everything that is done.
    pub fn tenure(&self, now: Millis) -> Option<Tenure> {
        let hold = self.hold.filter(|_| self.wish == Wish::Hold)?;
        let until = self.until(&hold);
        (!hold.lost && now < until).then_some(Tenure { epoch: hold.epoch, until, handed: hold.handed })
    }

    fn until(&self, hold: &Hold) -> Millis {
        hold.sent.plus(self.settings.acts_for())
    }

    /// What is to be done now.
    pub fn decide(&self, now: Millis) -> Step {
        let until = self.hold.map(|hold| self.until(&hold));
        if self.hold.is_some_and(|hold| hold.lost) || until.is_some_and(|until| until <= now) {
            return Step::StepDown;
        }
        if self.asked.is_some() {
            return Step::Wait(until);
        }
        if let Some(rest) = self.rests_until.filter(|rest| *rest > now) {
            return Step::Wait(Some(until.map_or(rest, |until| until.min(rest))));
        }
        let Some(seen) = self.seen.as_ref().filter(|_| !self.must_look) else { return Step::Look };
        match (self.wish, self.hold) {
            (Wish::Leave, _) if seen.is_held_by(&self.me) => Step::Release,
            (Wish::Leave, _) => Step::Left,
            (Wish::Drain, _) => Step::Wait(until),
            (Wish::Hold, Some(hold)) => self.keep(&hold, seen, now),
            (Wish::Hold, None) => match seen.free_at(&self.me, &self.settings) {
                free if free <= now => Step::Acquire,
                free => Step::Wait(Some(free)),
            },
        }
    }

    fn keep(&self, hold: &Hold, seen: &Sight<H>, now: Millis) -> Step {
        let until = self.until(hold);
        let due = hold.sent.plus(self.settings.renew());
        match seen.lease {
            // Somebody has deleted it: there is nothing to renew, and nobody takes it before this is over.
            None => Step::Wait(Some(until)),
            Some(_) if due <= now => Step::Renew,
            Some(_) => Step::Wait(Some(due.min(until))),
        }
    }

    /// Begins a step: what is to be sent for it, if anything is. To be called before it is sent.
    pub fn begin(&mut self, step: Step, now: Moment) -> Option<Request<H>> {
        let request = match step {
            Step::StepDown => {
                self.hold = None;
                return None;
            }
            Step::Wait(_) | Step::Left => return None,
            Step::Look => Request::Read,
            Step::Acquire | Step::Renew | Step::Release => self.write(step, now.wall)?,
        };
        let seen = self.seen.as_ref().and_then(|seen| seen.lease.as_ref());
        let handed = seen.is_some_and(|lease| lease.holder.is_none());
        self.asked = Some(Asked { step, at: now.clock, handed });
        Some(request)
    }

    fn write(&self, step: Step, wall: Millis) -> Option<Request<H>> {
        let seen = self.seen.as_ref()?.lease.as_ref();
        let epoch = seen.map_or(self.floor, |lease| lease.epoch.max(self.floor));
        // Wall clocks jump back, but no write may leave the lease as it was.
        let renewed = seen.map_or(wall, |lease| wall.max(lease.renewed.plus(Millis(1))));
        let acquired = seen.map_or(wall, |lease| lease.acquired);
        let lease = Lease {
            version: seen.map_or(Version(0), |lease| lease.version),
            holder: Some(self.me.clone()),
            term: self.settings.term(),
            epoch,
            acquired,
            renewed,
        };
        let lease = match step {
            Step::Acquire => Lease { epoch: epoch.next(), acquired: renewed, ..lease },
            Step::Release => Lease { holder: None, ..lease },
            _ => lease,
        };
        Some(Request::Write { guard: seen.map(|lease| lease.version), lease })
    }

    /// Takes the answer to what was asked.
    pub fn answered(&mut self, answer: Answer<H>, now: Millis) {
        let Some(asked) = self.asked.take() else { return };
        match answer {
            Answer::Is(lease) if asked.step == Step::Look => self.saw(Some(lease), now),
            Answer::Is(lease) => {
                self.granted(&lease, asked);
                // A watch may have been faster than the answer, and have shown more.
                let known = self.seen.take_if(|seen| seen.version() > Some(lease.version));
                let newest = known.and_then(|known| known.lease).unwrap_or(lease);
                self.saw(Some(newest), now);
            }
            Answer::Absent => self.saw(None, now),
            Answer::Outdated => self.must_look = true,
            Answer::Unknown => {
                self.must_look = true;
                self.rests_until = Some(now.plus(self.settings.retry()));
            }
        }
    }

    /// A write of its own was accepted. What it is good for counts from before it was sent.
    fn granted(&mut self, lease: &Lease<H>, asked: Asked) {
        let grant = Hold { epoch: lease.epoch, sent: asked.at, lost: false, handed: asked.handed };
        match asked.step {
            Step::Acquire => self.hold = Some(grant).filter(|_| self.wish == Wish::Hold),
            // Who has stepped down meanwhile acquires anew.
            Step::Renew => self.hold = self.hold.map(|hold| Hold { handed: hold.handed, ..grant }),
            _ => {}
        }
    }

    /// Takes what a watch shows. It may be late: what is older than what was seen is passed over.
    pub fn see(&mut self, lease: Lease<H>, now: Millis) {
        let known = self.seen.as_ref().and_then(Sight::version);
        if known.is_none_or(|known| lease.version > known) {
            let must_look = self.must_look;
            self.saw(Some(lease), now);
            // It may be older than the write that was not answered.
            self.must_look = must_look;
        }
    }

    fn saw(&mut self, lease: Option<Lease<H>>, now: Millis) {
        self.must_look = false;
        if let (Some(lease), Some(hold)) = (&lease, &mut self.hold) {
            hold.lost |= lease.holder.as_ref() != Some(&self.me) || lease.epoch != hold.epoch;
        }
        if let Some(lease) = &lease {
            self.floor = self.floor.max(lease.epoch);
        }
        let known = self.seen.take();
        let same = known.filter(|known| known.version() == lease.as_ref().map(|lease| lease.version));
        self.seen = Some(Sight { since: same.map_or(now, |same| same.since), lease });
    }

    /// Begins nothing any more. To be called when the process is to end. Who leaves already goes on leaving: nothing is under
    /// way, and nobody would say so once more.
    pub fn drain(&mut self) {
        if self.wish == Wish::Hold {
            self.wish = Wish::Drain;
        }
    }

    /// Gives the lease back. To be called when nothing is under way any more: whoever takes it acts at once.
    pub fn leave(&mut self) {
        self.wish = Wish::Leave;
        self.hold = None;
    }
}
