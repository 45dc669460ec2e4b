//! One shim to a directory, open to its owner, and not to be upset by what it hears.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use bowline_agent::{Answer, Home, Limits, Local, MAX_LINE_BYTES, Reason, ShimError, Software};
use nix::sys::signal::Signal;

use crate::world::{BINARY, Node, lives, signal, until};

/// What a shim says that is started for a directory.
fn shim(directory: &Path) -> (bool, String) {
    let ran = Command::new(BINARY).args(["agent", "shim"]).arg(directory).output().expect("it runs");
    (ran.status.success(), String::from_utf8(ran.stdout).expect("text"))
}

#[tokio::test]
async fn a_second_shim_is_refused_and_the_first_goes_on() {
    let node = Node::new();
    assert_eq!(shim(node.home.path()), (true, "ready\n".into()));
    let first = node.status().await.shim;
    let expected = format!("another shim runs in {}\n", node.home.path().display());
    assert_eq!(shim(node.home.path()), (false, expected));
    assert_eq!(node.status().await.shim, first);
    until("the second one is gone", || node.playing("keep") == [first]).await;
    // It is nobody's child any more, and in no session of ours.
    let stat = fs::read_to_string(format!("/proc/{first}/stat")).expect("it lives");
    let session = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(3)).expect("a session");
    assert_eq!(session, first.to_string());
}

#[tokio::test]
async fn agents_that_begin_at_once_find_the_same_shim() {
    let node = Node::new();
    let looks: Vec<_> = (0..6)
        .map(|_| {
            let software = node.software.clone();
            tokio::spawn(async move { software.look().await })
        })
        .collect();
    let mut shims = Vec::new();
    for look in looks {
        shims.push(look.await.expect("it ends").expect("there is a shim").shim);
    }
    shims.dedup();
    assert_eq!(shims, node.playing("keep"));
}

#[tokio::test]
async fn a_socket_that_was_left_behind_is_no_shim() {
    let node = Node::new();
    let before = node.software.look().await.expect("there is a shim").shim;
    signal(before, Signal::SIGKILL);
    until("it is dead", || !lives(before)).await;
    assert!(node.file("shim.sock").exists());
    assert!(matches!(node.shim().status().await, Err(ShimError::None(_))));
    let after = node.software.look().await.expect("there is a shim").shim;
    assert_ne!(before, after);
}

#[tokio::test]
async fn a_directory_that_cannot_be_one_is_refused_in_words() {
    let long = std::env::temp_dir().join("x".repeat(120));
    let (ok, said) = shim(&long);
    assert!(!ok && said.contains("the path of a socket has at most 107") && !long.exists(), "{said}");
    assert!(Home::at(&long).is_err());
    let node = Node::new();
    fs::set_permissions(node.home.path(), fs::Permissions::from_mode(0o755)).expect("its mode");
    let (ok, said) = shim(node.home.path());
    assert!(!ok && said.contains("is open to others (mode 755)"), "{said}");
    let error = node.software.look().await.expect_err("it is refused");
    assert!(error.to_string().contains("chmod 700"), "{error}");
    assert!(
        Local::new(Home::at(Path::new("/proc/nowhere")).expect("a path"), Limits::default())
            .look()
            .await
            .is_err()
    );
}

/// Says this to a shim, and hears what it answers until it cuts us off.
fn say(node: &Node, said: &[u8]) -> Vec<Answer> {
    let mut stream = UnixStream::connect(node.file("shim.sock")).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a timeout");
    // It may cut us off before it has heard all.
    let _ = stream.write_all(said);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    lines.map(|line| serde_json::from_str(&line).expect("an answer")).collect()
}

#[tokio::test]
async fn nonsense_is_refused_and_the_next_request_is_served() {
    let node = Node::new();
    let pid = node.start("sleep 600").await.pid.expect("a process");
    let answers = say(&node, b"nonsense\n{\"do\":\"dance\"}\n\n{\"do\":\"status\"}\n{\"do\":\"kill\"");
    assert_eq!(answers.len(), 4, "{answers:?}");
    for answer in &answers[..3] {
        assert!(matches!(answer, Answer::Refused(refusal) if refusal.reason == Reason::Bad), "{answer:?}");
    }
    assert!(matches!(&answers[3], Answer::Status(_)));
    let endless = say(&node, &vec![b' '; MAX_LINE_BYTES * 2]);
    assert!(endless.len() <= 1, "{endless:?}");
    // What was not said to its end was not asked for.
    assert_eq!(node.status().await.run.and_then(|run| run.pid), Some(pid));
    assert!(lives(pid));
}

#[tokio::test]
async fn those_who_only_connect_do_not_keep_others_out_for_good() {
    let node = Node::new();
    node.software.look().await.expect("there is a shim");
    let connect = || UnixStream::connect(node.file("shim.sock")).expect("it listens");
    let idle: Vec<_> = (0..40).map(|_| connect()).collect();
    let refused = node.shim().status().await.expect_err("too many are connected");
    assert!(
        matches!(&refused, ShimError::Refused(refusal) if refusal.reason == Reason::Busy)
            || matches!(&refused, ShimError::Unknown(_)),
        "{refused}"
    );
    drop(idle);
    let end = std::time::Instant::now() + Duration::from_secs(30);
    while node.shim().status().await.is_err() {
        assert!(std::time::Instant::now() < end, "it does not answer any more");
    }
}
