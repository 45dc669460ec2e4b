//! Who acted for what, and since when: what the agents write down while they act.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use anyhow::{Result, bail};
use bowline_bench_meter::Latencies;

/// What all agents of this process have done.
#[derive(Default)]
pub(crate) struct Diary(Mutex<Pages>);

#[derive(Default)]
struct Pages {
    /// By device: who acts for it.
    masters: BTreeMap<String, String>,
    /// By device: since when nobody does.
    free: BTreeMap<String, Instant>,
    handovers: Latencies,
    /// What must not have happened.
    wrong: Option<String>,
}

impl Diary {
    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is measured begins: who acts for what is known, and nothing else.
    pub(crate) fn begin(&self) {
        let mut pages = self.pages();
        pages.handovers = Latencies::default();
        pages.free.clear();
    }

    /// How long devices were without a master since then.
    pub(crate) fn end(&self) -> Result<Latencies> {
        let mut pages = self.pages();
        if let Some(wrong) = pages.wrong.take() {
            bail!(wrong);
        }
        Ok(std::mem::take(&mut pages.handovers))
    }

    /// A member acts for a device no more.
    pub(crate) fn lets_go(&self, member: &str, device: &str) {
        let mut pages = self.pages();
        if pages.masters.get(device).is_some_and(|master| master == member) {
            pages.masters.remove(device);
            pages.free.insert(device.to_owned(), Instant::now());
        }
    }

    /// A member acts for a device from now on.
    pub(crate) fn takes(&self, member: &str, device: &str) {
        let mut pages = self.pages();
        if let Some(free) = pages.free.remove(device) {
            pages.handovers.add(free.elapsed());
        }
        let before = pages.masters.insert(device.to_owned(), member.to_owned());
        if let Some(other) = before.filter(|other| other != member) {
            pages.wrong = Some(format!("{device} has two masters: {other} and {member}"));
        }
    }

    /// Software was killed, which makes all else worthless.
    pub(crate) fn killed(&self, member: &str) {
        self.pages().wrong = Some(format!("the software of {member} was killed: its lease had lapsed"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handover_is_from_one_who_lets_go_to_one_who_takes() -> Result<()> {
        let diary = Diary::default();
        diary.takes("n1", "d0");
        diary.begin();
        diary.lets_go("n2", "d0");
        diary.lets_go("n1", "d0");
        diary.takes("n2", "d0");
        assert_eq!(diary.end()?.count(), 1);
        diary.takes("n3", "d0");
        assert!(diary.end().is_err_and(|error| error.to_string().contains("n2 and n3")));
        Ok(())
    }
}
