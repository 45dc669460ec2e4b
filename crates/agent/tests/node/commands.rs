//! Commands that drain software.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use bowline_agent::{Command, Env, Exit, Failure, Software};

use crate::world::{BINARY, Node, lives, until};

fn command(node: &Node, script: &str, timeout: Duration) -> Command {
    Command {
        command: "sh".into(),
        args: vec!["-c".into(), script.into()],
        env: Env::from([("TOKEN", "t0ken")]),
        directory: Some(node.home.path().into()),
        timeout,
    }
}

#[tokio::test]
async fn what_a_drain_prints_is_kept_and_not_its_environment() {
    let node = Node::new();
    let drain = command(&node, "echo draining 3 connections; echo almost >&2", Duration::from_secs(60));
    node.software.drain(&drain).await.expect("it drains");
    let failed = node.software.drain(&command(&node, "echo stuck; exit 9", Duration::from_secs(60))).await;
    assert_eq!(failed, Err(Failure::Ended { exit: Exit::Code(9), last: "stuck".into() }));
    let log = fs::read_to_string(node.home.drain_log()).expect("a log");
    let begins = "=== bowline: sh begins ===\n";
    assert_eq!(log, format!("{begins}draining 3 connections\nalmost\n{begins}stuck\n"));
}

#[tokio::test]
async fn a_drain_that_takes_too_long_is_killed_and_its_words_are_kept() {
    let node = Node::new();
    let script = "sleep 600 & echo $! > child; echo $$ > first; echo waiting; wait";
    let failed = node.software.drain(&command(&node, script, Duration::from_secs(6))).await;
    let failed = failed.expect_err("it takes too long");
    assert!(matches!(failed, Failure::Timeout { .. }), "{failed}");
    for name in ["first", "child"] {
        let pid = node.number(name).await;
        until("it is dead", || !lives(pid)).await;
    }
    assert!(fs::read_to_string(node.home.drain_log()).expect("a log").ends_with("waiting\n"));
}

#[tokio::test]
async fn a_drain_that_leaves_somebody_behind_is_over_when_it_ends() {
    let node = Node::new();
    // It holds the output open, in its group; and another does in a session of its own.
    let script = "sleep 600 & echo $! > child; setsid sleep 1 & exit 0";
    node.software.drain(&command(&node, script, Duration::from_secs(60))).await.expect("it drains");
    let child = node.number("child").await;
    until("it is dead", || !lives(child)).await;
}

#[tokio::test]
async fn a_command_dies_with_the_agent_that_runs_it() {
    let node = Node::new();
    let script = format!("cd {}; echo $$ > first; while :; do sleep 0.02; done", node.home.path().display());
    let mut agent = std::process::Command::new(BINARY);
    let mut agent = agent.args(["run", "sh", "-c", &script]).stdin(Stdio::null()).spawn().expect("it runs");
    let first = node.number("first").await;
    assert!(lives(first));
    agent.kill().expect("it is killed");
    agent.wait().expect("it has ended");
    until("it is dead", || !lives(first)).await;
}
