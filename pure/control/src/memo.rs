//! What the loop remembers of a key.

use crate::Millis;
use crate::cache::Cache;
use crate::controller::Controller;
use crate::effect::Answer;
use crate::object::{Id, Object, Version};

/// What the loop remembers of a key, until the next crash.
#[derive(Debug)]
pub struct Memo<C: Controller> {
    /// What has to be before it is decided again.
    pub need: Need<C::Object>,
    /// The effect that is under way.
    pub doing: Option<What<C>>,
    /// It is a call, and what is wanted has changed since: that it does not work says nothing of what is wanted now.
    pub outdated: bool,
    /// Effects since it has come to rest.
    pub effects: u32,
    /// It is stalled until then.
    pub stalled: Option<Millis>,
    /// Why the last effect did not work.
    pub trouble: Option<String>,
    /// What the outside said.
    pub memory: C::Memory,
}

/// What has to be before a key is decided again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Need<O: Object> {
    /// Nothing.
    Nothing,
    /// A look at an object: nobody knows what became of a write to it.
    Look(O::Id),
    /// The cache has to reach what was answered.
    Level {
        /// The object.
        id: O::Id,
        /// What the cache has to show of it.
        level: Level<O::Uid>,
        /// If it does not until then, the object is looked at.
        until: Millis,
    },
}

/// What a cache has to show of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Level<Uid> {
    /// This one, at this version or a later one; or that it has gone meanwhile.
    At {
        /// Which one.
        uid: Uid,
        /// The version.
        version: Version,
        /// A list of its kind has begun since: it shows this level, whatever it shows.
        covered: bool,
    },
    /// That this one is gone.
    Gone(Uid),
}

/// An effect that is under way.
#[derive(Debug)]
pub enum What<C: Controller> {
    /// A write to this object, which was this one of its name, unless it is new.
    Write(<C::Object as Object>::Id, Option<<C::Object as Object>::Uid>),
    /// A look at this object.
    Look(<C::Object as Object>::Id),
    /// A call to the outside, for this step.
    Call(C::Step),
}

impl<C: Controller> Clone for Memo<C> {
    fn clone(&self) -> Self {
        let Memo { need, doing, outdated, effects, stalled, trouble, memory } = self;
        Memo {
            need: need.clone(),
            doing: doing.clone(),
            outdated: *outdated,
            effects: *effects,
            stalled: *stalled,
            trouble: trouble.clone(),
            memory: memory.clone(),
        }
    }
}

impl<C: Controller> Clone for What<C> {
    fn clone(&self) -> Self {
        match self {
            What::Write(id, uid) => What::Write(id.clone(), uid.clone()),
            What::Look(id) => What::Look(id.clone()),
            What::Call(step) => What::Call(step.clone()),
        }
    }
}

impl<C: Controller> Default for Memo<C> {
    fn default() -> Self {
        Memo {
            need: Need::Nothing,
            doing: None,
            outdated: false,
            effects: 0,
            stalled: None,
            trouble: None,
            memory: C::Memory::default(),
        }
    }
}

impl<C: Controller> Memo<C> {
    /// Whether there is nothing to remember.
    pub(crate) fn is_blank(&self) -> bool {
        let Memo { need, doing, outdated, effects, stalled, trouble, memory } = self;
        *need == Need::Nothing
            && doing.is_none()
            && !outdated
            && *effects == 0
            && stalled.is_none()
            && trouble.is_none()
            && *memory == C::Memory::default()
    }

    /// Something else is wanted: what did not work was done for another wish. A write for that is refused as outdated anyway.
    pub(crate) fn be_wished_anew(&mut self) {
        self.trouble = None;
        self.outdated = matches!(self.doing, Some(What::Call(_)));
        if self.stalled.is_some() {
            self.rest();
        }
    }

    /// All is well, or somebody else has to do something: what went before is forgotten.
    pub(crate) fn rest(&mut self) {
        self.effects = 0;
        self.stalled = None;
        self.trouble = None;
    }
}

impl<O: Object> Need<O> {
    /// What is needed after this answer about an object, of which this one was read.
    pub(crate) fn after<Reply>(
        id: O::Id,
        read: Option<O::Uid>,
        answer: &Answer<O, Reply>,
        until: Millis,
    ) -> Need<O> {
        let level = match answer {
            Answer::Is(object) => {
                Some(Level::At { uid: object.uid(), version: object.version(), covered: false })
            }
            // What was never read, and is not there, is as the cache shows it.
            Answer::Gone => read.map(Level::Gone),
            Answer::Refused(_) | Answer::Unknown(_) | Answer::Replied(_) => return Need::Look(id),
        };
        level.map_or(Need::Nothing, |level| Need::Level { id, level, until })
    }

    /// Whether a key may be decided, as far as its cache is concerned.
    pub(crate) fn is_met<C: Controller<Object = O>>(&self, cache: &Cache<C>) -> bool {
        let Need::Level { id, level, .. } = self else { return *self == Need::Nothing };
        let shown = cache.get(id);
        match level {
            Level::Gone(uid) => shown.is_none_or(|object| object.uid() != *uid),
            Level::At { uid, version, .. } => match shown {
                Some(object) if object.version() >= *version => true,
                Some(object) if object.uid() == *uid => false,
                _ => cache.has_reached(id.kind(), *version),
            },
        }
    }
}
