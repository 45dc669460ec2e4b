//! The devices of a group, each as an object that people can read.
//!
//! They are projections: all that they say follows from the group, whose status is the one truth, and nothing is decided by what
//! they say. So they have a controller of their own, beside the one of upgrades. Whoever changes or deletes one finds it put right;
//! one that somebody else has made is left alone. They are owned by the group, and collected with it.

use std::convert::Infallible;
use std::fmt;

use bowline_control::{Controller, Decision, Effect, Moment, Standing, Version, Write};

use super::{Named, Plain};
use crate::state::{Epoch, Group, Mastery};

/// The controller of devices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Devices;

/// A device as an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Device {
    /// Its name in its group.
    pub name: String,
    /// Its group.
    pub group: Named,
    /// Which of those that had that name.
    pub uid: String,
    /// The version of its last change.
    pub version: Version,
    /// It is being deleted.
    pub deleting: bool,
    /// The uid of the group that owns it.
    pub owner: Option<String>,
    /// What it says; `None` if nobody has said anything.
    pub shown: Option<Shown>,
}

/// What is said of a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// Its master; `None` while it has none.
    pub master: Option<String>,
    /// How often it was given.
    pub epoch: Epoch,
}

impl Shown {
    /// What the group says. Who has to let go of it is its master no more.
    fn of(mastery: &Mastery<Plain>) -> Shown {
        let Mastery { master, epoch, leaves } = mastery;
        Shown { master: master.clone().filter(|_| !leaves), epoch: *epoch }
    }
}

/// An object that the controller knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// A group.
    Group(Box<Group<Plain>>),
    /// A device.
    Device(Device),
}

/// Where an object is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PieceId {
    /// A group.
    Group(Named),
    /// A device, by its group and its name there.
    Device(Named, String),
}

/// A kind of objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PieceKind {
    /// Groups.
    Group,
    /// Devices.
    Device,
}

impl bowline_control::Id for PieceId {
    type Kind = PieceKind;

    fn kind(&self) -> PieceKind {
        match self {
            PieceId::Group(_) => PieceKind::Group,
            PieceId::Device(..) => PieceKind::Device,
        }
    }
}

impl fmt::Display for PieceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PieceId::Group(name) => write!(f, "the group {name}"),
            PieceId::Device(group, name) => write!(f, "the device {name} of the group {group}"),
        }
    }
}

impl bowline_control::Object for Piece {
    type Id = PieceId;
    type Uid = String;

    fn id(&self) -> PieceId {
        match self {
            Piece::Group(group) => PieceId::Group(group.name.clone()),
            Piece::Device(device) => PieceId::Device(device.group.clone(), device.name.clone()),
        }
    }

    fn uid(&self) -> String {
        match self {
            Piece::Group(group) => group.uid.clone(),
            Piece::Device(device) => device.uid.clone(),
        }
    }

    fn version(&self) -> Version {
        match self {
            Piece::Group(group) => group.version,
            Piece::Device(device) => device.version,
        }
    }

    fn wish(&self) -> Option<u64> {
        None
    }
}

/// A step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// Make the object of a device.
    Make(String),
    /// Say who is its master.
    Show(String),
    /// Delete the object of what is no device any more.
    Remove(String),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Make(device) => write!(f, "make the object of the device {device}"),
            Step::Show(device) => write!(f, "say who is master of {device}"),
            Step::Remove(device) => write!(f, "delete the object of {device}, which is no device any more"),
        }
    }
}

/// What is waited for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Wait {
    /// An object with the name of this device to go, which is being deleted or somebody else's.
    Gone(String),
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wait::Gone(device) = self;
        write!(f, "an object with the name of the device {device} to be gone, which is not the group's")
    }
}

/// A group, and the objects of its devices.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shelf {
    group: Option<Box<Group<Plain>>>,
    devices: Vec<Device>,
}

impl Shelf {
    fn device(&self, name: &str) -> Option<&Device> {
        self.devices.iter().find(|device| device.name == name)
    }
}

/// What is to be done about the object of a device that the group has.
fn judge(
    shelf: &Shelf,
    group: &Group<Plain>,
    name: &str,
    mastery: &Mastery<Plain>,
) -> Option<Decision<Step, Wait>> {
    let Some(device) = shelf.device(name) else {
        return (!group.deleting).then(|| Decision::Do(Step::Make(name.to_owned())));
    };
    if device.deleting || device.owner.as_ref() != Some(&group.uid) {
        return Some(Decision::Wait { what: Wait::Gone(name.to_owned()), until: None });
    }
    (device.shown.as_ref() != Some(&Shown::of(mastery))).then(|| Decision::Do(Step::Show(name.to_owned())))
}

impl Controller for Devices {
    type Key = Named;
    type Object = Piece;
    type Snapshot = Shelf;
    type Step = Step;
    type Wait = Wait;
    // It has no outside.
    type Call = Infallible;
    type Reply = Infallible;
    type Memory = ();

    fn kinds(&self) -> &[PieceKind] {
        &[PieceKind::Group, PieceKind::Device]
    }

    fn keys(&self, object: &Piece) -> Vec<Named> {
        match object {
            Piece::Group(group) => vec![group.name.clone()],
            Piece::Device(device) => vec![device.group.clone()],
        }
    }

    fn names(&self, _: &Piece) -> Vec<PieceId> {
        Vec::new()
    }

    fn snapshot(&self, _: &Named, objects: &[&Piece], (): &()) -> Shelf {
        let mut shelf = Shelf::default();
        for object in objects {
            match object {
                Piece::Group(group) => shelf.group = Some(group.clone()),
                Piece::Device(device) => shelf.devices.push(device.clone()),
            }
        }
        shelf
    }

    fn decide(&self, shelf: &Shelf, _now: Moment) -> Decision<Step, Wait> {
        // What nobody owns any more is collected.
        let Some(group) = &shelf.group else { return Decision::Converged };
        let known = &group.status.devices;
        let is_left = |device: &&Device| {
            !device.deleting && device.owner.as_ref() == Some(&group.uid) && !known.contains_key(&device.name)
        };
        if let Some(left) = shelf.devices.iter().find(is_left) {
            return Decision::Do(Step::Remove(left.name.clone()));
        }
        let mut waits = None;
        for (name, mastery) in known {
            match judge(shelf, group, name, mastery) {
                Some(Decision::Do(step)) => return Decision::Do(step),
                Some(wait) => waits = waits.or(Some(wait)),
                None => {}
            }
        }
        waits.unwrap_or(Decision::Converged)
    }

    fn effect(&self, shelf: &Shelf, step: &Step, _now: Moment) -> Effect<Piece, Infallible> {
        let (Step::Make(name) | Step::Show(name) | Step::Remove(name)) = step;
        let device =
            || shelf.device(name).cloned().unwrap_or_else(|| unreachable!("{step} is about an object"));
        let group = || shelf.group.as_ref().unwrap_or_else(|| unreachable!("{step} is for a group"));
        Effect::Write(match step {
            Step::Make(_) => Write::Create(Piece::Device(Device {
                name: name.clone(),
                group: group().name.clone(),
                uid: group().uid.clone(),
                version: Version(0),
                deleting: false,
                owner: Some(group().uid.clone()),
                shown: None,
            })),
            Step::Show(_) => {
                let before = device();
                let mastery = group().status.devices.get(name);
                let after = Device { shown: mastery.map(Shown::of), ..before.clone() };
                Write::Status { before: Piece::Device(before), after: Piece::Device(after) }
            }
            Step::Remove(_) => Write::Delete(Piece::Device(device())),
        })
    }

    /// The group says how it stands; its devices only repeat who has them.
    fn report(&self, _: &Shelf, _: Standing<'_, Wait>, _: Moment) -> Option<Write<Piece>> {
        None
    }

    fn learn(&self, (): &mut (), _: &Step, reply: Infallible, _: Moment) -> Result<(), String> {
        match reply {}
    }
}

#[cfg(test)]
mod tests;
