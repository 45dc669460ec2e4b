//! Who is unknown sees health and version, and nothing else; who is known and has no rights, what there is. Over TLS.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use bowline_apiserver::{Server, Service};
use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::support::{Scratch, admin, ask, expect, get};

/// A client, by its connection and its token.
struct Client {
    sender: SendRequest<Full<Bytes>>,
    url: String,
    token: Option<String>,
}

impl Client {
    /// Connects with a certificate and its key, in PEM, if there are such.
    async fn connect(server: &Server, scratch: &Scratch, own: Option<(String, String)>) -> Client {
        let mut roots = RootCertStore::empty();
        roots
            .add(CertificateDer::from_pem_file(scratch.join("ca.crt")).expect("a certificate"))
            .expect("an authority");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_root_certificates(roots);
        let mut config = match own {
            None => config.with_no_client_auth(),
            Some((certificate, key)) => {
                let certificate =
                    CertificateDer::from_pem_slice(certificate.as_bytes()).expect("a certificate");
                let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).expect("a key");
                config.with_client_auth_cert(vec![certificate], key).expect("they fit")
            }
        };
        config.alpn_protocols = vec![b"h2".to_vec()];
        let stream = TcpStream::connect(server.address()).await.expect("it listens");
        let name = ServerName::from(server.address().ip());
        let stream =
            TlsConnector::from(Arc::new(config)).connect(name, stream).await.expect("they shake hands");
        let (sender, connection) =
            http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("it speaks HTTP/2");
        tokio::spawn(connection);
        Client { sender, url: server.url(), token: None }
    }

    /// The same connection, with a token.
    fn with(&self, token: &str) -> Client {
        Client { sender: self.sender.clone(), url: self.url.clone(), token: Some(token.to_owned()) }
    }

    async fn send(&mut self, method: &str, path: &str) -> (u16, Value) {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.url));
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let body = if method == "GET" { Bytes::new() } else { Bytes::from_static(b"{}") };
        let request =
            request.header("content-type", "application/json").body(Full::new(body)).expect("a request");
        self.sender.ready().await.expect("it takes one more");
        let answer = self.sender.send_request(request).await.expect("an answer");
        let code = answer.status().as_u16();
        let bytes = answer.into_body().collect().await.expect("a body").to_bytes();
        (code, serde_json::from_slice(&bytes).unwrap_or_default())
    }
}

/// Every path and method that discovery names: of each version, each resource and each verb.
async fn served(service: &Service) -> BTreeSet<(&'static str, String)> {
    let mut roots = vec!["/api/v1".to_owned()];
    let groups = expect(200, get(service, "/apis").await);
    for group in groups["groups"].as_array().expect("groups") {
        for version in group["versions"].as_array().expect("versions") {
            roots.push(format!("/apis/{}", version["groupVersion"].as_str().expect("a version")));
        }
    }
    let mut all = BTreeSet::new();
    for root in roots {
        let list = expect(200, get(service, &root).await);
        for resource in list["resources"].as_array().expect("resources") {
            let name = resource["name"].as_str().expect("a name");
            let (plural, rest) = name.split_once('/').map_or((name, ""), |(plural, sub)| (plural, sub));
            let homes: &[&str] =
                if resource["namespaced"] == true { &["", "namespaces/default/"] } else { &[""] };
            for home in homes {
                let many = format!("{root}/{home}{plural}");
                let one = if rest.is_empty() { format!("{many}/x") } else { format!("{many}/x/{rest}") };
                for verb in resource["verbs"].as_array().expect("verbs") {
                    all.insert(match verb.as_str().expect("a verb") {
                        "get" => ("GET", one.clone()),
                        "list" => ("GET", many.clone()),
                        "watch" => ("GET", format!("{many}?watch=1&timeoutSeconds=1")),
                        "create" if rest.is_empty() => ("POST", many.clone()),
                        "create" => ("POST", one.clone()),
                        "update" => ("PUT", one.clone()),
                        "patch" => ("PATCH", one.clone()),
                        "delete" => ("DELETE", one.clone()),
                        "deletecollection" => ("DELETE", many.clone()),
                        other => panic!("{name}: {other}"),
                    });
                }
            }
        }
        all.insert(("GET", root));
    }
    all
}

/// What is no resource.
async fn other_paths(service: &Service) -> BTreeSet<String> {
    let mut all: BTreeSet<String> = [
        "/",
        "/api",
        "/api/",
        "/apis",
        "/apis/",
        "/apis/apps",
        "/openapi",
        "/openapi/v2",
        "/openapi/v3",
        "/metrics",
        "/logs",
        "/debug/pprof",
        "/.well-known/openid-configuration",
        "/openid/v1/jwks",
        "/healthz/log",
        "/livez/ping",
        "/readyz/ping",
        "/healthz/",
        "/version/",
        "/versions",
        "/api/v1/watch/secrets",
        "/nowhere",
        "/configz",
        "/statusz",
        "/flagz",
    ]
    .iter()
    .map(|path| (*path).to_owned())
    .collect();
    let documents = expect(200, get(service, "/openapi/v3").await);
    for document in documents["paths"].as_object().expect("paths").values() {
        all.insert(document["serverRelativeURL"].as_str().expect("a URL").to_owned());
    }
    let root = expect(200, get(service, "/").await);
    all.extend(root["paths"].as_array().expect("paths").iter().filter_map(Value::as_str).map(str::to_owned));
    all
}

const PUBLIC: [&str; 4] = ["/healthz", "/livez", "/readyz", "/version"];

#[tokio::test(flavor = "multi_thread")]
async fn who_is_unknown_sees_health_and_version_only() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let root = admin(&server);
    let (served, others) = (served(&root).await, other_paths(&root).await);
    assert!(served.len() > 800 && others.len() > 60, "{} {}", served.len(), others.len());
    let mut nobody = Client::connect(&server, &scratch, None).await;
    for (method, path) in &served {
        let (code, said) = nobody.send(method, path).await;
        assert_eq!(code, 403, "{method} {path}: {said}");
        assert!(said["message"].as_str().is_some_and(|said| said.contains("system:anonymous")), "{said}");
    }
    for path in &others {
        // Of health the rule has these names only, of the version also that of the folder.
        let is_public = PUBLIC.contains(&path.as_str()) || path == "/version/";
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            let (code, said) = nobody.send(method, path).await;
            // What may be seen may be changed by nobody: the rule is of `get`.
            let allowed = is_public && method == "GET";
            assert_eq!(code != 403, allowed, "{method} {path}: {code} {said}");
        }
    }
    for path in PUBLIC {
        assert_eq!(nobody.send("GET", path).await.0, 200, "{path}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_known_and_has_no_rights_sees_what_there_is_and_asks_for_themselves() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let root = admin(&server);
    let own = signed(&scratch, "bob", Duration::from_secs(3600));
    let mut bob = Client::connect(&server, &scratch, Some(own)).await;
    let reviews = ["selfsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews"];
    for (method, path) in served(&root).await {
        let (code, said) = bob.send(method, &path).await;
        let is_discovery = method == "GET"
            && path.matches('/').count() <= 3
            && !path.trim_start_matches("/api/v1").contains('/')
            || method == "GET" && path.starts_with("/apis/") && path.matches('/').count() == 3;
        let asks = method == "POST" && reviews.iter().any(|review| path.ends_with(review));
        assert_eq!(code != 403, is_discovery || asks, "{method} {path}: {code} {said}");
    }
    for path in other_paths(&root).await {
        let (code, _) = bob.send("GET", &path).await;
        let begins = ["/api", "/apis", "/openapi", "/healthz", "/livez", "/readyz", "/version"];
        let known = begins.iter().any(|begin| {
            path == *begin || path.trim_end_matches('/') == *begin || path.starts_with(&format!("{begin}/"))
        });
        let is_resource = path.contains("/watch/");
        if !known || is_resource {
            assert_eq!(code, 403, "{path}");
        }
        assert_ne!(bob.send("DELETE", &path).await.0, 200, "{path}");
    }
    server.stop().await;
}

/// A certificate of the hub's authority for somebody, and its key; it ends so much from now, or has ended if that is nothing.
fn signed(scratch: &Scratch, name: &str, lasts: Duration) -> (String, String) {
    let read = |file: &str| std::fs::read_to_string(scratch.join(file)).expect("it is there");
    let authority = KeyPair::from_pem(&read("ca.key")).expect("a key");
    let issuer = Issuer::from_ca_cert_pem(&read("ca.crt"), authority).expect("an authority");
    sign(&issuer, name, lasts)
}

fn sign(issuer: &Issuer<'_, KeyPair>, name: &str, lasts: Duration) -> (String, String) {
    let key = KeyPair::generate().expect("a key");
    let mut params = CertificateParams::new(Vec::new()).expect("parameters");
    params.distinguished_name.push(DnType::CommonName, name);
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    let now = SystemTime::now();
    params.not_before = (now - Duration::from_secs(7200)).into();
    params.not_after = (now + lasts - Duration::from_secs(if lasts.is_zero() { 3600 } else { 0 })).into();
    let certificate = params.signed_by(&key, issuer).expect("a certificate");
    (certificate.pem(), key.serialize_pem())
}

#[tokio::test(flavor = "multi_thread")]
async fn certificates_that_are_not_good_are_nobodys() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let mut params = CertificateParams::new(Vec::new()).expect("parameters");
    params.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    // The same name does not make it the same authority.
    params.distinguished_name.push(DnType::CommonName, "bowline-hub-ca");
    let foreign = Issuer::new(params, KeyPair::generate().expect("a key"));
    let hour = Duration::from_secs(3600);
    for (what, own, code) in [
        ("a good one", signed(&scratch, "admin", hour), 403),
        ("an expired one", signed(&scratch, "admin", Duration::ZERO), 401),
        ("one of another authority", sign(&foreign, "admin", hour), 401),
    ] {
        let mut client = Client::connect(&server, &scratch, Some(own)).await;
        for (method, path) in [("GET", "/api/v1/secrets"), ("POST", "/api/v1/namespaces"), ("GET", "/livez")]
        {
            let expected = if code == 403 && path == "/livez" { 200 } else { code };
            assert_eq!(client.send(method, path).await.0, expected, "{what}: {method} {path}");
        }
    }
    // The server's own certificate is none of a client.
    let read = |file: &str| std::fs::read_to_string(scratch.join(file)).expect("it is there");
    let mut client = Client::connect(&server, &scratch, Some((read("server.crt"), read("server.key")))).await;
    assert_eq!(client.send("GET", "/livez").await.0, 401);
    server.stop().await;
}

const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";

async fn token(service: &Service, account: &str, spec: Value) -> String {
    let path = format!("{ACCOUNTS}/{account}/token");
    let made = expect(201, ask(service, "POST", &path, &json!({ "spec": spec })).await);
    made["status"]["token"].as_str().expect("a token").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_that_are_not_good_are_nobodys() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let root = admin(&server);
    for account in ["a", "b", "c"] {
        expect(201, ask(&root, "POST", ACCOUNTS, &json!({ "metadata": { "name": account } })).await);
    }
    let pods = "/api/v1/namespaces/default/pods";
    let pod = json!({ "metadata": { "name": "p" },
        "spec": { "serviceAccountName": "a", "containers": [{ "name": "c", "image": "i" }] } });
    let pod = expect(201, ask(&root, "POST", pods, &pod).await);
    let secrets = "/api/v1/namespaces/default/secrets";
    let secret = expect(201, ask(&root, "POST", secrets, &json!({ "metadata": { "name": "s" } })).await);
    let bound = |kind: &str, object: &Value| {
        json!({ "audiences": [], "boundObjectRef": {
        "apiVersion": "v1", "kind": kind, "name": object["metadata"]["name"], "uid": object["metadata"]["uid"] } })
    };
    let nobody = Client::connect(&server, &scratch, None).await;
    let check = async |token: &str, expected: u16, what: &str| {
        assert_eq!(nobody.with(token).send("GET", "/api/v1/secrets").await.0, expected, "{what}");
    };
    let plain = token(&root, "a", json!({ "audiences": [] })).await;
    check(&plain, 403, "a good one").await;
    check(&token(&root, "a", json!({ "audiences": ["somebody-else"] })).await, 401, "for somebody else")
        .await;
    let (of_pod, of_secret) =
        (token(&root, "a", bound("Pod", &pod)).await, token(&root, "a", bound("Secret", &secret)).await);
    check(&of_pod, 403, "of a pod").await;
    check(&of_secret, 403, "of a secret").await;
    expect(200, ask(&root, "DELETE", &format!("{pods}/p?gracePeriodSeconds=0"), &Value::Null).await);
    check(&of_pod, 401, "of a pod that is gone").await;
    check(&of_secret, 403, "of a secret, still").await;
    expect(200, ask(&root, "DELETE", &format!("{secrets}/s"), &Value::Null).await);
    check(&of_secret, 401, "of a secret that is gone").await;
    let doomed = token(&root, "b", json!({ "audiences": [] })).await;
    check(&doomed, 403, "of an account").await;
    expect(200, ask(&root, "DELETE", &format!("{ACCOUNTS}/b"), &Value::Null).await);
    check(&doomed, 401, "of an account that is gone").await;
    expect(201, ask(&root, "POST", ACCOUNTS, &json!({ "metadata": { "name": "b" } })).await);
    check(&doomed, 401, "of an account whose name another one has now").await;
    // Another hub has signed it.
    let elsewhere = Scratch::new();
    let other = Server::start(elsewhere.path()).await.expect("it starts");
    expect(201, ask(&admin(&other), "POST", ACCOUNTS, &json!({ "metadata": { "name": "a" } })).await);
    check(&token(&admin(&other), "a", json!({ "audiences": [] })).await, 401, "of another hub").await;
    let [head, claims, signature] = plain.split('.').collect::<Vec<_>>()[..] else { panic!("{plain}") };
    for (what, wrong) in [
        ("without a signature", format!("{head}.{claims}.")),
        ("with another head", format!("eyJhbGciOiJub25lIn0.{claims}.{signature}")),
        ("with other claims", format!("{head}.{}.{signature}", claims.replace('a', "b"))),
        ("nonsense", "nonsense".to_owned()),
    ] {
        check(&wrong, 401, what).await;
    }
    other.stop().await;
    server.stop().await;
}

/// The token with other claims, signed by the hub's own key.
fn signed_anew(scratch: &Scratch, token: &str, change: impl FnOnce(&mut Value)) -> String {
    let [head, claims, _] = token.split('.').collect::<Vec<_>>()[..] else { panic!("{token}") };
    let mut claims: Value =
        serde_json::from_slice(&BASE64.decode(claims).expect("base64")).expect("claims are JSON");
    change(&mut claims);
    let signed = format!("{head}.{}", BASE64.encode(claims.to_string()));
    let key = PrivatePkcs8KeyDer::from_pem_file(scratch.join("service-accounts.key")).expect("a key");
    let random = SystemRandom::new();
    let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, key.secret_pkcs8_der(), &random)
        .expect("a key");
    let signature = key.sign(&random, signed.as_bytes()).expect("a signature");
    format!("{signed}.{}", BASE64.encode(signature))
}

/// Clocks may be a minute apart, as in the real server.
#[tokio::test(flavor = "multi_thread")]
async fn tokens_count_from_their_beginning_to_their_end() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let root = admin(&server);
    expect(201, ask(&root, "POST", ACCOUNTS, &json!({ "metadata": { "name": "a" } })).await);
    let good = token(&root, "a", json!({ "audiences": [] })).await;
    let nobody = Client::connect(&server, &scratch, None).await;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("it is after 1970").as_secs();
    let cases = [
        ("exp", now + 3600, None),
        ("exp", now - 30, None),
        ("exp", now - 90, Some("service account token has expired")),
        ("exp", 0, Some("service account token has expired")),
        ("nbf", now + 30, None),
        ("nbf", now + 120, Some("service account token is not valid yet")),
        ("iat", now + 120, Some("service account token is issued in the future")),
    ];
    for (claim, at, why) in cases {
        let token = signed_anew(&scratch, &good, |claims| claims[claim] = json!(at));
        let what = format!("{claim} is {at}, and it is {now}");
        // Twice: a signature that was verified is remembered, and what it vouches for may have ended.
        for _ in 0..2 {
            let (code, _) = nobody.with(&token).send("GET", "/api/v1/secrets").await;
            assert_eq!(code, if why.is_some() { 401 } else { 403 }, "{what}");
        }
        let review = json!({ "spec": { "token": token } });
        let reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
        let told = expect(201, ask(&root, "POST", reviews, &review).await);
        let error = why.map(|why| format!("[invalid bearer token, {why}]"));
        assert_eq!(told["status"]["error"].as_str().map(str::to_owned), error, "{what}");
        assert_eq!(told["status"]["authenticated"].as_bool().unwrap_or_default(), why.is_none(), "{what}");
    }
    server.stop().await;
}
