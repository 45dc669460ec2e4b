//! What an agent sees while it does something else: its Member, its shim, and what the probe says.

use std::time::Duration;

use bowline_agent::{Boottime, Gauge, Local, Outcome, Probe, Run, Software, Status};
use bowline_upgrades::agent::Health;
use futures::StreamExt;
use kube::runtime::watcher;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;

use super::hub::{Hub, Sight};
use crate::team::answered;

/// How long it is waited before something is looked at again that could not be seen.
const AGAIN: Duration = Duration::from_millis(500);
/// How long a shim is waited for that has nothing new to say.
const WATCH: Duration = Duration::from_secs(30);

/// What was seen.
#[derive(Debug)]
pub(super) enum News {
    /// The Member.
    Member(Box<Sight>),
    /// The Member is gone, or this agent may not see it any more.
    Denied,
    /// What the shim has.
    Shim(Box<Status>),
    /// What the probe says of what was started then.
    Health(Boottime, Health),
    /// What was started then has finished what it had begun, or has had its time.
    Drained(Boottime),
}

/// A task that ends with this.
pub(super) struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Does something beside everything else.
pub(super) fn task(work: impl Future<Output = ()> + Send + 'static) -> Task {
    Task(tokio::spawn(work))
}

/// Watches the Member.
pub(super) fn member(hub: &Hub, news: UnboundedSender<News>) -> Task {
    let only_this = watcher::Config::default().fields(&format!("metadata.name={}", hub.name()));
    let mut shown = watcher(hub.members(), only_this).boxed();
    task(async move {
        while let Some(event) = shown.next().await {
            match event {
                Ok(watcher::Event::Apply(raw) | watcher::Event::InitApply(raw)) => {
                    let Some(sight) = Sight::of(raw) else { continue };
                    if news.send(News::Member(Box::new(sight))).is_err() {
                        return;
                    }
                }
                Ok(watcher::Event::Delete(_)) => {
                    if news.send(News::Denied).is_err() {
                        return;
                    }
                }
                Ok(watcher::Event::Init | watcher::Event::InitDone) => {}
                Err(error) => {
                    if is_denied(&error) && news.send(News::Denied).is_err() {
                        return;
                    }
                    // The hub may be away: that is not for a watch to tell.
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
    })
}

fn is_denied(error: &watcher::Error) -> bool {
    let (watcher::Error::InitialListFailed(why) | watcher::Error::WatchStartFailed(why)) = error else {
        return false;
    };
    answered(why, 401) || answered(why, 403)
}

/// Watches the shim; one that is gone is started again.
pub(super) fn shim(software: Local, news: UnboundedSender<News>) -> Task {
    task(async move {
        let mut known = None;
        let mut complained = false;
        loop {
            let seen = match known {
                None => software.look().await,
                Some(change) => software.watch(change, WATCH).await,
            };
            match seen {
                Ok(status) => {
                    (known, complained) = (Some(status.change), false);
                    if news.send(News::Shim(Box::new(status))).is_err() {
                        return;
                    }
                }
                Err(error) => {
                    if known.is_none() && !complained {
                        complained = true;
                        tracing::warn!("the shim cannot be used: {error}");
                    }
                    known = None;
                    tokio::time::sleep(AGAIN / 5).await;
                }
            }
        }
    })
}

/// Asks the software whether it works, as long as this run lasts.
pub(super) fn prober(run: &Run, probe: Probe, health: Health, news: UnboundedSender<News>) -> Task {
    let since = run.since;
    let mut gauge = Gauge::new(probe.timing, since, health == Health::Good);
    task(async move {
        let mut told = health;
        loop {
            tokio::time::sleep(gauge.due().since(Boottime::now())).await;
            let asked = Boottime::now();
            let answer = probe.ask().await;
            if let (Err(why), Health::Good) = (&answer, told) {
                tracing::info!("the probe failed: {why}");
            }
            gauge.note(asked, Boottime::now(), answer);
            let health = match gauge.outcome() {
                Outcome::Healthy => Health::Good,
                Outcome::Unhealthy { .. } => Health::Bad,
                Outcome::Unknown => Health::Unknown,
            };
            // What was known of it counts until there are enough answers.
            if health != told && health != Health::Unknown {
                told = health;
                if news.send(News::Health(since, health)).is_err() {
                    return;
                }
            }
        }
    })
}

/// Nobody need ask: it works as long as it runs.
pub(super) fn nobody() -> Task {
    task(std::future::ready(()))
}
