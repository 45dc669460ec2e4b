//! A server, and connections to it that stay open.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST};
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// A server.
#[derive(Clone)]
pub(crate) struct Server {
    authority: String,
    name: ServerName<'static>,
    tls: TlsConnector,
    /// The same server, trusted by the same roots, for who has a token and no certificate.
    plain: TlsConnector,
    token: Option<String>,
}

impl Server {
    pub(crate) fn of_kubeconfig(path: &Path) -> Result<Server> {
        let text = std::fs::read_to_string(path)?;
        let config: Value = serde_saphyr::from_str(&text)?;
        let cluster = &config["clusters"][0]["cluster"];
        let user = &config["users"][0]["user"];
        let pem = |value: &Value| -> Result<Vec<u8>> {
            Ok(BASE64_STANDARD.decode(value.as_str().context("the kubeconfig carries its certificates")?)?)
        };
        let authority = cluster["server"].as_str().and_then(|url| url.strip_prefix("https://"));
        let authority = authority.context("the server is reached by https")?.trim_end_matches('/').to_owned();
        let host = authority.rsplit_once(':').map_or(authority.as_str(), |(host, _)| host).to_owned();
        let mut roots = rustls::RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(&pem(&cluster["certificate-authority-data"])?) {
            roots.add(certificate?)?;
        }
        let chain = CertificateDer::pem_slice_iter(&pem(&user["client-certificate-data"])?)
            .collect::<Result<_, _>>()?;
        let key = PrivateKeyDer::from_pem_slice(&pem(&user["client-key-data"])?)?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots);
        let plain = TlsConnector::from(Arc::new(tls.clone().with_no_client_auth()));
        let tls = TlsConnector::from(Arc::new(tls.with_client_auth_cert(chain, key)?));
        Ok(Server { authority, name: ServerName::try_from(host)?, tls, plain, token: None })
    }

    /// The same server, for somebody who shows this token.
    pub(crate) fn with_token(&self, token: &str) -> Server {
        Server { tls: self.plain.clone(), token: Some(format!("Bearer {token}")), ..self.clone() }
    }

    pub(crate) async fn connect(&self) -> Result<Connection> {
        let stream = TcpStream::connect(&self.authority).await?;
        stream.set_nodelay(true)?;
        let stream = self.tls.connect(self.name.clone(), stream).await?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Connection { sender, authority: self.authority.clone(), token: self.token.clone() })
    }
}

/// An open connection.
pub(crate) struct Connection {
    sender: SendRequest<Full<Bytes>>,
    authority: String,
    token: Option<String>,
}

impl Connection {
    /// Sends a request and waits for the head of its answer.
    pub(crate) async fn open(
        &mut self,
        method: Method,
        path: &str,
        media: &'static str,
        body: impl Into<Bytes>,
    ) -> Result<Response<Incoming>> {
        let mut request = Request::builder();
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, token);
        }
        let request = request
            .method(method)
            .uri(path)
            .header(HOST, &self.authority)
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, media)
            .body(Full::new(body.into()))?;
        self.sender.ready().await?;
        Ok(self.sender.send_request(request).await?)
    }

    /// Sends a request and waits for all of its answer, which has to be a success.
    pub(crate) async fn send(
        &mut self,
        method: Method,
        path: &str,
        media: &'static str,
        body: impl Into<Bytes>,
    ) -> Result<Bytes> {
        let response = self.open(method, path, media, body).await?;
        let status = response.status();
        let body = response.into_body().collect().await?.to_bytes();
        ensure!(status.is_success(), "{status}: {}", String::from_utf8_lossy(&body));
        Ok(body)
    }
}
