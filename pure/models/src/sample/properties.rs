//! What is claimed of the loop, on the small controller.

use bowline_explorer::Property;
use bowline_sample::{Object, Phase, Wait};

use super::Sample;
use super::names;
use crate::harness::{Action, Doing, Flat, Harness, Objects, Post, State, Verb, What};

type Claim = Property<Harness<Sample>>;

pub(crate) const INSTANCES: u8 = 2;

pub(super) fn all() -> Vec<Claim> {
    let mut all = safety();
    all.extend(liveness());
    all.extend(reachable());
    all
}

fn safety() -> Vec<Claim> {
    vec![
        Property::always("OneOfEach", |_, s: &State| (0..INSTANCES).all(|key| one_of_each(&s.truth(), key)))
            .about("a pair has at most one half to a side, whatever they are called"),
        Property::always_step("LeftFirst", |_, _, action: &Action, after: &State| {
            let (Action::Turn(key) | Action::Wake(key) | Action::Jump(key)) = action else { return true };
            !makes(after, *key, 1) || is_good(&after.shown, *key, 0)
        })
        .about("the right half is not made before the left one is seen to be ready"),
        Property::always_step("LeavesNothing", |_, before: &State, _, after: &State| {
            (0..INSTANCES).all(|key| leaves_nothing(before, after, key))
        })
        .about(
            "a pair goes when none of its halves is there, but such as came late, by a request left behind",
        ),
        Property::always_step("LeavesOthersAlone", |_, before: &State, action: &Action, after: &State| {
            !is_ours(action) || strangers(&before.truth()) == strangers(&after.truth())
        })
        .about("a half that is not the pair's is neither changed nor deleted"),
        Property::always_step("KeepsWishes", |_, before: &State, action: &Action, after: &State| {
            !is_ours(action) || wishes(&before.truth(), &after.truth())
        })
        .about("what a person wants of a pair is not written over"),
    ]
}

fn liveness() -> Vec<Claim> {
    vec![
        Property::eventually_always("Converges", |_, s: &State| {
            (0..INSTANCES).all(|key| is_as_wanted(&s.truth(), key))
        })
        .about("once people and faults rest, every pair is as it is wanted, and says so; a deleted one leaves nothing"),
        Property::eventually_always("Rests", |_, s: &State| s.is_quiet())
            .about("and then nothing is written or decided any more"),
    ]
}

fn reachable() -> Vec<Claim> {
    vec![
        Property::sometimes("Complete", |_, s: &State| {
            let truth = s.truth();
            truth[0].is_some_and(|pair| !pair.deleting) && is_as_wanted(&truth, 0) && s.is_quiet()
        })
        .about("a pair is complete"),
        Property::sometimes("TakenDown", |m: &Harness<Sample>, s: &State| {
            m.bounds().people[2] == 0 || s.people[2] == 0 && s.truth() == Objects::default()
        })
        .about("a pair was deleted, and nothing is left; or nobody may delete one"),
        Property::sometimes("Stale", |m: &Harness<Sample>, s: &State| {
            m.bounds().lag == 0
                || s.keys.iter().any(|known| known.doing.is_some()) && s.truth()[0] != s.shown[0]
        })
        .about("something is done while the cache is behind; or it never is"),
    ]
}

/// Whether a key is making its half of a side.
fn makes(s: &State, key: u8, side: usize) -> bool {
    let Some(Doing { what: What::Write(Post { verb: Verb::Create, slot, .. }), .. }) =
        s.keys[usize::from(key)].doing
    else {
        return false;
    };
    usize::from(slot) == names::places(key).1[side]
}

/// Whether a step is ours: a request of the controller's arrives.
fn is_ours(action: &Action) -> bool {
    matches!(
        action,
        Action::Carry(_) | Action::Apply(_) | Action::Arrive(_) | Action::LoseReply(_) | Action::Crash(true)
    )
}

fn one_of_each(truth: &Objects, key: u8) -> bool {
    let (pair, _) = names::places(key);
    let Some(pair) = truth[pair] else { return true };
    let left =
        |slot: &u8| matches!(names::id(*slot), bowline_sample::Id::Half(_, bowline_sample::Side::Left));
    let owned = (0..truth.len() as u8).filter(left).filter(|slot| {
        truth[usize::from(*slot)].is_some_and(|half| half.owner == Some((names::slot_of_pair(key), pair.uid)))
    });
    owned.count() <= 1
}

/// Whether the half of a side is the pair's, carries its value, and is ready.
fn is_good(objects: &Objects, key: u8, side: usize) -> bool {
    let (pair, halves) = names::places(key);
    let (Some(pair), Some(half)) = (objects[pair], objects[halves[side]]) else { return false };
    half.owner == Some((names::slot_of_pair(key), pair.uid))
        && half.body[0] == pair.body[0]
        && names::is_ready(&half)
}

fn leaves_nothing(before: &State, after: &State, key: u8) -> bool {
    let (pair, _) = names::places(key);
    let (was, is) = (before.truth()[pair], after.truth()[pair]);
    let Some(gone) = was.filter(|was| is.is_none_or(|is| is.uid != was.uid)) else { return true };
    let owner = Some((names::slot_of_pair(key), gone.uid));
    (0..)
        .zip(before.truth())
        .all(|(slot, half)| half.is_none_or(|half| half.owner != owner) || before.ghost >> slot & 1 == 1)
}

/// Which halves were made by a request that somebody left behind: a bit for each place.
pub(super) fn made_late(before: &State, action: &Action, after: &State) -> u8 {
    let (was, is) = (before.truth(), after.truth());
    let mut late = before.ghost;
    for slot in 0..is.len() {
        let uid = |flat: Option<Flat>| flat.map(|flat| flat.uid);
        if uid(was[slot]) != uid(is[slot]) {
            late &= !(1 << slot);
            if matches!(action, Action::Arrive(_)) && is[slot].is_some() {
                late |= 1 << slot;
            }
        }
    }
    late
}

fn strangers(objects: &Objects) -> Vec<Option<Flat>> {
    let strange =
        |(slot, flat): (u8, Option<Flat>)| flat.filter(|flat| !names::is_pair(slot) && flat.owner.is_none());
    (0..).zip(*objects).map(strange).collect()
}

/// Whether every pair that is still there is wanted as it was.
fn wishes(before: &Objects, after: &Objects) -> bool {
    (0..INSTANCES).all(|key| {
        let (pair, _) = names::places(key);
        let (Some(was), Some(is)) = (before[pair], after[pair]) else { return true };
        was.uid != is.uid || was.body[0] == is.body[0]
    })
}

/// Whether a pair is as it is wanted and says so, or says what a person has to do, or is gone with all that it had.
fn is_as_wanted(truth: &Objects, key: u8) -> bool {
    let (place, halves) = names::places(key);
    let Some(flat) = truth[place] else {
        return truth
            .iter()
            .flatten()
            .all(|other| other.owner.is_none_or(|(slot, _)| usize::from(slot) != place));
    };
    let Object::Pair(pair) = names::object(place as u8, flat) else { return false };
    if pair.deleting || pair.status.observed != pair.generation {
        return false;
    }
    match pair.status.phase {
        Phase::Ready => is_good(truth, key, 0) && is_good(truth, key, 1),
        Phase::Waiting(Wait::NameTaken(side)) => {
            truth[halves[side as usize]].is_some_and(|half| half.owner.is_none())
        }
        _ => false,
    }
}
