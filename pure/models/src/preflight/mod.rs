//! What can become of one group and one upgrade, before anything is touched: the decisions of `bowline-upgrades` on that very
//! group, with crashes at any moment, a new version that works or never does, and a person who changes their mind.
//!
//! It is leaner than the model `upgrades`: the hub sees everything as it is, it and the agents are never cut off from each other,
//! and what members are told follows a step at once. What those leave out is explored there, in groups of a few nodes.

mod agent;
mod course;
mod few;
mod flight;
#[cfg(test)]
mod large;
mod model;
#[cfg(test)]
mod mutants;
mod properties;
mod shape;
mod state;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod town;
mod worst;

use bowline_control::{Millis, Moment};
use bowline_explorer::Model;
use bowline_upgrades::plain::Plain;
use bowline_upgrades::{
    Command, Group, Look, Memory, Pulse, Rhythm, Seat, SeatState, Snapshot, Upgrades, Verb, Wish,
};

use self::few::{Few, Roster};
pub use self::flight::{EXACT, Flight, Outcome};
use self::shape::{SHAPE, Shape};
use self::state::{Stands, State};
use self::worst::Worst;
pub use self::worst::WorstCase;

/// What may happen to a group while it is upgraded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Storm {
    /// How many nodes may go down, or not keep their software alive.
    pub crashes: u8,
    /// Those may come back.
    pub returns: bool,
    /// How often a person may roll the upgrade back, at any moment.
    pub rollbacks: u8,
}

/// Why a plan is not explored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// The group has no such version.
    Unknown {
        /// The version that was asked for.
        wanted: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// It is not the version after the one that serves.
    Skips {
        /// The version that was asked for.
        wanted: String,
        /// The one that serves.
        serving: String,
        /// The one after it, if there is one.
        next: Option<String>,
    },
    /// The upgrade cannot begin now, and why.
    Refused(String),
}

/// One group, and an upgrade of it.
pub struct Preflight {
    roster: Roster,
    wish: Wish<Few>,
    to: u16,
    beginnings: Vec<State>,
    storm: Storm,
    shape: Shape,
    worst: Worst,
}

impl Preflight {
    /// The upgrade to a version of a group as it stands.
    ///
    /// # Errors
    /// Says why it cannot begin.
    pub fn new(snapshot: &Snapshot<Plain>, to: &str, storm: Storm) -> Result<Preflight, Obstacle> {
        Preflight::with(snapshot, to, storm, SHAPE)
    }

    fn with(snapshot: &Snapshot<Plain>, to: &str, storm: Storm, shape: Shape) -> Result<Preflight, Obstacle> {
        let refused = |why: &str| Obstacle::Refused(why.to_owned());
        let group = snapshot.group.as_ref().ok_or_else(|| refused("the group is not there"))?;
        is_next(group, to)?;
        may_begin(snapshot, group)?;
        let roster = Roster::of(group);
        let to = roster.version_number(to).ok_or_else(|| refused("the version is not declared"))?;
        let wish = Wish { version: Some(to), ..roster.wish(&group.wish) };
        let status = roster.status(&group.status);
        let places = roster.places(snapshot, &status.seats);
        let beginning = State {
            status,
            places,
            crashes: storm.crashes,
            rollbacks: storm.rollbacks,
            sick: false,
            begun: false,
            forced: false,
            stands: Stands::Rests,
        };
        let mut this =
            Preflight { roster, wish, to, beginnings: Vec::new(), storm, shape, worst: Worst::default() };
        let ill = State { sick: true, ..beginning.clone() };
        this.beginnings = [beginning, ill].map(|state| this.canonical(this.settled(state))).into();
        Ok(this)
    }

    /// How many nodes the group has.
    pub fn nodes(&self) -> usize {
        self.roster.members.len()
    }

    /// It goes on by itself, and not by command.
    pub fn is_automatic(&self) -> bool {
        self.wish.automatic
    }

    /// What a claim means, in a line.
    pub fn meaning(&self, claim: &str) -> String {
        let properties = self.properties();
        let found = properties.iter().find(|property| property.name() == claim);
        found.map_or_else(String::new, |property| property.meaning().to_owned())
    }

    /// The worst of all that was seen so far.
    pub fn worst_case(&self) -> WorstCase {
        self.worst.case(self)
    }
}

/// Whether a version is the one after that which serves.
fn is_next(group: &Group<Plain>, to: &str) -> Result<(), Obstacle> {
    let versions = &group.wish.versions;
    if !versions.iter().any(|version| version == to) {
        return Err(Obstacle::Unknown { wanted: to.to_owned(), known: versions.clone() });
    }
    let Some(serving) = &group.status.serving else {
        return Err(Obstacle::Refused("no version serves yet: wait until members have joined".to_owned()));
    };
    let next = versions.iter().skip_while(|version| *version != serving).nth(1);
    match next {
        Some(next) if next == to => Ok(()),
        next => {
            let next = next.cloned();
            Err(Obstacle::Skips { wanted: to.to_owned(), serving: serving.clone(), next })
        }
    }
}

/// Whether an upgrade would be begun now, by the decisions that begin it.
fn may_begin(snapshot: &Snapshot<Plain>, group: &Group<Plain>) -> Result<(), Obstacle> {
    if group.deleting {
        return Err(Obstacle::Refused("the group is being deleted".to_owned()));
    }
    let is_whole = |(name, seat): (&String, &Seat<Plain>)| {
        snapshot.members.get(name).is_some_and(|member| member.uid == seat.uid && !member.deleting)
    };
    if let Some((name, _)) = group.status.seats.iter().find(|one| !is_whole(*one)) {
        return Err(Obstacle::Refused(format!("{name} is being deleted: wait until it has left the group")));
    }
    let lease = |(name, seat): (&String, &Seat<Plain>)| {
        let generation = snapshot.members.get(name).map_or(0, |member| member.generation);
        let pulse = if seat.state == SeatState::Lost { Pulse::Lapsed } else { Pulse::Live };
        (name.clone(), (generation, pulse))
    };
    let leases = group.status.seats.iter().map(lease).collect();
    let look = Some(Look { at: Millis(0), leases, suspect: false });
    let shown = Snapshot { memory: Memory { look }, ..snapshot.clone() };
    let command = Command { verb: Verb::Initialize, member: None, ticket: String::new() };
    let controller = Upgrades::<Plain>::new(Rhythm::default());
    match controller.would(&shown, &command, Moment::default()) {
        Ok(_) => Ok(()),
        Err(refusal) => Err(Obstacle::Refused(bowline_upgrades::refused(&command, &refusal))),
    }
}
