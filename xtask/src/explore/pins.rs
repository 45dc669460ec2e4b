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
pub(super) const SYSTEMS: &[System] = &[CONTROL, CLUSTERS, UPDATES];

/// Two pairs at a time: with one create there is never more than one.
const CONTROL: System =
    System { model: "control", size: "instances=2,workers=2,creates=2,edits=0", pairs: true };

/// Two clusters at a time, one of them with a successor of its name; what is silent stays so.
const CLUSTERS: System =
    System { model: "clusters", size: "instances=2,workers=2,edits=0,turns=1", pairs: true };

/// Two stacks on one cluster.
const UPDATES: System = System { model: "updates", size: "stacks=2,workers=2", pairs: false };

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
    control("crash=2", (124_479, 504_003, 43)),
    control("crash=1,conflict=1", (858_098, 4_032_068, 46)),
    control("crash=1,lost-request=1", (272_430, 1_075_494, 49)),
    control("crash=1,lost-reply=1", (1_941_742, 8_550_857, 54)),
    control("crash=1,relist=1", (249_676, 1_346_005, 44)),
    control("crash=1,two-leaders=1", (8_963_462, 44_319_568, 59)),
    control("crash=1,drift=1", (2_475_718, 11_054_791, 47)),
    control("crash=1,clock=1", (322_266, 1_308_831, 45)),
    control("conflict=2", (2_064_324, 10_089_805, 46)),
    control("conflict=1,lost-request=1", (1_481_224, 6_115_611, 52)),
    control("conflict=1,lost-reply=1", (9_953_675, 45_597_263, 57)),
    control("conflict=1,relist=1", (1_184_882, 6_695_961, 47)),
    control("conflict=1,drift=1", (12_013_735, 55_611_871, 50)),
    control("conflict=1,clock=1", (1_587_076, 6_771_329, 48)),
    control("lost-request=2", (312_772, 1_062_383, 49)),
    control("lost-request=1,lost-reply=1", (3_526_044, 13_610_817, 60)),
    control("lost-request=1,relist=1", (414_098, 1_987_827, 50)),
    control("lost-request=1,two-leaders=1", (17_160_154, 74_936_598, 65)),
    control("lost-request=1,drift=1", (4_266_167, 16_628_683, 53)),
    control("lost-request=1,clock=1", (669_393, 2_381_549, 51)),
    control("lost-reply=2", (12_082_685, 52_020_305, 62)),
    control("lost-reply=1,relist=1", (2_855_257, 15_067_299, 55)),
    control("lost-reply=1,clock=1", (3_509_699, 13_961_485, 56)),
    control("relist=2", (208_699, 1_204_431, 44)),
    control("relist=1,two-leaders=1", (12_870_474, 75_004_611, 60)),
    control("relist=1,drift=1", (3_428_125, 18_464_405, 48)),
    control("relist=1,clock=1", (480_359, 2_371_135, 46)),
    control("two-leaders=1,clock=1", (14_506_885, 65_796_634, 60)),
    control("drift=2", (16_607_541, 72_193_125, 49)),
    control("drift=1,clock=1", (4_746_279, 19_085_113, 49)),
    control("clock=2", (318_703, 1_154_533, 47)),
    clusters("crash=1", (44_489, 146_295, 31)),
    clusters("conflict=1", (95_077, 308_985, 34)),
    clusters("lost-request=1", (94_548, 265_749, 37)),
    clusters("lost-reply=1", (176_992, 551_797, 38)),
    clusters("relist=1", (53_113, 185_195, 31)),
    clusters("two-leaders=1", (307_825, 1_132_299, 43)),
    clusters("drift=1", (183_354, 569_357, 34)),
    clusters("clock=1", (55_387, 165_543, 33)),
    clusters("provider=1", (119_210, 331_327, 39)),
    clusters("crash=2", (72_408, 266_194, 31)),
    clusters("crash=1,conflict=1", (254_340, 976_548, 34)),
    clusters("crash=1,lost-request=1", (282_125, 933_906, 37)),
    clusters("crash=1,lost-reply=1", (519_859, 1_891_244, 38)),
    clusters("crash=1,relist=1", (142_459, 580_032, 31)),
    clusters("crash=1,two-leaders=1", (681_368, 2_997_907, 43)),
    clusters("crash=1,drift=1", (493_611, 1_820_658, 34)),
    clusters("crash=1,clock=1", (144_322, 509_707, 33)),
    clusters("crash=1,provider=1", (345_967, 1_148_412, 39)),
    clusters("conflict=2", (266_462, 998_229, 35)),
    clusters("conflict=1,lost-request=1", (637_836, 2_102_297, 39)),
    clusters("conflict=1,lost-reply=1", (1_116_525, 4_000_669, 40)),
    clusters("conflict=1,relist=1", (277_132, 1_131_801, 34)),
    clusters("conflict=1,two-leaders=1", (1_661_112, 7_068_290, 43)),
    clusters("conflict=1,drift=1", (985_272, 3_597_855, 36)),
    clusters("conflict=1,clock=1", (322_348, 1_128_553, 36)),
    clusters("conflict=1,provider=1", (806_381, 2_629_907, 41)),
    clusters("lost-request=2", (269_232, 789_753, 44)),
    clusters("lost-request=1,lost-reply=1", (1_038_445, 3_460_719, 44)),
    clusters("lost-request=1,relist=1", (392_225, 1_347_187, 40)),
    clusters("lost-request=1,two-leaders=1", (2_632_953, 9_996_503, 49)),
    clusters("lost-request=1,drift=1", (1_144_746, 3_670_979, 42)),
    clusters("lost-request=1,clock=1", (346_138, 1_071_279, 38)),
    clusters("lost-request=1,provider=1", (559_293, 1_629_227, 44)),
    clusters("lost-reply=2", (1_154_727, 4_102_875, 44)),
    clusters("lost-reply=1,relist=1", (664_422, 2_498_739, 39)),
    clusters("lost-reply=1,two-leaders=1", (3_240_434, 12_753_387, 49)),
    clusters("lost-reply=1,drift=1", (2_202_416, 7_719_709, 42)),
    clusters("lost-reply=1,clock=1", (617_929, 2_106_311, 38)),
    clusters("lost-reply=1,provider=1", (1_409_047, 4_616_375, 47)),
    clusters("relist=2", (89_656, 365_371, 31)),
    clusters("relist=1,two-leaders=1", (915_593, 4_104_886, 43)),
    clusters("relist=1,drift=1", (568_748, 2_214_045, 34)),
    clusters("relist=1,clock=1", (176_148, 663_665, 33)),
    clusters("relist=1,provider=1", (485_180, 1_662_553, 40)),
    clusters("two-leaders=2", (849_989, 3_532_557, 43)),
    clusters("two-leaders=1,drift=1", (3_509_682, 14_468_897, 46)),
    clusters("two-leaders=1,clock=1", (973_779, 3_863_550, 43)),
    clusters("two-leaders=1,provider=1", (3_515_502, 13_377_179, 52)),
    clusters("drift=2", (875_786, 3_086_173, 36)),
    clusters("drift=1,clock=1", (626_923, 2_121_021, 36)),
    clusters("drift=1,provider=1", (1_466_748, 4_637_069, 42)),
    clusters("clock=2", (111_843, 354_223, 35)),
    clusters("clock=1,provider=1", (422_622, 1_285_193, 41)),
    clusters("provider=2", (383_947, 1_085_575, 46)),
];
