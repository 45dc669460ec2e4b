//! Candidates that go wrong.

use bowline_control::lease::{
    Answer, Asked, Candidate, Epoch, Hold, Lease, PerMille, Request, Step, Tenure, Wish,
};
use bowline_control::{Millis, Moment};

use super::state::{DRIFT, MARGIN, settings_with};
use super::{LEASES, Leases, Rules, SHIPPED};
use crate::mutants::Mutant;

macro_rules! mutant {
    ($about:literal breaks $breaks:literal at $size:literal by $($rule:tt)*) => {
        Mutant {
            about: $about,
            model: LEASES.name,
            breaks: $breaks,
            build: || {
                static RULES: Rules = Rules { $($rule)*, ..SHIPPED };
                let size = LEASES.size($size).expect("a size that works");
                Box::new(Leases::new(&size, &RULES))
            },
        }
    };
}

pub(crate) const MUTANTS: &[Mutant] = &[
    mutant!("does not raise the epoch" breaks "OneEpoch" at "faults=0" by begin: keeps_epoch),
    mutant!("does not raise the epoch" breaks "EpochGrows" at "faults=0" by begin: keeps_epoch),
    mutant!("counts epochs by itself" breaks "EpochGrows" at "faults=0" by begin: counts_by_itself),
    mutant!("acts until it hears otherwise" breaks "ActsInTime" at "faults=1,leaves=0" by tenure: believes),
    mutant!("acts until it hears otherwise" breaks "OneActs" at "faults=1,leaves=0" by tenure: believes),
    mutant!("counts from the answer" breaks "OneActs" at "faults=1,leaves=0" by answered: counts_from_answer),
    mutant!("counts from before it looked" breaks "OneActs" at "faults=1,leaves=0" by answered: counts_from_look),
    mutant!("takes all clocks for equal" breaks "OneActs" at "faults=1,leaves=0" by settings: || settings_with(PerMille(0), MARGIN)),
    mutant!("takes requests for instant" breaks "OneActs" at "faults=1,leaves=0" by settings: || settings_with(DRIFT, Millis(0))),
    mutant!("goes by the clock on the wall" breaks "OneActs" at "faults=1,leaves=0,walls=true" by decide: reads_the_wall),
    mutant!("writes whatever was written meanwhile" breaks "OneActs" at "faults=0" by guards: false),
    mutant!("gives back what it still uses" breaks "OneActs" at "faults=0" by drains: false),
    mutant!("comes back under its old name" breaks "OneActs" at "faults=1,leaves=0" by renames: false),
    mutant!("goes on in the epoch that it finds" breaks "OneEpoch" at "faults=1,leaves=0,exclusive=true" by answered: goes_on),
    mutant!("waits out its own lease" breaks "OwnIsTakenAtOnce" at "faults=1,leaves=0,exclusive=true" by decide: waits_for_itself),
    mutant!("takes no answer for a good one" breaks "UnknownGivesNothing" at "faults=1,leaves=0" by answered: hopes),
    mutant!("takes no answer for a good one" breaks "OneActs" at "faults=2,leaves=0" by answered: hopes),
    mutant!("waits until it is told to take over" breaks "SomebodyHolds" at "faults=1,leaves=0" by decide: waits_to_be_told),
    mutant!("never looks again" breaks "SomebodyHolds" at "faults=1,leaves=0" by decide: never_looks_again),
    mutant!("does not take what nobody holds" breaks "FreeIsTaken" at "faults=0" by decide: leaves_it_lying),
    mutant!("does not give back" breaks "LeavesInTheEnd" at "faults=0" by decide: clings),
    mutant!("stays if it is told when it leaves" breaks "LeavesInTheEnd" at "faults=0" by drain: comes_back),
];

fn acquires_in(
    candidate: &mut Candidate<u8>,
    step: Step,
    now: Moment,
    epoch: fn(Epoch) -> Epoch,
) -> Option<Request<u8>> {
    match candidate.begin(step, now)? {
        Request::Write { guard, lease } if step == Step::Acquire => {
            let epoch = epoch(lease.epoch);
            Some(Request::Write { guard, lease: Lease { epoch, ..lease } })
        }
        other => Some(other),
    }
}

fn keeps_epoch(candidate: &mut Candidate<u8>, step: Step, now: Moment) -> Option<Request<u8>> {
    acquires_in(candidate, step, now, |epoch| Epoch(epoch.0 - 1))
}

fn counts_by_itself(candidate: &mut Candidate<u8>, step: Step, now: Moment) -> Option<Request<u8>> {
    acquires_in(candidate, step, now, |_| Epoch(1))
}

fn believes(candidate: &Candidate<u8>, now: Millis) -> Option<Tenure> {
    candidate.hold.map(|hold| Tenure { epoch: hold.epoch, until: now.plus(Millis(1)), handed: false })
}

fn counts_from_answer(candidate: &mut Candidate<u8>, answer: Answer<u8>, now: Millis) {
    candidate.asked = candidate.asked.map(|asked| Asked { at: now, ..asked });
    candidate.answered(answer, now);
}

fn counts_from_look(candidate: &mut Candidate<u8>, answer: Answer<u8>, now: Millis) {
    let asked = candidate.asked;
    candidate.answered(answer, now);
    if let (Some(Asked { step: Step::Look, at, .. }), Some(seen)) = (asked, &mut candidate.seen) {
        seen.since = seen.since.min(at);
    }
}

fn goes_on(candidate: &mut Candidate<u8>, answer: Answer<u8>, now: Millis) {
    let asked = candidate.asked;
    candidate.answered(answer, now);
    let found = candidate.seen.as_ref().and_then(|seen| seen.lease.as_ref());
    let own = found.filter(|lease| lease.holder == Some(candidate.me)).map(|lease| lease.epoch);
    if let (Some(Asked { step: Step::Look, at, .. }), Some(epoch), None) = (asked, own, candidate.hold) {
        candidate.hold = Some(Hold { epoch, sent: at, lost: false, handed: false });
    }
}

fn waits_for_itself(candidate: &Candidate<u8>, now: Millis, _: bool) -> Step {
    let seen = candidate.seen.as_ref().map_or(now, |seen| seen.since);
    match candidate.decide(now) {
        Step::Acquire
            if holder(candidate) == Some(candidate.me) && now < seen.plus(candidate.settings.term()) =>
        {
            Step::Wait(Some(seen.plus(candidate.settings.term())))
        }
        other => other,
    }
}

fn hopes(candidate: &mut Candidate<u8>, answer: Answer<u8>, now: Millis) {
    let asked = candidate.asked;
    let nothing = answer == Answer::Unknown;
    candidate.answered(answer, now);
    let (Some(asked), Some(seen)) = (asked.filter(|_| nothing), &candidate.seen) else { return };
    let epoch = seen.lease.as_ref().map_or(Epoch(0), |lease| lease.epoch);
    match asked.step {
        Step::Acquire => {
            candidate.hold = Some(Hold { epoch: epoch.next(), sent: asked.at, lost: false, handed: false })
        }
        Step::Renew => candidate.hold = Some(Hold { epoch, sent: asked.at, lost: false, handed: false }),
        _ => {}
    }
}

/// Who holds the lease, as the candidate saw it.
fn holder(candidate: &Candidate<u8>) -> Option<u8> {
    candidate.seen.as_ref()?.lease.as_ref()?.holder
}

fn reads_the_wall(candidate: &Candidate<u8>, now: Millis, ahead: bool) -> Step {
    let others = holder(candidate).is_some_and(|holder| holder != candidate.me);
    match candidate.decide(now) {
        Step::Wait(_) if ahead && others && candidate.asked.is_none() && candidate.hold.is_none() => {
            Step::Acquire
        }
        other => other,
    }
}

fn waits_to_be_told(candidate: &Candidate<u8>, now: Millis, _: bool) -> Step {
    match candidate.decide(now) {
        Step::Acquire if holder(candidate).is_some_and(|holder| holder != candidate.me) => Step::Wait(None),
        other => other,
    }
}

fn never_looks_again(candidate: &Candidate<u8>, now: Millis, _: bool) -> Step {
    match candidate.decide(now) {
        Step::Look if candidate.seen.is_some() => Step::Wait(None),
        other => other,
    }
}

fn leaves_it_lying(candidate: &Candidate<u8>, now: Millis, _: bool) -> Step {
    match candidate.decide(now) {
        Step::Acquire if holder(candidate).is_none() => Step::Wait(None),
        other => other,
    }
}

fn clings(candidate: &Candidate<u8>, now: Millis, _: bool) -> Step {
    match candidate.decide(now) {
        Step::Release => Step::Wait(None),
        other => other,
    }
}

fn comes_back(candidate: &mut Candidate<u8>) {
    candidate.wish = Wish::Drain;
}
