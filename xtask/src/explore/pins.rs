//! What was seen of the systems at the sizes of `cargo xtask explore`. What was not seen is not here.

use super::System;

/// Distinct states, generated states and depth.
pub(super) type Counts = (u64, u64, u32);

/// What a run has to give.
#[derive(Debug)]
pub(super) struct Pin {
    pub(super) model: &'static str,
    pub(super) size: &'static str,
    pub(super) faults: &'static str,
    pub(super) counts: Counts,
}

/// Everything that is explored.
pub(super) const SYSTEMS: &[System] = &[CONTROL];

/// Two pairs at a time: with one create there is never more than one.
const CONTROL: System = System { model: "control", size: "instances=2,workers=2,creates=2,edits=0" };

const fn control(faults: &'static str, counts: Counts) -> Pin {
    Pin { model: CONTROL.model, size: CONTROL.size, faults, counts }
}

/// What is pinned.
pub(super) const PINS: &[Pin] = &[];
