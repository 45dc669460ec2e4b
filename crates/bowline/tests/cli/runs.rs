//! Runs, their verdicts and their exit codes.

use super::{bowline, run};

#[test]
fn a_seed_has_the_counts_that_tlc_gives() {
    let ran = run("check seed/update-cluster --size requests=2,workers=2").exits(1);
    let ran =
        ran.says("1,024 distinct states, 2,982 generated, depth 16").says("exact states").says("states/s");
    let ran = ran.says("Deadlock is violated: 9 states").says("no action is possible here");
    assert_eq!(ran.stderr, "", "stderr is no terminal: no progress");
}

#[test]
fn a_large_seed_is_explored() {
    let json = run("check seed/update-cluster --size requests=4,workers=8 --property TypeInvariants -o json");
    let json = json.exits(0).json();
    assert_eq!(json["complete"], true);
    assert_eq!(json["distinct"], 1_111_594);
    assert_eq!(json["generated"], 5_442_018);
    assert_eq!(json["depth"], 22);
}

#[test]
fn threads_and_storage_change_nothing_but_the_cost() {
    let of = |options: &str| {
        let json = run(&format!("check seed/irsa --size workers=2 -o json {options}")).json();
        ["distinct", "generated", "depth", "properties"].map(|key| json[key].clone())
    };
    let one = of("--threads 1");
    assert_eq!(one[0], 7053);
    assert_eq!(of("--threads 2"), one);
    assert_eq!(of("--threads 3 --fingerprint"), one);
    run("check seed/irsa --fingerprint").says("128-bit fingerprints").says("collision probability at most");
}

#[test]
fn symmetry_visits_fewer_states_and_gives_the_same_verdict() {
    let ran =
        run("check seed/kcp-storage --size clusters=3 --symmetry --property UsableByAtMostOne").exits(1);
    let ran = ran.says("one of each symmetric set").says("UsableByAtMostOne  always  violated  6 states");
    assert!(!ran.stdout.contains("128 distinct states"), "{}", ran.stdout);
}

#[test]
fn of_many_violations_one_is_shown_and_the_way_to_the_others() {
    let ran = run("check seed/update-cluster").exits(1).says("also violated: NoPartialUpdateTermination, ");
    assert_eq!(ran.stdout.matches(" is violated: ").count(), 1, "{}", ran.stdout);
    let again =
        ran.stdout.lines().find_map(|line| line.trim().strip_prefix("for a counterexample: bowline "));
    run(again.expect("a command")).exits(1).says("NoPartialUpdateTermination is violated: ");
}

#[test]
fn properties_can_be_named() {
    let ran = run("check seed/kcp-storage --size clusters=3 --property UsableByAtMostOne");
    ran.exits(1).says("UsableByAtMostOne  always  violated  6 states").says("128 distinct states");
    run("check seed/update-cluster --property TypeInvariants").exits(0).says("holds");
    let ran = run("check seed/update-cluster --property none").exits(0).says("1,024 distinct states");
    assert!(!ran.stdout.contains("PROPERTY"), "{}", ran.stdout);
    let both = run("check seed/update-cluster --property Deadlock --property LockHasHolder").exits(1);
    both.says("Deadlock is violated: 9 states").says("LockHasHolder is violated: 7 states");
}

#[test]
fn a_lasso_is_drawn_as_stem_and_cycle() {
    let ran = run("check seed/update-cluster --property NoPartialUpdateTermination").exits(1);
    ran.says("loops to").says("  ┌→ ").says("  │  ").says("  └─ then for ever: back to state ");
    let ran = run("check seed/update-cluster --property LockFreedInfinitelyOften").exits(1);
    ran.says("then for ever: nothing happens any more (stutters for ever)");
}

#[test]
fn a_budget_of_states_makes_the_run_incomplete() {
    let arguments = "check seed/update-cluster --size requests=4,workers=8 --property TypeInvariants";
    let ran = run(&format!("{arguments} --max-states 1000")).exits(3);
    ran.says("INCOMPLETE: the budget of 1,000 states is used up; raise --max-states").says("unknown");
    let json = run(&format!("{arguments} --max-states 1000 -o json")).exits(3).json();
    assert_eq!((&json["complete"], &json["incomplete"]), (&false.into(), &"max-states".into()));
    assert_eq!(json["properties"][0]["verdict"], "unknown");
}

#[test]
fn a_budget_of_memory_makes_the_run_incomplete() {
    let arguments = "check seed/update-cluster --size requests=4,workers=8 --property TypeInvariants";
    run(&format!("{arguments} --max-memory 1MB"))
        .exits(3)
        .says("INCOMPLETE: the budget of ")
        .says("--max-memory");
}

#[test]
fn what_is_violated_counts_more_than_what_is_incomplete() {
    let ran = run("check seed/update-cluster --size requests=4,workers=8 --max-states 30000");
    ran.exits(1).says("INCOMPLETE").says("violated");
}

#[test]
fn walks_are_incomplete_and_can_be_repeated() {
    let arguments =
        "check seed/update-cluster --size requests=4,workers=8 --property TypeInvariants --walks 50";
    let json = |arguments: &str| {
        let mut json = run(&format!("{arguments} -o json")).exits(3).json();
        json["seconds"] = 0.into();
        json
    };
    let first = json(arguments);
    assert_eq!((&first["incomplete"], &first["walks"]), (&"walks".into(), &50.into()));
    let seed = first["seed"].as_u64().expect("a seed is printed");
    assert_eq!(json(&format!("{arguments} --seed {seed}")), first);
    let ran = run(&format!("{arguments} --seed 7 --walk-steps 100")).exits(3);
    ran.says("50 random walks of at most 100 steps; to repeat them: --seed 7")
        .says("50 walks done, ")
        .says(" steps/s, ")
        .says("INCOMPLETE: random walks");
}

#[test]
fn a_walk_finds_violations_too() {
    run("check seed/update-cluster --property LockHasHolder --walks 100 --seed 1")
        .exits(1)
        .says("is violated");
}

/// Of one model; that all models are as expected is seen where README's commands are run.
#[test]
fn a_model_is_as_expected() {
    let ran = run("check seed/update-cluster --expected").exits(0).says("5 runs: all as expected");
    let line = |line: &str| line.starts_with("ok") && line.contains("requests=2,workers=2");
    let line = ran.stdout.lines().find(|it| line(it)).expect("a line a run");
    assert!(line.contains("1,024 distinct, 2,982 generated, depth 16"), "{line}");
    let json = run("check seed/update-cluster --expected --threads 1 -o json").exits(0).json();
    assert_eq!((&json["as_expected"], &json["complete"]), (&true.into(), &true.into()));
    assert_eq!(json["runs"][0]["differences"], serde_json::json!([]));
    assert_eq!(json["runs"][0]["size"], serde_json::json!({"requests": 1, "workers": 1}));
}

#[test]
fn colours_are_for_terminals_and_can_be_switched_off() {
    let coloured = |variables: &[(&str, &str)]| {
        let variables = variables.iter().copied();
        let output = bowline().args(["check", "seed/kcp-storage"]).envs(variables).output();
        output.expect("the binary starts").stdout.contains(&0x1b)
    };
    assert!(!coloured(&[]));
    assert!(coloured(&[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
}

#[test]
fn quiet_keeps_the_results() {
    let ran = run("check seed/kcp-storage --quiet --property none").exits(0).says("36 distinct states");
    assert_eq!(ran.stderr, "");
}
