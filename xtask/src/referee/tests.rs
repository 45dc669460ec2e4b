//! What the referee would notice.

use std::cell::Cell;

use anyhow::Result;
use bowline_explorer::{Kind, Verdict};

use super::compare::differences;
use super::output::{Counts, Finding, Outcome, parse};
use super::program::{Action, Claim, Command, Comparison, Effect, Predicate, Program, Term};
use super::shrink::shrink;
use super::subject::{Ours, explore, explore_simply};
use super::tally::Tally;
use super::{tla, witness};

fn equals(variable: usize, value: u8) -> Predicate {
    Predicate::Compare(Term::Before(variable), Comparison::Equal, Term::Number(value))
}

fn command(guard: Predicate, effects: [Effect; 2]) -> Command {
    Command { guard, choice: Vec::new(), effects: effects.to_vec() }
}

/// `a` counts 0, 1, 2, 0, …; where it is 1, `b` may be given any value, once.
fn counter(claim: Claim) -> Program {
    let set_b = Command {
        guard: Predicate::All(vec![equals(0, 1), Predicate::Any(vec![equals(1, 0), equals(0, 2)])]),
        choice: vec![0, 2],
        effects: vec![Effect::Keep, Effect::Chosen],
    };
    Program {
        sizes: vec![3, 4],
        init: vec![[0, 0, 0, 0], [2, 0, 0, 0]],
        actions: vec![
            Action { commands: vec![command(Predicate::True, [Effect::Increment, Effect::Keep])] },
            Action {
                commands: vec![
                    set_b,
                    command(Predicate::Not(Box::new(equals(1, 3))), [Effect::Set(1), Effect::Copy(0)]),
                ],
            },
        ],
        fairness: vec![vec![0], vec![1]],
        claim,
    }
}

#[test]
fn a_program_is_printed() {
    let printed = tla::print(&counter(Claim::LeadsTo(equals(0, 1), equals(1, 2))));
    assert_eq!(printed.cfg, "SPECIFICATION Spec\nPROPERTY Claim\n");
    assert!(!printed.deadlock);
    assert_eq!(
        printed.module,
        r"---- MODULE Referee ----
EXTENDS Integers
VARIABLES a, b
vars == <<a, b>>

Init ==
    \/ a = 0 /\ b = 0
    \/ a = 2 /\ b = 0

A1 ==
    \/ /\ TRUE
       /\ a' = (a + 1) % 3
       /\ UNCHANGED b

A2 ==
    \/ \E v \in {0, 2} :
       /\ (a = 1 /\ (b = 0 \/ a = 2)) = TRUE
       /\ UNCHANGED a
       /\ b' = v
    \/ /\ ~(b = 3)
       /\ a' = 1
       /\ b' = a % 4

Next == A1 \/ A2
Spec == Init /\ [][Next]_vars /\ WF_vars(A1) /\ WF_vars(A2)

P == a = 1
Q == b = 2
Claim == P ~> Q
====
"
    );
}

#[test]
fn each_kind_of_claim_is_asked_for_in_its_own_way() {
    let asked = |claim| {
        let printed = tla::print(&counter(claim));
        let line =
            printed.module.lines().find(|line| line.starts_with("Claim")).unwrap_or_default().to_string();
        (line, printed.cfg.lines().nth(1).unwrap_or_default().to_string(), printed.deadlock)
    };
    let p = || equals(0, 1);
    let line = |claim: &str, cfg: &str, deadlock| (claim.to_string(), cfg.to_string(), deadlock);
    assert_eq!(asked(Claim::Always(p())), line("Claim == P", "INVARIANT Claim", false));
    assert_eq!(asked(Claim::Sometimes(p())), line("Claim == ~P", "INVARIANT Claim", false));
    assert_eq!(asked(Claim::NoDeadlock), line("", "", true));
    assert_eq!(asked(Claim::AlwaysStep(p())), line("Claim == [][P]_vars", "PROPERTY Claim", false));
    assert_eq!(asked(Claim::Eventually(p())), line("Claim == <>P", "PROPERTY Claim", false));
    assert_eq!(asked(Claim::EventuallyAlways(p())), line("Claim == <>[]P", "PROPERTY Claim", false));
    assert_eq!(asked(Claim::AlwaysEventually(p())), line("Claim == []<>P", "PROPERTY Claim", false));
}

const NO_ERROR: &str = r#"TLC2 Version 2.15 of Day Month 20?? (rev: d5b5a7f)
Computing initial states...
Finished computing initial states: 2 distinct states generated at 2026-11-15 23:36:41.
Progress(4) at 2026-11-15 23:36:41: 12 states generated, 6 distinct states found, 0 states left on queue.
Checking temporal properties for the complete state space with 6 total distinct states at (2026-11-15 23:36:41)
Finished checking temporal properties in 00s at 2026-11-15 23:36:41
Model checking completed. No error has been found.
  Estimates of the probability that TLC did not check all reachable states
  because two distinct states had the same fingerprint:
  calculated (optimistic):  val = 2.0E-18
12 states generated, 6 distinct states found, 0 states left on queue.
The depth of the complete state graph search is 4.
The average outdegree of the complete state graph is 1 (minimum is 0, the maximum 2 and the 95th percentile is 2).
Finished in 00s at (2026-11-15 23:36:41)
"#;

const INVARIANT: &str = r"Computing initial states...
Finished computing initial states: 1 distinct state generated at 2026-11-15 23:30:26.
Error: Invariant Inv is violated.
Error: The behavior up to this point is:
State 1: <Initial predicate>
/\ a = 0
/\ b = 0

State 2: <A line 6, col 6 to line 6, col 34 of module M>
/\ a = 1
/\ b = 0

State 3: <A line 6, col 6 to line 6, col 34 of module M>
/\ a = 2
/\ b = 0

3 states generated, 3 distinct states found, 0 states left on queue.
The depth of the complete state graph search is 3.
The average outdegree of the complete state graph is 1 (minimum is 1, the maximum 1 and the 95th percentile is 1).
Finished in 00s at (2026-11-15 23:30:26)
";

const INITIAL: &str = r"Computing initial states...
Error: Invariant Inv is violated by the initial state:
/\ a = 1
/\ b = 0

Finished in 00s at (2026-11-15 23:36:34)
";

const ACTION: &str = r"Error: Action property StepP is violated.
Error: The behavior up to this point is:
State 1: <Initial predicate>
/\ a = 0
/\ b = 0

State 2: <A line 6, col 6 to line 6, col 34 of module M>
/\ a = 1
/\ b = 0

3 states generated, 2 distinct states found, 1 states left on queue.
The depth of the complete state graph search is 1.
Finished in 00s at (2026-11-15 23:36:36)
";

const TEMPORAL: &str = r"Computing initial states...
Finished computing initial states: 1 distinct state generated at 2026-11-15 23:30:33.
Progress(4) at 2026-11-15 23:30:33: 5 states generated, 4 distinct states found, 0 states left on queue.
Checking temporal properties for the complete state space with 4 total distinct states at (2026-11-15 23:30:33)
Error: Temporal properties were violated.

Error: The following behavior constitutes a counter-example:

State 1: <Initial predicate>
/\ a = 0
/\ b = 0

State 2: <A line 6, col 6 to line 6, col 34 of module M>
/\ a = 1
/\ b = 0

State 3: Stuttering
Finished checking temporal properties in 00s at 2026-11-15 23:30:33
5 states generated, 4 distinct states found, 0 states left on queue.
Finished in 00s at (2026-11-15 23:30:33)
";

const UNDEFINED: &str = r"Error: The invariant Foo specified in the configuration file
is not defined in the specification.
Finished in 00s at (2026-11-15 23:44:54)
";

#[test]
fn what_tlc_prints_is_understood() -> Result<()> {
    let counts = |generated, distinct, left| Some(Counts { generated, distinct, left });
    let outcome = |finding, counts, depth, trace| Outcome { finding, counts, depth, trace };
    let cases = [
        (NO_ERROR.to_string(), 0, outcome(Finding::NoError, counts(12, 6, 0), Some(4), None)),
        (INVARIANT.to_string(), 12, outcome(Finding::Invariant, counts(3, 3, 0), None, Some(3))),
        (INITIAL.to_string(), 12, outcome(Finding::Invariant, None, None, Some(1))),
        (ACTION.to_string(), 13, outcome(Finding::Action, counts(3, 2, 1), None, Some(2))),
        (TEMPORAL.to_string(), 13, outcome(Finding::Temporal, counts(5, 4, 0), None, Some(2))),
        (
            INVARIANT.replace("Invariant Inv is violated.", "Deadlock reached."),
            11,
            outcome(Finding::Deadlock, counts(3, 3, 0), None, Some(3)),
        ),
    ];
    for (text, code, expected) in cases {
        assert_eq!(parse(&text, Some(code))?, expected);
    }
    Ok(())
}

#[test]
fn what_is_not_understood_is_an_error() {
    let error =
        |text: &str, code| parse(text, Some(code)).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error(UNDEFINED, 151).contains("The invariant Foo"));
    assert!(error("Error: Evaluating the expression failed.", 0).contains("Evaluating"));
    assert!(error("", 0).contains("0 verdicts"));
    assert!(error(NO_ERROR, 12).contains("exits with Some(12)"));
    assert!(error(&[NO_ERROR, INVARIANT].concat(), 0).contains("2 verdicts"));
}

/// What TLC says of the counter, if we are right.
fn truth(ours: &Ours, finding: Finding) -> Outcome {
    let report = &ours.report;
    let counts = Counts { generated: report.generated, distinct: report.distinct, left: 0 };
    let trace = ours.judged.trace.as_ref().map(|trace| trace.steps.len());
    let depth = (finding == Finding::NoError).then_some(report.depth);
    Outcome { finding, counts: Some(counts), depth, trace }
}

#[test]
fn every_difference_is_a_disagreement() -> Result<()> {
    let holds = counter(Claim::AlwaysEventually(Predicate::Not(Box::new(equals(0, 0)))));
    let [ours, _] = explore(&holds)?;
    assert_eq!(ours.judged.verdict, Verdict::Holds);
    let truth = truth(&ours, Finding::NoError);
    assert_eq!(differences(&holds, &ours, &truth), Vec::<String>::new());

    let wrong = |change: &dyn Fn(&mut Outcome)| {
        let mut wrong = truth.clone();
        change(&mut wrong);
        differences(&holds, &ours, &wrong).join("; ")
    };
    assert!(wrong(&|tlc| tlc.finding = Finding::Temporal).contains("verdict on always_eventually"));
    assert!(wrong(&|tlc| tlc.depth = Some(99)).contains("depth"));
    let distinct =
        |tlc: &mut Outcome| tlc.counts = tlc.counts.map(|c| Counts { distinct: c.distinct + 1, ..c });
    assert!(wrong(&distinct).contains("distinct states"));
    let generated = |tlc: &mut Outcome| tlc.counts = tlc.counts.map(|c| Counts { generated: 0, ..c });
    assert!(wrong(&generated).contains("generated states"));
    assert!(wrong(&|tlc| tlc.counts = None).contains("distinct states"));
    Ok(())
}

#[test]
fn a_longer_trace_is_a_disagreement() -> Result<()> {
    let program = counter(Claim::Always(Predicate::Not(Box::new(equals(1, 2)))));
    let [ours, _] = explore(&program)?;
    let mut tlc = truth(&ours, Finding::Invariant);
    assert_eq!(differences(&program, &ours, &tlc), Vec::<String>::new());
    tlc.trace = tlc.trace.map(|length| length - 1);
    assert!(differences(&program, &ours, &tlc).join("; ").contains("shortest trace"));
    Ok(())
}

#[test]
fn a_false_verdict_of_ours_is_noticed() -> Result<()> {
    let program = counter(Claim::EventuallyAlways(equals(0, 1)));
    let [mut ours, _] = explore(&program)?;
    assert_eq!(ours.judged.verdict, Verdict::Violated);
    let truth = truth(&ours, Finding::Temporal);
    assert_eq!(differences(&program, &ours, &truth), Vec::<String>::new());
    ours.judged.verdict = Verdict::Holds;
    ours.judged.trace = None;
    assert!(differences(&program, &ours, &truth).join("; ").contains("ours is holds, TLC's Temporal"));
    Ok(())
}

#[test]
fn a_wrong_counterexample_is_noticed() -> Result<()> {
    let program = counter(Claim::EventuallyAlways(equals(0, 1)));
    let judged = explore_simply(&program)?.judged;
    assert_eq!(witness::examine(&program, &judged), Ok(()));
    let spoiled = |change: &dyn Fn(&mut bowline_explorer::Trace)| {
        let mut judged = judged.clone();
        judged.trace.as_mut().map(change);
        witness::examine(&program, &judged).err().unwrap_or_default()
    };
    assert!(spoiled(&|trace| trace.cycle = None).contains("not go on for ever"));
    assert!(spoiled(&|trace| drop(trace.steps.remove(0))).contains("initial state"));
    assert!(spoiled(&|trace| trace.steps[1].state[0].value = "7".into()).contains("does not lead"));
    assert!(
        spoiled(&|trace| trace.cycle.iter_mut().for_each(|cycle| cycle.loops_to = 0)).contains("no state 0")
    );
    let none = bowline_explorer::Judged { trace: None, ..judged.clone() };
    assert!(witness::examine(&program, &none).is_err());
    let other = counter(Claim::EventuallyAlways(Predicate::True));
    assert!(witness::examine(&other, &judged).err().unwrap_or_default().contains("does not show"));
    Ok(())
}

#[test]
fn an_unfair_counterexample_is_noticed() -> Result<()> {
    let claim = Claim::Eventually(equals(0, 1));
    let unfair = Program { fairness: Vec::new(), ..counter(claim.clone()) };
    let judged = explore_simply(&unfair)?.judged;
    assert_eq!(judged.verdict, Verdict::Violated);
    assert_eq!(witness::examine(&unfair, &judged), Ok(()));
    let wrong = witness::examine(&counter(claim), &judged).err().unwrap_or_default();
    assert!(wrong.contains("not fair"), "{wrong}");
    Ok(())
}

#[test]
fn a_model_in_trouble_is_made_small() {
    let program = counter(Claim::Always(Predicate::Any(vec![equals(0, 1), equals(1, 2)])));
    let sets_b = |program: &Program| {
        let commands = program.actions.iter().flat_map(|action| &action.commands);
        commands.flat_map(|command| &command.effects).any(|effect| *effect == Effect::Chosen)
    };
    let small = shrink(&program, usize::MAX, sets_b);
    assert_eq!(small.init.len(), 1);
    assert!(small.fairness.is_empty());
    assert_eq!(small.claim, Claim::Always(equals(0, 1)));
    let [Action { commands }] = &small.actions[..] else { panic!("{} actions", small.actions.len()) };
    let chosen =
        Command { guard: Predicate::True, choice: vec![0, 2], effects: vec![Effect::Keep, Effect::Chosen] };
    assert_eq!(*commands, vec![chosen]);
}

#[test]
fn dropping_an_action_keeps_fairness_on_the_others() {
    let program = counter(Claim::NoDeadlock);
    let small = shrink(&program, 1, |_| true);
    assert_eq!(small.actions[..], program.actions[1..]);
    assert_eq!(small.fairness, vec![vec![0]]);
}

#[test]
fn no_more_is_asked_than_allowed() {
    let asked = Cell::new(0);
    shrink(&counter(Claim::NoDeadlock), 3, |_| {
        asked.set(asked.get() + 1);
        false
    });
    assert_eq!(asked.get(), 3);
}

#[test]
fn one_sided_runs_are_refused() {
    let mut tally = Tally::default();
    for _ in 0..40 {
        for kind in super::draw::KINDS {
            tally.count(kind, Verdict::Holds, 10);
            let verdict = if kind == Kind::Deadlock { Verdict::Holds } else { Verdict::Violated };
            tally.count(kind, verdict, 10);
        }
    }
    let error = tally.is_healthy().err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("only 0 of 640") && error.contains("deadlock claim that is violated"), "{error}");
}
