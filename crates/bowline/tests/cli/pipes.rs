//! Readers that go away, and disks that are full.

use std::io::pipe;
use std::process::Stdio;

use super::{Ran, bowline};

/// Runs the binary with a stdout that nobody reads any more.
fn unread(arguments: &str) -> Ran {
    let (reader, writer) = pipe().expect("a pipe");
    drop(reader);
    let output = bowline().args(arguments.split_whitespace()).stdout(writer).stderr(Stdio::piped()).output();
    Ran::new(&output.expect("the binary starts"))
}

#[test]
fn a_closed_pipe_is_no_error_and_keeps_the_exit_code() {
    let cases = [
        ("check seed/update-cluster", 1),
        ("check seed/update-cluster --property none -o json", 0),
        ("check --list", 0),
        ("check seed/irsa --expected", 0),
        ("check --help", 0),
        ("--version", 0),
        ("completion bash", 0),
        ("man", 0),
    ];
    for (arguments, code) in cases {
        let ran = unread(arguments).exits(code);
        assert_eq!(ran.stderr, "", "{arguments}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let output = bowline().args(["check", "--list"]).stdout(full).stderr(Stdio::piped()).output();
    Ran::new(&output.expect("the binary starts")).exits(1).notes("error: cannot write to stdout");
}
