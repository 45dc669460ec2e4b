//! Ctrl-C and SIGTERM.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{Ran, bowline};

const SIGTERM: u32 = 15;

/// Starts a run that takes long, and waits until it listens for signals. SIGTERM's handler is the
/// last to be installed.
fn long_run() -> Child {
    let arguments = "check seed/update-cluster --size requests=8,workers=8 --property TypeInvariants \
                     --max-memory 2GiB --threads 1 -o json";
    let mut command = bowline();
    command.args(arguments.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the binary starts");
    wait_until(&child, |status| {
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
        caught & (1 << (SIGTERM - 1)) != 0
    });
    child
}

/// Waits until what the kernel says of the process is so.
fn wait_until(child: &Child, is_so: impl Fn(&str) -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let status =
            fs::read_to_string(format!("/proc/{}/status", child.id())).expect("the process is there");
        if is_so(&status) {
            return;
        }
        assert!(Instant::now() < deadline, "the process did not get there:\n{status}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn send(signal: &str, child: &Child) {
    let status = Command::new("sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status();
    assert!(status.expect("sh").success(), "kill -{signal}");
}

fn end(child: Child) -> Ran {
    Ran::new(&child.wait_with_output().expect("the process ends"))
}

#[test]
fn the_first_signal_prints_what_was_found_so_far() {
    for signal in ["INT", "TERM"] {
        let child = long_run();
        send(signal, &child);
        let ran = end(child).exits(3);
        let json = ran.json();
        assert_eq!((&json["complete"], &json["incomplete"]), (&false.into(), &"stopped".into()));
        assert_eq!(json["properties"][0]["verdict"], "unknown");
        assert_eq!(ran.stderr, "");
    }
}

#[test]
fn the_second_signal_ends_at_once() {
    let child = long_run();
    // Both signals wait for the stopped process, so that it gets the second before it can end by the first.
    send("STOP", &child);
    wait_until(&child, |status| status.lines().any(|line| line.starts_with("State:\tT")));
    send("INT", &child);
    send("TERM", &child);
    send("CONT", &child);
    let ran = end(child).exits(3);
    assert_eq!(ran.stdout, "");
}
