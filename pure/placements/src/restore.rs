//! What `bowline restore` makes of a backup before anybody reads it.
//!
//! A backup may be older than the last move: who uses something may not be in it, epochs that are to come may have been given away, and
//! fences may be in force, or over. So nothing of it is believed: each grant is left open until all targets have said what they use.

use std::collections::BTreeSet;

use crate::grant::{Epoch, Grant, Recovery};
use crate::object::Object;
use crate::state::Names;
use crate::target::FenceWish;

/// A restore of the hub, and who is asked after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Restore<N: Names> {
    number: u64,
    awaits: BTreeSet<N::Target>,
}

impl<N: Names> Restore<N> {
    /// The next one of a hub that had these objects.
    pub fn of<'a>(objects: impl IntoIterator<Item = &'a Object<N>>) -> Restore<N>
    where
        N: 'a,
    {
        let mut this = Restore { number: 0, awaits: BTreeSet::new() };
        for object in objects {
            let known = match object {
                Object::Target(target) => {
                    this.awaits.insert(target.name.clone());
                    target.restore
                }
                object => object.grant().map_or(0, |(_, grant)| grant.knows_of()),
            };
            this.number = this.number.max(known);
        }
        this.number += 1;
        this
    }

    /// Who is asked: all targets that were there.
    pub fn awaits(&self) -> &BTreeSet<N::Target> {
        &self.awaits
    }

    /// Marks an object. Nobody was ever given an epoch above this one.
    pub fn mark(&self, object: &mut Object<N>, above: Epoch) {
        match object {
            Object::Placement(placement) => self.open(&mut placement.grant, above),
            Object::Volume(volume) => self.open(&mut volume.grant, above),
            Object::Target(target) => {
                target.recover(self.number, above);
                // What a person has vouched for was so then: who was let in again since may use what it has.
                if target.wish.fence == FenceWish::Confirmed {
                    target.wish.fence = FenceWish::Fenced;
                }
            }
            Object::Claim(_) => {}
        }
    }

    fn open(&self, grant: &mut Grant<N>, above: Epoch) {
        grant.recover(Recovery { restore: self.number, awaits: self.awaits.clone() }, above);
    }
}
