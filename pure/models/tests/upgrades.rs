//! Upgrades under every fault, and which of them have hit which effect.

mod swept;

use swept::{Counts, entry, singles_are_pinned};

#[test]
fn no_fault_breaks_anything() {
    singles_are_pinned(entry("upgrades"), SINGLES);
}

/// Nobody else writes to groups and members here: a drift is none.
const SINGLES: &[(&str, Counts)] = &[
    ("crash=1", (6_908, 19_480, 73)),
    ("conflict=1", (7_978, 25_721, 74)),
    ("lost-request=1", (11_959, 27_887, 77)),
    ("lost-reply=1", (68_272, 205_039, 80)),
    ("relist=1", (6_110, 24_698, 74)),
    ("two-leaders=1", (44_908, 137_439, 79)),
    ("drift=1", (2_747, 6_096, 73)),
    ("clock=1", (6_196, 14_664, 73)),
    ("provider=1", (13_106, 31_350, 76)),
];
