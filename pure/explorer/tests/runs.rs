//! How runs end, what they keep, and what they show.

mod common;

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bowline_explorer::{
    Class, End, Field, Model, Options, Phase, Progress, Property, Refused, Report, Storage, Verdict, Walked,
    Walks, check, walk,
};
use common::{Claim, Table, run, set, states, verdict};

/// A controller that rewrites its status for ever: only the version changes, and the version is opaque.
#[derive(Default)]
struct Rewriter {
    normal_form: bool,
    /// Whether it may also look and change nothing, which it then lists first.
    looks: bool,
}

impl Model for Rewriter {
    /// Version, and whether the spec was seen.
    type State = (u32, bool);
    type Action = &'static str;

    fn init(&self) -> Vec<(u32, bool)> {
        vec![(0, false)]
    }

    fn actions(&self, (version, seen): &(u32, bool), out: &mut Vec<&'static str>) {
        if self.looks {
            out.push("Look");
        }
        if *version < 1000 {
            out.push("Rewrite");
        }
        if !seen {
            out.push("See");
        }
    }

    fn next(&self, (version, seen): &(u32, bool), action: &&'static str) -> (u32, bool) {
        match *action {
            "Look" => (*version, *seen),
            "Rewrite" => (version + 1, *seen),
            _ => (*version, true),
        }
    }

    fn canonical(&self, (version, seen): (u32, bool)) -> (u32, bool) {
        if self.normal_form { (0, seen) } else { (version, seen) }
    }

    fn class(&self, action: &&'static str) -> Class {
        if *action == "See" { Class::UNFAIR } else { Class::new(0) }
    }

    fn fairness(&self) -> Vec<String> {
        vec!["Rewrite".into()]
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::eventually("Sees", |_, (_, seen)| *seen),
            Property::always_step("WritesNothing", |_, (before, _), _, (after, _)| before == after),
        ]
    }

    fn action_name(&self, action: &&'static str) -> String {
        (*action).into()
    }

    fn fields(&self, (version, seen): &(u32, bool)) -> Vec<Field> {
        vec![Field::new("version", version.to_string()), Field::new("seen", seen.to_string())]
    }
}

#[test]
fn a_step_that_the_normal_form_hides_is_still_a_step() {
    let report = run(&Rewriter { normal_form: true, looks: false });
    assert_eq!((report.distinct, report.generated), (2, 4));
    // It is taken for ever, so the fair behaviour goes round by it instead of doing nothing.
    let trace = report.verdicts[0].trace.as_ref().expect("it may rewrite for ever and never see");
    let cycle = trace.cycle.as_ref().expect("a cycle");
    assert_eq!((trace.steps.len(), cycle.loops_to, cycle.action.as_deref()), (1, 1, Some("Rewrite")));
    // And properties of steps see it as the model made it.
    let trace = report.verdicts[1].trace.as_ref().expect("rewriting writes");
    assert_eq!(trace.steps.len(), 2);
    assert_eq!(run(&Rewriter::default()).distinct, 2002, "without a normal form states do not merge");
}

#[test]
fn a_lasso_shows_the_step_that_the_normal_form_hides_and_not_one_that_changes_nothing() {
    let report = run(&Rewriter { normal_form: true, looks: true });
    let trace = report.verdicts[0].trace.as_ref().expect("it may rewrite for ever and never see");
    let cycle = trace.cycle.as_ref().expect("a cycle");
    assert_eq!(cycle.action.as_deref(), Some("Rewrite"), "both lead to the same normal form, in one class");
}

#[test]
fn a_walk_shows_a_step_that_the_normal_form_hides() {
    let walks = Walks { count: 1, steps: 3, seed: 1 };
    let report =
        walk(&Rewriter { normal_form: true, looks: false }, walks, &Options::default()).expect("supported");
    let trace = report.verdicts[1].trace.as_ref().expect("rewriting writes");
    assert_eq!(trace.steps.last().and_then(|step| step.action.as_deref()), Some("Rewrite"));
}

/// Counts to ten; panics where it is told to.
struct Fragile {
    panics: fn(place: &str, state: u32) -> bool,
}

impl Fragile {
    fn at(&self, place: &str, state: u32) {
        assert!(!(self.panics)(place, state), "fell over at {state}");
    }
}

impl Model for Fragile {
    type State = u32;
    type Action = u32;

    fn init(&self) -> Vec<u32> {
        self.at("init", 0);
        vec![0]
    }

    fn actions(&self, state: &u32, out: &mut Vec<u32>) {
        self.at("actions", *state);
        if *state < 10 {
            out.push(state + 1);
        }
    }

    fn next(&self, _: &u32, action: &u32) -> u32 {
        self.at("next", *action);
        *action
    }

    fn canonical(&self, state: u32) -> u32 {
        self.at("canonical", state);
        state
    }

    fn representative(&self, state: &u32) -> Option<u32> {
        self.at("representative", *state);
        Some(*state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("Small", |m: &Self, s| {
                m.at("always", *s);
                true
            }),
            Property::always_step("Grows", |m: &Self, s, _, _| {
                m.at("step", *s);
                true
            }),
            Property::eventually("Ends", |m: &Self, s| {
                m.at("eventually", *s);
                *s == 10
            }),
        ]
    }

    fn action_name(&self, action: &u32) -> String {
        format!("CountTo({action})")
    }

    fn fields(&self, state: &u32) -> Vec<Field> {
        vec![Field::new("s", state.to_string())]
    }
}

#[test]
fn a_model_that_panics_is_reported_with_the_way_there() {
    type Panics = fn(&str, u32) -> bool;
    let cases: [(Panics, usize, &str); 7] = [
        (|place, s| place == "next" && s == 4, 4, "CountTo(4): fell over at 4"),
        (|place, s| place == "canonical" && s == 4, 4, "CountTo(4): fell over at 4"),
        (|place, s| place == "actions" && s == 4, 5, "listing the actions: fell over at 4"),
        (|place, s| place == "always" && s == 4, 5, "judging Small: fell over at 4"),
        (|place, s| place == "step" && s == 4, 5, "judging Grows: fell over at 4"),
        (|place, s| place == "eventually" && s == 4, 5, "judging Ends: fell over at 4"),
        (|place, s| place == "init" && s == 0, 0, "initial states: fell over at 0"),
    ];
    for (panics, length, says) in cases {
        let report = run(&Fragile { panics });
        let End::Panicked { message, trace } = &report.end else { panic!("{report:?}") };
        assert_eq!((trace.steps.len(), message.as_str()), (length, says));
        assert!(report.verdicts.iter().all(|judged| judged.verdict == Verdict::Unknown));
    }
    let walks = Walks { count: 1, steps: 20, seed: 1 };
    let fragile = Fragile { panics: |place, s| place == "next" && s == 4 };
    let report = walk(&fragile, walks, &Options::default()).expect("supported");
    let End::Panicked { message, trace } = &report.end else { panic!("{report:?}") };
    assert_eq!((trace.steps.len(), message.as_str()), (4, "CountTo(4): fell over at 4"));
}

#[test]
fn a_model_that_panics_is_reported_with_symmetry_too() {
    type Panics = fn(&str, u32) -> bool;
    let cases: [(Panics, usize, &str); 4] = [
        (|place, s| place == "init" && s == 0, 0, "initial states: fell over at 0"),
        (|place, s| place == "canonical" && s == 0, 0, "initial states: fell over at 0"),
        (|place, s| place == "representative" && s == 0, 0, "initial states: fell over at 0"),
        (|place, s| place == "representative" && s == 4, 4, "CountTo(4): fell over at 4"),
    ];
    let safety = ["Small".to_string(), "Grows".to_string()];
    let options = Options { symmetry: true, properties: Some(&safety), ..Options::default() };
    for (panics, length, says) in cases {
        let report = check(&Fragile { panics }, &options).expect("it has symmetry");
        let End::Panicked { message, trace } = &report.end else { panic!("{report:?}") };
        assert_eq!((trace.steps.len(), message.as_str()), (length, says));
    }
}

#[test]
fn a_walk_of_a_model_that_panics_in_its_initial_states_is_reported() {
    let walks = Walks { count: 1, steps: 20, seed: 1 };
    let report = walk(&Fragile { panics: |place, _| place == "init" }, walks, &Options::default());
    let end = report.expect("supported").end;
    assert!(
        matches!(&end, End::Panicked { message, .. } if message == "initial states: fell over at 0"),
        "{end:?}"
    );
}

#[test]
fn a_panic_in_a_property_is_seen_although_the_state_has_no_actions() {
    let fragile = Fragile { panics: |place, s| place == "always" && s == 10 };
    let end = run(&fragile).end;
    assert!(
        matches!(&end, End::Panicked { message, .. } if message == "judging Small: fell over at 10"),
        "{end:?}"
    );
}

/// One step to each of a thousand states; panics in judging one of them, or a step from it.
struct Crowd {
    panics: fn(place: &str, state: u32) -> bool,
}

impl Model for Crowd {
    type State = u32;
    type Action = u32;

    fn init(&self) -> Vec<u32> {
        vec![0]
    }

    fn actions(&self, state: &u32, out: &mut Vec<u32>) {
        out.extend(if *state == 0 { 1..=1000 } else { state + 1000..=state + 1000 });
    }

    fn next(&self, _: &u32, action: &u32) -> u32 {
        *action
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("Not500", |_, s| *s != 500),
            Property::always("Not700", |_, s| *s != 700),
            Property::always_step("NotFrom500", |_, s, _, _| *s != 500),
            Property::always_step("NotFrom600", |_, s, _, _| *s != 600),
            Property::always("Panics", |m: &Self, s| {
                assert!(!(m.panics)("state", *s), "fell over at {s}");
                true
            }),
            Property::always_step("PanicsToo", |m: &Self, s, _, _| {
                assert!(!(m.panics)("step", *s), "fell over from {s}");
                true
            }),
        ]
    }

    fn action_name(&self, action: &u32) -> String {
        format!("To({action})")
    }

    fn fields(&self, state: &u32) -> Vec<Field> {
        vec![Field::new("s", state.to_string())]
    }
}

#[test]
fn what_was_seen_before_a_panic_stays_seen_with_any_number_of_threads() {
    use Verdict::{Unknown, Violated};
    let verdicts = |report: &Report| report.verdicts.iter().map(|judged| judged.verdict).collect::<Vec<_>>();
    let seen = [Violated, Unknown, Violated, Unknown, Unknown, Unknown];
    let in_state = Crowd { panics: |place, s| place == "state" && s == 600 };
    let in_step = Crowd { panics: |place, s| place == "step" && s == 600 };
    for (model, says) in [(in_state, "judging Panics"), (in_step, "judging PanicsToo")] {
        let one = run(&model);
        assert!(
            matches!(&one.end, End::Panicked { message, .. } if message.starts_with(says)),
            "{:?}",
            one.end
        );
        assert_eq!(verdicts(&one), seen);
        assert_eq!(one.verdicts[0].trace.as_ref().map(states), Some(vec![0, 500]));
        for threads in [2, 3, 8] {
            let threads = NonZeroUsize::new(threads).expect("some threads");
            assert_eq!(check(&model, &Options { threads, ..Options::default() }).as_ref(), Ok(&one));
        }
    }
    // A search that ends early judges what it found; that a model panics there takes nothing away.
    let early = Options { max_states: Some(900), ..Options::default() };
    let model = Crowd { panics: |place, s| place == "state" && s == 600 };
    let report = check(&model, &early).expect("supported");
    assert!(matches!(report.end, End::Panicked { .. }), "{:?}", report.end);
    assert_eq!(verdicts(&report), [Violated, Unknown, Unknown, Unknown, Unknown, Unknown]);
}

#[test]
fn somebody_can_stop_a_run_and_gets_what_was_found() {
    let stop = AtomicBool::new(false);
    let batches = AtomicU64::new(0);
    let progress = |progress: &Progress<'_>| {
        assert_eq!(progress.phase, Phase::Exploring);
        if batches.fetch_add(1, Ordering::Relaxed) == 3 {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let options = Options { stop: Some(&stop), progress: Some(&progress), ..Options::default() };
    let report = check(&Rewriter::default(), &options).expect("supported");
    assert_eq!((report.end, report.depth), (End::Stopped, 5));
    assert_eq!(report.verdicts[0].verdict, Verdict::Unknown);
    assert_eq!(report.verdicts[1].verdict, Verdict::Violated, "what was found before stays found");
}

#[test]
fn a_run_stopped_during_liveness_is_not_complete() {
    let stop = AtomicBool::new(false);
    let progress = |progress: &Progress<'_>| {
        if matches!(progress.phase, Phase::Liveness(_)) {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let options = Options { stop: Some(&stop), progress: Some(&progress), ..Options::default() };
    let mut table = Table::new(&[0], &[(0, 1, 0)], 1, Claim::Eventually(set([1])));
    table.claims.push(("Q", Claim::Eventually(set([2]))));
    let report = check(&table, &options).expect("supported");
    assert_eq!(report.end, End::Stopped);
    assert_eq!(
        report.verdicts.iter().map(|judged| judged.verdict).collect::<Vec<_>>(),
        [Verdict::Holds, Verdict::Unknown]
    );
}

/// Something of every kind: only what is of liveness needs more than all states.
fn of_every_kind() -> Table {
    let mut table = Table::new(&[0], &[(0, 1, 0)], 1, Claim::Always(set([0, 1])));
    table.claims.push(("Q", Claim::NoStep(set([1]), set([0]))));
    table.claims.push(("R", Claim::Sometimes(set([2]))));
    table.claims.push(("S", Claim::Eventually(set([1]))));
    table
}

#[test]
fn a_run_that_visited_all_states_knows_all_but_liveness() {
    let stop = AtomicBool::new(false);
    let progress = |progress: &Progress<'_>| {
        if progress.phase == Phase::Components {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let stopped = Options { stop: Some(&stop), progress: Some(&progress), ..Options::default() };
    // Enough for the states and their graph, and not for the search for cycles.
    let bytes = check(&of_every_kind(), &Options { properties: Some(&[]), ..Options::default() });
    let short = Options { max_bytes: bytes.map(|report| report.peak_bytes + 50).ok(), ..Options::default() };
    for (options, end) in [(stopped, End::Stopped), (short, End::MaxBytes)] {
        let report = check(&of_every_kind(), &options).expect("supported");
        assert_eq!(report.end, end);
        let verdicts: Vec<_> = report.verdicts.iter().map(|judged| judged.verdict).collect();
        assert_eq!(verdicts, [Verdict::Holds, Verdict::Holds, Verdict::Unreached, Verdict::Unknown]);
    }
}

#[test]
fn every_phase_is_told() {
    let phases = Mutex::new(Vec::new());
    let progress =
        |progress: &Progress<'_>| phases.lock().expect("one thread").push(format!("{:?}", progress.phase));
    let options = Options { progress: Some(&progress), ..Options::default() };
    check(&of_every_kind(), &options).expect("supported");
    let walks = Walks { count: 1, steps: 1, seed: 1 };
    walk(&of_every_kind(), walks, &options).expect("supported");
    let mut phases = phases.into_inner().expect("one thread");
    phases.dedup();
    let walking = "Walking(Walked { walks: 1, steps: 1 })";
    assert_eq!(phases, ["Exploring", "Components", "Liveness(\"S\")", walking]);
}

#[test]
fn states_that_were_found_but_not_expanded_are_judged() {
    let edges: Vec<_> = (1..40).map(|to| (0, to, 0)).collect();
    let table = Table { init: vec![0], edges, fair: 0, claims: vec![("P", Claim::Always(!set([39])))] };
    let options = Options { max_states: Some(2), ..Options::default() };
    let report = check(&table, &options).expect("supported");
    assert_eq!((report.end, report.depth), (End::MaxStates, 2));
    assert_eq!(report.verdicts[0].verdict, Verdict::Violated);
    assert_eq!(report.verdicts[0].trace.as_ref().map(states), Some(vec![0, 39]));
}

#[test]
fn a_budget_that_is_just_enough_is_enough() {
    let table = Table::new(&[0], &[(0, 1, 0), (1, 2, 0)], 1, Claim::Eventually(set([2])));
    let options = Options { max_states: Some(3), ..Options::default() };
    assert_eq!(check(&table, &options).map(|report| report.end), Ok(End::Complete));
}

#[test]
fn the_memory_that_a_run_reports_is_just_enough_budget_for_it() {
    let with = |max_bytes| check(&of_every_kind(), &Options { max_bytes, ..Options::default() });
    let peak = with(None).expect("supported").peak_bytes;
    assert_eq!(with(Some(peak)).map(|report| report.end), Ok(End::Complete), "liveness is counted");
    assert_eq!(with(Some(peak - 1)).map(|report| report.end), Ok(End::MaxBytes));
}

fn without_bytes(mut report: Report) -> Report {
    report.peak_bytes = 0;
    report.collision_probability = 0.0;
    report
}

#[test]
fn fingerprints_find_what_exact_states_find() {
    let exact = Options::default();
    let prints = Options { storage: Storage::Fingerprint, ..exact };
    let threads = NonZeroUsize::new(3).expect("some threads");
    for model in [Rewriter { normal_form: true, looks: true }, Rewriter::default()] {
        let exactly = check(&model, &exact).expect("supported");
        assert_eq!(exactly.collision_probability, 0.0);
        for options in [prints, Options { threads, ..prints }] {
            let report = check(&model, &options).expect("supported");
            assert!(report.collision_probability > 0.0 && report.collision_probability < 1e-20);
            assert_eq!(without_bytes(report), without_bytes(exactly.clone()));
        }
    }
}

/// Three like processes that take turns in any order; the third turn is bad.
struct Turns;

impl Model for Turns {
    type State = [u8; 3];
    type Action = usize;

    fn init(&self) -> Vec<[u8; 3]> {
        vec![[0; 3]]
    }

    fn actions(&self, state: &[u8; 3], out: &mut Vec<usize>) {
        // Listed from the greatest turn down, so that like states list their actions differently.
        let mut turns: Vec<usize> = (0..3).filter(|i| state[*i] == 0).collect();
        turns.sort_by_key(|i| state[(*i + 1) % 3]);
        out.extend(turns);
    }

    fn next(&self, state: &[u8; 3], action: &usize) -> [u8; 3] {
        let mut next = *state;
        next[*action] = 1 + *state.iter().max().expect("three of them");
        next
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("NotThree", |_, s: &[u8; 3]| s.iter().all(|turn| *turn < 3)),
            Property::always_step("NotAfterTwo", |_, s: &[u8; 3], _, _| s.iter().all(|turn| *turn < 2)),
        ]
    }

    fn representative(&self, state: &[u8; 3]) -> Option<[u8; 3]> {
        let mut sorted = *state;
        sorted.sort_unstable();
        Some(sorted)
    }

    fn action_name(&self, action: &usize) -> String {
        format!("Take({action})")
    }

    fn fields(&self, state: &[u8; 3]) -> Vec<Field> {
        state.iter().enumerate().map(|(i, turn)| Field::new(format!("turn[{i}]"), turn.to_string())).collect()
    }
}

#[test]
fn with_symmetry_traces_are_still_behaviours_of_the_model() {
    let options = Options { symmetry: true, ..Options::default() };
    let report = check(&Turns, &options).expect("symmetry is for safety");
    assert_eq!(report.distinct, 4);
    assert_eq!(run(&Turns).distinct, 16);
    for judged in &report.verdicts {
        assert_eq!(judged.verdict, Verdict::Violated);
        let trace = judged.trace.as_ref().expect("a counterexample");
        assert_eq!(trace.steps.len(), 4, "{trace:?}");
        for pair in trace.steps.windows(2) {
            let changed = pair[0].state.iter().zip(&pair[1].state).filter(|(a, b)| a != b);
            let changed: Vec<_> =
                changed.map(|(a, _)| a.name.replace("turn[", "Take(").replace(']', ")")).collect();
            assert_eq!(
                changed,
                [pair[1].action.clone().expect("an action")],
                "nobody changes places: {trace:?}"
            );
        }
    }
}

#[test]
fn walks_with_one_seed_are_the_same_and_find_what_is_there() {
    let walks = Walks { count: 20, steps: 10, seed: 7 };
    let report = walk(&Turns, walks, &Options::default()).expect("supported");
    assert_eq!(report.end, End::Walked);
    assert_eq!(report.verdicts[0].verdict, Verdict::Violated);
    assert_eq!(report.verdicts[0].trace.as_ref().map(|trace| trace.steps.len()), Some(4));
    assert_eq!(walk(&Turns, walks, &Options::default()), Ok(report.clone()));
    assert_eq!((report.distinct, report.generated, report.depth), (16, 80, 4));
}

#[test]
fn the_seed_says_which_walks_are_taken() {
    let ways = |seed| {
        let walks = Walks { count: 1, steps: 10, seed };
        let report = walk(&Turns, walks, &Options::default()).expect("supported");
        let trace = report.verdicts[0].trace.clone().expect("every walk takes the third turn");
        trace.steps.into_iter().filter_map(|step| step.action).collect::<Vec<_>>()
    };
    assert_eq!(ways(7), ["Take(0)", "Take(2)", "Take(1)"]);
    assert_eq!(ways(8), ["Take(1)", "Take(0)", "Take(2)"]);
    let all: std::collections::BTreeSet<_> = (0..100).map(ways).collect();
    assert_eq!(all.len(), 6, "in a hundred walks there is every order: {all:?}");
}

#[test]
fn of_several_walks_the_shortest_is_kept() {
    // From 0 to 1, at once or after any number of detours by 2.
    let table = Table::new(&[0], &[(0, 2, 0), (2, 0, 0), (0, 1, 0)], 0, Claim::Always(!set([1])));
    let found = |count| {
        let walks = Walks { count, steps: 100, seed: 7 };
        let report = walk(&table, walks, &Options::default()).expect("supported");
        report.verdicts[0].trace.as_ref().map(states).expect("all walks end in 1")
    };
    assert_eq!(found(1), [0, 2, 0, 1], "the first walk makes a detour");
    assert_eq!(found(20), [0, 1], "and one of twenty makes none");
}

#[test]
fn sometimes_is_reached_or_not() {
    let table = |claim| Table::new(&[0], &[(0, 1, 0)], 0, claim);
    assert_eq!(verdict(&table(Claim::Sometimes(set([1])))), Verdict::Reached);
    assert_eq!(verdict(&table(Claim::Sometimes(set([2])))), Verdict::Unreached);
    let report = run(&table(Claim::Sometimes(set([1]))));
    assert_eq!(report.verdicts[0].trace.as_ref().map(states), Some(vec![0, 1]));
}

#[test]
fn every_property_of_deadlock_is_judged() {
    let mut table = Table::new(&[0], &[(0, 1, 0)], 0, Claim::Deadlock);
    table.claims.push(("Q", Claim::Deadlock));
    let verdicts = run(&table).verdicts;
    assert!(verdicts.iter().all(|judged| judged.verdict == Verdict::Violated), "{verdicts:?}");
    let walks = Walks { count: 1, steps: 3, seed: 1 };
    let verdicts = walk(&table, walks, &Options::default()).expect("supported").verdicts;
    assert!(verdicts.iter().all(|judged| judged.verdict == Verdict::Violated), "{verdicts:?}");
}

#[test]
fn what_a_walk_would_pass_over_is_refused_and_its_memory_is_bounded() {
    let walks = Walks { count: 1, steps: u32::MAX, seed: 1 };
    let two = NonZeroUsize::MIN.saturating_add(1);
    let options = Options::default();
    let turns = |options: Options<'_>| walk(&Turns, walks, &options).err();
    assert_eq!(turns(Options { threads: two, ..options }), Some(Refused::NotForWalks("several threads")));
    assert_eq!(turns(Options { symmetry: true, ..options }), Some(Refused::NotForWalks("symmetry")));
    assert_eq!(
        turns(Options { max_states: Some(1), ..options }),
        Some(Refused::NotForWalks("a budget of states"))
    );
    let never = AtomicBool::new(false);
    let report = walk(&Tireless(&never), walks, &Options { max_bytes: Some(100_000), ..options });
    assert_eq!(report.map(|report| report.end), Ok(End::MaxBytes));
}

#[test]
fn the_walk_that_is_remembered_counts_as_memory() {
    // Two states, and a way that only gets longer: eight bytes a step.
    let table = Table::new(&[0], &[(0, 1, 0), (1, 0, 0)], 0, Claim::Always(set([0])));
    let walks = Walks { count: 1, steps: 100_000, seed: 1 };
    let report = walk(&table, walks, &Options::default()).expect("supported");
    assert!(report.peak_bytes > 800_000, "{} bytes", report.peak_bytes);
    assert_eq!(report.walked, Some(Walked { walks: 1, steps: 100_000 }));
    let options = Options { max_bytes: Some(500_000), ..Options::default() };
    let report = walk(&table, walks, &options).expect("supported");
    assert_eq!(report.end, End::MaxBytes);
    assert_eq!(report.walked.map(|walked| walked.walks), Some(0), "a walk cut off is not done");
    assert_eq!(report.verdicts[0].verdict, Verdict::Violated, "what was found before stays found");
}

#[test]
fn more_classes_than_can_be_told_apart_are_refused() {
    let with = |fair| check(&Table::new(&[0], &[], fair, Claim::Eventually(set([0]))), &Options::default());
    assert!(with(65_534).is_ok());
    let refused = with(65_535).expect_err("the last number is that of what is unfair");
    let says = "this model has 65535 fairness classes; at most 65534 are supported";
    assert_eq!((refused.to_string().as_str(), refused), (says, Refused::TooManyClasses(65_535)));
}

#[test]
fn properties_are_chosen_by_name_and_reported_as_declared() {
    let mut table = Table::new(&[0], &[(0, 1, 0)], 0, Claim::Always(set([0])));
    table.claims.push(("Q", Claim::Deadlock));
    table.claims.push(("R", Claim::Deadlock));
    let names = ["R".to_string(), "P".to_string()];
    let report =
        check(&table, &Options { properties: Some(&names), ..Options::default() }).expect("supported");
    assert_eq!(report.verdicts.iter().map(|judged| judged.name.as_str()).collect::<Vec<_>>(), ["P", "R"]);
    let report = check(&table, &Options { properties: Some(&[]), ..Options::default() }).expect("supported");
    assert_eq!((report.verdicts.len(), report.distinct), (0, 2));
}

/// Turns for ever; asks to be stopped after a while.
struct Tireless<'a>(&'a AtomicBool);

impl Model for Tireless<'_> {
    type State = u32;
    type Action = ();

    fn init(&self) -> Vec<u32> {
        vec![0]
    }

    fn actions(&self, state: &u32, out: &mut Vec<()>) {
        self.0.fetch_or(*state == 100, Ordering::Relaxed);
        out.push(());
    }

    fn next(&self, state: &u32, (): &()) -> u32 {
        state.wrapping_add(1)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        Vec::new()
    }

    fn action_name(&self, (): &()) -> String {
        "Turn".into()
    }

    fn fields(&self, state: &u32) -> Vec<Field> {
        vec![Field::new("s", state.to_string())]
    }
}

#[test]
fn somebody_can_stop_a_walk_that_would_not_end() {
    let stop = AtomicBool::new(false);
    let options = Options { stop: Some(&stop), ..Options::default() };
    let walks = Walks { count: 1, steps: u32::MAX, seed: 1 };
    let report = walk(&Tireless(&stop), walks, &options).expect("supported");
    assert_eq!((report.end, report.depth), (End::Stopped, 101));
}
