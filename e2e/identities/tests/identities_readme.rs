//! The commands about AWS of README.md and of docs/identities.md, run as they stand, with the real kubectl, on the strict IAM.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use bowline_e2e_aws::fake::{ACCESS_KEY, Fake};
use bowline_e2e_aws::moto::Moto;
use bowline_e2e_hub::Scratch;
use bowline_e2e_hub::commands::{path, written};
use bowline_e2e_hub::shown::{blocks, fits};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs what stands in a document for AWS, in a directory, and tells all that was said.
fn run(document: &str, fake: &Fake, scratch: &Scratch) -> Result<String> {
    let script = written(document, "sh").replace("cargo run --release -- ", "bowline ");
    // Nobody waits for a minute here.
    let script = script.replace("bowline up ", "bowline up --identity-settle-time 1s ");
    run_at(&script, &fake.endpoint(), scratch)
}

fn run_at(script: &str, endpoint: &str, scratch: &Scratch) -> Result<String> {
    // Whatever happens, what runs in the background ends with the script.
    let script = format!("set -e\ntrap 'kill $(jobs -p)' EXIT\n{script}")
        // The port may be taken.
        .replace("bowline up ", "bowline up --listen 127.0.0.1:0 ");
    let mut bash = Command::new("bash");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("AWS_")) {
        bash.env_remove(name);
    }
    let output = bash
        .args(["-c", &script])
        .current_dir(scratch.join(""))
        .env("PATH", path()?)
        .env("HOME", scratch.join(""))
        .env("AWS_REGION", "eu-central-1")
        .env("AWS_ACCESS_KEY_ID", ACCESS_KEY)
        .env("AWS_SECRET_ACCESS_KEY", "s")
        .env("AWS_ENDPOINT_URL", endpoint)
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    Ok(said)
}

fn has_said(said: &str, expected: &[&str]) -> Result<()> {
    // In their order: a later one must not be taken for an earlier one.
    let mut rest = said;
    for expected in expected {
        let (_, behind) =
            rest.split_once(expected).with_context(|| format!("{expected:?} is not in {said}"))?;
        rest = behind;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_readmes_commands_say_what_it_shows() -> Result<()> {
    let (fake, scratch) = (Fake::start().await?, Scratch::new("readme-aws")?);
    std::os::unix::fs::symlink(root().canonicalize()?.join("examples"), scratch.join("examples"))?;
    let document = std::fs::read_to_string(root().join("README.md"))?;
    let said = run(&document, &fake, &scratch)?;
    let blocks = blocks(&document, "sh");
    let shows = blocks.iter().find_map(|block| block.shows.as_deref()).context("it shows what they say")?;
    ensure!(fits(shows, &said), "the README shows\n{shows}and they say\n{said}");
    ensure!(fake.all().is_empty(), "{:?} are left", fake.all());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_commands_of_the_page_about_identities_work() -> Result<()> {
    let (fake, scratch) = (Fake::start().await?, Scratch::new("page-aws")?);
    let document = std::fs::read_to_string(root().join("docs/identities.md"))?;
    let manifest = written(&document, "yaml");
    ensure!(manifest.contains("name: s3-reader"), "{manifest}");
    std::fs::write(scratch.join("s3-reader.yaml"), manifest)?;
    let said = run(&document, &fake, &scratch)?;
    let expected =
        ["s3-reader created", "condition met", "bowline-prod-default-s3-reader-", "Stands:    ready"];
    has_said(&said, &expected)?;
    let printed = std::fs::read_to_string(scratch.join("policy.json"))?;
    ensure!(printed.contains("iam:CreateRole"), "{printed}");
    Ok(())
}

/// Nobody has to tell kubectl to wait for longer than it does by itself.
#[tokio::test(flavor = "multi_thread")]
async fn the_commands_for_who_tries_it_with_moto_work() -> Result<()> {
    let (moto, scratch) = (Moto::start()?, Scratch::new("page-moto")?);
    let document = std::fs::read_to_string(root().join("docs/identities.md"))?;
    std::fs::write(scratch.join("s3-reader.yaml"), written(&document, "yaml"))?;
    let script = written(&document, "bash");
    let waits = "kubectl wait --for=condition=Ready irsa/s3-reader\n";
    ensure!(script.contains(waits) && script.contains("http://127.0.0.1:5000"), "{script}");
    let script = script.replace("http://127.0.0.1:5000", &moto.endpoint());
    let said = run_at(&script, &moto.endpoint(), &scratch)?;
    let expected = [
        "s3-reader created",
        "condition met",
        "bowline-demo-default-s3-reader-",
        "serviceaccount/s3-reader",
        "Stands:    ready",
    ];
    has_said(&said, &expected)
}
