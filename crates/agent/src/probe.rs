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
    /// How long after that it is asked again.
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

/// What the answers come to, of one start of the software.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gauge {
    timing: Timing,
    /// When it is to be asked next.
    due: Boottime,
    good: u32,
    bad: u32,
    outcome: Outcome,
}

impl Gauge {
    /// Nothing is known of what was started then.
    pub fn new(timing: Timing, started: Boottime) -> Gauge {
        let due = started.after(timing.initial_delay);
        Gauge { timing, due, good: 0, bad: 0, outcome: Outcome::Unknown }
    }

    /// When it is to be asked next.
    pub fn due(&self) -> Boottime {
        self.due
    }

    /// An answer, to what was asked then.
    pub fn note(&mut self, asked: Boottime, answer: Result<(), String>) {
        self.due = asked.after(self.timing.period);
        match answer {
            Ok(()) => {
                (self.good, self.bad) = (self.good.saturating_add(1), 0);
                if self.good >= self.timing.success_threshold {
                    self.outcome = Outcome::Healthy;
                }
            }
            Err(why) => {
                (self.good, self.bad) = (0, self.bad.saturating_add(1));
                if self.bad >= self.timing.failure_threshold {
                    self.outcome = Outcome::Unhealthy { why };
                }
            }
        }
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

    /// What is known after each answer.
    fn outcomes(timing: Timing, answers: &str) -> Vec<Outcome> {
        let mut gauge = Gauge::new(timing, START);
        let answers = answers.bytes().map(|good| if good == b'+' { Ok(()) } else { Err("no".to_owned()) });
        answers
            .map(|answer| {
                gauge.note(gauge.due(), answer);
                gauge.outcome().clone()
            })
            .collect()
    }

    #[test]
    fn it_is_asked_after_the_delay_and_then_by_the_period() {
        let mut gauge = Gauge::new(timing(3, 1), START);
        assert_eq!((gauge.due(), gauge.outcome()), (Boottime(15_000), &Outcome::Unknown));
        gauge.note(Boottime(15_100), Ok(()));
        assert_eq!(gauge.due(), Boottime(25_100));
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
}
