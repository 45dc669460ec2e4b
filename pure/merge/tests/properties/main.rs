//! What holds for all schemas and objects, as far as many of them at random can tell. Each property is also put to
//! an implementation that is wrong in one way, and has to find it.

mod arbitrary;
mod differ;
mod rules;

use std::fmt::Debug;

use arbitrary::{Json, Spec};
use bowline_merge::fields::FieldSet;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseError, TestRng, TestRunner};
use rules::{Mutant, Ours, Rules};
use serde_json::{Value, json};

type Held = Result<(), String>;

/// The same cases in every run: a failure is one for everybody.
fn for_all<S: Strategy>(cases: u32, strategy: S, holds: impl Fn(S::Value) -> Held) -> Held
where
    S::Value: Debug,
{
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 2000, ..Config::default() };
    let rng = TestRng::deterministic_rng(config.rng_algorithm);
    TestRunner::new_with_rng(config, rng)
        .run(&strategy, |value| holds(value).map_err(TestCaseError::fail))
        .map_err(|error| error.to_string())
}

/// The property holds, and is not so weak that this mutant would keep it.
fn check(mutant: Mutant, property: fn(&dyn Rules) -> Held) {
    if let Err(why) = property(&Ours) {
        panic!("{why}");
    }
    assert!(property(&mutant).is_err(), "{mutant:?} was not found");
}

fn ensure(holds: bool, why: impl Fn() -> String) -> Held {
    if holds { Ok(()) } else { Err(why()) }
}

const CASES: u32 = 400;

#[test]
fn applying_twice_is_applying_once() {
    check(Mutant::AlwaysNow, |rules| {
        for_all(CASES, arbitrary::configs(), |(Spec(_, schema), [Json(one), Json(two), _])| {
            let Ok(live) = rules.apply(&schema, None, &one, "one", 1, false) else { return Ok(()) };
            let Ok(live) = rules.apply(&schema, Some(&live), &two, "two", 2, true) else { return Ok(()) };
            let again = rules.apply(&schema, Some(&live), &two, "two", 3, false)?;
            ensure(again == live, || format!("{live}\nbecame\n{again}"))
        })
    });
}

#[test]
fn what_is_applied_is_there_and_is_owned() {
    check(Mutant::IgnoresLists, |rules| {
        for_all(CASES, arbitrary::configs(), |(Spec(_, schema), [Json(one), Json(two), Json(other)])| {
            let Ok(live) = rules.apply(&schema, None, &one, "one", 1, false) else { return Ok(()) };
            let live = rules.update(&schema, Some(&live), &two, "up", 2);
            let live = rules.apply(&schema, Some(&live), &other, "two", 3, true)?;
            ensure(rules::holds(&schema, &live, &other), || format!("{other}\nis not in\n{live}"))?;
            let missing = rules::collected(&other).difference(&rules::owned(&live, "two"));
            ensure(missing.is_empty(), || format!("not owned: {:?}", missing.paths()))
        })
    });
}

#[test]
fn managers_commute_where_they_do_not_conflict() {
    check(Mutant::LastOneOwnsAll, |rules| {
        for_all(CASES, arbitrary::configs(), |(Spec(_, schema), [Json(one), Json(two), _])| {
            let both = |first: &Value, name: &str, second: &Value, other: &str| {
                let live = rules.apply(&schema, None, first, name, 1, false).ok()?;
                Some(rules.apply(&schema, Some(&live), second, other, 1, false))
            };
            let (Some(left), Some(right)) = (both(&one, "one", &two, "two"), both(&two, "two", &one, "one"))
            else {
                return Ok(());
            };
            match (left, right) {
                (Ok(left), Ok(right)) => {
                    let (left, right) = (rules::unordered(&left), rules::unordered(&right));
                    ensure(left == right, || format!("{left}\nand\n{right}"))
                }
                (Err(_), Err(_)) => Ok(()),
                (left, right) => Err(format!("only one order conflicts: {left:?} {right:?}")),
            }
        })
    });
}

#[test]
fn what_was_taken_by_force_conflicts_when_it_is_applied_again() {
    check(Mutant::AlwaysForces, |rules| {
        for_all(CASES, arbitrary::configs(), |(Spec(_, schema), [Json(one), Json(two), _])| {
            let Ok(live) = rules.apply(&schema, None, &one, "one", 1, false) else { return Ok(()) };
            let conflicts = rules.conflicts(&schema, &live, &two, "two");
            let live = rules.apply(&schema, Some(&live), &two, "two", 2, true)?;
            if !conflicts {
                return Ok(());
            }
            ensure(rules.apply(&schema, Some(&live), &one, "one", 3, false).is_err(), || format!("{live}"))
        })
    });
}

#[test]
fn who_applies_nothing_leaves_nothing() {
    check(Mutant::NeverRemoves, |rules| {
        for_all(CASES, arbitrary::configs(), |(Spec(_, schema), [Json(one), ..])| {
            let Ok(live) = rules.apply(&schema, None, &one, "one", 1, false) else { return Ok(()) };
            let nothing = rules::config(&json!({}));
            let mut left = rules.apply(&schema, Some(&live), &nothing, "one", 2, false)?;
            rules.prune(&schema, &mut left);
            // An empty list of items is nobody's: there is no item in it to own.
            ensure(left.get("spec").is_none_or(rules::is_hollow), || format!("left of {live}:\n{left}"))
        })
    });
}

#[test]
fn a_write_that_changes_nothing_is_not_noted() {
    check(Mutant::NotesEverything, |rules| {
        for_all(CASES, arbitrary::configs(), |(Spec(_, schema), [Json(one), Json(two), _])| {
            let Ok(live) = rules.apply(&schema, None, &one, "one", 1, false) else { return Ok(()) };
            let live = rules.update(&schema, Some(&live), &two, "up", 2);
            let again = rules.update(&schema, Some(&live), &two, "other", 3);
            ensure(again == live, || format!("{live}\nbecame\n{again}"))
        })
    });
}

#[test]
fn pruning_drops_what_is_strange_and_nothing_else() {
    check(Mutant::PrunesShallowly, |rules| {
        for_all(CASES, arbitrary::strange(), |(Spec(_, schema), Json(good), Json(strange), count)| {
            let mut pruned = strange.clone();
            let unknown = rules.prune(&schema, &mut pruned);
            ensure(pruned == good, || format!("{strange}\nbecame\n{pruned}\nnot\n{good}"))?;
            ensure(unknown.len() == count, || format!("{count} in {strange}, but {unknown:?}"))?;
            ensure(rules.prune(&schema, &mut pruned).is_empty() && pruned == good, || "not twice".to_owned())
        })
    });
}

#[test]
fn defaulting_is_done_once_and_keeps_what_is_valid_valid() {
    check(Mutant::CountsDefaults, |rules| {
        for_all(CASES, arbitrary::objects(), |(Spec(_, schema), Json(object))| {
            ensure(schema.validate(&object).is_empty(), || {
                format!("not valid: {:?}", schema.validate(&object))
            })?;
            let mut once = object.clone();
            rules.default(&schema, &mut once);
            ensure(schema.validate(&once).is_empty(), || format!("{:?}", schema.validate(&once)))?;
            let mut twice = once.clone();
            rules.default(&schema, &mut twice);
            ensure(once == twice, || format!("{once}\nbecame\n{twice}"))
        })
    });
}

#[test]
fn field_sets_survive_the_wire() {
    check(Mutant::ForgetsDots, |rules| {
        for_all(CASES, arbitrary::set(), |set| {
            let back = FieldSet::from_json(&rules.encode(&set)).map_err(|error| error.to_string())?;
            ensure(back == set, || format!("{:?}\nbecame\n{:?}", set.paths(), back.paths()))
        })
    });
}

#[test]
fn field_sets_are_sets() {
    check(Mutant::DifferenceIsRecursive, |rules| {
        for_all(CASES, (arbitrary::set(), arbitrary::set()), |(left, right)| {
            let (both, rest) = (left.intersection(&right), rules.difference(&left, &right));
            ensure(rest.union(&both) == left, || "the parts are the whole".to_owned())?;
            ensure(rest.intersection(&right).is_empty(), || "nothing is left of the other".to_owned())?;
            ensure(left.union(&right) == right.union(&left), || "the union has no order".to_owned())?;
            ensure(both == right.intersection(&left), || "nor has the intersection".to_owned())?;
            ensure(left.union(&left) == left && left.intersection(&left) == left, || {
                "once is enough".to_owned()
            })?;
            let below = left.recursive_difference(&right);
            ensure(below.difference(&rest).is_empty(), || "recursive takes more".to_owned())?;
            ensure(left.leaves().leaves() == left.leaves(), || "leaves are leaves".to_owned())?;
            ensure(left.leaves().difference(&left).is_empty(), || "leaves are there".to_owned())
        })
    });
}

#[test]
fn a_patch_of_the_difference_makes_the_target() {
    check(Mutant::ForgetsOrder, |rules| {
        let schema = differ::schema();
        for_all(CASES, (differ::object(), differ::object()), |(from, to)| {
            let patch = differ::diff(&from, &to);
            let made = rules.patch(&schema, &from, &patch)?;
            ensure(made == to, || format!("{from}\nby\n{patch}\nbecame\n{made}\nnot\n{to}"))
        })
    });
}
