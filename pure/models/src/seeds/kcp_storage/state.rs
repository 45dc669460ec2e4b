//! A state of KcpStorage in 16 bytes.

use std::hash::{Hash, Hasher};

use crate::seeds::packed::codes;

codes! {
    /// What a cluster is to do with the namespace or the volume.
    Sync {
        NIL = 0 "nil",
        /// Declared, and never assigned.
        EMPTY = 1 "Empty",
        SYNC = 2 "Sync",
    }
}

/// How many clusters a state has room for.
pub(super) const CAPACITY: u8 = 16;

/// A [`Sync`] for each cluster, 2 bits each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PerCluster(u32);

impl PerCluster {
    pub(super) const NIL: PerCluster = PerCluster(0);

    #[inline]
    pub(super) fn get(self, c: u8) -> Sync {
        Sync::from_bits(u64::from(self.0 >> (2 * c) & 3))
    }

    #[inline]
    pub(super) fn set(&mut self, c: u8, sync: Sync) {
        self.0 = self.0 & !(3 << (2 * c)) | (sync.bits() as u32) << (2 * c);
    }
}

/// The variables of the specification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct State {
    pub(super) ns: PerCluster,
    pub(super) pvc: PerCluster,
    pub(super) pvc_state: PerCluster,
    /// The processes whose `pc` is `"Done"`; each other one is at its only label.
    done: u32,
}

/// A process of the algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Process {
    NamespaceController,
    PvcController,
    Syncer(u8),
}

impl Process {
    #[inline]
    fn bit(self) -> u32 {
        match self {
            Process::Syncer(c) => 1 << c,
            Process::NamespaceController => 1 << CAPACITY,
            Process::PvcController => 2 << CAPACITY,
        }
    }
}

// Derived, it would feed four small words to the hasher instead of two.
impl Hash for State {
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(u64::from(self.ns.0) << 32 | u64::from(self.pvc.0));
        hasher.write_u64(u64::from(self.pvc_state.0) << 32 | u64::from(self.done));
    }
}

impl State {
    /// Nothing is placed, and every process is at its start.
    pub(super) const INITIAL: State =
        State { ns: PerCluster::NIL, pvc: PerCluster::NIL, pvc_state: PerCluster::NIL, done: 0 };

    /// Whether the process is at its label, and not `"Done"`.
    #[inline]
    pub(super) fn at_start(&self, process: Process) -> bool {
        self.done & process.bit() == 0
    }

    /// The same state with its clusters in order.
    pub(super) fn sorted(&self, clusters: u8) -> State {
        let of_cluster = |c| {
            let [ns, pvc, pvc_state] = [self.ns, self.pvc, self.pvc_state].map(|f| f.get(c));
            (ns.bits(), pvc.bits(), pvc_state.bits(), !self.at_start(Process::Syncer(c)))
        };
        let mut columns: [_; CAPACITY as usize] = std::array::from_fn(|c| of_cluster(c as u8));
        columns[..usize::from(clusters)].sort_unstable();

        let mut sorted = *self;
        for (c, (ns, pvc, pvc_state, done)) in (0..clusters).zip(columns) {
            sorted.ns.set(c, Sync::from_bits(ns));
            sorted.pvc.set(c, Sync::from_bits(pvc));
            sorted.pvc_state.set(c, Sync::from_bits(pvc_state));
            sorted.done = sorted.done & !Process::Syncer(c).bit() | u32::from(done) << c;
        }
        sorted
    }
}
