//! The harness: any controller × the loop × the API kernel × caches that lag, each kind by itself × workers × what is outside ×
//! faults.
//!
//! Every step runs shipped code: the loop of `bowline-control` is made of a state, given one event, turn or answer, and a
//! state is made of it again; what is written goes through `bowline-kernel`.
//!
//! # What is left out, and why nothing is lost by it
//! - An answer comes with what it answers, unless it is lost or late ([`Rules::apart`] takes that away, to compare).
//! - Which key that waits is next is free: order is explored in `workqueue`.
//! - A leader that is paused is the requests that it left behind: it looks at its lease before each effect.
//! - A start lists everything at once.
//! - Events are never merged but by a list ([`Fault::Relist`]).
//! - How long a timer takes: one that nobody else can make unnecessary goes off; any other does if a clock jumps.
//! - When the outside said what is remembered: it is new until the key has its turn by a timer, or a clock jumps, and old from
//!   then on until the outside has said something again (`room.rs`).

mod action;
mod coverage;
mod faults;
mod flat;
mod normal;
mod outside;
mod room;
mod server;
mod show;
mod state;
mod system;
#[cfg(test)]
mod tests;
mod weather;

use bowline_control::{Millis, Settings};
use bowline_explorer::{Class, Field, Model, Property};

pub(crate) use self::action::Action;
use self::coverage::Coverage;
pub(crate) use self::faults::{FAULTS, Fault};
pub(crate) use self::flat::{BODY, Flat, Post, SLOTS, Verb, padded};
use self::outside::ReplyOf;
pub(crate) use self::outside::{Ask, Note, Nothing, Outside};
use self::room::Reply;
use self::server::{Came, Server};
use self::state::{Answer, Asked, LATE, News};
pub(crate) use self::state::{Doing, KEYS, Known, Late, NODES, Need, PEOPLE, State, What};
pub(crate) use self::system::{Deed, Edit, Objects, System, Who};
use crate::budgets::{Coverage as Table, Hit};
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
    /// Whether answers to writes and looks come apart from what they answer, and not with it.
    pub(crate) apart: bool,
}

pub(crate) static SHIPPED: Rules =
    Rules { then: |_, _, _| {}, carries: |_, _| true, place: |_, post| post.slot, apart: false };

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
        let (came, news) = Server::<S>::of(s).write(post, s.next_uid::<S>(post.slot));
        if let Some(news) = news {
            self.publish(s, news);
        }
        came
    }

    /// Somebody who is not in this system has written to an object of it.
    pub(crate) fn hear(&self, s: &mut State, slot: u8, flat: Flat) {
        let version = s.next_version();
        self.publish(s, News { slot, gone: false, object: Flat { version, ..flat } });
    }

    /// A call arrives, and fails if there is a way.
    fn call(&self, s: &mut State, ask: Ask, way: Option<u8>) -> ReplyOf<S> {
        let mut seen = S::seen_outside(s);
        let outside = seen.as_mut().unwrap_or(&mut s.outside[usize::from(ask.key)]);
        <S::Outside as Outside<S>>::perform(&self.system, outside, &ask, way)
    }

    /// Carries the effect of a key, and gives the loop its answer, which may be silence.
    fn carry(&self, s: &mut State, key: u8, arrives: bool, answers: bool) {
        let Some(doing) = s.keys[usize::from(key)].doing else { return };
        let reply = match doing.what {
            What::Write(post) if arrives => {
                let slot = (self.rules.place)(s, &post);
                Reply::Came(slot, self.write(s, post))
            }
            What::Call(ask) if arrives => Reply::Said(self.call(s, ask, None)),
            What::Write(_) | What::Call(_) => Reply::Silence,
            What::Look(slot) => Reply::Came(slot, look(s, slot)),
            What::Answer(answer) => Reply::Came(answer.place, answer.came),
        };
        let reply = if answers { reply } else { Reply::Silence };
        room::answer(&self.system, self.settings, s, key, reply);
    }

    /// The request of a key arrives and is applied; its answer sets out.
    fn apply(&self, s: &mut State, key: u8) {
        let Some(doing) = s.keys[usize::from(key)].doing else { return };
        let answer = match doing.what {
            What::Write(post) => {
                let place = (self.rules.place)(s, &post);
                let asked = Asked::Write(post.read.map(|(uid, _)| uid));
                Answer { asked, slot: post.slot, place, came: self.write(s, post) }
            }
            What::Look(slot) => Answer { asked: Asked::Look, slot, place: slot, came: look(s, slot) },
            What::Call(_) | What::Answer(_) => {
                unreachable!("only what is asked of the API is answered apart")
            }
        };
        s.keys[usize::from(key)].doing = Some(Doing { what: What::Answer(answer), ..doing });
    }

    /// The process has ended.
    fn restart(&self, s: &mut State) {
        s.each_flat(S::forget_epoch);
        s.outside.iter_mut().for_each(<S::Outside as Outside<S>>::ended);
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
            let is_asked = self.rules.apart && matches!(doing.what, What::Write(_) | What::Look(_));
            let carry = if is_asked { Action::Apply(key) } else { Action::Carry(key) };
            out.extend((self.rules.carries)(s, key).then_some(carry));
            let has_arrived = matches!(doing.what, What::Answer(_));
            if s.budgets.has(Fault::LostRequest) && !has_arrived {
                out.push(Action::LoseRequest(key));
            }
            if s.budgets.has(Fault::LostReply) {
                out.push(Action::LoseReply(key));
                let may_be_late = Self::left_behind(doing.what).is_some() && s.late.contains(&None);
                out.extend(may_be_late.then_some(Action::Delay(key)));
            }
            if matches!(doing.what, What::Call(_)) && s.budgets.has(Fault::Provider) {
                let ways = 0..<S::Outside as Outside<S>>::WAYS.len() as u8;
                out.extend(ways.map(|way| Action::Fail(key, way)));
            }
            return;
        }
        if !free {
            return;
        }
        if known.waits {
            out.push(Action::Turn(key));
            let may_be_old = known.is_fresh() && s.budgets.has(Fault::Clock);
            out.extend(may_be_old.then_some(Action::Jump(key)));
        } else if known.due || known.is_parked() {
            if Self::only_a_timer_helps(s, known) {
                out.push(Action::Wake(key));
            } else if s.budgets.has(Fault::Clock) {
                out.push(Action::Jump(key));
            }
        }
    }

    fn deed(&self, s: &mut State, deed: Deed) {
        if let Who::Person(budget) = deed.who {
            s.people[usize::from(budget)] -= 1;
        }
        match deed.what {
            Edit::Outside(key, note) => s.outside[usize::from(key)] = note,
            Edit::Node(number, node) => s.nodes[usize::from(number)] = node,
            Edit::Create(_) | Edit::Replace(_) | Edit::Delete => {}
        }
        let news = Server::<S>::of(s).edit(deed, s.next_uid::<S>(deed.slot));
        if let Some(news) = news {
            self.publish(s, news);
        }
    }
}

/// What somebody sees who looks at a place now.
fn look(s: &State, slot: u8) -> Came {
    s.truth()[usize::from(slot)].map_or(Came::Gone, Came::Is)
}

/// The kinds of faults of a system, as in `--faults`.
pub(crate) const fn kinds_of<S: System>() -> &'static [&'static str] {
    if outside::is_there::<S>() { &Fault::NAMES } else { Fault::NAMES_WITHIN }
}

impl<S: System> Catalogued for Harness<S> {
    fn coverage(&self) -> Option<Table> {
        let hit = |fault: Fault, point: usize| match self.coverage.has(fault, point) {
            _ if !self.system.can_hit(fault, point) => Hit::Never,
            true => Hit::Yes,
            false => Hit::Not,
        };
        let hits = Fault::ALL.into_iter().zip(kinds_of::<S>());
        let hits = hits.map(|(fault, name)| (*name, (0..S::POINTS.len()).map(|at| hit(fault, at)).collect()));
        Some(Table { effects: S::POINTS, hits: hits.collect() })
    }
}

impl<S: System> Model for Harness<S> {
    type State = State;
    type Action = Action;

    fn init(&self) -> Vec<State> {
        let begins = |(objects, outside): (Objects, [Note; KEYS])| {
            let mut state = State::new(self.bounds.faults, self.bounds.people);
            (state.shown, state.outside, state.nodes) = (objects, outside, self.system.nodes());
            self.restart(&mut state);
            self.canonical(state)
        };
        self.system.beginnings().into_iter().map(begins).collect()
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
        self.system.deeds(&truth, s, self.bounds.instances, &mut deeds);
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
            Action::Wake(key) => {
                if S::outlasts(&s, key) {
                    s.late = s.late.map(|late| late.filter(|late| matches!(late, Late::Write(_))));
                    s.late.sort_unstable();
                }
                room::turn(&self.system, self.settings, &mut s, key, true);
            }
            Action::Carry(key) => self.carry(&mut s, key, true, true),
            Action::Apply(key) => self.apply(&mut s, key),
            Action::Show(kind) => self.show(&mut s, kind),
            Action::Arrive(late) => {
                match s.late[usize::from(late)].take() {
                    Some(Late::Write(post)) => drop(self.write(&mut s, post)),
                    Some(Late::Call(ask)) => drop(self.call(&mut s, ask, None)),
                    None => {}
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
        normal::normal::<S>(state, self.rules.apart)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        self.system.properties()
    }

    fn class(&self, action: &Action) -> Class {
        self.class_number(action).map_or(Class::UNFAIR, Class::new)
    }

    fn fairness(&self) -> Vec<String> {
        let keys = |name: &'static str| (1..=KEYS).map(move |key| format!("{name}({key})"));
        let kinds = (0..self.kinds()).map(|kind| format!("Show({})", self.system.kind_name(kind)));
        let slots =
            |name: &'static str| (0..SLOTS as u8).map(move |slot| format!("{name}({})", S::place_name(slot)));
        let own = keys("Turn").chain(keys("Wake")).chain(keys("Carry"));
        own.chain(kinds).chain(slots("Collect")).chain(slots("Runner")).chain(keys("Apply")).collect()
    }

    fn action_name(&self, action: &Action) -> String {
        action.name(&self.system)
    }

    fn fields(&self, s: &State) -> Vec<Field> {
        show::fields(&self.system, &self.bounds, s)
    }
}
