//! Every parser of the hub that a request reaches, on input that is nearly good. It says what is wrong, and neither panics nor
//! takes long. What reads files is tried in `src/fuzz.rs`.
//!
//! Requests go through the whole hub, without a socket: what one parser lets through meets the next.

mod kinds;
mod seeds;
mod targets;

use bowline_apiserver::{Config, Server, Service, User};
use bowline_fuzz::Target;
use bytes::Bytes;
use http::Request;
use http_body::Body as _;
use http_body_util::{BodyExt, Full};
use tokio::runtime::Handle;

use targets::{Asks, TARGETS};

/// Inputs of each target in an ordinary run, at a fixed seed and at another.
const INPUTS: usize = 400;

/// Sends a request, and sees what comes back.
async fn answered(service: &Service, request: Request<Vec<u8>>) -> Result<(), String> {
    let reply = service.answer(request.map(|body| Full::new(Bytes::from(body)))).await;
    let code = reply.status();
    let body = reply.into_body();
    // A watch goes on for ever, and has no size: that it began is enough.
    if body.size_hint().exact().is_none() {
        return Ok(());
    }
    let bytes = body.collect().await.map_err(|_| format!("{code}: the body ends early"))?.to_bytes();
    let text = String::from_utf8_lossy(&bytes);
    if text.contains("caused the hub to panic") { Err(format!("{code}: {text}")) } else { Ok(()) }
}

fn target(asks: &Asks, service: Service, runtime: Handle) -> Target {
    let request = asks.request;
    Target::new(asks.name, (asks.seeds)(), move |input| match request(input) {
        Some(request) => runtime.block_on(answered(&service, request)),
        None => Ok(()),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_nearly_good_is_answered() {
    let directory = std::env::temp_dir().join(format!("bowline-fuzz-{}", std::process::id()));
    let config = Config { audit: None, ..Config::local(&directory) };
    let server = Server::start_with(config).await.expect("it starts");
    let root = User { name: "root".into(), groups: vec!["system:masters".into()], ..User::default() };
    let (service, stranger) = (server.service().as_user(root), server.service());
    targets::furnish(&service).await;
    let of = |asks: &Asks| {
        let service = if asks.as_stranger { &stranger } else { &service };
        target(asks, service.clone(), Handle::current())
    };
    let targets: Vec<_> = TARGETS.iter().map(of).collect();
    let tried = tokio::task::spawn_blocking(move || bowline_fuzz::run(&targets, INPUTS)).await;
    server.stop().await;
    let _ = std::fs::remove_dir_all(&directory);
    tried.expect("no input does harm");
}
