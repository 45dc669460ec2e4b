//! Health and counts over plain HTTP, for those who run without a hub.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context;
use bowline_runtime::Metrics;
use http::{Request, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use tokio::net::TcpListener;

/// How long nobody is listened to after one could not be heard.
const REST: Duration = Duration::from_millis(100);

/// Answers from now on, as long as the process lives; tells where.
pub(crate) async fn serve(listen: SocketAddr, metrics: Metrics) -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind(listen).await.with_context(|| format!("cannot listen on {listen}"))?;
    let address = listener.local_addr().context("cannot tell where it listens")?;
    tokio::spawn(async move {
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                // Who went away before it was heard is no trouble. Where there are no more files it fails at once, again and
                // again: without a rest that would take a core.
                tokio::time::sleep(REST).await;
                continue;
            };
            let metrics = metrics.clone();
            let answers = service_fn(move |request: Request<Incoming>| {
                let answer = answer(request.uri().path(), &metrics);
                async move { Ok::<_, Infallible>(answer) }
            });
            tokio::spawn(async move {
                // A client that breaks off has its reasons.
                let _ =
                    Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), answers).await;
            });
        }
    });
    Ok(address)
}

fn answer(path: &str, metrics: &Metrics) -> Response<String> {
    const PLAIN: &str = "text/plain; charset=utf-8";
    let (status, media, text) = match path {
        "/livez" | "/healthz" => (StatusCode::OK, PLAIN, "ok".to_owned()),
        "/readyz" => match metrics.ready() {
            Ok(()) => (StatusCode::OK, PLAIN, "ok".to_owned()),
            Err(why) => (StatusCode::SERVICE_UNAVAILABLE, PLAIN, format!("[-]controllers failed: {why}\n")),
        },
        "/metrics" => match metrics.text() {
            Ok(text) => (StatusCode::OK, "application/openmetrics-text; version=1.0.0; charset=utf-8", text),
            Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, PLAIN, error.to_string()),
        },
        _ => (StatusCode::NOT_FOUND, PLAIN, "there are /metrics, /livez and /readyz\n".to_owned()),
    };
    let mut answer = Response::new(text);
    *answer.status_mut() = status;
    answer.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(media));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_said_and_nobody_is_ready_before_anything_runs() {
        let metrics = Metrics::new();
        assert_eq!(answer("/livez", &metrics).status(), StatusCode::OK);
        assert_eq!(answer("/readyz", &metrics).status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(answer("/nothing", &metrics).status(), StatusCode::NOT_FOUND);
        assert!(answer("/metrics", &metrics).body().ends_with("# EOF\n"));
    }
}
