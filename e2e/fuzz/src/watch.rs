//! Who looks that no input takes for ever: nothing else can end a thread that goes in circles.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// No input takes longer, also on a machine that is slow, busy, and waits for its disk.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// What is being tried, thread by thread.
pub(crate) struct Watch(Vec<Mutex<Option<(&'static str, Instant)>>>);

impl Watch {
    pub(crate) fn new(threads: usize) -> Watch {
        Watch((0..threads).map(|_| Mutex::new(None)).collect())
    }

    /// A thread begins with an input of a target, or has ended.
    pub(crate) fn note(&self, thread: usize, begun: Option<(&'static str, Instant)>) {
        *self.0[thread].lock().expect("nobody panics with it") = begun;
    }

    /// What takes longer than it may.
    pub(crate) fn stuck(&self) -> Option<&'static str> {
        let begun = |slot: &Mutex<Option<_>>| *slot.lock().expect("nobody panics with it");
        self.0.iter().filter_map(begun).find(|(_, begun)| begun.elapsed() > PATIENCE).map(|(name, _)| name)
    }
}

/// Where an input is kept while it is tried: what overflows the stack, or never ends, ends the process.
pub(crate) fn kept(target: &str) -> PathBuf {
    std::env::temp_dir().join(format!("bowline-fuzz-{target}-{}", std::process::id()))
}

/// Ends the process, for nothing else ends the thread.
pub(crate) fn give_up(target: &str) -> ! {
    // Straight to the stream: what tests print is kept from it until they end.
    let _ = writeln!(
        std::io::stderr(),
        "{target}: an input takes longer than {PATIENCE:?}; it is in {}",
        kept(target).display()
    );
    std::process::exit(101)
}
