//! What the explorer must say.

use crate::catalogue::Expected;

pub(in crate::kernel) const EXPECTED: &[Expected] = &[];
