//! What is claimed of leases.

use bowline_control::lease::{Step, Wish};
use bowline_explorer::{Formula, Property};

use super::state::{Ask, Holder, Process, Record, State, Who};
use super::{Action, Fault, Leases};

pub(super) fn all(m: &Leases) -> Vec<Property<Leases>> {
    let mut all = safety();
    all.extend(liveness(m));
    all.extend(reached());
    all
}

fn under_way(s: &State) -> usize {
    s.holders.iter().flat_map(|holder| [holder.effect, holder.past]).flatten().count()
}

fn somebody_may_act(m: &Leases, s: &State) -> bool {
    (0..m.holders).any(|h| m.tenure(s, h).is_some())
}

fn is_held(s: &State) -> bool {
    s.record.is_some_and(|record| record.holder.is_some())
}

fn safety() -> Vec<Property<Leases>> {
    vec![
        Property::always_step("OneEpoch", |m: &Leases, s: &State, action: &Action, _: &State| {
            let Action::Begin(h) = action else { return true };
            let current = m.tenure(s, *h).is_some_and(|tenure| tenure.epoch.0 == u64::from(s.epoch()));
            !current || s.acted.is_none_or(|who| who == Who::Run(*h))
        })
        .about("no two act in one epoch, whatever clocks do"),
        Property::always("OneActs", |_, s: &State| s.jumped || under_way(s) <= 1)
            .about("no two have something under way at the same time, if clocks keep their bound"),
        Property::always_step("ActsInTime", |m: &Leases, s: &State, action: &Action, _: &State| {
            let Action::Begin(h) = action else { return true };
            let lasts = super::state::settings().acts_for().0 / 1000;
            let held = s.holders[usize::from(*h)].held.filter(|held| u64::from(held.age) < lasts);
            held.is_some() && m.tenure(s, *h).is_some()
        })
        .about("who wakes from a pause begins nothing before the lease is its own again"),
        Property::always_step("EpochGrows", |_, s: &State, _: &Action, next: &State| {
            let (Some(before), Some(after)) = (s.record, next.record) else { return true };
            let same = before.holder == after.holder
                || after.holder.is_none()
                || before.holder.is_some() && after.holder == Some(Who::Past);
            if same { after.epoch >= before.epoch } else { after.epoch > before.epoch }
        })
        .about("the epoch never falls, and whoever takes the lease raises it"),
        Property::always_step("UnknownGivesNothing", |_, s: &State, action: &Action, next: &State| {
            let Action::Fault(Fault::LoseRequest | Fault::LoseReply | Fault::Late, h) = action else {
                return true;
            };
            let held = |s: &State| s.holders[usize::from(*h)].held;
            held(next).is_none_or(|after| held(s).is_some_and(|before| before.age <= after.age))
        })
        .about("nobody acts, or acts longer, because of a write that was not answered"),
        Property::always("OwnIsTakenAtOnce", |m: &Leases, s: &State| {
            (0..m.holders).all(|h| !finds_its_own(s, h) || m.next_step(s, h) == Some(Step::Acquire))
        })
        .about("who finds a lease that names it takes it, and does not wait for itself"),
    ]
}

/// Whether it knows that the lease is its own, and does not hold it: an earlier run did, or a write was not answered.
fn finds_its_own(s: &State, h: u8) -> bool {
    let holder = &s.holders[usize::from(h)];
    let is_its_own = |record: Record| record.holder == Some(Who::Run(h));
    let knows = holder.seen.is_some_and(|seen| seen.record.is_some_and(is_its_own)) && !holder.must_look;
    let idle = holder.sent.is_none() && holder.held.is_none();
    holder.process == Process::Up && holder.wish == Wish::Hold && knows && idle
}

fn liveness(m: &Leases) -> Vec<Property<Leases>> {
    vec![
        Property::eventually_always("SomebodyHolds", somebody_may_act)
            .about("when nothing goes wrong any more, somebody has the lease, and keeps it"),
        Property::leads_to("FreeIsTaken", |_, s: &State| !is_held(s), |_, s: &State| is_held(s))
            .about("a lease that was given back is taken"),
        Property::for_each("LeavesInTheEnd", 0..usize::from(m.holders), |h| {
            let stays = move |s: &State| s.holders[h].wish == Wish::Hold;
            Formula::leads_to(move |_, s| !stays(s), move |_, s| stays(s))
        })
        .about("who is told to leave does"),
    ]
}

fn reached() -> Vec<Property<Leases>> {
    vec![
        Property::sometimes("TwoBelieve", |_, s: &State| {
            let believes = |holder: &Holder| holder.held.is_some_and(|held| !held.lost);
            s.holders.iter().filter(|holder| believes(holder)).count() > 1
        })
        .about("one who was paused does not know yet that another has the lease"),
        Property::sometimes("ActsOverPaused", |_, s: &State| {
            let paused = |holder: &Holder| holder.process == Process::Paused && holder.held.is_some();
            under_way(s) > 0 && s.holders.iter().any(|holder| paused(holder) && holder.effect.is_none())
        })
        .about("one acts while another is paused that has held the lease"),
        Property::sometimes("PastActs", |_, s: &State| s.holders.iter().any(|holder| holder.past.is_some()))
            .about("something is under way of a run that has ended"),
        Property::sometimes("TwoActAfterJump", |_, s: &State| s.jumped && under_way(s) > 1)
            .about("two act at the same time, because a clock has jumped"),
        Property::sometimes("LateRaces", |m: &Leases, s: &State| {
            let late = |a: u8| s.holders[usize::from(a)].late.is_some_and(|late| late.ask == Ask::Acquire);
            let fresh = |b: u8| s.holders[usize::from(b)].seen.is_some_and(|seen| seen.record == s.record);
            let takes = |b: u8| fresh(b) && m.next_step(s, b) == Some(Step::Acquire);
            (0..m.holders).any(|a| late(a) && (0..m.holders).any(|b| b != a && takes(b)))
        })
        .about("a request that nobody waits for any more races with another's"),
        Property::sometimes("Drains", |_, s: &State| {
            s.holders.iter().any(|holder| holder.wish == Wish::Drain && holder.effect.is_some())
        })
        .about("one is told to leave while something is under way"),
    ]
}
