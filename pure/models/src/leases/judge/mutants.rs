//! Judges that judge wrong.

use bowline_control::lease::{Judge, Known};
use bowline_control::{Millis, Version};

use super::state::{SILENT, State};
use super::{Bench, JUDGE, Rules, SHIPPED};
use crate::mutants::Mutant;

macro_rules! mutant {
    ($about:literal breaks $breaks:literal by $($rule:tt)*) => {
        mutant!($about breaks $breaks at "faults=2,persons=0" by $($rule)*)
    };
    ($about:literal breaks $breaks:literal at $size:literal by $($rule:tt)*) => {
        Mutant {
            about: $about,
            model: JUDGE.name,
            breaks: $breaks,
            build: || {
                static RULES: Rules = Rules { $($rule)*, ..SHIPPED };
                let size = JUDGE.size($size).expect("a size that works");
                Box::new(Bench::new(&size, &RULES))
            },
        }
    };
}

pub(crate) const MUTANTS: &[Mutant] = &[
    mutant!("judges as soon as one lapses" breaks "OutageTakesNobody" by judge: |judge, now| judges_within(judge, now, Millis(0))),
    mutant!("trusts itself too soon" breaks "OutageTakesNobody" by judge: trusts_soon),
    mutant!("counts on when there was something in between" breaks "OutageTakesNobody" by see: counts_on),
    mutant!("judges while it suspects itself" breaks "SuspectTakesNobody" by judge: judges_all_the_same),
    mutant!("suspects itself when all are gone" breaks "MostIsSuspect" by judge: wants_all),
    mutant!("goes by what it knew before it started again" breaks "FullLeaseFirst" by restart: remembers, judge: begins_at_once),
    mutant!("judges for ever" breaks "RenewedIsLive" by see: never_forgives),
    mutant!("goes on suspecting itself" breaks "PersonIsBelieved" at "faults=2,persons=1" by trust: goes_on_suspecting),
    mutant!("takes everybody for lost" breaks "PersonIsBelieved" at "faults=2,persons=1" by trust: judges_everybody),
    mutant!("suspects itself for ever" breaks "SuspicionEnds" by judge: never_trusts),
    mutant!("judges nobody" breaks "DeadIsJudged" by judge: |judge, now| judges_within(judge, now, Millis(1000))),
];

fn judges_within(judge: &mut Judge<u8>, now: Millis, window: Millis) {
    let shipped = std::mem::replace(&mut judge.window, window);
    judge.judge(now);
    judge.window = shipped;
}

fn is_silent(known: &Known, now: Millis) -> bool {
    known.since.plus(known.term) <= now
}

fn trusts_soon(judge: &mut Judge<u8>, now: Millis) {
    judge.judge(now);
    let mut left = judge.leases.values().filter(|known| !is_silent(known, now));
    if left.any(|known| known.renewals > 0) {
        judge.trust(now);
    }
}

fn counts_on(judge: &mut Judge<u8>, key: u8, version: Version, term: Millis, now: Millis) {
    let before = judge.leases.get(&key).map_or(0, |known| known.renewals);
    judge.see(key, version, term, now);
    if let Some(known) = judge.leases.get_mut(&key) {
        known.renewals = before + 1;
    }
}

fn judges_all_the_same(judge: &mut Judge<u8>, now: Millis) {
    judge.judge(now);
    judge.leases.values_mut().for_each(|known| known.judged |= is_silent(known, now));
}

fn wants_all(judge: &mut Judge<u8>, now: Millis) {
    let all = judge.leases.values().all(|known| is_silent(known, now));
    judge.judge(now);
    if !all {
        judge.suspicion = None;
    }
}

fn remembers(s: &mut State, _: u8) {
    (s.waits, s.suspect) = (SILENT, false);
    s.members.iter_mut().for_each(|member| (member.renewals, member.judged) = (0, false));
}

fn begins_at_once(judge: &mut Judge<u8>, now: Millis) {
    let shipped = std::mem::replace(&mut judge.begins, now);
    judge.judge(now);
    judge.begins = shipped;
}

fn never_forgives(judge: &mut Judge<u8>, key: u8, version: Version, term: Millis, now: Millis) {
    let before = judge.leases.get(&key).is_some_and(|known| known.judged);
    judge.see(key, version, term, now);
    if let Some(known) = judge.leases.get_mut(&key) {
        known.judged = before;
    }
}

fn goes_on_suspecting(judge: &mut Judge<u8>, now: Millis) {
    let suspicion = judge.suspicion;
    judge.trust(now);
    judge.suspicion = suspicion;
}

fn judges_everybody(judge: &mut Judge<u8>, now: Millis) {
    judge.trust(now);
    judge.leases.values_mut().for_each(|known| known.judged = true);
}

fn never_trusts(judge: &mut Judge<u8>, now: Millis) {
    if judge.suspicion.is_none() {
        judge.judge(now);
    }
}
