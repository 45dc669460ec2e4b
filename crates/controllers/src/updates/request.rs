//! One request to the server of a cluster: sent once, with a deadline that its server knows too.

use std::time::Duration;

use bowline_runtime::{Mandate, Over, REQUEST, clause, now, sentence};
use http::{Method, Request, StatusCode};
use http_body_util::BodyExt;
use kube::Client;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::discreet::{discreet, is_secret};

/// The longest sentence that is told of an object: many of them have to fit into a status. Of a longer one so much of the end is
/// told: servers repeat the value that they refuse, which may be all of a pod template, and say last what is wrong with it.
const LONGEST: usize = 400;
const LAST: usize = 120;
/// What stands in a path as it is.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b':').remove(b'~');
/// What is applied and has a field that its kind has not, or a value that no such field can have, is answered as if the server had
/// failed.
const MISFITS: &[&str] = &["failed to create typed patch object", "unable to convert unstructured object to"];

/// A way to a server, and the right to use it.
#[derive(Clone, Copy)]
pub(crate) struct Way<'a> {
    pub(crate) client: &'a Client,
    pub(crate) mandate: &'a Mandate,
}

/// A request.
pub(crate) struct Asked {
    method: Method,
    path: String,
    query: Vec<(&'static str, String)>,
    body: Option<(&'static str, Vec<u8>)>,
}

/// An answer that is none of the wished.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Trouble {
    /// The server says no.
    Said {
        /// In a number.
        code: u16,
        /// In words.
        words: String,
        /// The kind of what it speaks of.
        about: String,
    },
    /// The server answers, and does not say whether it was done.
    Open(String),
    /// There is no answer.
    Silence(String),
}

impl Trouble {
    /// For people.
    pub(crate) fn words(&self) -> &str {
        match self {
            Trouble::Said { words, .. } | Trouble::Open(words) | Trouble::Silence(words) => words,
        }
    }
}

impl Asked {
    pub(crate) fn new(method: Method, path: String) -> Asked {
        Asked { method, path, query: Vec::new(), body: None }
    }

    pub(crate) fn with(mut self, key: &'static str, value: impl Into<String>) -> Asked {
        self.query.push((key, value.into()));
        self
    }

    pub(crate) fn body(mut self, kind: &'static str, body: &Value) -> Asked {
        self.body = Some((kind, body.to_string().into_bytes()));
        self
    }

    /// Sends it, if that is still allowed. What comes back is the object that the server answers, and whether it is new.
    pub(crate) async fn send(self, way: Way<'_>) -> Result<(bool, Value), Trouble> {
        let left = way.mandate.left(REQUEST).ok_or_else(|| way.mandate.over());
        let (began, is_read) = (now().clock, self.is_read());
        let answer = self.within(way.client, left).await;
        if let (Ok(left), Err(Trouble::Silence(_)), false) = (left, &answer, is_read) {
            way.mandate.leaves_open(began, left);
        }
        answer
    }

    fn is_read(&self) -> bool {
        self.method == Method::GET || self.query.iter().any(|(key, _)| *key == "dryRun")
    }

    async fn within(self, client: &Client, left: Result<Duration, Over>) -> Result<(bool, Value), Trouble> {
        let limit = left.map_err(|over| Trouble::Silence(format!("it was not sent: {over}")))?;
        // Words that are always the same are told once.
        let late = |_| match limit == REQUEST {
            true => Trouble::Silence(format!("no answer within {} s", REQUEST.as_secs())),
            false => Trouble::Silence("no answer while the lease lasted".into()),
        };
        tokio::time::timeout(limit, self.exchange(client, limit)).await.map_err(late)?
    }

    async fn exchange(self, client: &Client, limit: Duration) -> Result<(bool, Value), Trouble> {
        let silence = |error: &(dyn std::error::Error + 'static)| Trouble::Silence(cut(sentence(error)));
        let is_secret = is_secret(&self.path);
        let request = Request::builder().method(self.method.clone()).uri(self.uri(limit));
        let (kind, body) = self.body.unwrap_or(("application/json", Vec::new()));
        let request = request.header(http::header::CONTENT_TYPE, kind).body(body.into());
        let response = client.send(request.map_err(|error| silence(&error))?).await;
        let response = response.map_err(|error| silence(&error))?;
        let code = response.status();
        let bytes = response.into_body().collect().await.map_err(|error| silence(&error))?.to_bytes();
        let answer = serde_json::from_slice(&bytes);
        let answer = answer.unwrap_or_else(|_| Value::from(String::from_utf8_lossy(&bytes).into_owned()));
        if code.is_success() {
            return Ok((code == StatusCode::CREATED, answer));
        }
        Err(said(code, &answer, if is_secret { discreet } else { ToOwned::to_owned }))
    }

    /// Its server gives it up when we do.
    fn uri(&self, limit: Duration) -> String {
        let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let timeout = ("timeout", format!("{}ms", limit.as_millis()));
        let query = self.query.iter().chain([&timeout]);
        let query = query.map(|(key, value)| format!("{key}={}", encoded(value))).collect::<Vec<_>>();
        format!("{}?{}", self.path, query.join("&"))
    }
}

/// A name as it stands in a path.
pub(crate) fn segment(name: &str) -> String {
    utf8_percent_encode(name, PLAIN).to_string()
}

/// Who is busy, has given up, or does not know us, has not said whether it would have done it. What is told of it is what `told`
/// leaves of its words.
fn said(code: StatusCode, answer: &Value, told: fn(&str) -> String) -> Trouble {
    let words = answer["message"].as_str().or(answer.as_str()).unwrap_or_default();
    let words = clause(words);
    let is_open = matches!(
        code,
        StatusCode::UNAUTHORIZED | StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS
    );
    let is_misfit = MISFITS.iter().any(|misfit| words.contains(misfit));
    let words =
        if words.is_empty() { format!("its server answers {}", code.as_u16()) } else { cut(told(&words)) };
    if !is_misfit && (is_open || !code.is_client_error()) {
        return Trouble::Open(words);
    }
    let about = answer["details"]["kind"].as_str().unwrap_or_default().to_owned();
    Trouble::Said { code: code.as_u16(), words, about }
}

/// A sentence that is not too long: its beginning and its end.
pub(crate) fn cut(words: String) -> String {
    let length = words.chars().count();
    if length <= LONGEST {
        return words;
    }
    let begins = words.chars().take(LONGEST - LAST);
    begins.chain(['…']).chain(words.chars().skip(length - LAST)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fake::Fake;
    use super::*;

    #[test]
    fn a_name_does_not_leave_its_place_in_a_path() {
        assert_eq!(segment("system:web-1.a"), "system:web-1.a");
        assert_eq!(segment("a?dryRun=All#/../b"), "a%3FdryRun%3DAll%23%2F..%2Fb");
        let asked = Asked::new(Method::PATCH, "/api/v1/nodes/a".into()).with("fieldManager", "a&b");
        let uri = asked.uri(Duration::from_millis(2_500));
        assert_eq!(uri, "/api/v1/nodes/a?fieldManager=a%26b&timeout=2500ms");
    }

    #[test]
    fn a_server_that_is_busy_has_not_said_no() {
        for (code, no) in [
            (400, true),
            (403, true),
            (409, true),
            (422, true),
            (401, false),
            (429, false),
            (500, false),
            (504, false),
        ] {
            let code = StatusCode::from_u16(code).expect("a code");
            let trouble = said(code, &json!({ "message": "why" }), ToOwned::to_owned);
            assert_eq!(matches!(trouble, Trouble::Said { .. }), no, "{code}");
            assert_eq!(trouble.words(), "why");
        }
        for misfit in [
            "failed to create typed patch object (a/b; v1, Kind=X): .z: field not declared in schema",
            "failed to convert new object (a/b; /v1, Kind=Secret) to proper version: unable to convert unstructured object to \
             /v1, Kind=Secret: error decoding from json: illegal base64 data at input byte 0",
        ] {
            for told in [discreet, ToOwned::to_owned] {
                let said = said(StatusCode::INTERNAL_SERVER_ERROR, &json!({ "message": misfit }), told);
                assert!(matches!(said, Trouble::Said { code: 500, .. }), "{said:?}");
            }
        }
        // The webhook of a kind may answer again.
        let silent = json!({ "message": "failed to convert new object (a/b; g/v1, Kind=X) to proper version: conversion webhook for g/v2, Kind=X failed" });
        let silent = said(StatusCode::INTERNAL_SERVER_ERROR, &silent, ToOwned::to_owned);
        assert!(matches!(silent, Trouble::Open(_)), "{silent:?}");
        let ended =
            said(StatusCode::FORBIDDEN, &json!({ "message": "it is\nnot yours.\n" }), ToOwned::to_owned);
        assert_eq!(ended.words(), "it is not yours", "others go on after it");
        let bare = said(StatusCode::BAD_GATEWAY, &json!(""), ToOwned::to_owned);
        assert_eq!(bare.words(), "its server answers 502");
    }

    #[test]
    fn words_have_an_end() {
        assert_eq!(cut("ä".repeat(LONGEST)), "ä".repeat(LONGEST));
        let long = format!("{}{}", "ä".repeat(LONGEST), "ö".repeat(LAST));
        assert_eq!(cut(long), format!("{}…{}", "ä".repeat(LONGEST - LAST), "ö".repeat(LAST)));
        // What is wrong comes after the value.
        let template = format!("spec.template: Invalid value: {{{}}}: field is immutable", "x".repeat(3_000));
        let told = cut(template);
        assert!(told.starts_with("spec.template: ") && told.ends_with("}: field is immutable"), "{told}");
    }

    #[tokio::test]
    async fn nothing_is_sent_when_the_right_to_is_over_and_its_server_knows_how_long_it_lasts() {
        let server = Fake::new(|asked| (200, json!(asked.query)));
        let asked = || Asked::new(Method::POST, "/api/v1/nodes".into());
        let silence = Trouble::Silence("it was not sent: the lease was over".into());
        assert_eq!(asked().within(&server.client, Err(Over::Lease)).await, Err(silence));
        assert!(server.heard().is_empty());
        let answer = asked().within(&server.client, Ok(Duration::from_millis(1_500))).await;
        assert_eq!(answer, Ok((false, json!("timeout=1500ms"))));
    }

    #[tokio::test]
    async fn what_a_server_says_of_a_secret_is_not_repeated() {
        for code in [422, 500, 403] {
            let server = Fake::new(move |_| (code, json!({ "message": "the password 12345 is weak" })));
            for (kind, is_told) in [("secrets", false), ("configmaps", true)] {
                let path = format!("/api/v1/namespaces/a/{kind}/b");
                let trouble = Asked::new(Method::PATCH, path).send(server.way()).await;
                let trouble = trouble.expect_err("it is refused");
                assert_eq!(trouble.words().contains("12345"), is_told, "{kind} {code} {trouble:?}");
            }
        }
    }
}
