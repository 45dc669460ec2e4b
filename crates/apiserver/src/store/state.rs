//! What the store says of itself, in one sealed record that every commit writes anew.

use bowline_kernel::{Change, Object, Version};
use serde::{Deserialize, Serialize};

use super::StoreError;
use super::proof::{self, SEAL, SUM, Sum};
use super::record::pack_key;
use crate::document::Document;

/// What the seal of the state is made with instead of a key.
const NAME: &[u8] = b"state";
const SIZE: usize = 8 + SUM + 3 * 8 + SEAL;

/// What the store says of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct State {
    /// Of the last change.
    pub version: Version,
    /// Which records there are.
    pub(super) sum: Sum,
    /// How often it was made from a backup.
    pub restores: Restores,
}

/// How often a store was made from a backup, and when the last time; see `docs/hub.md`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Restores {
    /// How often.
    pub times: u64,
    /// The last time, in seconds since 1970; 0 if never.
    pub last_s: u64,
    /// From which version on they were given anew then; 0 if never.
    pub version: u64,
}

impl State {
    /// The state after these changes.
    pub(super) fn after(mut self, changes: &[Change<Document>]) -> State {
        for change in changes {
            let key = pack_key(&change.key);
            // What was there is known here; the file is not asked, for it may be wrong.
            if let Some(before) = &change.before {
                self.sum.remove(&key, before.meta().version);
            }
            if !change.removed {
                self.sum.add(&key, change.after.meta().version);
            }
            self.version = change.version;
        }
        self
    }

    pub(super) fn to_bytes(self) -> [u8; SIZE] {
        let mut out = [0; SIZE];
        let (body, place) = out.split_at_mut(SIZE - SEAL);
        body[..8].copy_from_slice(&self.version.0.to_le_bytes());
        body[8..8 + SUM].copy_from_slice(&self.sum.to_bytes());
        body[8 + SUM..16 + SUM].copy_from_slice(&self.restores.times.to_le_bytes());
        body[16 + SUM..24 + SUM].copy_from_slice(&self.restores.last_s.to_le_bytes());
        body[24 + SUM..].copy_from_slice(&self.restores.version.to_le_bytes());
        place.copy_from_slice(&proof::seal(NAME, body));
        out
    }

    /// What [`State::to_bytes`] wrote.
    ///
    /// # Errors
    /// If it is not that.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<State, StoreError> {
        let damaged = || StoreError::damaged("what it says of itself is not what was written");
        let (body, seal) = bytes.split_last_chunk::<SEAL>().ok_or_else(damaged)?;
        if proof::seal(NAME, body) != *seal {
            return Err(damaged());
        }
        let (version, rest) = body.split_first_chunk::<8>().ok_or_else(damaged)?;
        let (sum, rest) = rest.split_first_chunk::<SUM>().ok_or_else(damaged)?;
        let (times, rest) = rest.split_first_chunk::<8>().ok_or_else(damaged)?;
        let (last_s, rest) = rest.split_first_chunk::<8>().ok_or_else(damaged)?;
        let restored: &[u8; 8] = rest.try_into().map_err(|_| damaged())?;
        Ok(State {
            version: Version(u64::from_le_bytes(*version)),
            sum: Sum::from_bytes(sum),
            restores: Restores {
                times: u64::from_le_bytes(*times),
                last_s: u64::from_le_bytes(*last_s),
                version: u64::from_le_bytes(*restored),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_comes_back_as_it_was_or_not_at_all() {
        let mut sum = Sum::default();
        sum.add(b"a", Version(7));
        let state =
            State { version: Version(9), sum, restores: Restores { times: 2, last_s: 5, version: 3 } };
        let bytes = state.to_bytes();
        assert_eq!(State::from_bytes(&bytes).expect("it is whole"), state);
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(State::from_bytes(&damaged).is_err(), "bit {bit}");
        }
        assert!(State::from_bytes(&bytes[1..]).is_err() && State::from_bytes(&[]).is_err());
    }
}
