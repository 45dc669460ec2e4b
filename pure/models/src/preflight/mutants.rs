//! Hubs that do one thing wrong, and the claim that each breaks.

use bowline_control::{Decision, Effect, Moment, Write};
use bowline_explorer::{Kind, Model, Options, Verdict, check};
use bowline_upgrades::{Command, Object, Phase, Refusal, Status, Step, Verb, Wait};

use super::few::Few;
use super::shape::{Answer, Decided, Done, SHAPE, Shape, Shown};
use super::town::Town;
use super::{Preflight, Storm};

fn plan(town: &Town, crashes: u8, shape: Shape) -> Preflight {
    let storm = Storm { crashes, returns: false, rollbacks: 0 };
    Preflight::with(&town.snapshot(), "v2", storm, shape).expect("a plan")
}

fn mutants() -> Vec<(&'static str, Preflight)> {
    let pair = Town::new(2);
    let three = pair.clone().partitions(1, 3);
    let three = Town { nodes: 3, ..three };
    let of = |effect| Shape { effect, ..SHAPE };
    let lets_go =
        Shape { decide: |s, now| (SHAPE.decide)(&let_go(s), now), effect: gives_without_waiting, ..SHAPE };
    let interrupts = Shape {
        decide: |s, now| (SHAPE.decide)(&may_interrupt(s), now),
        effect: |s, step, now| (SHAPE.effect)(&may_interrupt(s), step, now),
        ..SHAPE
    };
    vec![
        ("OneMaster", plan(&pair, 0, lets_go)),
        ("KeepsQuorum", plan(&three, 0, interrupts)),
        ("KeepsServing", plan(&pair, 0, interrupts)),
        ("Mastered", plan(&pair, 0, Shape { decide: never_gives, ..SHAPE })),
        ("AtMostTwoVersions", plan(&pair, 0, of(ends_at_once))),
        ("SwitchesOnlyIfItCan", plan(&pair, 0, of(serves_at_once))),
        ("CrashRollsBack", plan(&pair, 1, of(goes_on_in_any_case))),
        ("CommitsWhenAllAreThere", plan(&pair, 0, of(ends_at_once))),
        ("NoTrap", plan(&pair, 0, Shape { would: never_goes_back, ..SHAPE })),
        ("ComesToRest", plan(&pair, 0, Shape { decide: never_rests, ..SHAPE })),
    ]
}

#[test]
fn every_mutant_is_caught_by_the_claim_that_it_breaks() {
    for (claim, mutant) in mutants() {
        let claims = [claim.to_owned()];
        let report = check(&mutant, &Options { properties: Some(&claims), ..Options::default() });
        assert_eq!(report.map(|report| report.verdicts[0].verdict), Ok(Verdict::Violated), "{claim}");
    }
}

#[test]
fn every_claim_has_a_mutant() {
    let (mutants, shipped) = (mutants(), plan(&Town::new(2), 0, SHAPE));
    for claim in shipped.properties().iter().filter(|claim| claim.kind() != Kind::Sometimes) {
        assert!(mutants.iter().any(|(breaks, _)| *breaks == claim.name()), "nothing breaks {}", claim.name());
    }
}

/// Everybody seems to have let go of everything.
fn let_go(shown: &Shown) -> Shown {
    let mut shown = shown.clone();
    for member in shown.members.values_mut() {
        let generation = member.generation;
        if let Some(report) = &mut member.report {
            report.devices.clear();
            report.observed = generation;
        }
    }
    shown
}

fn gives_without_waiting(shown: &Shown, step: &Step<Few>, now: Moment) -> Done {
    (SHAPE.effect)(&let_go(shown), step, now)
}

fn may_interrupt(shown: &Shown) -> Shown {
    let mut shown = shown.clone();
    if let Some(group) = &mut shown.group {
        group.wish.interrupts = true;
    }
    shown
}

/// The effect as it is shipped, with another status.
fn recorded(
    shown: &Shown,
    step: &Step<Few>,
    now: Moment,
    change: impl FnOnce(&Status<Few>, &mut Status<Few>),
) -> Done {
    match (SHAPE.effect)(shown, step, now) {
        Effect::Write(Write::Status { before: Object::Group(before), after: Object::Group(mut after) }) => {
            change(&before.status, &mut after.status);
            Effect::Write(Write::Status { before: Object::Group(before), after: Object::Group(after) })
        }
        other => other,
    }
}

fn ends_at_once(shown: &Shown, step: &Step<Few>, now: Moment) -> Done {
    recorded(shown, step, now, |_, after| {
        if *step == Step::Run {
            (after.phase, after.pair) = (Phase::Inactive, None);
        }
    })
}

fn serves_at_once(shown: &Shown, step: &Step<Few>, now: Moment) -> Done {
    recorded(shown, step, now, |_, after| {
        if *step == Step::Initialize {
            (after.phase, after.serving) = (Phase::Upgraded, after.pair.as_ref().map(|pair| pair.new));
        }
    })
}

fn goes_on_in_any_case(shown: &Shown, step: &Step<Few>, now: Moment) -> Done {
    recorded(shown, step, now, |before, after| {
        if matches!(step, Step::Lose(_) | Step::Crash(_)) {
            (after.phase, after.serving) = (before.phase, before.serving);
        }
    })
}

fn never_gives(shown: &Shown, now: Moment) -> Decided {
    match (SHAPE.decide)(shown, now) {
        Decision::Do(Step::Give) => Decision::Wait { what: Wait::Master, until: None },
        other => other,
    }
}

fn never_goes_back(shown: &Shown, command: &Command<Few>) -> Answer {
    match command.verb {
        Verb::Rollback => Err(Refusal::Begun),
        _ => (SHAPE.would)(shown, command),
    }
}

/// What failed is pardoned again and again.
fn never_rests(shown: &Shown, now: Moment) -> Decided {
    match (SHAPE.decide)(shown, now) {
        Decision::Wait { .. } => Decision::Do(Step::Pardon),
        other => other,
    }
}
