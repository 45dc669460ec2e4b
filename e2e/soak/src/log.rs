//! What clients did and were told in one life of the hub, from its start to its kill.

use std::collections::BTreeMap;

use crate::judge::Broken;

/// A resource version. There is one counter for all objects.
pub type Version = u64;
/// Nanoseconds since the soak began: all clients are in one process, and have one clock.
pub type Moment = u64;
/// An object.
pub type Key = u16;
/// A write. No two have the same, so what is seen tells which write it is from.
pub type Tag = u64;

/// An object as somebody saw it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen {
    /// The version of its last change.
    pub version: Version,
    /// The write that made it so.
    pub tag: Tag,
}

/// What objects there are.
pub type Objects = BTreeMap<Key, Seen>;

/// What was asked of one object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// A new object.
    Create(Tag),
    /// Another in the place of that of this version.
    Replace(Tag, Version),
    /// A change of whatever is there.
    Patch(Tag),
    /// That the object of this version goes.
    Delete(Version),
    /// What there is.
    Get,
}

impl Asked {
    /// The write that it is, if it leaves an object behind.
    pub fn tag(self) -> Option<Tag> {
        match self {
            Asked::Create(tag) | Asked::Replace(tag, _) | Asked::Patch(tag) => Some(tag),
            Asked::Delete(_) | Asked::Get => None,
        }
    }
}

/// What the hub said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Told {
    /// The object is this now.
    Is(Seen),
    /// The object is gone; the answer does not say since which version.
    Gone,
    /// There is no object.
    Missing,
    /// There is one already.
    Exists,
    /// It has another version.
    Conflict,
    /// Nothing: the hub was killed, or the connection was lost. What was asked may have happened.
    Nothing,
}

/// One question and its answer.
#[derive(Clone, Copy, Debug)]
pub struct Deed {
    /// Of which object.
    pub key: Key,
    /// The question.
    pub asked: Asked,
    /// When it was sent.
    pub sent: Moment,
    /// The answer.
    pub told: Told,
    /// When it was there.
    pub done: Moment,
}

/// A list of all objects, in one piece or in several.
#[derive(Clone, Debug)]
pub struct Listing {
    /// When it was asked for.
    pub sent: Moment,
    /// When the last piece was there.
    pub done: Moment,
    /// The version that it says to be of.
    pub version: Version,
    /// What it says.
    pub objects: Objects,
}

/// Which objects a watch follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Selects {
    /// All.
    All,
    /// Those with a label: objects come and go by changes of it.
    Red,
    /// One.
    One(Key),
}

/// Whether the write gave its object the label.
pub fn is_red(tag: Tag) -> bool {
    tag.is_multiple_of(2)
}

impl Selects {
    /// Whether it follows an object that is as this write left it.
    pub fn takes(self, key: Key, tag: Tag) -> bool {
        match self {
            Selects::All => true,
            Selects::Red => is_red(tag),
            Selects::One(one) => one == key,
        }
    }
}

/// How an event says what happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It was not there, for this watch.
    Added,
    /// It was.
    Modified,
    /// It is not any more, for this watch.
    Deleted,
}

/// What a watch said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Said {
    /// Something happened to an object.
    Event(Kind, Key, Seen),
    /// All up to this version was said.
    Bookmark(Version),
    /// The objects that there were at the start were all said.
    InitialEnd(Version),
}

/// One watch, from its opening to its end.
#[derive(Clone, Debug)]
pub struct Watch {
    /// From which version on; `None`: first what there is, as events.
    pub from: Option<Version>,
    /// What it follows.
    pub selects: Selects,
    /// When it was opened.
    pub sent: Moment,
    /// What it said, and when.
    pub said: Vec<(Moment, Said)>,
}

/// All of a life.
#[derive(Clone, Debug, Default)]
pub struct Life {
    /// What was there first.
    pub start: Objects,
    /// Of which version that was.
    pub version: Version,
    /// Questions about objects.
    pub deeds: Vec<Deed>,
    /// Lists.
    pub listings: Vec<Listing>,
    /// Watches.
    pub watches: Vec<Watch>,
    /// What a client saw to be wrong by itself.
    pub odd: Vec<Broken>,
}
