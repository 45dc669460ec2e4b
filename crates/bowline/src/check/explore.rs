//! One call of the engine, timed, and safe from what it may panic about.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::anyhow;
use bowline_explorer::{Options, Progress, Report, Storage};
use bowline_models::Subject;

use super::request::How;
use crate::exit::BadUsage;
use crate::progress::{ProgressLine, Work};

/// What goes along with a run.
#[derive(Clone, Copy)]
pub(crate) struct Watch<'a> {
    /// What is run, where the line that shows progress is to name it.
    pub(crate) label: Option<&'a str>,
    /// Whether that line is not wanted.
    pub(crate) quiet: bool,
    /// Becomes true when somebody wants the run to end.
    pub(crate) stop: &'a AtomicBool,
}

/// Runs the engine and says how many seconds it took.
pub(crate) fn explore(
    subject: &dyn Subject,
    asked: Option<&[String]>,
    how: &How,
    watch: Watch<'_>,
) -> anyhow::Result<(Report, f64)> {
    let work = match (how.walks, how.storage) {
        (Some(_), _) => Work::Walk,
        (None, Storage::Exact) => Work::Explore,
        (None, Storage::Fingerprint) => Work::ExploreFingerprints,
    };
    let line = ProgressLine::start(watch.label, work, watch.quiet);
    let tell = |progress: &Progress<'_>| line.show(progress);
    let options = Options {
        threads: how.threads,
        storage: how.storage,
        symmetry: how.symmetry,
        properties: asked,
        max_states: how.max_states,
        max_bytes: how.max_bytes,
        stop: Some(watch.stop),
        progress: line.is_visible().then_some(&tell),
    };
    let started = Instant::now();
    let result = panic::catch_unwind(AssertUnwindSafe(|| match how.walks {
        Some(walks) => subject.walk(walks, &options),
        None => subject.check(&options),
    }));
    let seconds = started.elapsed().as_secs_f64();
    line.clear();
    match result {
        Ok(Ok(report)) => Ok((report, seconds)),
        Ok(Err(refused)) => Err(BadUsage(refused.to_string()).into()),
        Err(_) => Err(anyhow!("the explorer itself failed, which is a bug of bowline: {}", last_words())),
    }
}

static LAST_WORDS: Mutex<Option<String>> = Mutex::new(None);

/// A model that panics is a result, told with the way there: the engine's threads say nothing on
/// stderr of their own. What they would have said is kept for the case that the engine is at fault.
pub(crate) fn hush_explorer_threads() {
    let default = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if thread::current().name().is_some_and(|name| name.starts_with("explorer")) {
            *LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner) = Some(info.to_string());
        } else {
            default(info);
        }
    }));
}

fn last_words() -> String {
    let words = LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner).take();
    words.unwrap_or_else(|| "it said why above".into())
}
