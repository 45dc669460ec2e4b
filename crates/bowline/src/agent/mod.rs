//! `bowline agent`: what runs beside the software of a node, and (`syncer.rs`) beside a workload cluster.
//!
//! What is to be done is decided by [`bowline_upgrades::agent`], and done by the hands of [`bowline_agent`]; here both are brought
//! together with the hub. An agent may be killed at any time: all that it has to know it finds in its directory, with its shim,
//! and on the hub.

mod eyes;
mod fence;
mod hub;
mod node;
mod syncer;
mod told;
mod version;

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use bowline_agent::{Home, HomeError, Limits, Local};
use bowline_api::upgrades::Member;
use bowline_control::lease::{Epoch, Settings};
use bowline_runtime::{Election, Identity, Manner, Metrics, elect};
use tokio::sync::mpsc;

use self::fence::Fence;
use self::hub::Hub;
use self::node::Node;
pub(crate) use self::syncer::{SyncerWish, syncer};
use self::version::Place;
use crate::exit::{BadUsage, Exit};
use crate::output;
use crate::service::Signals;
use crate::team::Scope;

/// Plays one of the roles that this program has beside what people type, if it was started for one. To be called before anything
/// else is done.
pub(crate) fn role() -> Option<ExitCode> {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (first, rest) = args.split_first()?;
    if first == "agent" { bowline_agent::play(rest) } else { None }
}

/// Which node, and how it is kept.
pub(crate) struct Wish {
    pub(crate) scope: Scope,
    pub(crate) group: String,
    pub(crate) member: String,
    /// Where agents of this machine keep what they have.
    pub(crate) data: PathBuf,
    /// Where the software of this node is asked, and told.
    pub(crate) address: IpAddr,
    pub(crate) lease: Settings,
}

/// Runs the agent of a node until somebody wants it to end. Its software goes on then.
pub(crate) async fn node(wish: Wish) -> anyhow::Result<Exit> {
    let mut signals = Signals::new()?;
    let Wish { scope, group, member, data, address, lease } = wish;
    let team = scope.perhaps_team().await?;
    let client = scope.server.client(Manner::Once).await?;
    let name = Member::object_name(&group, &member);
    let home = Home::of(&data, &name).map_err(|error| not_ours(&error))?;
    home.prepare().map_err(|error| not_ours(&error))?;
    let occupied = home.occupy().map_err(|error| not_ours(&error))?;
    let me = identity(&home, &member).with_context(|| format!("cannot use {}", home.path().display()))?;
    let hub = Hub::new(client.clone(), team.namespace.clone(), &group, &member);
    hub.greet(&me).await?;
    let election = Election {
        client,
        namespace: team.namespace,
        name: Member::account_name(&group, &member),
        identity: Identity::Exclusive(me),
        settings: lease,
        floor: Epoch::default(),
        metrics: Metrics::new(),
    };
    // It is not given back: the software goes on when the agent ends, and acts for as long as the lease lasts.
    let (leader, election) = elect(election, std::future::pending());
    let election = tokio::spawn(election);
    let software = Local::new(home.clone(), Limits::default());
    let fence = Arc::new(Fence::open(software.clone(), leader.clone()).await?);
    let follow = tokio::spawn(Arc::clone(&fence).follow());
    let (send, news) = mpsc::unbounded_channel();
    let place = Place { home, group: group.clone(), member: member.clone(), address };
    output::note(&format!(
        "The agent of the node {member} in the group {group} runs. Its software is kept in {}, and goes on when the agent ends. \
         Ctrl-C ends it.",
        place.home.path().display()
    ));
    let mut node = Node::new(hub, place, software, fence, leader, send);
    let ended = tokio::select! {
        ended = node.run(news) => ended,
        ended = signals.next() => {
            output::note(&format!("{ended}: the agent ends, and the software goes on until its lease has lapsed, if it is fenced."));
            Ok(Exit::Done)
        }
    };
    [election, follow].iter().for_each(tokio::task::JoinHandle::abort);
    drop(occupied);
    ended
}

fn not_ours(error: &HomeError) -> anyhow::Error {
    anyhow!(BadUsage(format!("{error}. Another directory is chosen by --data")))
}

/// Who this agent is to others that want the lease of the same member: whoever has the directory, over all its lives. Two that
/// were given one name have two directories, and the second waits.
fn identity(home: &Home, member: &str) -> anyhow::Result<String> {
    let path = home.path().join("identity");
    let word = match fs::read_to_string(&path) {
        Ok(word) if !word.trim().is_empty() => word.trim().to_owned(),
        Ok(_) => fresh(&path)?,
        Err(error) if error.kind() == ErrorKind::NotFound => fresh(&path)?,
        Err(error) => return Err(error.into()),
    };
    Ok(format!("{member}_{word}"))
}

fn fresh(path: &std::path::Path) -> anyhow::Result<String> {
    let word = getrandom::u64().map_err(|error| anyhow!("there is no randomness: {error}"))?;
    let word = format!("{word:016x}");
    let new = path.with_extension("new");
    fs::write(&new, &word)?;
    fs::rename(new, path)?;
    Ok(word)
}
