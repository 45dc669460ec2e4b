//! What was seen of the systems at the sizes of `cargo xtask explore`.

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
pub(super) const SYSTEMS: &[System] = &[UPDATES, IDENTITIES, UPGRADES, CONTROL, CLUSTERS];

/// Two pairs at a time: with one create there is never more than one.
const CONTROL: System =
    System { model: "control", size: "instances=2,workers=2,creates=2,edits=0", pairs: true };

/// Two clusters at a time, one of them with a successor of its name; what is silent stays so.
const CLUSTERS: System =
    System { model: "clusters", size: "instances=2,workers=2,edits=0,turns=1", pairs: true };

/// Two stacks on one cluster.
const UPDATES: System = System { model: "updates", size: "stacks=2,workers=2", pairs: false };

/// Two identities at a time, each under its own names.
const IDENTITIES: System =
    System { model: "identities", size: "instances=2,workers=2,creates=2,edits=0", pairs: false };

/// A group of three nodes. Each of them has an agent: there are four who act. Its pairs have not been counted since devices are given
/// away one after the other; those of two nodes are explored in every test run.
const UPGRADES: System = System { model: "upgrades", size: "nodes=3", pairs: false };

const fn identities(faults: &'static str, counts: Counts) -> Pin {
    Pin { model: IDENTITIES.model, size: IDENTITIES.size, faults, counts }
}

const fn updates(faults: &'static str, counts: Counts) -> Pin {
    Pin { model: UPDATES.model, size: UPDATES.size, faults, counts }
}

const fn upgrades(faults: &'static str, counts: Counts) -> Pin {
    Pin { model: UPGRADES.model, size: UPGRADES.size, faults, counts }
}

const fn control(faults: &'static str, counts: Counts) -> Pin {
    Pin { model: CONTROL.model, size: CONTROL.size, faults, counts }
}

const fn clusters(faults: &'static str, counts: Counts) -> Pin {
    Pin { model: CLUSTERS.model, size: CLUSTERS.size, faults, counts }
}

/// What has more states than a run may hold: it ends as INCOMPLETE, and all else must not.
pub(super) const TOO_LARGE: &[(&str, &str)] = &[
    ("updates", "two-leaders=1"),
    ("control", "conflict=1,two-leaders=1"),
    ("control", "lost-reply=1,two-leaders=1"),
    ("control", "lost-reply=1,drift=1"),
    ("control", "lost-request=1,two-leaders=1"),
    ("control", "two-leaders=2"),
    ("control", "two-leaders=1,drift=1"),
];

/// What is pinned.
pub(super) const PINS: &[Pin] = &[
    updates("crash=1", (1_473_491, 3_506_165, 185)),
    updates("conflict=1", (2_401_578, 7_558_250, 176)),
    updates("lost-request=1", (1_203_024, 2_796_199, 180)),
    updates("relist=1", (655_656, 2_862_541, 175)),
    updates("clock=1", (1_167_901, 2_860_173, 175)),
    updates("provider=1", (1_773_459, 4_003_569, 180)),
    updates("drift=1", (4_838_636, 12_885_513, 178)),
    updates("lost-reply=1", (6_803_780, 20_311_124, 182)),
    identities("crash=1", (113_526, 299_135, 92)),
    identities("conflict=1", (197_903, 596_157, 94)),
    identities("lost-request=1", (140_751, 336_107, 96)),
    identities("relist=1", (86_486, 357_533, 92)),
    identities("clock=1", (116_357, 296_563, 93)),
    identities("provider=1", (239_713, 559_909, 107)),
    identities("drift=1", (603_401, 1_732_589, 99)),
    identities("lost-reply=1", (704_441, 2_086_331, 106)),
    identities("two-leaders=1", (4_858_847, 17_242_840, 113)),
    upgrades("crash=1", (20_984, 67_281, 99)),
    upgrades("conflict=1", (23_450, 92_480, 100)),
    upgrades("lost-request=1", (37_504, 101_229, 103)),
    upgrades("lost-reply=1", (236_779, 780_791, 106)),
    upgrades("relist=1", (17_982, 79_914, 100)),
    upgrades("two-leaders=1", (153_783, 518_897, 105)),
    upgrades("drift=1", (8_304, 21_392, 99)),
    upgrades("clock=1", (18_680, 50_427, 99)),
    upgrades("provider=1", (45_993, 129_173, 104)),
    control("crash=1", (82_986, 316_533, 43)),
    control("conflict=1", (429_049, 1_711_675, 46)),
    control("relist=1", (124_838, 581_939, 44)),
    control("two-leaders=1", (4_481_731, 18_998_626, 59)),
    control("drift=1", (1_237_859, 4_645_907, 47)),
    control("clock=1", (161_133, 547_813, 45)),
    control("crash=2", (124_479, 504_003, 43)),
    control("crash=1,conflict=1", (858_098, 4_032_068, 46)),
    control("crash=1,relist=1", (249_676, 1_346_005, 44)),
    control("crash=1,two-leaders=1", (8_963_462, 44_319_568, 59)),
    control("crash=1,drift=1", (2_475_718, 11_054_791, 47)),
    control("crash=1,clock=1", (322_266, 1_308_831, 45)),
    control("conflict=2", (2_064_324, 10_089_805, 46)),
    control("conflict=1,relist=1", (1_184_882, 6_695_961, 47)),
    control("conflict=1,drift=1", (12_013_735, 55_611_871, 50)),
    control("conflict=1,clock=1", (1_587_076, 6_771_329, 48)),
    control("relist=2", (208_699, 1_204_431, 44)),
    control("relist=1,two-leaders=1", (12_870_474, 75_004_611, 60)),
    control("relist=1,drift=1", (3_428_125, 18_464_405, 48)),
    control("relist=1,clock=1", (480_359, 2_371_135, 46)),
    control("two-leaders=1,clock=1", (14_506_885, 65_796_634, 60)),
    control("drift=2", (16_607_541, 72_193_125, 49)),
    control("drift=1,clock=1", (4_746_279, 19_085_113, 49)),
    control("clock=2", (318_703, 1_154_533, 47)),
    control("lost-request=1", (138_439, 451_655, 49)),
    control("lost-reply=1", (973_095, 3_606_161, 54)),
    control("crash=1,lost-request=1", (276_878, 1_090_464, 49)),
    control("lost-request=2", (317_120, 1_075_499, 49)),
    control("lost-request=1,relist=1", (422_376, 2_021_737, 50)),
    control("lost-request=1,clock=1", (676_621, 2_404_307, 51)),
    control("conflict=1,lost-request=1", (1_500_080, 6_188_405, 52)),
    control("crash=1,lost-reply=1", (1_946_190, 8_565_827, 54)),
    control("conflict=1,lost-reply=1", (9_972_531, 45_670_057, 57)),
    control("lost-request=1,lost-reply=1", (3_564_292, 13_743_889, 60)),
    control("lost-request=1,drift=1", (4_335_571, 16_864_971, 53)),
    control("lost-reply=2", (12_118_945, 52_147_091, 62)),
    control("lost-reply=1,relist=1", (2_863_535, 15_101_209, 55)),
    control("lost-reply=1,clock=1", (3_516_927, 13_984_243, 56)),
    clusters("conflict=1", (95_077, 308_985, 34)),
    clusters("drift=1", (183_354, 569_357, 34)),
    clusters("clock=1", (55_387, 165_543, 33)),
    clusters("conflict=2", (266_462, 998_229, 35)),
    clusters("conflict=1,drift=1", (985_272, 3_597_855, 36)),
    clusters("conflict=1,clock=1", (322_348, 1_128_553, 36)),
    clusters("drift=2", (875_786, 3_086_173, 36)),
    clusters("drift=1,clock=1", (626_923, 2_121_021, 36)),
    clusters("clock=2", (111_843, 354_223, 35)),
    clusters("crash=1", (47_381, 155_207, 31)),
    clusters("lost-request=1", (92_980, 262_443, 37)),
    clusters("lost-reply=1", (175_146, 547_793, 38)),
    clusters("relist=1", (53_113, 185_195, 31)),
    clusters("two-leaders=1", (317_361, 1_166_271, 43)),
    clusters("provider=1", (117_192, 326_921, 39)),
    clusters("crash=2", (78_200, 288_852, 31)),
    clusters("crash=1,conflict=1", (270_114, 1_034_792, 34)),
    clusters("crash=1,lost-request=1", (290_117, 962_750, 37)),
    clusters("crash=1,lost-reply=1", (536_315, 1_953_828, 38)),
    clusters("crash=1,relist=1", (151_567, 614_678, 31)),
    clusters("crash=1,two-leaders=1", (708_704, 3_116_725, 43)),
    clusters("crash=1,drift=1", (525_273, 1_930_048, 34)),
    clusters("crash=1,clock=1", (151_806, 533_691, 33)),
    clusters("crash=1,provider=1", (355_013, 1_181_820, 39)),
    clusters("conflict=1,lost-request=1", (627_824, 2_076_119, 39)),
    clusters("conflict=1,lost-reply=1", (1_102_979, 3_964_445, 40)),
    clusters("conflict=1,relist=1", (277_132, 1_131_801, 34)),
    clusters("conflict=1,two-leaders=1", (1_712_504, 7_282_788, 43)),
    clusters("conflict=1,provider=1", (793_755, 2_595_027, 41)),
    clusters("lost-request=2", (264_222, 779_745, 44)),
    clusters("lost-request=1,lost-reply=1", (1_007_625, 3_377_915, 44)),
    clusters("lost-request=1,relist=1", (386_769, 1_330_895, 40)),
    clusters("lost-request=1,two-leaders=1", (2_650_909, 10_087_251, 49)),
    clusters("lost-request=1,drift=1", (1_125_384, 3_622_571, 42)),
    clusters("lost-request=1,clock=1", (342_132, 1_061_593, 38)),
    clusters("lost-request=1,provider=1", (547_233, 1_601_969, 44)),
    clusters("lost-reply=2", (1_124_283, 4_018_547, 44)),
    clusters("lost-reply=1,relist=1", (657_050, 2_476_873, 39)),
    clusters("lost-reply=1,two-leaders=1", (3_265_396, 12_890_539, 49)),
    clusters("lost-reply=1,drift=1", (2_174_016, 7_645_687, 42)),
    clusters("lost-reply=1,clock=1", (611_089, 2_089_263, 38)),
    clusters("lost-reply=1,provider=1", (1_374_857, 4_525_051, 47)),
    clusters("relist=2", (89_656, 365_371, 31)),
    clusters("relist=1,two-leaders=1", (944_635, 4_229_786, 43)),
    clusters("relist=1,drift=1", (568_748, 2_214_045, 34)),
    clusters("relist=1,clock=1", (176_148, 663_665, 33)),
    clusters("relist=1,provider=1", (478_734, 1_642_971, 40)),
    clusters("two-leaders=2", (885_537, 3_684_933, 43)),
    clusters("two-leaders=1,drift=1", (3_616_328, 14_891_451, 46)),
    clusters("two-leaders=1,clock=1", (998_363, 3_955_386, 43)),
    clusters("two-leaders=1,provider=1", (3_544_050, 13_508_719, 52)),
    clusters("drift=1,provider=1", (1_439_782, 4_565_541, 42)),
    clusters("clock=1,provider=1", (417_106, 1_271_535, 41)),
    clusters("provider=2", (373_707, 1_062_613, 46)),
];
