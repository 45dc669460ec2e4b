//! A hub in a directory of its own, requests to it without a socket, and connections.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bowline_apiserver::{Server, Service, User};
use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// A directory that is gone when this is dropped.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// A path where nothing is.
    pub(crate) fn new() -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Scratch(std::env::temp_dir().join(format!("bowline-apiserver-{}-{count}", std::process::id())))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Everything in it, byte by byte.
    pub(crate) fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut all = BTreeMap::new();
        for entry in fs::read_dir(&self.0).into_iter().flatten() {
            let path = entry.expect("it can be listed").path();
            let bytes = if path.is_dir() { Vec::new() } else { fs::read(&path).expect("it can be read") };
            all.insert(path, bytes);
        }
        all
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays behind is in the system's temporary directory.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Says to a test that it is alone in its process, and which directory it has.
const ALONE: &str = "BOWLINE_TEST_ALONE";

/// A test in a process of its own, because what it changes holds for a whole process.
pub(crate) enum Alone {
    /// This is that process, and it has this directory.
    Here(PathBuf),
    /// It has ended, and has left this behind.
    Ended(Output, Scratch),
}

/// Runs the test of this name alone. In files that get too long it is told so, and not ended by a signal.
pub(crate) fn alone(name: &str) -> Alone {
    if let Some(path) = std::env::var_os(ALONE) {
        return Alone::Here(path.into());
    }
    let (program, scratch) = (std::env::current_exe().expect("this is a program"), Scratch::new());
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; exec \"$@\"", "sh"])
        .arg(program)
        .args([name, "--exact", "--nocapture"])
        .env(ALONE, scratch.path())
        .output()
        .expect("it can be started once more");
    Alone::Ended(output, scratch)
}

/// What a process said.
pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// It has to have ended well.
#[track_caller]
pub(crate) fn passed(output: &Output) {
    let said = said(output);
    assert!(output.status.success() && said.contains("1 passed"), "{}: {said}", output.status);
}

/// Who may do everything.
pub(crate) fn admin(server: &Server) -> Service {
    somebody(server, "admin", &["system:masters"])
}

pub(crate) fn somebody(server: &Server, name: &str, groups: &[&str]) -> Service {
    let groups = groups.iter().map(|group| (*group).to_owned()).collect();
    server.service().as_user(User { name: name.to_owned(), groups, ..User::default() })
}

/// An answer: its code, and its body as JSON or as text.
pub(crate) type Answer = (u16, Value);

pub(crate) async fn get(service: &Service, path: &str) -> Answer {
    send(service, "GET", path, "", Bytes::new()).await
}

pub(crate) async fn ask(service: &Service, method: &str, path: &str, body: &Value) -> Answer {
    let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
    send(service, method, path, "application/json", body).await
}

pub(crate) async fn send(service: &Service, method: &str, path: &str, media: &str, body: Bytes) -> Answer {
    let request = Request::builder().method(method).uri(path).header("content-type", media);
    let reply = service.answer(request.body(Full::new(body)).expect("a request")).await;
    let code = reply.status().as_u16();
    let bytes = reply.into_body().collect().await.expect("a body").to_bytes();
    let value = serde_json::from_slice(&bytes)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into_owned()));
    (code, value)
}

/// An answer that has to be of this code.
#[track_caller]
pub(crate) fn expect(code: u16, answer: Answer) -> Value {
    let text: String = answer.1.to_string().chars().take(500).collect();
    assert_eq!(answer.0, code, "{text}");
    answer.1
}

/// The administrator, by this protocol.
pub(crate) async fn connect(server: &Server, data: &Path, protocol: &str) -> TlsStream<TcpStream> {
    let certificate = |name: &str| CertificateDer::from_pem_file(data.join(name)).expect("a certificate");
    let mut roots = RootCertStore::empty();
    roots.add(certificate("ca.crt")).expect("an authority");
    let key = PrivateKeyDer::from_pem_file(data.join("admin.key")).expect("a key");
    let mut config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_client_auth_cert(vec![certificate("admin.crt")], key)
        .expect("a certificate and its key");
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    let stream = TcpStream::connect(server.address()).await.expect("it listens");
    let name = ServerName::from(server.address().ip());
    TlsConnector::from(Arc::new(config)).connect(name, stream).await.expect("they shake hands")
}
