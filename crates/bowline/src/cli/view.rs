//! What commands have in common that show what is in a namespace, and wait for it.

use std::time::Duration;

use clap::Args;

use super::update::Where;
use crate::duration::duration;
use crate::output::Format;

/// One thing of a namespace, and how to print it.
#[derive(Args)]
pub(super) struct View {
    #[command(flatten)]
    pub(super) place: Where,

    /// How to print it
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    pub(super) output: Format,
}

/// All of a namespace, or of all namespaces, and how to print them.
#[derive(Args)]
pub(super) struct Listing {
    /// Those of all namespaces
    #[arg(short = 'A', long, conflicts_with = "namespace")]
    pub(super) all_namespaces: bool,

    #[command(flatten)]
    pub(super) place: Where,

    /// How to print them
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    pub(super) output: Format,
}

/// Whether to wait for the end, and how long.
#[derive(Args)]
pub(super) struct Waiting {
    /// Wait for the end, and show how far it is
    #[arg(long)]
    pub(super) wait: bool,

    /// How long to wait, such as 30s or 5m; what is under way goes on
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    pub(super) timeout: Duration,

    /// Show no progress
    #[arg(short, long)]
    pub(super) quiet: bool,
}
