//! What is claimed of updates.

mod requests;
mod told;

use bowline_explorer::Property;
use bowline_updates::{Mood, Number, Phase, Stack, Stage};

use self::requests::{
    are_in_order, discards_only_what_has_ended, has_no_more_than_it_keeps, has_succeeded, has_the_newest,
    has_touched, is_blamed_for_no_permission, is_one, is_outdated, is_over, is_tried_again,
};
use super::names::{self, CLUSTER, UPDATES};
use super::world::{self, World};
use super::{BEGIN, MEND, REPORT, RESTS_ON_A_LOOK, Team, WRITE, memory};
use crate::harness::{Action, Deed, Doing, Edit, Fault, Harness, State, What, Who};
use crate::tiny::Tiny;

type Claim = Property<Harness<Team>>;

const STACKS: u8 = 2;

pub(super) fn all() -> Vec<Claim> {
    let mut all = of_requests();
    all.extend(of_the_cluster());
    all.extend(told::all());
    all.extend(liveness());
    all.extend(reachable());
    all
}

fn of_requests() -> Vec<Claim> {
    vec![
        Property::always("NoConcurrentUpdate", |_, s: &State| stacks(s).all(|stack| is_one(&stack)))
            .about("of a stack at most one version is worked on, and it is the one that its phase names"),
        Property::always("NumbersInOrder", |_, s: &State| stacks(s).all(|stack| are_in_order(s, &stack)))
            .about("no two updates have one number, and who was submitted later has a greater one"),
        Property::always_step(
            "NoApplicationOfOutdatedReq",
            |_, before: &State, _: &Action, after: &State| {
                pairs(before, after).all(|(was, is)| !is_outdated(before, &was, &is))
            },
        )
        .about("a version is not started, nor begun, while a newer valid one waits; unless it was started before somebody has paused them"),
        Property::always_step("NotAgain", |_, before: &State, _: &Action, after: &State| {
            pairs(before, after).all(|(was, is)| !is_tried_again(&was, &is))
        })
        .about("content that was rolled back is not begun again, unless somebody has released it"),
        Property::always_step("NotToBlame", |_, before: &State, action: &Action, after: &State| {
            pairs(before, after).all(|(was, is)| !is_blamed_for_no_permission(before, action, &was, &is))
        })
        .about("content is not to blame for it that its stack may not use the cluster any more"),
        Property::always_step("NeverTouched", |_, before: &State, _: &Action, after: &State| {
            pairs(before, after).all(|(was, is)| !has_touched(&was, &is))
        })
        .about("a version that is rejected, or failed, has never been begun"),
        Property::always_step("LastGoodSucceeded", |_, before: &State, _: &Action, after: &State| {
            pairs(before, after)
                .all(|(was, is)| was.status.good == is.status.good || has_succeeded(&was, &is))
        })
        .about("last good is a version that was on the cluster, and became healthy"),
        Property::always_step("OnlyWhatHasEndedIsDiscarded", |_, before: &State, action: &Action, after: &State| {
            matches!(action, Action::Deed(_)) || (0..STACKS).all(|key| discards_only_what_has_ended(before, after, key))
        })
        .about("an update is deleted by us only when it shows how it ended, and never that of the last good version"),
    ]
}

fn of_the_cluster() -> Vec<Claim> {
    vec![
        Property::always_step("TakenOverFirst", |_, _: &State, action: &Action, after: &State| {
            let (Action::Turn(key) | Action::Wake(key) | Action::Jump(key)) = action else { return true };
            writes(after, *key).is_none_or(|_| is_seen_led(after, *key))
        })
        .about("who writes to the cluster has taken its stack over before"),
        Property::always_step("OnlyWhatIsBegun", |_, before: &State, action: &Action, _: &State| {
            let (Action::Carry(key) | Action::LoseReply(key) | Action::Fail(key, _)) = action else { return true };
            writes(before, *key).is_none_or(|version| is_begun(before, *key, version))
        })
        .about("what is written to the cluster is a version that is recorded as begun, or the last good one"),
        Property::always_step("SeenThere", |_, _: &State, action: &Action, after: &State| {
            let (Action::Turn(key) | Action::Wake(key) | Action::Jump(key)) = action else { return true };
            !rests_on_a_look(after, *key) || is_seen_there(after, *key)
        })
        .about("what rests on a look at the cluster rests on one at the cluster that is there, and not at one that had its name before"),
        Property::always_step("OnlyWhereAllowed", |_, before: &State, action: &Action, after: &State| {
            let (Action::Turn(key) | Action::Wake(key) | Action::Jump(key)) = action else { return true };
            !begins(before, after, *key) || !memory::is_barred(&after.keys[usize::from(*key)].memory)
        })
        .about("where the namespace of a stack may not use the cluster any more, as it was seen last, no version is begun, nothing is put right that others have changed, and nothing is written there"),
        Property::always_step("EnteredFirst", |_, before: &State, action: &Action, after: &State| {
            (0..STACKS).all(|key| !is_written(before, action, after, key) || has_entered(before, key))
        })
        .about("nothing of a stack arrives on the cluster unless the stack has entered it; unless the cluster was deleted meanwhile"),
        Property::always("NotBesideAnUpgrade", |_, s: &State| {
            let cluster = s.truth()[usize::from(CLUSTER)].and_then(names::cluster_of);
            cluster.is_none_or(|cluster| !cluster.upgrade || cluster.updates.is_empty())
        })
        .about("no stack has entered a cluster while it is upgraded"),
        Property::always_step("NothingForeignIsLost", |_, before: &State, action: &Action, after: &State| {
            (0..STACKS).all(|key| !is_written(before, action, after, key) || keeps_what_is_foreign(before, after, key))
        })
        .about("what the stack did not make is not deleted; what it takes over is recorded before as it was, and given back so"),
        Property::always("Kept", |_, s: &State| (0..STACKS).all(|key| is_kept(s, key)))
            .about("an inventory that is recorded is in safe keeping, until its stack is deleted and has left the cluster"),
    ]
}

fn liveness() -> Vec<Claim> {
    vec![
        Property::eventually_always("Discarded", |_, s: &State| {
            (0..STACKS).all(|key| is_going(s, key) || is_stalled(s, key) || has_no_more_than_it_keeps(s, key))
        })
        .about("in the end there are no more updates that have ended than are kept, and that of the last good version"),
        Property::eventually_always("EveryReqIsProcessed", |m, s: &State| {
            (0..STACKS).all(|key| {
                let mut updates = updates(s, key);
                is_paused(s, key) || is_left_behind(m, s, key) || updates.all(|update| is_over(s, key, &update))
            })
        })
        .about("every update says in the end how it ended, also when its stack or its cluster is deleted; unless somebody has paused them, or changes what it shows when its stack is gone"),
        Property::eventually_always("EveryReqInQueueIsProcessed", |_, s: &State| {
            (0..STACKS).all(|key| is_excused(s, key) || stack(s, key).is_none_or(|stack| stack.queued().is_none()))
        })
        .about("in the end nothing waits in the queue; unless it may not be started"),
        Property::eventually_always("NewestWins", |m: &Harness<Team>, s: &State| {
            let is_calm = fails_nothing(m) && !is_remembered(s, DELETED);
            !is_calm || (0..STACKS).all(|key| is_excused(s, key) || has_the_newest(s, key))
        })
        .about("where nothing goes wrong that may fail a version, and nobody deletes the cluster, the newest version is the last good one in the end, if its content works and has not failed before"),
        Property::eventually_always("NoPartialUpdateTermination", |_, s: &State| {
            (0..STACKS).all(|key| is_going(s, key) || is_whole(s, key))
        })
        .about("in the end the cluster has the last good version, or what was there before, also if somebody has paused them; unless others have changed it, or the stack may not be there any more"),
        Property::eventually_always("IsLeft", |_, s: &State| {
            (0..STACKS).all(|key| is_going(s, key) || is_stalled(s, key) || !is_on_cluster(s, key))
        })
        .about("in the end the cluster is left"),
        Property::eventually_always("Rests", |_, s: &State| {
            let is_look = |doing: Doing| matches!(doing.what, What::Call(ask) if world::only_looks(&ask));
            s.keys.iter().all(|known| known.doing.is_none_or(is_look)) && (0..3).all(|kind| s.behind(kind) == 0)
        })
        .about("and then nothing is written any more, on the hub or on the cluster, though the cluster is looked at for ever"),
        Property::eventually_always("Told", |_, s: &State| {
            (0..STACKS).all(|key| is_excused(s, key) || stack(s, key).is_none_or(|stack| is_told(s, key, &stack)))
        })
        .about("in the end a stack says how it stands"),
    ]
}

fn reachable() -> Vec<Claim> {
    let ends = |stage: Stage| {
        move |s: &State| updates(s, 0).any(|u| u.shown.is_some_and(|shown| shown.stage == stage))
    };
    vec![
        Property::sometimes("Succeeds", move |_, s: &State| ends(Stage::Succeeded)(s))
            .about("a version succeeds"),
        Property::sometimes("RollsBack", move |_, s: &State| ends(Stage::RolledBack)(s))
            .about("a version is rolled back"),
        Property::sometimes("Supersedes", move |m, s: &State| is_alone(m) || ends(Stage::Superseded)(s))
            .about("a version is superseded; or there is only one"),
        Property::sometimes("GoesBack", |m, s: &State| {
            is_alone(m) || stack(s, 0).is_some_and(|s| goes_back(&s))
        })
        .about("a last good version is put back; or there is only one"),
        Property::sometimes("TakesPlace", |m, s: &State| {
            is_alone(m) || stack(s, 0).is_some_and(|s| takes_place(&s))
        })
        .about("a version takes the place of one that has touched the cluster; or there is only one"),
    ]
}

/// Whether nothing goes wrong by which a version may rightly fail: who is lost once is taken over, and one write that was not
/// answered is looked for.
fn fails_nothing(m: &Harness<Team>) -> bool {
    let of = |fault: Fault| m.bounds().faults[fault as usize];
    let unanswered = of(Fault::LostRequest) + of(Fault::LostReply);
    let may_fail = of(Fault::Provider) + of(Fault::Drift) + of(Fault::TwoLeaders);
    may_fail == 0 && unanswered <= 1 && of(Fault::Crash) <= 1 && m.bounds().people[4] == 0
}

fn is_alone(m: &Harness<Team>) -> bool {
    m.bounds().people[0] < 2
}

fn goes_back(stack: &Stack<Tiny>) -> bool {
    matches!(stack.status.phase, Phase::RollingBack(_)) && stack.status.good.is_some()
}

fn takes_place(stack: &Stack<Tiny>) -> bool {
    let superseded = stack.request(Number(1)).is_some_and(|request| request.stage == Stage::Superseded);
    superseded && stack.status.phase == Phase::Partial(Number(2)) && stack.status.inventory.is_some()
}

fn stack(s: &State, key: u8) -> Option<Stack<Tiny>> {
    s.truth()[usize::from(key)].and_then(|flat| names::stack_of(key, flat))
}

fn stacks(s: &State) -> impl Iterator<Item = Stack<Tiny>> {
    (0..STACKS).filter_map(|key| stack(s, key))
}

/// Stacks before and after a step.
fn pairs(before: &State, after: &State) -> impl Iterator<Item = (Stack<Tiny>, Stack<Tiny>)> {
    (0..STACKS).filter_map(|key| Some((stack(before, key)?, stack(after, key)?)))
}

fn updates(s: &State, key: u8) -> impl Iterator<Item = bowline_updates::Update<Tiny>> {
    let (first, many) = UPDATES[usize::from(key)];
    let truth = s.truth();
    (first..first + many)
        .filter_map(move |slot| truth[usize::from(slot)].and_then(|flat| names::update_of(slot, flat)))
}

/// The version that a key is writing to the cluster; 0 for the last good one.
fn writes(s: &State, key: u8) -> Option<u8> {
    match s.keys[usize::from(key)].doing {
        Some(Doing { what: What::Call(ask), .. }) => world::writes(&ask),
        _ => None,
    }
}

fn is_seen_led(s: &State, key: u8) -> bool {
    let shown = s.shown[usize::from(key)].and_then(|flat| names::stack_of(key, flat));
    shown.is_some_and(|stack| stack.status.epoch.0 == 1)
}

/// Whether a key does what rests on a look; or says that all is well with its last good version.
fn rests_on_a_look(s: &State, key: u8) -> bool {
    let Some(doing) = s.keys[usize::from(key)].doing else { return false };
    let is_well = |stack: Stack<Tiny>| {
        stack.status.good.is_some() && stack.told.is_some_and(|told| told.mood == Mood::Well)
    };
    match doing.what {
        What::Write(post) if doing.point == REPORT => {
            names::stack_of(post.slot, post.object).is_some_and(is_well)
        }
        _ => RESTS_ON_A_LOOK.contains(&doing.point),
    }
}

/// Whether a key writes to the cluster, or begins with what does: with a version, or with putting right what others have changed.
fn begins(before: &State, after: &State, key: u8) -> bool {
    let rests = stack(before, key).is_some_and(|stack| stack.status.phase == Phase::Idle);
    match after.keys[usize::from(key)].doing.map(|doing| doing.point) {
        Some(MEND) => rests,
        point => matches!(point, Some(BEGIN | WRITE)),
    }
}

fn is_seen_there(s: &State, key: u8) -> bool {
    let there = s.shown[usize::from(CLUSTER)].map(|flat| flat.uid);
    there == Some(s.keys[usize::from(key)].memory.uids[0])
}

fn is_begun(s: &State, key: u8, version: u8) -> bool {
    stack(s, key).is_none_or(|stack| match stack.status.phase {
        Phase::Partial(number) => number.0 == u64::from(version),
        Phase::Idle | Phase::RollingBack(_) | Phase::Stalled(_) => version == 0,
        Phase::Starting(_) => false,
    })
}

/// Whether a step is a write of the stack's that changes the cluster.
fn is_written(before: &State, action: &Action, after: &State, key: u8) -> bool {
    let ours = !matches!(action, Action::Deed(_));
    let places = |s: &State| World::of(&s.outside[usize::from(key)]).places;
    ours && places(before) != places(after)
}

fn has_entered(s: &State, key: u8) -> bool {
    is_on_cluster(s, key) || is_remembered(s, DELETED)
}

fn is_on_cluster(s: &State, key: u8) -> bool {
    let cluster = s.truth()[usize::from(CLUSTER)].and_then(names::cluster_of);
    cluster.is_some_and(|cluster| cluster.updates.iter().any(|(stack, _)| *stack == key))
}

fn keeps_what_is_foreign(before: &State, after: &State, key: u8) -> bool {
    let recorded = before.truth()[usize::from(key)].map_or(0, |flat| names::inventory_of(&flat));
    let (was, is) =
        (World::of(&before.outside[usize::from(key)]), World::of(&after.outside[usize::from(key)]));
    (0u8..).zip(was.places.into_iter().zip(is.places)).all(|(place, (was, is))| {
        let before = match names::decode(recorded).0.get(&place) {
            Some(bowline_updates::Origin::Adopted(before)) => Some(*before),
            _ => None,
        };
        let is_given_back = before == Some(world::body(is)) && is != world::ABSENT && !world::is_ours(is);
        match (was, world::is_ours(was)) {
            _ if was == is => true,
            (world::ABSENT, _) => true,
            (_, true) => before.is_none() || world::is_ours(is) || is_given_back,
            (_, false) => before == Some(world::body(was)) && is != world::ABSENT,
        }
    })
}

fn is_kept(s: &State, key: u8) -> bool {
    let recorded = s.truth()[usize::from(key)].map_or(0, |flat| names::inventory_of(&flat));
    let has_left = stack(s, key).is_none_or(|stack| stack.deleting) && !is_on_cluster(s, key);
    recorded == 0 || has_left || World::of(&s.outside[usize::from(key)]).keeps(recorded)
}

/// Whether somebody keeps a stack from going on, or it is being deleted.
fn is_excused(s: &State, key: u8) -> bool {
    is_going(s, key) || is_paused(s, key)
}

/// Whether nothing can be promised of a stack: it is being deleted, or its cluster is.
fn is_going(s: &State, key: u8) -> bool {
    let cluster = s.truth()[usize::from(CLUSTER)].and_then(names::cluster_of);
    cluster.is_none_or(|cluster| cluster.deleting) || stack(s, key).is_none_or(|stack| stack.deleting)
}

fn is_stalled(s: &State, key: u8) -> bool {
    stack(s, key).is_some_and(|stack| matches!(stack.status.phase, Phase::Stalled(_)))
}

/// Whether somebody keeps a stack from starting anything.
fn is_paused(s: &State, key: u8) -> bool {
    let cluster = s.truth()[usize::from(CLUSTER)].and_then(names::cluster_of);
    cluster.is_some_and(|cluster| cluster.paused)
        || stack(s, key).is_some_and(|stack| stack.wish.paused && !stack.deleting)
}

/// Whether a stack is gone that somebody may have taken its finalizer off, or whose updates somebody may change: nobody ends those.
fn is_left_behind(m: &Harness<Team>, s: &State, key: u8) -> bool {
    stack(s, key).is_none() && m.bounds().faults[Fault::Drift as usize] > 0
}

/// Whether the cluster is as the last good version wants it; or as nobody has touched it, if there is none.
fn is_whole(s: &State, key: u8) -> bool {
    let Some(stack) = stack(s, key) else { return true };
    let world = World::of(&s.outside[usize::from(key)]);
    let digest = stack.status.good.as_ref().map_or(0, |good| good.digest);
    let wanted = world::wanted(digest);
    let is_it = |(place, at): (u8, u8)| match wanted.0.get(&place) {
        Some(wanted) => world::is_ours(at) && world::body(at) == wanted.body,
        None => !world::is_ours(at),
    };
    let rests = stack.status.phase == Phase::Idle || is_stalled(s, key);
    let is_told = world.barred || is_remembered(s, DRIFTED) && !stack.wish.repairs;
    rests && ((0..).zip(world.places).all(is_it) || is_told || is_stalled(s, key))
}

/// Whether the last good version does not work any more.
fn is_sick(s: &State, key: u8, stack: &Stack<Tiny>) -> bool {
    let sick = World::of(&s.outside[usize::from(key)]).sick;
    stack.status.good.as_ref().is_some_and(|good| sick >> good.digest & 1 == 1)
}

fn is_told(s: &State, key: u8, stack: &Stack<Tiny>) -> bool {
    let Some(told) = &stack.told else { return false };
    let cluster = s.truth()[usize::from(CLUSTER)].and_then(names::cluster_of);
    let ready = cluster.is_none_or(|cluster| cluster.ready);
    let is_true = match told.mood {
        Mood::Well => {
            let is_well = is_whole(s, key) && !is_sick(s, key, stack);
            let may_be_there = !World::of(&s.outside[usize::from(key)]).barred;
            let has_none = stack.status.good.is_none() && stack.status.submitted == Number(0);
            ready && stack.status.phase == Phase::Idle && (is_well && may_be_there || has_none)
        }
        Mood::Drifted => is_remembered(s, DRIFTED),
        Mood::Unhealthy => stack.status.phase == Phase::Idle && is_sick(s, key, stack),
        Mood::Stuck => is_stalled(s, key) || World::of(&s.outside[usize::from(key)]).barred,
        Mood::Empty => {
            ready
                && stack.status.phase == Phase::Idle
                && stack.status.good.is_none()
                && stack.status.submitted > Number(0)
        }
        Mood::Waiting | Mood::Paused | Mood::Failing | Mood::Going => false,
    };
    told.observed == stack.generation && is_true
}

/// Of what is remembered: somebody has changed what is on the cluster, or deleted the cluster.
const DRIFTED: u8 = 1;
const DELETED: u8 = 2;

fn is_remembered(s: &State, what: u8) -> bool {
    s.ghost & what != 0
}

/// What the claims need to know of what happened.
pub(super) fn remembered(before: &State, action: &Action, _: &State) -> u8 {
    let what = match action {
        Action::Deed(Deed { who: Who::Drift, what: Edit::Outside(..), .. }) => DRIFTED,
        Action::Deed(Deed { what: Edit::Delete, slot: CLUSTER, .. }) => DELETED,
        _ => 0,
    };
    before.ghost | what
}
