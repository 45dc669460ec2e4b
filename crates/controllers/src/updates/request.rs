//! One request to the server of a cluster: sent once, with a deadline that its server knows too.

use bowline_runtime::{REQUEST, sentence};
use http::{Method, Request, StatusCode};
use http_body_util::BodyExt;
use kube::Client;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// The longest sentence that is told of an object: many of them have to fit into a status.
const LONGEST: usize = 400;
/// What stands in a path as it is.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b':').remove(b'~');

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
    /// There is no answer, or none that says whether it was done.
    Silence(String),
}

impl Trouble {
    /// For people.
    pub(crate) fn words(&self) -> &str {
        match self {
            Trouble::Said { words, .. } | Trouble::Silence(words) => words,
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

    /// Sends it. What comes back is the object that the server answers, and whether it is new.
    pub(crate) async fn send(self, client: &Client) -> Result<(bool, Value), Trouble> {
        let late = |_| Trouble::Silence(format!("no answer within {} s", REQUEST.as_secs()));
        tokio::time::timeout(REQUEST, self.exchange(client)).await.map_err(late)?
    }

    async fn exchange(self, client: &Client) -> Result<(bool, Value), Trouble> {
        let silence = |error: &(dyn std::error::Error + 'static)| Trouble::Silence(cut(sentence(error)));
        let request = Request::builder().method(self.method.clone()).uri(self.uri());
        let (kind, body) = self.body.unwrap_or(("application/json", Vec::new()));
        let request = request.header(http::header::CONTENT_TYPE, kind).body(body.into());
        let response = client.send(request.map_err(|error| silence(&error))?).await;
        let response = response.map_err(|error| silence(&error))?;
        let code = response.status();
        let bytes = response.into_body().collect().await.map_err(|error| silence(&error))?.to_bytes();
        let answer = serde_json::from_slice(&bytes);
        let answer = answer.unwrap_or_else(|_| Value::from(String::from_utf8_lossy(&bytes).into_owned()));
        if code.is_success() { Ok((code == StatusCode::CREATED, answer)) } else { Err(said(code, &answer)) }
    }

    fn uri(&self) -> String {
        let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let timeout = ("timeout", format!("{}s", REQUEST.as_secs()));
        let query = self.query.iter().chain([&timeout]);
        let query = query.map(|(key, value)| format!("{key}={}", encoded(value))).collect::<Vec<_>>();
        format!("{}?{}", self.path, query.join("&"))
    }
}

/// A name as it stands in a path.
pub(crate) fn segment(name: &str) -> String {
    utf8_percent_encode(name, PLAIN).to_string()
}

/// Who is busy, has given up, or does not know us, has not said whether it would have done it.
fn said(code: StatusCode, answer: &Value) -> Trouble {
    let words = answer["message"].as_str().or(answer.as_str()).unwrap_or_default();
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = if words.is_empty() { format!("its server answers {}", code.as_u16()) } else { cut(words) };
    let is_open = matches!(
        code,
        StatusCode::UNAUTHORIZED | StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS
    );
    // What is applied and has a field that its kind has not is answered as if the server had failed.
    let is_misfit = words.contains("failed to create typed patch object");
    if !is_misfit && (is_open || !code.is_client_error()) {
        return Trouble::Silence(words);
    }
    let about = answer["details"]["kind"].as_str().unwrap_or_default().to_owned();
    Trouble::Said { code: code.as_u16(), words, about }
}

/// A sentence that is not too long.
pub(crate) fn cut(words: String) -> String {
    match words.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_does_not_leave_its_place_in_a_path() {
        assert_eq!(segment("system:web-1.a"), "system:web-1.a");
        assert_eq!(segment("a?dryRun=All#/../b"), "a%3FdryRun%3DAll%23%2F..%2Fb");
        let asked = Asked::new(Method::PATCH, "/api/v1/nodes/a".into()).with("fieldManager", "a&b");
        assert_eq!(asked.uri(), "/api/v1/nodes/a?fieldManager=a%26b&timeout=10s");
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
            let trouble = said(code, &json!({ "message": "why" }));
            assert_eq!(matches!(trouble, Trouble::Said { .. }), no, "{code}");
            assert_eq!(trouble.words(), "why");
        }
        let misfit = json!({ "message": "failed to create typed patch object (a/b; v1, Kind=X): .z: field not declared in schema" });
        assert!(matches!(said(StatusCode::INTERNAL_SERVER_ERROR, &misfit), Trouble::Said { code: 500, .. }));
        let bare = said(StatusCode::BAD_GATEWAY, &json!(""));
        assert_eq!(bare.words(), "its server answers 502");
    }

    #[test]
    fn words_have_an_end() {
        assert_eq!(cut("ä".repeat(LONGEST)), "ä".repeat(LONGEST));
        assert_eq!(cut("ä".repeat(LONGEST + 1)), format!("{}…", "ä".repeat(LONGEST)));
    }
}
