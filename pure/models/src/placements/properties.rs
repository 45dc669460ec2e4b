//! What is claimed of placements.

use bowline_explorer::Property;
use bowline_placements::syncer::Stage;
use bowline_placements::{FenceState, Grant, Mood, Phase, Said};

use super::Town;
use super::names::{Part, SHUT};
use super::sight::{Place, Sight};
use crate::harness::{Action, Deed, Harness, State, What};
use crate::tiny::Tiny;

type Claim = Property<Harness<Town>>;

pub(super) fn all() -> Vec<Claim> {
    let mut all = of_users();
    all.extend(of_grants());
    all.extend(of_syncers());
    all.extend(liveness());
    all.extend(reachable());
    all
}

/// A person has deleted the namespace.
const DOOMED: u8 = 1;
/// The hub was restored.
const RESTORED: u8 = 2;
/// A volume was made, a bit for each.
const MADE: u8 = 4;

/// What properties need to know of what happened.
pub(super) fn remembered(before: &State, action: &Action, after: &State) -> u8 {
    let happened = match action {
        Action::Deed(Deed { about: "Doom", .. }) => DOOMED,
        Action::Deed(Deed { about: super::restore::RESTORE, .. }) => RESTORED,
        Action::Deed(_) => made(before, after).map(|volume| MADE << (volume - 1)).sum(),
        _ => 0,
    };
    before.ghost | happened
}

/// The volumes that are made in a step: claimed where there was none.
fn made(before: &State, after: &State) -> impl Iterator<Item = u8> {
    let (was, is) = (Place::all(before), Place::all(after));
    (1..=super::names::VOLUMES).filter(move |volume| {
        was.iter().zip(&is).any(|(was, is)| {
            let local = is.site.local(*volume);
            was.site.local(*volume).is_none() && local.is_some_and(|local| !local.retained)
        })
    })
}

/// Whether it is a hub of which everybody knows what it is: it was not put back without a word.
fn is_told(m: &Harness<Town>, s: &State) -> bool {
    !m.system.behind || s.ghost & RESTORED == 0
}

fn of_users() -> Vec<Claim> {
    vec![
        Property::always("UsableByAtMostOne", |m: &Harness<Town>, s: &State| {
            let sight = Sight::of(&m.system, s);
            !is_told(m, s) || (1..=m.system.volumes).all(|volume| sight.users(volume).count() <= 1)
        })
        .about("at most one cluster can use a volume, at every moment; here and below, unless nobody has told of a restore"),
        Property::always("RunsOnce", |m: &Harness<Town>, s: &State| {
            let places = Sight::of(&m.system, s).places;
            let runs = places.iter().filter(|place| place.site.runs() && !place.site.blocked);
            !is_told(m, s) || runs.count() <= 1
        })
        .about("the namespace runs in one cluster at most, but for who is kept from its volumes"),
        Property::always("UserIsGranted", |m: &Harness<Town>, s: &State| {
            let sight = Sight::of(&m.system, s);
            !is_told(m, s) || (1..=m.system.volumes).all(|volume| {
                let grant = sight.volumes[usize::from(volume) - 1].as_ref().map(|volume| &volume.grant);
                sight.users(volume).all(|place| {
                    let has_stopped = m.system.enforces && !place.site.runs();
                    has_stopped
                        || grant.is_some_and(|grant| {
                            grant.recovering.is_some() || grant.users.contains_key(&place.name)
                        })
                })
            })
        })
        .about(
            "who can use a volume has it on record; but for a restore whose consequences are not known yet, and who has stopped where epochs are enforced",
        ),
    ]
}

fn of_grants() -> Vec<Claim> {
    let one = |grant: &Grant<Tiny>| grant.users.len() <= 1;
    vec![
        Property::always("NSAtMostOne", move |m: &Harness<Town>, s: &State| {
            Sight::of(&m.system, s).placement.is_none_or(|placement| one(&placement.grant))
        })
        .about("the namespace is granted to at most one cluster"),
        Property::always("PVCAtMostOne", move |m: &Harness<Town>, s: &State| {
            Sight::of(&m.system, s).volumes.iter().flatten().all(|volume| one(&volume.grant))
        })
        .about("a volume is granted to at most one cluster"),
        Property::always_step(
            "EpochsGrow",
            |m: &Harness<Town>, before: &State, _: &Action, after: &State| {
                let (was, is) = (Sight::of(&m.system, before), Sight::of(&m.system, after));
                let grow = |was: Option<&Grant<Tiny>>, is: Option<&Grant<Tiny>>| {
                    was.zip(is).is_none_or(|(was, is)| {
                        let is_new = |(target, its): (&u8, &bowline_placements::Use)| {
                            was.users.get(target).map(|was| was.epoch) != Some(its.epoch)
                        };
                        let is_restored = is.recovering.is_some() || was.recovering.is_some();
                        let given = is.users.iter().any(|(target, its)| is_new((target, its)));
                        was.epoch <= is.epoch && (!given || is_restored || is.epoch > was.epoch)
                    })
                };
                let fences = was.places.iter().zip(&is.places);
                is_told(m, after) != is_told(m, before)
                    || was.things().zip(is.things()).all(|((_, was), (_, is))| grow(was, is))
                        && fences.into_iter().all(|(was, is)| was.target.fence.epoch <= is.target.fence.epoch)
            },
        )
        .about("epochs of grants and fences never get smaller, and nothing is granted but in a greater one"),
        Property::always_step("GivenOnce", |m: &Harness<Town>, before: &State, _: &Action, after: &State| {
            let (was, is) = (Sight::of(&m.system, before), Sight::of(&m.system, after));
            let is_unknown =
                |thing: &Part, epoch| is.places.iter().all(|place| place.site.knows(thing) < epoch);
            was.things().zip(is.things()).all(|((thing, was), (_, is))| {
                let Some((was, is)) =
                    was.zip(is).filter(|(was, is)| was.recovering.is_none() && is.recovering.is_none())
                else {
                    return true;
                };
                let mut new = is.users.iter().filter(|(target, _)| !was.users.contains_key(target));
                !is_told(m, after) || new.all(|(_, its)| is_unknown(&thing, its.epoch))
            })
        })
        .about("what is granted is granted in an epoch in which nobody has, or has given up, anything of it"),
        Property::always("NothingOnFenced", |m: &Harness<Town>, s: &State| {
            let sight = Sight::of(&m.system, s);
            sight.places.iter().all(|place| {
                let fence = place.target.fence;
                let mut its = sight.things().filter_map(|(_, grant)| grant?.users.get(&place.name));
                fence.state != FenceState::Fenced || its.all(|its| its.fence < fence.epoch)
            })
        })
        .about("nothing is granted on a target whose fence is in force: what was granted before is void"),
    ]
}

fn of_syncers() -> Vec<Claim> {
    vec![
        Property::always_step("DataIsKept", |m: &Harness<Town>, before: &State, _: &Action, after: &State| {
            let is_gone = |s: &State, volume: u8, place: usize| {
                let site = Place::all(s).get(place).map(|place| place.site.clone());
                site.and_then(|site| site.local(volume)).is_some_and(|local| local.stage == Stage::Destroyed)
            };
            before.nodes == after.nodes || (1..=m.system.volumes).all(|volume| {
                (0..usize::from(m.system.targets)).all(|place| {
                    let deletes = !is_gone(before, volume, place) && is_gone(after, volume, place);
                    !deletes || after.ghost & DOOMED > 0 && Sight::of(&m.system, after).users(volume).next().is_none()
                })
            })
        })
        .about("data is deleted only if a person has deleted the namespace, and when nobody else uses it"),
        Property::always_step("MadeOnce", |m: &Harness<Town>, before: &State, _: &Action, after: &State| {
            before.nodes == after.nodes
                || made(before, after).all(|volume| m.system.new && before.ghost & MADE << (volume - 1) == 0)
        })
        .about("an empty volume is never made in the place of one that is somewhere"),
        Property::always_step("NothingStopsByItself", |m: &Harness<Town>, before: &State, _: &Action, after: &State| {
            if before.nodes == after.nodes || after.ghost & RESTORED > 0 {
                return true;
            }
            let sight = Sight::of(&m.system, before);
            sight.places.iter().zip(Place::all(after)).all(|(was, is)| {
                let stops = was.site.runs() && !is.site.runs();
                !stops || sight.may_stop(was)
            })
        })
        .about("workloads are stopped only if something is to be given up, by a fence, or by who lost its lease where epochs are enforced"),
        Property::always_step("WaitsForItsWindow", |m: &Harness<Town>, before: &State, action: &Action, after: &State| {
            let is_decided = m.system.window && !matches!(action, Action::Deed(_));
            let [was, is] = [before, after].map(|s| Sight::of(&m.system, s).placement.filter(|_| is_decided));
            let Some((was, is)) = was.zip(is) else { return true };
            let Some(from) = was.desired.filter(|from| is.desired != Some(*from)) else { return true };
            let is_free = was.wish.window != Some(SHUT) || was.wish.now_to == is.desired;
            is_free || !was.grant.is_granted_to(&from)
        })
        .about("what runs somewhere is wanted elsewhere only in its window, unless a person says that it is to go there at once"),
        Property::always_step("CleanBeforeUnfenced", |_, before: &State, action: &Action, _: &State| {
            let Action::Deed(Deed { about: "Unfence", slot, .. }) = action else { return true };
            let all = Place::all(before);
            let Some(place) = all.iter().find(|place| super::target_slot(place.name) == *slot) else { return true };
            let fence = place.target.fence;
            !fence.is_in_force() && !place.site.blocked || place.site.held().iter().all(|(_, held)| held.fence >= fence.epoch)
        })
        .about("a fence is taken down only when nothing is left of what it made void"),
    ]
}

fn liveness() -> Vec<Claim> {
    vec![
        Property::eventually_always("MoveCompletes", |m: &Harness<Town>, s: &State| {
            let sight = Sight::of(&m.system, s);
            sight.is_done() || sight.is_excused()
        })
        .about("in the end the namespace is where it is wanted, unless somebody who is not heard of, and is not fenced, has something of it, or its target cannot be had"),
        Property::eventually_always("SaysWhatFor", |m: &Harness<Town>, s: &State| {
            let sight = Sight::of(&m.system, s);
            let Some(placement) = &sight.placement else { return true };
            let Some(told) = &placement.told else { return false };
            let is_well = told.mood == Mood::Well;
            let waits = sight.waits_for_contact() && sight.recovering().is_none();
            told.observed == placement.generation
                && (!is_well || sight.is_done())
                && (!waits || matches!(told.phase, Phase::Fencing | Phase::Deleting))
        })
        .about("in the end it says that all is well only if it is, and else what it waits for"),
        Property::eventually_always("EndsClean", |m: &Harness<Town>, s: &State| {
            let sight = Sight::of(&m.system, s);
            sight.places.iter().all(|place| !place.is_up() || sight.is_clean(place))
        })
        .about("in the end a target that is heard of has nothing but what it is granted, and no fence that nobody wants"),
        Property::eventually_always("Goes", |m: &Harness<Town>, s: &State| {
            let sight = Sight::of(&m.system, s);
            let Some(placement) = &sight.placement else {
                return s.ghost & DOOMED == 0 || sight.volumes.iter().all(Option::is_none);
            };
            !placement.deleting && !placement.doomed || sight.end_is_excused()
        })
        .about("in the end a namespace that was deleted is gone with its volumes, and a placement by itself, unless nobody can delete them"),
        Property::eventually_always("ComesToRest", is_at_rest)
            .about("and then nothing is written any more, though targets are looked for again"),
    ]
}

fn reachable() -> Vec<Claim> {
    vec![
        Property::sometimes("Moved", |m: &Harness<Town>, s: &State| {
            let sight = Sight::of(&m.system, s);
            let ready = |placement: &bowline_placements::Placement<Tiny>| {
                placement.grant.users.get(&2).is_some_and(|its| its.said == Some(Said::Ready))
            };
            !m.system.moves || sight.is_done() && sight.placement.as_ref().is_some_and(ready)
        })
        .about("a namespace is moved"),
    ]
}

/// Whether nothing is written, and nobody has anything to do; but for somebody who looks for targets.
fn is_at_rest(m: &Harness<Town>, s: &State) -> bool {
    let writes = s.keys[0].doing.is_some_and(|doing| !matches!(doing.what, What::Call(_)));
    let is_shown = s.pending.iter().flatten().flatten().next().is_none();
    let mut deeds = Vec::new();
    let truth = s.truth();
    for me in 1..=m.system.targets {
        m.system.by_syncer(&truth, s, me, &mut deeds);
        m.system.by_fences(&truth, s, me, &mut deeds);
    }
    !writes && is_shown && deeds.iter().all(|deed| deed.who != crate::harness::Who::Runner)
}
