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

struct Passage {
    behind: SocketAddr,
    book: Mutex<Book>,
}

#[derive(Default)]
struct Book {
    rules: Vec<(String, u64, Fault)>,
    counts: BTreeMap<String, u64>,
    calls: Vec<String>,
    late: Vec<Asked>,
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
        let state = Arc::new(Passage { behind, book: Mutex::default() });
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

    /// Writes a call down, and says what becomes of it.
    fn arrived(&self, action: &str) -> Option<Fault> {
        let mut book = self.book();
        let count = book.counts.entry(action.to_owned()).or_default();
        *count += 1;
        let number = *count;
        book.calls.push(action.to_owned());
        let rule = book.rules.iter().find(|(of, nth, _)| of == action && *nth == number);
        rule.map(|(_, _, fault)| *fault)
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
        match self.arrived(&action) {
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
            None => self.pass(asked).await.ok(),
        }
    }
}
