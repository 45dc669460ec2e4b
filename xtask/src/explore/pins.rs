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
pub(super) const SYSTEMS: &[System] = &[CONTROL, CLUSTERS];

/// Two pairs at a time: with one create there is never more than one.
const CONTROL: System = System { model: "control", size: "instances=2,workers=2,creates=2,edits=0" };

/// Two clusters at a time, one of them with a successor of its name; what is silent stays so.
const CLUSTERS: System = System { model: "clusters", size: "instances=2,workers=2,edits=0,turns=1" };

const fn control(faults: &'static str, counts: Counts) -> Pin {
    Pin { model: CONTROL.model, size: CONTROL.size, faults, counts }
}

const fn clusters(faults: &'static str, counts: Counts) -> Pin {
    Pin { model: CLUSTERS.model, size: CLUSTERS.size, faults, counts }
}

/// What is pinned.
pub(super) const PINS: &[Pin] = &[
    control("crash=1", (82_986, 316_533, 43)),
    control("conflict=1", (429_049, 1_711_675, 46)),
    control("lost-request=1", (136_215, 445_563, 49)),
    control("lost-reply=1", (970_871, 3_600_069, 54)),
    control("relist=1", (124_838, 581_939, 44)),
    control("two-leaders=1", (4_481_731, 18_998_626, 59)),
    control("drift=1", (1_237_859, 4_645_907, 47)),
    control("clock=1", (161_133, 547_813, 45)),
    clusters("crash=1", (44_489, 146_295, 31)),
    clusters("conflict=1", (95_077, 308_985, 34)),
    clusters("lost-request=1", (97_515, 274_383, 38)),
    clusters("lost-reply=1", (179_718, 559_791, 38)),
    clusters("relist=1", (53_113, 185_195, 31)),
    clusters("two-leaders=1", (307_825, 1_132_299, 43)),
    clusters("drift=1", (183_354, 569_357, 34)),
    clusters("clock=1", (49_432, 150_025, 33)),
    clusters("provider=1", (114_482, 318_825, 38)),
];
