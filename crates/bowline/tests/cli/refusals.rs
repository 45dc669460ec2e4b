//! Bad usage: exit code 2, and a message that says what there is.

use super::{folder, run};

#[test]
fn an_unknown_model_is_refused_with_the_models_there_are() {
    let ran = run("check seed/irs").exits(2).notes("seed/update-cluster").notes("seed/kcp-storage");
    ran.notes("tip: a similar value exists: 'seed/irsa'");
}

#[test]
fn bad_sizes_are_refused_with_the_keys_there_are() {
    let ran = run("check seed/update-cluster --size worker=2").exits(2);
    ran.notes("no size key `worker`; did you mean `workers`?").notes("there are: requests, workers");
    run("check seed/update-cluster --size workers=99").exits(2).notes("`workers` takes a number from 1 to");
    run("check seed/complete-issu --size fair=maybe")
        .exits(2)
        .notes("`fair` takes true or false, not `maybe`");
    let ran = run("check seed/update-cluster --size workers").exits(2);
    ran.notes("not of the form key=value").notes("for example: --size requests=2,workers=2");
    run("check seed/update-cluster --size workers=1,workers=2").exits(2).notes("`workers` is given twice");
}

#[test]
fn an_unknown_property_is_refused_with_the_properties_there_are() {
    let ran = run("check seed/kcp-storage --property UsableByAtMostTwo").exits(2);
    ran.notes("did you mean `UsableByAtMostOne`?").notes("there are: ").notes("none");
    let ran = run("check seed/kcp-storage --property none --property UsableByAtMostOne").exits(2);
    ran.notes("--property none only counts states");
}

#[test]
fn faults_are_refused_where_the_model_has_none() {
    for spec in ["crash=1", "singles", "pairs", "crash=1,lost-reply=1"] {
        run(&format!("check seed/irsa --faults {spec}"))
            .exits(2)
            .notes("`seed/irsa` has no fault kind")
            .notes("none");
    }
}

#[test]
fn symmetry_is_refused_with_liveness_and_where_there_is_none() {
    let ran = run("check seed/irsa --symmetry").exits(2).notes("--symmetry does not preserve liveness");
    ran.notes("name safety properties with --property: ");
    let ran = run("check seed/complete-issu --symmetry --property none").exits(2);
    ran.notes("this model has no symmetry to use: leave out --symmetry");
}

#[test]
fn trace_files_that_cannot_be_are_refused_before_the_run() {
    let ran = run("check seed/irsa --trace why.png").exits(2);
    ran.notes(".txt, .json or .svg");
    let folder = folder("refusals");
    let missing = folder.join("missing/why.svg");
    let ran = run(&format!("check seed/irsa --trace {}", missing.display()))
        .exits(2)
        .notes("there is no directory");
    assert_eq!(ran.stdout, "");
}

#[test]
fn values_out_of_range_are_refused() {
    for arguments in
        ["--threads 0", "--threads many", "--max-states 0", "--max-memory lots", "--walks 0", "-o xml"]
    {
        run(&format!("check seed/irsa {arguments}")).exits(2).notes("error: invalid value");
    }
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    for arguments in [
        "",
        "--list --expected",
        "--list --size a=1",
        "--expected --property P",
        "seed/irsa --seed 1",
        "--bogus",
    ] {
        let ran = run(&format!("check {arguments}")).exits(2).notes("error: ");
        assert_eq!(ran.stdout, "");
    }
    run("").exits(2);
    run("chekc").exits(2).notes("check");
}
