//! The line that shows how far a run is.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use bowline_explorer::{Phase, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::figures::{per_second, rough};
use crate::memory::Memory;

/// What a run does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Work {
    /// Visits every state and keeps it.
    Explore,
    /// Visits every state and keeps a fingerprint of it.
    ExploreFingerprints,
    /// Walks at random.
    Walk,
}

/// A line on stderr, if that is a terminal and progress is wanted.
pub(crate) struct ProgressLine {
    bar: ProgressBar,
    started: Instant,
    work: Work,
}

impl ProgressLine {
    /// Starts the line of a run. What is run is named where the user has not just typed it.
    pub(crate) fn start(label: Option<&str>, work: Work, quiet: bool) -> Self {
        let visible = !quiet && std::io::stderr().is_terminal();
        let bar = ProgressBar::new_spinner();
        if visible {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            // The template is a constant: if it were wrong, the default one would do.
            if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix}{elapsed}  {wide_msg}") {
                bar.set_style(style);
            }
            bar.set_prefix(label.map_or_else(String::new, |label| format!("{label}  ")));
            bar.enable_steady_tick(Duration::from_millis(120));
        } else {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        ProgressLine { bar, started: Instant::now(), work }
    }

    /// Whether anybody sees it.
    pub(crate) fn is_visible(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// Shows how far the run is.
    pub(crate) fn show(&self, progress: &Progress<'_>) {
        self.bar.set_message(message(progress, self.started.elapsed().as_secs_f64(), self.work));
    }

    /// Takes the line away: what follows are results.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

fn message(progress: &Progress<'_>, seconds: f64, work: Work) -> String {
    let states = rough(progress.distinct);
    let memory = Memory(progress.bytes);
    if let Phase::Liveness(property) = progress.phase {
        return format!("liveness of {property}: {states} states, {memory}");
    }
    let rate = rough(per_second(progress.distinct, seconds));
    let (frontier, depth) = (rough(progress.frontier), progress.depth);
    match work {
        Work::Walk => format!("walking: {states} states, {rate}/s, depth {depth}, {memory}"),
        Work::Explore => {
            format!("exploring: {states} states, {rate}/s, frontier {frontier}, depth {depth}, {memory}")
        }
        Work::ExploreFingerprints => {
            let explored = message(progress, seconds, Work::Explore);
            format!("{explored}, collision ≤ {:.0e}", progress.collision_probability)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_states_rate_frontier_depth_and_memory() {
        let progress = Progress {
            phase: Phase::Exploring,
            distinct: 1_200_000,
            generated: 5_000_000,
            frontier: 40_000,
            depth: 23,
            bytes: 64 << 20,
            collision_probability: 2e-27,
        };
        assert_eq!(
            message(&progress, 2.0, Work::Explore),
            "exploring: 1.20M states, 600k/s, frontier 40.0k, depth 23, 64.0 MiB"
        );
        assert!(message(&progress, 2.0, Work::ExploreFingerprints).ends_with("64.0 MiB, collision ≤ 2e-27"));
        assert_eq!(message(&progress, 2.0, Work::Walk), "walking: 1.20M states, 600k/s, depth 23, 64.0 MiB");
        let liveness = Progress { phase: Phase::Liveness("Ends"), ..progress };
        assert_eq!(message(&liveness, 2.0, Work::Explore), "liveness of Ends: 1.20M states, 64.0 MiB");
    }
}
