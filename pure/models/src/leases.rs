//! Leases: candidates who want one, each with a clock of its own, and what they do while they believe to hold it.
//!
//! The shipped candidate is made of the state for every step, and what becomes of it is made a state again. Clocks are
//! slow or fast, and may change at every tick; a lease is as long as it takes a fast one to measure what a slow one
//! measures until the holder has stopped, and not a bit longer. What is asked is answered at once, and time passes only when
//! nobody has anything to do, unless something goes wrong: somebody is paused, a request is slow, lost, late or not
//! answered, a process crashes, a clock jumps.

mod actions;
mod expected;
pub(crate) mod judge;
#[cfg(test)]
pub(crate) mod mutants;
mod properties;
mod shown;
mod state;
#[cfg(test)]
mod tests;

use bowline_control::lease::{Answer, Candidate, Request, Settings, Step, Tenure, Wish};
use bowline_control::{Millis, Moment};
use bowline_explorer::{Class, Field, Model, Property};

pub(crate) use self::expected::EXPECTED;
use self::shown::name;
use self::state::{Ask, HOLDERS, Holder, NOW, Process, Stage, State, Who};
use crate::catalogue::{Catalogued, Entry, Size, SizeKey, Value, number};

pub(crate) const LEASES: Entry = Entry {
    name: "leases",
    about: "who holds a lease: clocks that part, pauses, crashes, lost and late requests",
    sizes: &[
        number("holders", "how many want it", 2, (1, HOLDERS as u32)),
        number("faults", "how much goes wrong", 2, (0, 4)),
        number("leaves", "how often somebody leaves in good order", 1, (0, 3)),
        SizeKey {
            name: "walls",
            about: "clocks on the wall jump as well",
            default: Value::Flag(false),
            range: (0, 1),
        },
        SizeKey {
            name: "exclusive",
            about: "the first has a name of its own for ever, and nothing of it outlives it",
            default: Value::Flag(false),
            range: (0, 1),
        },
    ],
    faults: &[],
    build: |size, _| Ok(Box::new(Leases::new(size, &SHIPPED))),
};

/// How a candidate behaves. Mutants do it otherwise.
pub(crate) struct Rules {
    settings: fn() -> Settings,
    /// What is to be done; and whether the clock on the wall is far ahead, which is nobody's business.
    decide: fn(&Candidate<u8>, Millis, ahead: bool) -> Step,
    begin: fn(&mut Candidate<u8>, Step, Moment) -> Option<Request<u8>>,
    answered: fn(&mut Candidate<u8>, Answer<u8>, Millis),
    tenure: fn(&Candidate<u8>, Millis) -> Option<Tenure>,
    /// It is told to end.
    drain: fn(&mut Candidate<u8>),
    /// Whether it waits until nothing is under way before it leaves.
    drains: bool,
    /// Whether a new run has a new identity.
    renames: bool,
    /// Whether writes name the version that they rest on.
    guards: bool,
}

pub(crate) static SHIPPED: Rules = Rules {
    settings: state::settings,
    decide: |candidate, now, _| candidate.decide(now),
    begin: Candidate::begin,
    answered: Candidate::answered,
    tenure: Candidate::tenure,
    drain: Candidate::drain,
    drains: true,
    renames: true,
    guards: true,
};

/// The model at a size.
pub(crate) struct Leases {
    holders: u8,
    faults: u8,
    leaves: u8,
    walls: bool,
    exclusive: bool,
    settings: Settings,
    rules: &'static Rules,
}

/// What happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// Time passes; the clocks in the set are fast, the others slow.
    Tick(u8),
    /// A candidate does what it decides.
    Step(u8),
    /// A request that takes its time arrives, or its answer does.
    Carry(u8),
    /// A watch shows it the lease.
    See(u8),
    /// It begins something that needs the lease.
    Begin(u8),
    /// That is done.
    End(u8),
    /// It is told to leave.
    Drain(u8),
    /// Its process starts.
    Start(u8),
    /// It goes on after a pause.
    Wake(u8),
    /// A request arrives that nobody waits for.
    Late(u8),
    /// Something goes wrong with it.
    Fault(Fault, u8),
}

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// The process does nothing for a while, and its clock runs on.
    Pause,
    /// The same, when it has just sent something.
    PauseSending,
    /// The process is gone.
    Crash,
    /// The same, when it has just sent something, which is not gone.
    CrashSending,
    /// A request and its answer take a while.
    Slow,
    /// A request is lost.
    LoseRequest,
    /// The answer to a write is lost.
    LoseReply,
    /// A write is not answered in time, and may arrive later.
    Late,
    /// The clock that leases go by jumps ahead.
    Jump,
    /// The clock on the wall jumps ahead.
    JumpWall,
}

impl Fault {
    fn is_of_a_request(self) -> bool {
        !matches!(self, Fault::Pause | Fault::Crash | Fault::Jump | Fault::JumpWall)
    }
}

impl Leases {
    pub(crate) fn new(size: &Size, rules: &'static Rules) -> Leases {
        let small = |key| size.small(key);
        Leases {
            holders: small("holders"),
            faults: small("faults"),
            leaves: small("leaves"),
            walls: size.flag("walls"),
            exclusive: size.flag("exclusive"),
            settings: (rules.settings)(),
            rules,
        }
    }

    fn candidate(&self, s: &State, h: u8) -> Candidate<u8> {
        let new = if self.is_exclusive(h) { Candidate::exclusive } else { Candidate::new };
        s.holders[usize::from(h)].candidate(new(h, self.settings))
    }

    /// Whether its name is its own for ever.
    fn is_exclusive(&self, h: u8) -> bool {
        self.exclusive && h == 0
    }

    /// What a candidate does next, if it runs and has something to do.
    fn next_step(&self, s: &State, h: u8) -> Option<Step> {
        let holder = &s.holders[usize::from(h)];
        if holder.process != Process::Up {
            return None;
        }
        let step = (self.rules.decide)(&self.candidate(s, h), NOW, holder.ahead);
        (self.is_drained(s, h) || !matches!(step, Step::Wait(_))).then_some(step)
    }

    /// Whether it is to leave, and can.
    fn is_drained(&self, s: &State, h: u8) -> bool {
        let holder = &s.holders[usize::from(h)];
        holder.wish == Wish::Drain && (holder.effect.is_none() || !self.rules.drains)
    }

    /// Whether the candidate may act.
    fn tenure(&self, s: &State, h: u8) -> Option<Tenure> {
        let up = s.holders[usize::from(h)].process == Process::Up;
        (self.rules.tenure)(&self.candidate(s, h), NOW).filter(|_| up)
    }

    /// Whether a request, or its answer, can arrive.
    fn can_carry(holder: &Holder) -> bool {
        let up = holder.process == Process::Up;
        holder.sent.is_some_and(|sent| up || sent.stage == Stage::Out && sent.ask != Ask::Look)
    }

    fn actions_of(&self, s: &State, h: u8, step: Option<Step>, out: &mut Vec<Action>) {
        let holder = &s.holders[usize::from(h)];
        if step.is_some() {
            out.push(Action::Step(h));
        }
        if Self::can_carry(holder) {
            out.push(Action::Carry(h));
        }
        match holder.process {
            Process::Up => {
                let known = holder.seen.and_then(|seen| seen.record).map_or(0, |record| record.version);
                if s.version() > known {
                    out.push(Action::See(h));
                }
                if holder.effect.is_none() && self.tenure(s, h).is_some() {
                    out.push(Action::Begin(h));
                }
                // Who leaves already may be told only then.
                if s.leaves > 0 && holder.wish == Wish::Hold || holder.wish == Wish::Leave {
                    out.push(Action::Drain(h));
                }
            }
            Process::Paused => out.push(Action::Wake(h)),
            Process::Down => out.push(Action::Start(h)),
        }
        // Who does not leave may as well have it under way until its deadline.
        if holder.effect.is_some() && holder.wish == Wish::Drain {
            out.push(Action::End(h));
        }
        if holder.late.is_some() {
            out.push(Action::Late(h));
        }
        if s.faults > 0 {
            let asks = step.and_then(Ask::of).filter(|_| !self.is_drained(s, h));
            out.extend(self.faults_of(holder, asks).map(|fault| Action::Fault(fault, h)));
        }
    }

    fn faults_of(&self, holder: &Holder, asks: Option<Ask>) -> impl Iterator<Item = Fault> {
        let up = holder.process == Process::Up;
        let writes = asks.is_some_and(|ask| ask != Ask::Look);
        let all = [
            (Fault::Pause, up),
            (Fault::PauseSending, writes),
            (Fault::Crash, holder.process != Process::Down),
            (Fault::CrashSending, writes && holder.late.is_none()),
            (Fault::Slow, asks.is_some()),
            (Fault::LoseRequest, asks.is_some()),
            (Fault::LoseReply, writes),
            (Fault::Late, writes && holder.late.is_none()),
            (Fault::Jump, up),
            (Fault::JumpWall, up && self.walls && !holder.ahead),
        ];
        all.into_iter().filter(|(_, can)| *can).map(|(fault, _)| fault)
    }
}

impl Catalogued for Leases {}

impl Model for Leases {
    type State = State;
    type Action = Action;

    fn init(&self) -> Vec<State> {
        [true, false].map(|there| State::new(there, self.faults, self.leaves)).to_vec()
    }

    fn actions(&self, s: &State, out: &mut Vec<Action>) {
        let steps = [0, 1, 2].map(|h| self.next_step(s, h));
        // If there is time for it, it is done.
        if steps.iter().all(Option::is_none) {
            out.extend((0..1 << self.holders).map(Action::Tick));
        }
        (0..self.holders).zip(steps).for_each(|(h, step)| self.actions_of(s, h, step, out));
    }

    fn next(&self, s: &State, action: &Action) -> State {
        self.step(s, *action)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties::all(self)
    }

    /// Time passes, whoever runs goes on, and what is sent arrives; watches, and what nobody waits for, need not.
    fn class(&self, action: &Action) -> Class {
        let of = |kind: u16, h: &u8| Class::new(1 + kind * u16::from(self.holders) + u16::from(*h));
        match action {
            Action::Tick(_) => Class::new(0),
            Action::Step(h) => of(0, h),
            Action::Carry(h) => of(1, h),
            Action::Start(h) => of(2, h),
            Action::Wake(h) => of(3, h),
            _ => Class::UNFAIR,
        }
    }

    fn fairness(&self) -> Vec<String> {
        let kinds = ["Step", "Carry", "Start", "Wake"];
        let each = |kind| (0..self.holders).map(move |h| format!("{kind}({})", name(Who::Run(h))));
        std::iter::once("Tick".to_owned()).chain(kinds.into_iter().flat_map(each)).collect()
    }

    fn canonical(&self, s: State) -> State {
        state::normal(s, self.rules.guards)
    }

    fn action_name(&self, action: &Action) -> String {
        let named = |what: &str, h: &u8| format!("{what}({})", name(Who::Run(*h)));
        match action {
            Action::Tick(fast) => {
                let fast = (0..self.holders).filter(|h| fast & 1 << h != 0).map(|h| name(Who::Run(h)));
                format!("Tick(fast: {})", fast.collect::<Vec<_>>().join(" "))
            }
            Action::Step(h) => named("Step", h),
            Action::Carry(h) => named("Carry", h),
            Action::See(h) => named("See", h),
            Action::Begin(h) => named("Begin", h),
            Action::End(h) => named("End", h),
            Action::Drain(h) => named("Drain", h),
            Action::Start(h) => named("Start", h),
            Action::Wake(h) => named("Wake", h),
            Action::Late(h) => named("Late", h),
            Action::Fault(fault, h) => named(&format!("Fault{fault:?}"), h),
        }
    }

    fn fields(&self, s: &State) -> Vec<Field> {
        s.fields(self.holders)
    }
}
