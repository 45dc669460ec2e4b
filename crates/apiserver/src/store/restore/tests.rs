//! A hub from a backup: where versions go on, and what stands against it.

use super::*;

#[test]
fn versions_go_on_where_nobody_has_been() {
    for (version, from) in [
        (0, ROUND),
        (1, ROUND),
        (AT_LEAST, ROUND),
        (ROUND - AT_LEAST, ROUND),
        (ROUND - AT_LEAST + 1, 2 * ROUND),
        (ROUND, 2 * ROUND),
        (ROUND + 17, 2 * ROUND),
    ] {
        assert_eq!(jumped(Version(version)), Version(from), "{version}");
    }
}
