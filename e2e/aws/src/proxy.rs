//! The fault proxy: between a client and an IAM, ours or moto, in the hands of the test.
//!
//! What becomes of which call is said beforehand: the nth call of a name is lost, or its answer is, or it is answered in
//! IAM's place. All others pass. Every call is written down, so that a test sees that none was sent twice. What is about one policy
//! or role can be told from what is about others: then one test sees many of them fail at once, each in its own way.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use crate::fake::{ACCESS_KEY, Form, Refusal, refusal_text};
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

/// Where what is about one policy or role stops, until the test lets it go on: for tests that kill the client there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halt {
    /// Before the call of that number, counted over all actions from 1, has come to IAM.
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
    /// What the next call of an action has that is about this: first what it is about, then the action.
    once: Vec<(String, String, Fault)>,
    counts: BTreeMap<String, u64>,
    calls: Vec<String>,
    late: Vec<Asked>,
    /// By what is stopped.
    stops: BTreeMap<String, Stop>,
}

/// Where what is about something stops.
struct Stop {
    at: Halt,
    /// How many calls have come since that was said.
    come: u64,
    has_halted: bool,
}

/// A call that has arrived.
struct Arrived {
    fault: Option<Fault>,
    /// What it is about that stops somewhere, and which of the calls it is that are about that.
    stop: Option<(String, u64)>,
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

    /// Writes a policy into a role, as a person does who has all rights: that is no call of those that are counted here.
    ///
    /// # Errors
    /// If the IAM does not do it.
    pub async fn write_into(&self, role: &str, name: &str, document: &str) -> io::Result<()> {
        let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let body = format!(
            "Action=PutRolePolicy&Version=2010-05-08&RoleName={}&PolicyName={}&PolicyDocument={}",
            encode(role),
            encode(name),
            encode(document)
        );
        let who = format!(
            "AWS4-HMAC-SHA256 Credential={ACCESS_KEY}/20260101/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=0"
        );
        let asked = http::Request::post("/")
            .header(http::header::HOST, self.state.behind.to_string())
            .header(http::header::AUTHORIZATION, who)
            .header(http::header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Bytes::from(body));
        let answered = self.state.pass(asked.map_err(io::Error::other)?).await.map_err(io::Error::other)?;
        let status = answered.status();
        if status.is_success() { Ok(()) } else { Err(io::Error::other(format!("PutRolePolicy: {status}"))) }
    }

    /// From now on, counted from 1, the nth call of that name has this fault.
    pub fn nth(&self, number: u64, action: &str, fault: Fault) {
        let mut book = self.state.book();
        let begun = book.counts.get(action).copied().unwrap_or(0);
        book.rules.push((action.to_owned(), begun + number, fault));
    }

    /// The next call of that name that is about a policy or role called `about` has this fault.
    pub fn once(&self, about: &str, action: &str, fault: Fault) {
        self.state.book().once.push((about.to_owned(), action.to_owned(), fault));
    }

    /// What has not happened yet of what is to happen once: to what, in which call.
    pub fn still_fails(&self) -> Vec<(String, String, Fault)> {
        self.state.book().once.clone()
    }

    /// From now on all that is about a policy or role called `about` stops there; calls are counted from now on.
    pub fn halt(&self, about: &str, at: Halt) {
        self.state.book().stops.insert(about.to_owned(), Stop { at, come: 0, has_halted: false });
    }

    /// What has not stopped yet of what is to stop.
    pub fn still_goes(&self) -> Vec<(String, Halt)> {
        let book = self.state.book();
        let goes = book.stops.iter().filter(|(_, stop)| !stop.has_halted);
        goes.map(|(about, stop)| (about.clone(), stop.at)).collect()
    }

    /// Nothing stops any more. Those who have waited meanwhile get no answer.
    pub fn go_on(&self) {
        self.state.book().stops.clear();
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

    /// Waits, if a call is to stop before it has come to IAM, or, if `is_done`, before its answer; and says whether it has.
    async fn has_stopped(&self, call: &Arrived, is_done: bool) -> bool {
        let Some((about, number)) = &call.stop else { return false };
        let waits = self.goes_on.notified();
        let stops = {
            let mut book = self.book();
            let Some(stop) = book.stops.get_mut(about) else { return false };
            let stops = match stop.at {
                Halt::Before(at) => *number >= at,
                Halt::After(at) => *number > at || (*number == at && is_done),
            };
            stop.has_halted |= stops;
            stops
        };
        if stops {
            waits.await;
        }
        stops
    }

    /// Writes a call down, and says what becomes of it.
    fn arrived(&self, form: &Form) -> Arrived {
        let action = form.action();
        let mut book = self.book();
        let count = book.counts.entry(action.to_owned()).or_default();
        *count += 1;
        let number = *count;
        book.calls.push(action.to_owned());
        let rule = book.rules.iter().find(|(of, nth, _)| of == action && *nth == number);
        let fault = rule.map(|(_, _, fault)| *fault);
        let once = book.once.iter().position(|(about, of, _)| of == action && form.is_about(about));
        let fault = fault.or_else(|| once.map(|place| book.once.remove(place).2));
        let stop = book.stops.iter_mut().find(|(about, _)| form.is_about(about)).map(|(about, stop)| {
            stop.come += 1;
            (about.clone(), stop.come)
        });
        Arrived { fault, stop }
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
        let form = Form::parse(asked.body());
        let refuse =
            |refusal: &Refusal| Some(reply(refusal.status, "text/xml", refusal_text(form.action(), refusal)));
        let call = self.arrived(&form);
        if self.has_stopped(&call, false).await {
            return None;
        }
        match call.fault {
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
                if self.has_stopped(&call, true).await { None } else { answered }
            }
        }
    }
}
