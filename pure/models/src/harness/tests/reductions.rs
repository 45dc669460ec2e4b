//! What the harness leaves out, put back in: the same is said of every claim, and the same is done to the server's objects.

use std::collections::BTreeSet;

use bowline_explorer::{Model, Options, Verdict, check};

use super::super::{
    Action, Doing, Fault, Harness, Known, Need, Objects, Rules, SHIPPED, SLOTS, System, What,
};
use super::{State, apart};
use crate::budgets::Faults;
use crate::clusters::{self, CLUSTERS, Fleet};
use crate::naive::is_well_formed;
use crate::sample::{CONTROL, SHAPE, Sample, at};

fn pairs(size: &str, faults: &Faults, rules: Rules) -> Harness<Sample> {
    at(size, Fault::NAMES.map(|kind| faults.of(kind)), SHAPE, rules)
}

fn fleet(size: &str, faults: &Faults, rules: Rules) -> Harness<Fleet> {
    clusters::at(size, Fault::NAMES.map(|kind| faults.of(kind)), clusters::SHAPE, rules)
}

/// No fault, and every fault of a model alone.
fn singles(of: &crate::Entry) -> Vec<Faults> {
    [vec![Faults::default()], of.singles()].concat()
}

/// What is said of every claim, and what is done to the server's objects, in so many states.
struct Seen {
    states: u64,
    verdicts: Vec<(String, Verdict)>,
    steps: BTreeSet<Step>,
}

/// The objects before and after a step, whoever it is made by.
type Step = (Objects, Objects);

impl Seen {
    fn of<S: System>(model: &Harness<S>) -> Seen {
        let report = check(model, &Options::default()).expect("a run");
        let verdicts = report.verdicts.into_iter().map(|judged| (judged.name, judged.verdict));
        Seen { states: report.distinct, verdicts: verdicts.collect(), steps: steps(model) }
    }

    /// The same is seen there, neither more nor less.
    fn is_also(&self, there: &Seen, run: &str) {
        assert_eq!(self.verdicts, there.verdicts, "{run}");
        assert_eq!(self.steps.difference(&there.steps).next(), None, "{run}: this is not done there");
        assert_eq!(there.steps.difference(&self.steps).next(), None, "{run}: this is only done there");
    }
}

fn steps<S: System>(model: &Harness<S>) -> BTreeSet<Step> {
    let mut steps = BTreeSet::new();
    let mut frontier = model.init();
    let mut known: BTreeSet<State> = frontier.iter().copied().collect();
    while let Some(state) = frontier.pop() {
        let mut actions = Vec::new();
        model.actions(&state, &mut actions);
        for action in actions {
            let next = model.next(&state, &action);
            steps.insert(comparable(state.truth(), next.truth()));
            let next = model.canonical(next);
            if known.insert(next) {
                frontier.push(next);
            }
        }
    }
    steps
}

/// A step whose versions and uids do not depend on how they were counted: whether a version is another one than before is
/// kept, and which of the uids of a place is older.
fn comparable(mut before: Objects, mut after: Objects) -> Step {
    let mut uids: [BTreeSet<u8>; SLOTS] = Default::default();
    let mut both = [&mut before, &mut after];
    each_uid(&mut both, |slot, uid| {
        uids[usize::from(slot)].insert(*uid);
    });
    each_uid(&mut both, |slot, uid| *uid = uids[usize::from(slot)].range(..*uid).count() as u8);
    for (was, is) in before.iter_mut().zip(&mut after) {
        let changes = was.map(|flat| flat.version) != is.map(|flat| flat.version);
        was.iter_mut().for_each(|flat| flat.version = 0);
        is.iter_mut().for_each(|flat| flat.version = changes.into());
    }
    (before, after)
}

fn each_uid(objects: &mut [&mut Objects], mut visit: impl FnMut(u8, &mut u8)) {
    for (slot, flat) in objects.iter_mut().flat_map(|objects| (0..).zip(objects.iter_mut())) {
        let Some(flat) = flat else { continue };
        visit(slot, &mut flat.uid);
        if let Some((owner, uid)) = &mut flat.owner {
            visit(*owner, uid);
        }
    }
}

/// That an answer comes with what it answers hides nothing: before it comes, others do and caches show what they like, and all
/// that can go wrong does.
#[test]
fn answers_that_come_apart_change_nothing() {
    let states = singles(&CONTROL).into_iter().map(|faults| {
        let [together, apart] = [SHIPPED, apart()].map(|rules| Seen::of(&pairs("", &faults, rules)));
        together.is_also(&apart, &faults.to_string());
        (faults.to_string(), together.states, apart.states)
    });
    let pinned = STATES.iter().map(|(faults, together, apart)| ((*faults).to_owned(), *together, *apart));
    assert_eq!(states.collect::<Vec<_>>(), pinned.collect::<Vec<_>>());
}

/// With answers together, and apart.
const STATES: &[(&str, u64, u64)] = &[
    ("", 1_742, 2_977),
    ("crash=1", 3_484, 5_954),
    ("conflict=1", 10_888, 21_502),
    ("lost-request=1", 5_495, 9_501),
    ("lost-reply=1", 26_207, 45_425),
    ("relist=1", 4_070, 6_933),
    ("two-leaders=1", 23_515, 39_495),
    ("drift=1", 26_424, 52_899),
    ("clock=1", 4_803, 8_279),
];

/// With two faults, people do not change what they want, and caches lag less: that is a tenth of the states.
#[test]
fn answers_that_come_apart_change_nothing_under_two_faults() {
    for faults in CONTROL.pairs() {
        let [together, apart] =
            [SHIPPED, apart()].map(|rules| Seen::of(&pairs("lag=1,edits=0", &faults, rules)));
        together.is_also(&apart, &faults.to_string());
    }
}

/// Where calls to the outside come between writes, too.
#[test]
fn answers_that_come_apart_change_nothing_for_clusters() {
    for faults in singles(&CLUSTERS) {
        let [together, apart] = [SHIPPED, apart()].map(|rules| Seen::of(&fleet("", &faults, rules)));
        together.is_also(&apart, &faults.to_string());
    }
}

/// These comparisons can fail: a loop that is woken by its cache alone forgets a key whose cache was faster than its answer,
/// and no cache is, if answers come with what they answer.
#[test]
fn a_loop_that_needs_its_answers_first_is_caught_only_if_they_come_apart() {
    let forgets = |before: &State, action: &Action, after: &mut State| {
        if let Action::Carry(key) = *action
            && let Some(Doing { what: What::Write(_) | What::Answer(_), .. }) =
                before.keys[usize::from(key)].doing
            && let known = &mut after.keys[usize::from(key)]
            && let Need::At { slot, version, .. } = known.need
            && after.shown[usize::from(slot)].is_some_and(|flat| flat.version >= version)
        {
            *known = Known { waits: false, need: Need::Nothing, due: false, ..*known };
        }
    };
    let converges = |rules: Rules| {
        let model = pairs("", &Faults::default(), Rules { then: forgets, ..rules });
        let claim = ["Converges".to_owned()];
        let report = check(&model, &Options { properties: Some(&claim), ..Options::default() });
        report.expect("a run").verdicts[0].verdict
    };
    assert_eq!(converges(SHIPPED), Verdict::Holds);
    assert_eq!(converges(apart()), Verdict::Violated);
}

#[test]
fn every_action_has_a_name_and_a_class_if_answers_come_apart() {
    is_well_formed(&at("lag=1,edits=0", [1, 0, 1, 1, 0, 0, 0, 0, 0], SHAPE, apart()));
}

/// That a write at the lag bound forces the oldest delivery hides nothing: with more room before that, nothing is otherwise.
#[test]
fn caches_that_may_lag_more_change_nothing() {
    for faults in singles(&CONTROL) {
        let [least, default, most] =
            ["lag=1", "lag=2", "lag=3"].map(|lag| Seen::of(&pairs(lag, &faults, SHIPPED)));
        default.is_also(&least, &format!("lag=1 {faults}"));
        default.is_also(&most, &format!("lag=3 {faults}"));
    }
}
