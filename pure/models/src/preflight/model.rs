//! A plan as a model of the explorer's.

use bowline_explorer::{Class, Field, Model, Property};
use bowline_upgrades::{Epoch, Lists, Mastery, Phase, Verb};

use super::Preflight;
use super::course::{Action, HubStep};
use super::few::Few;
use super::properties;
use super::state::{Life, Link, Place, State};

/// The hub; the nodes come after it.
const HUB: u16 = 0;

impl Model for Preflight {
    type State = State;
    type Action = Action;

    fn init(&self) -> Vec<State> {
        self.beginnings.clone()
    }

    fn actions(&self, s: &State, out: &mut Vec<Action>) {
        self.worst.see(self, s);
        self.possible(s, out);
    }

    fn next(&self, s: &State, action: &Action) -> State {
        self.after(s, action)
    }

    fn properties(&self) -> Vec<Property<Preflight>> {
        properties::all()
    }

    fn class(&self, action: &Action) -> Class {
        match action {
            Action::Hub(_) | Action::Time(_) => Class::new(HUB),
            Action::React(number) | Action::Probe(number) | Action::Lapse(number) => {
                Class::new(HUB + 1 + number)
            }
            Action::Command(..)
            | Action::GoDown(_)
            | Action::Fail(_)
            | Action::ComeBack(_)
            | Action::StartAgain(_) => Class::UNFAIR,
        }
    }

    fn fairness(&self) -> Vec<String> {
        let nodes = self.roster.members.iter().cloned();
        std::iter::once("the hub".to_owned()).chain(nodes).collect()
    }

    /// Epochs are counted anew: nobody calculates with them, and what is equal or greater stays so.
    fn canonical(&self, mut s: State) -> State {
        for device in 0..self.roster.devices.len() as u16 {
            let mut known = Vec::new();
            each_epoch(&mut s, device, &mut |epoch| known.push(*epoch));
            known.sort();
            known.dedup();
            each_epoch(&mut s, device, &mut |epoch| {
                let rank = known.binary_search(epoch).unwrap_or_default();
                *epoch = Epoch(rank as u64 + 1);
            });
        }
        s
    }

    fn action_name(&self, action: &Action) -> String {
        let name = |number: &u16| self.roster.member(*number);
        match action {
            Action::Hub(HubStep(step)) => format!("the hub: {}", self.roster.step(step)),
            Action::Time(HubStep(step)) => format!("the hub, after a while: {}", self.roster.step(step)),
            Action::Command(verb, None) => format!("a person: {}", word(*verb)),
            Action::Command(verb, Some(number)) => format!("a person: {} {}", word(*verb), name(number)),
            Action::React(number) => format!("{} does what it was told", name(number)),
            Action::Probe(number) => format!("{} is asked whether it works", name(number)),
            Action::GoDown(number) => format!("{} goes down", name(number)),
            Action::Lapse(number) => format!("{} is silent for longer than its lease", name(number)),
            Action::Fail(number) => format!("{} cannot keep its software alive", name(number)),
            Action::ComeBack(number) => format!("{} comes back", name(number)),
            Action::StartAgain(number) => format!("{} starts its software again", name(number)),
        }
    }

    fn fields(&self, s: &State) -> Vec<Field> {
        let mut fields = self.of_group(s);
        for (number, place) in (0..).zip(&s.places) {
            fields.push(Field::new(self.roster.member(number), self.of_place(s, number, place)));
        }
        for number in 0..self.roster.devices.len() as u16 {
            let mastery = s.status.devices.get(&number);
            fields.push(Field::new(self.roster.device(number), self.of_device(mastery)));
        }
        fields
    }
}

impl Preflight {
    fn of_group(&self, s: &State) -> Vec<Field> {
        let version = |number: Option<u16>| number.map_or("nothing", |number| self.roster.version(number));
        let status = &s.status;
        let hand = status.hand.as_ref().map_or("nobody".to_owned(), |hand| {
            let how = if hand.moves { "is moving" } else { "lets go" };
            format!("{}, to {}: {how}", self.roster.member(hand.member), self.roster.version(hand.to))
        });
        let last = status.last.map_or("nobody", |last| self.roster.member(last));
        let failed = status.failed.map(|(failed, _)| failed);
        let marks = [
            (s.begun, "has begun"),
            (status.pair.is_some(), "is under way"),
            (status.forwarded, "gone forward with"),
            (failed.is_some(), "rolled back"),
            (s.forced, "serves without a quorum"),
            (s.sick, "the new version never works"),
        ];
        let marks: Vec<_> = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
        let mut fields = vec![
            Field::new("phase", phase(status.phase)),
            Field::new("serves", version(status.serving)),
            Field::new("in hand", hand),
            Field::new("moved last", last),
            Field::new("and", marks.join(", ")),
            Field::new("left", format!("{} crashes, {} rollbacks", s.crashes, s.rollbacks)),
        ];
        for number in 0..self.roster.versions.len() as u16 {
            let name = format!("partitions of {}", self.roster.version(number));
            let lists = status.lists.get(&number).map(|lists| self.of_lists(lists));
            fields.push(Field::new(name, lists.unwrap_or_default()));
        }
        fields
    }

    fn of_lists(&self, lists: &Lists<Few>) -> String {
        let list = |list: &Vec<u16>| {
            let names: Vec<_> = list.iter().map(|number| self.roster.member(*number)).collect();
            format!("({})", names.join(" "))
        };
        if lists.is_empty() { "none".to_owned() } else { lists.iter().map(list).collect() }
    }

    fn of_place(&self, s: &State, number: u16, place: &Place) -> String {
        let runs = place.runs.map_or(String::new(), |version| format!(" {}", self.roster.version(version)));
        let life = match (place.link, place.life) {
            (Link::Down, _) => "is down".to_owned(),
            (Link::Gone, _) => "is down, and its lease has lapsed".to_owned(),
            (Link::Up, Life::Absent) => "runs nothing".to_owned(),
            (Link::Up, Life::New) => format!("starts{runs}"),
            (Link::Up, Life::Good) if place.drained => format!("has drained{runs}"),
            (Link::Up, Life::Good) => format!("works at{runs}"),
            (Link::Up, Life::Bad) if place.drained => format!("has drained{runs}, which does not work"),
            (Link::Up, Life::Bad) => format!("does not work at{runs}"),
            (Link::Up, Life::Failed) => format!("could not keep{runs} alive"),
        };
        let seat = s.status.seats.get(&number).map_or("has no place".to_owned(), |seat| {
            format!("{:?} at {}", seat.state, self.roster.version(seat.version))
        });
        let told = if place.noticed { "" } else { "; has not heard what it is to do" };
        let struck = if place.struck { "; was struck" } else { "" };
        let said = place.report.as_ref().map_or("nothing".to_owned(), |report| {
            let version = report.version.map_or("", |version| self.roster.version(version));
            let acts = report.devices.iter().map(|(device, epoch)| self.held(*device, *epoch, false));
            let heard = if report.observed > 0 { "" } else { ", of what it was to do before" };
            format!("{:?} {version} [{}]{heard}", report.condition, acts.collect::<Vec<_>>().join(" "))
        });
        let duties = place.desired.devices.iter().map(|duty| self.held(duty.device, duty.epoch, duty.leaves));
        let wanted = place.desired.version.map_or("nothing", |version| self.roster.version(version));
        format!(
            "{life}{told}{struck}; recorded: {seat}; said: {said}; is to run {wanted}{}{} [{}] {}",
            if place.desired.drains { ", drain" } else { "" },
            if place.desired.fenced { ", fenced" } else { "" },
            duties.collect::<Vec<_>>().join(" "),
            self.of_lists(&place.desired.partitions),
        )
    }

    fn held(&self, device: u16, epoch: Epoch, leaves: bool) -> String {
        format!("{}{}@{epoch}", if leaves { "-" } else { "" }, self.roster.device(device))
    }

    fn of_device(&self, mastery: Option<&Mastery<Few>>) -> String {
        let Some(mastery) = mastery else { return "nobody's".to_owned() };
        let master = mastery.master.map_or("nobody", |master| self.roster.member(master));
        let leaves = if mastery.leaves { ", taken from it" } else { "" };
        format!("{master} in epoch {}{leaves}", mastery.epoch)
    }
}

fn each_epoch(s: &mut State, device: u16, visit: &mut dyn FnMut(&mut Epoch)) {
    if let Some(mastery) = s.status.devices.get_mut(&device) {
        visit(&mut mastery.epoch);
    }
    for place in &mut s.places {
        let duties = place.desired.devices.iter_mut().filter(|duty| duty.device == device);
        duties.for_each(|duty| visit(&mut duty.epoch));
        let acts = place.report.iter_mut().flat_map(|report| &mut report.devices);
        acts.filter(|(acts, _)| *acts == device).for_each(|(_, epoch)| visit(epoch));
    }
}

fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Inactive => "Inactive",
        Phase::Initialized => "Initialized",
        Phase::Upgraded => "Upgraded",
        Phase::RolledBack => "RolledBack",
    }
}

/// What people type for a verb.
fn word(verb: Verb) -> &'static str {
    match verb {
        Verb::Initialize => "init",
        Verb::Node => "node",
        Verb::Run => "run",
        Verb::Commit => "commit",
        Verb::Rollback => "rollback",
        Verb::Reset => "reset",
        Verb::Forward => "forward",
        Verb::Forget => "forget",
    }
}
