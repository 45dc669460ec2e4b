//! The judge of all leases.

use super::*;

const TERM: Millis = Millis(9 * SECOND);

/// A judge who started at 100 s and sees these leases at once; its window is 3 s.
fn judge(keys: &[&'static str]) -> Judge<&'static str> {
    let settings = Settings::for_term(TERM).expect("a term that works");
    let mut judge = Judge::new(&settings, at(100));
    keys.iter().for_each(|key| judge.see(*key, Version(1), TERM, at(100)));
    judge
}

fn renews(judge: &mut Judge<&'static str>, keys: &[&'static str], seconds: u64) {
    for key in keys {
        judge.see(*key, Version(seconds), TERM, at(seconds));
    }
    judge.judge(at(seconds));
}

fn lapses(judge: &Judge<&'static str>, keys: &[&'static str], seconds: u64) -> Vec<Lapse> {
    keys.iter().map(|key| judge.lapse(key, at(seconds))).collect()
}

#[test]
fn one_of_many_is_judged_a_window_after_it_has_lapsed() {
    let mut judge = judge(&["a", "b", "c"]);
    assert_eq!(judge.next_due(at(100)), Some(at(109)));
    renews(&mut judge, &["b", "c"], 108);
    judge.judge(at(111));
    assert_eq!(lapses(&judge, &["a", "b", "c"], 111), [Lapse::Open, Lapse::None, Lapse::None]);
    assert_eq!(judge.next_due(at(111)), Some(at(112)));
    judge.judge(at(112));
    assert_eq!(lapses(&judge, &["a", "b", "x"], 112), [Lapse::Judged, Lapse::None, Lapse::None]);
    assert_eq!(judge.next_due(at(112)), Some(at(117)));
    renews(&mut judge, &["a"], 113);
    assert_eq!(judge.lapse(&"a", at(113)), Lapse::None);
}

#[test]
fn half_is_not_more_than_half() {
    let mut judge = judge(&["a", "b"]);
    renews(&mut judge, &["b"], 108);
    judge.judge(at(112));
    assert_eq!((judge.suspicion, judge.lapse(&"a", at(112))), (None, Lapse::Judged));
    // Who was judged counts no more: this is all that is left.
    judge.judge(at(117));
    assert_eq!(judge.suspicion, Some(Suspicion { since: at(117), lapsed: 1, of: 1 }));
}

#[test]
fn if_more_than_half_lapse_together_the_hub_is_suspect_until_the_rest_renew_twice() {
    let mut judge = judge(&["a", "b", "c"]);
    renews(&mut judge, &["c"], 103);
    judge.judge(at(109));
    assert_eq!(judge.suspicion, Some(Suspicion { since: at(109), lapsed: 2, of: 3 }));
    assert_eq!(judge.next_due(at(109)), None);
    renews(&mut judge, &["c"], 111);
    judge.judge(at(115));
    assert!(judge.suspicion.is_some());
    assert_eq!(lapses(&judge, &["a", "b"], 115), [Lapse::Open, Lapse::Open]);
    renews(&mut judge, &["c"], 116);
    assert_eq!(judge.suspicion, None);
    assert_eq!(lapses(&judge, &["a", "b", "c"], 116), [Lapse::Judged, Lapse::Judged, Lapse::None]);
    // That it was so is no new reason.
    judge.judge(at(117));
    assert_eq!(judge.suspicion, None);
}

#[test]
fn who_was_silent_in_between_counts_anew() {
    let mut judge = judge(&["a", "b", "c"]);
    judge.judge(at(109));
    renews(&mut judge, &["a"], 110);
    renews(&mut judge, &["a"], 130);
    assert!(judge.suspicion.is_some(), "all were cut off once more");
    renews(&mut judge, &["a"], 131);
    assert_eq!(judge.suspicion, None);
}

#[test]
fn that_another_lapses_is_no_reason_for_trust() {
    let mut judge = judge(&["a", "b", "c", "d", "e"]);
    renews(&mut judge, &["d", "e"], 105);
    judge.judge(at(109));
    renews(&mut judge, &["d"], 110);
    renews(&mut judge, &["d"], 111);
    judge.judge(at(116));
    assert!(judge.suspicion.is_some(), "one of those that were left has lapsed just now");
    judge.judge(at(117));
    assert_eq!(judge.suspicion, None, "nobody else has, within the window");
    assert_eq!(lapses(&judge, &["c", "d", "e"], 117), [Lapse::Judged, Lapse::None, Lapse::Judged]);
}

#[test]
fn if_none_is_left_only_a_person_ends_it() {
    let mut judge = judge(&["a"]);
    judge.trust(at(109));
    assert_eq!(judge.lapse(&"a", at(109)), Lapse::Open, "there was no suspicion to end");
    for seconds in [109, 120, 1_000] {
        judge.judge(at(seconds));
        assert!(judge.suspicion.is_some());
    }
    judge.trust(at(1_000));
    judge.judge(at(1_000));
    assert_eq!((judge.suspicion, judge.lapse(&"a", at(1_000))), (None, Lapse::Judged));
}

#[test]
fn nobody_is_judged_before_one_full_lease_has_passed() {
    let mut judge = judge(&["b", "c"]);
    // Its term is shorter than that.
    judge.see("a", Version(1), Millis(1), at(100));
    judge.judge(at(108));
    assert_eq!((judge.suspicion, judge.lapse(&"a", at(108))), (None, Lapse::Open));
    assert_eq!(judge.next_due(at(108)), Some(at(109)));
    renews(&mut judge, &["b", "c"], 109);
    assert_eq!(judge.lapse(&"a", at(109)), Lapse::Judged);
}

#[test]
fn what_was_given_back_has_not_lapsed() {
    let mut judge = judge(&["a", "b"]);
    judge.forget(&"a");
    judge.forget(&"b");
    judge.judge(at(200));
    assert_eq!((judge.suspicion, judge.lapse(&"a", at(200))), (None, Lapse::None));
    assert_eq!(judge.next_due(at(200)), None);
}
