//! Bad usage: exit code 2, and a message that says what there is.

use std::process::Command;

use super::{Ran, bowline, folder, run};

#[test]
fn an_unknown_model_is_refused_with_the_models_there_are() {
    let ran = run("check seed/irs").exits(2).notes("seed/update-cluster").notes("seed/kcp-storage");
    ran.notes("no model is called `seed/irs`; did you mean `seed/irsa`?");
    run("check irsa").exits(2).notes("no model is called `irsa`; did you mean `seed/irsa`?\n  there are: ");
    // Help and completion know the names all the same.
    run("check --help").exits(0).says("seed/irsa");
    run("completion bash").exits(0).says("seed/irsa");
}

#[test]
fn bad_sizes_are_refused_with_the_keys_there_are() {
    let ran = run("check seed/update-cluster --size worker=2").exits(2);
    ran.notes("no size key `worker`; did you mean `workers`?").notes("there are: requests, workers");
    let ran = run("check seed/update-cluster --size workers=99").exits(2);
    ran.notes("`workers` takes a number from 1 to 8 (the state has fixed capacity), not `99`");
    run("check seed/complete-issu --size fair=maybe")
        .exits(2)
        .notes("`fair` takes true or false, not `maybe`");
    let ran = run("check seed/update-cluster --size workers").exits(2);
    ran.notes("not of the form key=value").notes("for example: --size requests=2,workers=2");
    run("check seed/update-cluster --size workers=1,workers=2").exits(2).notes("`workers` is given twice");
    let ran = run("check seed/update-cluster --size workers=2,").exits(2);
    ran.notes("there is a comma too many in `workers=2,`").notes("for example: --size requests=2,workers=2");
    run("check seed/update-cluster --size workers=+2").exits(2).notes("`workers` takes a number from 1 to");
}

#[test]
fn a_hub_says_what_it_takes() {
    for address in ["localhost:7443", "127.0.0.1", "7443"] {
        run(&format!("hub --listen {address}")).exits(2).notes("for example 127.0.0.1:7443 or [::1]:7443");
    }
    for name in ["a_b", "a..b", "https://hub"] {
        run(&format!("hub --name {name}")).exits(2).notes("for example hub.example.org or 10.0.0.1");
    }
}

#[test]
fn settings_of_aws_that_make_no_sense_are_named_before_anything_is_started() {
    let arn = "arn:aws:iam::123456789012:oidc-provider/oidc.example/id/X";
    for command in ["up", "controllers"] {
        for (options, named) in [
            ("--aws-endpoint http://127.0.0.1:1".to_owned(), "--oidc-provider-arn"),
            ("--identity-cluster-name demo".to_owned(), "--oidc-provider-arn"),
            (format!("--oidc-provider-arn {arn}"), "--identity-cluster-name"),
            (
                "--identity-cluster-name demo --oidc-provider-arn x".to_owned(),
                "`x` is no ARN of an OIDC provider",
            ),
            (
                format!("--identity-cluster-name demo --oidc-provider-arn {arn} --oidc-issuer https://other"),
                "which is https://oidc.example/id/X",
            ),
            ("--identity-drift-interval 0s".to_owned(), "at least one second"),
            ("--aws-calls-at-once 0".to_owned(), "0 is not in 1..=256"),
            ("--aws-calls-at-once 257".to_owned(), "257 is not in 1..=256"),
            ("--aws-calls-per-second 0".to_owned(), "0 is not in 1..=100000"),
            ("--aws-calls-per-second many".to_owned(), "--aws-calls-per-second"),
            (
                format!("--identity-cluster-name demo --oidc-provider-arn {arn} --identity-sweeps 2h,1h"),
                "each is longer than the one before",
            ),
        ] {
            run(&format!("{command} {options}")).exits(2).notes(named);
        }
    }
}

#[test]
fn a_hub_that_cannot_start_says_why_once() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("it has one");
    let data = folder("hub").join("data");
    for command in ["hub", "up"] {
        let ran = run(&format!("{command} --data {} --listen {address}", data.display())).exits(1);
        let why = format!("error: cannot listen on {address}: Address already in use (os error 98). ");
        ran.notes(&(why + "Another address is chosen by --listen\n"));
    }
}

#[test]
fn a_hub_whose_directory_cannot_be_used_says_how_to_choose_another() {
    for command in ["hub", "up"] {
        // Nobody can make a directory there, whoever it is.
        let ran = run(&format!("{command} --data /proc/bowline --listen 127.0.0.1:0")).exits(1);
        ran.notes("error: /proc/bowline: ").notes(". Another directory is chosen by --data\n");
    }
}

#[test]
fn an_option_without_a_value_is_refused() {
    for option in ["--size", "--faults"] {
        for value in ["", " "] {
            let output = bowline().args(["check", "seed/irsa", option, value]).output();
            let ran = Ran::new(&output.expect("the binary starts")).exits(2);
            ran.notes(&format!("error: {option}: nothing is given; leave out {option} for the defaults"));
        }
    }
}

#[test]
fn walks_that_could_judge_nothing_are_refused() {
    let ran = run("check seed/irsa --property EventuallyQuiet --walks 10").exits(2);
    ran.notes("--walks judge properties of states and steps only").notes("TypeOk");
    run("check seed/irsa --property EventuallyQuiet --property TypeOk --walks 10").exits(3);
}

#[test]
#[cfg(target_os = "linux")]
fn threads_that_do_not_start_are_refused() {
    // Each needs room for its stack. The shell takes the limit on, and then becomes the binary. Stacks are large, so that when there
    // is no room for one, there is for all else.
    let limited = "ulimit -v 400000 && RUST_MIN_STACK=33554432 exec \"$0\" check seed/irsa --threads 256";
    let output = Command::new("sh").args(["-c", limited, env!("CARGO_BIN_EXE_bowline")]).output();
    let ran = Ran::new(&output.expect("sh")).exits(2);
    assert_eq!(ran.stderr, "error: cannot start 256 threads; lower --threads\n");
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
    // Nobody can make a file there, whoever it is.
    let ran =
        run("check seed/irsa --trace /proc/why.svg").exits(2).notes("--trace: cannot write /proc/why.svg: ");
    assert_eq!(ran.stdout, "");
}

#[test]
fn values_out_of_range_are_refused() {
    for arguments in
        ["--threads 0", "--threads many", "--max-states 0", "--max-memory lots", "--walks 0", "-o xml"]
    {
        run(&format!("check seed/irsa {arguments}")).exits(2).notes("error: invalid value");
    }
    run("check seed/irsa --threads 0").notes("give a whole number from 1 to 256");
    for options in ["--max-states many", "--max-states 0", "--max-states -1", "--walks -1"] {
        run(&format!("check seed/irsa {options}")).exits(2).notes("give a whole number, 1 or more");
    }
    run("check seed/irsa --threads -1").exits(2).notes("give a whole number from 1 to 256");
    run("check seed/irsa --walks 1 --seed -1").exits(2).notes("give a whole number, 0 or more");
    run("check seed/irsa --max-memory 99999999999TiB").notes("more memory than can be counted");
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    for arguments in [
        "",
        "--list --expected",
        "--list --size a=1",
        "--list seed/irsa",
        "--expected --property P",
        "seed/irsa --expected --size workers=1",
        "seed/irsaa --expected",
        "seed/irsa --seed 1",
        "--bogus",
    ] {
        let ran = run(&format!("check {arguments}")).exits(2).notes("error: ");
        assert_eq!(ran.stdout, "");
    }
    run("").exits(2);
    run("chekc").exits(2).notes("check");
}
