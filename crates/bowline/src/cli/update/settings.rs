//! What a stack is told about all versions that come: with `update submit`, and by `update set`.

use std::time::Duration;

use bowline_api::updates::Drift;
use clap::{ArgGroup, Args, ValueEnum};

use super::Where;
use crate::cli::cluster::name;
use crate::duration::some_time;
use crate::exit::Exit;
use crate::update::{self, Settings};

/// What to do about what others have changed.
#[derive(Clone, Copy, ValueEnum)]
enum DriftArg {
    /// Say so
    Report,
    /// Put it right
    Repair,
}

/// What is so from now on.
#[derive(Args)]
pub(super) struct SettingsArgs {
    /// How long a version may take to become healthy before it is rolled back, from now on [default: as the stack says; of a new
    /// one 5m]
    #[arg(long, value_name = "TIME", value_parser = some_time)]
    health_timeout: Option<Duration>,

    /// A version that deletes more objects than this fails before it changes anything, from now on [default: as the stack says;
    /// of a new one 10]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    max_deletions: Option<u32>,

    /// What to do about objects that somebody else has changed, from now on [default: as the stack says; of a new one report]
    #[arg(long, value_name = "WHAT", value_enum)]
    drift: Option<DriftArg>,

    /// How often to look for such objects, from now on [default: as the stack says; of a new one 10m]
    #[arg(long, value_name = "TIME", value_parser = some_time)]
    drift_interval: Option<Duration>,
}

impl SettingsArgs {
    pub(super) fn settings(&self) -> Settings {
        let drift = self.drift.map(|drift| match drift {
            DriftArg::Report => Drift::Report,
            DriftArg::Repair => Drift::Repair,
        });
        Settings {
            health_timeout: self.health_timeout,
            max_deletions: self.max_deletions,
            drift,
            drift_interval: self.drift_interval,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  bowline update set prod --drift repair --drift-interval 5m
  bowline update set prod --health-timeout 15m --max-deletions 50";

/// Set how a stack does its work, without a new version
///
/// `submit` takes the same options. What is not said stays as it is.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[command(group(
    ArgGroup::new("settings")
        .required(true)
        .multiple(true)
        .args(["health_timeout", "max_deletions", "drift", "drift_interval"])
))]
pub(super) struct SetArgs {
    /// Which
    #[arg(value_name = "STACK", value_parser = name)]
    stack: String,

    #[command(flatten)]
    settings: SettingsArgs,

    #[command(flatten)]
    place: Where,
}

impl SetArgs {
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let settings = self.settings.settings();
        update::set(&self.place.scope(), &self.stack, &settings).await
    }
}
