//! What each program is started with.

use std::path::{Path, PathBuf};

use crate::Options;

/// The ports of one control plane.
pub(crate) struct Ports {
    pub(crate) etcd: u16,
    pub(crate) peer: u16,
    pub(crate) apiserver: u16,
}

pub(crate) fn etcd(dir: &Path, ports: &Ports, options: &Options) -> Vec<String> {
    let (client, peer) =
        (format!("http://127.0.0.1:{}", ports.etcd), format!("http://127.0.0.1:{}", ports.peer));
    let mut flags = vec![
        "--name=real".to_owned(),
        format!("--data-dir={}/etcd", dir.display()),
        format!("--listen-client-urls={client}"),
        format!("--advertise-client-urls={client}"),
        format!("--listen-peer-urls={peer}"),
        format!("--initial-advertise-peer-urls={peer}"),
        format!("--initial-cluster=real={peer}"),
        "--log-level=warn".to_owned(),
    ];
    if options.quick {
        flags.push("--unsafe-no-fsync".to_owned());
    }
    flags
}

/// The endpoints of default/kubernetes may not be a loopback address: no reconciler, the Service is made all
/// the same. Cluster IPs are loopback too, so that a call to a webhook's Service is refused at once and never
/// leaves the machine.
pub(crate) fn apiserver(dir: &Path, ports: &Ports, options: &Options) -> Vec<String> {
    let pki = dir.join("pki");
    let pki = pki.display();
    let mut flags = vec![
        format!("--etcd-servers=http://127.0.0.1:{}", ports.etcd),
        format!("--secure-port={}", ports.apiserver),
        "--bind-address=127.0.0.1".to_owned(),
        "--advertise-address=127.0.0.1".to_owned(),
        "--endpoint-reconciler-type=none".to_owned(),
        "--service-cluster-ip-range=127.200.0.0/24".to_owned(),
        "--allow-privileged=true".to_owned(),
        "--authorization-mode=Node,RBAC".to_owned(),
        format!("--client-ca-file={pki}/ca.crt"),
        format!("--tls-cert-file={pki}/apiserver.crt"),
        format!("--tls-private-key-file={pki}/apiserver.key"),
        format!("--service-account-key-file={pki}/sa.pub"),
        format!("--service-account-signing-key-file={pki}/sa.key"),
        format!("--requestheader-client-ca-file={pki}/front.crt"),
        "--requestheader-allowed-names=front-proxy-client".to_owned(),
        "--requestheader-username-headers=X-Remote-User".to_owned(),
        "--requestheader-group-headers=X-Remote-Group".to_owned(),
        "--requestheader-extra-headers-prefix=X-Remote-Extra-".to_owned(),
        format!("--proxy-client-cert-file={pki}/proxy.crt"),
        format!("--proxy-client-key-file={pki}/proxy.key"),
    ];
    // The first signs.
    let issuers = options.issuer.as_deref().into_iter().chain(["https://kubernetes.default.svc"]);
    flags.extend(issuers.map(|issuer| format!("--service-account-issuer={issuer}")));
    if options.quick {
        flags.push("--etcd-compaction-interval=20s".to_owned());
    }
    if options.audit {
        flags.push(format!("--audit-policy-file={}", audit_policy(dir).display()));
        flags.push(format!("--audit-log-path={}", crate::audit_log(dir).display()));
    }
    flags.extend_from_slice(&options.apiserver_flags);
    flags
}

/// Where the policy is by which it is written down what was asked.
pub(crate) fn audit_policy(dir: &Path) -> PathBuf {
    dir.join("audit-policy.yaml")
}

pub(crate) fn controllers(dir: &Path, port: u16, quick: bool) -> Vec<String> {
    let pki = dir.join("pki");
    let pki = pki.display();
    let mut flags = component(&format!("{pki}/kcm.kubeconfig"), port);
    flags.extend([
        "--use-service-account-credentials=true".to_owned(),
        format!("--root-ca-file={pki}/ca.crt"),
        format!("--service-account-private-key-file={pki}/sa.key"),
        format!("--cluster-signing-cert-file={pki}/ca.crt"),
        format!("--cluster-signing-key-file={pki}/ca.key"),
    ]);
    if quick {
        flags.push("--resource-quota-sync-period=20s".to_owned());
    }
    flags
}

pub(crate) fn scheduler(dir: &Path, port: u16) -> Vec<String> {
    component(&format!("{}/pki/sched.kubeconfig", dir.display()), port)
}

fn component(kubeconfig: &str, port: u16) -> Vec<String> {
    vec![
        format!("--kubeconfig={kubeconfig}"),
        format!("--authentication-kubeconfig={kubeconfig}"),
        format!("--authorization-kubeconfig={kubeconfig}"),
        "--bind-address=127.0.0.1".to_owned(),
        format!("--secure-port={port}"),
        "--leader-elect=false".to_owned(),
    ]
}

pub(crate) fn kwok(dir: &Path, port: u16) -> Vec<String> {
    vec![
        format!("--kubeconfig={}/kubeconfig", dir.display()),
        format!("--config={}/kwok-pods.yaml", dir.display()),
        "--manage-all-nodes=true".to_owned(),
        "--node-lease-duration-seconds=40".to_owned(),
        "--cidr=198.51.100.1/24".to_owned(),
        "--node-ip=198.51.100.1".to_owned(),
        format!("--server-address=127.0.0.1:{port}"),
    ]
}
