//! Where the demo takes place: a directory, a hub and agents that run in it, and what is said about them.

use std::fs::{self, DirBuilder};
use std::net::TcpListener;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::Value;
use tokio::sync::mpsc;

use super::files;
use super::objects::{Named, Objects};
use super::processes::{Program, Running};
use crate::output;
use crate::palette::{self, paint};

/// Where the hub of the demo is, from its directory: where every command looks for one by itself.
const KUBECONFIG: &str = "bowline-data/admin.kubeconfig";
/// The group of nodes of the demo. Whatever has started its software, its deletion ends it.
pub(super) const GROUP: Named = Named::ours("NodeGroup", "default", "tour");
/// How long the hub may take until it is ready.
const HUB_STARTS: Duration = Duration::from_secs(120);
/// How long agents may take to end their software.
const SOFTWARE_ENDS: Duration = Duration::from_secs(30);
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// When it goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    /// At once.
    Fast,
    /// When somebody presses Enter.
    ByEnter,
}

/// The directory, and who runs in it.
pub(super) struct Stage {
    directory: PathBuf,
    pace: Pace,
    program: Program,
    /// Agents find the hub where they were told to, also after a crash.
    port: u16,
    hub: Option<Running>,
    objects: Option<Objects>,
    nodes: Vec<Running>,
    syncers: Vec<Running>,
    enter: Option<mpsc::Receiver<()>>,
}

impl Stage {
    /// An empty one.
    pub(super) fn open(pace: Pace) -> anyhow::Result<Stage> {
        let name = format!("bowline-demo-{}", std::process::id());
        let parent =
            std::env::temp_dir().canonicalize().context("cannot find a directory for the demo ($TMPDIR)")?;
        let directory = parent.join(name);
        // Whoever can read it is an administrator of what runs here.
        let made = DirBuilder::new().mode(0o700).create(&directory);
        made.with_context(|| format!("cannot make {}", directory.display()))?;
        files::write(&directory)?;
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = free.context("cannot find a free port")?.port();
        let program = Program::new(&directory)?;
        Ok(Stage {
            directory,
            pace,
            program,
            port,
            hub: None,
            objects: None,
            nodes: Vec::new(),
            syncers: Vec::new(),
            enter: None,
        })
    }

    /// What the demo tells of what comes next.
    pub(super) fn say(&self, text: &str) -> anyhow::Result<()> {
        output::print(&format!("\n{text}\n"))
    }

    /// A new part of it.
    pub(super) fn chapter(&self, title: &str, text: &str) -> anyhow::Result<()> {
        output::print(&format!("\n{}\n{text}\n", paint(palette::STRONG, title)))
    }

    /// Lets people look, until they want to go on.
    pub(super) async fn pause(&mut self) -> anyhow::Result<()> {
        if self.pace == Pace::Fast {
            return Ok(());
        }
        output::print(&paint(palette::FAINT, "\nEnter goes on, Ctrl-C ends the demo. "))?;
        let enter = self.enter.get_or_insert_with(enters);
        // Whose standard input has ended does not want to be waited for.
        if enter.recv().await.is_none() {
            self.pace = Pace::Fast;
        }
        Ok(())
    }

    /// Starts the hub, and waits until it is ready.
    pub(super) async fn start_hub(&mut self) -> anyhow::Result<()> {
        let line = format!("up --listen 127.0.0.1:{}", self.port);
        self.typed(&format!("bowline {line} &"))?;
        let mut hub = self.program.start("up", &line)?;
        let (kubeconfig, limit) = (self.kubeconfig(), Instant::now() + HUB_STARTS);
        let objects = loop {
            hub.runs()?;
            if Instant::now() > limit {
                bail!("the hub runs, and is not ready after {} s", HUB_STARTS.as_secs());
            }
            if kubeconfig.exists() {
                let objects = Objects::of(&kubeconfig).await?;
                if objects.is_ready().await {
                    break objects;
                }
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        };
        self.hub = Some(hub);
        self.objects = Some(objects);
        Ok(())
    }

    /// `kill -9` of the hub.
    pub(super) async fn crash_hub(&mut self) -> anyhow::Result<()> {
        self.typed("kill -9 %1")?;
        let Some(mut hub) = self.hub.take() else { bail!("the hub does not run") };
        hub.kill().await
    }

    /// Where the administrator's kubeconfig is.
    pub(super) fn kubeconfig(&self) -> PathBuf {
        self.directory.join(KUBECONFIG)
    }

    /// A path as it is from the directory of the demo, where it is short.
    pub(super) fn relative<'a>(&self, path: &'a str) -> &'a str {
        let inside = Path::new(path).strip_prefix(&self.directory).ok();
        inside.and_then(Path::to_str).unwrap_or(path)
    }

    /// The hub's objects.
    pub(super) fn objects(&self) -> anyhow::Result<&Objects> {
        self.objects.as_ref().context("the hub was not started")
    }

    /// Runs a command that has to end well.
    pub(super) async fn does(&self, line: &str) -> anyhow::Result<()> {
        self.ends(line, 0).await
    }

    /// Runs a command that has to end with this exit code.
    pub(super) async fn ends(&self, line: &str, code: i32) -> anyhow::Result<()> {
        self.typed(&format!("bowline {line}"))?;
        let status = self.program.command(line).status().await;
        let status = status.with_context(|| format!("cannot run bowline {line}"))?;
        if status.code() != Some(code) {
            bail!("`bowline {line}` ended with {status}, and not with exit code {code}");
        }
        if code != 0 {
            output::print(&paint(palette::FAINT, &format!("exit code {code}\n")))?;
        }
        Ok(())
    }

    /// Runs a command whose results go into a file.
    pub(super) async fn saves(&self, line: &str, file: &str) -> anyhow::Result<()> {
        self.typed(&format!("bowline {line} > {file}"))?;
        let mut command = self.program.command(line);
        let output = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().await;
        let output = output.with_context(|| format!("cannot run bowline {line}"))?;
        if !output.status.success() {
            bail!("`bowline {line}` failed: {}", String::from_utf8_lossy(&output.stderr));
        }
        let file = self.directory.join(file);
        fs::write(&file, output.stdout).with_context(|| format!("cannot write {}", file.display()))
    }

    /// Starts the agent of a node.
    pub(super) fn start_node(&mut self, name: &str, line: &str) -> anyhow::Result<()> {
        self.typed(&format!("bowline {line} &"))?;
        self.nodes.push(self.program.start(name, line)?);
        Ok(())
    }

    /// Starts a syncer.
    pub(super) fn start_syncer(&mut self, name: &str, line: &str) -> anyhow::Result<()> {
        self.typed(&format!("bowline {line} &"))?;
        self.syncers.push(self.program.start(name, line)?);
        Ok(())
    }

    /// Applies a file to the hub.
    pub(super) async fn applies(&self, file: &str, namespace: &str) -> anyhow::Result<()> {
        self.typed(&format!("kubectl apply -n {namespace} -f {file}"))?;
        self.objects()?.apply(&self.directory.join(file), namespace).await
    }

    /// Deletes an object, and waits until it is gone.
    pub(super) async fn deletes(&self, object: Named) -> anyhow::Result<()> {
        let kind = object.kind.to_lowercase();
        let scope =
            if object.namespace.is_empty() { String::new() } else { format!("-n {} ", object.namespace) };
        self.typed(&format!("kubectl delete {scope}{kind} {}", object.name))?;
        self.objects()?.delete(object).await?;
        self.objects()?.until_gone(object).await
    }

    /// Waits until an object on the hub has this there.
    pub(super) async fn until(&self, object: Named, pointer: &str, wanted: Value) -> anyhow::Result<()> {
        self.objects()?.until(object, pointer, &wanted).await
    }

    /// Waits until the agents of all nodes have ended: their group is gone, and so is their software.
    pub(super) async fn nodes_end(&mut self) -> anyhow::Result<()> {
        let limit = Instant::now() + SOFTWARE_ENDS;
        while let Some(mut node) = self.nodes.pop() {
            if !node.ends_within(limit.saturating_duration_since(Instant::now())).await {
                node.kill().await?;
            }
        }
        Ok(())
    }

    /// Ends all that runs, and removes the directory.
    pub(super) async fn close(mut self) -> anyhow::Result<()> {
        let has_hub = self.hub.is_some();
        if let Some(objects) = self.objects.as_ref().filter(|_| has_hub && !self.nodes.is_empty()) {
            // Without it the agents are killed, and their shims fence the software when its lease has lapsed.
            let _ = objects.delete(GROUP).await;
        }
        self.nodes_end().await?;
        for running in self.syncers.drain(..).chain(self.hub.take()) {
            running.end().await?;
        }
        fs::remove_dir_all(&self.directory)
            .with_context(|| format!("cannot remove {}", self.directory.display()))
    }

    /// A command line, as somebody would type it.
    fn typed(&self, line: &str) -> anyhow::Result<()> {
        output::print(&format!("\n{} {}\n", paint(palette::FAINT, "$"), paint(palette::ACTION, line)))
    }
}

/// Tells of each Enter. A thread of its own waits for it: a process that ends does not wait for that thread.
fn enters() -> mpsc::Receiver<()> {
    let (tell, told) = mpsc::channel(1);
    std::thread::spawn(move || {
        let mut line = String::new();
        while std::io::stdin().read_line(&mut line).is_ok_and(|read| read > 0) {
            if tell.blocking_send(()).is_err() {
                return;
            }
            line.clear();
        }
    });
    told
}
