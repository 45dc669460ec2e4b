//! What stands against a start is said in one sentence, and nothing is changed.

use std::fs::{self, OpenOptions};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::FileExt;
use std::path::Path;

use bowline_apiserver::{Config, Server};
use serde_json::json;

use crate::support::{Scratch, admin, ask, expect, get};

/// A start that has to fail, what it says, and that it leaves everything as it was.
async fn refuses(scratch: &Scratch, config: Config, says: &[&str]) {
    let before = scratch.contents();
    let message = match Server::start_with(config).await {
        Ok(_) => panic!("it started, and should have said: {says:?}"),
        Err(error) => error.to_string(),
    };
    for part in says {
        assert!(message.contains(part), "{part:?} is not in {message:?}");
    }
    assert_eq!(message.lines().count(), 1, "{message}");
    let after = scratch.contents();
    let names = |contents: &std::collections::BTreeMap<_, _>| contents.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&before), names(&after));
    for (path, bytes) in before {
        assert!(after[&path] == bytes, "{} was changed by what said: {message}", path.display());
    }
}

/// A directory with a hub that has stopped.
async fn stopped() -> Scratch {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    for number in 0..20 {
        let map = json!({ "metadata": { "name": format!("m{number}") }, "data": { "text": "needle ".repeat(200) } });
        expect(201, ask(&admin(&server), "POST", "/api/v1/namespaces/default/configmaps", &map).await);
    }
    server.stop().await;
    scratch
}

#[tokio::test]
async fn a_directory_serves_one_hub_at_a_time() {
    let scratch = Scratch::new();
    let first = Server::start(scratch.path()).await.expect("it starts");
    let address = first.address();
    for listen in [SocketAddr::from(([127, 0, 0, 1], 0)), address] {
        let config = Config { listen, ..Config::local(scratch.path()) };
        let message = Server::start_with(config).await.err().expect("it is in use").to_string();
        assert_eq!(
            message,
            format!(
                "{} is in use by another hub; stop that one, or choose another directory with --data",
                scratch.path().display()
            )
        );
    }
    expect(200, get(&admin(&first), "/api/v1/namespaces/default").await);
    first.stop().await;
    let second = Server::start(scratch.path()).await.expect("it is free again");
    drop(second);
    Server::start(scratch.path()).await.expect("also after one that was dropped").stop().await;
}

#[tokio::test]
async fn a_port_in_use_is_said_before_anything_is_made() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let listen = taken.local_addr().expect("it has one");
    let says = format!("cannot listen on {listen}: ");
    let fresh = Scratch::new();
    refuses(&fresh, Config { listen, ..Config::local(fresh.path()) }, &[&says, "in use"]).await;
    assert!(!fresh.path().exists());
    let old = stopped().await;
    refuses(&old, Config { listen, ..Config::local(old.path()) }, &[&says, "in use"]).await;
}

#[tokio::test]
async fn what_is_no_place_for_a_directory_is_said() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path()).expect("a directory");
    let file = scratch.join("file");
    fs::write(&file, "text").expect("a file");
    let says = format!("{} is a file and not a directory; choose a directory with --data", file.display());
    refuses(&scratch, Config::local(&file), &[&says]).await;
    refuses(&scratch, Config::local(file.join("hub")), &[&says]).await;
    // Nobody can make anything here, not even root.
    let nowhere = Path::new("/proc/hub");
    refuses(&scratch, Config::local(nowhere), &["/proc/hub: "]).await;
}

#[tokio::test]
async fn directories_of_others_are_left_alone() {
    for name in ["notes.txt", "hub.redb", ".hidden"] {
        let scratch = Scratch::new();
        fs::create_dir(scratch.path()).expect("a directory");
        fs::write(scratch.join(name), "precious").expect("a file");
        let says = format!("{} is not a hub's directory and not empty", scratch.path().display());
        refuses(&scratch, Config::local(scratch.path()), &[&says, "--data"]).await;
    }
    let scratch = stopped().await;
    fs::write(scratch.join("FORMAT"), "bowline hub, format 3\n").expect("a file");
    let says = ["was written by another version of bowline (bowline hub, format 3)", "bowline hub, format 2"];
    refuses(&scratch, Config::local(scratch.path()), &says).await;
}

#[tokio::test]
async fn a_hub_that_was_killed_while_it_was_being_made_is_made() {
    let whole = stopped().await;
    let store = fs::read(whole.join("hub.redb")).expect("a file");
    // Nothing yet; half a file; a whole one without its name; and the same with its name.
    for (files, again) in [
        (vec![("lock", &b""[..])], true),
        (vec![("lock", b""), ("hub.redb.new", &store[..store.len() / 2]), ("FORMAT.new", b"bow")], true),
        (vec![("lock", b""), ("hub.redb.new", &store), ("FORMAT", b"bowline hub, format 2\n")], false),
    ] {
        let scratch = Scratch::new();
        fs::create_dir(scratch.path()).expect("a directory");
        for (name, bytes) in files {
            fs::write(scratch.join(name), bytes).expect("a file");
        }
        let server = Server::start(scratch.path()).await.expect("it starts");
        let found = get(&admin(&server), "/api/v1/namespaces/default/configmaps/m1").await;
        expect(if again { 404 } else { 200 }, found);
        server.stop().await;
    }
}

#[tokio::test]
async fn a_file_that_is_not_whole_is_not_used() {
    let scratch = stopped().await;
    let path = scratch.join("hub.redb");
    let whole = fs::read(&path).expect("a file");
    let says = format!("the data in {} cannot be used: ", path.display());
    let refused = async |bytes: &[u8]| {
        fs::write(&path, bytes).expect("it can be written");
        refuses(&scratch, Config::local(scratch.path()), &[&says]).await;
    };
    for length in [0, 1, 64, 4096, whole.len() / 2, whole.len() - 4096, whole.len() - 1] {
        refused(&whole[..length]).await;
    }
    refused(&vec![0; whole.len()]).await;
    refused(&[&b"text "[..], &whole].concat()).await;
    fs::remove_file(&path).expect("it is there");
    refuses(&scratch, Config::local(scratch.path()), &[&says, "No such file"]).await;
    // And it is used again when it is whole again.
    fs::write(&path, &whole).expect("it can be written");
    Server::start(scratch.path()).await.expect("it starts").stop().await;
}

#[tokio::test]
async fn one_wrong_bit_in_an_object_is_found() {
    let scratch = stopped().await;
    let path = scratch.join("hub.redb");
    let whole = fs::read(&path).expect("a file");
    let needles: Vec<_> =
        whole.windows(7).enumerate().filter(|(_, window)| *window == b"needle ").map(|(at, _)| at).collect();
    let file = OpenOptions::new().write(true).open(&path).expect("a file");
    let mut found = 0;
    // Some are in pages that are no longer used.
    for at in needles.iter().step_by(needles.len() / 20) {
        file.write_all_at(&[whole[*at] ^ 1], *at as u64).expect("it can be written");
        let before = scratch.contents();
        match Server::start(scratch.path()).await {
            Err(error) => {
                found += 1;
                let says = format!("the data in {} cannot be used: ", path.display());
                assert!(error.to_string().starts_with(&says), "{error}");
                assert!(scratch.contents() == before);
            }
            Ok(server) => {
                for number in 0..20 {
                    let path = format!("/api/v1/namespaces/default/configmaps/m{number}");
                    let map = expect(200, get(&admin(&server), &path).await);
                    assert_eq!(map["data"]["text"], "needle ".repeat(200), "it was served damaged");
                }
                server.stop().await;
            }
        }
        file.write_all_at(&whole[*at..=*at], *at as u64).expect("it can be written");
    }
    assert!(found > 0, "nothing was damaged");
}

#[tokio::test]
async fn keys_and_certificates_that_are_damaged_are_not_replaced() {
    for name in ["ca.crt", "ca.key"] {
        let scratch = stopped().await;
        fs::write(scratch.join(name), "nonsense").expect("it can be written");
        refuses(&scratch, Config::local(scratch.path()), &[name, "damaged"]).await;
    }
    let scratch = stopped().await;
    fs::remove_file(scratch.join("ca.key")).expect("it is there");
    refuses(&scratch, Config::local(scratch.path()), &["ca.key is not there, though ca.crt is"]).await;
}
