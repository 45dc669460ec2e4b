//! How a step is one write, or one call.

use bowline_control::{Effect, Version, Write};

use crate::decide::{Case, Step};
use crate::effect::Survey;
use crate::grant::{Grant, Thing, ThingOf, Use, UseState};
use crate::object::Object;
use crate::state::{Names, Placement, Volume};

type EffectOf<N> = Effect<Object<N>, Survey>;

impl<N: Names> Case<'_, N> {
    pub(crate) fn effect(&self, step: &Step<N>) -> EffectOf<N> {
        match step {
            Step::Hold => self.hold(true),
            Step::LetGo => self.hold(false),
            Step::Survey => Effect::Call(Survey),
            Step::Register(volume) => self.register(volume),
            Step::Recover(thing) => self.with_grant(thing, |grant| self.recover(grant)),
            Step::Adopt(thing) => self.adopt(thing),
            Step::Desire(target) => {
                let after = Placement { desired: Some(target.clone()), ..self.placement.clone() };
                status(Object::Placement(self.placement.clone()), Object::Placement(after))
            }
            Step::Release(thing, target) => self.with_state(thing, target, UseState::Releasing),
            Step::Destroy(volume, target) => {
                self.with_state(&Thing::Volume(volume.clone()), target, UseState::Deleting)
            }
            Step::Free(thing, target) => self.freed(thing, target),
            Step::FenceOff(thing, target) => self.fenced_off(thing, target),
            Step::Grant(thing, target) => self.granted(thing, target, UseState::Granted),
            Step::GrantForDeletion(volume, target) => {
                self.granted(&Thing::Volume(volume.clone()), target, UseState::Deleting)
            }
            Step::Discard(volume) => {
                Effect::Write(Write::Delete(Object::Volume(self.volume(volume).clone())))
            }
            Step::Dismiss(volume) => {
                let before = self.volume(volume);
                let after = Volume { held: false, ..before.clone() };
                change(Object::Volume(before.clone()), Object::Volume(after))
            }
        }
    }

    fn hold(&self, held: bool) -> EffectOf<N> {
        let after = Placement { held, ..self.placement.clone() };
        change(Object::Placement(self.placement.clone()), Object::Placement(after))
    }

    fn register(&self, name: &N::Volume) -> EffectOf<N> {
        let Some(claim) = self.s.claims.get(name) else { unreachable!("what is registered is asked for") };
        Effect::Write(Write::Create(Object::Volume(Volume {
            name: name.clone(),
            namespace: self.placement.name.clone(),
            uid: claim.uid.clone(),
            version: Version(0),
            deleting: false,
            held: true,
            shared: claim.shared,
            abandoned: false,
            only: None,
            described: None,
            unknown: false,
            destroyed: false,
            grant: Grant::default(),
        })))
    }

    fn volume(&self, name: &N::Volume) -> &Volume<N> {
        let Some(volume) = self.s.volumes.get(name) else { unreachable!("what is written was seen") };
        volume
    }

    fn with_grant(&self, thing: &ThingOf<N>, edit: impl FnOnce(&mut Grant<N>)) -> EffectOf<N> {
        match thing {
            Thing::Namespace(_) => {
                let mut after = self.placement.clone();
                edit(&mut after.grant);
                status(Object::Placement(self.placement.clone()), Object::Placement(after))
            }
            Thing::Volume(name) => self.with_volume(name, |volume| edit(&mut volume.grant)),
        }
    }

    fn with_volume(&self, name: &N::Volume, edit: impl FnOnce(&mut Volume<N>)) -> EffectOf<N> {
        let before = self.volume(name);
        let mut after = before.clone();
        edit(&mut after);
        status(Object::Volume(before.clone()), Object::Volume(after))
    }

    fn with_state(&self, thing: &ThingOf<N>, target: &N::Target, state: UseState) -> EffectOf<N> {
        self.with_grant(thing, |grant| {
            if let Some(its) = grant.users.get_mut(target) {
                (its.state, its.said) = (state, None);
            }
        })
    }

    fn granted(&self, thing: &ThingOf<N>, target: &N::Target, state: UseState) -> EffectOf<N> {
        let Some(known) = self.s.targets.get(target) else {
            unreachable!("who is granted something was seen")
        };
        let fence = known.fence.epoch;
        self.with_grant(thing, |grant| {
            grant.epoch = grant.epoch.next();
            grant.users.insert(target.clone(), Use { epoch: grant.epoch, fence, state, said: None });
        })
    }

    fn freed(&self, thing: &ThingOf<N>, target: &N::Target) -> EffectOf<N> {
        let Thing::Volume(name) = thing else {
            return self.with_grant(thing, |grant| grant.users.retain(|user, _| user != target));
        };
        self.with_volume(name, |volume| {
            let its = volume.grant.users.remove(target);
            volume.destroyed |= its.is_some_and(|its| its.state == UseState::Deleting);
        })
    }

    /// A volume that nobody has described, and that somebody had, may be somewhere: whoever asked for it would get an empty one.
    fn adopt(&self, thing: &ThingOf<N>) -> EffectOf<N> {
        let Thing::Volume(name) = thing else {
            return self.with_grant(thing, |grant| *grant = self.adopted(thing, grant, false));
        };
        self.with_volume(name, |volume| {
            let grant = self.adopted(thing, &volume.grant, volume.shared);
            let is_lost = grant.users.is_empty() && !volume.grant.users.is_empty();
            volume.unknown |= is_lost && volume.described.is_none();
            volume.grant = grant;
        })
    }

    /// A volume that nobody has described may have been made there: whoever asked for it elsewhere would get an empty one.
    fn fenced_off(&self, thing: &ThingOf<N>, target: &N::Target) -> EffectOf<N> {
        let Thing::Volume(name) = thing else {
            return self.with_grant(thing, |grant| grant.users.retain(|user, _| user != target));
        };
        self.with_volume(name, |volume| {
            volume.grant.users.remove(target);
            volume.unknown |= volume.described.is_none();
        })
    }
}

fn change<N: Names>(before: Object<N>, after: Object<N>) -> EffectOf<N> {
    Effect::Write(Write::Change { before, after })
}

fn status<N: Names>(before: Object<N>, after: Object<N>) -> EffectOf<N> {
    Effect::Write(Write::Status { before, after })
}
