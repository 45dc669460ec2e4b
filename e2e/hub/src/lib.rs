//! The real binary as a hub, for tests that start it, talk to it and kill it.

pub mod commands;
mod kubectl;
pub mod shown;

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use bowline_realkube::{Client, Controllers, Employer, Request, Response, client_of_kubeconfig};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

pub use kubectl::{KUBECTL, Kubectl, Said};

/// Names the binary where it has been built already: `cargo xtask test` sets it, because what is built for all tests at once has
/// other features than the binary alone, and would be built again with all that it depends on.
pub const BINARY: &str = "BOWLINE_BINARY";

/// The binary, built in the profile of the tests.
///
/// # Panics
/// If it cannot be built.
pub fn bowline() -> &'static Path {
    static BOWLINE: OnceLock<PathBuf> = OnceLock::new();
    BOWLINE.get_or_init(|| match std::env::var_os(BINARY) {
        Some(binary) => binary.into(),
        None => build().expect("bowline can be built"),
    })
}

fn build() -> Result<PathBuf> {
    let mut cargo = Command::new(env!("CARGO"));
    // What cargo tells a test of its package would be told to build scripts, and these would all run again.
    let told = std::env::vars_os().map(|(name, _)| name);
    let told = told.filter(|name| ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|of| starts_with(name, of)));
    for name in told {
        cargo.env_remove(name);
    }
    let output = cargo
        .args(["build", "--locked", "--package", "bowline", "--message-format", "json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(output.status.success(), "cargo build failed");
    let messages = output.stdout.split(|byte| *byte == b'\n');
    let artifacts = messages.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let mut binaries = artifacts.filter_map(|message| message["executable"].as_str().map(PathBuf::from));
    binaries.find(|path| path.ends_with("bowline")).context("cargo names no binary")
}

fn starts_with(name: &OsStr, with: &str) -> bool {
    name.as_encoded_bytes().starts_with(with.as_bytes())
}

/// A directory that is gone when this is dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    /// An empty directory.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new(name: &str) -> Result<Scratch> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("bowline-{name}-{}-{count}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Scratch(path))
    }

    /// A path in it.
    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays behind is in the system's temporary directory.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What a process does beside serving.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Nothing: `bowline hub`.
    Hub,
    /// It runs the controllers: `bowline up`.
    Up,
}

impl Role {
    fn command(self) -> &'static str {
        match self {
            Role::Hub => "hub",
            Role::Up => "up",
        }
    }

    /// What it says last when it greets.
    fn last_words(self) -> &'static str {
        match self {
            Role::Hub => "kubectl get namespaces",
            Role::Up => "Ctrl-C ends it.",
        }
    }
}

/// A hub that runs. It is killed when this is dropped.
pub struct Hub {
    child: Child,
    data: PathBuf,
    kubeconfig: PathBuf,
    client: Client,
    greeting: String,
    /// What it has said since, unless that is in a file.
    said: Arc<Mutex<Vec<u8>>>,
}

impl Hub {
    /// Starts [`bowline`] on `data`, and waits until it listens.
    ///
    /// # Errors
    /// If it ends instead.
    pub fn start(data: &Path) -> Result<Hub> {
        Hub::start_with(bowline(), data)
    }

    /// The same with another binary.
    ///
    /// # Errors
    /// If it ends instead.
    pub fn start_with(binary: &Path, data: &Path) -> Result<Hub> {
        Hub::start_as(binary, Role::Hub, data)
    }

    /// The same in another role.
    ///
    /// # Errors
    /// If it ends instead.
    pub fn start_as(binary: &Path, role: Role, data: &Path) -> Result<Hub> {
        Hub::start_at(binary, role, data, "127.0.0.1:0")
    }

    /// The same, at this address.
    ///
    /// # Errors
    /// If it ends instead.
    pub fn start_at(binary: &Path, role: Role, data: &Path, listen: &str) -> Result<Hub> {
        Hub::start_by(Command::new(binary), role, data, listen)
    }

    /// Starts [`bowline`] by a line of the shell, which has its command line as `"$@"`.
    ///
    /// # Errors
    /// If it ends instead.
    pub fn start_in_shell(line: &str, data: &Path) -> Result<Hub> {
        let mut shell = Command::new("sh");
        shell.args(["-c", line, "sh"]).arg(bowline());
        Hub::start_by(shell, Role::Hub, data, "127.0.0.1:0")
    }

    /// Starts `up` like this; what the line has behind `"$@"` are further options.
    ///
    /// # Errors
    /// If it ends instead.
    pub fn start_up_in_shell(line: &str, data: &Path) -> Result<Hub> {
        let mut shell = Command::new("sh");
        shell.args(["-c", line, "sh"]).arg(bowline());
        Hub::start_by(shell, Role::Up, data, "127.0.0.1:0")
    }

    fn start_by(mut command: Command, role: Role, data: &Path, listen: &str) -> Result<Hub> {
        let mut child = command
            .arg(role.command())
            .arg("--data")
            .arg(data)
            .args(["--listen", listen])
            .stderr(Stdio::piped())
            .spawn()?;
        let mut said = BufReader::new(child.stderr.take().context("its stderr is piped")?);
        let greeting = match greeting(&mut said, role.last_words())? {
            Greeting::Whole(greeting) => greeting,
            Greeting::Ended(all) => bail!("the hub ended ({}): {all}", child.wait()?),
        };
        let later = Arc::default();
        let heard = Arc::clone(&later);
        std::thread::spawn(move || overhear(&mut said, &heard));
        let kubeconfig = data.join("admin.kubeconfig");
        let client = client_of_kubeconfig(&kubeconfig)?;
        Ok(Hub { child, data: data.to_owned(), kubeconfig, client, greeting, said: later })
    }

    /// Starts [`bowline`] on `data` so that it says all that it can say, into the file `log`; and waits until it listens.
    ///
    /// # Errors
    /// If it ends instead.
    pub fn start_verbose(data: &Path, log: &Path) -> Result<Hub> {
        let mut child = Command::new(bowline())
            .args(["hub", "--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .env("RUST_LOG", "trace")
            .env("RUST_BACKTRACE", "full")
            .stdout(fs::File::create(log.with_extension("out"))?)
            .stderr(fs::File::create(log)?)
            .spawn()?;
        let greeting = loop {
            let said = fs::read_to_string(log)?;
            if said.contains(Role::Hub.last_words()) {
                break said;
            }
            if let Some(status) = child.try_wait()? {
                bail!("the hub ended ({status}): {said}");
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        };
        let kubeconfig = data.join("admin.kubeconfig");
        let client = client_of_kubeconfig(&kubeconfig)?;
        Ok(Hub { child, data: data.to_owned(), kubeconfig, client, greeting, said: Arc::default() })
    }

    /// The lines of its audit log that are whole.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn audit(&self) -> Result<Vec<Value>> {
        let log = fs::read_to_string(self.data.join("audit.log"))?;
        let whole = log.rsplit_once('\n').map_or("", |(whole, _)| whole);
        whole.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
    }

    /// Starts the real kube-controller-manager of `binaries` for it; what that keeps goes to `dir`.
    ///
    /// # Errors
    /// If it does not start.
    pub fn controllers(&self, binaries: &Path, dir: &Path) -> Result<Controllers> {
        let employer = Employer {
            url: &format!("https://{}", self.client.authority()),
            ca: &self.data.join("ca.crt"),
            ca_key: &self.data.join("ca.key"),
            tokens_key: &self.data.join("service-accounts.key"),
        };
        Ok(Controllers::start_with(binaries, dir, &employer)?)
    }

    /// What it said when it listened.
    pub fn greeting(&self) -> &str {
        &self.greeting
    }

    /// What it has said since, so far.
    pub fn said(&self) -> String {
        String::from_utf8_lossy(&self.said.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }

    /// How its administrator reaches it.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// A client that is its administrator.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// `kill -9`.
    ///
    /// # Errors
    /// If it is no longer there.
    pub fn kill(mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// SIGTERM, and waits for its end.
    ///
    /// # Errors
    /// If it does not end well.
    pub fn terminate(mut self) -> Result<()> {
        kill(Pid::from_raw(i32::try_from(self.child.id())?), Signal::SIGTERM)?;
        let status = self.child.wait()?;
        ensure!(status.success(), "the hub ended with {status}");
        Ok(())
    }

    /// The status and the text of a page.
    ///
    /// # Errors
    /// If there is no answer.
    pub fn page(&self, path: &str) -> Result<(u16, String)> {
        let response = self.client.send(&Request::new("GET", path))?;
        Ok((response.status, response.text()))
    }

    /// Sends a request with a JSON body.
    ///
    /// # Errors
    /// If there is no answer.
    pub fn send(&self, method: &str, path: &str, body: &Value) -> Result<(u16, Value)> {
        let request = Request::new(method, path);
        let request =
            if body.is_null() { request } else { request.body("application/json", body.to_string()) };
        parse(&self.client.send(&request)?)
    }
}

/// Keeps whatever a hub says later, and shows it with the test's own output.
fn overhear(said: &mut impl BufRead, heard: &Mutex<Vec<u8>>) {
    let mut line = Vec::new();
    while said.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        // Where nobody looks at it any more, it is kept all the same.
        let _ = std::io::stderr().write_all(&line);
        heard.lock().unwrap_or_else(PoisonError::into_inner).append(&mut line);
    }
}

/// What a hub says first.
#[derive(Debug, PartialEq, Eq)]
enum Greeting {
    /// That it listens, in these words.
    Whole(String),
    /// Something else, and nothing after it.
    Ended(String),
}

/// Reads what a hub says when it listens, up to the empty line that ends it, after its last words.
fn greeting(said: &mut impl BufRead, last_words: &str) -> std::io::Result<Greeting> {
    let mut all = String::new();
    loop {
        let from = all.len();
        if said.read_line(&mut all)? == 0 {
            return Ok(Greeting::Ended(all));
        }
        if all[..from].contains(last_words) && all[from..].trim().is_empty() {
            return Ok(Greeting::Whole(all));
        }
    }
}

/// The status and the JSON of an answer.
///
/// # Errors
/// If it is not JSON.
pub fn parse(response: &Response) -> Result<(u16, Value)> {
    let value = serde_json::from_slice(&response.body).with_context(|| response.text())?;
    Ok((response.status, value))
}

impl Drop for Hub {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_after_the_greeting_is_all_that_is_left_to_show() -> Result<()> {
        let greeting_text = "The hub listens on x.\n\n  export KUBECONFIG=y\n  kubectl get namespaces\n\n";
        let said = format!("{greeting_text}SIGTERM: the hub ends\n");
        let mut rest = said.as_bytes();
        let whole = Greeting::Whole(greeting_text.to_owned());
        assert_eq!(greeting(&mut rest, Role::Hub.last_words())?, whole);
        assert_eq!(rest, b"SIGTERM: the hub ends\n");
        assert_eq!(greeting(&mut &b"no\n"[..], "no")?, Greeting::Ended("no\n".to_owned()));
        Ok(())
    }
}
