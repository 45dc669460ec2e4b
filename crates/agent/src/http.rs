//! One request to a server, and its answer.

use std::time::Duration;

use bytes::Bytes;
use http::header::{CONNECTION, HOST};
use http::{HeaderValue, Request, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How much is read of an answer.
const MOST_BYTES: usize = 64 << 10;

/// What a server answered.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) body: Bytes,
}

/// Sends a request once, on a connection of its own, and says what went wrong.
pub(crate) async fn send(request: Request<Full<Bytes>>, most: Duration) -> Result<Answered, String> {
    match timeout(most, exchange(request)).await {
        Ok(answered) => answered,
        Err(_) => Err(format!("no answer within {} ms", most.as_millis())),
    }
}

async fn exchange(mut request: Request<Full<Bytes>>) -> Result<Answered, String> {
    let (address, host) = address(request.uri())?;
    let stream = TcpStream::connect(&address).await.map_err(|error| format!("{address}: {error}"))?;
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    *request.uri_mut() = path.parse().map_err(|error| format!("{path:?} is no path: {error}"))?;
    let headers = request.headers_mut();
    if !headers.contains_key(HOST) {
        headers.insert(HOST, HeaderValue::try_from(host).map_err(|error| error.to_string())?);
    }
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
    let answered = async {
        let answer = sender.send_request(request).await.map_err(|error| error.to_string())?;
        let status = answer.status().as_u16();
        // Its status is an answer even if the rest of it is none.
        let body = Limited::new(answer.into_body(), MOST_BYTES).collect().await;
        Ok(Answered { status, body: body.map(|body| body.to_bytes()).unwrap_or_default() })
    };
    tokio::pin!(answered);
    // The connection moves as long as it is polled, and ends with us.
    tokio::select! {
        biased;
        answer = &mut answered => answer,
        ended = connection => match ended {
            Ok(()) => answered.await,
            Err(error) => Err(error.to_string()),
        },
    }
}

/// Where a server is, and what it is called.
pub(crate) fn address(uri: &Uri) -> Result<(String, String), String> {
    if uri.scheme_str() != Some("http") {
        return Err(format!("{uri} is no http:// address"));
    }
    let host = uri.host().filter(|host| !host.is_empty()).ok_or_else(|| format!("{uri} names no host"))?;
    let port = uri.port_u16().unwrap_or(80);
    Ok((format!("{host}:{port}"), format!("{host}:{port}")))
}
