//! Histories of definitions.
