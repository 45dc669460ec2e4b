//! Starts the programs one after the other, each when the one before is ready.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::client::Client;
use crate::error::{Context, Error};
use crate::flags::{self, Ports};
use crate::http::Request;
use crate::pki::Pki;
use crate::process::{Guardian, Records};
use crate::{Options, PROGRAMS, RealKube, Seconds, kubeconfig, nodes, ports};

/// kwok's stages for Pods.
const STAGES: &str = include_str!("../../../testbed/kwok-pods.yaml");
/// The last lines of a log, in an error.
const LOG_LINES: usize = 5;

/// A control plane that is being started. What runs of it ends when this is dropped.
struct Start<'a> {
    binaries: &'a Path,
    dir: &'a Path,
    records: Records,
    children: Vec<Child>,
    guardian: Option<Guardian>,
}

impl Drop for Start<'_> {
    fn drop(&mut self) {
        if let Some(guardian) = self.guardian.take() {
            crate::end(&mut self.children, self.dir);
            guardian.dismiss();
        }
    }
}

pub(crate) fn start(binaries: &Path, dir: &Path, options: &Options) -> Result<RealKube, Error> {
    let dir = &prepare(dir)?;
    let mut start = Start {
        binaries,
        dir,
        records: Records::in_dir(dir.join("pid")),
        children: Vec::new(),
        guardian: Some(Guardian::hire()?),
    };
    let [etcd, peer, apiserver, controllers, scheduler, kwok] = ports::free();
    let ports = Ports { etcd, peer, apiserver, controllers, scheduler, kwok };
    let pki = Pki::in_dir(dir.join("pki"))?;
    let url = format!("https://127.0.0.1:{apiserver}");
    kubeconfig::write(&dir.join("kubeconfig"), &url, "admin", &pki)?;
    kubeconfig::write(&pki.path("kcm.kubeconfig"), &url, "kcm", &pki)?;
    kubeconfig::write(&pki.path("sched.kubeconfig"), &url, "sched", &pki)?;
    let client = kubeconfig::client(&dir.join("kubeconfig"))?;

    let begun = Instant::now();
    start.launch(PROGRAMS[0], &flags::etcd(dir, &ports, options))?;
    start.wait(PROGRAMS[0], 30, || plain_ok(etcd, "/health"))?;
    let etcd_ready = begun.elapsed();
    start.launch(PROGRAMS[1], &flags::apiserver(dir, &ports, options))?;
    start.wait(PROGRAMS[1], 120, || ok(&client, "/readyz"))?;
    let ready = Seconds { etcd: etcd_ready, apiserver: begun.elapsed() - etcd_ready };
    if options.controllers || options.scheduler || options.kwok {
        start.launch(PROGRAMS[2], &flags::controllers(dir, &ports, options))?;
        start.wait(PROGRAMS[2], 60, || listens(controllers))?;
    }
    if options.scheduler {
        start.launch(PROGRAMS[3], &flags::scheduler(dir, &ports))?;
        start.wait(PROGRAMS[3], 60, || listens(scheduler))?;
    }
    if options.kwok {
        let stages = dir.join("kwok-pods.yaml");
        fs::write(&stages, STAGES).context(|| format!("write {}", stages.display()))?;
        start.launch(PROGRAMS[4], &flags::kwok(dir, &ports))?;
        start.wait(PROGRAMS[4], 60, || plain_ok(kwok, "/healthz"))?;
        nodes::make(&client, || start.log_tail(PROGRAMS[4]))?;
    }
    let children = std::mem::take(&mut start.children);
    let guardian = start.guardian.take();
    Ok(RealKube { dir: dir.clone(), url, client, ready, children, guardian })
}

/// Makes the directory, of which nobody else can read the keys, and sees that nothing runs in it.
fn prepare(dir: &Path) -> Result<PathBuf, Error> {
    let make = |dir: &Path| {
        fs::create_dir_all(dir).context(|| format!("create {}", dir.display()))?;
        fs::set_permissions(dir, fs::Permissions::from_mode(0o700))
            .context(|| format!("protect {}", dir.display()))
    };
    make(dir)?;
    let dir = dir.canonicalize().context(|| format!("find {}", dir.display()))?;
    for part in ["pki", "pid", "log", "etcd"] {
        make(&dir.join(part))?;
    }
    let records = Records::in_dir(dir.join("pid"));
    for name in PROGRAMS {
        if let Some(process) = records.alive(name) {
            return Err(Error::Running { name, pid: process.pid });
        }
    }
    Ok(dir)
}

impl Start<'_> {
    fn launch(&mut self, name: &'static str, flags: &[String]) -> Result<(), Error> {
        let program = self.binaries.join(name);
        if !program.is_file() {
            return Err(Error::NoBinary(program));
        }
        let child = self.records.launch(name, Command::new(program).args(flags), &self.log(name))?;
        let guarded = self.guardian.as_mut().map_or(Ok(()), |guardian| guardian.guard(&child));
        self.children.push(child);
        guarded
    }

    /// Waits until it is ready.
    fn wait(&mut self, name: &'static str, seconds: u64, is_ready: impl Fn() -> bool) -> Result<(), Error> {
        let limit = Instant::now() + Duration::from_secs(seconds);
        while !is_ready() {
            let child = self.children.last_mut();
            if child.is_some_and(|child| !matches!(child.try_wait(), Ok(None))) {
                return Err(Error::Exited { name, log: self.log_tail(name) });
            }
            if Instant::now() > limit {
                return Err(Error::NotReady { name, seconds, log: self.log_tail(name) });
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    fn log(&self, name: &str) -> PathBuf {
        self.dir.join("log").join(format!("{name}.log"))
    }

    fn log_tail(&self, name: &str) -> String {
        let text = fs::read(self.log(name)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        let lines: Vec<_> = text.lines().collect();
        lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
    }
}

fn ok(client: &Client, target: &str) -> bool {
    client.send(&Request::new("GET", target)).is_ok_and(|response| response.status == 200)
}

/// The controller-manager and the scheduler have certificates that they made themselves: that they listen
/// has to do.
fn listens(port: u16) -> bool {
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
}

/// The health of those that speak without TLS.
fn plain_ok(port: u16, path: &str) -> bool {
    let ask = || -> std::io::Result<String> {
        let mut socket = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        socket.set_read_timeout(Some(Duration::from_secs(2)))?;
        write!(socket, "GET {path} HTTP/1.0\r\n\r\n")?;
        let mut answer = String::new();
        socket.read_to_string(&mut answer)?;
        Ok(answer)
    };
    ask().is_ok_and(|answer| answer.split(' ').nth(1) == Some("200"))
}
