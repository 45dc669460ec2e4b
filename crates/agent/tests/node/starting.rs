//! What can be started, and what cannot: said at once, and in words.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use bowline_agent::{Duties, Env, Launch, Phase, Reason, ShimError, Software};

use crate::world::{Node, forever, lives, until};

/// Why this is refused.
async fn refused(node: &Node, launch: Launch) -> (Reason, String) {
    match node.software.start(launch, forever()).await {
        Err(ShimError::Refused(refusal)) => (refusal.reason, refusal.message),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_command_that_is_not_on_the_node_is_said_to_be_missing() {
    let node = Node::new();
    let launch = |command: &str| Launch { command: command.into(), args: Vec::new(), ..node.script("") };
    let (reason, message) = refused(&node, launch("/no/such/server")).await;
    assert_eq!(reason, Reason::CannotStart);
    assert_eq!(message, "the command \"/no/such/server\" cannot be run on this node: there is no such file");
    let ended = node.ended().await;
    assert_eq!((ended.phase, ended.pid), (Phase::Ended, None));
    let (_, message) = refused(&node, launch("no-such-server")).await;
    assert!(message.contains("there is no program of this name in PATH (/"), "{message}");
    let file = |name: &str, mode: u32, text: &str| {
        let path = node.file(name);
        fs::write(&path, text).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("its mode");
        path.to_str().expect("a path").to_owned()
    };
    let (_, message) = refused(&node, launch(&file("plain", 0o600, "#!/bin/sh\n"))).await;
    assert!(message.ends_with("it may not be executed (chmod +x?)"), "{message}");
    let (_, message) = refused(&node, launch(&file("lost", 0o700, "#!/no/such/shell\n"))).await;
    assert!(message.ends_with("the interpreter or loader that it names is not"), "{message}");
    let (_, message) = refused(&node, launch("/tmp")).await;
    assert!(message.ends_with("it is a directory"), "{message}");
    let astray = Launch { directory: Some("/no/such/place".into()), ..node.script("true") };
    let (_, message) = refused(&node, astray).await;
    assert_eq!(message, "/no/such/place is no directory on this node, and it is to work there");
    // And then it can be run.
    assert_eq!(node.start("sleep 600").await.phase, Phase::Running);
}

#[tokio::test]
async fn what_runs_is_not_started_again_and_nothing_beside_it() {
    let node = Node::new();
    let launch = node.script("sleep 600");
    let mut starts = Vec::new();
    for _ in 0..4 {
        let (software, launch) = (node.software.clone(), launch.clone());
        starts.push(tokio::spawn(async move { software.start(launch, forever()).await }));
    }
    let mut pids = Vec::new();
    for start in starts {
        let run = start.await.expect("it ends").expect("it starts").run.expect("it runs");
        pids.push((run.pid, run.restarts, run.phase));
    }
    pids.dedup();
    assert!(pids.len() == 1 && pids[0].1 == 0 && pids[0].2 == Phase::Running, "{pids:?}");
    assert_eq!(node.playing("keep").len(), 1);
    let other = Launch { version: "v2".into(), ..launch.clone() };
    assert_eq!(refused(&node, other).await, (Reason::Another, "v1 runs; v2 is not started beside it".into()));
    let otherwise = Launch { env: Env::from([("A", "1")]), ..launch };
    assert_eq!(refused(&node, otherwise).await.0, Reason::Another);
    assert_eq!(node.status().await.run.map(|run| run.pid), Some(pids[0].0));
}

#[tokio::test]
async fn another_version_starts_when_nothing_is_left_of_the_one_before() {
    let node = Node::new();
    node.start("trap '' TERM; echo $$ > first; while :; do sleep 0.02; done").await;
    let first = node.number("first").await;
    node.software.kill().await.expect("it is heard");
    node.ended().await;
    assert!(!lives(first));
    let next = Launch { version: "v2".into(), ..node.script("sleep 600") };
    let run = node.software.start(next, forever()).await.expect("it starts").run.expect("it runs");
    assert_eq!((run.version.as_str(), run.restarts), ("v2", 0));
}

#[tokio::test]
async fn software_gets_its_environment_and_nothing_of_ours_and_no_value_of_it_is_written() {
    let node = Node::new();
    let mut env = Duties::env(&node.home, "kv", "n1", "v1");
    env.0.insert("TOKEN".into(), "t0ken-0f-theirs".into());
    let launch = Launch { env, ..node.script("cat > input; test -n \"$TOKEN\" && env | grep -c . > count; \
        echo $BOWLINE_GROUP $BOWLINE_MEMBER $BOWLINE_VERSION $BOWLINE_DUTIES ${AGENT_SECRET-none} $PWD > said; sleep 600") };
    node.software.start(launch, forever()).await.expect("it starts");
    node.number("count").await;
    let said = node.file("said");
    until("it has said it", || fs::read_to_string(&said).is_ok_and(|text| text.ends_with('\n'))).await;
    let home = node.home.path().display();
    let expected = format!("kv n1 v1 {} none {home}\n", node.home.duties().display());
    assert_eq!(fs::read_to_string(&said).expect("text"), expected);
    // Its input is empty, and not what it was started with.
    assert_eq!(fs::read(node.file("input")).expect("a file"), b"");
    for entry in fs::read_dir(node.home.path()).expect("it is there").flatten() {
        let text = fs::read(entry.path()).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&text).contains("t0ken"), "{entry:?}");
    }
}

#[tokio::test]
async fn software_of_an_agent_does_not_see_the_secrets_of_the_agent() {
    let node = Node::new();
    let said = node.file("said");
    let script = format!("env > {0}.new; mv {0}.new {0}; sleep 600", said.display());
    let _agent = node.agent(std::time::Duration::from_secs(3600), &script);
    until("it has said it", || said.exists()).await;
    let text = fs::read_to_string(&said).expect("text");
    assert!(text.contains("PATH=") && !text.contains("s3kr1t"), "{text}");
}
