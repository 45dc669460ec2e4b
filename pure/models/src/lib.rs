//! Models that the explorer checks.
