//! Priority and fairness: whose requests go next when there are too many.
//!
//! A request is of a flow schema, which says at which priority level it is, and of a flow there: a user's, most of the
//! time. Each level has its share of the seats; who finds none free waits in queues ([`queues`]) that one flow cannot
//! fill for others.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use bowline_kernel::View;
use tokio::sync::oneshot;

use crate::document::Document;
use crate::key::Resource;
use crate::metrics::{Flow as Counted, Metrics};

mod config;
pub(crate) mod defaults;
mod queues;
mod schema;

pub(crate) use config::GROUP;
use config::{Config, Place};
use queues::{Arrival, Level, Seat, Ticket};
pub(crate) use schema::{Described, Target};

/// How long anybody waits for a seat.
const PATIENCE: Duration = Duration::from_secs(15);

/// Whether a change to it changes who goes next.
pub(crate) fn concerns(resource: &Resource) -> bool {
    resource.group() == GROUP
}

/// Who waits for a seat: it is sent to.
type Waiter = oneshot::Sender<Pass>;

/// All levels, and which requests are at which.
pub(crate) struct Gate {
    config: ArcSwap<Config>,
    levels: Mutex<BTreeMap<Arc<str>, Arc<Door>>>,
    metrics: Arc<Metrics>,
}

/// The way to one level.
pub(crate) struct Door {
    level: Mutex<Level<Waiter>>,
}

/// Why there is no seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refused {
    /// Too many of the same wait already.
    QueueFull,
    /// Nobody waits at this level.
    ConcurrencyLimit,
    /// It took too long.
    TimeOut,
}

impl Refused {
    fn name(self) -> &'static str {
        match self {
            Refused::QueueFull => "queue-full",
            Refused::ConcurrencyLimit => "concurrency-limit",
            Refused::TimeOut => "time-out",
        }
    }
}

/// Where a request belongs.
#[derive(Clone)]
pub(crate) struct Ranked {
    place: Arc<Place>,
    flow: u64,
    door: Option<Arc<Door>>,
}

impl Ranked {
    /// The flow schema's and the level's uid, for the headers of the answer.
    pub(crate) fn uids(&self) -> (&str, &str) {
        (&self.place.schema_uid, &self.place.level_uid)
    }

    /// Whether it never waits.
    pub(crate) fn is_exempt(&self) -> bool {
        self.door.is_none()
    }

    fn counted(&self) -> Counted {
        Counted { priority_level: self.place.level.to_string(), flow_schema: self.place.schema.to_string() }
    }
}

impl Gate {
    /// That of the objects in `view`.
    pub(crate) fn new(view: &View<Document>, metrics: Arc<Metrics>) -> Gate {
        let gate = Gate { config: ArcSwap::default(), levels: Mutex::default(), metrics };
        gate.follow(view);
        gate
    }

    /// Follows the objects. Who waits goes on waiting, in a level that may be of another size.
    pub(crate) fn follow(&self, view: &View<Document>) {
        let config = Config::of(view);
        let mut go = Vec::new();
        {
            let mut levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
            for (name, shape) in &config.shapes {
                match levels.get(name) {
                    Some(door) => go.push((Arc::clone(door), door.level().reshape(*shape))),
                    None => {
                        let door = Door { level: Mutex::new(Level::new(*shape)) };
                        levels.insert(Arc::clone(name), Arc::new(door));
                    }
                }
            }
            levels.retain(|name, _| config.shapes.contains_key(name));
        }
        self.config.store(Arc::new(config));
        for (door, go) in go {
            door.send(go);
        }
    }

    /// Where a request belongs.
    pub(crate) fn rank(&self, target: &Target<'_>) -> Ranked {
        let (place, flow) = self.config.load().rank(target);
        let levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
        let door = if place.exempt { None } else { levels.get(&place.level).cloned() };
        Ranked { place, flow, door }
    }

    /// Waits for a seat.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) async fn enter(&self, ranked: &Ranked, width: usize) -> Result<Pass, Refused> {
        let Some(door) = &ranked.door else {
            self.metrics.flow_went(&ranked.counted(), Duration::ZERO);
            return Ok(Pass { held: None });
        };
        let start = Instant::now();
        let entered = self.wait(ranked, door, width).await;
        match &entered {
            Ok(_) => self.metrics.flow_went(&ranked.counted(), start.elapsed()),
            Err(refused) => self.metrics.flow_refused(&ranked.counted(), refused.name(), start.elapsed()),
        }
        entered
    }

    async fn wait(&self, ranked: &Ranked, door: &Arc<Door>, width: usize) -> Result<Pass, Refused> {
        let (sender, receiver) = oneshot::channel();
        let arrival = door.level().arrive(ranked.flow, width, sender);
        let ticket = match arrival {
            Arrival::Goes(_, seat) => return Ok(Pass::new(door, seat)),
            Arrival::Full(_) if ranked.place.queues => return Err(Refused::QueueFull),
            Arrival::Full(_) => return Err(Refused::ConcurrencyLimit),
            Arrival::Waits(ticket) => ticket,
        };
        let _counted = self.metrics.flow_waits(&ranked.counted());
        // Who hangs up while it waits leaves the queue; a seat that comes at that moment is given back.
        let _place = InQueue { door, ticket };
        match tokio::time::timeout(PATIENCE, receiver).await {
            Ok(Ok(pass)) => Ok(pass),
            Ok(Err(_)) | Err(_) => Err(Refused::TimeOut),
        }
    }

    /// Somebody wants to come, and has something to say before. Others of the same flow may be many already.
    ///
    /// # Errors
    /// If they are too many.
    pub(crate) fn announce(&self, ranked: &Ranked) -> Result<Announced, Refused> {
        let Some(door) = &ranked.door else { return Ok(Announced { came: None }) };
        if !door.level().announce(ranked.flow) {
            self.metrics.flow_refused(&ranked.counted(), Refused::QueueFull.name(), Duration::ZERO);
            return Err(Refused::QueueFull);
        }
        Ok(Announced { came: Some((Arc::clone(door), ranked.flow)) })
    }
}

impl Door {
    fn level(&self) -> MutexGuard<'_, Level<Waiter>> {
        self.level.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends seats to those who wait for them. Who no longer does gives it back at once.
    fn send(self: &Arc<Door>, go: Vec<(Waiter, Seat)>) {
        for (waiter, seat) in go {
            // If nobody waits any more, the pass is dropped here, and the next one has the seat.
            drop(waiter.send(Pass::new(self, seat)));
        }
    }
}

/// Somebody has a seat as long as this lives.
pub(crate) struct Pass {
    held: Option<Held>,
}

struct Held {
    door: Arc<Door>,
    seat: Seat,
    since: Instant,
}

impl Pass {
    fn new(door: &Arc<Door>, seat: Seat) -> Pass {
        Pass { held: Some(Held { door: Arc::clone(door), seat, since: Instant::now() }) }
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        let Some(Held { door, seat, since }) = self.held.take() else { return };
        let took = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
        let go = door.level().done(seat, took);
        door.send(go);
    }
}

/// Somebody waits as long as this lives.
struct InQueue<'a> {
    door: &'a Arc<Door>,
    ticket: Ticket,
}

impl Drop for InQueue<'_> {
    fn drop(&mut self) {
        let (_, go) = self.door.level().leave(self.ticket);
        self.door.send(go);
    }
}

/// Somebody is on its way as long as this lives.
pub(crate) struct Announced {
    came: Option<(Arc<Door>, u64)>,
}

impl Drop for Announced {
    fn drop(&mut self) {
        if let Some((door, flow)) = &self.came {
            door.level().came(*flow);
        }
    }
}
