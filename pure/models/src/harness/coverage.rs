//! Which faults have hit which effects.

use std::sync::atomic::{AtomicU32, Ordering};

use super::faults::{FAULTS, Fault};

/// The most effects that a protocol has.
pub(crate) const POINTS: usize = 32;

/// How often each fault has hit each effect, as far as that can be counted. Steps may be counted several times: what
/// matters is whether it is none.
pub(crate) struct Coverage([[AtomicU32; POINTS]; FAULTS]);

impl Coverage {
    pub(crate) fn new() -> Coverage {
        Coverage(std::array::from_fn(|_| std::array::from_fn(|_| AtomicU32::new(0))))
    }

    pub(crate) fn mark(&self, fault: Fault, point: u8) {
        self.0[fault as usize][usize::from(point)].fetch_add(1, Ordering::Relaxed);
    }

    /// Whether this fault has hit this effect.
    pub(crate) fn has(&self, fault: Fault, point: usize) -> bool {
        self.0[fault as usize][point].load(Ordering::Relaxed) > 0
    }
}
