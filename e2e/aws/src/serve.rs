//! HTTP/1.1 on a free port of loopback.

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

/// A request as it has arrived, whole.
pub(crate) type Asked = Request<Bytes>;
/// An answer.
pub(crate) type Answered = Response<Full<Bytes>>;

/// AWS takes no longer documents.
const LARGEST_BODY: usize = 1 << 20;

/// What answers requests.
pub(crate) trait Answer: Send + Sync + 'static {
    /// Answers one. `None` closes the connection.
    fn answer(&self, asked: Asked) -> impl Future<Output = Option<Answered>> + Send;
}

/// A server that runs until it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    accept: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start(answer: Arc<impl Answer>) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        Ok(Server { address, accept: tokio::spawn(accept(listener, answer)) })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accept.abort();
    }
}

async fn accept(listener: TcpListener, answer: Arc<impl Answer>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                // One that has gone again: the next may succeed.
                let Ok((stream, _)) = accepted else { continue };
                connections.spawn(connection(stream, Arc::clone(&answer)));
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn connection(stream: TcpStream, answer: Arc<impl Answer>) {
    // Without it answers wait for each other; that it cannot be set is no reason not to answer.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| one(request, Arc::clone(&answer)));
    // It ends by the client, or because the answer is to close it. Either is on purpose.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

async fn one(request: Request<Incoming>, answer: Arc<impl Answer>) -> Result<Answered, Closed> {
    let (head, body) = request.into_parts();
    let body = Limited::new(body, LARGEST_BODY).collect().await.map_err(|_| Closed)?.to_bytes();
    answer.answer(Request::from_parts(head, body)).await.ok_or(Closed)
}

/// The connection is closed without an answer.
#[derive(Debug)]
struct Closed;

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("closed")
    }
}

impl std::error::Error for Closed {}

/// An answer with text.
pub(crate) fn reply(status: u16, kind: &'static str, text: String) -> Answered {
    let mut reply = Response::new(Full::new(Bytes::from(text)));
    *reply.status_mut() = http::StatusCode::from_u16(status).unwrap_or_default();
    reply.headers_mut().insert(http::header::CONTENT_TYPE, http::HeaderValue::from_static(kind));
    reply
}
