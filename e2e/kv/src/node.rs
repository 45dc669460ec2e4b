//! A process of the software, started and told as the agent does it: for tests and measurements where there is no agent.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use http::StatusCode;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::duties::{self, Acting, Duties, Who};
use crate::http::{ask, request};
use crate::server::GREETING;

/// Names the binary where it has been built already.
pub const BINARY: &str = "BOWLINE_KV";

/// The binary `kv`, built in the profile of the tests: for tests of other crates, for which cargo does not build it.
///
/// # Panics
/// If it cannot be built.
pub fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| match std::env::var_os(BINARY) {
        Some(binary) => binary.into(),
        None => build().expect("kv can be built"),
    })
}

fn build() -> Result<PathBuf> {
    let mut cargo = Command::new(env!("CARGO"));
    // What cargo tells a test of its package would be told to build scripts, and these would all run again.
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(name);
        }
    }
    let output = cargo
        .args(["build", "--locked", "--package", env!("CARGO_PKG_NAME"), "--bin", "kv"])
        .args(["--message-format", "json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(output.status.success(), "cargo build failed");
    let messages = output.stdout.split(|byte| *byte == b'\n');
    let artifacts = messages.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let mut binaries = artifacts.filter_map(|message| message["executable"].as_str().map(PathBuf::from));
    binaries.find(|path| path.ends_with("kv")).context("cargo names no binary")
}

/// How to start a process.
#[derive(Clone, Debug)]
pub struct Start<'a> {
    /// The binary.
    pub program: &'a Path,
    /// Who it is.
    pub who: Who,
    /// Where to listen; port 0 is any that is free.
    pub listen: SocketAddr,
    /// Where the devices are.
    pub devices: &'a Path,
    /// Where its duties are.
    pub duties: &'a Path,
    /// Further arguments.
    pub args: &'a [&'a str],
}

/// A process that runs. It is killed when this is dropped.
pub struct Node {
    child: Child,
    address: SocketAddr,
    who: Who,
    duties: PathBuf,
}

impl Node {
    /// Starts one, and waits until it listens.
    ///
    /// # Errors
    /// If it ends instead.
    pub fn start(start: &Start) -> Result<Node> {
        let mut child = Command::new(start.program)
            .arg("--listen")
            .arg(start.listen.to_string())
            .arg("--devices")
            .arg(start.devices)
            .args(["--as", &start.who.version])
            .args(start.args)
            .env(duties::GROUP, &start.who.group)
            .env(duties::MEMBER, &start.who.member)
            .env(duties::VERSION, &start.who.version)
            .env(duties::FILE, start.duties)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut greeting = String::new();
        BufReader::new(child.stdout.take().context("its stdout is piped")?).read_line(&mut greeting)?;
        let Some(address) = greeting.strip_prefix(GREETING) else {
            bail!("it ended ({}) and had said {greeting:?}", child.wait()?);
        };
        let address = address.trim().parse()?;
        Ok(Node { child, address, who: start.who.clone(), duties: start.duties.to_owned() })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The duties of this member with that revision: nothing yet.
    pub fn duties(&self, revision: u64) -> Duties {
        let Who { group, member, version } = self.who.clone();
        Duties { group, member, version, revision, ..Duties::default() }
    }

    /// Puts duties into its file.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(&self, duties: &Duties) -> Result<()> {
        Ok(duties.write(&self.duties)?)
    }

    /// Puts duties into its file, and tells it so. It says what it does then.
    ///
    /// # Errors
    /// If it does not answer, or refuses them.
    pub async fn tell(&self, duties: &Duties) -> Result<Acting> {
        self.write(duties)?;
        self.post(duties).await
    }

    /// Only tells it.
    ///
    /// # Errors
    /// If it does not answer, or refuses them.
    pub async fn post(&self, duties: &Duties) -> Result<Acting> {
        let (status, body) = self.ask("POST", "/duties", &serde_json::to_string(duties)?).await?;
        ensure!(status == StatusCode::OK, "{status}: {body}");
        Ok(serde_json::from_str(&body)?)
    }

    /// Asks it something.
    ///
    /// # Errors
    /// If it does not answer.
    pub async fn ask(&self, method: &str, path: &str, body: &str) -> Result<(StatusCode, String)> {
        let answer = ask(self.address, request(method, path, body.to_owned())).await?;
        Ok((answer.status(), String::from_utf8(answer.body().to_vec())?))
    }

    /// `kill -9`, and waits for its end.
    ///
    /// # Errors
    /// If it is no longer there.
    pub fn kill(mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Sends it a signal.
    ///
    /// # Errors
    /// If it is no longer there.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        Ok(kill(Pid::from_raw(i32::try_from(self.child.id())?), signal)?)
    }

    /// SIGTERM, and waits for its end.
    ///
    /// # Errors
    /// If it does not end within this time.
    pub fn terminate(mut self, within: Duration) -> Result<ExitStatus> {
        self.signal(Signal::SIGTERM)?;
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            ensure!(began.elapsed() < within, "it did not end in {within:?}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
