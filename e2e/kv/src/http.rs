//! Requests over HTTP/1.1, without TLS: nothing here leaves the machine.

use std::net::SocketAddr;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Silence {
    /// Nobody is there.
    #[error("cannot connect")]
    Connect(#[from] std::io::Error),
    /// The connection broke, before or after the request has arrived.
    #[error("no answer")]
    Broken(#[from] hyper::Error),
}

/// A connection that takes request after request.
pub struct Line(SendRequest<Full<Bytes>>);

impl Line {
    /// Connects.
    ///
    /// # Errors
    /// If nobody is there.
    pub async fn open(address: SocketAddr) -> Result<Line, Silence> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        // It ends with the sender, or breaks; the sender is told.
        tokio::spawn(connection);
        Ok(Line(sender))
    }

    /// Whether the other side has hung up.
    pub fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    /// Asks.
    ///
    /// # Errors
    /// If there is no whole answer. What was asked may be done or not.
    pub async fn ask(&mut self, request: Request<Bytes>) -> Result<Response<Bytes>, Silence> {
        self.0.ready().await?;
        let (head, body) = self.0.send_request(request.map(Full::new)).await?.into_parts();
        Ok(Response::from_parts(head, body.collect().await?.to_bytes()))
    }
}

/// Asks one thing.
///
/// # Errors
/// If there is no whole answer.
pub async fn ask(address: SocketAddr, request: Request<Bytes>) -> Result<Response<Bytes>, Silence> {
    Line::open(address).await?.ask(request).await
}

/// A request.
///
/// # Panics
/// If the path is none.
pub fn request(method: &str, path: &str, body: impl Into<Bytes>) -> Request<Bytes> {
    let request = Request::builder().method(method).uri(path).header("host", "kv");
    request.body(body.into()).expect("the path is well formed")
}
