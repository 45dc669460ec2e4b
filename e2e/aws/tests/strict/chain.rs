//! Region and credentials, found as AWS's tools find them, by a process of its own: nothing else has an environment in
//! which they are.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result};
use bowline_aws::{Iam, NewRole};
use bowline_e2e_aws::fake::{ACCESS_KEY, Fake, SESSION_SECRET, SESSION_TOKEN};
use tokio::process::Command;

use crate::bed;
use crate::cases::bed::Bed;

/// What the process has said, and what it has logged.
struct Said {
    answer: String,
    log: String,
}

/// Runs it with these variables and no others of AWS's. Unless they say where, no machine is asked for its metadata.
async fn whoami(endpoint: Option<&str>, variables: &[(&str, &str)]) -> Result<Said> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_whoami"));
    command.env_clear().env("RUST_LOG", "trace").env("HOME", "/nonexistent");
    command.env("AWS_EC2_METADATA_DISABLED", "true").envs(variables.iter().copied());
    command.args(endpoint).stdin(Stdio::null());
    let output = command.output().await?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim().to_owned();
    Ok(Said { answer: text(output.stdout), log: text(output.stderr) })
}

fn fake(bed: &Bed) -> Result<&Fake> {
    bed.fake.as_ref().context("it is the strict one")
}

const US: &str = "arn:aws:iam::123456789012:user/bowline";
const SECRET: &str = "a-secret-key";

#[tokio::test]
async fn keys_in_the_environment() -> Result<()> {
    let bed = bed().await?;
    let endpoint = fake(&bed)?.endpoint();
    let keys = [("AWS_ACCESS_KEY_ID", ACCESS_KEY), ("AWS_SECRET_ACCESS_KEY", SECRET)];
    let said = whoami(Some(&endpoint), &keys).await?;
    assert_eq!(said.answer, US, "{}", said.log);
    assert!(!said.log.contains(SECRET), "{}", said.log);
    // The endpoint may be there too, and then the region has to be.
    let elsewhere = [("AWS_ENDPOINT_URL", endpoint.as_str()), ("AWS_REGION", "eu-west-1")];
    let said = whoami(None, &[keys, elsewhere].concat()).await?;
    assert_eq!(said.answer, US, "{}", said.log);
    Ok(())
}

#[tokio::test]
async fn a_profile_of_the_files() -> Result<()> {
    let bed = bed().await?;
    let files = Files::new()?;
    let credentials = format!("[p]\naws_access_key_id = {ACCESS_KEY}\naws_secret_access_key = {SECRET}\n");
    let config = format!("[profile p]\nregion = eu-west-1\nendpoint_url = {}\n", fake(&bed)?.endpoint());
    let (credentials, config) = (files.write("credentials", &credentials)?, files.write("config", &config)?);
    let files = [("AWS_SHARED_CREDENTIALS_FILE", credentials.as_str()), ("AWS_CONFIG_FILE", &config)];
    let said = whoami(None, &[&files[..], &[("AWS_PROFILE", "p")]].concat()).await?;
    assert_eq!(said.answer, US, "{}", said.log);
    assert!(!said.log.contains(SECRET), "{}", said.log);
    Ok(())
}

/// As in a pod whose service account has a role: the token is shown to STS, and what STS gives is used.
#[tokio::test]
async fn the_web_identity_of_a_service_account() -> Result<()> {
    let bed = bed().await?;
    let role = NewRole { path: "/".to_owned(), ..bed.role("hub") };
    let role = bed.client.create_role(&role).await?.arn;
    let shown = bed.token()?;
    let files = Files::new()?;
    let file = files.write("token", &shown)?;
    let endpoint = fake(&bed)?.endpoint();
    let variables = [
        ("AWS_ENDPOINT_URL", endpoint.as_str()),
        ("AWS_REGION", "eu-west-1"),
        ("AWS_ROLE_ARN", &role),
        ("AWS_WEB_IDENTITY_TOKEN_FILE", &file),
    ];
    fake(&bed)?.forget_calls();
    let said = whoami(None, &variables).await?;
    assert_eq!(said.answer, US, "{}", said.log);
    let calls: Vec<_> = fake(&bed)?.calls().into_iter().map(|call| call.action).collect();
    assert_eq!(calls, ["AssumeRoleWithWebIdentity", "GetCallerIdentity"]);
    for secret in [shown.as_str(), SESSION_SECRET, SESSION_TOKEN] {
        assert!(!said.log.contains(secret), "{}", said.log);
    }
    Ok(())
}

/// As on a machine in AWS that has a role: it is asked for its region and its credentials.
#[tokio::test]
async fn the_role_of_a_machine() -> Result<()> {
    let bed = bed().await?;
    let endpoint = fake(&bed)?.endpoint();
    let variables = [
        ("AWS_EC2_METADATA_DISABLED", "false"),
        ("AWS_EC2_METADATA_SERVICE_ENDPOINT", endpoint.as_str()),
        ("AWS_ENDPOINT_URL", &endpoint),
    ];
    let said = whoami(None, &variables).await?;
    assert_eq!(said.answer, US, "{}", said.log);
    for secret in [SESSION_SECRET, SESSION_TOKEN] {
        assert!(!said.log.contains(secret), "{}", said.log);
    }
    Ok(())
}

#[tokio::test]
async fn without_any_it_is_said_what_to_set() -> Result<()> {
    let said = whoami(None, &[]).await?;
    assert!(said.answer.starts_with("unset: ") && said.answer.contains("AWS_REGION"), "{}", said.answer);
    let said = whoami(Some("http://127.0.0.1:1"), &[]).await?;
    assert!(said.answer.starts_with("InvalidCredentials: "), "{}", said.answer);
    assert!(said.answer.contains("AWS_WEB_IDENTITY_TOKEN_FILE"), "{}", said.answer);
    Ok(())
}

/// A directory that goes with the test.
struct Files(std::path::PathBuf);

impl Files {
    fn new() -> Result<Files> {
        static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("aws-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Files(path))
    }

    fn write(&self, name: &str, text: &str) -> Result<String> {
        let path = self.0.join(name);
        std::fs::write(&path, text)?;
        Ok(path.display().to_string())
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        // What stays behind is in the build's own directory.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
