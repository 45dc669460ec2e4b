//! What is known of a placement.

use std::collections::BTreeMap;

use bowline_control::Millis;

use crate::effect::{Candidate, Reply};
use crate::grant::{Grant, Thing, ThingOf};
use crate::object::Object;
use crate::state::{Claim, Names, Placement, Volume};
use crate::target::Target;

/// A placement with its volumes, the targets that they name, and what was learned of others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot<N: Names> {
    /// The placement, if it is there.
    pub placement: Option<Placement<N>>,
    /// The volumes of its namespace.
    pub volumes: BTreeMap<N::Volume, Volume<N>>,
    /// What is asked for in its namespace.
    pub claims: BTreeMap<N::Volume, Claim<N>>,
    /// The targets that are named.
    pub targets: BTreeMap<N::Target, Target<N>>,
    /// What was learned.
    pub memory: Memory<N>,
}

/// What is remembered of a placement until the next crash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Memory<N: Names> {
    /// What targets there are.
    pub survey: Option<Survey<N>>,
}

/// What targets there were.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Survey<N: Names> {
    /// When.
    pub at: Millis,
    /// Each.
    pub candidates: Vec<Candidate<N>>,
}

impl<N: Names> Default for Memory<N> {
    fn default() -> Memory<N> {
        Memory { survey: None }
    }
}

impl<N: Names> Memory<N> {
    pub(crate) fn learn(&mut self, reply: Reply<N>, now: Millis) -> Result<(), String> {
        let candidates = reply.map_err(|why| format!("could not see which targets there are: {why}"))?;
        self.survey = Some(Survey { at: now, candidates });
        Ok(())
    }
}

impl<N: Names> Snapshot<N> {
    pub(crate) fn of(name: &N::Namespace, objects: &[&Object<N>], memory: &Memory<N>) -> Snapshot<N> {
        let mut this = Snapshot {
            placement: None,
            volumes: BTreeMap::new(),
            claims: BTreeMap::new(),
            targets: BTreeMap::new(),
            memory: memory.clone(),
        };
        for object in objects {
            match object {
                Object::Placement(placement) if placement.name == *name => {
                    this.placement = Some(placement.clone());
                }
                Object::Volume(volume) if volume.namespace == *name => {
                    this.volumes.insert(volume.name.clone(), volume.clone());
                }
                Object::Claim(claim) if claim.namespace == *name => {
                    this.claims.insert(claim.volume.clone(), claim.clone());
                }
                Object::Target(target) => {
                    this.targets.insert(target.name.clone(), target.clone());
                }
                Object::Placement(_) | Object::Volume(_) | Object::Claim(_) => {}
            }
        }
        this
    }

    /// Everything of the namespace that can be granted: itself first, and then its volumes.
    pub fn things(&self) -> impl Iterator<Item = (ThingOf<N>, &Grant<N>)> {
        let placement =
            self.placement.iter().map(|known| (Thing::Namespace(known.name.clone()), &known.grant));
        placement
            .chain(self.volumes.values().map(|volume| (Thing::Volume(volume.name.clone()), &volume.grant)))
    }
}
