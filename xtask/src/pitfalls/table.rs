//! The mistakes, and how to make them again.

use super::Pitfall;

/// How many are known. They are numbered from 1.
pub(super) const KNOWN: u8 = 11;

/// Every known mistake has an entry, or several.
pub(super) const PITFALLS: &[Pitfall] = &[];
