//! The fault proxy: between a client and an IAM, ours or moto, in the hands of the test.
//!
//! What becomes of which call is said beforehand: the nth call of a name is lost, or its answer is, or it is answered in
//! IAM's place. All others pass. Every call is written down, so that a test sees that none was sent twice.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::Notify;

use crate::fake::{Form, Refusal, refusal_text};
use crate::serve::{Answer, Answered, Asked, Server, reply};

/// What becomes of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// IAM never gets it, and the connection is closed.
    LoseRequest,
    /// IAM has done it, and the connection is closed.
    LoseReply,
    /// The connection is closed now, and IAM gets it when the test says so.
    Late,
    /// It is one too many.
    Throttle,
    /// IAM fails: 500 in its own words.
    Fail,
    /// What stands before IAM fails: 502 in words of its own.
    BadGateway,
}

/// A proxy that runs until it is dropped.
pub struct Proxy {
    server: Server,
    state: Arc<Passage>,
}

/// Where everything stops, until the test lets it go on: for tests that kill the client there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halt {
    /// Before the call of that number, counted over all names from 1, has come to IAM.
    Before(u64),
    /// When IAM has done it, and the client does not know.
    After(u64),
}

struct Passage {
    behind: SocketAddr,
    book: Mutex<Book>,
    /// Told when what has stopped goes on.
    goes_on: Notify,
}

#[derive(Default)]
struct Book {
    rules: Vec<(String, u64, Fault)>,
    counts: BTreeMap<String, u64>,
    calls: Vec<String>,
    late: Vec<Asked>,
    halt: Option<Halt>,
    has_halted: bool,
}

impl Proxy {
    /// Starts one on a free port, before an IAM on loopback.
    ///
    /// # Errors
    /// If there is no port, or the endpoint is not on loopback.
    pub async fn start(endpoint: &str) -> io::Result<Proxy> {
        let behind = endpoint.strip_prefix("http://").and_then(|address| address.parse().ok());
        let behind = behind.filter(|address: &SocketAddr| address.ip().is_loopback());
        let behind = behind.ok_or_else(|| io::Error::other(format!("{endpoint} is not on loopback")))?;
        let state = Arc::new(Passage { behind, book: Mutex::default(), goes_on: Notify::new() });
        Ok(Proxy { server: Server::start(Arc::clone(&state)).await?, state })
    }

    /// What clients are told for AWS's address.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.server.address())
    }

    /// From now on, counted from 1, the nth call of that name has this fault.
    pub fn nth(&self, number: u64, action: &str, fault: Fault) {
        let mut book = self.state.book();
        let begun = book.counts.get(action).copied().unwrap_or(0);
        book.rules.push((action.to_owned(), begun + number, fault));
    }

    /// From now on everything stops there; calls are counted from now on.
    pub fn halt(&self, halt: Halt) {
        let mut book = self.state.book();
        let so_far = u64::try_from(book.calls.len()).unwrap_or(u64::MAX);
        book.halt = Some(match halt {
            Halt::Before(number) => Halt::Before(so_far + number),
            Halt::After(number) => Halt::After(so_far + number),
        });
        book.has_halted = false;
    }

    /// Whether everything has stopped.
    pub fn has_halted(&self) -> bool {
        self.state.book().has_halted
    }

    /// Nothing stops any more. Those who have waited meanwhile get no answer.
    pub fn go_on(&self) {
        self.state.book().halt = None;
        self.state.goes_on.notify_waiters();
    }

    /// Sends what is late, in the order of its arrival, and says how IAM answers: HTTP's status of each.
    pub async fn send_late(&self) -> Vec<u16> {
        let late = std::mem::take(&mut self.state.book().late);
        let mut answers = Vec::new();
        for asked in late {
            answers.extend(self.state.pass(asked).await.ok().map(|answered| answered.status().as_u16()));
        }
        answers
    }

    /// The names of all calls, in the order of their arrival.
    pub fn calls(&self) -> Vec<String> {
        self.state.book().calls.clone()
    }

    /// How many calls of a name have arrived.
    pub fn count(&self, action: &str) -> u64 {
        self.state.book().counts.get(action).copied().unwrap_or(0)
    }
}

impl Passage {
    fn book(&self) -> MutexGuard<'_, Book> {
        // A test that panics while it holds it has failed already.
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits, if everything has stopped before the call of this number, or, if `is_done`, before its answer; and says whether
    /// it has.
    async fn has_stopped(&self, number: u64, is_done: bool) -> bool {
        let waits = self.goes_on.notified();
        let stops = {
            let mut book = self.book();
            let stops = match book.halt {
                Some(Halt::Before(at)) => number >= at,
                Some(Halt::After(at)) => number > at || (number == at && is_done),
                None => false,
            };
            book.has_halted |= stops;
            stops
        };
        if stops {
            waits.await;
        }
        stops
    }

    /// Writes a call down, and says which it is, and what becomes of it.
    fn arrived(&self, action: &str) -> (u64, Option<Fault>) {
        let mut book = self.book();
        let count = book.counts.entry(action.to_owned()).or_default();
        *count += 1;
        let number = *count;
        book.calls.push(action.to_owned());
        let rule = book.rules.iter().find(|(of, nth, _)| of == action && *nth == number);
        let fault = rule.map(|(_, _, fault)| *fault);
        (u64::try_from(book.calls.len()).unwrap_or(u64::MAX), fault)
    }

    async fn pass(&self, asked: Asked) -> Result<Answered, Box<dyn std::error::Error + Send + Sync>> {
        let stream = TcpStream::connect(self.behind).await?;
        stream.set_nodelay(true)?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let answered = sender.send_request(asked.map(Full::new)).await?;
        let (head, body) = answered.into_parts();
        Ok(http::Response::from_parts(head, Full::new(body.collect().await?.to_bytes())))
    }
}

impl Answer for Passage {
    async fn answer(&self, asked: Asked) -> Option<Answered> {
        let action = Form::parse(asked.body()).action().to_owned();
        let refuse =
            |refusal: &Refusal| Some(reply(refusal.status, "text/xml", refusal_text(&action, refusal)));
        let (number, fault) = self.arrived(&action);
        if self.has_stopped(number, false).await {
            return None;
        }
        match fault {
            Some(Fault::LoseRequest) => None,
            Some(Fault::Late) => {
                self.book().late.push(asked);
                None
            }
            Some(Fault::Throttle) => refuse(&Refusal::throttled()),
            Some(Fault::Fail) => refuse(&Refusal::failed()),
            Some(Fault::BadGateway) => Some(reply(502, "text/html", "<html>Bad Gateway</html>".to_owned())),
            // An IAM that is gone is one that closes the connection.
            Some(Fault::LoseReply) => self.pass(asked).await.ok().and(None),
            None => {
                let answered = self.pass(asked).await.ok();
                if self.has_stopped(number, true).await { None } else { answered }
            }
        }
    }
}
