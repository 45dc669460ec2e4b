//! How software ends: asked, deaf, killed, by itself.

use std::time::Duration;

use bowline_agent::{Cause, Exit, Phase, Reason, ShimError, Software, ended, tail};
use nix::sys::signal::Signal;

use crate::world::{Node, exit, forever, lives, signal, until};

const LONG: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn software_that_hears_ends_by_itself() {
    let node = Node::new();
    node.start("trap 'echo done > bye; exit 5' TERM; echo $$ > first; while :; do sleep 0.02; done").await;
    let first = node.number("first").await;
    let stopping = node.software.stop(LONG).await.expect("it is heard");
    assert!(stopping.run.is_some_and(|run| run.phase != Phase::Running));
    let run = node.ended().await;
    assert_eq!((exit(&run), run.end.as_ref().map(|end| end.cause)), (&Exit::Code(5), Some(Cause::Stop)));
    assert!(!lives(first) && node.file("bye").exists());
    // Once more is no harm.
    node.software.stop(LONG).await.expect("it is heard");
    node.software.kill().await.expect("it is heard");
    assert_eq!(node.status().await.run, Some(run));
}

#[tokio::test]
async fn software_that_is_deaf_is_killed_with_its_whole_group_after_its_time() {
    let node = Node::new();
    node.start("trap '' TERM; sleep 600 & echo $! > child; echo $$ > first; while :; do sleep 0.02; done")
        .await;
    let pids = [node.number("first").await, node.number("child").await];
    let grace = Duration::from_millis(400);
    let asked = node.software.stop(grace).await.expect("it is heard").now;
    let run = node.ended().await;
    let end = run.end.clone().expect("it has ended");
    assert_eq!((exit(&run), end.cause), (&Exit::Signal(9), Cause::Grace));
    assert!(end.at.since(asked) + Duration::from_millis(50) >= grace, "{:?}", end.at.since(asked));
    assert!(pids.iter().all(|pid| !lives(*pid)));
}

#[tokio::test]
async fn children_that_finish_what_they_are_at_have_the_time_to() {
    let node = Node::new();
    let child = "trap 'until test -e go; do sleep 0.02; done; echo saved > saved; exit 0' TERM; echo $$ > child; \
        while :; do sleep 0.02; done";
    node.start(&format!(
        "sh -c '{}' & trap 'exit 0' TERM; echo $$ > first; while :; do sleep 0.02; done",
        child.replace('\'', "'\\''")
    ))
    .await;
    let (first, child) = (node.number("first").await, node.number("child").await);
    node.software.stop(LONG).await.expect("it is heard");
    until("the first process is gone", || !lives(first)).await;
    assert!(lives(child));
    assert_eq!(node.status().await.run.map(|run| run.phase), Some(Phase::Stopping));
    std::fs::write(node.file("go"), "").expect("a file");
    let run = node.ended().await;
    assert_eq!(run.end.map(|end| end.cause), Some(Cause::Stop));
    assert!(!lives(child) && node.file("saved").exists());
}

#[tokio::test]
async fn software_that_is_killed_is_gone_with_all_that_it_started() {
    let node = Node::new();
    node.start("trap '' TERM; setsid sleep 600 & echo $! > astray; echo $$ > first; wait; wait").await;
    let pids = [node.number("first").await, node.number("astray").await];
    node.software.stop(LONG).await.expect("it is heard");
    node.software.kill().await.expect("it is heard");
    let run = node.ended().await;
    assert_eq!((exit(&run), run.end.as_ref().map(|end| end.cause)), (&Exit::Signal(9), Some(Cause::Kill)));
    assert!(pids.iter().all(|pid| !lives(*pid)));
}

#[tokio::test]
async fn software_that_crashes_is_told_with_its_last_words_and_leaves_nobody() {
    let node = Node::new();
    node.start("sleep 600 & echo $! > child; echo first; echo 'no such table' >&2; exit 3").await;
    let run = node.ended().await;
    assert_eq!((exit(&run), run.end.as_ref().map(|end| end.cause)), (&Exit::Code(3), Some(Cause::Itself)));
    assert!(!lives(node.number("child").await));
    let last = tail(&node.home.log(), 2).expect("a log");
    assert_eq!(last, ["first", "no such table"]);
    let words = ended(&run, &last).expect("it has ended");
    assert!(words.starts_with("it ended with exit code 3; it had run for "), "{words}");
    assert!(words.ends_with("; its last words: first | no such table"), "{words}");
    // By a signal of its own.
    node.start("kill -SEGV $$").await;
    assert_eq!(exit(&node.ended().await), &Exit::Signal(11));
}

#[tokio::test]
async fn who_waits_is_told_at_once() {
    let node = Node::new();
    let launch = node.script("until test -e go; do sleep 0.02; done; exit 1");
    let status = node.software.start(launch, forever()).await.expect("it starts");
    // Nothing happens, and that is said too.
    let same = node.shim().wait(status.change, Duration::from_millis(30)).await.expect("an answer");
    assert_eq!((same.change, same.run), (status.change, status.run));
    let waits = node.shim().clone();
    let waiting = tokio::spawn(async move { waits.wait(status.change, LONG).await });
    std::fs::write(node.file("go"), "").expect("a file");
    let told = waiting.await.expect("it ends").expect("an answer");
    assert!(told.change > status.change);
    node.ended().await;
}

#[tokio::test]
async fn a_shim_that_is_told_to_end_lets_its_software_end_first() {
    let node = Node::new();
    node.start("trap 'echo done > bye; exit 0' TERM; echo $$ > first; while :; do sleep 0.02; done").await;
    let (first, shim) = (node.number("first").await, node.status().await.shim);
    // Not by a terminal that is closed.
    signal(shim, Signal::SIGHUP);
    assert!(lives(first));
    signal(shim, Signal::SIGTERM);
    until("both are gone", || !lives(first) && !lives(shim)).await;
    assert!(node.file("bye").exists() && !node.file("shim.sock").exists());
    assert!(matches!(node.shim().status().await, Err(ShimError::None(_))));
}

#[tokio::test]
async fn a_shim_goes_when_nothing_runs_and_not_before() {
    let node = Node::new();
    node.start("sleep 600").await;
    let shim = node.status().await.shim;
    let refused = node.shim().end().await.expect_err("something runs");
    assert!(
        matches!(&refused, ShimError::Refused(refusal) if refusal.reason == Reason::Running),
        "{refused}"
    );
    node.software.kill().await.expect("it is heard");
    node.ended().await;
    node.shim().end().await.expect("nothing runs");
    until("shim and guard are gone", || !lives(shim) && node.playing("guard").is_empty()).await;
    assert!(!node.file("shim.sock").exists());
    node.shim().end().await.expect("there is none");
}
