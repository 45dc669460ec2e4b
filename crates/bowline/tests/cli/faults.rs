//! `--faults`: one run with budgets, and several runs with a table of what was hit.

use std::fs;

use serde_json::json;

use super::{folder, run};

#[test]
fn a_run_with_budgets_says_them_everywhere() {
    let ran = run("check control --faults lost-reply=1,crash=1 -o wide").exits(0);
    let ran = ran.says("bound=0 with crash=1,lost-reply=1 (exact states)").says("52,414 distinct states");
    let ran = ran.says("FAULT       look  report").says("every fault has hit every effect");
    assert!(!ran.stdout.contains("\ndrift "), "what cannot happen is not in the table:\n{}", ran.stdout);
    let short = run("check control --faults crash=1").exits(0).says("3,484 distinct states");
    assert!(!short.stdout.contains("FAULT"), "{}", short.stdout);

    let json = run("check control --faults crash=1 -o json").exits(0).json();
    assert_eq!(json["faults"], json!({"crash": 1}));
    assert_eq!(json["distinct"], 3_484);
    assert_eq!(json["coverage"]["complete"], true);
    let none = run("check control -o json").exits(0).json();
    assert_eq!((&none["faults"], &none["coverage"]), (&json!({}), &json!(null)));
}

#[test]
fn budgets_go_together_with_all_other_options() {
    let options = "--size edits=0 --property Converges --threads 2 --max-states 500 -o json";
    let json = run(&format!("check control --faults drift=1 {options}")).exits(3).json();
    assert_eq!((&json["faults"], &json["size"]["edits"]), (&json!({"drift": 1}), &json!(0)));
    assert_eq!(json["incomplete"], "max-states");
    let walks = "--walks 20 --walk-steps 50 --seed 7 --property LeftFirst";
    run(&format!("check control --faults crash=1,drift=1 {walks}"))
        .exits(3)
        .says("with crash=1,drift=1 (random walks)");
}

#[test]
fn traces_say_what_went_wrong() {
    let folder = folder("faults");
    let of = |form: &str| {
        let file = folder.join(format!("why.{form}"));
        let property = "--property Complete --trace";
        run(&format!("check control --faults crash=1 {property} {}", file.display())).exits(0);
        fs::read_to_string(file).expect("the trace")
    };
    assert!(of("txt").starts_with("control instances=1,"), "{}", of("txt"));
    assert!(of("txt").contains("bound=0 with crash=1\n"), "{}", of("txt"));
    assert!(of("svg").contains("bound=0 with crash=1 · "), "{}", of("svg"));
    let json: serde_json::Value = serde_json::from_str(&of("json")).expect("a document");
    assert_eq!(json["faults"], json!({"crash": 1}));
}

#[test]
fn singles_are_a_line_a_run_and_a_table_of_what_was_hit() {
    let ran = run("check control --faults singles").exits(0).says("every kind of fault alone: 8 runs");
    for (faults, states) in [("crash=1", "3,484"), ("clock=1", "4,803")] {
        let is_line = |line: &&str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words.starts_with(&[faults, states]) && line.ends_with("all hold")
        };
        assert_eq!(ran.stdout.lines().filter(is_line).count(), 1, "{}", ran.stdout);
    }
    let ran = ran.says("FAULT         look  report").says("every fault has hit every effect");
    let ran = ran.says("8 runs: nothing is violated");
    assert_eq!(ran.stderr, "");
}

#[test]
fn the_document_of_several_runs_has_a_document_a_run() {
    let json =
        run("check control --size lag=1,edits=0 --faults pairs --property none -o json").exits(0).json();
    let mut keys: Vec<&String> = json.as_object().into_iter().flat_map(|object| object.keys()).collect();
    keys.sort();
    assert_eq!(keys, ["complete", "coverage", "model", "runs", "size"]);
    let runs = json["runs"].as_array().expect("a list");
    assert_eq!(runs.len(), 36);
    assert_eq!(runs[0]["faults"], json!({"crash": 2}));
    assert_eq!(runs[1]["faults"], json!({"crash": 1, "conflict": 1}));
    assert!(runs.iter().all(|run| run["complete"] == true && run["model"] == "control"));
    let hits = json["coverage"]["hits"].as_object().expect("an object");
    assert_eq!(hits.len(), 8);
    // Nobody edits a pair, so its halves are mended only after somebody spoiled them.
    let drift = hits["drift"].as_array().expect("a list");
    assert!(drift.contains(&json!("make left")), "{drift:?}");
}

#[test]
fn a_budget_that_is_used_up_is_told_for_each_run() {
    let ran = run("check control --faults singles --max-states 12000").exits(3);
    let ran = ran.says("INCOMPLETE (max-states)").says("all hold");
    ran.says("INCOMPLETE: 3 runs did not see everything; the budget of 12,000 states is used up");
}

#[test]
fn what_makes_no_sense_is_refused_with_what_there_is() {
    let ran = run("check control --faults crsh=1").exits(2);
    ran.notes("`control` has no fault kind `crsh`; did you mean `crash`?\n  there are: crash, conflict, ");
    let ran = run("check control --faults single").exits(2).notes("did you mean `singles`?");
    ran.notes("for example: --faults crash=1,conflict=1; or --faults singles, or --faults pairs");
    run("check control --faults crash=4").exits(2).notes("`crash` takes a number from 0 to 3, not `4`");
    let ran = run("check control --faults singles --walks 10").exits(2);
    ran.notes("leave out --walks, or give budgets, such as --faults crash=1");
}
