//! `demo`: a guided tour.

use clap::Args;

use crate::demo;
use crate::exit::Exit;

const EXAMPLES: &str = "\
Examples:
  bowline demo
  bowline demo --fast

Exit codes:
  0  all was shown, and taken away again
  1  something went wrong; what was made is taken away
  3  it was ended before its end; what was made is taken away";

/// Show the four systems on this machine, step by step
///
/// A hub, three embedded clusters, the agents of three nodes and two syncers run as processes in a directory of their own.
/// Every command is shown before it is run, and there are pauses to look, from another terminal too. One of the steps is
/// `kill -9`. Whatever happens, processes and directory are gone in the end.
///
/// Without a terminal there are no pauses. Ctrl-C ends it at any moment.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct DemoArgs {
    /// Make no pauses
    #[arg(long)]
    fast: bool,
}

impl DemoArgs {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        demo::run(self.fast)
    }
}
