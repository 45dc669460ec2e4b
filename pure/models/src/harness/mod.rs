//! The harness: any controller × the loop × the API kernel × caches that lag, each kind by itself × workers × faults.
//!
//! Every step runs shipped code: the loop of `bowline-control` is made of a state, given one event, turn or answer, and a
//! state is made of it again; what is written goes through `bowline-kernel`.
//!
//! # What is left out, and why nothing is lost by it
//! - An answer comes with what it answers, unless it is lost or late.
//! - Which key that waits is next is free: order is explored in `workqueue`.
//! - A leader that is paused is the requests that it left behind: it looks at its lease before each effect.
//! - A start lists everything at once.
//! - Events are never merged but by a list ([`Fault::Relist`]).
//! - How long a timer takes: one that nobody else can make unnecessary goes off; any other does if a clock jumps.

mod action;
mod coverage;
mod faults;
mod flat;
mod normal;
mod room;
mod server;
mod show;
mod state;
mod system;
#[cfg(test)]
mod tests;

use bowline_control::{Millis, Settings};
use bowline_explorer::{Class, Field, Model, Property};

pub(crate) use self::action::Action;
use self::coverage::Coverage;
pub(crate) use self::faults::{FAULTS, Fault};
pub(crate) use self::flat::{Flat, Post, SLOTS, Verb};
use self::room::Reply;
use self::server::{Came, Server};
pub(crate) use self::state::{Doing, Known, Need, PEOPLE, State, What};
use self::state::{KEYS, LATE, News};
pub(crate) use self::system::{Deed, Edit, Objects, System, Who};
use crate::budgets::Coverage as Table;
use crate::catalogue::Catalogued;

/// How large a run is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) instances: u8,
    pub(crate) workers: u8,
    pub(crate) lag: u8,
    /// Effects without coming to rest that are too many; 0 if they are not counted.
    pub(crate) effects: u8,
    pub(crate) faults: [u8; FAULTS],
    pub(crate) people: [u8; PEOPLE],
}

/// How the loop, those who carry for it, and the server do their work. Mutants do it otherwise.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    /// What else becomes of a step.
    pub(crate) then: fn(before: &State, action: &Action, after: &mut State),
    /// Whether a key's effect can be carried.
    pub(crate) carries: fn(&State, key: u8) -> bool,
    /// Where a write goes.
    pub(crate) place: fn(&State, &Post) -> u8,
}

pub(crate) static SHIPPED: Rules =
    Rules { then: |_, _, _| {}, carries: |_, _| true, place: |_, post| post.slot };

/// A system in the harness.
pub(crate) struct Harness<S> {
    pub(crate) system: S,
    rules: Rules,
    bounds: Bounds,
    settings: Settings,
    pub(crate) coverage: Coverage,
}

impl<S: System> Harness<S> {
    pub(crate) fn new(system: S, bounds: Bounds, rules: Rules) -> Harness<S> {
        let effects = if bounds.effects == 0 { u32::MAX } else { bounds.effects.into() };
        let catch_up = Millis(1);
        let settings = Settings { effects, catch_up, ..Settings::default() };
        Harness { system, rules, bounds, settings, coverage: Coverage::new() }
    }

    pub(crate) fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    fn kinds(&self) -> u8 {
        self.system.kinds().len() as u8
    }

    /// What has happened will be shown; who lags too much is shown the oldest now.
    fn publish(&self, s: &mut State, news: News) {
        let kind = S::kind(news.slot);
        if s.behind(kind) >= usize::from(self.bounds.lag) && s.behind(kind) > 0 {
            self.show(s, kind);
        }
        let place = s.behind(kind);
        s.pending[usize::from(kind)][place] = Some(news);
        if self.bounds.lag == 0 {
            self.show(s, kind);
        }
    }

    fn show(&self, s: &mut State, kind: u8) {
        let pending = &mut s.pending[usize::from(kind)];
        let Some(news) = pending[0].take() else { return };
        pending.rotate_left(1);
        room::show(&self.system, self.settings, s, news);
    }

    fn write(&self, s: &mut State, post: Post) -> Came {
        let post = Post { slot: (self.rules.place)(s, &post), ..post };
        let (came, news) = Server::<S>::of(s).write(post, s.next_uid(post.slot));
        if let Some(news) = news {
            self.publish(s, news);
        }
        came
    }

    /// Carries the effect of a key, and gives the loop its answer, which may be silence.
    fn carry(&self, s: &mut State, key: u8, arrives: bool, answers: bool) {
        let Some(doing) = s.keys[usize::from(key)].doing else { return };
        let (slot, came) = match doing.what {
            What::Write(post) if arrives => ((self.rules.place)(s, &post), self.write(s, post)),
            What::Write(post) => (post.slot, Came::Gone),
            What::Look(slot) => (slot, s.truth()[usize::from(slot)].map_or(Came::Gone, Came::Is)),
        };
        let reply = if answers { Reply::Came(came) } else { Reply::Silence };
        room::answer(&self.system, self.settings, s, key, slot, &reply);
    }

    /// The process has ended.
    fn restart(&self, s: &mut State) {
        room::start(&self.system, self.settings, s);
    }

    /// Whether a timer is the only thing that can bring a key on.
    fn only_a_timer_helps(s: &State, known: &Known) -> bool {
        match known.need {
            Need::At { slot, .. } | Need::Gone { slot, .. } => s.behind(S::kind(slot)) == 0,
            Need::Nothing | Need::Look(_) => true,
        }
    }

    fn actions_of_key(&self, s: &State, key: u8, free: bool, out: &mut Vec<Action>) {
        let known = &s.keys[usize::from(key)];
        if let Some(doing) = known.doing {
            out.extend((self.rules.carries)(s, key).then_some(Action::Carry(key)));
            if s.budgets.has(Fault::LostRequest) {
                out.push(Action::LoseRequest(key));
            }
            if s.budgets.has(Fault::LostReply) {
                out.push(Action::LoseReply(key));
                let may_be_late = matches!(doing.what, What::Write(_)) && s.late.contains(&None);
                out.extend(may_be_late.then_some(Action::Delay(key)));
            }
            return;
        }
        if !free {
            return;
        }
        if known.waits {
            out.push(Action::Turn(key));
        } else if known.due || known.is_parked() {
            if Self::only_a_timer_helps(s, known) {
                out.push(Action::Wake(key));
            } else if s.budgets.has(Fault::Clock) {
                out.push(Action::Jump(key));
            }
        }
    }

    fn faults_of_all(&self, s: &State, truth: &Objects, out: &mut Vec<Action>) {
        let is_writing =
            s.keys.iter().any(|known| matches!(known.doing, Some(Doing { what: What::Write(_), .. })));
        if s.budgets.has(Fault::Crash) {
            out.push(Action::Crash(false));
            out.extend(is_writing.then_some(Action::Crash(true)));
        }
        if s.budgets.has(Fault::TwoLeaders) && s.late.contains(&None) {
            out.push(Action::Depose);
        }
        if s.budgets.has(Fault::Conflict) {
            let there = (0..SLOTS as u8).filter(|slot| truth[usize::from(*slot)].is_some());
            out.extend(there.map(Action::Touch));
        }
        if s.budgets.has(Fault::Relist) {
            for kind in 0..self.kinds() {
                out.extend([Action::Relist(kind, true), Action::Relist(kind, false)]);
            }
        }
    }

    fn suffer(&self, s: &mut State, action: Action) {
        match action {
            Action::Crash(applied) => {
                for key in 0..KEYS as u8 {
                    if let Some(Doing { what: What::Write(post), .. }) = s.keys[usize::from(key)].doing
                        && applied
                    {
                        self.write(s, post);
                    }
                }
                self.restart(s);
            }
            Action::Depose => {
                for known in s.keys {
                    if let Some(Doing { what: What::Write(post), .. }) = known.doing {
                        self.leave(s, post);
                    }
                }
                self.restart(s);
            }
            Action::Touch(slot) => {
                let version = s.next_version();
                if let Some(flat) = s.truth()[usize::from(slot)] {
                    self.publish(s, News { slot, gone: false, object: Flat { version, ..flat } });
                }
            }
            Action::LoseRequest(key) => self.carry(s, key, false, false),
            Action::LoseReply(key) => self.carry(s, key, true, false),
            Action::Delay(key) => {
                if let Some(Doing { what: What::Write(post), .. }) = s.keys[usize::from(key)].doing {
                    self.leave(s, post);
                }
                self.carry(s, key, false, false);
            }
            Action::Relist(kind, covers) => {
                room::list(&self.system, self.settings, s, kind, covers);
            }
            Action::Jump(key) => room::turn(&self.system, self.settings, s, key, true),
            _ => unreachable!("{action:?} is no fault"),
        }
    }

    /// A request is left behind. If there are too many, the oldest never arrives.
    fn leave(&self, s: &mut State, post: Post) {
        let place = s.late.iter().position(Option::is_none).unwrap_or(0);
        s.late[place] = Some(post);
        // Which of them was left first is of no importance.
        s.late[..LATE].sort_unstable();
    }

    fn deed(&self, s: &mut State, deed: Deed) {
        if let Who::Person(budget) = deed.who {
            s.people[usize::from(budget)] -= 1;
        }
        let news = Server::<S>::of(s).edit(deed, s.next_uid(deed.slot));
        if let Some(news) = news {
            self.publish(s, news);
        }
    }
}

impl<S: System> Catalogued for Harness<S> {
    fn coverage(&self) -> Option<Table> {
        let hits = Fault::ALL.into_iter().zip(Fault::NAMES).map(|(fault, name)| {
            let hit = |point: usize| self.coverage.has(fault, point);
            (name, (0..S::POINTS.len()).map(hit).collect())
        });
        Some(Table { effects: S::POINTS, hits: hits.collect() })
    }
}

impl<S: System> Model for Harness<S> {
    type State = State;
    type Action = Action;

    fn init(&self) -> Vec<State> {
        let mut state = State::new(self.bounds.faults, self.bounds.people);
        self.restart(&mut state);
        vec![self.canonical(state)]
    }

    fn actions(&self, s: &State, out: &mut Vec<Action>) {
        let busy = s.keys.iter().filter(|known| known.doing.is_some()).count();
        for key in 0..self.bounds.instances {
            self.actions_of_key(s, key, busy < usize::from(self.bounds.workers), out);
        }
        out.extend((0..self.kinds()).filter(|kind| s.behind(*kind) > 0).map(Action::Show));
        out.extend((0..LATE as u8).filter(|late| s.late[usize::from(*late)].is_some()).map(Action::Arrive));
        let truth = s.truth();
        // Who has all of its owners is left alone: most of the time nobody has to ask the collector.
        let lost = |flat: Flat| {
            let (slot, uid) = flat.owner?;
            Some(truth[usize::from(slot)].is_none_or(|owner| owner.uid != uid))
        };
        let due = |slot: &u8| truth[usize::from(*slot)].and_then(lost) == Some(true);
        let orphans = (0..SLOTS as u8).filter(due);
        out.extend(orphans.filter(|slot| Server::<S>::of(s).chore(*slot).is_some()).map(Action::Collect));
        let mut deeds = Vec::new();
        self.system.deeds(&truth, self.bounds.instances, &mut deeds);
        out.extend(
            deeds
                .into_iter()
                .filter(|deed| match deed.who {
                    Who::Person(budget) => s.people[usize::from(budget)] > 0,
                    Who::Runner => true,
                    Who::Drift => s.budgets.has(Fault::Drift),
                })
                .map(Action::Deed),
        );
        self.faults_of_all(s, &truth, out);
    }

    fn next(&self, before: &State, action: &Action) -> State {
        let mut s = *before;
        if let Some(fault) = action.fault() {
            s.budgets.take(fault);
            let hit = before.keys.iter().filter_map(|known| match action {
                // A timer goes off while nothing is under way: after this.
                Action::Jump(_) => known.after,
                _ => known.doing.map(|doing| doing.point),
            });
            hit.for_each(|point| self.coverage.mark(fault, point));
        }
        match *action {
            Action::Turn(key) => room::turn(&self.system, self.settings, &mut s, key, false),
            Action::Wake(key) => room::turn(&self.system, self.settings, &mut s, key, true),
            Action::Carry(key) => self.carry(&mut s, key, true, true),
            Action::Show(kind) => self.show(&mut s, kind),
            Action::Arrive(late) => {
                if let Some(post) = s.late[usize::from(late)].take() {
                    self.write(&mut s, post);
                }
                s.late.sort_unstable();
            }
            Action::Deed(deed) => self.deed(&mut s, deed),
            Action::Collect(slot) => {
                let mut server = Server::<S>::of(&s);
                if let Some(news) = server.chore(slot).and_then(|request| server.perform(request).1) {
                    self.publish(&mut s, news);
                }
            }
            fault => self.suffer(&mut s, fault),
        }
        (self.rules.then)(before, action, &mut s);
        s.ghost = self.system.ghost(before, action, &s);
        s
    }

    fn canonical(&self, state: State) -> State {
        normal::normal::<S>(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        self.system.properties()
    }

    fn class(&self, action: &Action) -> Class {
        let keys = KEYS as u8;
        let number = match *action {
            Action::Turn(key) => key,
            Action::Wake(key) => keys + key,
            Action::Carry(key) => 2 * keys + key,
            Action::Show(kind) => 3 * keys + kind,
            Action::Collect(slot) => 3 * keys + self.kinds() + slot,
            Action::Deed(Deed { who: Who::Runner, slot, .. }) => 3 * keys + self.kinds() + SLOTS as u8 + slot,
            _ => return Class::UNFAIR,
        };
        Class::new(number.into())
    }

    fn fairness(&self) -> Vec<String> {
        let keys = |name: &'static str| (1..=KEYS).map(move |key| format!("{name}({key})"));
        let kinds = self.system.kinds().iter().map(|kind| format!("Show({kind:?})"));
        let slots =
            |name: &'static str| (0..SLOTS as u8).map(move |slot| format!("{name}({})", S::place_name(slot)));
        let own = keys("Turn").chain(keys("Wake")).chain(keys("Carry"));
        own.chain(kinds).chain(slots("Collect")).chain(slots("Runner")).collect()
    }

    fn action_name(&self, action: &Action) -> String {
        action.name(&self.system)
    }

    fn fields(&self, s: &State) -> Vec<Field> {
        show::fields(&self.system, &self.bounds, s)
    }
}
