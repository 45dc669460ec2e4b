//! What the explorer must say of the small controller.

use crate::catalogue::Expected;

pub(crate) const EXPECTED: &[Expected] = &[];
