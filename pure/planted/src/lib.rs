//! Empty, unless the feature `planted` is on: then it breaks every rule that `pure/clippy.toml` makes,
//! one function for each.
//!
//! A ban that is misspelt, or that a crate's manifest does not inherit, forbids nothing and says nothing.
//! So `cargo xtask tidy` lints this crate with and without the feature: without, it must be clean; with,
//! every function in `planted.rs` must be reported, and every ban must be among the reports.

#[cfg(feature = "planted")]
pub mod planted;
