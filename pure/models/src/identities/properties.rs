//! What is claimed of identities.

use bowline_explorer::Property;
use bowline_identities::Whose;

use super::Team;
use super::calls::{self, Change, Part};
use super::converged::{has_converged, is_stalled};
use super::memory;
use super::names::{self, ACCOUNTS, BOUNDARY, TOMBSTONES, TRUST};
use super::world::World;
use crate::harness::{Action, Deed, Doing, Edit, Fault, Flat, Harness, Late, State, Verb, What};

type Claim = Property<Harness<Team>>;

const INSTANCES: u8 = 2;

pub(super) fn all() -> Vec<Claim> {
    let mut all = safety();
    all.extend(of_the_end());
    all.extend(liveness());
    all.extend(reachable());
    all
}

fn safety() -> Vec<Claim> {
    vec![
        Property::always("NoConcurrentProcessingOfSameResource", |m: &Harness<Team>, s: &State| {
            let busy = s.keys.iter().filter(|known| known.doing.is_some()).count();
            busy <= usize::from(m.bounds().workers) && (0..INSTANCES).all(|key| minds_its_own(s, key))
        })
        .about("no resource is worked on by two: all that is done for an identity is about what has its name, and no two have one"),
        Property::always_step("AtMostOne", |_, _: &State, action: &Action, after: &State| {
            decided(action, after).is_none_or(|(key, ask)| match calls::change(&ask) {
                Some(Change::Makes(part)) => ask.key == key && is_seen_absent(after, key, part),
                _ => true,
            })
        })
        .about("a policy or role is made only under its identity's own name, and after a look that found none"),
        Property::always_step("IntendedFirst", |_, _: &State, action: &Action, after: &State| {
            decided(action, after).is_none_or(|(key, ask)| {
                calls::change(&ask).is_none() || is_intended(after, key, calls::round(&ask))
            })
        })
        .about("nothing is changed in AWS before the identity is held and that is recorded; or, when it is gone, without a tombstone"),
        Property::always_step("OnlyWhenComplete", |m: &Harness<Team>, _: &State, action: &Action, after: &State| {
            let (Action::Turn(key) | Action::Wake(key) | Action::Jump(key)) = action else { return true };
            !publishes(after, *key) || is_complete(m, after, *key)
        })
        .about("an account is made, or says which role it has, only if that role was recorded as complete, and is so by the last look"),
        Property::always_step("LapsedFirst", |_, _: &State, action: &Action, after: &State| {
            decided(action, after).is_none_or(|(key, ask)| {
                let makes = calls::change(&ask) == Some(Change::Makes(Part::Role));
                !makes || after.shown[usize::from(key)].is_none_or(|flat| !is_recorded(key, flat))
            })
        })
        .about("a role is made only for an identity that does not say that its role can be used"),
        Property::always_step("NothingHalfMade", |_, _: &State, action: &Action, after: &State| {
            decided(action, after).is_none_or(|(key, ask)| match calls::change(&ask) {
                Some(Change::Makes(_)) => after.shown[usize::from(key)].is_none_or(|flat| is_found(after, key, flat)),
                _ => true,
            })
        })
        .about("nothing is made for an identity that names a boundary before that was seen, or is the role's already"),
        Property::always_step("NothingForeignIsTouched", |_, before: &State, action: &Action, after: &State| {
            matches!(action, Action::Deed(_) | Action::Collect(_))
                || (0..INSTANCES).all(|key| leaves_what_is_foreign(before, after, key))
        })
        .about("what is not ours is never changed or deleted, in AWS or on the hub; unless it was ours when we looked, or is to be adopted"),
    ]
}

fn of_the_end() -> Vec<Claim> {
    vec![
        Property::always_step("OrphansAreLeft", |_, _: &State, action: &Action, after: &State| {
            decided(action, after).is_none_or(|(key, ask)| {
                let going = |flat: Flat| flat.deleting && names::orphans(&flat);
                let is_left = after.shown[usize::from(key)].is_some_and(going);
                calls::change(&ask).is_none() || !is_left && !is_remembered(after, LEFT, key)
            })
        })
        .about("an identity that is to leave AWS as it is changes nothing there when it is deleted, nor later"),
        Property::always_step("NothingIsLeft", |m: &Harness<Team>, before: &State, _: &Action, after: &State| {
            let of = |fault: Fault| m.bounds().faults[fault as usize];
            let is_late = of(Fault::LostReply) + of(Fault::TwoLeaders) > 0;
            is_late || of(Fault::Provider) > 1 || (0..INSTANCES).all(|key| leaves_nothing(before, after, key))
        })
        .about("when an identity is let go nothing of it is in AWS, if nothing arrives late, and it is hidden from us once at most"),
        Property::always_step("BuriedFirst", |_, before: &State, _: &Action, after: &State| {
            (0..INSTANCES).all(|key| is_buried(before, after, key))
        })
        .about("when an identity is let go that has ever intended something, there is a tombstone of it; unless it leaves AWS as it is"),
        Property::always_step("OnlyWhatIsBuried", |_, _: &State, action: &Action, after: &State| {
            decided(action, after).is_none_or(|(key, ask)| {
                calls::change(&ask).is_none() || calls::round(&ask) == 0 || sweeps_its_own(after, key, &ask)
            })
        })
        .about("when no identity is there, only what was of those in its tombstone is swept"),
    ]
}

fn liveness() -> Vec<Claim> {
    vec![
        Property::eventually_always("Converges", |_, s: &State| converges(s))
            .about("in the end every identity is in AWS as it is wanted, and so is its account; or it says what a person has to do"),
        Property::eventually_always("Goes", |_, s: &State| {
            (0..INSTANCES).all(|key| {
                let is_held = World::of(&s.outside[usize::from(key)]).is_held();
                s.truth()[usize::from(key)].is_none_or(|flat| !flat.deleting || is_held && is_stalled(key, flat))
            })
        })
        .about("in the end an identity that is deleted is gone; or it says that others keep its policy"),
        Property::eventually_always("LeavesNothing", |m: &Harness<Team>, s: &State| {
            (0..INSTANCES).all(|key| {
                let is_there = s.truth()[usize::from(key)].is_some();
                let world = World::of(&s.outside[usize::from(key)]);
                let is_excused = is_remembered(s, LEFT, key) || is_remembered(s, UNKNOWN, key);
                is_there || is_excused || world.is_held() || !world.has_ours() || may_miss_it(m)
            })
        })
        .about("in the end nothing is in AWS of what is gone, whatever arrived late; unless it was to be left, others keep it, or the last sweep came too early by a jump of the clock or was not shown what had just arrived"),
        Property::eventually_always("Forgotten", |_, s: &State| {
            (0..INSTANCES).all(|key| {
                let of = |slot: u8| s.truth()[usize::from(slot)];
                let is_going = of(key).is_some_and(|flat| flat.deleting);
                let is_left = of(key).is_none() && is_marked(of(ACCOUNTS + key));
                (of(TOMBSTONES + key).is_none() || is_going) && !is_left
            })
        })
        .about("in the end no tombstone is left but of what others keep from going, and no account of what is gone"),
        Property::eventually_always("TerminationIsTheLastAction", |_, s: &State| {
            let changes_nothing = |doing: Doing| match doing.what {
                What::Call(ask) => {
                    calls::change(&ask).is_none() || World::of(&s.outside[usize::from(ask.key)]).refuses(&ask)
                }
                _ => false,
            };
            let is_quiet = s.keys.iter().all(|known| known.doing.is_none_or(changes_nothing));
            is_quiet && (0..3).all(|kind| s.behind(kind) == 0)
        })
        .about("and then nothing is written any more, on the hub or in AWS, though AWS is looked at, and asked for what it refuses, for ever"),
    ]
}

fn reachable() -> Vec<Claim> {
    vec![
        Property::sometimes("Ready", |_, s: &State| is_ready(s)).about("an identity is ready"),
        Property::sometimes("Corrected", |m: &Harness<Team>, s: &State| {
            m.bounds().people[1] == 0 || World::of(&s.outside[0]).others > 0
        })
        .about("a policy gets another version; or nobody wants one"),
        Property::sometimes("TakenDown", |m: &Harness<Team>, s: &State| {
            m.bounds().people[2] == 0
                || s.truth()[0].is_none() && s.truth()[usize::from(TOMBSTONES)].is_some()
        })
        .about("an identity is gone, and its tombstone there; or nobody may delete one"),
    ]
}

/// The call that a turn has decided, and whose.
fn decided(action: &Action, after: &State) -> Option<(u8, crate::harness::Ask)> {
    let (Action::Turn(key) | Action::Wake(key) | Action::Jump(key)) = action else { return None };
    match after.keys[usize::from(*key)].doing {
        Some(Doing { what: What::Call(ask), .. }) => Some((*key, ask)),
        _ => None,
    }
}

fn minds_its_own(s: &State, key: u8) -> bool {
    s.keys[usize::from(key)].doing.is_none_or(|doing| match doing.what {
        What::Write(post) => names::instance(post.slot) == key,
        What::Look(slot) => names::instance(slot) == key,
        What::Call(ask) => ask.key == key,
        What::Answer(answer) => names::instance(answer.slot) == key,
    })
}

/// Whether the boundary that an identity names was seen.
fn is_found(s: &State, key: u8, flat: Flat) -> bool {
    let has_it = |role: bowline_identities::Role<crate::tiny::Tiny>| role.boundary.is_some();
    let memory = memory::memory(s.keys[usize::from(key)].memory, bowline_control::Millis(0));
    let is_its = look(s, key).and_then(|look| look.role).is_some_and(has_it);
    !names::is_bounded(&names::identity_of(key, flat)) || is_its || memory.checked.contains(&BOUNDARY)
}

/// What a key remembers of AWS.
fn look(s: &State, key: u8) -> Option<bowline_identities::Look<crate::tiny::Tiny>> {
    memory::memory(s.keys[usize::from(key)].memory, bowline_control::Millis(0)).look
}

fn is_seen_absent(s: &State, key: u8, part: Part) -> bool {
    look(s, key).is_some_and(|look| match part {
        Part::Policy => look.policy.is_none(),
        Part::Role => look.role.is_none(),
    })
}

fn is_intended(s: &State, key: u8, round: u8) -> bool {
    let identity = s.shown[usize::from(key)].map(|flat| names::identity_of(key, flat));
    match round {
        0 => identity.is_some_and(|identity| identity.held && identity.status.intent.is_some()),
        _ => identity.is_none() && s.shown[usize::from(TOMBSTONES + key)].is_some(),
    }
}

/// Whether a key is writing an account that says it has a role.
fn publishes(s: &State, key: u8) -> bool {
    match s.keys[usize::from(key)].doing {
        Some(Doing { what: What::Write(post), .. }) if post.slot == ACCOUNTS + key => {
            post.verb != Verb::Delete && names::account_of(key, post.object).role.is_some()
        }
        _ => false,
    }
}

/// Whether every identity is in AWS as it is wanted, or says what a person has to do.
pub(crate) fn converges(s: &State) -> bool {
    (0..INSTANCES).all(|key| has_converged(s, key))
}

/// Whether an account that is being written says of a role only that it has one that is complete.
pub(crate) fn publishes_what_is_complete(m: &Harness<Team>, s: &State) -> bool {
    (0..INSTANCES).all(|key| !publishes(s, key) || is_complete(m, s, key))
}

/// Whether the first identity is ready.
pub(crate) fn is_ready(s: &State) -> bool {
    s.truth()[0].is_some_and(|flat| names::identity_of(0, flat).status.ready)
}

fn is_complete(m: &Harness<Team>, s: &State, key: u8) -> bool {
    let Some(flat) = s.shown[usize::from(key)] else { return false };
    let identity = names::identity_of(key, flat);
    let wanted = names::document(&identity);
    let seen = look(s, key).is_some_and(|look| {
        let policy = look.policy.is_some_and(|policy| policy.document == wanted);
        let is_right = |role: bowline_identities::Role<crate::tiny::Tiny>| {
            let bounded = role.boundary.is_some() == names::is_bounded(&identity);
            role.trust == TRUST && role.attached == [names::POLICY] && role.inline.is_empty() && bounded
        };
        policy && look.role.is_some_and(is_right)
    });
    // Where nobody else changes anything, and nothing arrives late, what was seen is so.
    let of = |fault: Fault| m.bounds().faults[fault as usize];
    let others = of(Fault::Drift) + of(Fault::LostReply) + of(Fault::TwoLeaders) + m.bounds().people[3];
    let world = World::of(&s.outside[usize::from(key)]);
    let is_so = others > 0 || world.policy == wanted && world.role == TRUST && world.attached;
    identity.status.complete.is_some() && seen && is_so
}

/// Whether an identity says that its role is complete.
fn is_recorded(key: u8, flat: Flat) -> bool {
    names::identity_of(key, flat).status.complete.is_some()
}

fn leaves_what_is_foreign(before: &State, after: &State, key: u8) -> bool {
    let (was, is) =
        (World::of(&before.outside[usize::from(key)]), World::of(&after.outside[usize::from(key)]));
    let adopts = |flat: Flat| names::identity_of(key, flat).wish.adopts;
    let adopts = before.truth()[usize::from(key)].is_some_and(adopts);
    let policy = |world: World| (world.policy, world.others, world.uids[0]);
    let role =
        |world: World| (world.role, world.attached, world.extras, world.inline, world.bounded, world.uids[1]);
    let in_aws = (!was.is_their_policy() || policy(was) == policy(is))
        && (!was.is_their_role() || role(was) == role(is));
    let account = |s: &State| s.truth()[usize::from(ACCOUNTS + key)];
    let said = |flat: Option<Flat>| flat.map(|flat| (flat.uid, flat.deleting, flat.owner, flat.body));
    let on_hub = match account(before) {
        Some(flat) if !is_marked(Some(flat)) => said(account(after)) == said(Some(flat)),
        _ => true,
    };
    (in_aws || is_remembered(before, RACED, key)) && on_hub || adopts
}

fn is_marked(flat: Option<Flat>) -> bool {
    flat.is_some_and(|flat| names::account_of(0, flat).of.is_some())
}

/// The identity that a step has let go.
fn let_go(before: &State, after: &State, key: u8) -> Option<bowline_identities::Identity<crate::tiny::Tiny>> {
    let flat = before.truth()[usize::from(key)]?;
    let is_gone = after.truth()[usize::from(key)].is_none_or(|after| after.uid != flat.uid);
    let identity = names::identity_of(key, flat);
    (is_gone && identity.held).then_some(identity)
}

fn leaves_nothing(before: &State, after: &State, key: u8) -> bool {
    let is_left = !World::of(&after.outside[usize::from(key)]).has_ours();
    // Where all begins anywhere, there may be what nobody has ever intended.
    let meant = |identity: bowline_identities::Identity<crate::tiny::Tiny>| {
        !identity.wish.orphans && identity.status.intent.is_some()
    };
    is_left || !let_go(before, after, key).is_some_and(meant)
}

fn is_buried(before: &State, after: &State, key: u8) -> bool {
    let Some(identity) = let_go(before, after, key) else { return true };
    let tombstone = before.truth()[usize::from(TOMBSTONES + key)].map(|flat| names::tombstone_of(key, flat));
    let is_buried = tombstone.is_some_and(|tombstone| tombstone.of.contains(&identity.uid));
    is_buried || identity.wish.orphans || identity.status.intent.is_none()
}

fn sweeps_its_own(s: &State, key: u8, ask: &crate::harness::Ask) -> bool {
    let Some(tombstone) = s.shown[usize::from(TOMBSTONES + key)] else { return false };
    let of = names::tombstone_of(key, tombstone).of;
    let is_its = |whose: Option<Whose<u8>>| matches!(whose, Some(Whose::Ours(uid)) if of.contains(&uid));
    look(s, key).is_some_and(|look| match calls::change(ask) {
        Some(Change::Changes(Part::Policy)) => is_its(look.policy.map(|policy| policy.whose)),
        Some(Change::Changes(Part::Role)) => is_its(look.role.map(|role| role.whose)),
        _ => false,
    })
}

/// Whether what arrives late may be missed by the last sweep.
fn may_miss_it(m: &Harness<Team>) -> bool {
    let of = |fault: Fault| m.bounds().faults[fault as usize];
    of(Fault::LostReply) + of(Fault::TwoLeaders) > 0 && of(Fault::Clock) + of(Fault::Provider) > 0
}

/// Of what is remembered: for each key a bit that others have replaced what we may have looked at.
const RACED: u8 = 0;
/// That the last identity of that name has left AWS as it was.
const LEFT: u8 = 2;
/// That an identity is gone which had recorded nothing, or that was there before anybody looked.
const UNKNOWN: u8 = 4;

fn is_remembered(s: &State, what: u8, key: u8) -> bool {
    s.ghost >> (what + key) & 1 == 1
}

/// Whether something in AWS is of one that nobody has buried.
fn is_nobodys(s: &State, key: u8) -> bool {
    let (identity, tombstone) = (s.truth()[usize::from(key)], s.truth()[usize::from(TOMBSTONES + key)]);
    let uids = World::of(&s.outside[usize::from(key)]).uids;
    let of = tombstone.map_or(Vec::new(), |flat| names::tombstone_of(key, flat).of);
    identity.is_none() && uids.iter().any(|uid| *uid > 0 && !of.contains(uid))
}

/// Whether a key goes by what it has seen of AWS, or asks for something there.
fn has_looked(s: &State, key: u8) -> bool {
    let known = &s.keys[usize::from(key)];
    look(s, key).is_some() || matches!(known.doing, Some(Doing { what: What::Call(_), .. }))
}

fn is_looking(s: &State, key: u8) -> bool {
    let doing = s.keys[usize::from(key)].doing;
    matches!(doing, Some(Doing { what: What::Call(ask), .. }) if calls::looks(&ask))
}

/// Whether something is on its way to AWS that nobody waits for.
fn is_late(s: &State, key: u8) -> bool {
    s.late.iter().flatten().any(|late| matches!(late, Late::Call(ask) if ask.key == key))
}

/// What the claims need to know of what happened.
pub(super) fn remembered(anywhere: bool, before: &State, action: &Action, after: &State) -> u8 {
    let mut ghost = before.ghost;
    let mut set = |what: u8, key: u8, is: bool| {
        let bit = 1 << (what + key);
        ghost = if is { ghost | bit } else { ghost & !bit };
    };
    for key in 0..INSTANCES {
        match action {
            Action::Deed(Deed { what: Edit::Outside(of, _), .. }) if *of == key => {
                set(RACED, key, has_looked(before, key) || is_late(before, key));
            }
            // What was seen is so.
            Action::Carry(of) if *of == key && is_looking(before, key) => {
                set(RACED, key, is_late(after, key));
            }
            _ => {}
        }
        if anywhere && is_nobodys(before, key) {
            set(UNKNOWN, key, true);
        }
        let (was, is) = (before.truth()[usize::from(key)], after.truth()[usize::from(key)]);
        match (was, is) {
            (None, Some(_)) => {
                set(LEFT, key, false);
                set(UNKNOWN, key, false);
            }
            (Some(was), None) => {
                let identity = names::identity_of(key, was);
                set(LEFT, key, identity.wish.orphans && identity.held);
                set(UNKNOWN, key, !identity.held || identity.status.intent.is_none());
            }
            _ => {}
        }
    }
    ghost
}
