//! What software is told: whole or not at all, and whether it has heard.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bowline_agent::{Boottime, Device, Duties, Notify, Partition, Software, Told};
use serde_json::{Value, json};

use crate::server::{answer, closed, serve};
use crate::world::Node;

const LONG: Duration = Duration::from_secs(60);

fn duties(revision: u64) -> Duties {
    Duties {
        group: "kv".into(),
        member: "n1".into(),
        version: "v1".into(),
        revision,
        devices: vec![Device { name: "shard-0".into(), epoch: 7 }],
        partitions: vec![Partition { name: "0".into(), members: vec!["n1".into(), "n2".into()] }],
        deadline: Some(Boottime(12_345)),
    }
}

#[tokio::test]
async fn the_file_is_what_software_was_promised() {
    let node = Node::new();
    assert_eq!(node.software.tell(&duties(3), None).await.expect("it is written"), Told::Written);
    let text = fs::read_to_string(node.home.duties()).expect("a file");
    let expected = json!({
        "group": "kv", "member": "n1", "version": "v1", "revision": 3,
        "devices": [{"name": "shard-0", "epoch": 7}],
        "partitions": [{"name": "0", "members": ["n1", "n2"]}],
        "deadline": 12_345,
    });
    assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), expected);
    node.software.tell(&Duties { deadline: None, ..duties(4) }, None).await.expect("it is written");
    let text = fs::read_to_string(node.home.duties()).expect("a file");
    assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON")["deadline"], Value::Null);
    let mode = fs::metadata(node.home.duties()).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let env = Duties::env(&node.home, "kv", "n1", "v1");
    assert_eq!(env.0["BOWLINE_DUTIES"], node.home.duties().to_str().expect("a path"));
}

#[tokio::test]
async fn who_reads_in_between_finds_one_or_the_other_and_never_a_part() {
    let node = Node::new();
    let path = node.home.duties();
    // Files of very different lengths: a part of one would be seen.
    let of = |revision: u64| {
        let device = |number| Device { name: format!("device-{number}"), epoch: revision };
        Duties { devices: (0..revision % 7 * 300).map(device).collect(), ..duties(revision) }
    };
    of(0).write(&path).expect("it is written");
    let over = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..2)
        .map(|_| {
            let (path, over) = (path.clone(), Arc::clone(&over));
            std::thread::spawn(move || {
                let (mut last, mut seen) = (0, 0);
                while !over.load(Ordering::Relaxed) {
                    let text = fs::read(&path).expect("there is always a file");
                    let read: Duties = serde_json::from_slice(&text).expect("it is always whole");
                    assert!(read.revision >= last, "{} after {last}", read.revision);
                    assert!(read.devices.iter().all(|device| device.epoch == read.revision));
                    seen += u64::from(read.revision != last);
                    last = read.revision;
                }
                seen
            })
        })
        .collect();
    for revision in 1..=300 {
        of(revision).write(&path).expect("it is written");
    }
    over.store(true, Ordering::Relaxed);
    for reader in readers {
        assert!(reader.join().expect("it never saw a part") > 10);
    }
    assert_eq!(fs::read_dir(node.home.path()).expect("it is there").count(), 1);
}

#[tokio::test]
async fn a_file_that_cannot_be_written_is_left_as_it_was_and_nobody_is_called() {
    let node = Node::new();
    node.software.tell(&duties(1), None).await.expect("it is written");
    fs::create_dir(node.file("duties.json.new")).expect("something is in the way");
    let server = serve(Some(&answer(200, r#"{"revision":2}"#)));
    let notify = Notify::at(&format!("http://127.0.0.1:{}/", server.port), LONG).expect("an address");
    node.software.tell(&duties(2), Some(&notify)).await.expect_err("it cannot be written");
    let text = fs::read_to_string(node.home.duties()).expect("a file");
    assert!(text.contains("\"revision\":1,"), "{text}");
    assert!(server.asked.try_recv().is_err());
}

async fn told(answer: Option<&str>, timeout: Duration) -> Told {
    let node = Node::new();
    let server = serve(answer);
    let notify =
        Notify::at(&format!("http://127.0.0.1:{}/duties", server.port), timeout).expect("an address");
    let told = node.software.tell(&duties(5), Some(&notify)).await.expect("it is written");
    assert!(node.home.duties().exists());
    if answer.is_some() {
        let asked = server.asked.recv().expect("it was asked");
        let (head, body) = asked.split_once("\r\n\r\n").expect("a request");
        assert!(head.starts_with("POST /duties HTTP/1.1") && head.contains("application/json"), "{head}");
        assert_eq!(serde_json::from_str::<Duties>(body).expect("duties"), duties(5));
    }
    told
}

#[tokio::test]
async fn software_that_was_called_has_heard_what_it_names() {
    let heard = answer(200, r#"{"revision":5,"more":true}"#);
    assert_eq!(told(Some(&heard), LONG).await, Told::Heard { revision: 5 });
    let chunked = "HTTP/1.1 201 X\r\nTransfer-Encoding: chunked\r\n\r\nf\r\n{\"revision\": 4}\r\n0\r\n\r\n";
    assert_eq!(told(Some(chunked), LONG).await, Told::Heard { revision: 4 });
}

#[tokio::test]
async fn software_that_did_not_answer_as_it_should_is_unheard() {
    let why = |told| match told {
        Told::Unheard { why } => why,
        other => panic!("{other:?}"),
    };
    let heard = r#"{"revision":5}"#;
    assert_eq!(why(told(Some(&answer(503, heard)), LONG).await), "it answered with status 503");
    for body in ["", "fine", "{}", r#"{"revision":"5"}"#, r#"{"revision":-1}"#] {
        assert_eq!(why(told(Some(&answer(200, body)), LONG).await), "its answer is not {\"revision\": N}");
    }
    let silent = why(told(None, Duration::from_millis(200)).await);
    assert_eq!(silent, "no answer within 200 ms");
    let node = Node::new();
    let notify = Notify::at(&format!("http://127.0.0.1:{}", closed()), LONG).expect("an address");
    let refused = node.software.tell(&duties(1), Some(&notify)).await.expect("it is written");
    assert!(why(refused).contains("refused"));
}

#[test]
fn an_address_that_is_none_is_refused() {
    for address in ["", "kv", "/duties", "https://kv/", "http://", "ftp://kv/", "http://a b/"] {
        assert!(Notify::at(address, LONG).is_err(), "{address:?}");
    }
}
