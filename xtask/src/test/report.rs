//! What `cargo xtask test` says about its stages.

use std::fmt::Write;
use std::time::Duration;

/// How a stage ended.
pub(super) struct Outcome {
    /// The stage.
    pub(super) name: &'static str,
    /// The command that runs just this stage.
    pub(super) alone: &'static str,
    /// It found nothing wrong.
    pub(super) passed: bool,
    /// How long it took, from its beginning to its end: others ran meanwhile.
    pub(super) time: Duration,
}

/// The line that ends a stage.
pub(super) fn line(name: &str, outcome: &Outcome, detail: &str) -> String {
    let verdict = if outcome.passed { "ok" } else { "FAILED" };
    format!("{name:<12} {verdict:<7}{:>7.1}s  {detail}", outcome.time.as_secs_f64()).trim_end().to_owned()
}

/// The table at the end, with the time that all took together. Its last line is the count, alone on a line: CI reads it.
pub(super) fn summary(outcomes: &[Outcome], time: Duration) -> String {
    let mut text = format!("{:<12} {:<7}{:>8}  to run it alone\n", "stage", "result", "time");
    for outcome in outcomes {
        let _ = writeln!(text, "{}", line(outcome.name, outcome, outcome.alone));
    }
    let _ = writeln!(text, "{:<18}{:>7.1}s", "all", time.as_secs_f64());
    let failed: Vec<_> =
        outcomes.iter().filter(|outcome| !outcome.passed).map(|outcome| outcome.name).collect();
    if !failed.is_empty() {
        let _ = writeln!(text, "\nfailed: {}; the table says how to run just that", failed.join(", "));
    }
    let _ = write!(text, "\n{} passed, {} failed", outcomes.len() - failed.len(), failed.len());
    text
}

/// The tests in the output of `cargo test`, summed over all of its programs.
pub(super) fn tests_passed(output: &str) -> usize {
    let counts =
        output.lines().filter_map(|line| line.strip_prefix("test result: ok. ")?.split_once(" passed;"));
    counts.filter_map(|(count, _)| count.parse::<usize>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(name: &'static str, passed: bool) -> Outcome {
        Outcome { name, alone: "cargo xtask tidy", passed, time: Duration::from_millis(1250) }
    }

    #[test]
    fn a_failure_is_named_with_its_command_and_the_count_is_the_last_line() {
        let text = summary(&[outcome("fmt", true), outcome("tidy", false)], Duration::from_secs(2));
        assert!(text.contains("tidy         FAILED     1.2s  cargo xtask tidy\n"), "{text}");
        assert!(text.contains("\nall                   2.0s\n"), "{text}");
        assert!(text.contains("\nfailed: tidy;"), "{text}");
        assert!(text.ends_with("\n\n1 passed, 1 failed"), "{text}");
    }

    #[test]
    fn all_well_is_said_in_one_line() {
        let text = summary(&[outcome("fmt", true)], Duration::from_secs(1));
        assert!(!text.contains("failed:"), "{text}");
        assert!(text.ends_with("\n1 passed, 0 failed"), "{text}");
    }

    #[test]
    fn tests_are_summed_over_programs() {
        let output =
            "test result: ok. 3 passed; 0 failed; 0 ignored\nnoise\ntest result: ok. 40 passed; 0 failed\n";
        assert_eq!(tests_passed(output), 43);
        assert_eq!(tests_passed("running 0 tests\n"), 0);
    }
}
