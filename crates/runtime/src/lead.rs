//! Leader election: the shell of [`Candidate`], which decides.
//!
//! [`elect`] wants a Lease of `coordination.k8s.io` for this process. What it asks for is asked once, with a deadline; a watch
//! shows what others do with the Lease. Everybody else has a [`Leader`], by which they know whether they may act.

mod desk;
mod leader;
mod paper;
mod trouble;

use std::time::Duration;

use bowline_control::lease::{Answer, Candidate, Epoch, Request, Settings, Step, Wish};
use bowline_control::{Millis, Version};
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use k8s_openapi::api::coordination::v1::Lease;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client};

pub use leader::Leader;
#[cfg(test)]
pub(crate) use leader::leads;
pub use leader::{Mandate, Over};

use self::desk::{Came, Desk};
use self::leader::Teller;
use self::trouble::{Asked, Trouble};
use crate::clock::{NAP, now};
use crate::complaint::is_refusal;
use crate::install::{InstallError, make, make_namespace};
use crate::metrics::Metrics;
use crate::sentence::sentence;

/// What [`Metrics::ready`] files it under.
const TOPIC: &str = "lease";
/// What is watched, as the server calls it.
const WATCHED: &str = "leases";

/// Who wants which lease.
pub struct Election {
    /// The way to the API.
    pub client: Client,
    /// Where the Lease is. It is made if it is missing.
    pub namespace: String,
    /// What the Lease is called.
    pub name: String,
    /// Who this is.
    pub identity: Identity,
    /// How long the lease lasts.
    pub settings: Settings,
    /// An epoch that those who are acted upon may know: who leads comes after it, whatever became of the Lease.
    pub floor: Epoch,
    /// Where it is said who leads.
    pub metrics: Metrics,
}

/// Who a process is to others that want the same lease.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Identity {
    /// One run of one process: a word for people, to which something random is added. Who comes back after a crash is
    /// somebody else, and waits.
    Run(String),
    /// A name that nobody else can have while this process lives, and whose requests die with it: see
    /// [`Candidate::exclusive`].
    Exclusive(String),
}

/// Wants the lease until `stop`, and longer: what is begun is to end. Nothing may be begun after `stop`; when every [`Leader`]
/// is dropped, the lease is given back, and whoever waits for it acts at once.
///
/// Nothing happens unless the future is polled.
pub fn elect(
    election: Election,
    stop: impl Future<Output = ()> + Send,
) -> (Leader, impl Future<Output = ()> + Send) {
    let (teller, leader) = leader::told(&election.settings);
    (leader, Office::new(election, teller).run(stop))
}

/// Makes the namespace and, in it, a Lease that nobody holds, so that the first who wants it need not wait. Who wants a Lease
/// that is not there waits for a term: it may have been deleted under a holder. In a namespace that was not there
/// either there was none.
///
/// # Errors
/// If the server refuses.
pub async fn establish(client: &Client, namespace: &str, name: &str) -> Result<(), InstallError> {
    if make_namespace(client, namespace).await? {
        let mut lease = Lease::default();
        lease.metadata.name = Some(name.to_owned());
        let api: Api<Lease> = Api::namespaced(client.clone(), namespace);
        make(&api, &lease).await?;
    }
    Ok(())
}

/// The candidate, and what it takes to carry what it decides.
struct Office {
    candidate: Candidate<String>,
    desk: Desk,
    /// The Lease as it was shown last, whole: what we do not know of it stays as it is.
    raw: Option<Lease>,
    teller: Teller,
    metrics: Metrics,
    /// There is nobody who could do this process' work.
    alone: bool,
    /// Why the lease cannot be had, if it cannot.
    trouble: Trouble,
    /// Somebody was told that this one leads, and not we.
    named: Option<String>,
}

impl Office {
    fn new(election: Election, teller: Teller) -> Office {
        let Election { client, namespace, name, identity, settings, floor, metrics } = election;
        let alone = matches!(identity, Identity::Exclusive(_));
        let mut candidate = match identity {
            Identity::Run(word) => {
                Candidate::new(format!("{word}_{:016x}", crate::drive::random()), settings)
            }
            Identity::Exclusive(name) => Candidate::exclusive(name, settings),
        };
        candidate.floor = floor;
        let desk = Desk { client, namespace, name, settings };
        Office {
            candidate,
            desk,
            raw: None,
            teller,
            metrics,
            alone,
            trouble: Trouble::default(),
            named: None,
        }
    }

    async fn run(mut self, stop: impl Future<Output = ()> + Send) {
        let only_this = watcher::Config::default().fields(&format!("metadata.name={}", self.desk.name));
        let mut shown = watcher(self.desk.api(), only_this).default_backoff().boxed();
        let mut asked: Option<BoxFuture<'static, Came>> = None;
        let mut stop = std::pin::pin!(stop);
        let mut stopping = false;
        let mut gives_up = None;
        loop {
            let moment = now();
            let step = self.candidate.decide(moment.clock);
            if step == Step::Left || gives_up.is_some_and(|then| then <= moment.clock) {
                break;
            }
            if let Some(request) = self.candidate.begin(step, moment) {
                asked = Some(self.ask(request));
            }
            self.tell();
            tokio::select! {
                came = answer(&mut asked) => {
                    asked = None;
                    self.answered(came);
                }
                Some(event) = shown.next() => self.see(event),
                () = tokio::time::sleep(self.nap()) => {}
                () = &mut stop, if !stopping => {
                    stopping = true;
                    self.teller.ends();
                    self.candidate.drain();
                }
                () = self.teller.nobody_acts(), if gives_up.is_none() => gives_up = Some(self.leave()),
            }
        }
        self.candidate.leave();
        self.tell();
    }

    /// Nobody acts any more: the lease is given back, if nothing may arrive any more. Says when that has taken too long.
    fn leave(&mut self) -> Millis {
        self.candidate.leave();
        let now = now().clock;
        if self.teller.open_until() > now {
            tracing::info!(lease = self.desk.name, "something was not answered: the lease is left to lapse");
            return now;
        }
        // It lapses by itself; nobody need wait for that here.
        now.plus(self.desk.settings.renew())
    }

    fn tell(&mut self) {
        let tenure = self.candidate.tenure(now().clock);
        let leads = tenure.is_some();
        self.metrics.leads(&self.desk.name, leads);
        self.teller.tell(tenure);
        let waits = if self.alone { self.whom_we_wait_for(leads) } else { None };
        self.metrics.trouble(TOPIC, if leads { None } else { self.out_of_reach().or(waits) });
    }

    /// Why nobody can tell who leads, if that is so. Where several may run, those that wait are as ready as the one that leads;
    /// but who cannot ask for the lease could not take over.
    fn out_of_reach(&self) -> Option<String> {
        let Desk { namespace, name, .. } = &self.desk;
        let why = self.trouble.why()?;
        Some(format!("they do nothing, because their Lease {namespace}/{name} cannot be had: {why}"))
    }

    /// Who else leads, or what is waited for, in words; the log is told when it is somebody new.
    fn whom_we_wait_for(&mut self, leads: bool) -> Option<String> {
        let seen = self.candidate.seen.as_ref().and_then(|seen| seen.lease.as_ref());
        let holder = seen.and_then(|lease| lease.holder.clone());
        let other = holder.filter(|holder| !leads && *holder != self.candidate.me);
        let lease = format!("{}/{}", self.desk.namespace, self.desk.name);
        let why = match &other {
            _ if leads => None,
            Some(other) => Some(format!(
                "{other} leads, and they wait until it ends or its Lease {lease} lapses: is it another `bowline \
                 controllers` on this server? End it"
            )),
            None => Some(format!("they wait for their Lease {lease}")),
        };
        if let Some(other) = other.as_ref().filter(|_| other != self.named) {
            tracing::warn!(
                lease,
                leader = other,
                "somebody else leads; this process does nothing until that ends"
            );
        }
        self.named = other;
        why
    }

    /// How long nothing is to be done, if nothing comes in.
    fn nap(&self) -> Duration {
        let now = now().clock;
        match self.candidate.decide(now) {
            Step::Wait(None) => NAP,
            Step::Wait(Some(until)) => Duration::from_millis(until.since(now).0).min(NAP),
            _ => Duration::ZERO,
        }
    }

    fn ask(&self, request: Request<String>) -> BoxFuture<'static, Came> {
        let desk = self.desk.clone();
        let whole = self.raw.clone();
        let deadline = desk.settings.renew();
        let asked = if request == Request::Read { Asked::Read } else { Asked::Write };
        async move {
            let carried = desk.carry(request, whole);
            let answered = tokio::time::timeout(Duration::from_millis(deadline.0), carried).await;
            let late = |_| Came::unknown(format!("no answer within {} ms", deadline.0));
            Came { asked, ..answered.unwrap_or_else(late) }
        }
        .boxed()
    }

    fn answered(&mut self, came: Came) {
        let led = self.candidate.hold.map(|hold| hold.epoch);
        let is_outdated = came.answer == Answer::Outdated;
        self.candidate.answered(came.answer, now().clock);
        self.keep(came.raw);
        let version = self.version();
        let news = match came.trouble {
            Some(why) => self.trouble.failed(why, came.asked, version),
            // That tells what others do, and not what we can.
            None if is_outdated => None,
            None => self.trouble.worked(came.asked, version),
        };
        if let Some(news) = news {
            news.tell(&self.desk.name);
        }
        let leads = self.candidate.hold.map(|hold| hold.epoch);
        if let Some(epoch) = leads.filter(|_| leads != led) {
            tracing::info!(lease = self.desk.name, me = self.candidate.me, %epoch, "this process leads");
        }
    }

    /// The lease as it is known.
    fn version(&self) -> Option<Version> {
        self.candidate.seen.as_ref()?.lease.as_ref().map(|lease| lease.version)
    }

    /// Keeps the object that the candidate goes by. What a late watch shows is not it.
    fn keep(&mut self, raw: Option<Lease>) {
        let seen = self.candidate.seen.as_ref().and_then(|seen| seen.lease.as_ref());
        let version = seen.map(|lease| lease.version.to_string());
        if let Some(raw) = raw.filter(|raw| raw.metadata.resource_version == version) {
            self.raw = Some(raw);
        }
    }

    fn see(&mut self, event: watcher::Result<watcher::Event<Lease>>) {
        if let Ok(event) = &event {
            self.metrics.complaints().shown(WATCHED, event);
        }
        match event {
            Ok(watcher::Event::Apply(raw) | watcher::Event::InitApply(raw)) => {
                let Some(lease) = paper::read(&raw, &self.desk.settings) else { return };
                self.candidate.see(lease, now().clock);
                self.keep(Some(raw));
                if let Some(news) = self.trouble.shown(self.version()) {
                    news.tell(&self.desk.name);
                }
            }
            // That it is gone is found when it is written.
            Ok(_) => {}
            // Whether the server is there is found by who asks for the lease.
            Err(error) if is_refusal(&error) => {
                if let Some(told) = self.metrics.complaints().of(WATCHED, &error) {
                    tracing::warn!(lease = self.desk.name, "{told}");
                }
            }
            Err(error) => {
                let why = sentence(&error);
                tracing::debug!(lease = self.desk.name, why, "the watch begins again");
            }
        }
        if self.candidate.hold.is_some_and(|hold| hold.lost) && self.candidate.wish == Wish::Hold {
            tracing::warn!(lease = self.desk.name, "somebody else has taken the lease");
        }
    }
}

/// What was asked for is answered; if nothing was, never.
async fn answer(asked: &mut Option<BoxFuture<'static, Came>>) -> Came {
    match asked {
        Some(asked) => asked.await,
        None => std::future::pending().await,
    }
}
