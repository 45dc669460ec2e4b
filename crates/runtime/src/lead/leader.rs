//! What the process is told of its lease.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use bowline_control::Millis;
use bowline_control::lease::{Epoch, Settings, Tenure};
use tokio::sync::watch;

use crate::clock::{NAP, now};

/// Whether this process leads, and until when. Whoever acts holds one; the lease is given back when nobody does any more.
#[derive(Clone)]
pub struct Leader {
    tenure: watch::Receiver<Option<Tenure>>,
    margin: Millis,
    open_until: Arc<AtomicU64>,
    ends: Arc<AtomicBool>,
}

/// The other end: who knows, and tells.
pub(super) struct Teller {
    tenure: watch::Sender<Option<Tenure>>,
    open_until: Arc<AtomicU64>,
    ends: Arc<AtomicBool>,
}

pub(super) fn told(settings: &Settings) -> (Teller, Leader) {
    let (sender, tenure) = watch::channel(None);
    let open_until = Arc::new(AtomicU64::new(0));
    let ends = Arc::new(AtomicBool::new(false));
    let leader = Leader {
        tenure,
        margin: settings.margin(),
        open_until: Arc::clone(&open_until),
        ends: Arc::clone(&ends),
    };
    (Teller { tenure: sender, open_until, ends }, leader)
}

/// One who leads for an hour, for tests of others.
#[cfg(test)]
pub(crate) fn leads() -> (impl Sized, Leader) {
    let (teller, leader) = told(&Settings::default());
    let until = now().clock.plus(Millis(3_600_000));
    teller.tell(Some(Tenure { epoch: Epoch(1), until, handed: false }));
    (teller, leader)
}

impl Teller {
    pub(super) fn tell(&self, tenure: Option<Tenure>) {
        self.tenure.send_if_modified(|known| std::mem::replace(known, tenure) != tenure);
    }

    /// The process was told to end: that is why its right to act is over.
    pub(super) fn ends(&self) {
        self.ends.store(true, Ordering::Relaxed);
    }

    /// Waits until nobody acts any more.
    pub(super) async fn nobody_acts(&self) {
        self.tenure.closed().await;
    }

    /// Until then something may arrive that was not answered.
    pub(super) fn open_until(&self) -> Millis {
        Millis(self.open_until.load(Ordering::Relaxed))
    }
}

impl Leader {
    /// Whether this process may act now, in which epoch, and until when. To be asked before everything that is done: a
    /// process that was stopped is not told that its time is over.
    pub fn may_act(&self, now: Millis) -> Option<Tenure> {
        (*self.tenure.borrow()).filter(|tenure| now < tenure.until)
    }

    /// Whether this process was told to end: then it does not act any more.
    pub(crate) fn ends(&self) -> bool {
        self.ends.load(Ordering::Relaxed)
    }

    /// Waits until that has changed, because the lease was taken, renewed, or lost.
    pub async fn changed(&mut self) {
        if self.tenure.changed().await.is_err() {
            // Nobody wants the lease any more: it stays as it is.
            std::future::pending::<()>().await;
        }
    }

    /// Waits until an epoch is over for this process.
    async fn is_over(&mut self, epoch: Epoch) {
        loop {
            let now = now().clock;
            let Some(tenure) = self.may_act(now).filter(|tenure| tenure.epoch == epoch) else { return };
            let left = Duration::from_millis(tenure.until.since(now).0);
            tokio::select! {
                () = self.changed() => {}
                () = tokio::time::sleep(left.min(NAP)) => {}
            }
        }
    }
}

/// Why a right to act is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Over {
    /// The lease has lapsed, or is another's.
    Lease,
    /// This process was told to end.
    End,
}

impl fmt::Display for Over {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Over::Lease => "the lease was over",
            Over::End => "this process was told to end",
        })
    }
}

/// The right to carry one effect. Whoever sends several requests for it asks before each of them how long that may take.
#[derive(Clone)]
pub struct Mandate(Option<(Leader, Tenure)>);

impl Mandate {
    /// That of one who needs no lease.
    pub fn always() -> Mandate {
        Mandate(None)
    }

    /// That of one who leads, in this epoch, if it still does.
    pub(crate) fn of(leader: &Leader, epoch: Epoch) -> Option<Mandate> {
        let tenure = leader.may_act(now().clock).filter(|tenure| tenure.epoch == epoch)?;
        Some(Mandate(Some((leader.clone(), tenure))))
    }

    /// The epoch that it was given in.
    pub(crate) fn epoch(&self) -> Option<Epoch> {
        self.0.as_ref().map(|(_, tenure)| tenure.epoch)
    }

    /// Whoever acted before has handed over.
    pub(crate) fn is_handed(&self) -> bool {
        self.0.as_ref().is_some_and(|(_, tenure)| tenure.handed)
    }

    /// How long a request may take that begins now and had better not take longer than `most`. `None`: it must not begin.
    pub fn left(&self, most: Duration) -> Option<Duration> {
        let Some((leader, tenure)) = &self.0 else { return Some(most) };
        let now = now().clock;
        // Somebody may have been seen to take over since; and the lease may have been renewed.
        let current = leader.may_act(now).filter(|current| current.epoch == tenure.epoch)?;
        let left = Duration::from_millis(current.until.since(now).0);
        Some(left.min(most)).filter(|left| !left.is_zero())
    }

    /// Something that began now, and could last so long, was not answered: it may still arrive. As long as it may, the
    /// lease must not be given to somebody who acts at once.
    pub fn leaves_open(&self, began: Millis, lasts: Duration) {
        if let Some((leader, _)) = &self.0 {
            let ends = began.plus(Millis(u64::try_from(lasts.as_millis()).unwrap_or(u64::MAX)));
            leader.open_until.fetch_max(ends.plus(leader.margin).0, Ordering::Relaxed);
        }
    }

    /// Why it is over, if it is.
    pub fn over(&self) -> Over {
        if self.0.as_ref().is_some_and(|(leader, _)| leader.ends()) { Over::End } else { Over::Lease }
    }

    /// Does something that has no deadline of its own, as long as the epoch lasts. What is cut off then may still arrive: see
    /// [`leaves_open`](Mandate::leaves_open).
    pub(crate) async fn during<T>(&self, work: impl Future<Output = T>) -> Result<T, Over> {
        let Some((leader, tenure)) = &self.0 else { return Ok(work.await) };
        let mut leader = leader.clone();
        tokio::select! {
            biased;
            () = leader.is_over(tenure.epoch) => Err(self.over()),
            done = work => Ok(done),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    fn tenure(epoch: u64, lasts: u64) -> Option<Tenure> {
        Some(Tenure { epoch: Epoch(epoch), until: now().clock.plus(Millis(lasts)), handed: false })
    }

    #[test]
    fn who_is_not_told_that_its_time_is_over_knows_by_its_clock() {
        let (teller, leader) = told(&Settings::default());
        assert_eq!(leader.may_act(Millis(0)), None);
        let tenure = Tenure { epoch: Epoch(3), until: Millis(100), handed: false };
        teller.tell(Some(tenure));
        assert_eq!(leader.may_act(Millis(99)), Some(tenure));
        assert_eq!(leader.may_act(Millis(100)), None);
    }

    #[test]
    fn a_request_ends_with_the_lease_and_none_begins_after_it() {
        let (teller, leader) = told(&Settings::default());
        teller.tell(tenure(3, 60_000));
        let mandate = Mandate::of(&leader, Epoch(3)).expect("it leads");
        assert!(Mandate::of(&leader, Epoch(2)).is_none(), "that is over");
        assert_eq!(mandate.left(Duration::from_secs(10)), Some(Duration::from_secs(10)));
        assert!(mandate.left(LONG).is_some_and(|left| left <= Duration::from_secs(60)));
        teller.tell(tenure(3, 120_000));
        assert!(mandate.left(LONG).is_some_and(|left| left > Duration::from_secs(60)), "it was renewed");
        teller.tell(tenure(4, 60_000));
        assert_eq!(mandate.left(LONG), None, "another epoch is not its own");
        teller.tell(None);
        assert_eq!(mandate.left(LONG), None);
        assert_eq!(Mandate::always().left(LONG), Some(LONG));
    }

    #[test]
    fn what_was_not_answered_stays_open_for_as_long_as_it_may_arrive() {
        let (teller, leader) = told(&Settings::default());
        teller.tell(tenure(3, 60_000));
        let mandate = Mandate::of(&leader, Epoch(3)).expect("it leads");
        mandate.leaves_open(Millis(1000), Duration::from_secs(10));
        mandate.leaves_open(Millis(1000), Duration::from_secs(5));
        assert_eq!(teller.open_until(), Millis(11_000 + 1_500));
    }

    #[tokio::test]
    async fn what_has_no_deadline_ends_with_the_epoch() {
        let (teller, leader) = told(&Settings::default());
        teller.tell(tenure(3, 60_000));
        let mandate = Mandate::of(&leader, Epoch(3)).expect("it leads");
        assert_eq!(mandate.during(async { 7 }).await, Ok(7));
        let ((), over) = tokio::join!(
            async {
                // A renewal ends nothing.
                teller.tell(tenure(3, 90_000));
                tokio::task::yield_now().await;
                teller.tell(tenure(4, 60_000));
            },
            mandate.during(std::future::pending::<()>())
        );
        assert_eq!(over, Err(Over::Lease));
    }

    #[tokio::test]
    async fn who_is_told_to_end_says_so() {
        let (teller, leader) = told(&Settings::default());
        teller.tell(tenure(3, 60_000));
        let mandate = Mandate::of(&leader, Epoch(3)).expect("it leads");
        let ((), over) = tokio::join!(
            async {
                teller.ends();
                teller.tell(None);
            },
            mandate.during(std::future::pending::<()>())
        );
        assert_eq!(over, Err(Over::End));
        assert_eq!(teller.open_until(), Millis(0), "who carried it knows whether it may still arrive");
    }

    #[tokio::test]
    async fn nobody_acts_when_every_handle_is_gone() {
        let (teller, leader) = told(&Settings::default());
        let second = leader.clone();
        drop(leader);
        tokio::select! {
            biased;
            () = teller.nobody_acts() => panic!("one is left"),
            () = tokio::task::yield_now() => {}
        }
        drop(second);
        teller.nobody_acts().await;
    }
}
