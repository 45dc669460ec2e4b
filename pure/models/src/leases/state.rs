//! The state: the lease, and what each candidate knows and has under way.

use bowline_control::Millis;
use bowline_control::lease::{Asked, Candidate, Epoch, Hold, Lease, PerMille, Settings, Sight, Step, Wish};
use bowline_control::{Version, lease};

/// There is room for so many candidates.
pub(super) const HOLDERS: usize = 3;

/// By which a slow clock advances while a fast one advances by [`FAST`].
pub(super) const SLOW: u8 = 4;
pub(super) const FAST: u8 = 5;
/// A lease lasts two ticks of a fast clock; who holds it has stopped after two of a slow one.
pub(super) const TERM: u8 = 10;
const RENEW: u8 = 4;
/// What is under way arrives up to so long after its deadline.
pub(super) const MARGIN: Millis = millis(1);
/// Between the two there is as much as clocks may part.
pub(super) const DRIFT: PerMille = PerMille(200);

/// The version and the epoch of the lease, in the normal form.
const VERSION: u8 = 3;
const EPOCH: u8 = 2;

const fn millis(units: u8) -> Millis {
    Millis(units as u64 * 1000)
}

/// The present, by every clock: what happened before is a time ago.
pub(super) const NOW: Millis = millis(100);

fn ago(age: u8) -> Millis {
    Millis(NOW.0 - millis(age).0)
}

/// How long ago it was; what is older than a lease is all the same.
pub(super) fn age(then: Millis) -> u8 {
    (NOW.since(then).0 / 1000).min(u64::from(TERM)) as u8
}

/// The settings, as they are shipped.
pub(super) fn settings() -> Settings {
    settings_with(DRIFT, MARGIN)
}

pub(super) fn settings_with(drift: PerMille, margin: Millis) -> Settings {
    Settings::new(millis(TERM), millis(RENEW), Millis(0), drift, margin).unwrap_or_default()
}

/// Somebody: a run of a candidate that lives, or one that has ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Who {
    Run(u8),
    Past,
}

/// The identity of whoever has ended.
const PAST: u8 = 99;

impl Who {
    fn id(self) -> u8 {
        match self {
            Who::Run(h) => h,
            Who::Past => PAST,
        }
    }

    pub(super) fn of(id: u8) -> Who {
        if id == PAST { Who::Past } else { Who::Run(id) }
    }
}

/// The lease as the server has it, or as somebody saw it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Record {
    pub(super) holder: Option<Who>,
    pub(super) version: u8,
    pub(super) epoch: u8,
}

impl Record {
    pub(super) fn lease(self) -> Lease<u8> {
        Lease {
            version: Version(self.version.into()),
            holder: self.holder.map(Who::id),
            term: millis(TERM),
            epoch: Epoch(self.epoch.into()),
            acquired: Millis(0),
            renewed: Millis(0),
        }
    }

    pub(super) fn of(lease: &Lease<u8>) -> Record {
        let holder = lease.holder.map(Who::of);
        Record { holder, version: lease.version.0 as u8, epoch: lease.epoch.0 as u8 }
    }
}

/// What was seen, and how long ago it was first seen so.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Seen {
    pub(super) record: Option<Record>,
    pub(super) age: u8,
}

/// What is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Ask {
    Look,
    Acquire,
    Renew,
    Release,
}

impl Ask {
    pub(super) fn step(self) -> Step {
        match self {
            Ask::Look => Step::Look,
            Ask::Acquire => Step::Acquire,
            Ask::Renew => Step::Renew,
            Ask::Release => Step::Release,
        }
    }

    pub(super) fn of(step: Step) -> Option<Ask> {
        [Ask::Look, Ask::Acquire, Ask::Renew, Ask::Release].into_iter().find(|ask| ask.step() == step)
    }
}

/// A request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Sent {
    pub(super) ask: Ask,
    /// How long ago it was begun.
    pub(super) age: u8,
    pub(super) stage: Stage,
    /// Of a write: the version that it expects, or that it has made; 0 if there shall be none.
    pub(super) version: u8,
    /// The epoch that it writes.
    pub(super) epoch: u8,
}

/// Where a request is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Stage {
    /// On its way.
    Out,
    /// It was accepted, and the answer is on its way.
    Accepted,
    /// It was refused, and so on.
    Refused,
}

/// A write that nobody waits for any more, and that may still arrive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Late {
    pub(super) ask: Ask,
    pub(super) by: Who,
    pub(super) version: u8,
    pub(super) epoch: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Held {
    pub(super) epoch: u8,
    pub(super) age: u8,
    pub(super) lost: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Process {
    Up,
    Paused,
    Down,
}

/// A candidate: its process, what it knows, and what it has under way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Holder {
    pub(super) process: Process,
    pub(super) wish: Wish,
    pub(super) seen: Option<Seen>,
    pub(super) must_look: bool,
    pub(super) sent: Option<Sent>,
    pub(super) held: Option<Held>,
    pub(super) late: Option<Late>,
    /// Something is under way, since so long after the write that allowed it was sent.
    pub(super) effect: Option<u8>,
    /// The same, of a run that has ended.
    pub(super) past: Option<u8>,
    /// Its clock on the wall is far ahead.
    pub(super) ahead: bool,
}

impl Holder {
    /// A run that begins. What earlier ones have left goes on.
    pub(super) fn begun(self) -> Holder {
        Holder {
            process: Process::Up,
            wish: Wish::Hold,
            seen: None,
            must_look: true,
            sent: None,
            held: None,
            ..self
        }
    }

    pub(super) fn candidate(&self, new: Candidate<u8>) -> Candidate<u8> {
        let sight = |seen: Seen| Sight { lease: seen.record.map(Record::lease), since: ago(seen.age) };
        let hold = |held: Held| Hold {
            epoch: Epoch(held.epoch.into()),
            sent: ago(held.age),
            lost: held.lost,
            handed: false,
        };
        Candidate {
            wish: self.wish,
            seen: self.seen.map(sight),
            must_look: self.must_look,
            asked: self.sent.map(|sent| Asked { step: sent.ask.step(), at: ago(sent.age), handed: false }),
            hold: self.held.map(hold),
            ..new
        }
    }

    /// Takes over what became of the candidate, its requests aside.
    pub(super) fn take(&mut self, candidate: &Candidate<u8>) {
        let seen = |sight: &lease::Sight<u8>| Seen {
            record: sight.lease.as_ref().map(Record::of),
            age: age(sight.since),
        };
        self.wish = candidate.wish;
        self.seen = candidate.seen.as_ref().map(seen);
        self.must_look = candidate.must_look;
        self.held = candidate.hold.map(|hold| Held {
            epoch: hold.epoch.0 as u8,
            age: age(hold.sent),
            lost: hold.lost,
        });
    }

    /// Time passes by its clock.
    pub(super) fn tick(&mut self, by: u8, ends: Millis) {
        let older = |age: &mut u8| *age = (*age + by).min(TERM);
        self.seen.iter_mut().for_each(|seen| older(&mut seen.age));
        self.sent.iter_mut().for_each(|sent| older(&mut sent.age));
        self.held.iter_mut().for_each(|held| older(&mut held.age));
        for effect in [&mut self.effect, &mut self.past] {
            // What is under way ends by its deadline, whatever becomes of who began it.
            *effect = effect.map(|age| age + by).filter(|age| millis(*age) < ends);
        }
    }
}

/// A state of the model.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    pub(super) record: Option<Record>,
    pub(super) holders: [Holder; HOLDERS],
    /// Who has acted in the epoch of the lease.
    pub(super) acted: Option<Who>,
    /// A clock has jumped that should not: the bound does not hold.
    pub(super) jumped: bool,
    /// How much may still go wrong.
    pub(super) faults: u8,
    /// How often somebody may still leave.
    pub(super) leaves: u8,
}

impl State {
    pub(super) fn new(there: bool, faults: u8, leaves: u8) -> State {
        let nobody = Holder {
            process: Process::Down,
            wish: Wish::Hold,
            seen: None,
            must_look: true,
            sent: None,
            held: None,
            late: None,
            effect: None,
            past: None,
            ahead: false,
        };
        let record = Record { holder: None, version: VERSION, epoch: EPOCH };
        State {
            record: there.then_some(record),
            holders: [nobody; HOLDERS],
            acted: None,
            jumped: false,
            faults,
            leaves,
        }
    }

    pub(super) fn holder(&mut self, h: u8) -> &mut Holder {
        &mut self.holders[usize::from(h)]
    }

    pub(super) fn version(&self) -> u8 {
        self.record.map_or(0, |record| record.version)
    }

    pub(super) fn epoch(&self) -> u8 {
        self.record.map_or(0, |record| record.epoch)
    }

    /// A run ends: what it did in an epoch another did.
    pub(super) fn end_acts(&mut self, h: u8) {
        self.acted = self.acted.map(|who| if who == Who::Run(h) { Who::Past } else { who });
    }

    /// A run ends: what it was known as is nobody's name any more.
    pub(super) fn rename(&mut self, h: u8) {
        let past = |who: &mut Who| {
            if *who == Who::Run(h) {
                *who = Who::Past;
            }
        };
        self.end_acts(h);
        self.record.iter_mut().filter_map(|record| record.holder.as_mut()).for_each(past);
        for holder in &mut self.holders {
            holder.late.iter_mut().for_each(|late| past(&mut late.by));
            let seen = holder.seen.iter_mut().filter_map(|seen| seen.record.as_mut());
            seen.filter_map(|record| record.holder.as_mut()).for_each(past);
        }
    }
}

/// The normal form: the lease has a version and an epoch of its own, and everything else is older or the same.
pub(super) fn normal(mut s: State, guarded: bool) -> State {
    let (version, there) = (s.version(), s.record.is_some());
    let epoch = s.epoch();
    let shift = |e: u8| if there { (e + EPOCH).saturating_sub(epoch) } else { e };
    let newest = if there { VERSION } else { 0 };
    let rank = |v: u8| if v == version { newest } else { v.min(1) };
    for (h, holder) in (0..).zip(&mut s.holders) {
        let mut seen_version = 0;
        if let Some(seen) = &mut holder.seen {
            seen_version = seen.record.map_or(0, |record| record.version);
            normal_sight(seen, h, version);
        }
        if let Some(sent) = &mut holder.sent {
            let counts = sent.stage == Stage::Accepted || sent.version == version || !guarded;
            sent.epoch = if counts { shift(sent.epoch) } else { 0 };
            // Of an answer it matters whether more was seen than it says.
            let both_old = seen_version != version && sent.version != version;
            let order = both_old && sent.stage == Stage::Accepted;
            let above = order && sent.version > seen_version;
            if order
                && sent.version < seen_version
                && let Some(record) = holder.seen.as_mut().and_then(|seen| seen.record.as_mut())
            {
                record.version = 2;
            }
            sent.version = if above { 2 } else { rank(sent.version) };
        }
        holder.held.iter_mut().for_each(|held| held.epoch = shift(held.epoch));
        if let Some(late) = &mut holder.late {
            (late.version, late.epoch) = (rank(late.version), shift(late.epoch));
        }
    }
    if let Some(record) = &mut s.record {
        (record.version, record.epoch) = (VERSION, EPOCH);
    }
    s
}

/// Whose it is that was seen matters as far as it is one's own, nobody's, or another's; and since when, if another's.
fn normal_sight(seen: &mut Seen, h: u8, version: u8) {
    let Some(record) = &mut seen.record else { return };
    let is_newest = record.version == version;
    (record.version, record.epoch) = if is_newest { (VERSION, EPOCH) } else { (1, 0) };
    match record.holder {
        Some(Who::Run(other)) if other != h => record.holder = Some(Who::Past),
        Some(Who::Past) => {}
        _ => seen.age = 0,
    }
}
