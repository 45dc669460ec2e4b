//! What is claimed of the systems together.

use bowline_explorer::Property;
use bowline_updates::{Phase as Stands, Stack};
use bowline_upgrades::{Group, Phase};

use super::{Event, Fleet, IDENTITIES, PLACEMENTS, UPDATES, UPGRADES, Whole, shared};
use crate::harness::Action;
use crate::tiny::Tiny;
use crate::updates::world::{PLACED, World};
use crate::{identities, placements, updates, upgrades};

type Claim = Property<Fleet>;

pub(super) fn all() -> Vec<Claim> {
    let mut all = of_the_cluster();
    all.extend(of_what_is_placed());
    all.extend(liveness());
    all.extend(reachable());
    all
}

fn of_the_cluster() -> Vec<Claim> {
    vec![
        Property::always_step(
            "NoUpdateBesideAnUpgrade",
            |_, before: &Whole, event: &Event, after: &Whole| {
                !is_by_us(event) || places(before) == places(after) || !is_upgraded(before)
            },
        )
        .about("nothing of a stack arrives on a cluster while a group on it is upgraded"),
        Property::always("NoUpgradeBesideAPartialUpdate", |_, s: &Whole| !is_upgraded(s) || !is_partial(s))
            .about("no group is upgraded while an update of its cluster is partial"),
    ]
}

fn of_what_is_placed() -> Vec<Claim> {
    vec![
        Property::always("NothingPlacedOnAFence", |m: &Fleet, s: &Whole| {
            placements::nothing_on_fenced(&m.placements, &s.0[PLACEMENTS])
        })
        .about("nothing is placed on a cluster whose fence is in force: what was before is void"),
        Property::always_step("NothingPlacedIsTouched", |_, before: &Whole, event: &Event, after: &Whole| {
            let was_placed = places(before)[shared::SPACE] == PLACED;
            !is_by_us(event) || !was_placed || places(after)[shared::SPACE] == PLACED
        })
        .about("a namespace that is placed is not adopted, changed or deleted by a stack that wants one of its name"),
        Property::always("NoAccountBeforeItsRole", |m: &Fleet, s: &Whole| {
            identities::publishes_what_is_complete(&m.identities, &s.0[IDENTITIES])
        })
        .about("an account is made, or says which role it has, only if that role is complete"),
    ]
}

fn liveness() -> Vec<Claim> {
    vec![
        Property::eventually_always("AllEnd", |_, s: &Whole| {
            let is_over = stack(s).status.requests.iter().all(|request| request.stage.is_last());
            let is_done = group(s).status.serving == group(s).wish.version;
            is_stalled(s) || is_over && !is_upgraded(s) && is_done && is_free(s)
        })
        .about("in the end every update has ended, the group has the version that is wanted, and nobody is on the cluster; unless a person has to help the stack"),
        Property::eventually_always("MoveCompletes", |m: &Fleet, s: &Whole| {
            !m.are_there[PLACEMENTS] || placements::has_completed(&m.placements, &s.0[PLACEMENTS])
        })
        .about("in the end the namespace is where it is wanted, unless it cannot be there"),
        Property::eventually_always("Converges", |_, s: &Whole| identities::converges(&s.0[IDENTITIES]))
            .about("in the end the identity is in AWS as it is wanted, and so is its account"),
    ]
}

fn reachable() -> Vec<Claim> {
    vec![
        Property::sometimes("AnUpdateWaits", |_, s: &Whole| is_upgraded(s) && stack(s).queued().is_some())
            .about("an update waits for an upgrade"),
        Property::sometimes("AnUpgradeWaits", |_, s: &Whole| {
            is_partial(s) && group(s).status.serving != group(s).wish.version
        })
        .about("an upgrade waits for an update"),
        Property::sometimes("AStackIsRefused", |m: &Fleet, s: &Whole| {
            let is_refused = |request: &bowline_updates::Request<Tiny>| request.stage == bowline_updates::Stage::Failed;
            !m.are_there[PLACEMENTS]
                || places(s)[shared::SPACE] == PLACED && stack(s).status.requests.iter().any(is_refused)
        })
        .about("a stack that wants what is placed is refused; or nothing is placed"),
        Property::sometimes("AFenceIsWaitedFor", |m: &Fleet, s: &Whole| {
            !m.are_there[PLACEMENTS]
                || m.placements.bounds().people[3] == 0
                || placements::waits_for_a_fence(&s.0[PLACEMENTS])
        })
        .about("a namespace is kept off its target by a fence; or nobody wants one"),
        Property::sometimes("AllDone", |m: &Fleet, s: &Whole| {
            let is_published = !m.are_there[IDENTITIES] || identities::is_ready(&s.0[IDENTITIES]);
            let is_placed = !m.are_there[PLACEMENTS] || placements::has_arrived(&s.0[PLACEMENTS]);
            let has_succeeded = stack(s).status.good.is_some() && group(s).status.serving == Some(2);
            has_succeeded && is_free(s) && is_published && is_placed
        })
        .about("an update has succeeded, an upgrade was committed, a namespace is where it is wanted, and an identity is ready"),
    ]
}

/// Whether it is not people, nor the world, nor a syncer.
fn is_by_us(event: &Event) -> bool {
    !matches!(event, Event::In(_, Action::Deed(_)))
}

fn stack(s: &Whole) -> Stack<Tiny> {
    let flat = s.0[UPDATES].truth()[0];
    let Some(stack) = flat.and_then(|flat| updates::names::stack_of(0, flat)) else {
        unreachable!("nobody deletes the stack")
    };
    stack
}

fn group(s: &Whole) -> Group<Tiny> {
    upgrades::group(&s.0[UPGRADES])
}

/// What is on the cluster, as far as the stack wants it.
fn places(s: &Whole) -> [u8; 2] {
    World::of(&s.0[UPDATES].outside[0]).places
}

fn is_upgraded(s: &Whole) -> bool {
    group(s).status.phase != Phase::Inactive
}

/// Whether an update is neither done nor put back. Who puts right what others have changed has no update under way: it may have to
/// wait for an upgrade before it writes anything.
fn is_partial(s: &Whole) -> bool {
    let phase = stack(s).status.phase;
    matches!(phase, Stands::Partial(_) | Stands::RollingBack(Some(_)) | Stands::Stalled(Some(_)))
}

/// Whether what was there before an update cannot be put back.
fn is_stalled(s: &Whole) -> bool {
    matches!(stack(s).status.phase, Stands::Stalled(_))
}

fn is_free(s: &Whole) -> bool {
    let cluster = shared::cluster(UPGRADES, &s.0[UPGRADES]).map(upgrades::names::cluster_of);
    cluster.is_some_and(|cluster| !cluster.updates && cluster.upgrade.is_none())
}
