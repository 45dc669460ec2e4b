//! How long a key rests that has failed.

use crate::Millis;

/// Each failure in a row doubles the rest, up to a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Backoff {
    /// After the first failure.
    pub first: Millis,
    /// Never more than this.
    pub most: Millis,
}

impl Default for Backoff {
    /// As client-go: from 5 ms to 1000 s.
    fn default() -> Backoff {
        Backoff { first: Millis(5), most: Millis(1_000_000) }
    }
}

impl Backoff {
    /// The rest after so many failures in a row, of which there is at least one.
    ///
    /// `jitter` is a random number of the caller's: what failed together shall not come back together. It shortens the
    /// rest by up to a quarter.
    pub fn rest(&self, failures: u32, jitter: u16) -> Millis {
        let doubled = failures.saturating_sub(1).min(63);
        let whole = u128::from(self.first.0) << doubled;
        let whole = u64::try_from(whole).unwrap_or(u64::MAX).min(self.most.0);
        let less = u128::from(whole / 4) * u128::from(jitter) / u128::from(u16::MAX);
        Millis(whole - u64::try_from(less).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_double_up_to_a_bound() {
        let backoff = Backoff { first: Millis(5), most: Millis(100) };
        let rests: Vec<u64> = (1..8).map(|failures| backoff.rest(failures, 0).0).collect();
        assert_eq!(rests, [5, 10, 20, 40, 80, 100, 100]);
        assert_eq!(backoff.rest(0, 0), Millis(5));
    }

    #[test]
    fn jitter_shortens_by_up_to_a_quarter() {
        let backoff = Backoff { first: Millis(1000), most: Millis(u64::MAX) };
        assert_eq!(backoff.rest(1, u16::MAX), Millis(750));
        assert_eq!(backoff.rest(1, u16::MAX / 2), Millis(876));
        for failures in [64, 65, u32::MAX] {
            assert_eq!(backoff.rest(failures, 0), Millis(u64::MAX));
            assert!(backoff.rest(failures, u16::MAX) >= Millis(u64::MAX / 4 * 3));
        }
    }
}
