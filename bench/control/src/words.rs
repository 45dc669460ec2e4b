//! What a contestant is asked on its standard input, and answers on its standard output: a line each.

use std::io::{BufRead, Write};
use std::sync::Arc;

use tokio::sync::oneshot;

use crate::tally::Tally;

/// How does the tally stand?
pub(crate) const NOW: &str = "now";
/// How does it stand as soon as every pair has been looked at?
pub(crate) const ALL: &str = "all";

/// Answers questions, until there are no more; that ends what is returned.
pub(crate) fn answer(tally: Arc<Tally>) -> oneshot::Receiver<()> {
    let (end, ended) = oneshot::channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if line == ALL {
                tally.wait();
            }
            let mut out = std::io::stdout().lock();
            // Who does not listen any more asks nothing more either.
            let _ = serde_json::to_writer(&mut out, &tally.standings());
            let _ = writeln!(out).and_then(|()| out.flush());
        }
        // If nobody waits for the end, it has come already.
        let _ = end.send(());
    });
    ended
}
