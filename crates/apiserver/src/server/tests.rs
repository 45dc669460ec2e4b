//! A server whose certificates end soon gets others while it runs.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::accept::RENEWAL;
use super::*;
use crate::auth::testing::Temporary;
use crate::user::User;

/// A watch that lasts longer than it takes to look at the certificates.
const WATCH: &str = "/api/v1/namespaces?watch=true&resourceVersion=0&timeoutSeconds=86400";

/// The administrator, on a connection of its own.
struct Client {
    sender: SendRequest<Empty<Bytes>>,
    /// What the server has shown.
    shown: Vec<u8>,
}

/// Connects with what is in the server's directory now.
async fn connect(server: &Server) -> Client {
    let file = |name: &str| server.directory.join(name);
    let certificate = |name: &str| CertificateDer::from_pem_file(file(name)).expect("a certificate");
    let mut roots = RootCertStore::empty();
    roots.add(certificate("ca.crt")).expect("an authority");
    let key = PrivateKeyDer::from_pem_file(file("admin.key")).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_client_auth_cert(vec![certificate("admin.crt")], key)
        .expect("a certificate and its key");
    config.alpn_protocols = vec![b"h2".to_vec()];
    let stream = TcpStream::connect(server.address()).await.expect("it listens");
    let name = ServerName::from(server.address().ip());
    let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.expect("they shake hands");
    let shown = stream.get_ref().1.peer_certificates().expect("it shows one")[0].to_vec();
    let (sender, connection) =
        http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("it speaks HTTP/2");
    tokio::spawn(connection);
    Client { sender, shown }
}

impl Client {
    async fn get(&mut self, server: &Server, path: &str) -> http::Response<Incoming> {
        let request = Request::get(format!("{}{path}", server.url())).body(Empty::new()).expect("a request");
        self.sender.ready().await.expect("it takes one more");
        self.sender.send_request(request).await.expect("an answer")
    }
}

fn ends(certificate: &[u8]) -> i64 {
    let (_, certificate) = x509_parser::parse_x509_certificate(certificate).expect("a certificate");
    certificate.validity().not_after.timestamp()
}

#[tokio::test]
async fn a_server_that_runs_renews_its_certificate_and_connections_go_on() {
    const DAY_S: i64 = 24 * 3600;
    let directory = Temporary::new("renewal-task");
    let data = directory.join("hub");
    // It was started 350 days ago: what it made then is good for a fortnight.
    let now = Moment::now();
    let begun = Moment::at_unix_s(now.unix_s() - 350 * DAY_S);
    let server = Server::start_at(Config::local(&data), begun).await.expect("it starts");
    let mut old = connect(&server).await;
    assert!(ends(&old.shown) < now.unix_s() + 16 * DAY_S);
    let mut watch = old.get(&server, WATCH).await.into_body();
    assert!(watch.frame().await.expect("it goes on").is_ok());
    let kubeconfig = std::fs::read(server.kubeconfig()).expect("there is one");

    // An hour goes by for whoever waits, and nothing else does: nobody waits for the network meanwhile.
    tokio::time::pause();
    tokio::time::advance(RENEWAL + Duration::from_secs(1)).await;
    let mut turns = 0;
    while std::fs::read(server.kubeconfig()).expect("there is one") == kubeconfig {
        turns += 1;
        assert!(turns < 10_000, "nothing is renewed");
        tokio::task::yield_now().await;
    }
    tokio::time::resume();

    // Who was there goes on, with the certificates of before.
    assert_eq!(old.get(&server, "/readyz").await.status(), 200);
    let map = r#"{"metadata":{"name":"later"}}"#;
    let made = Request::post("/api/v1/namespaces").header("content-type", "application/json");
    let made = made.body(http_body_util::Full::new(Bytes::from_static(map.as_bytes()))).expect("a request");
    let root = User { name: "root".into(), groups: vec!["system:masters".into()], ..User::default() };
    assert_eq!(server.service().as_user(root).answer(made).await.status(), 201);
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains(r#""name":"later""#) {
        let frame = watch.frame().await.expect("it goes on").expect("it is not broken");
        seen.extend(frame.into_data().unwrap_or_default());
    }
    // Who comes now sees the new one, and shows a new one.
    let mut new = connect(&server).await;
    assert_ne!(new.shown, old.shown);
    assert!(ends(&new.shown) > now.unix_s() + 360 * DAY_S, "it is good for a year");
    assert_eq!(new.get(&server, "/api/v1/secrets").await.status(), 200);
    server.stop().await;
}
