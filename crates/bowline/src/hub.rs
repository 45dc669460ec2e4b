//! `bowline hub`: the embedded API server alone.

use std::net::{IpAddr, SocketAddr};

use bowline_apiserver::Config;

use crate::exit::Exit;
use crate::output;
use crate::service::{self, Signals};

/// Reads where to listen.
pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| "it takes an address and a port, for example 127.0.0.1:7443 or [::1]:7443".into())
}

/// Reads a name by which clients reach the hub.
pub(crate) fn name(text: &str) -> Result<String, String> {
    let is_label = |label: &str| {
        let inside = |c: char| c.is_ascii_alphanumeric() || c == '-';
        !label.is_empty() && label.len() < 64 && label.chars().all(inside)
    };
    let name = text.strip_prefix("*.").unwrap_or(text);
    if text.parse::<IpAddr>().is_ok() || name.split('.').all(is_label) {
        return Ok(text.to_owned());
    }
    Err("it takes a DNS name or an address, for example hub.example.org or 10.0.0.1".into())
}

/// Serves until somebody wants it to end.
pub(crate) fn run(config: Config) -> anyhow::Result<Exit> {
    service::block_on(serve(config))
}

async fn serve(config: Config) -> anyhow::Result<Exit> {
    // Who is told that it listens may end it at once.
    let mut signals = Signals::new()?;
    let server = tokio::select! {
        server = service::start(config) => server?,
        ended = signals.next() => return Ok(service::ended_early(ended)),
    };
    output::note(&format!(
        "The hub listens on {}.\n\n  export KUBECONFIG={}\n  kubectl get namespaces\n",
        server.url(),
        server.kubeconfig().display()
    ));
    let ended = signals.next().await;
    output::note(&format!("{ended}: the hub ends; once more, and it ends at once."));
    tokio::select! {
        () = server.stop() => {}
        again = signals.next() => service::ends_at_once(again),
    }
    Ok(Exit::Done)
}
