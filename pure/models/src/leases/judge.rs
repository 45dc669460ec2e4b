//! The judge of all leases of a hub: members who renew theirs, die or are cut off, and a hub that may be cut off itself.
//!
//! The shipped judge is made of the state for every step, and what becomes of it is made a state again. Members renew in
//! time, if they can; whether one cannot for a reason of its own is known to the model, and not to the judge.

mod expected;
#[cfg(test)]
pub(crate) mod mutants;
mod properties;
mod state;

use bowline_control::lease::Judge;
use bowline_control::{Millis, Version};
use bowline_explorer::{Class, Field, Model, Property};

pub(crate) use self::expected::EXPECTED;
use self::state::{FULL, MEMBERS, NOW, RENEW, RENEWED, SILENT, State, TERM};
use super::number;
use crate::catalogue::{Catalogued, Entry, Size};

pub(crate) const JUDGE: Entry = Entry {
    name: "leases/judge",
    about: "which leases have lapsed, and when the hub suspects itself: outages, deaths, jumps, restarts",
    sizes: &[
        number("members", "how many hold a lease", 3, (1, MEMBERS as u32)),
        number("faults", "how much goes wrong", 3, (0, 5)),
        number("persons", "how often a person says that the hub is right", 1, (0, 2)),
    ],
    faults: &[],
    build: |size, _| Ok(Box::new(Bench::new(size, &SHIPPED))),
};

/// How a judge judges. Mutants do it otherwise.
pub(crate) struct Rules {
    see: fn(&mut Judge<u8>, u8, Version, Millis, Millis),
    judge: fn(&mut Judge<u8>, Millis),
    /// A person says that what the hub sees is so.
    trust: fn(&mut Judge<u8>, Millis),
    /// What a hub knows that starts again.
    restart: fn(&mut State, members: u8),
}

pub(crate) static SHIPPED: Rules =
    Rules { see: Judge::see, judge: Judge::judge, trust: Judge::trust, restart: State::restart };

/// The model at a size.
pub(crate) struct Bench {
    members: u8,
    faults: u8,
    persons: u8,
    rules: &'static Rules,
}

/// What happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// Time passes.
    Tick,
    /// A member renews its lease.
    Renew(u8),
    /// One that was cut off is not any more.
    Heal(u8),
    /// The outage ends.
    Recover,
    /// A person says that what the hub sees is so.
    Trust,
    /// A member dies.
    Die(u8),
    /// A member is cut off, and only that.
    Cut(u8),
    /// Nobody reaches the hub. Before that everybody had the time to renew: if some have and others have not, the
    /// others look dead.
    Outage,
    /// The hub has slept, or its clock jumps.
    Jump,
    /// The hub starts again.
    Restart,
}

impl Action {
    fn is_fault(self) -> bool {
        matches!(self, Action::Die(_) | Action::Cut(_) | Action::Outage | Action::Jump | Action::Restart)
    }
}

impl Bench {
    pub(crate) fn new(size: &Size, rules: &'static Rules) -> Bench {
        let small = |key| size.small(key);
        Bench { members: small("members"), faults: small("faults"), persons: small("persons"), rules }
    }

    fn can_renew(s: &State, i: u8) -> bool {
        let member = s.members[usize::from(i)];
        member.alive && !member.cut && !s.outage
    }

    fn is_due(s: &State, i: u8) -> bool {
        Self::can_renew(s, i) && s.members[usize::from(i)].age >= RENEW
    }

    fn step(&self, before: &State, action: Action) -> State {
        let mut s = *before;
        s.faults -= u8::from(action.is_fault());
        match action {
            Action::Tick => s.pass(1, self.members),
            Action::Heal(i) => s.members[usize::from(i)].cut = false,
            Action::Recover => s.outage = false,
            Action::Die(i) => {
                let member = &mut s.members[usize::from(i)];
                (member.alive, member.own) = (false, true);
            }
            Action::Cut(i) => {
                let member = &mut s.members[usize::from(i)];
                (member.cut, member.own) = (true, true);
            }
            Action::Outage => s.outage = true,
            Action::Jump => s.pass(FULL, self.members),
            Action::Restart => (self.rules.restart)(&mut s, self.members),
            Action::Renew(_) | Action::Trust => {}
        }
        self.judged(&mut s, action);
        s
    }

    /// The judge learns what happened.
    fn judged(&self, s: &mut State, action: Action) {
        let mut judge = s.judge(self.members);
        match action {
            Action::Renew(i) => {
                (self.rules.see)(&mut judge, i, RENEWED, TERM, NOW);
                s.members[usize::from(i)].own = false;
                (self.rules.judge)(&mut judge, NOW);
            }
            Action::Tick | Action::Jump => (self.rules.judge)(&mut judge, NOW),
            Action::Trust => {
                s.persons -= 1;
                (self.rules.trust)(&mut judge, NOW);
            }
            _ => return,
        }
        s.take(&judge);
    }
}

impl Catalogued for Bench {}

impl Model for Bench {
    type State = State;
    type Action = Action;

    fn init(&self) -> Vec<State> {
        vec![State::new(self.members, self.faults, self.persons)]
    }

    fn actions(&self, s: &State, out: &mut Vec<Action>) {
        let due = (0..self.members).any(|i| Self::is_due(s, i));
        if !due {
            out.push(Action::Tick);
        }
        for (i, member) in (0..self.members).zip(&s.members) {
            if Self::can_renew(s, i) && member.age > 0 {
                out.push(Action::Renew(i));
            }
            if member.cut {
                out.push(Action::Heal(i));
            }
            if s.faults > 0 && member.alive {
                out.push(Action::Die(i));
                out.extend((!member.cut).then_some(Action::Cut(i)));
            }
        }
        if s.outage {
            out.push(Action::Recover);
        } else if s.faults > 0 && !due {
            out.push(Action::Outage);
        }
        if s.suspect && s.persons > 0 {
            out.push(Action::Trust);
        }
        if s.faults > 0 {
            out.extend([Action::Jump, Action::Restart]);
        }
    }

    fn next(&self, s: &State, action: &Action) -> State {
        self.step(s, *action)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties::all(self)
    }

    /// Time passes, members renew in it, and what is cut off comes back.
    fn class(&self, action: &Action) -> Class {
        match action {
            Action::Tick => Class::new(0),
            Action::Recover => Class::new(1),
            Action::Renew(i) => Class::new(2 + u16::from(*i)),
            Action::Heal(i) => Class::new(2 + u16::from(self.members) + u16::from(*i)),
            _ => Class::UNFAIR,
        }
    }

    fn fairness(&self) -> Vec<String> {
        let renews = (1..=self.members).map(|i| format!("Renew(m{i})"));
        let heals = (1..=self.members).map(|i| format!("Heal(m{i})"));
        ["Tick", "Recover"].map(String::from).into_iter().chain(renews).chain(heals).collect()
    }

    fn action_name(&self, action: &Action) -> String {
        match action {
            Action::Renew(i) => format!("Renew(m{})", i + 1),
            Action::Heal(i) => format!("Heal(m{})", i + 1),
            Action::Die(i) => format!("Die(m{})", i + 1),
            Action::Cut(i) => format!("Cut(m{})", i + 1),
            other => format!("{other:?}"),
        }
    }

    fn fields(&self, s: &State) -> Vec<Field> {
        s.fields(self.members)
    }
}

impl State {
    fn is_silent(&self, i: usize) -> bool {
        self.members[i].age >= SILENT
    }
}
