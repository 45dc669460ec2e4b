//! Ctrl-C and SIGTERM.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{Read, Write, pipe};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{Ran, bowline};

/// Starts a run that takes long, and waits until it explores: by then it listens for signals.
fn long_run(stdout: Stdio) -> Child {
    let arguments = "check seed/update-cluster --size requests=8,workers=8 --property TypeInvariants \
                     --max-memory 2GiB --threads 1 -o json";
    let mut command = bowline();
    command.args(arguments.split_whitespace()).stdout(stdout).stderr(Stdio::piped());
    let child = command.spawn().expect("the binary starts");
    wait_until(&child, |threads| threads.contains(&"explorer".into()));
    child
}

/// Waits until it is so of the names of the process's threads.
fn wait_until(child: &Child, is_so: impl Fn(&[String]) -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let tasks = fs::read_dir(format!("/proc/{}/task", child.id())).expect("the process is there");
        // A thread may end between the listing and the look at its name.
        let names = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok());
        let names: Vec<String> = names.map(|name| name.trim().to_string()).collect();
        if is_so(&names) {
            return;
        }
        assert!(Instant::now() < deadline, "the process did not get there: {names:?}");
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
        let child = long_run(Stdio::piped());
        send(signal, &child);
        let ran = end(child).exits(3);
        let json = ran.json();
        assert_eq!((&json["complete"], &json["incomplete"]), (&false.into(), &"stopped".into()));
        assert_eq!(json["properties"][0]["verdict"], "unknown");
        assert_eq!(ran.stderr, "");
    }
}

/// `timeout` signals the process and, at once, its group.
#[test]
fn a_second_signal_that_comes_with_the_first_is_the_same_wish() {
    let child = long_run(Stdio::piped());
    // Two different ones, which the kernel does not make into one.
    let both = format!("kill -INT {0}; kill -TERM {0}", child.id());
    assert!(Command::new("sh").args(["-c", &both]).status().expect("sh").success());
    let json = end(child).exits(3).json();
    assert_eq!(json["incomplete"], "stopped");
}

#[test]
fn a_later_second_signal_ends_at_once() {
    // A pipe that is full holds the process at the printing of its report, however long we take.
    const CAPACITY: usize = 65536;
    let (mut reader, mut writer) = pipe().expect("a pipe");
    writer.write_all(&[b'.'; CAPACITY]).expect("the pipe takes as much as it can hold");
    let child = long_run(writer.into());
    send("INT", &child);
    wait_until(&child, |threads| !threads.contains(&"explorer".into()));
    // Later than what is taken for the same wish.
    thread::sleep(Duration::from_millis(600));
    send("TERM", &child);
    end(child).exits(3);
    let mut printed = Vec::new();
    reader.read_to_end(&mut printed).expect("the pipe can be read");
    assert_eq!(String::from_utf8_lossy(&printed[CAPACITY..]), "");
}
