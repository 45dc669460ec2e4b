//! The agent of a node as a process, and what it leaves behind when it is killed: a shim, and software.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bowline_e2e_hub::bowline;
use bowline_e2e_up::until;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

/// How an agent is started.
#[derive(Clone, Debug)]
pub struct Way {
    /// The group.
    pub group: String,
    /// The member.
    pub member: String,
    /// What it reaches the hub by.
    pub kubeconfig: PathBuf,
    /// Where agents keep what they have.
    pub data: PathBuf,
    /// The address of its software.
    pub address: String,
    /// How long its lease lasts.
    pub lease: String,
}

/// An agent. When this is dropped it is killed, with all that it has started.
pub struct Agent {
    way: Way,
    child: Option<Child>,
}

impl Agent {
    /// Starts it. What it says goes to a file.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(way: Way) -> Result<Agent> {
        let mut agent = Agent { way, child: None };
        agent.live()?;
        Ok(agent)
    }

    /// Starts it again.
    ///
    /// # Errors
    /// If it cannot be started, or runs.
    pub fn live(&mut self) -> Result<()> {
        ensure!(self.child.is_none(), "it runs");
        let Way { group, member, kubeconfig, data, address, lease } = &self.way;
        std::fs::create_dir_all(data)?;
        let said = File::options().create(true).append(true).open(self.log())?;
        let child = Command::new(bowline())
            .args([
                "agent",
                "node",
                "--group",
                group,
                "--member",
                member,
                "--address",
                address,
                "--lease",
                lease,
            ])
            .arg("--kubeconfig")
            .arg(kubeconfig)
            .arg("--data")
            .arg(data)
            .stdin(Stdio::null())
            .stdout(said.try_clone()?)
            .stderr(said)
            .spawn()?;
        self.child = Some(child);
        Ok(())
    }

    /// How long its lease lasts in its next life.
    pub fn lease(&mut self, lease: &str) {
        lease.clone_into(&mut self.way.lease);
    }

    pub(crate) fn way(&self) -> &Way {
        &self.way
    }

    fn log(&self) -> PathBuf {
        self.way.data.join(format!("{}-{}.agent.log", self.way.group, self.way.member))
    }

    /// What it has said, over all its lives.
    pub fn said(&self) -> String {
        std::fs::read_to_string(self.log()).unwrap_or_default()
    }

    /// What its software has said.
    pub fn software_said(&self) -> String {
        std::fs::read_to_string(self.home().join("software.log")).unwrap_or_default()
    }

    /// The directory of the member.
    pub fn home(&self) -> PathBuf {
        self.way.data.join(format!("{}-{}", self.way.group, self.way.member))
    }

    /// `kill -9` of the agent alone.
    ///
    /// # Errors
    /// If it does not run.
    pub fn kill(&mut self) -> Result<()> {
        let mut child = self.child.take().context("it does not run")?;
        child.kill()?;
        child.wait()?;
        Ok(())
    }

    /// Sends a signal to the agent alone.
    ///
    /// # Errors
    /// If it does not run.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        let child = self.child.as_ref().context("it does not run")?;
        Ok(kill(Pid::from_raw(i32::try_from(child.id())?), signal)?)
    }

    /// Waits for its end, and tells its exit code.
    ///
    /// # Errors
    /// If it does not run, or does not end.
    pub fn wait(&mut self) -> Result<Option<i32>> {
        let child = self.child.as_mut().context("it does not run")?;
        let mut ended = None;
        until("the agent ends", || {
            ended = child.try_wait()?;
            Ok(if ended.is_some() { Ok(()) } else { Err("it runs".to_owned()) })
        })?;
        self.child = None;
        Ok(ended.and_then(|ended| ended.code()))
    }

    /// What the shim says.
    ///
    /// # Errors
    /// If there is none.
    pub fn shim(&self) -> Result<Value> {
        ask(&self.home(), &json!({ "do": "status" }))
    }

    /// The process of the software, if it runs.
    ///
    /// # Errors
    /// If there is no shim.
    pub fn pid(&self) -> Result<Option<Pid>> {
        let pid = self.shim()?["run"]["pid"].as_i64();
        pid.map(|pid| Ok(Pid::from_raw(i32::try_from(pid)?))).transpose()
    }

    /// `kill -9` of the software.
    ///
    /// # Errors
    /// If it does not run.
    pub fn kill_software(&self) -> Result<()> {
        let pid = self.pid()?.context("the software does not run")?;
        Ok(kill(pid, Signal::SIGKILL)?)
    }

    /// `kill -9` of the shim.
    ///
    /// # Errors
    /// If there is none.
    pub fn kill_shim(&self) -> Result<()> {
        let pid = self.shim()?["shim"].as_i64().context("a shim")?;
        Ok(kill(Pid::from_raw(i32::try_from(pid)?), Signal::SIGKILL)?)
    }
}

/// Asks the shim of a directory.
fn ask(home: &Path, request: &Value) -> Result<Value> {
    let mut stream = UnixStream::connect(home.join("shim.sock"))?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    stream.write_all(format!("{request}\n").as_bytes())?;
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer)?;
    let answer: Value = serde_json::from_str(&answer)?;
    Ok(answer["status"].clone())
}

impl Drop for Agent {
    fn drop(&mut self) {
        // It may have ended already; then there may be no shim, either.
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
        let home = self.home();
        let _ = ask(&home, &json!({ "do": "kill" }));
        let runs = || {
            ask(&home, &json!({ "do": "status" }))
                .is_ok_and(|status| status["run"]["end"].is_null() && !status["run"].is_null())
        };
        let began = std::time::Instant::now();
        while runs() && began.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = ask(&home, &json!({ "do": "end" }));
        if std::thread::panicking() || std::env::var_os("BOWLINE_TALKS").is_some() {
            eprintln!(
                "--- the agent of {} said:\n{}--- its software:\n{}",
                self.way.member,
                self.said(),
                self.software_said()
            );
        }
    }
}
