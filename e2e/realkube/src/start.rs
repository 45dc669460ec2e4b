//! Starts the programs of a control plane one after the other, each when the one before is ready.

use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::client::Client;
use crate::crew::{self, plain_ok};
use crate::error::{Context, Error};
use crate::flags::{self, Ports};
use crate::http::Request;
use crate::pki::Pki;
use crate::programs::Programs;
use crate::{Options, PROGRAMS, RealKube, Seconds, kubeconfig, ports};

/// Who asked for what, once per request: when it was answered.
const AUDIT: &str = "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived, ResponseStarted]\n\
                     rules: [{level: Metadata}]\n";

pub(crate) fn start(binaries: &Path, dir: &Path, options: &Options) -> Result<RealKube, Error> {
    let mut programs = Programs::in_dir(binaries, dir)?;
    let dir = &programs.dir().to_owned();
    let [etcd, peer, apiserver] = ports::free();
    let ports = Ports { etcd, peer, apiserver };
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
        crew::controllers(&mut programs, options.quick)?;
    }
    if options.scheduler {
        crew::scheduler(&mut programs)?;
    }
    if options.kwok {
        crew::kwok(&mut programs, &client)?;
    }
    Ok(RealKube { url, client, ready, programs })
}

fn ok(client: &Client, target: &str) -> bool {
    client.send(&Request::new("GET", target)).is_ok_and(|response| response.status == 200)
}
