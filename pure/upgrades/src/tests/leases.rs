//! When it is believed that somebody is lost.

use bowline_control::{Millis, Version};

use crate::Pulse;
use crate::leases::{Docket, LONGEST, Paper, Tenancy};

fn paper(version: u64, seconds: u64, tenancy: Tenancy) -> Paper {
    Paper::new(Version(version), Some(at(seconds)), tenancy)
}

fn held(version: u64, seconds: u64) -> Paper {
    paper(version, seconds, Tenancy::Held)
}

fn at(seconds: u64) -> Millis {
    Millis(seconds * 1_000)
}

/// How they stand, if the server was asked for them.
fn pulses<const N: usize>(
    docket: &Docket<&'static str>,
    names: [&'static str; N],
    seconds: u64,
) -> [Pulse; N] {
    names.map(|member| docket.pulse(&member, true, at(seconds)))
}

#[test]
fn nobody_is_judged_before_the_longest_lease_has_passed_since_the_start() {
    let mut docket = Docket::new(at(100));
    for (member, term) in [("a", 3), ("b", 3), ("c", 3), ("d", 30)] {
        docket.see(member, held(1, term), at(100));
    }
    for second in (101..130).step_by(2) {
        for member in ["b", "c", "d"] {
            docket.see(member, held(second, if member == "d" { 30 } else { 3 }), at(second));
        }
        docket.judge(at(second));
        assert_ne!(pulses(&docket, ["a"], second), [Pulse::Lapsed], "at {second}");
    }
    for second in (131..145).step_by(2) {
        ["b", "c"].into_iter().for_each(|member| docket.see(member, held(second, 3), at(second)));
        docket.judge(at(second));
    }
    assert_eq!(pulses(&docket, ["a", "b", "d"], 143), [Pulse::Lapsed, Pulse::Live, Pulse::Live]);
    assert!(!docket.is_suspect());
}

#[test]
fn if_more_than_half_are_silent_together_the_hub_suspects_itself_and_judges_nobody() {
    let mut docket = Docket::new(at(100));
    ["a", "b", "c"].into_iter().for_each(|member| docket.see(member, held(1, 3), at(100)));
    docket.judge(at(104));
    assert!(docket.is_suspect());
    docket.judge(at(200));
    assert_eq!(pulses(&docket, ["a", "b"], 200), [Pulse::Silent; 2]);
    // It trusts itself when those that are left were renewed twice.
    for (version, second) in [(2, 201), (3, 202)] {
        docket.see("a", held(version, 3), at(second));
        docket.judge(at(second));
    }
    assert!(!docket.is_suspect());
    assert_eq!(pulses(&docket, ["a", "b", "c"], 202), [Pulse::Live, Pulse::Lapsed, Pulse::Lapsed]);
}

#[test]
fn a_person_ends_a_suspicion_and_only_the_present_one() {
    let mut docket = Docket::new(at(100));
    let lapse = |docket: &mut Docket<&'static str>, version: u64, second: u64| {
        ["a", "b", "c"].into_iter().for_each(|member| docket.see(member, held(version, 3), at(second)));
        docket.judge(at(second + 4));
        docket.is_suspect()
    };
    docket.hear(Some("long ago"), at(100));
    assert!(lapse(&mut docket, 1, 100), "what was said before it began is about another one");
    docket.hear(Some("long ago"), at(105));
    docket.hear(None, at(105));
    assert!(docket.is_suspect(), "nobody has said anything");
    docket.hear(Some("now"), at(106));
    docket.judge(at(106));
    assert!(!docket.is_suspect());
    assert_eq!(pulses(&docket, ["a", "b", "c"], 106), [Pulse::Lapsed; 3]);
    // All come back, and are silent again.
    docket.hear(Some("now"), at(106));
    assert!(lapse(&mut docket, 2, 110), "that was said of the one before");
    assert_eq!(pulses(&docket, ["a", "b", "c"], 114), [Pulse::Silent; 3]);
    // What is said while nothing is suspected says nothing of what comes later.
    docket.hear(Some("again"), at(115));
    docket.hear(Some("and again"), at(116));
    assert!(lapse(&mut docket, 3, 120));
}

#[test]
fn what_is_given_back_has_lapsed_and_what_is_deleted_has_when_no_lease_lasts_so_long() {
    let mut docket = Docket::new(at(100));
    assert_eq!(pulses(&docket, ["a"], 100), [Pulse::Silent], "nothing is known of it");
    docket.see("a", paper(1, 3, Tenancy::Fresh), at(100));
    assert_eq!(pulses(&docket, ["a"], 1_000), [Pulse::Silent], "nobody ever had it");
    docket.see("a", held(2, 3), at(101));
    docket.see("a", paper(3, 3, Tenancy::Returned), at(102));
    assert_eq!(pulses(&docket, ["a"], 102), [Pulse::Lapsed]);
    docket.see("a", held(4, 3), at(103));
    assert_eq!(pulses(&docket, ["a"], 103), [Pulse::Live]);
    docket.gone(&"a", at(104));
    docket.gone(&"a", at(150));
    docket.judge(at(150));
    assert!(!docket.is_suspect(), "who is gone is not counted");
    assert_eq!(pulses(&docket, ["a"], 163), [Pulse::Silent]);
    assert_eq!(pulses(&docket, ["a"], 164), [Pulse::Lapsed]);
}

#[test]
fn a_lapse_of_one_that_was_not_asked_for_is_not_said() {
    let mut docket = Docket::new(at(100));
    ["a", "b", "c"].into_iter().for_each(|member| docket.see(member, held(1, 3), at(100)));
    for second in 101..110 {
        ["b", "c"].into_iter().for_each(|member| docket.see(member, held(second, 3), at(second)));
        docket.judge(at(second));
    }
    let of = |was_asked| docket.pulse(&"a", was_asked, at(109));
    assert_eq!((of(true), of(false)), (Pulse::Lapsed, Pulse::Silent));
    let doubtful = ["a", "b", "never seen"].map(|member| docket.is_doubtful(&member, at(109)));
    assert_eq!(doubtful, [true, false, true]);
}

#[test]
fn a_term_that_nobody_could_wait_for_is_a_shorter_one() {
    let of = |term| Paper::new(Version(1), term, Tenancy::Held);
    assert_eq!(of(Some(at(100_000))), of(Some(LONGEST)));
    assert_eq!(of(Some(at(0))), of(Some(at(1))));
    assert_eq!(of(None), of(Some(at(15))));
}
