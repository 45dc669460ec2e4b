//! Random small graphs against a brute-force oracle that enumerates every set of states.

mod common;

use bowline_explorer::{Class, Field, Model, Property, Report, Trace, Verdict};
use common::{Claim, Table, run, set, states, within};

const STATES: u32 = 6;
const CLASSES: u16 = 3;

/// A small deterministic generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }

    fn set(&mut self) -> u64 {
        self.below(1 << STATES)
    }
}

fn random_table(random: &mut Random) -> Table {
    let init = (0..1 + random.below(2)).map(|_| random.below(u64::from(STATES)) as u32).collect();
    let state = |random: &mut Random| random.below(u64::from(STATES)) as u32;
    let edges = (0..random.below(14))
        .map(|_| (state(random), state(random), random.below(u64::from(CLASSES) + 1) as u16))
        .collect();
    let claims = vec![
        ("always", Claim::Always(random.set() | random.set())),
        ("step", Claim::NoStep(random.set() & random.set(), random.set())),
        ("deadlock", Claim::Deadlock),
        ("sometimes", Claim::Sometimes(random.set() & random.set())),
        ("eventually", Claim::Eventually(random.set())),
        ("eventually always", Claim::EventuallyAlways(random.set() | random.set())),
        ("always eventually", Claim::AlwaysEventually(random.set())),
        ("leads to", Claim::LeadsTo(random.set(), random.set())),
    ];
    Table { init, edges, fair: random.below(u64::from(CLASSES) + 1) as u16, claims }
}

/// What can be reached from `from` by steps that stay within `region`.
fn reach(table: &Table, from: u64, region: u64) -> u64 {
    let mut reached = from & region;
    loop {
        let next = table.edges.iter().filter(|(a, b, _)| within(reached, *a) && within(region, *b));
        let more = next.fold(reached, |reached, (_, b, _)| reached | 1 << b);
        if more == reached {
            return reached;
        }
        reached = more;
    }
}

/// Whether some fair behaviour visits all states of `visited`, and no others, again and again.
fn can_stay(table: &Table, visited: u64) -> bool {
    let members = || (0..STATES).filter(|s| within(visited, *s));
    let connected = members().all(|s| reach(table, 1 << s, visited) == visited);
    // A single state may be stayed in by doing nothing.
    let inside = |class: u16| {
        table
            .edges
            .iter()
            .any(|(a, b, c)| *c == class && a != b && within(visited, *a) && within(visited, *b))
    };
    let enabled = |s: u32, class: u16| table.edges.iter().any(|(a, b, c)| *a == s && a != b && *c == class);
    let fair = (0..table.fair).all(|class| inside(class) || members().any(|s| !enabled(s, class)));
    visited != 0 && connected && fair
}

fn violated(table: &Table, claim: Claim) -> bool {
    let all = set(0..STATES);
    let initial = set(table.init.iter().copied());
    let reachable = reach(table, initial, all);
    let stays = |from: u64, region: u64, wanted: u64| {
        let reached = reach(table, from, region);
        (1..=all).any(|visited| visited & !reached == 0 && visited & wanted != 0 && can_stay(table, visited))
    };
    let steps = || table.edges.iter().filter(|(a, b, _)| a != b && within(reachable, *a));
    match claim {
        Claim::Always(p) => reachable & !p != 0,
        Claim::NoStep(p, q) => steps().any(|(a, b, _)| within(p, *a) && within(q, *b)),
        Claim::Deadlock => {
            (0..STATES).any(|s| within(reachable, s) && !table.edges.iter().any(|(a, _, _)| *a == s))
        }
        Claim::Sometimes(p) => reachable & p == 0,
        Claim::Eventually(p) => stays(initial, !p & all, all),
        Claim::EventuallyAlways(p) => stays(reachable, all, !p),
        // The set must lie within what is not p; how it is reached does not matter.
        Claim::AlwaysEventually(p) => {
            (1..=all).any(|visited| visited & !(reachable & !p) == 0 && can_stay(table, visited))
        }
        Claim::LeadsTo(p, q) => stays(reachable & p, !q & all, all),
    }
}

/// States on the shortest path that settles a claim about states or steps.
fn shortest(table: &Table, claim: Claim) -> usize {
    let mut reached = set(table.init.iter().copied());
    let settles = |s: u32| match claim {
        Claim::Always(p) => !within(p, s),
        Claim::Sometimes(p) => within(p, s),
        Claim::Deadlock => table.edges.iter().all(|(a, _, _)| *a != s),
        _ => false,
    };
    for length in 1.. {
        let mut states = (0..STATES).filter(|s| within(reached, *s));
        if states.any(settles) {
            return length;
        }
        let steps = || table.edges.iter().filter(|(a, b, _)| a != b && within(reached, *a));
        if let Claim::NoStep(p, q) = claim
            && steps().any(|(a, b, _)| within(p, *a) && within(q, *b))
        {
            return length + 1;
        }
        reached |= set(steps().map(|(_, b, _)| *b));
    }
    unreachable!("a trace was found")
}

/// A counterexample must be a behaviour of the table, fair, and one that violates the claim.
fn confirm(table: &Table, claim: Claim, trace: &Trace) {
    let path = states(trace);
    assert!(table.init.contains(&path[0]), "begins in an initial state");
    for (pair, step) in path.windows(2).zip(&trace.steps[1..]) {
        let edge = |(a, b, c): &(u32, u32, u16)| {
            *a == pair[0] && *b == pair[1] && step.action == Some(format!("to {b} by {c}"))
        };
        assert!(table.edges.iter().any(edge), "{pair:?} is a step");
    }
    let last = path[path.len() - 1];
    let Some(cycle) = &trace.cycle else {
        assert_eq!(path.len(), shortest(table, claim), "no shorter one: {table:?}");
        match claim {
            Claim::Always(p) => assert!(!within(p, last)),
            Claim::Sometimes(p) => assert!(within(p, last)),
            Claim::NoStep(p, q) => {
                assert!(within(p, path[path.len() - 2]) && within(q, last));
            }
            Claim::Deadlock => assert!(table.edges.iter().all(|(a, _, _)| *a != last)),
            _ => panic!("a violation of liveness goes on for ever"),
        }
        return;
    };
    let round = &path[cycle.loops_to - 1..];
    match &cycle.action {
        Some(action) => {
            let back = |(a, b, c): &(u32, u32, u16)| {
                *a == last && *b == round[0] && *action == format!("to {b} by {c}")
            };
            assert!(table.edges.iter().any(back), "the cycle closes");
        }
        None => assert_eq!(round.len(), 1, "only one state can be stayed in without a step"),
    }
    confirm_fair(table, round, trace, cycle.loops_to);
    match claim {
        Claim::EventuallyAlways(p) => assert!(round.iter().any(|s| !within(p, *s))),
        Claim::AlwaysEventually(p) => assert!(round.iter().all(|s| !within(p, *s))),
        Claim::Eventually(p) => assert!(path.iter().all(|s| !within(p, *s))),
        Claim::LeadsTo(p, q) => {
            let from = path.iter().rposition(|s| within(q, *s)).map_or(0, |last_q| last_q + 1);
            assert!(from < cycle.loops_to && path[from..].iter().any(|s| within(p, *s)));
        }
        _ => panic!("a violation of safety ends"),
    }
}

/// The steps of the cycle themselves, not only the set of its states, satisfy fairness.
fn confirm_fair(table: &Table, round: &[u32], trace: &Trace, loops_to: usize) {
    let names = trace.steps[loops_to..].iter().filter_map(|step| step.action.as_ref());
    let names: Vec<_> = names.chain(trace.cycle.as_ref().and_then(|cycle| cycle.action.as_ref())).collect();
    for class in 0..table.fair {
        let enabled = |s: u32| table.edges.iter().any(|(a, b, c)| *a == s && a != b && *c == class);
        let taken = names.iter().any(|name| name.ends_with(&format!(" by {class}")));
        assert!(taken || round.iter().any(|s| !enabled(*s)), "fair to class {class}");
    }
}

#[test]
fn ten_thousand_random_graphs_agree_with_the_oracle() {
    let mut random = Random(2026);
    let mut seen = [[0u32; 2]; 8];
    for round in 0..10_000 {
        let table = random_table(&mut random);
        let report = run(&table);
        for (index, ((name, claim), judged)) in table.claims.iter().zip(&report.verdicts).enumerate() {
            let ours = matches!(judged.verdict, Verdict::Violated | Verdict::Unreached);
            assert_eq!(ours, violated(&table, *claim), "round {round}: {name} of {table:?}");
            seen[index][usize::from(ours)] += 1;
            if let Some(trace) = &judged.trace {
                confirm(&table, *claim, trace);
            }
        }
    }
    // Not one kind may be all one way: that would test nothing.
    assert!(seen.iter().flatten().all(|count| *count > 500), "{seen:?}");
}

/// A table in which some steps also write a version, which is opaque: the normal form forgets it.
struct Versioned {
    table: Table,
    normal_form: bool,
}

impl Model for Versioned {
    type State = (u32, u8);
    type Action = (u32, u16);

    fn init(&self) -> Vec<(u32, u8)> {
        self.table.init.iter().map(|state| (*state, 0)).collect()
    }

    fn actions(&self, state: &(u32, u8), out: &mut Vec<(u32, u16)>) {
        self.table.actions(&state.0, out);
    }

    fn next(&self, (from, version): &(u32, u8), (to, class): &(u32, u16)) -> (u32, u8) {
        let writes = (from + to + u32::from(*class)) % 2 == 0;
        (*to, if writes { (version + 1) % 3 } else { *version })
    }

    fn canonical(&self, (state, version): (u32, u8)) -> (u32, u8) {
        (state, if self.normal_form { 0 } else { version })
    }

    fn class(&self, action: &(u32, u16)) -> Class {
        self.table.class(action)
    }

    fn fairness(&self) -> Vec<String> {
        self.table.fairness()
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let property = |(name, claim): &(&str, Claim)| match *claim {
            Claim::Eventually(p) => Property::eventually(name, move |_, s: &(u32, u8)| within(p, s.0)),
            Claim::EventuallyAlways(p) => {
                Property::eventually_always(name, move |_, s: &(u32, u8)| within(p, s.0))
            }
            Claim::AlwaysEventually(p) => {
                Property::always_eventually(name, move |_, s: &(u32, u8)| within(p, s.0))
            }
            Claim::LeadsTo(p, q) => Property::leads_to(
                name,
                move |_, s: &(u32, u8)| within(p, s.0),
                move |_, s: &(u32, u8)| within(q, s.0),
            ),
            Claim::Always(p) => Property::always(name, move |_, s: &(u32, u8)| within(p, s.0)),
            Claim::Sometimes(p) => Property::sometimes(name, move |_, s: &(u32, u8)| within(p, s.0)),
            Claim::NoStep(p, q) => Property::always_step(name, move |_, s: &(u32, u8), _, t: &(u32, u8)| {
                !(within(p, s.0) && within(q, t.0))
            }),
            Claim::Deadlock => Property::no_deadlock(name),
        };
        self.table.claims.iter().map(property).collect()
    }

    fn action_name(&self, action: &(u32, u16)) -> String {
        self.table.action_name(action)
    }

    fn fields(&self, state: &(u32, u8)) -> Vec<Field> {
        self.table.fields(&state.0)
    }
}

#[test]
fn a_normal_form_changes_no_verdict_of_random_graphs() {
    let mut random = Random(7);
    let mut merged = 0;
    for round in 0..5_000 {
        let table = random_table(&mut random);
        let full = run(&Versioned { table: table.clone(), normal_form: false });
        let normal = run(&Versioned { table: table.clone(), normal_form: true });
        let verdicts =
            |report: &Report| report.verdicts.iter().map(|judged| judged.verdict).collect::<Vec<_>>();
        assert_eq!(verdicts(&normal), verdicts(&full), "round {round}: {table:?}");
        merged += u32::from(normal.distinct < full.distinct);
    }
    assert!(merged > 1000, "the normal form merges states in {merged} graphs");
}
