//! The `bash` blocks of README.md, run as they stand, with the real kubectl.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use bowline_e2e_hub::{Scratch, bowline};

/// All `bash` blocks of a document, one after the other.
fn script(document: &str) -> String {
    let mut script = String::new();
    let mut inside = false;
    for line in document.lines() {
        match line.strip_prefix("```") {
            Some(language) => inside = language == "bash",
            None if inside => {
                script.push_str(line);
                script.push('\n');
            }
            None => {}
        }
    }
    script
}

#[test]
fn the_readmes_commands_work() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let script = script(&std::fs::read_to_string(root.join("README.md"))?);
    ensure!(script.contains("kubectl get widgets"), "the README shows how to use the hub");
    let scratch = Scratch::new("readme")?;
    std::os::unix::fs::symlink(root.canonicalize()?.join("examples"), scratch.join("examples"))?;
    let kubectl = std::env::var_os(bowline_realkube::BINARIES)
        .context("run this by `cargo xtask test --only hub`, which builds kubectl first")?;
    let folder = bowline().parent().context("the binary is in a folder")?;
    let mut path = kubectl;
    path.push(":");
    path.push(folder);
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    // Whatever happens, the hub ends with the script.
    let script = format!("set -e\ntrap 'kill $(jobs -p)' EXIT\n{script}")
        .replace("cargo run --release -- ", "bowline ")
        // Ports may be taken.
        .replace("bowline up &", "bowline up --listen 127.0.0.1:0 &")
        .replace("127.0.0.1:7444", "127.0.0.1:0")
        .replace("127.0.0.1:7445", "127.0.0.1:0");
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(scratch.join(""))
        .env("PATH", path)
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
        "s3-reader  stalled",
        "waits for settings of AWS: start with --identity-cluster-name and --oidc-provider-arn",
        "arn:aws:iam::*:role/bowline-prod-*",
        "Stands:     ready: it is this hub itself",
    ] {
        ensure!(said.contains(expected), "{expected:?} is not in {said}");
    }
    Ok(())
}
