//! Mistakes that others paid for. Each test fails when the explorer's fix for it is taken out:
//! `cargo xtask pitfalls` takes each one out and looks.

mod common;

use std::num::NonZeroUsize;

use bowline_explorer::{
    Class, End, Field, Formula, Model, Options, Property, Refused, Report, Verdict, Walks, check, walk,
};
use common::{Claim, Table, run, set, states, verdict};

const UNFAIR: u16 = 9;

#[test]
fn pitfall_01_an_unfair_cycle_is_no_behaviour() {
    // 0 and 1 alternate, and class 0 could lead out of either: it cannot be passed over for ever.
    let edges = [(0, 1, UNFAIR), (1, 0, UNFAIR), (0, 2, 0), (1, 2, 0)];
    assert_eq!(verdict(&Table::new(&[0], &edges, 1, Claim::Eventually(set([2])))), Verdict::Holds);
    // Without fairness it can.
    assert_eq!(verdict(&Table::new(&[0], &edges, 0, Claim::Eventually(set([2])))), Verdict::Violated);
}

#[test]
fn pitfall_02_fairness_is_judged_on_the_violating_part() {
    // The component {0, 1, 2} is fair: it takes class 0. Its part without P, {0, 1}, is not.
    let edges = [(0, 1, UNFAIR), (1, 0, UNFAIR), (0, 2, 0), (1, 2, 0), (2, 0, 1)];
    assert_eq!(verdict(&Table::new(&[0], &edges, 2, Claim::AlwaysEventually(set([2])))), Verdict::Holds);
    // Where the step from 1 to 0 takes class 0, that part is fair, and the violation real.
    let edges = [(0, 1, UNFAIR), (1, 0, 0), (0, 2, 0), (1, 2, 0), (2, 0, 1)];
    assert_eq!(verdict(&Table::new(&[0], &edges, 2, Claim::AlwaysEventually(set([2])))), Verdict::Violated);
}

#[test]
fn pitfall_03_stuttering_neither_takes_nor_enables() {
    // Class 0 is enabled in 0 and 1 and leads out; its step from 0 to 0 does not count as taking it.
    let edges = [(0, 1, UNFAIR), (1, 0, UNFAIR), (0, 2, 0), (1, 2, 0), (0, 0, 0)];
    assert_eq!(verdict(&Table::new(&[0], &edges, 1, Claim::Eventually(set([2])))), Verdict::Holds);
    // In 1 the class has no step but that from 1 to 1: it is disabled there, so the cycle is fair.
    let edges = [(0, 1, UNFAIR), (1, 0, UNFAIR), (0, 2, 0), (1, 1, 0)];
    assert_eq!(verdict(&Table::new(&[0], &edges, 1, Claim::Eventually(set([2])))), Verdict::Violated);
    // Nor does it satisfy or violate what is said of steps.
    let table = Table::new(&[0], &[(0, 0, 0)], 1, Claim::NoStep(set([0]), set([0])));
    assert_eq!(verdict(&table), Verdict::Holds);
}

#[test]
fn pitfall_04_every_state_may_stutter() {
    // Nothing obliges the step to 1.
    let table = Table::new(&[0], &[(0, 1, UNFAIR)], 0, Claim::Eventually(set([1])));
    let report = run(&table);
    assert_eq!(report.verdicts[0].verdict, Verdict::Violated);
    let cycle = report.verdicts[0].trace.as_ref().and_then(|trace| trace.cycle.clone());
    assert_eq!(cycle.map(|cycle| (cycle.loops_to, cycle.action)), Some((1, None)));
    // A state without any step is stayed in too.
    let table = Table::new(&[0], &[(0, 1, 0)], 1, Claim::EventuallyAlways(set([0])));
    assert_eq!(verdict(&table), Verdict::Violated);
}

/// A model whose properties are given by a function.
struct Odd(fn() -> Vec<Property<Odd>>);

impl Model for Odd {
    type State = u8;
    type Action = ();

    fn init(&self) -> Vec<u8> {
        vec![0]
    }

    fn actions(&self, state: &u8, out: &mut Vec<()>) {
        if *state == 0 {
            out.push(());
        }
    }

    fn next(&self, state: &u8, (): &()) -> u8 {
        state + 1
    }

    fn properties(&self) -> Vec<Property<Self>> {
        (self.0)()
    }

    fn class(&self, (): &()) -> Class {
        Class::new(7)
    }

    fn action_name(&self, (): &()) -> String {
        "Go".into()
    }

    fn fields(&self, state: &u8) -> Vec<Field> {
        vec![Field::new("s", state.to_string())]
    }
}

fn refusal(odd: &Odd, options: Options<'_>) -> Option<Refused> {
    check(odd, &options).err()
}

#[test]
fn pitfall_05_what_is_not_supported_is_an_error() {
    let options = Options::default();
    // A conjunction of nothing would hold of everything.
    let empty = Odd(|| vec![Property::for_each("P", 0..0, |_| Formula::always_eventually(|_, _| false))]);
    assert_eq!(refusal(&empty, options), Some(Refused::PropertyShape("P".into())));
    let mixed = Odd(|| {
        vec![Property::for_each("P", 0..2, |i| match i {
            0 => Formula::NoDeadlock,
            _ => Formula::always_eventually(|_, _| false),
        })]
    });
    assert_eq!(refusal(&mixed, options), Some(Refused::PropertyShape("P".into())));
    // One state would settle it, and the other never be looked for.
    let several =
        Odd(|| vec![Property::for_each("P", 0..2, |i| Formula::Sometimes(Box::new(move |_, s| *s == i)))]);
    assert_eq!(refusal(&several, options), Some(Refused::PropertyShape("P".into())));
    let twice = Odd(|| vec![Property::no_deadlock("P"), Property::no_deadlock("P")]);
    assert_eq!(refusal(&twice, options), Some(Refused::PropertyTwice("P".into())));
    let one = Odd(|| vec![Property::always("P", |_, _| true)]);
    let asked = ["Q".to_string()];
    let unknown = Refused::UnknownProperty { name: "Q".into(), known: vec!["P".into()] };
    assert_eq!(refusal(&one, Options { properties: Some(&asked), ..options }), Some(unknown));
    assert_eq!(refusal(&one, Options { symmetry: true, ..options }), Some(Refused::NoSymmetry));
    assert_eq!(check(&Table::default(), &options), Err(Refused::NoInitialState));
    // An action of a class that nobody named is found when fairness matters.
    let unnamed = Odd(|| vec![Property::always_eventually("P", |_, s| *s == 1)]);
    let end = run(&unnamed).end;
    assert!(matches!(&end, End::Panicked { message, .. } if message.contains("class 7")), "{end:?}");
}

#[test]
fn pitfall_05_a_walk_does_not_pass_over_liveness() {
    let table = Table::new(&[0], &[(0, 1, 0)], 1, Claim::Eventually(set([1])));
    let report = walk(&table, Walks { count: 10, steps: 10, seed: 1 }, &Options::default());
    assert_eq!(report.map(|report| report.verdicts[0].verdict), Ok(Verdict::Unknown));
}

#[test]
fn pitfall_06_a_printed_lasso_is_a_path() {
    // A figure of eight: class 0 is disabled only in 5, class 1 is taken only from 2 to 3.
    let edges = [
        (0, 1, UNFAIR),
        (1, 2, UNFAIR),
        (2, 3, 1),
        (3, 1, UNFAIR),
        (1, 4, UNFAIR),
        (4, 5, UNFAIR),
        (5, 1, UNFAIR),
        (0, 9, 0),
        (1, 9, 0),
        (2, 9, 0),
        (3, 9, 0),
        (4, 9, 0),
        (1, 9, 1),
        (3, 9, 1),
        (4, 9, 1),
        (5, 9, 1),
    ];
    let report = run(&Table::new(&[0], &edges, 2, Claim::Eventually(set([9]))));
    let trace = report.verdicts[0].trace.as_ref().expect("a counterexample");
    let cycle = trace.cycle.as_ref().expect("a cycle");
    let mut path = states(trace);
    path.push(path[cycle.loops_to - 1]);
    for pair in path.windows(2) {
        assert!(edges.iter().any(|(a, b, _)| [*a, *b] == [pair[0], pair[1]]), "{pair:?} in {path:?}");
    }
    let round = &path[cycle.loops_to - 1..];
    assert!(round.contains(&5) && round.windows(2).any(|pair| pair == [2, 3]), "{path:?}");
}

#[test]
fn pitfall_07_steps_count_and_not_only_states() {
    // The cycle 0, 1 is fair only because class 0 also does the step from 1 to 0, beside an unfair one.
    let edges = [(0, 1, UNFAIR), (1, 0, UNFAIR), (1, 0, 0), (0, 2, 0), (1, 2, 0)];
    let report = run(&Table::new(&[0], &edges, 1, Claim::Eventually(set([2]))));
    assert_eq!(report.verdicts[0].verdict, Verdict::Violated);
    let trace = report.verdicts[0].trace.as_ref().expect("a counterexample");
    let cycle = trace.cycle.as_ref().expect("a cycle");
    let round = trace.steps[cycle.loops_to..].iter().filter_map(|step| step.action.as_deref());
    let mut round = round.chain(cycle.action.as_deref());
    assert!(round.any(|action| action == "to 0 by 0"), "the fair step is in the cycle: {trace:?}");
}

/// Three counters that only grow; many ways lead to each state.
struct Counters;

impl Model for Counters {
    type State = [u8; 3];
    type Action = usize;

    fn init(&self) -> Vec<[u8; 3]> {
        vec![[0; 3]]
    }

    fn actions(&self, state: &[u8; 3], out: &mut Vec<usize>) {
        out.extend((0..3).filter(|i| state[*i] < 50));
    }

    fn next(&self, state: &[u8; 3], action: &usize) -> [u8; 3] {
        let mut next = *state;
        next[*action] += 1;
        next
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut properties = vec![
            Property::no_deadlock("Deadlock"),
            Property::eventually_always("Leaves", |_, s: &[u8; 3]| s[0] > 40),
            Property::sometimes("Never", |_, s: &[u8; 3]| s[0] > 50),
        ];
        for i in 0..40u8 {
            properties.push(Property::always(&format!("Away{i}"), move |_, s| *s != [40 - i, i, 33]));
        }
        properties
    }

    fn action_name(&self, action: &usize) -> String {
        format!("Count({action})")
    }

    fn fields(&self, state: &[u8; 3]) -> Vec<Field> {
        state.iter().enumerate().map(|(i, n)| Field::new(format!("n[{i}]"), n.to_string())).collect()
    }
}

fn with_threads(threads: usize) -> Report {
    let threads = NonZeroUsize::new(threads).expect("some threads");
    check(&Counters, &Options { threads, ..Options::default() }).expect("supported")
}

#[test]
fn pitfall_08_threads_change_nothing() {
    let one = with_threads(1);
    assert_eq!((one.distinct, one.depth), (51 * 51 * 51, 151));
    for threads in [2, 3, 8] {
        assert_eq!(with_threads(threads), one, "{threads} threads");
    }
}

#[test]
fn pitfall_09_a_search_cut_off_says_so() {
    let options = Options { max_states: Some(100), ..Options::default() };
    let report = check(&Counters, &options).expect("supported");
    assert_eq!(report.end, End::MaxStates);
    assert!(report.distinct >= 100 && report.distinct < 500, "{}", report.distinct);
    assert!(report.verdicts.iter().all(|judged| judged.verdict == Verdict::Unknown), "{report:?}");
    let options = Options { max_bytes: Some(300_000), ..Options::default() };
    let report = check(&Counters, &options).expect("supported");
    assert_eq!(report.end, End::MaxBytes);
    // Where a budget ends a run does not depend on threads either.
    let threads = NonZeroUsize::new(8).expect("some threads");
    assert_eq!(check(&Counters, &Options { threads, ..options }), Ok(report));
}

/// Two like processes; each may finish.
struct Twins(fn() -> Vec<Property<Twins>>);

impl Model for Twins {
    type State = [bool; 2];
    type Action = usize;

    fn init(&self) -> Vec<[bool; 2]> {
        vec![[false; 2]]
    }

    fn actions(&self, state: &[bool; 2], out: &mut Vec<usize>) {
        out.extend((0..2).filter(|i| !state[*i]));
    }

    fn next(&self, state: &[bool; 2], action: &usize) -> [bool; 2] {
        let mut next = *state;
        next[*action] = true;
        next
    }

    fn properties(&self) -> Vec<Property<Self>> {
        (self.0)()
    }

    fn representative(&self, state: &[bool; 2]) -> Option<[bool; 2]> {
        let mut sorted = *state;
        sorted.sort_unstable();
        Some(sorted)
    }

    fn action_name(&self, action: &usize) -> String {
        format!("Finish({action})")
    }

    fn fields(&self, state: &[bool; 2]) -> Vec<Field> {
        state.iter().enumerate().map(|(i, done)| Field::new(format!("done[{i}]"), done.to_string())).collect()
    }
}

#[test]
fn pitfall_10_symmetry_is_refused_with_liveness() {
    let options = Options { symmetry: true, ..Options::default() };
    let safety = Twins(|| vec![Property::always("P", |_, s| *s != [true, true])]);
    let report = check(&safety, &options).expect("symmetry is for safety");
    assert_eq!((report.distinct, report.verdicts[0].verdict), (3, Verdict::Violated));
    let liveness = Twins(|| vec![Property::eventually("P", |_, s: &[bool; 2]| s[0])]);
    assert_eq!(check(&liveness, &options), Err(Refused::SymmetryWithLiveness("P".into())));
}

/// One long ring.
struct Ring(u32);

impl Model for Ring {
    type State = u32;
    type Action = ();

    fn init(&self) -> Vec<u32> {
        vec![0]
    }

    fn actions(&self, _: &u32, out: &mut Vec<()>) {
        out.push(());
    }

    fn next(&self, state: &u32, (): &()) -> u32 {
        (state + 1) % self.0
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always_eventually("ComesRound", |_, s| *s == 0),
            Property::eventually_always("ComesToRest", |_, s| *s == 0),
        ]
    }

    fn class(&self, (): &()) -> Class {
        Class::new(0)
    }

    fn fairness(&self) -> Vec<String> {
        vec!["Turn".into()]
    }

    fn action_name(&self, (): &()) -> String {
        "Turn".into()
    }

    fn fields(&self, state: &u32) -> Vec<Field> {
        vec![Field::new("s", state.to_string())]
    }
}

#[test]
fn pitfall_11_a_long_path_does_not_fill_the_stack() {
    let report = run(&Ring(200_000));
    assert_eq!((report.distinct, report.depth), (200_000, 200_000));
    assert_eq!(report.verdicts[0].verdict, Verdict::Holds);
    // Nor does a counterexample that goes all the way round.
    let trace = report.verdicts[1].trace.as_ref().expect("a counterexample");
    assert_eq!(trace.steps.len(), 200_000);
}
