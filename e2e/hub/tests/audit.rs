//! `bowline hub audit verify` as people use it: on logs that are as they were written, and on such that are not.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;

use anyhow::{Context, Result, ensure};
use bowline_e2e_hub::{Hub, Scratch, bowline};
use bowline_realkube::{Client, Request};
use serde_json::{Value, json};

const SECRETS: &str = "/api/v1/namespaces/default/secrets";

fn verify(files: &[&Path], head: Option<&str>) -> Result<Output> {
    let mut command = Command::new(bowline());
    command.args(["hub", "audit", "verify"]).args(files);
    if let Some(head) = head {
        command.args(["--head", head]);
    }
    Ok(command.output()?)
}

/// What it said: on stdout, and on stderr.
fn said(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[track_caller]
fn ends_with(output: &Output, code: i32, out: &str, words: &[&str]) {
    let (told, noted) = said(output);
    assert_eq!(output.status.code(), Some(code), "{told}{noted}");
    assert!(told.contains(out), "{out}: {told}{noted}");
    for words in words {
        assert!(noted.contains(words), "{words}: {told}{noted}");
    }
    assert!(!noted.is_empty() || code == 0, "it says why");
}

/// What it printed as the head.
fn head(output: &Output) -> Result<String> {
    let (told, _) = said(output);
    let head = told.lines().find_map(|line| line.strip_prefix("head: ")).context(told.clone())?;
    Ok(head.to_owned())
}

fn secret(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": name } })
}

/// A hub's log of a few writes, after its end; and where the hub was.
fn log(scratch: &Scratch) -> Result<PathBuf> {
    let data = scratch.join("hub");
    let hub = Hub::start(&data)?;
    for number in 0..5 {
        let (code, made) = hub.send("POST", SECRETS, &secret(&format!("s{number}")))?;
        ensure!(code == 201, "{made}");
    }
    hub.terminate()?;
    Ok(data.join("audit.log"))
}

#[test]
fn a_log_that_somebody_changed_is_found_out_and_where() -> Result<()> {
    let scratch = Scratch::new("audit")?;
    let log = log(&scratch)?;
    let whole = fs::read_to_string(&log)?;
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let count = lines.len();
    let good = verify(&[&log], None)?;
    ends_with(&good, 0, &format!("lines 1 to {count} ({count}) are as they were written, from 20"), &[]);
    let head = head(&good)?;
    ends_with(&verify(&[&log], Some(&head))?, 0, &head, &[]);
    // It is found in a copy, beside which nothing of the hub is.
    let copy = scratch.join("copy.log");
    let place = |line: usize| format!("{}:{line}: ", copy.display());
    let check = |text: &str, with: Option<&str>, code: i32, out: &str, words: &[&str]| -> Result<()> {
        fs::write(&copy, text)?;
        ends_with(&verify(&[&copy], with)?, code, out, words);
        Ok(())
    };
    let advice = "compare them with a copy of the log";
    let victim = lines.iter().position(|line| line.contains("\"s2\"")).context("it has its line")?;
    let (number, before) = (victim + 1, format!("lines 1 to {victim} ({victim}) are"));
    let changed = whole.replacen("\"s2\"", "\"s9\"", 1);
    check(&changed, None, 1, &before, &[&place(number), "its hash does not fit what it says", advice])?;
    let removed = [&lines[..victim], &lines[victim + 1..]].concat().concat();
    let missing = format!("line {number} was removed, or its file is not named");
    check(&removed, None, 1, &before, &[&place(number), &missing, advice])?;
    let removed = [&lines[..2], &lines[victim + 1..]].concat().concat();
    let missing = format!("lines 3 to {number} were removed");
    check(&removed, None, 1, "lines 1 to 2 (2) are", &[&place(3), &missing, advice])?;
    let moved = [&lines[..victim], &lines[..1], &lines[victim..]].concat().concat();
    let words = format!("it is line 1 of the log, and comes after line {victim}: it was put in or moved");
    check(&moved, None, 1, &before, &[&place(number), &words])?;
    // What was cut off at the end is missed only by who knows the head, and what is half a line by everybody.
    let cut = lines[..count - 1].concat();
    let left = format!("lines 1 to {} ({}) are", count - 1, count - 1);
    check(&cut, None, 0, &left, &[])?;
    check(&cut, Some(&head), 1, &left, &[&head, "the end was cut off, or this is another log", advice])?;
    let half = &whole[..whole.len() - 10];
    check(half, None, 3, &left, &["The last line is not whole", "mends it when it starts"])?;
    check(half, Some(&head), 1, &left, &["the end was cut off"])?;
    let begun = &whole[..100];
    check(begun, None, 3, "0 lines", &["The last line is not whole (100 bytes)"])?;
    check("", None, 1, "0 lines", &["there is no line: all of them were cut off"])?;
    // What comes before is told, and may have been put aside and removed.
    let tail = lines[2..].concat();
    check(&tail, None, 0, "2 lines before them are not in these files", &[])
}

#[test]
fn a_file_that_is_none_is_told_from_one_that_was_changed() -> Result<()> {
    let scratch = Scratch::new("none")?;
    let log = log(&scratch)?;
    let none = scratch.join("none.log");
    let advice = "Name the files of an audit log: audit.log of the hub's directory";
    let place = format!("{} cannot be verified: ", none.display());
    ends_with(&verify(&[&none], None)?, 2, "", &[&place, "No such file", advice]);
    ends_with(&verify(&[&log, &none], None)?, 2, "", &[&place, "No such file", advice]);
    let binary: Vec<u8> = (0..=255).cycle().take(10_000).filter(|byte| *byte != b'\n').collect();
    for wrong in [&b"{}\n{}\n"[..], b"hello", b"{\"kind\":\"Event\"}\n", &binary] {
        fs::write(&none, wrong)?;
        ends_with(&verify(&[&log, &none], None)?, 2, "", &[&place, "it is not an audit log", advice]);
    }
    let directory = scratch.join("hub");
    ends_with(&verify(&[&directory], None)?, 2, "", &["cannot be verified", "directory", advice]);
    ends_with(&verify(&[&log], Some("abc"))?, 2, "", &["64 digits of a SHA-256 hash"]);
    ends_with(&verify(&[], None)?, 2, "", &["FILE"]);
    ends_with(&verify(&[&log, &log], None)?, 1, "", &["a file is named twice"]);
    Ok(())
}

/// Asks for Secrets that nobody has: each has a line that is as long as one can be.
fn ask(client: &Client, count: usize) -> Result<()> {
    let path = format!("{SECRETS}/{}", "x".repeat(400));
    for _ in 0..count {
        let request = Request::new("GET", &path).header("user-agent", &"y".repeat(500));
        ensure!(client.send(&request)?.status == 404);
    }
    Ok(())
}

#[test]
fn a_log_in_several_files_is_one_chain() -> Result<()> {
    let scratch = Scratch::new("rotated")?;
    let data = scratch.join("hub");
    let hub = Hub::start_in_shell("exec \"$@\" --audit-log-maxsize 1", &data)?;
    let aside = || -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&data)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with("audit-") && name.ends_with(".log") {
                found.push(path);
            }
        }
        found.sort_unstable();
        Ok(found)
    };
    while aside()?.len() < 2 {
        let asking = [(); 4].map(|()| {
            let client = hub.client().clone();
            thread::spawn(move || ask(&client, 25))
        });
        for asked in asking {
            asked.join().map_err(|_| anyhow::anyhow!("a client panicked"))??;
        }
    }
    hub.kill()?;
    let (aside, current) = (aside()?, data.join("audit.log"));
    let all: Vec<&Path> = aside.iter().map(PathBuf::as_path).chain([&*current]).collect();
    let mut count = 0;
    for file in &all {
        count += fs::read_to_string(file)?.lines().count();
    }
    let good = verify(&all, None)?;
    ends_with(&good, 0, &format!("lines 1 to {count} ({count}) are"), &[]);
    let head = head(&good)?;
    let backwards: Vec<&Path> = all.iter().rev().copied().collect();
    ends_with(&verify(&backwards, Some(&head))?, 0, &head, &[]);
    // A file in the middle is missing, or not whole.
    let place = format!("{}:1: ", all[2].display());
    ends_with(
        &verify(&[all[0], all[2]], None)?,
        1,
        "lines 1 to",
        &[&place, "were removed, or their file is not named"],
    );
    let text = fs::read_to_string(all[1])?;
    fs::write(all[1], text.trim_end())?;
    let last = format!("{}:{}: ", all[1].display(), text.lines().count());
    ends_with(&verify(&all, None)?, 1, "lines 1 to", &[&last, "it is cut off, and other files follow"]);
    Ok(())
}
