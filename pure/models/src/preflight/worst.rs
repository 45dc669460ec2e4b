//! The worst of all states that were seen.

use std::sync::atomic::{AtomicU32, Ordering};

use super::Preflight;
use super::properties::{margin, masterless, serving, unavailable};
use super::state::State;

/// What margins are counted from, so that they are no less than nothing.
const ZERO: i32 = 1 << 16;

/// How bad it may be for a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorstCase {
    /// So many nodes do not work at once.
    pub unavailable: usize,
    /// Of so many.
    pub nodes: usize,
    /// So few nodes of the version that serves work.
    pub serving: usize,
    /// So many devices have no master at once.
    pub masterless: usize,
    /// Of so many.
    pub devices: usize,
    /// The weakest partition has so many nodes more than its quorum; less than none, if it has no quorum. Nothing, without partitions.
    pub margin: Option<i32>,
}

/// The worst so far, kept by whoever expands a state. The order in which they do makes no difference.
pub(super) struct Worst {
    unavailable: AtomicU32,
    masterless: AtomicU32,
    serving: AtomicU32,
    margin: AtomicU32,
}

impl Default for Worst {
    fn default() -> Worst {
        Worst {
            unavailable: AtomicU32::new(0),
            masterless: AtomicU32::new(0),
            serving: AtomicU32::new(u32::MAX),
            margin: AtomicU32::new(u32::MAX),
        }
    }
}

impl Worst {
    pub(super) fn see(&self, m: &Preflight, s: &State) {
        if !s.begun {
            return;
        }
        self.unavailable.fetch_max(unavailable(s) as u32, Ordering::Relaxed);
        self.masterless.fetch_max(masterless(m, s) as u32, Ordering::Relaxed);
        self.serving.fetch_min(serving(s) as u32, Ordering::Relaxed);
        if let Some(margin) = margin(s) {
            self.margin.fetch_min((ZERO + margin).unsigned_abs(), Ordering::Relaxed);
        }
    }

    pub(super) fn case(&self, m: &Preflight) -> WorstCase {
        let (serving, margin) = (self.serving.load(Ordering::Relaxed), self.margin.load(Ordering::Relaxed));
        let nodes = m.nodes();
        WorstCase {
            unavailable: self.unavailable.load(Ordering::Relaxed) as usize,
            nodes,
            serving: nodes.min(serving as usize),
            masterless: self.masterless.load(Ordering::Relaxed) as usize,
            devices: m.wish.devices.len(),
            margin: (margin != u32::MAX).then(|| margin.cast_signed() - ZERO),
        }
    }
}
