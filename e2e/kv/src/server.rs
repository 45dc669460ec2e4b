//! The server: one process per node.
//!
//! `PUT /kv/KEY` and `GET /kv/KEY` are served if the duties name the key's device and their deadline has not passed; else the
//! answer is 421, for this process does not know who is master. A write may carry its number in the header [`NUMBER`]: it is done
//! once, and not after a later one, however often and late it arrives. `POST /duties` is the agent's, `GET /healthz` and
//! `GET /version` anybody's; `GET /drain` is answered when what was under way is finished.

mod answer;
mod flaws;
mod standing;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};

use crate::clock;
use crate::duties::Who;
use crate::master::Actor;
use answer::Server;
pub use flaws::Flaws;
use standing::Standing;

/// The header with the number of a write of its key.
pub const NUMBER: &str = "kv-number";

/// What a process says when it listens, before its address.
pub const GREETING: &str = "listening on ";

/// How a process is to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Where the devices are.
    pub devices: PathBuf,
    /// Which version it is: v1, v2 or v3.
    pub version: String,
    /// Who it is.
    pub who: Who,
    /// Where its duties are.
    pub duties: PathBuf,
    /// How long it does not look at them.
    pub poll: Duration,
    /// What is wrong with it.
    pub flaws: Flaws,
}

/// Serves until SIGTERM, then finishes what is under way and gives back what it is master of.
///
/// # Errors
/// If it cannot start.
pub async fn run(settings: Settings) -> Result<()> {
    settings.flaws.start().await?;
    let mut terminate = signal(SignalKind::terminate())?;
    let standing = Arc::new(open(&settings)?);
    let listener = TcpListener::bind(settings.listen).await.context("cannot listen")?;
    greet(listener.local_addr()?);
    let server = Arc::new(Server::new(settings.version, settings.flaws.clone(), Arc::clone(&standing)));
    let follow = tokio::spawn(follow(Arc::clone(&standing), settings.poll));
    let connections = GracefulShutdown::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                // One that has gone again: the next may succeed.
                let Ok((stream, _)) = accepted else { continue };
                connect(stream, &server, &connections);
            }
            _ = terminate.recv() => {
                if !settings.flaws.ignores_sigterm {
                    break;
                }
            }
        }
    }
    drop(listener);
    connections.shutdown().await;
    tokio::time::sleep(settings.flaws.slow_drain).await;
    // Before the last release: a look at the file would claim again what was given back.
    follow.abort();
    tokio::task::spawn_blocking(move || standing.end()).await?;
    Ok(())
}

fn open(settings: &Settings) -> Result<Standing> {
    let actor = Actor {
        member: settings.who.member.clone(),
        version: settings.version.clone(),
        pid: std::process::id(),
        refuses_newer: settings.flaws.refuses_newer,
    };
    let standing = Standing::open(&settings.devices, settings.who.clone(), settings.duties.clone(), &actor);
    let standing = standing.with_context(|| format!("no devices in {}", settings.devices.display()))?;
    standing.look_at_devices().context("cannot start with these data")?;
    Ok(standing)
}

#[expect(clippy::print_stdout, reason = "whoever started it reads here where it listens")]
fn greet(address: SocketAddr) {
    println!("{GREETING}{address}");
}

async fn follow(standing: Arc<Standing>, poll: Duration) {
    loop {
        let looking = Arc::clone(&standing);
        // It panics only if a look does, and then the next one does, too.
        let _ = tokio::task::spawn_blocking(move || looking.look()).await;
        tokio::time::sleep(poll).await;
    }
}

fn connect(stream: TcpStream, server: &Arc<Server>, connections: &GracefulShutdown) {
    // Without it answers wait for each other; that it cannot be set is no reason not to answer.
    let _ = stream.set_nodelay(true);
    let server = Arc::clone(server);
    let service = service_fn(move |request| Arc::clone(&server).answer(request));
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    // It ends by the client, or by the server's end.
    tokio::spawn(connections.watch(connection));
}

/// When the process began, for what goes wrong after a while.
fn age(began: clock::Micros) -> Duration {
    clock::now().since(began)
}
