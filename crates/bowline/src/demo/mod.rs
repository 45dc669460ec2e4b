//! `bowline demo`: the four systems on this machine, in a directory of its own that is gone in the end.

mod chapters;
mod files;
mod objects;
mod processes;
mod stage;

use std::io::IsTerminal;

use self::stage::{Pace, Stage};
use crate::exit::Exit;
use crate::output;
use crate::service::{self, Signals};

/// Shows everything, and takes it away again, however it ends.
pub(crate) fn run(is_fast: bool) -> anyhow::Result<Exit> {
    let pace = if is_fast || !std::io::stdin().is_terminal() { Pace::Fast } else { Pace::ByEnter };
    service::block_on(async {
        let mut signals = Signals::new()?;
        let mut stage = Stage::open(pace)?;
        let shown = tokio::select! {
            shown = chapters::all(&mut stage) => shown.map(|()| Exit::Done),
            signal = signals.next() => {
                output::note(&format!("\n{signal}: the demo ends here, and takes away what it has made."));
                Ok(Exit::NotFinished)
            }
        };
        let closed = stage.close().await;
        // Why it went wrong matters more than that something of it is left.
        let exit = shown?;
        closed?;
        Ok(exit)
    })
}
