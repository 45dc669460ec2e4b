//! The line that shows how far a run is.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use bowline_explorer::{Phase, Progress, Walked};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::figures::{counted, per_second, rough};
use crate::memory::Memory;

/// A line on stderr, if that is a terminal and progress is wanted.
pub(crate) struct ProgressLine {
    bar: ProgressBar,
    started: Instant,
}

impl ProgressLine {
    /// Starts the line of a run. What is run is named where the user has not just typed it.
    pub(crate) fn start(label: Option<&str>, quiet: bool) -> Self {
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
        ProgressLine { bar, started: Instant::now() }
    }

    /// Whether anybody sees it.
    pub(crate) fn is_visible(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// Shows how far the run is.
    pub(crate) fn show(&self, progress: &Progress<'_>) {
        self.bar.set_message(message(progress, self.started.elapsed().as_secs_f64()));
    }

    /// Takes the line away: what follows are results.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

fn message(progress: &Progress<'_>, seconds: f64) -> String {
    let states = format!("{} states", rough(progress.distinct));
    let (depth, memory) = (progress.depth, Memory(progress.bytes));
    match progress.phase {
        Phase::Exploring => {
            let (rate, frontier) = (rough(per_second(progress.distinct, seconds)), rough(progress.frontier));
            let explored = format!("{states}, {rate}/s, queue {frontier}, depth {depth}, {memory}");
            // Exact states do not collide.
            match progress.collision_probability {
                0.0 => explored,
                collision => format!("{explored}, collision ≤{collision:.0e}"),
            }
        }
        Phase::Walking(Walked { walks, steps }) => {
            let (walks, rate) = (counted(walks, "walk"), rough(per_second(steps, seconds)));
            format!("walking: {walks} done, {rate} steps/s, {states}, depth {depth}, {memory}")
        }
        Phase::Components => format!("liveness: looking for cycles among {states}, {memory}"),
        Phase::Liveness(property) => format!("liveness of {property}: {states}, {memory}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPLORING: Progress<'_> = Progress {
        phase: Phase::Exploring,
        distinct: 1_200_000,
        generated: 5_000_000,
        frontier: 40_000,
        depth: 23,
        bytes: 64 << 20,
        collision_probability: 0.0,
    };

    #[test]
    fn tells_states_rate_frontier_depth_and_memory() {
        assert_eq!(message(&EXPLORING, 2.0), "1.20M states, 600k/s, queue 40.0k, depth 23, 64.0 MiB");
        let fingerprints = Progress { collision_probability: 2e-27, ..EXPLORING };
        assert!(message(&fingerprints, 2.0).ends_with("64.0 MiB, collision ≤2e-27"));
    }

    #[test]
    fn all_of_a_large_run_fits_into_80_columns() {
        let large = Progress {
            distinct: 98_765_432,
            frontier: 12_345_678,
            depth: 123,
            bytes: 1023 << 20,
            collision_probability: 2.4e-23,
            ..EXPLORING
        };
        let before = "⠋ 12m  ".chars().count();
        let message = message(&large, 10.0);
        assert!(before + message.chars().count() <= 80, "{message}");
    }

    #[test]
    fn tells_walks_done_and_steps_of_a_walk() {
        let phase = Phase::Walking(Walked { walks: 1_234, steps: 5_000_000 });
        assert_eq!(
            message(&Progress { phase, collision_probability: 2e-27, ..EXPLORING }, 2.0),
            "walking: 1,234 walks done, 2.50M steps/s, 1.20M states, depth 23, 64.0 MiB"
        );
    }

    #[test]
    fn names_what_comes_after_the_last_state_was_found() {
        let liveness = |phase| message(&Progress { phase, frontier: 0, ..EXPLORING }, 2.0);
        assert_eq!(liveness(Phase::Components), "liveness: looking for cycles among 1.20M states, 64.0 MiB");
        assert_eq!(liveness(Phase::Liveness("Ends")), "liveness of Ends: 1.20M states, 64.0 MiB");
    }
}
