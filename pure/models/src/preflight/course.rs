//! How a group goes on: the hub's steps, by the decisions that are shipped, and what nodes and people do.

use std::collections::BTreeMap;

use bowline_control::{Decision, Effect, Millis, Moment, Version, Write};
use bowline_upgrades::{
    Command, Group, Look, Member, Memory, Object, Phase, Pulse, Snapshot, Status, Step, Verb,
};

use super::Preflight;
use super::few::Few;
use super::properties::{keeps_quorum, keeps_serving};
use super::state::{Life, Link, Place, Stands, State};

/// When everything is done that does not wait for time to pass.
const SOON: Millis = Millis(0);
/// When all time has passed that anybody waits for.
const LATER: Millis = Millis(1 << 50);

/// What can happen.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// The hub takes a step, and tells members what follows from it.
    Hub(HubStep),
    /// The hub takes a step because time has passed.
    Time(HubStep),
    /// A person gives a command, and it is done.
    Command(Verb, Option<u16>),
    /// A node does what it was told.
    React(u16),
    /// A node's software was asked how it is for the first time.
    Probe(u16),
    /// A node goes down.
    GoDown(u16),
    /// A node's lease lapses.
    Lapse(u16),
    /// A node's software cannot be kept alive.
    Fail(u16),
    /// A node that was down is up again.
    ComeBack(u16),
    /// A node's software that could not be kept alive is started again.
    StartAgain(u16),
}

/// A step of the hub.
#[derive(Clone, PartialEq, Debug)]
pub struct HubStep(pub(super) Step<Few>);

impl Preflight {
    /// What the hub sees: everything, as it is.
    pub(super) fn snapshot(&self, s: &State, command: Option<Command<Few>>) -> Snapshot<Few> {
        let member = |(name, place): (u16, &Place)| {
            let member = Member {
                name,
                group: 0,
                uid: 1,
                version: Version(1),
                generation: 1,
                deleting: false,
                held: true,
                desired: place.desired.clone(),
                report: place.report.clone(),
            };
            (name, member)
        };
        let lease = |(name, place): (u16, &Place)| {
            let pulse = if place.link == Link::Gone { Pulse::Lapsed } else { Pulse::Live };
            (name, (1, pulse))
        };
        let leases: BTreeMap<_, _> = (0..).zip(&s.places).map(lease).collect();
        let mut wish = self.wish.clone();
        wish.command = command;
        let group = Group {
            name: 0,
            uid: 1,
            version: Version(1),
            generation: 1,
            deleting: false,
            held: true,
            wish,
            status: s.status.clone(),
            told: None,
        };
        Snapshot {
            group: Some(group),
            members: (0..).zip(&s.places).map(member).collect(),
            cluster: None,
            memory: Memory { look: Some(Look { at: SOON, leases, suspect: false }) },
        }
    }

    fn decides(&self, shown: &Snapshot<Few>, wall: Millis) -> Option<Step<Few>> {
        match (self.shape.decide)(shown, moment(wall)) {
            Decision::Do(step) => Some(step),
            Decision::Wait { .. } | Decision::Converged => None,
        }
    }

    /// What the hub does next, if it does anything now; or when time has passed.
    fn next_step(&self, s: &State) -> Option<Action> {
        let shown = self.snapshot(s, None);
        match s.stands {
            Stands::Acts => self.decides(&shown, SOON).map(|step| Action::Hub(HubStep(step))),
            Stands::Waits if s.is_quiet() => {
                self.decides(&shown, LATER).map(|step| Action::Time(HubStep(step)))
            }
            Stands::Waits | Stands::Rests => None,
        }
    }

    fn carry(&self, s: &mut State, shown: &Snapshot<Few>, step: &Step<Few>, wall: Millis) {
        match (self.shape.effect)(shown, step, moment(wall)) {
            Effect::Write(Write::Status { after: Object::Group(after), .. }) => self.record(s, after.status),
            Effect::Write(Write::Change { after: Object::Member(after), .. }) => {
                s.places[usize::from(after.name)].told(after.desired);
            }
            other => unreachable!("nothing else is done here: {other:?}"),
        }
    }

    /// What is recorded now. Times, attempts and answers are of no importance here.
    fn record(&self, s: &mut State, after: Status<Few>) {
        let before = s.status.serving;
        s.status = Status { attempt: 0, since: SOON, answered: None, ..after };
        s.begun |= s.status.phase != Phase::Inactive;
        let keeps = keeps_quorum(s) && keeps_serving(s);
        if before != s.status.serving && !keeps {
            s.forced = true;
        } else if keeps && s.status.hand.is_none() {
            s.forced = false;
        }
    }

    /// Members are told what follows from what is recorded; and those do it at once for whom it makes no difference to anybody
    /// else. To whom it does, that is a step of its own.
    pub(super) fn settled(&self, mut s: State) -> State {
        loop {
            for place in s.places.iter_mut().filter(|place| place.is_up() && !place.noticed) {
                let after = place.reacted();
                if !place.is_seen_to_change(&after) {
                    *place = after;
                }
            }
            let shown = self.snapshot(&s, None);
            s.stands = match self.decides(&shown, SOON) {
                Some(step @ Step::Tell(_)) => {
                    self.carry(&mut s, &shown, &step, SOON);
                    continue;
                }
                Some(_) => Stands::Acts,
                None if self.decides(&shown, LATER).is_some() => Stands::Waits,
                None => Stands::Rests,
            };
            return s;
        }
    }

    pub(super) fn possible(&self, s: &State, out: &mut Vec<Action>) {
        out.extend(self.next_step(s));
        for (number, place) in (0..).zip(&s.places) {
            match place.link {
                Link::Up if !place.noticed => out.push(Action::React(number)),
                Link::Up if place.life == Life::New => out.push(Action::Probe(number)),
                Link::Down => out.push(Action::Lapse(number)),
                Link::Up | Link::Gone => {}
            }
        }
        // What happens before the upgrade, or after it, is not the plan's.
        if s.begun && s.status.phase != Phase::Inactive {
            self.strikes(s, out);
        }
        self.by_people(s, out);
    }

    /// What goes wrong, and what mends by itself.
    fn strikes(&self, s: &State, out: &mut Vec<Action>) {
        for (number, place) in (0..).zip(&s.places) {
            if s.crashes > 0 && place.is_up() {
                out.push(Action::GoDown(number));
            }
            if s.crashes > 0 && place.is_alive() {
                out.push(Action::Fail(number));
            }
            if self.storm.returns && !place.is_up() {
                out.push(Action::ComeBack(number));
            }
            if self.storm.returns && place.is_up() && place.life == Life::Failed {
                out.push(Action::StartAgain(number));
            }
        }
    }

    /// What people command: a rollback at any moment; and when nothing else goes on, in a group that is upgraded by command
    /// everything that is accepted, in another one what ends what waits for a person.
    fn by_people(&self, s: &State, out: &mut Vec<Action>) {
        let is_under_way = matches!(s.status.phase, Phase::Initialized | Phase::Upgraded);
        if s.rollbacks > 0 && is_under_way {
            out.push(Action::Command(Verb::Rollback, None));
        }
        // An upgrade that has not begun to move anybody, and is reset, would only begin again.
        let resets = s.status.phase == Phase::RolledBack;
        if s.stands == Stands::Acts || s.begun && s.status.phase == Phase::Inactive {
            return;
        }
        let verbs: &[Verb] = match (self.wish.automatic, s.is_at_rest()) {
            (_, false) => &[],
            (true, true) => &[Verb::Commit, Verb::Forward],
            (false, true) => &[Verb::Initialize, Verb::Node, Verb::Run, Verb::Commit, Verb::Forward],
        };
        if !verbs.is_empty() {
            let shown = self.snapshot(s, None);
            let verbs = verbs.iter().chain(resets.then_some(&Verb::Reset));
            out.extend(verbs.flat_map(|verb| self.accepted(&shown, *verb)));
        }
    }

    /// The commands of a verb that would be accepted.
    fn accepted<'a>(&'a self, shown: &'a Snapshot<Few>, verb: Verb) -> impl Iterator<Item = Action> + 'a {
        let members: Vec<_> = match verb.is_about_a_member() {
            true => shown.members.keys().copied().map(Some).collect(),
            false => vec![None],
        };
        let is_accepted = move |member: &Option<u16>| {
            (self.shape.would)(shown, &Command { verb, member: *member, ticket: 1 }).is_ok()
        };
        members.into_iter().filter(is_accepted).map(move |member| Action::Command(verb, member))
    }

    /// Whether a person could do something.
    pub(super) fn some_command(&self, s: &State) -> bool {
        let shown = self.snapshot(s, None);
        Verb::ALL.into_iter().any(|verb| self.accepted(&shown, verb).next().is_some())
    }

    pub(super) fn after(&self, s: &State, action: &Action) -> State {
        let mut after = s.clone();
        match action {
            Action::Hub(HubStep(step)) => self.carry(&mut after, &self.snapshot(s, None), step, SOON),
            Action::Time(HubStep(step)) => self.carry(&mut after, &self.snapshot(s, None), step, LATER),
            Action::Command(verb, member) => {
                let shown = self.snapshot(s, Some(Command { verb: *verb, member: *member, ticket: 1 }));
                match self.decides(&shown, SOON) {
                    // What has to be recorded, told or handed over comes first: then it is given after that.
                    Some(step) if answers(&step, *verb) => self.carry(&mut after, &shown, &step, SOON),
                    _ => return after,
                }
                after.rollbacks -= u8::from(*verb == Verb::Rollback && after.rollbacks > 0);
            }
            Action::React(number) => replace(&mut after, *number, Place::reacted),
            Action::Probe(number) => {
                let is_sick = s.sick && s.place(*number).runs == Some(self.to);
                replace(&mut after, *number, |place| place.probed(is_sick));
            }
            Action::GoDown(number) => {
                after.crashes -= 1;
                replace(&mut after, *number, Place::downed);
            }
            Action::Lapse(number) => after.places[usize::from(*number)].link = Link::Gone,
            Action::Fail(number) => {
                after.crashes -= 1;
                replace(&mut after, *number, Place::failed);
            }
            Action::ComeBack(number) => replace(&mut after, *number, Place::back),
            Action::StartAgain(number) => replace(&mut after, *number, Place::started_again),
        }
        self.settled(after)
    }
}

fn replace(s: &mut State, number: u16, change: impl FnOnce(&Place) -> Place) {
    let place = &mut s.places[usize::from(number)];
    *place = change(place);
}

fn moment(wall: Millis) -> Moment {
    Moment { clock: SOON, wall, ..Moment::default() }
}

/// Whether a step is what a command of this verb comes to.
fn answers(step: &Step<Few>, verb: Verb) -> bool {
    match step {
        Step::Initialize => verb == Verb::Initialize,
        Step::Take(_) => verb == Verb::Node,
        Step::Run => verb == Verb::Run,
        Step::Commit => verb == Verb::Commit,
        Step::Rollback => verb == Verb::Rollback,
        Step::Reset => verb == Verb::Reset,
        Step::Forward => verb == Verb::Forward,
        Step::Forget(_) => verb == Verb::Forget,
        _ => false,
    }
}
