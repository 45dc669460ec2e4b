//! What agents do: all that they can at once, by the decisions that are shipped.

use bowline_control::Millis;
use bowline_upgrades::agent::{Act, Drain, Duties, Fence, Health, Known, Read, Software};
use bowline_upgrades::{Epoch, Report};

use super::few::Few;
use super::state::{Life, Link, Place};
use crate::tiny::Words;

/// The clock of every node stands still: nothing here depends on it.
const NOW: Millis = Millis(0);
/// The tenure of an agent, and the generation that it has read.
const ONE: u64 = 1;
/// More than an agent ever does before it waits.
const MOST: usize = 16;

impl Place {
    /// The node when its agent has done all that it was told, and has said so.
    pub(super) fn reacted(&self) -> Place {
        let mut after = Place { noticed: true, ..self.clone() };
        let mut acts = self.acts().to_vec();
        for _ in 0..MOST {
            let Ok(act) = after.known(&acts).act(NOW) else { break };
            after.does(act, &mut acts);
        }
        // Who is not to drain any more does its work again.
        after.drained &= after.desired.drains && after.life != Life::Absent;
        after
    }

    fn does(&mut self, act: Act<Few>, acts: &mut Vec<(u16, Epoch)>) {
        match act {
            Act::Read | Act::Fence(_) => {}
            Act::Start(version) => (self.life, self.runs, self.drained) = (Life::New, Some(version), false),
            Act::Drain => self.drained = true,
            Act::Tell(duties) => *acts = duties.devices,
            Act::Stop | Act::Kill => {
                (self.life, self.runs, self.drained) = (Life::Absent, None, false);
                acts.clear();
            }
            Act::Report(report) => self.report = Some(report),
        }
    }

    fn known(&self, acts: &[(u16, Epoch)]) -> Known<Few> {
        let runs = |health| match self.runs {
            Some(version) => Software::Runs { version, health },
            None => Software::Absent,
        };
        let is_fenced = self.desired.fenced || !acts.is_empty();
        Known {
            tenure: Some(ONE),
            read: Some(Read { tenure: Some(ONE), generation: ONE, desired: self.desired.clone() }),
            software: match (self.life, self.runs) {
                (Life::Absent, _) => Software::Absent,
                (Life::New, _) => runs(Health::Unknown),
                (Life::Good, _) => runs(Health::Good),
                (Life::Bad, _) => runs(Health::Bad),
                (Life::Failed, Some(version)) => {
                    Software::Died { version, is_due: false, has_failed: true, how: Words }
                }
                (Life::Failed, None) => Software::Absent,
            },
            fence: if is_fenced { Fence::Until(Millis(u64::MAX)) } else { Fence::Open },
            drain: if self.drained { Drain::Done } else { Drain::Not },
            told: Duties { devices: acts.to_vec(), partitions: self.desired.partitions.clone() },
            deaf_until: None,
            seen: std::collections::BTreeMap::new(),
            reported: self.report.clone(),
        }
    }

    /// Whether a node becomes otherwise than it was, in what the hub judges it by. That takes its time, and much may happen before.
    /// To take what it was given, or to let go of it while it works on, is a matter of a moment.
    pub(super) fn is_seen_to_change(&self, after: &Place) -> bool {
        let told = |place: &Place| place.report.as_ref().map(|report| (report.condition, report.version));
        told(self) != told(after)
    }

    /// The software was asked how it is.
    pub(super) fn probed(&self, is_sick: bool) -> Place {
        let life = if is_sick { Life::Bad } else { Life::Good };
        Place { life, ..self.clone() }.reacted()
    }

    /// The software died more often than it is started again.
    pub(super) fn failed(&self) -> Place {
        Place { life: Life::Failed, drained: false, struck: true, ..self.clone() }.reacted()
    }

    /// Software that could not be kept alive is started once more.
    pub(super) fn started_again(&self) -> Place {
        Place { life: Life::New, ..self.clone() }.reacted()
    }

    /// The node is down.
    pub(super) fn downed(&self) -> Place {
        Place {
            link: Link::Down,
            life: Life::Absent,
            runs: None,
            drained: false,
            struck: true,
            ..self.clone()
        }
    }

    /// The node is back, and runs nothing; its agent reads what it is to do.
    pub(super) fn back(&self) -> Place {
        Place { link: Link::Up, noticed: false, ..self.clone() }
    }

    /// What is desired of it is different now, and it does not know yet.
    pub(super) fn told(&mut self, desired: bowline_upgrades::Desired<Few>) {
        if self.desired == desired {
            return;
        }
        (self.desired, self.noticed) = (desired, false);
        if let Some(Report { observed, .. }) = &mut self.report {
            *observed = 0;
        }
    }
}
