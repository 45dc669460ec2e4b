//! The `bash` blocks of README.md, run as they stand, with the real kubectl.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use bowline_e2e_hub::Scratch;
use bowline_e2e_hub::commands::{path, written};

#[test]
fn the_readmes_commands_work() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let script = written(&std::fs::read_to_string(root.join("README.md"))?, "bash");
    ensure!(script.contains("kubectl get widgets"), "the README shows how to use the hub");
    let scratch = Scratch::new("readme")?;
    std::os::unix::fs::symlink(root.canonicalize()?.join("examples"), scratch.join("examples"))?;
    // Whatever happens, the hub ends with the script, which ends all by itself if all goes well.
    let script = format!("set -e\ntrap 'left=$(jobs -pr); test -z \"$left\" || kill $left' EXIT\n{script}")
        .replace("cargo run --release -- ", "bowline ")
        // Ports may be taken.
        .replace("bowline up &", "bowline up --listen 127.0.0.1:0 &")
        .replace("127.0.0.1:7444", "127.0.0.1:0")
        .replace("127.0.0.1:7445", "127.0.0.1:0");
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(scratch.join(""))
        .env("PATH", path()?)
        .env("HOME", scratch.join(""))
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    for expected in [
        "large   9",
        "How large it is.",
        "its rule says no",
        "nobody has allowed that",
        "No version is started.",
        "deployment \"web\" successfully rolled out",
        "rolled back, exit code 1",
        "hello",
        "rejected, exit code 4",
        "1 to change",
        "+  greeting: good morning",
        "it is there, and not ready",
        "prod  not ready",
        "nodegroup.bowline.dev/tour condition met",
        "attempt 1; v2 serves",
        "nodegroup.bowline.dev \"tour\" deleted",
        "placement.bowline.dev/placement condition met",
        "pod/web-",
        "shop Granted: on west, in epoch ",
        "acknowledged by its syncer",
        "east, in epoch 1: from ",
        "This rests on:",
        "\"ended\": \"Released\"",
        "synctarget.bowline.dev/east condition met",
        "Fenced",
        "refused, exit code 4",
        "shop Granted: on east, in epoch ",
        "namespace \"shop\" deleted",
        "s3-reader  stalled",
        "waits for settings of AWS: start with --identity-cluster-name and --oidc-provider-arn",
        "arn:aws:iam::*:role/bowline-prod-*",
        "Stands:     ready: it is this hub itself",
    ] {
        ensure!(said.contains(expected), "{expected:?} is not in {said}");
    }
    Ok(())
}
