//! A directory of a member, software in it, and eyes for processes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bowline_agent::{
    Env, Exit, Fence, Home, Launch, Limits, Local, Phase, Run, Shim, Software, Status, embed,
};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// How long anything may take that has to happen.
const PATIENCE: Duration = Duration::from_secs(60);

/// The roles of the binary.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_bowline-agent-under-test");

/// A member on a node.
pub(crate) struct Node {
    pub(crate) home: Home,
    pub(crate) software: Local,
}

impl Node {
    pub(crate) fn new() -> Node {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        embed(BINARY.into());
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        // None is the beginning of another: who plays where is known by what is in a command line.
        let path = std::env::temp_dir().join(format!("bowline-node-{}-{number:03}", std::process::id()));
        let home = Home::at(&path).expect("a short path");
        home.prepare().expect("a directory");
        Node { software: Local::new(home.clone(), Limits::default()), home }
    }

    pub(crate) fn shim(&self) -> &Shim {
        self.software.shim()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// A shell script as software, in this directory.
    pub(crate) fn script(&self, script: &str) -> Launch {
        Launch {
            version: "v1".into(),
            command: "sh".into(),
            args: vec!["-c".into(), script.into()],
            env: Env::default(),
            directory: Some(self.home.path().into()),
            grace_ms: 5_000,
            log: Limits::default(),
        }
    }

    /// Starts a script, for ever.
    pub(crate) async fn start(&self, script: &str) -> Run {
        let status = self.software.start(self.script(script), forever()).await.expect("it starts");
        status.run.expect("it runs")
    }

    pub(crate) async fn status(&self) -> Status {
        self.shim().status().await.expect("the shim answers")
    }

    /// Waits until nothing is left of what runs.
    pub(crate) async fn ended(&self) -> Run {
        let end = Instant::now() + PATIENCE;
        let mut status = self.status().await;
        loop {
            match status.run {
                Some(run) if run.phase == Phase::Ended => return run,
                _ => assert!(Instant::now() < end, "it does not end: {status:?}"),
            }
            status = self.shim().wait(status.change, Duration::from_secs(5)).await.expect("the shim answers");
        }
    }

    /// A number that the software writes into a file.
    pub(crate) async fn number(&self, name: &str) -> u32 {
        let path = self.file(name);
        until(&format!("{name} is written"), || number(&path).is_some()).await;
        number(&path).expect("it is there")
    }

    /// An agent of its own process that lets a script run for a lease from now, again and again.
    pub(crate) fn agent(&self, lease: Duration, script: &str) -> Agent {
        let mut command = Command::new(BINARY);
        command.arg("renew").arg(self.home.path()).arg(lease.as_millis().to_string());
        command.args(["sh", "-c", script]).env("AGENT_SECRET", "s3kr1t").stdin(Stdio::null());
        Agent(command.spawn().expect("the agent starts"))
    }

    /// The processes of this directory whose command line has this role in it.
    pub(crate) fn playing(&self, role: &str) -> Vec<u32> {
        let directory = self.home.path().to_str().expect("a path");
        pids().filter(|pid| plays(*pid, role, directory)).collect()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // Everything else goes with these.
        for pid in self.playing("renew").into_iter().chain(self.playing("keep")) {
            signal(pid, Signal::SIGKILL);
        }
        let _ = fs::remove_dir_all(self.home.path());
    }
}

/// An agent; it is killed when this is dropped.
pub(crate) struct Agent(Child);

impl Agent {
    pub(crate) fn pid(&self) -> u32 {
        self.0.id()
    }

    pub(crate) fn kill(&mut self) {
        self.0.kill().expect("it is killed");
        self.0.wait().expect("it has ended");
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// No deadline.
pub(crate) fn forever() -> Fence {
    Fence { order: 1, deadline: None }
}

pub(crate) fn signal(pid: u32, signal: Signal) {
    // It may be gone.
    let _ = kill(Pid::from_raw(pid.try_into().expect("a process")), signal);
}

/// Whether there is such a process, and it has not ended.
pub(crate) fn lives(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let Some((_, rest)) = stat.rsplit_once(')') else { return false };
    let fields: Vec<_> = rest.split_whitespace().collect();
    // One whose first thread has ended lives as long as there are others.
    !(fields[0] == "X" || fields[0] == "Z" && fields[17] == "1")
}

fn pids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").expect("there are processes").flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn plays(pid: u32, role: &str, directory: &str) -> bool {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let args: Vec<_> = line.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
    args.iter().take(3).any(|arg| *arg == *role)
        && args.iter().any(|arg| arg.contains(directory))
        && lives(pid)
}

/// A number in a file, once its line is complete.
pub(crate) fn number(path: &Path) -> Option<u32> {
    fs::read_to_string(path).ok()?.strip_suffix('\n')?.trim().parse().ok()
}

/// Waits until something is so.
pub(crate) async fn until(what: &str, is_so: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "this does not come to be so: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub(crate) fn exit(run: &Run) -> &Exit {
    &run.end.as_ref().expect("it has ended").exit
}
