//! What the explorer must say of updates.

use crate::catalogue::Expected;

pub(crate) const EXPECTED: &[Expected] = &[];
