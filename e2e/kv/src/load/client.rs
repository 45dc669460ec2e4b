//! One client: its keys, its connections, and whom it tries next.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context, Result};
use bytes::Bytes;
use http::{Request, Response, StatusCode};
use tokio::task::JoinSet;

use super::{Acknowledged, Shared};
use crate::clock::now;
use crate::device;
use crate::http::{Line, request};
use crate::server::NUMBER;

/// How long a client waits when no member is master: a handover takes milliseconds, and should not be overslept.
const ROUND: Duration = Duration::from_millis(1);
/// Every so many turns, from the first on, a client reads what it has written.
const READS: u64 = 8;

/// Lets all clients write until the end.
pub(super) async fn all(shared: &Arc<Shared>, keys: &[String]) -> Result<()> {
    let mut clients = JoinSet::new();
    for number in 0..shared.plan.clients {
        let keys = keys.iter().skip(number).step_by(shared.plan.clients).cloned().collect();
        let lines = shared.plan.members.iter().map(|_| None).collect();
        let mut client = Client { shared: Arc::clone(shared), keys, lines };
        clients.spawn(async move { client.run().await });
    }
    while let Some(ended) = clients.join_next().await {
        ended.context("a client panicked")?;
    }
    Ok(())
}

struct Client {
    shared: Arc<Shared>,
    keys: Vec<String>,
    lines: Vec<Option<Line>>,
}

/// What a member said to a write.
enum Said {
    Done,
    /// That the key has a later write.
    Late(String),
    /// That it is not the one, or nothing.
    Else,
}

impl Client {
    async fn run(&mut self) {
        let mut last = 0;
        for turn in 1.. {
            for key in self.keys.clone() {
                // Grows from load to load, too.
                last = now().0.max(last + 1);
                if !self.write(&key, last).await {
                    return;
                }
                if turn % READS == 1 {
                    self.read(&key, last).await;
                }
                tokio::time::sleep(self.shared.plan.pause).await;
            }
        }
    }

    /// Writes until it is acknowledged, and says whether it was.
    async fn write(&mut self, key: &str, number: u64) -> bool {
        let shared = Arc::clone(&self.shared);
        let Some(device) = device::of_key(&shared.plan.devices, key) else { return false };
        let Some((_, master)) = shared.devices.get(device) else { return false };
        let value = format!("{key} has {number}");
        let sent = now();
        loop {
            let first = master.load(Ordering::SeqCst);
            for turn in 0..self.lines.len() {
                if shared.is_over() {
                    return false;
                }
                let member = (first + turn) % self.lines.len();
                match self.put(member, key, number, &value).await {
                    Said::Done => {
                        let (device, key) = (device.to_owned(), key.to_owned());
                        let write = Acknowledged { device, key, number, value, sent, done: sent };
                        shared.acknowledge(write, member);
                        return true;
                    }
                    Said::Late(what) => {
                        shared.odd(format!(
                            "write {number} of {key}, by its only client, came too late: {what}"
                        ));
                        // It will not be done any more, and the next one will show whether this is for good.
                        return true;
                    }
                    Said::Else => {}
                }
            }
            tokio::time::sleep(ROUND).await;
        }
    }

    async fn put(&mut self, member: usize, key: &str, number: u64, value: &str) -> Said {
        let mut request = request("PUT", &format!("/kv/{key}"), value.to_owned());
        request.headers_mut().insert(NUMBER, number.into());
        match self.ask(member, request).await {
            Some(answer) if answer.status() == StatusCode::OK => Said::Done,
            Some(answer) if answer.status() == StatusCode::CONFLICT => Said::Late(text(&answer)),
            _ => Said::Else,
        }
    }

    /// Reads from all: who answers with anything but the last write is not the master that it takes itself for.
    async fn read(&mut self, key: &str, number: u64) {
        for member in 0..self.lines.len() {
            let Some(answer) = self.ask(member, request("GET", &format!("/kv/{key}"), "")).await else {
                continue;
            };
            let found =
                answer.headers().get(NUMBER).and_then(|found| found.to_str().ok()?.parse::<u64>().ok());
            match (answer.status(), found) {
                (StatusCode::OK, found) => {
                    self.shared.book().reads += 1;
                    if found != Some(number) {
                        let member = self.shared.plan.members[member];
                        self.shared
                            .odd(format!("{member} says that {key} has {found:?}, and it has {number}"));
                    }
                }
                (StatusCode::NOT_FOUND, _) => {
                    let member = self.shared.plan.members[member];
                    self.shared.odd(format!("{member} says that {key} has nothing, and it has {number}"));
                }
                _ => {}
            }
        }
    }

    /// Asks a member; `None`: it has not answered.
    async fn ask(&mut self, member: usize, request: Request<Bytes>) -> Option<Response<Bytes>> {
        let address = self.shared.plan.members[member];
        // What breaks or takes too long is not used again: an answer would be taken for that of the next request.
        let line = self.lines[member].take().filter(|line| !line.is_closed());
        let asked = async {
            let mut line = match line {
                Some(line) => line,
                None => Line::open(address).await?,
            };
            let answer = line.ask(request).await?;
            Ok::<_, crate::http::Silence>((line, answer))
        };
        let (line, answer) = tokio::time::timeout(self.shared.plan.patience, asked).await.ok()?.ok()?;
        self.lines[member] = Some(line);
        Some(answer)
    }
}

fn text(answer: &Response<Bytes>) -> String {
    String::from_utf8_lossy(answer.body()).into_owned()
}
