//! Plans that are safe, and plans that are not.

use bowline_explorer::{End, Options, Trace, Verdict, Walks, check};
use bowline_upgrades::plain::Plain;
use bowline_upgrades::{Condition, Phase, SeatState, Snapshot};

use super::town::Town;
use super::{Flight, Obstacle, Outcome, Preflight, Storm, WorstCase};
use crate::naive::{is_well_formed, reach};

const CALM: Storm = Storm { crashes: 0, returns: false, rollbacks: 0 };
const WALKS: Walks = Walks { count: 5, steps: 300, seed: 1 };

fn plan(town: &Town, storm: Storm) -> Preflight {
    Preflight::new(&town.snapshot(), "v2", storm).expect("a plan")
}

fn fly(town: &Town, storm: Storm, strict: bool) -> Flight {
    plan(town, storm).fly(&Options::default(), WALKS, strict).expect("a flight")
}

fn crashes(crashes: u8) -> Storm {
    Storm { crashes, returns: true, rollbacks: 1 }
}

fn broken(flight: &Flight, strict: bool) -> Vec<&str> {
    flight.broken(strict).iter().map(|judged| judged.name.as_str()).collect()
}

fn actions(trace: &Trace) -> Vec<&str> {
    trace.steps.iter().filter_map(|step| step.action.as_deref()).collect()
}

/// The usual group: three nodes, four devices, two partitions of three.
fn usual() -> Town {
    Town { devices: 4, ..Town::new(3).partitions(2, 3) }
}

#[test]
fn plans_have_these_states() {
    let by_command = Town { automatic: false, ..Town::new(2) };
    for (town, storm, counts) in [
        (Town::new(2), CALM, (27, 27, 19)),
        (Town::new(2), crashes(1), (5_522, 11_607, 44)),
        (Town::new(3).partitions(1, 3), CALM, (33, 33, 25)),
        (Town::new(3).partitions(1, 3), crashes(1), (19_181, 39_615, 60)),
        (by_command, crashes(1), (5_255, 10_900, 39)),
    ] {
        let flight = fly(&town, storm, false);
        let report = &flight.reports[0];
        assert_eq!((report.distinct, report.generated, report.depth), counts, "{} nodes", town.nodes);
        assert_eq!((flight.outcome, broken(&flight, false)), (Outcome::Safe, vec![]));
        assert!(flight.committed().is_some());
    }
}

#[test]
fn a_safe_plan_is_called_safe_and_its_worst_case_is_told() {
    let flight = fly(&usual(), crashes(1), false);
    assert_eq!((flight.outcome, broken(&flight, false)), (Outcome::Safe, vec![]));
    let worst =
        WorstCase { unavailable: 2, nodes: 3, serving: 0, masterless: 4, devices: 4, margin: Some(-1) };
    assert_eq!(flight.worst, worst, "one is in hand, and another one crashes");
    assert!(flight.committed().is_some() && flight.went_back().is_some());
    let lost = flight.quorum_lost().and_then(|judged| judged.trace.as_ref()).expect("how it comes about");
    assert!(actions(lost).contains(&"the hub: take n1 in hand"), "{:?}", actions(lost));
    // Who asks for more is told that it is not so.
    let strict = fly(&usual(), crashes(1), true);
    assert_eq!(
        (strict.outcome, broken(&strict, true)),
        (Outcome::Unsafe, vec!["QuorumLost", "NobodyServes"])
    );
    // Without a crash nobody misses anything.
    let calm = fly(&usual(), Storm { rollbacks: 1, ..CALM }, true);
    assert_eq!((calm.outcome, calm.worst.unavailable, calm.worst.margin), (Outcome::Safe, 1, Some(0)));
}

#[test]
fn a_plan_that_interrupts_the_service_is_found_out() {
    let pair = Town { interrupts: true, ..Town::new(2).partitions(1, 2) };
    let flight = fly(&pair, CALM, false);
    assert_eq!(
        (flight.outcome, broken(&flight, false)),
        (Outcome::Unsafe, vec!["KeepsQuorum", "KeepsServing"])
    );
    let trace = flight.broken(false)[0].trace.as_ref().expect("a counterexample");
    assert_eq!(actions(trace), ["the hub: begin the upgrade", "the hub: take n1 in hand"]);
    let single = fly(&Town { interrupts: true, ..Town::new(1) }, CALM, false);
    assert_eq!((single.outcome, broken(&single, false)), (Outcome::Unsafe, vec!["KeepsServing"]));
    assert_eq!((single.worst.serving, single.worst.masterless), (0, 1));
    // With as many nodes as it needs, nothing has to be interrupted.
    let enough = fly(&Town { interrupts: false, ..Town::new(3).partitions(1, 2) }, CALM, false);
    assert_eq!(enough.outcome, Outcome::Safe);
}

#[test]
fn what_cannot_begin_is_refused_with_the_reason() {
    let against = |town: &Town, to: &str| match Preflight::new(&town.snapshot(), to, CALM) {
        Ok(_) => panic!("it can begin"),
        Err(obstacle) => obstacle,
    };
    let known = ["v1", "v2", "v3"].map(str::to_owned).to_vec();
    assert_eq!(against(&usual(), "v9"), Obstacle::Unknown { wanted: "v9".into(), known });
    let skips = |wanted: &str| Obstacle::Skips {
        wanted: wanted.into(),
        serving: "v1".into(),
        next: Some("v2".into()),
    };
    assert_eq!(against(&usual(), "v3"), skips("v3"));
    assert_eq!(against(&usual(), "v1"), skips("v1"));
    let refused = |town: &Town| match against(town, "v2") {
        Obstacle::Refused(why) => why,
        other => panic!("{other:?}"),
    };
    assert!(refused(&Town::new(1)).contains("without interrupting the service"));
    assert!(refused(&Town::new(2).partitions(1, 2)).contains("without interrupting the service"));
}

#[test]
fn a_group_that_is_not_ready_is_refused_with_the_reason() {
    let why = |change: &dyn Fn(&mut Snapshot<Plain>)| {
        let mut snapshot = usual().snapshot();
        change(&mut snapshot);
        match Preflight::new(&snapshot, "v2", CALM) {
            Err(Obstacle::Refused(why)) => why,
            Err(other) => panic!("{other:?}"),
            Ok(_) => "it can begin".to_owned(),
        }
    };
    let under_way = why(&|s| s.group.as_mut().expect("a group").status.phase = Phase::Upgraded);
    assert!(under_way.contains("not while the group is Upgraded"), "{under_way}");
    let leaves = why(&|s| s.members.get_mut("n2").expect("n2").deleting = true);
    assert!(leaves.contains("n2 is being deleted"), "{leaves}");
    let other = why(&|s| {
        s.members.get_mut("n2").and_then(|n2| n2.report.as_mut()).expect("a report").version = None;
    });
    assert!(other.contains("n2 does not run the version that serves"), "{other}");
    // Who is broken is no hindrance while the others can do without it.
    let sick = why(&|s| {
        let report = s.members.get_mut("n2").and_then(|n2| n2.report.as_mut()).expect("a report");
        report.condition = Condition::Unhealthy;
    });
    assert_eq!(sick, "it can begin");
}

/// A lost member is all that `maxUnavailable` allows for: nobody can be moved, and the plan leads nowhere.
#[test]
fn a_plan_that_leads_nowhere_is_found_out() {
    let mut snapshot = Town::new(3).snapshot();
    let group = snapshot.group.as_mut().expect("a group");
    group.status.seats.get_mut("n3").expect("n3").state = SeatState::Lost;
    let fly = |snapshot: &Snapshot<Plain>| {
        let plan = Preflight::new(snapshot, "v2", CALM).expect("a plan");
        plan.fly(&Options::default(), WALKS, false).expect("a flight")
    };
    let flight = fly(&snapshot);
    assert_eq!((flight.outcome, broken(&flight, false)), (Outcome::Unsafe, vec!["Committed"]));
    snapshot.group.as_mut().expect("a group").wish.most_unavailable = 2;
    let flight = fly(&snapshot);
    assert_eq!(
        (flight.outcome, flight.worst.unavailable),
        (Outcome::Safe, 2),
        "the lost one, and one in hand"
    );
}

#[test]
fn a_larger_group_is_explored_in_part_and_walked_through() {
    let town = Town { devices: 3, ..Town::new(8).partitions(1, 3) };
    let options = Options { max_states: Some(300), ..Options::default() };
    let flight = plan(&town, crashes(1)).fly(&options, WALKS, false).expect("walks are not refused");
    assert_eq!(flight.outcome, Outcome::Incomplete);
    let ends: Vec<_> = flight.reports.iter().map(|report| report.end.clone()).collect();
    assert_eq!(ends, [End::MaxStates, End::Walked]);
    // What is found there is found all the same.
    let unsafe_one = Town { interrupts: true, ..Town::new(8).partitions(1, 8) };
    let flight = plan(&unsafe_one, CALM).fly(&options, WALKS, false).expect("walks");
    assert_eq!(flight.outcome, Outcome::Unsafe);
}

#[test]
fn a_budget_that_is_used_up_is_incomplete() {
    let options = Options { max_states: Some(100), ..Options::default() };
    let flight = plan(&usual(), crashes(1)).fly(&options, WALKS, false).expect("a flight");
    assert_eq!(flight.outcome, Outcome::Incomplete);
}

/// States are told apart by what is shown of them: a trace hides nothing.
#[test]
fn what_is_shown_of_a_state_is_all_of_it() {
    let plan = plan(&Town::new(2).partitions(1, 1), crashes(1));
    let report = check(&plan, &Options { properties: Some(&[]), ..Options::default() }).expect("a run");
    let (states, generated, depth) = reach(&plan).counts();
    let counts = (report.distinct, report.generated, report.depth);
    assert_eq!(counts, (states as u64, generated as u64, depth as u32));
    is_well_formed(&plan);
}

/// On the way back, who was struck or has come back must not leave the old version without anybody who may serve: the explorer
/// found two states that no command led out of.
#[test]
fn who_goes_back_is_never_trapped() {
    let claims = ["NoTrap".to_owned()];
    let options = Options { properties: Some(&claims), ..Options::default() };
    let report = check(&plan(&Town::new(3).partitions(1, 3), crashes(1)), &options).expect("a run");
    assert_eq!(report.verdicts[0].verdict, Verdict::Holds);
}
