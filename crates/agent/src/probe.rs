//! Whether software works: asked by HTTP, by a connection, or by a command, as Kubernetes' probes do.

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::clock::Boottime;
use crate::commands::Command;
use crate::http::send;
use crate::protocol::Env;

/// How it is asked, and how often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe {
    /// How it is asked.
    pub check: Check,
    /// How often, and how many answers count.
    pub timing: Timing,
}

/// How it is asked whether software works.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Check {
    /// A GET that is answered with a status from 200 to 399.
    Http {
        /// Where; `127.0.0.1` if nothing is said.
        host: Option<String>,
        /// Its port.
        port: u16,
        /// What is asked for, `/` first.
        path: String,
        /// What is said besides. `Host` is the host if nothing is said.
        headers: Vec<(String, String)>,
    },
    /// A connection that is accepted.
    Tcp {
        /// Where; `127.0.0.1` if nothing is said.
        host: Option<String>,
        /// Its port.
        port: u16,
    },
    /// A command that ends with code 0.
    Exec {
        /// The program: a path, or a name that is looked for in `PATH`.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Its environment, beside the little that every process gets.
        env: Env,
    },
}

/// How often it is asked, and how many answers count; by Kubernetes' names, and with its defaults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing {
    /// How long after a start it is first asked.
    pub initial_delay: Duration,
    /// How long after that it is asked again, once it was healthy; and how often a bad answer counts.
    pub period: Duration,
    /// How long an answer may take.
    pub timeout: Duration,
    /// So many bad answers in a row make it unhealthy.
    pub failure_threshold: u32,
    /// So many good answers in a row make it healthy.
    pub success_threshold: u32,
}

impl Default for Timing {
    fn default() -> Timing {
        Timing {
            initial_delay: Duration::ZERO,
            period: Duration::from_secs(10),
            timeout: Duration::from_secs(1),
            failure_threshold: 3,
            success_threshold: 1,
        }
    }
}

/// What is known of the software's health.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Enough answers were good.
    Healthy,
    /// Enough answers were bad.
    Unhealthy {
        /// What the last one of them was.
        why: String,
    },
    /// There were not enough answers yet.
    Unknown,
}

impl Probe {
    /// Asks once, and says what was wrong with the answer.
    ///
    /// # Errors
    /// If the answer was bad, or there was none in time.
    pub async fn ask(&self) -> Result<(), String> {
        let most = self.timing.timeout;
        match &self.check {
            Check::Http { host, port, path, headers } => {
                let uri = format!("http://{}:{port}{path}", bracketed(host.as_deref()));
                let mut request = Request::get(&uri).header("User-Agent", "bowline-probe");
                for (name, value) in headers {
                    request = request.header(name, value);
                }
                let request = request.body(Full::new(Bytes::new()));
                let request = request.map_err(|error| format!("it cannot be asked for {uri}: {error}"))?;
                match send(request, most).await {
                    Ok(answered) if (200..400).contains(&answered.status) => Ok(()),
                    Ok(answered) => Err(format!("GET {uri}: status {}", answered.status)),
                    Err(why) => Err(format!("GET {uri}: {why}")),
                }
            }
            Check::Tcp { host, port } => {
                let address = format!("{}:{port}", bracketed(host.as_deref()));
                match timeout(most, TcpStream::connect(&address)).await {
                    Ok(Ok(_)) => Ok(()),
                    Ok(Err(error)) => Err(format!("connect to {address}: {error}")),
                    Err(_) => Err(format!("connect to {address}: not within {} ms", most.as_millis())),
                }
            }
            Check::Exec { command, args, env } => {
                let (args, env) = (args.clone(), env.clone());
                let command = Command { command: command.clone(), args, env, directory: None, timeout: most };
                command.run().await.map_err(|failure| format!("{}: {failure}", command.command))
            }
        }
    }
}

/// A host as it stands in an address.
fn bracketed(host: Option<&str>) -> String {
    match host.unwrap_or("127.0.0.1") {
        six if six.contains(':') && !six.starts_with('[') => format!("[{six}]"),
        host => host.to_owned(),
    }
}

/// Software that was never healthy is missed: it is asked again after this part of the time since its start, so that it is missed
/// hardly longer than it takes to start, and what takes long to start is not asked for ever more.
const PART: u32 = 100;
/// But not sooner than so.
const SOONEST: Duration = Duration::from_millis(20);
/// And it rests for so many times what an answer takes: a command is a burden to who starts.
const RESTS: u32 = 4;

/// What the answers come to, of one start of the software.
///
/// One that was healthy is asked once in a period. One that was not yet is asked more often: a good answer counts whenever it
/// comes, and a bad one once in a period, so that it has as long to start as people say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gauge {
    timing: Timing,
    started: Boottime,
    /// It was healthy since it was started.
    was_healthy: bool,
    /// When it is to be asked next.
    due: Boottime,
    /// When a bad answer counts again.
    counts: Boottime,
    good: u32,
    bad: u32,
    outcome: Outcome,
}

impl Gauge {
    /// Nothing is known of what was started then, but perhaps that it was healthy before it was asked by us.
    pub fn new(timing: Timing, started: Boottime, was_healthy: bool) -> Gauge {
        let due = started.after(timing.initial_delay);
        Gauge { timing, started, was_healthy, due, counts: due, good: 0, bad: 0, outcome: Outcome::Unknown }
    }

    /// When it is to be asked next.
    pub fn due(&self) -> Boottime {
        self.due
    }

    /// An answer that has come now, to what was asked then.
    pub fn note(&mut self, asked: Boottime, now: Boottime, answer: Result<(), String>) {
        let next = asked.after(self.timing.period);
        match answer {
            Ok(()) => {
                (self.good, self.bad, self.counts) = (self.good.saturating_add(1), 0, next);
                if self.good >= self.timing.success_threshold {
                    (self.outcome, self.was_healthy) = (Outcome::Healthy, true);
                }
                self.due = next;
            }
            Err(why) => {
                if asked >= self.counts {
                    (self.good, self.bad, self.counts) = (0, self.bad.saturating_add(1), next);
                    if self.bad >= self.timing.failure_threshold {
                        self.outcome = Outcome::Unhealthy { why };
                    }
                }
                let soon = now.after(self.pause(asked, now)).min(self.counts);
                self.due = if self.was_healthy { self.counts } else { soon };
            }
        }
    }

    /// How long software rests that was asked and is not healthy yet.
    fn pause(&self, asked: Boottime, now: Boottime) -> Duration {
        let took = now.since(asked);
        (now.since(self.started) / PART).max(took.saturating_mul(RESTS)).max(SOONEST)
    }

    /// What is known.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Boottime = Boottime(10_000);

    fn timing(failures: u32, successes: u32) -> Timing {
        Timing {
            initial_delay: Duration::from_secs(5),
            failure_threshold: failures,
            success_threshold: successes,
            ..Timing::default()
        }
    }

    fn sick() -> Outcome {
        Outcome::Unhealthy { why: "no".into() }
    }

    /// A gauge of what was never healthy; or of what was.
    fn gauge(timing: Timing, was_healthy: bool) -> Gauge {
        Gauge::new(timing, START, was_healthy)
    }

    /// What is known after each answer that counts.
    fn outcomes(timing: Timing, answers: &str) -> Vec<Outcome> {
        let mut gauge = gauge(timing, true);
        let answers = answers.bytes().map(|good| if good == b'+' { Ok(()) } else { bad() });
        answers
            .map(|answer| {
                gauge.note(gauge.due(), gauge.due(), answer);
                gauge.outcome().clone()
            })
            .collect()
    }

    fn bad() -> Result<(), String> {
        Err("no".to_owned())
    }

    #[test]
    fn it_is_asked_after_the_delay_and_then_by_the_period() {
        let mut gauge = gauge(timing(3, 1), false);
        assert_eq!((gauge.due(), gauge.outcome()), (Boottime(15_000), &Outcome::Unknown));
        gauge.note(Boottime(15_100), Boottime(15_101), Ok(()));
        assert_eq!(gauge.due(), Boottime(25_100));
        // Who was healthy is not asked more often because it is not any more.
        gauge.note(Boottime(25_100), Boottime(25_101), bad());
        assert_eq!(gauge.due(), Boottime(35_100));
    }

    #[test]
    fn answers_count_in_a_row() {
        use Outcome::{Healthy, Unknown};
        assert_eq!(outcomes(timing(3, 1), "--+--"), [Unknown, Unknown, Healthy, Healthy, Healthy]);
        assert_eq!(outcomes(timing(3, 1), "---+"), [Unknown, Unknown, sick(), Healthy]);
        assert_eq!(outcomes(timing(1, 2), "+-++-"), [Unknown, sick(), sick(), Healthy, sick()]);
        // Nought is one, as it cannot be anything else.
        assert_eq!(outcomes(timing(0, 0), "-+"), [sick(), Healthy]);
    }

    /// What is asked until it is healthy, which it is at some time: when it is asked, and when it was said to be sick.
    fn asked_until(healthy: Boottime, timing: Timing, takes: Duration) -> (Vec<Boottime>, Option<Boottime>) {
        let (mut gauge, mut asked, mut said) = (gauge(timing, false), Vec::new(), None);
        while *gauge.outcome() != Outcome::Healthy {
            let at = gauge.due();
            asked.push(at);
            gauge.note(at, at.after(takes), if at >= healthy { Ok(()) } else { bad() });
            if *gauge.outcome() == sick() {
                said = said.or(Some(at));
            }
        }
        (asked, said)
    }

    /// Also if it was said to be sick: how long it may take to start says nothing of how long it goes on to be missed.
    #[test]
    fn what_was_never_healthy_is_asked_as_soon_as_it_is_worth_it() {
        let at_once = |failures| Timing { initial_delay: Duration::ZERO, ..timing(failures, 1) };
        for starts_in in [500, 2_000, 60_000, 600_000] {
            let healthy = START.after(Duration::from_millis(starts_in));
            let (asked, said) = asked_until(healthy, at_once(2), Duration::ZERO);
            let missed = asked.last().expect("it was asked").since(healthy);
            assert!(missed <= Duration::from_millis(starts_in / 98).max(SOONEST), "{starts_in}: {missed:?}");
            assert!(asked.len() < 1_000, "{starts_in}: {}", asked.len());
            // A bad answer counts once in a period, however often it is asked.
            assert_eq!(said, (starts_in > 10_000).then_some(Boottime(20_000)), "{starts_in}");
        }
    }

    #[test]
    fn what_takes_its_time_to_answer_is_asked_a_fifth_of_the_time() {
        let takes = Duration::from_millis(200);
        let healthy = START.after(Duration::from_secs(3));
        let (asked, _) =
            asked_until(healthy, Timing { initial_delay: Duration::ZERO, ..timing(3, 1) }, takes);
        assert_eq!(asked, [0, 1_000, 2_000, 3_000].map(|at| Boottime(START.0 + at)));
    }
}
