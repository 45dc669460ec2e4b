//! What software prints is kept, and not all of it.

use std::fs;

use bowline_agent::{Exit, Launch, Limits, Software, tail};

use crate::world::{Node, exit, forever};

#[tokio::test]
async fn a_log_is_turned_over_while_software_prints_and_its_end_is_whole() {
    let node = Node::new();
    let limits = Limits { bytes: 8 << 10, files: 3 };
    let print = "i=0; while [ $i -lt 3000 ]; do echo \"line $i\"; i=$((i+1)); done; echo over >&2; exit 4";
    let launch = Launch { log: limits, ..node.script(print) };
    node.software.start(launch, forever()).await.expect("it starts");
    assert_eq!(exit(&node.ended().await), &Exit::Code(4));
    let log = node.home.log();
    let parts: Vec<_> =
        ["software.log.2", "software.log.1", "software.log"].map(|name| node.file(name)).into();
    let mut text = String::new();
    for part in &parts {
        let part = fs::read_to_string(part).expect("a part");
        assert!(part.len() as u64 <= limits.bytes);
        text += &part;
    }
    assert!(!node.file("software.log.3").exists());
    assert!(text.ends_with("line 2998\nline 2999\nover\n"));
    let numbers: Vec<u32> =
        text.lines().filter_map(|line| line.strip_prefix("line ")?.parse().ok()).collect();
    assert!(numbers.len() > 1000 && numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]));
    assert_eq!(tail(&log, 2).expect("a log"), ["line 2999", "over"]);
    // What ran before is not taken for the words of what runs now.
    node.start("exit 1").await;
    node.ended().await;
    assert_eq!(tail(&log, 2).expect("a log"), Vec::<String>::new());
}

#[tokio::test]
async fn software_does_not_wait_for_a_log_that_cannot_be_written() {
    let node = Node::new();
    // A directory is in its place.
    fs::create_dir(node.home.log()).expect("a directory");
    node.start("i=0; while [ $i -lt 20000 ]; do echo 'a line of some length'; i=$((i+1)); done; exit 6")
        .await;
    assert_eq!(exit(&node.ended().await), &Exit::Code(6));
}
