//! How things end, in words for people.

use std::time::Duration;

use nix::sys::signal::Signal;

use crate::protocol::{Cause, Exit, Run};

/// How a process ended.
pub(crate) fn exit(exit: &Exit) -> String {
    match exit {
        Exit::Code(code) => format!("exit code {code}"),
        Exit::Signal(number) => match Signal::try_from(*number) {
            Ok(signal) => format!("signal {signal}"),
            Err(_) => format!("signal {number}"),
        },
        Exit::NotStarted(why) => why.clone(),
    }
}

/// How a run ended, with what it printed last ([`tail`](crate::tail)); none if it runs.
pub fn ended(run: &Run, last: &[String]) -> Option<String> {
    let end = run.end.as_ref()?;
    let said = match (&end.exit, end.cause) {
        (Exit::NotStarted(why), _) => return Some(why.clone()),
        (_, Cause::Stop) => "it was asked to end, and did".to_owned(),
        (_, Cause::Grace) => "it was asked to end, did not in its time, and was killed".to_owned(),
        (_, Cause::Kill) => "it was killed".to_owned(),
        (_, Cause::Deadline) => "it was killed at its deadline: nobody had said that it may go on".to_owned(),
        (how, Cause::Itself) => format!("it ended with {}", exit(how)),
    };
    let mut words = format!("{said}; it had run for {}", span(end.at.since(run.since)));
    if end.cause == Cause::Itself && !last.is_empty() {
        words += &format!("; its last words: {}", last.join(" | "));
    }
    Some(words)
}

/// A time as people say it.
fn span(time: Duration) -> String {
    match time.as_secs() {
        0..60 => format!("{:.1} s", time.as_secs_f64()),
        60..3600 => format!("{} min", time.as_secs() / 60),
        _ => format!("{} h", time.as_secs() / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Boottime;
    use crate::protocol::{End, Phase};

    fn run(exit: Exit, cause: Cause, ms: u64) -> Run {
        let end = Some(End { exit, cause, at: Boottime(1_000 + ms) });
        let since = Boottime(1_000);
        Run { version: "v1".into(), phase: Phase::Ended, pid: None, since, restarts: 0, end }
    }

    #[test]
    fn an_end_is_told_with_the_last_words_if_nobody_wanted_it() {
        let last = ["bind:".to_owned(), "address in use".to_owned()];
        let said = |exit, cause, ms| ended(&run(exit, cause, ms), &last).expect("it has ended");
        assert_eq!(
            said(Exit::Code(1), Cause::Itself, 230),
            "it ended with exit code 1; it had run for 0.2 s; its last words: bind: | address in use"
        );
        assert_eq!(said(Exit::Signal(9), Cause::Kill, 90_000), "it was killed; it had run for 1 min");
        assert_eq!(
            said(Exit::Code(0), Cause::Stop, 7_200_000),
            "it was asked to end, and did; it had run for 2 h"
        );
        assert_eq!(said(Exit::NotStarted("no".into()), Cause::Itself, 0), "no");
        let signal = ended(&run(Exit::Signal(11), Cause::Itself, 0), &[]);
        assert_eq!(signal.as_deref(), Some("it ended with signal SIGSEGV; it had run for 0.0 s"));
        assert_eq!(ended(&Run { end: None, ..run(Exit::Code(0), Cause::Stop, 0) }, &[]), None);
    }
}
