//! What the seeds must give.

use crate::catalogue::Expected;

pub(crate) const EXPECTED: &[Expected] = &[];
