//! One call of the engine, timed, and safe from what it may panic about.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::anyhow;
use bowline_explorer::{Options, Progress, Refused, Report};
use bowline_models::Subject;

use super::request::How;
use crate::exit::BadUsage;
use crate::progress::ProgressLine;

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
    let line = ProgressLine::start(watch.label, watch.quiet);
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
        Ok(Err(refused)) => Err(BadUsage(format!("{refused}{}", way_out(&refused))).into()),
        Err(_) => Err(anyhow!("the explorer itself failed, which is a bug of bowline: {}", last_words())),
    }
}

/// What to do about a refusal, where that is a matter of options, of which the engine knows nothing.
fn way_out(refused: &Refused) -> &'static str {
    match refused {
        Refused::NoSymmetry => ": leave out --symmetry",
        Refused::NoThreads(2..) => "; lower --threads",
        _ => "",
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

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use bowline_explorer::{End, Field, Model, Property, Storage, Verdict, Walks, check, walk};
    use bowline_models::{Claim, Coverage};

    use super::*;

    /// Counts to three, and cannot go on.
    struct Fragile;

    impl Model for Fragile {
        type State = u8;
        type Action = ();

        fn init(&self) -> Vec<u8> {
            vec![1]
        }

        fn actions(&self, _: &u8, out: &mut Vec<()>) {
            out.push(());
        }

        fn next(&self, state: &u8, (): &()) -> u8 {
            assert!(*state < 3, "{state} is as far as it goes");
            state + 1
        }

        fn properties(&self) -> Vec<Property<Self>> {
            vec![Property::always("Small", |_, state| *state < 10)]
        }

        fn action_name(&self, (): &()) -> String {
            "Count".into()
        }

        fn fields(&self, state: &u8) -> Vec<Field> {
            vec![Field::new("n", state.to_string())]
        }
    }

    impl Subject for Fragile {
        fn claims(&self) -> Vec<Claim> {
            Vec::new()
        }

        fn state_bytes(&self) -> usize {
            size_of::<u8>()
        }

        fn check(&self, options: &Options<'_>) -> Result<Report, Refused> {
            check(self, options)
        }

        fn walk(&self, walks: Walks, options: &Options<'_>) -> Result<Report, Refused> {
            walk(self, walks, options)
        }

        fn coverage(&self) -> Option<Coverage> {
            None
        }
    }

    fn explored(stop: bool) -> Report {
        let how = How {
            threads: NonZeroUsize::MIN,
            storage: Storage::Exact,
            symmetry: false,
            max_states: None,
            max_bytes: None,
            walks: None,
        };
        let stop = AtomicBool::new(stop);
        let watch = Watch { label: None, quiet: true, stop: &stop };
        explore(&Fragile, None, &how, watch).expect("the run begins").0
    }

    #[test]
    fn a_model_that_panics_is_a_report_with_the_way_there_and_not_a_panic_of_ours() {
        hush_explorer_threads();
        let report = explored(false);
        let End::Panicked { message, trace } = &report.end else { panic!("{:?}", report.end) };
        assert_eq!(message, "Count: 3 is as far as it goes");
        let values: Vec<&str> = trace.steps.iter().map(|step| step.state[0].value.as_str()).collect();
        assert_eq!(values, ["1", "2", "3"]);
        assert_eq!(report.verdicts[0].verdict, Verdict::Unknown);
        assert!(last_words().contains("as far as it goes"), "kept instead of printed");
    }

    #[test]
    fn a_run_that_is_stopped_before_it_begins_reports_so() {
        assert_eq!(explored(true).end, End::Stopped);
    }
}
