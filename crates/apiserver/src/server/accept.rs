//! Connections: who connects, shakes hands, and is served; and the certificates by which.

use std::convert::Infallible;
use std::sync::{Arc, Weak};
use std::time::Duration;

use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tower::ServiceExt;

use super::answers::{Answer, Answers};
use super::sending::Sending;
use crate::audit::Source;
use crate::auth::pki::{Certificates, Peer, Pki};
use crate::service::Service;
use crate::store::Directory;
use crate::time::Moment;
use crate::verbs::stopped;

/// Streams of one connection: a client with many watches has one each.
const STREAMS: u32 = 4096;
/// So much may a request say before its body: selectors of labels can be long.
const HEADERS: u32 = 256 << 10;
/// How often it is looked whether a certificate ends soon: that is a month before.
pub(super) const RENEWAL: Duration = Duration::from_secs(3600);
/// How long a client may take to shake hands.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// How long a client may take to say what it wants; also the next time, as long as in the real server.
const IDLE: Duration = Duration::from_secs(90);
/// How often clients that wait for something are asked whether they are still there: a machine that is gone says no
/// more that it is.
const PING_EVERY: Duration = Duration::from_secs(30);
/// How long they may take to answer.
const PONG: Duration = Duration::from_secs(20);

/// Serves who connects, until the server stops.
pub(super) async fn accept(
    listener: TcpListener,
    pki: Arc<Certificates>,
    service: Service,
    mut stopping: watch::Receiver<bool>,
) {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(IDLE).max_buf_size(HEADERS as usize);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(PING_EVERY)
        .keep_alive_timeout(PONG)
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(HEADERS);
    let builder = Arc::new(builder);
    let graceful = Arc::new(GracefulShutdown::new());
    loop {
        let (stream, from) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Too many open files, most likely: connections that end make room.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            () = stopped(&mut stopping) => break,
        };
        let connection = Connection {
            pki: pki.current(),
            service: service.clone(),
            builder: Arc::clone(&builder),
            stopping: stopping.clone(),
            from: Source(from.ip()),
        };
        let watcher = graceful.watcher();
        tokio::spawn(async move {
            if let Err(error) = connection.serve(stream, watcher).await {
                tracing::debug!(%error, "a connection ended");
            }
        });
    }
    drop(listener);
    if let Some(graceful) = Arc::into_inner(graceful) {
        graceful.shutdown().await;
    }
}

struct Connection {
    /// The certificates of the moment at which it was made: they are renewed while others are open.
    pki: Arc<Pki>,
    service: Service,
    builder: Arc<auto::Builder<TokioExecutor>>,
    stopping: watch::Receiver<bool>,
    from: Source,
}

impl Connection {
    async fn serve(
        mut self,
        stream: TcpStream,
        watcher: hyper_util::server::graceful::Watcher,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let stream = tokio::select! {
            opened = open(stream, TlsAcceptor::from(self.pki.tls())) => opened?,
            // Who has not said anything yet wants nothing.
            () = stopped(&mut self.stopping) => return Ok(()),
        };
        let peer: Peer = self.pki.peer(stream.get_ref().get_ref().1.peer_certificates(), Moment::now());
        let from = self.from;
        let (service, answers) = (self.service, Arc::new(Answers::default()));
        let given = Arc::clone(&answers);
        let service = tower::service_fn(move |mut request: http::Request<hyper::body::Incoming>| {
            request.extensions_mut().insert(peer.clone());
            request.extensions_mut().insert(from);
            // In HTTP/1 there is one answer at a time: what is not taken of it is not taken by the connection.
            let answers = (request.version() == http::Version::HTTP_2).then(|| Arc::clone(&given));
            let answered = service.clone().oneshot(request);
            async move {
                let reply = answered.await?;
                Ok::<_, Infallible>(reply.map(|body| match answers {
                    Some(answers) => answers.give(body),
                    None => Answer::alone(body),
                }))
            }
        });
        let connection =
            self.builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
        tokio::select! {
            ended = watcher.watch(connection.into_owned()) => ended,
            () = answers.left_lying() => Err("the client takes nothing of an answer".into()),
        }
    }
}

/// Shakes hands, and waits for the first bytes: by them it is seen which HTTP a client speaks, and nobody else limits
/// how long they take.
async fn open(
    stream: TcpStream,
    acceptor: TlsAcceptor,
) -> std::io::Result<BufReader<TlsStream<Sending<TcpStream>>>> {
    // Events are small, and somebody waits for each.
    stream.set_nodelay(true)?;
    let stream = tokio::time::timeout(HANDSHAKE, acceptor.accept(Sending::new(stream))).await??;
    let mut stream = BufReader::new(stream);
    tokio::time::timeout(IDLE, stream.fill_buf()).await??;
    Ok(stream)
}

/// Renews certificates before they end, for as long as the server has its directory.
pub(super) async fn renew(pki: Arc<Certificates>, directory: Weak<Directory>) {
    loop {
        tokio::time::sleep(RENEWAL).await;
        let Some(directory) = directory.upgrade() else { return };
        match pki.renew(&directory, Moment::now()) {
            Ok(false) => {}
            Ok(true) => tracing::warn!("certificates were renewed, also that in admin.kubeconfig"),
            Err(error) => tracing::error!(%error, "certificates could not be renewed; will be tried again"),
        }
    }
}
