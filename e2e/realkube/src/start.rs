//! Starts the programs of a control plane one after the other, each when the one before is ready.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::client::Client;
use crate::error::{Context, Error};
use crate::flags::{self, Ports};
use crate::http::Request;
use crate::pki::Pki;
use crate::programs::{Programs, listens};
use crate::{Options, PROGRAMS, RealKube, Seconds, kubeconfig, nodes, ports};

/// kwok's stages for Pods.
pub(crate) const STAGES: &str = include_str!("../../../testbed/kwok-pods.yaml");

/// Who asked for what, once per request: when it was answered.
const AUDIT: &str = "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived, ResponseStarted]\n\
                     rules: [{level: Metadata}]\n";

pub(crate) fn start(binaries: &Path, dir: &Path, options: &Options) -> Result<RealKube, Error> {
    let mut programs = Programs::in_dir(binaries, dir)?;
    let dir = &programs.dir().to_owned();
    let [etcd, peer, apiserver, controllers, scheduler, kwok] = ports::free();
    let ports = Ports { etcd, peer, apiserver, scheduler, kwok };
    let pki = Pki::in_dir(dir.join("pki"))?;
    let url = format!("https://127.0.0.1:{apiserver}");
    kubeconfig::write(&dir.join("kubeconfig"), &url, "admin", &pki)?;
    kubeconfig::write(&pki.path("kcm.kubeconfig"), &url, "kcm", &pki)?;
    kubeconfig::write(&pki.path("sched.kubeconfig"), &url, "sched", &pki)?;
    let client = kubeconfig::client(&dir.join("kubeconfig"))?;

    let begun = Instant::now();
    programs.launch(PROGRAMS[0], &flags::etcd(dir, &ports, options))?;
    programs.wait(PROGRAMS[0], 30, || plain_ok(etcd, "/health"))?;
    let etcd_ready = begun.elapsed();
    if options.audit {
        let policy = flags::audit_policy(dir);
        fs::write(&policy, AUDIT).context(|| format!("write {}", policy.display()))?;
    }
    programs.launch(PROGRAMS[1], &flags::apiserver(dir, &ports, options))?;
    programs.wait(PROGRAMS[1], 120, || ok(&client, "/readyz"))?;
    let ready = Seconds { etcd: etcd_ready, apiserver: begun.elapsed() - etcd_ready };
    if options.controllers || options.scheduler || options.kwok {
        programs.launch(PROGRAMS[2], &flags::controllers(dir, controllers, options.quick))?;
        programs.wait(PROGRAMS[2], 60, || listens(controllers))?;
    }
    if options.scheduler {
        programs.launch(PROGRAMS[3], &flags::scheduler(dir, &ports))?;
        programs.wait(PROGRAMS[3], 60, || listens(scheduler))?;
    }
    if options.kwok {
        let stages = dir.join("kwok-pods.yaml");
        fs::write(&stages, STAGES).context(|| format!("write {}", stages.display()))?;
        programs.launch(PROGRAMS[4], &flags::kwok(dir, &ports))?;
        programs.wait(PROGRAMS[4], 60, || plain_ok(kwok, "/healthz"))?;
        nodes::make(&client, || programs.log_tail(PROGRAMS[4]))?;
    }
    Ok(RealKube { url, client, ready, programs })
}

fn ok(client: &Client, target: &str) -> bool {
    client.send(&Request::new("GET", target)).is_ok_and(|response| response.status == 200)
}

/// The health of those that speak without TLS.
pub(crate) fn plain_ok(port: u16, path: &str) -> bool {
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
