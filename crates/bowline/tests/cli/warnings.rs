//! What a hub says of its directory when it starts on one that is not as it left it.
#![cfg(target_os = "linux")]

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use super::{Ran, bowline, folder};

/// Runs a hub until it has greeted, ends it, and gives what it has said before the greeting.
#[track_caller]
fn start(data: &Path) -> String {
    let mut command = bowline();
    command.args(["hub", "--listen", "127.0.0.1:0", "--data"]).arg(data);
    let mut child = command.stderr(Stdio::piped()).spawn().expect("the binary starts");
    let mut lines = BufReader::new(child.stderr.take().expect("it is a pipe")).lines().map_while(Result::ok);
    let (mut said, mut greeted) = (String::new(), false);
    for line in &mut lines {
        greeted = line.starts_with("The hub listens on ");
        if greeted {
            break;
        }
        said.push_str(&line);
        said.push('\n');
    }
    assert!(greeted, "it did not start: {said}");
    // It listens for signals before it greets.
    let ended = Command::new("sh").args(["-c", &format!("kill -TERM {}", child.id())]).status();
    assert!(ended.expect("sh").success());
    lines.for_each(drop);
    assert!(child.wait().expect("the process ends").success());
    said
}

/// Starts a hub that was changed, which has to say all of this once, and nothing the next time.
#[track_caller]
fn warns(data: &Path, words: &[&str]) {
    let said = start(data);
    for words in words {
        assert!(said.contains(words), "no {words:?} in\n{said}");
    }
    assert_eq!(said.matches(" WARN ").count(), 1, "{said}");
    assert_eq!(start(data), "");
}

#[test]
fn keys_that_others_can_read_are_named_with_what_mends_it() {
    let data = folder("warnings-modes").join("hub");
    assert_eq!(start(&data), "");
    let set = |name: &str, mode: u32| {
        fs::set_permissions(data.join(name), Permissions::from_mode(mode)).expect("it is ours");
    };
    for name in ["secrets.key", "ca.key", "service-accounts.key", "admin.kubeconfig"] {
        set(name, 0o644);
        let said = start(&data);
        let mends = format!("chmod 600 {}\n", data.join(name).display());
        // It is written anew with another port, and is its owner's again.
        assert!(said.contains("(mode 0644)") && said.contains(&mends), "{said}");
        assert_eq!(said.matches(" WARN ").count(), 1, "{said}");
        set(name, 0o600);
    }
    set("", 0o777);
    let said = start(&data);
    assert!(said.contains(&format!("chmod 700 {}", data.display())), "{said}");
    set("", 0o755);
    assert_eq!(start(&data), "", "to see names is no harm");
}

#[test]
fn a_key_of_tokens_that_is_gone_is_said() {
    let data = folder("warnings-tokens").join("hub");
    assert_eq!(start(&data), "");
    fs::remove_file(data.join("service-accounts.key")).expect("it is there");
    warns(&data, &["service-accounts.key was not there", "no token of a service account of before is good"]);
}

#[test]
fn a_log_that_was_removed_or_emptied_is_said() {
    let data = folder("warnings-log").join("hub");
    let log = data.join("audit.log");
    assert_eq!(start(&data), "");
    fs::remove_file(&log).expect("it is there");
    warns(&data, &["there is no line in the audit log", "audit.log"]);
    fs::write(&log, "").expect("it is ours");
    warns(&data, &["there is no line in the audit log", "audit.log"]);
}

#[test]
fn a_damaged_file_of_what_was_acknowledged_is_said() {
    let data = folder("warnings-acknowledged").join("hub");
    assert_eq!(start(&data), "");
    let file = data.join("acknowledged");
    for damage in [&b""[..], b"nothing that a hub has written"] {
        let whole = fs::read(&file).expect("it is there");
        fs::write(&file, damage).expect("it is ours");
        let said = start(&data);
        assert!(said.contains("the file `acknowledged` is damaged"), "{said}");
        fs::write(&file, whole).expect("it is ours");
        assert_eq!(start(&data), "");
    }
    // Who removes it wants to go on with what is left.
    fs::remove_file(&file).expect("it is there");
    assert_eq!(start(&data), "");
}

#[test]
fn a_backup_takes_the_place_of_nothing_but_a_file() {
    let folder = folder("backup-over");
    let (fifo, link, target) = (folder.join("fifo"), folder.join("link"), folder.join("target"));
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("mkfifo").success());
    fs::write(&target, "precious").expect("a file");
    symlink(&target, &link).expect("a link");
    for path in [&fifo, &link, &folder] {
        for force in [&["--force"][..], &[]] {
            let output = bowline().arg("backup").arg(path).args(force).output().expect("the binary starts");
            let says = format!("{} is there, and is no regular file", path.display());
            Ran::new(&output).exits(2).notes(&says);
        }
    }
    assert!(fs::symlink_metadata(&fifo).expect("it is there").file_type().is_fifo());
    assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
}

#[test]
fn a_backup_takes_the_place_of_no_store() {
    let data = folder("backup-store").join("hub");
    start(&data);
    let store = data.join("hub.redb");
    let before = fs::read(&store).expect("it is there");
    let output = bowline().arg("backup").arg(&store).arg("--force").output().expect("the binary starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.code() == Some(2) && said.contains("is the store of a hub, and no backup"),
        "{said}"
    );
    assert!(fs::read(&store).expect("it is there") == before, "it was left as it is");
}
