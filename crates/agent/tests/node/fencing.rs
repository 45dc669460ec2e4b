//! Who lives on when others are killed or stopped, and for how long.

use std::fs;
use std::time::Duration;

use bowline_agent::{Boottime, Cause, Exit, Fence, Phase, Software};
use nix::sys::signal::Signal;

use crate::world::{Node, exit, forever, lives, signal, until};

/// How long a lease is in these tests. The agent renews it five times as often, also on a machine that is very busy.
const LEASE: Duration = Duration::from_secs(4);
/// How long after its deadline software may be seen alive on such a machine. It is deaf to SIGTERM: who gave it the time that it
/// has to stop would be later by far.
const SLACK: Duration = Duration::from_secs(20);

/// Software that is deaf to SIGTERM and has a child in its group, another that has left it for a session of its own, and the
/// child of somebody who is dead; and that counts, as long as it lives.
const FAMILY: &str = "trap '' TERM; sleep 600 & echo $! > child; setsid sh -c 'echo $$ > astray; sleep 600; :' & \
    (setsid sleep 600 & echo $! > orphan); echo $$ > first; while :; do echo x >> ticks; sleep 0.02; done";
const MEMBERS: [&str; 4] = ["first", "child", "astray", "orphan"];

async fn family(node: &Node) -> Vec<u32> {
    let mut pids = Vec::new();
    for member in MEMBERS {
        pids.push(node.number(member).await);
    }
    assert!(pids.iter().all(|pid| lives(*pid)), "{pids:?}");
    pids
}

async fn all_dead(pids: &[u32]) {
    until("all of them are dead", || pids.iter().all(|pid| !lives(*pid))).await;
}

/// What an agent of a process of its own runs: it works in `/`.
fn in_its_directory(node: &Node, script: &str) -> String {
    format!("cd {}; {script}", node.home.path().display())
}

#[tokio::test]
async fn software_goes_on_when_its_agent_is_killed_and_the_next_agent_adopts_it() {
    let node = Node::new();
    let script = in_its_directory(&node, FAMILY);
    let mut agent = node.agent(Duration::from_secs(3600), &script);
    let pids = family(&node).await;
    agent.kill();
    let ticks = || fs::metadata(node.file("ticks")).map_or(0, |found| found.len());
    let then = ticks();
    until("it goes on", || ticks() > then + 20).await;
    let before = node.status().await;
    assert_eq!(before.run.as_ref().and_then(|run| run.pid), Some(pids[0]));
    let _next = node.agent(Duration::from_secs(3600), &script);
    let mut order = before.fence.order;
    while order == before.fence.order {
        order = node.status().await.fence.order;
    }
    let after = node.status().await;
    assert!(after.fence.order > before.fence.order && after.fence.deadline > before.fence.deadline);
    assert_eq!((after.shim, &after.run), (before.shim, &before.run));
    assert_eq!(after.run.map(|run| run.restarts), Some(0));
    assert!(pids.iter().all(|pid| lives(*pid)));
}

/// The agent renews, until this is done to it.
async fn fenced(harm: Signal) {
    let node = Node::new();
    let agent = node.agent(LEASE, &in_its_directory(&node, FAMILY));
    let pids = family(&node).await;
    // It lives for longer than a lease, because it is renewed.
    let began = node.status().await;
    until("leases have passed", || Boottime::now() > began.now.after(LEASE * 2)).await;
    let renewed = node.status().await;
    assert!(renewed.fence.order > began.fence.order && pids.iter().all(|pid| lives(*pid)));
    signal(agent.pid(), harm);
    let run = node.ended().await;
    all_dead(&pids).await;
    let dead = Boottime::now();
    let deadline = node.status().await.fence.deadline.expect("there is one");
    let end = run.end.clone().expect("it has ended");
    assert_eq!((exit(&run), end.cause), (&Exit::Signal(9), Cause::Deadline));
    assert!(end.at >= deadline, "it was killed before its time: {end:?}, {deadline:?}");
    assert!(dead.since(deadline) < SLACK, "it was dead {:?} after its deadline", dead.since(deadline));
    println!("nothing of it was left {:?} after its deadline", end.at.since(deadline));
}

#[tokio::test]
async fn software_dies_at_its_deadline_when_its_agent_is_dead() {
    fenced(Signal::SIGKILL).await;
}

#[tokio::test]
async fn software_dies_at_its_deadline_when_its_agent_is_stopped() {
    fenced(Signal::SIGSTOP).await;
}

#[tokio::test]
async fn an_order_that_comes_late_does_not_move_the_deadline_and_a_later_one_does() {
    let node = Node::new();
    let run = node.start("sleep 600").await;
    let pid = run.pid.expect("a process");
    let soon = |order| Fence { order, deadline: Some(Boottime::now().after(Duration::from_millis(1))) };
    let status = node.software.extend(Fence { order: 7, deadline: None }).await.expect("it is heard");
    assert_eq!(status.fence, Fence { order: 7, deadline: None });
    for order in [6, 7] {
        assert_eq!(node.software.extend(soon(order)).await.expect("it is heard").fence.deadline, None);
    }
    assert!(lives(pid));
    node.software.extend(soon(8)).await.expect("it is heard");
    assert_eq!(node.ended().await.end.expect("it has ended").cause, Cause::Deadline);
    assert!(!lives(pid));
}

#[tokio::test]
async fn nothing_is_started_after_its_deadline() {
    let node = Node::new();
    let late = Fence { order: 1, deadline: Some(Boottime::now()) };
    let refused = node.software.start(node.script("echo $$ > first"), late).await.expect_err("it is late");
    assert_eq!(refused.to_string(), "the time is over in which it may run");
    assert_eq!(node.status().await.run, None);
    assert!(!node.file("first").exists());
}

#[tokio::test]
async fn software_dies_with_its_shim_and_so_does_all_that_it_started() {
    let node = Node::new();
    node.start(FAMILY).await;
    let pids = family(&node).await;
    let shim = node.status().await.shim;
    signal(shim, Signal::SIGKILL);
    all_dead(&pids).await;
    until("the guard is gone", || node.playing("guard").is_empty()).await;
    // The socket that it left is no obstacle, and the next one has software of its own.
    let run = node.start("sleep 600").await;
    let status = node.status().await;
    assert!(status.shim != shim && status.run.as_ref() == Some(&run) && run.phase == Phase::Running);
}

#[tokio::test]
async fn what_is_left_when_shim_and_guard_are_killed_at_once_is_killed_before_the_next_shim_serves() {
    let node = Node::new();
    node.start(FAMILY).await;
    let pids = family(&node).await;
    let guards = node.playing("guard");
    assert_eq!(guards.len(), 1);
    signal(guards[0], Signal::SIGSTOP);
    signal(node.status().await.shim, Signal::SIGKILL);
    signal(guards[0], Signal::SIGKILL);
    // This much the kernel does by itself.
    until("the first process is dead", || !lives(pids[0])).await;
    let status = node.software.look().await.expect("there is a shim");
    assert!(pids.iter().all(|pid| !lives(*pid)), "some live on beside a new shim");
    assert_eq!(status.run, None);
}

#[tokio::test]
async fn a_guard_that_was_killed_is_replaced() {
    let node = Node::new();
    let pid = node.start("sleep 600").await.pid.expect("a process");
    let before = node.playing("guard");
    assert_eq!(before.len(), 1);
    // A guard does not hear this.
    signal(before[0], Signal::SIGTERM);
    signal(before[0], Signal::SIGKILL);
    until("there is another guard", || {
        let guards = node.playing("guard");
        guards.len() == 1 && guards != before
    })
    .await;
    assert!(lives(pid));
    signal(node.status().await.shim, Signal::SIGKILL);
    all_dead(&[pid]).await;
}

#[tokio::test]
async fn an_agent_that_comes_too_late_starts_it_anew_and_says_so() {
    let node = Node::new();
    let launch = node.script("sleep 600");
    node.software.start(launch.clone(), forever()).await.expect("it starts");
    let over = Fence { order: 2, deadline: Some(Boottime::now()) };
    node.software.extend(over).await.expect("it is heard");
    node.ended().await;
    let again = node.software.start(launch, Fence { order: 3, ..forever() }).await.expect("it starts");
    assert_eq!(again.run.map(|run| (run.restarts, run.phase)), Some((1, Phase::Running)));
}
