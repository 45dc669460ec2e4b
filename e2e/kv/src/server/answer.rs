//! What requests are answered with.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use serde_json::json;

use super::standing::Standing;
use super::{Flaws, NUMBER, age};
use crate::clock::{Micros, now};
use crate::duties::Duties;
use crate::master::{Failure, Put};

const LARGEST_BODY: usize = 64 << 10;
const LONGEST_KEY: usize = 200;

type Answer = Response<Full<Bytes>>;

pub(super) struct Server {
    version: String,
    flaws: Flaws,
    standing: Arc<Standing>,
    began: Micros,
    /// Clients are sent away with every answer.
    drains: AtomicBool,
}

impl Server {
    pub(super) fn new(version: String, flaws: Flaws, standing: Arc<Standing>) -> Server {
        Server { version, flaws, standing, began: now(), drains: AtomicBool::new(false) }
    }

    pub(super) async fn answer(self: Arc<Server>, request: Request<Incoming>) -> Result<Answer, Infallible> {
        let (head, body) = request.into_parts();
        let Ok(body) = Limited::new(body, LARGEST_BODY).collect().await else {
            return Ok(text(StatusCode::PAYLOAD_TOO_LARGE, "that is too long"));
        };
        let request = Request::from_parts(head, body.to_bytes());
        let mut answer = Arc::clone(&self).route(request).await;
        if self.drains.load(Ordering::SeqCst) {
            answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        Ok(answer)
    }

    async fn route(self: Arc<Server>, request: Request<Bytes>) -> Answer {
        let path = request.uri().path().to_owned();
        match (request.method(), path.as_str()) {
            (&Method::GET, "/healthz") => self.health(),
            (&Method::GET, "/version") => {
                value(StatusCode::OK, &json!({ "version": self.version, "pid": std::process::id() }))
            }
            (&Method::GET | &Method::POST, "/drain") => self.drain().await,
            (&Method::POST, "/duties") => self.duties(request.body()).await,
            (&Method::GET | &Method::PUT, path) => {
                match path.strip_prefix("/kv/").filter(|key| is_key(key)) {
                    Some(key) => self.key(key.to_owned(), request).await,
                    None => text(StatusCode::NOT_FOUND, "there is nothing here"),
                }
            }
            _ => text(StatusCode::METHOD_NOT_ALLOWED, "that cannot be done"),
        }
    }

    fn health(&self) -> Answer {
        let trouble = self.flaws.sickness(age(self.began)).map(str::to_owned);
        match trouble.or_else(|| self.standing.trouble()) {
            Some(why) => text(StatusCode::INTERNAL_SERVER_ERROR, &why),
            None => text(StatusCode::OK, "ok"),
        }
    }

    async fn drain(self: Arc<Server>) -> Answer {
        self.drains.store(true, Ordering::SeqCst);
        let slow = self.flaws.slow_drain;
        let finished = self.aside(|standing| standing.finish()).await;
        tokio::time::sleep(slow).await;
        finished.map_or_else(|failed| failed, |()| text(StatusCode::OK, "drained"))
    }

    async fn duties(self: Arc<Server>, body: &Bytes) -> Answer {
        let duties: Duties = match serde_json::from_slice(body) {
            Ok(duties) => duties,
            Err(error) => return text(StatusCode::BAD_REQUEST, &format!("these are no duties: {error}")),
        };
        if !self.standing.is_told(&duties) {
            return text(StatusCode::CONFLICT, "these are the duties of another");
        }
        let acting = self.aside(move |standing| standing.told(duties)).await;
        acting.map_or_else(|failed| failed, |acting| value(StatusCode::OK, &acting))
    }

    async fn key(self: Arc<Server>, key: String, request: Request<Bytes>) -> Answer {
        if request.method() == Method::GET {
            return match self.aside(move |standing| standing.get(&key)).await {
                Ok(Ok(Some(written))) => {
                    let mut answer = text(StatusCode::OK, &written.value);
                    answer.headers_mut().insert(NUMBER, written.number.into());
                    answer
                }
                Ok(Ok(None)) => text(StatusCode::NOT_FOUND, "there is no such key"),
                Ok(Err(failure)) => refuse(&failure),
                Err(failed) => failed,
            };
        }
        let number = match request.headers().get(NUMBER).map(|number| number.to_str().unwrap_or("").parse()) {
            None => None,
            Some(Ok(number)) => Some(number),
            Some(Err(_)) => return text(StatusCode::BAD_REQUEST, "the number of a write is a number"),
        };
        let Ok(written) = String::from_utf8(request.into_body().to_vec()) else {
            return text(StatusCode::BAD_REQUEST, "a value is text");
        };
        match self.aside(move |standing| standing.put(&key, number, &written)).await {
            Ok(Ok(Put::Done { epoch })) => value(StatusCode::OK, &json!({ "epoch": epoch })),
            Ok(Ok(Put::Late { number })) => value(StatusCode::CONFLICT, &json!({ "number": number })),
            Ok(Err(failure)) => refuse(&failure),
            Err(failed) => failed,
        }
    }

    /// Does something that may wait for a device, where waiting is no harm.
    async fn aside<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Standing) -> T + Send + 'static,
    ) -> Result<T, Answer> {
        let standing = Arc::clone(&self.standing);
        let done = tokio::task::spawn_blocking(move || act(&standing)).await;
        done.map_err(|error| text(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()))
    }
}

fn is_key(key: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !key.is_empty() && key.len() <= LONGEST_KEY && key.chars().all(is_plain)
}

fn refuse(failure: &Failure) -> Answer {
    let status = match failure {
        Failure::NotMaster | Failure::Fenced(_) => StatusCode::MISDIRECTED_REQUEST,
        Failure::Newer(_) | Failure::Device(_) => StatusCode::SERVICE_UNAVAILABLE,
    };
    text(status, &failure.to_string())
}

fn text(status: StatusCode, text: &str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(text.to_owned())));
    *answer.status_mut() = status;
    answer
}

fn value(status: StatusCode, value: &impl serde::Serialize) -> Answer {
    // What is said here has nothing in it that JSON has no word for.
    let mut answer = text(status, &serde_json::to_string(value).unwrap_or_default());
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}
