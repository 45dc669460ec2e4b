//! A look at a cluster: whether it answers, is ready, and lets us do what has to be done.

use std::time::Duration;

use bowline_clusters::{Finding, Found};
use bowline_runtime::sentence;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Limited};
use k8s_openapi::apimachinery::pkg::version::Info;
use kube::Client;
use serde_json::{Value, json};

/// How long a look may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest answer that is read: what is asked has short ones, and any address can be registered.
const ANSWER: usize = 1 << 20;
/// The oldest minor version of Kubernetes 1 that is known to work.
const OLDEST: u32 = 27;
/// The longest sentence that is put into a status.
const LONGEST: usize = 512;

/// What is done on clusters, and has to be allowed for it: group, resource, verbs.
const NEEDS: [(&str, &str, &[&str]); 6] = [
    ("", "namespaces", &["list", "create", "patch", "delete"]),
    ("", "configmaps", &["list", "create", "patch", "delete"]),
    ("", "secrets", &["list", "create", "patch", "delete"]),
    ("", "services", &["list", "create", "patch", "delete"]),
    ("apps", "deployments", &["list", "create", "patch", "delete"]),
    ("apiextensions.k8s.io", "customresourcedefinitions", &["list", "create", "patch", "delete"]),
];

/// Looks at a cluster.
pub(crate) async fn look(client: &Client) -> Finding<String> {
    let found = tokio::time::timeout(PATIENCE, ask(client)).await;
    found.unwrap_or_else(|_| {
        let words = format!("its server does not answer within {} s", PATIENCE.as_secs());
        finding(Found::Silent, words, None)
    })
}

/// What was found, without a place.
pub(crate) fn finding(found: Found, words: String, release: Option<String>) -> Finding<String> {
    Finding { found, words: cut(words), release, place: None }
}

async fn ask(client: &Client) -> Finding<String> {
    let info = match send(client, Request::get("/version"), None).await {
        Ok(answer) => answer,
        Err(trouble) => return trouble.told(),
    };
    let Ok(info) = serde_json::from_value::<Info>(info) else {
        let words = "what answers there is no Kubernetes API server: it does not say its version";
        return finding(Found::NotReady, words.into(), None);
    };
    let release = Some(info.git_version.clone());
    if is_too_old(&info) {
        let words = format!("its server is {}; it must be at least v1.{OLDEST}", info.git_version);
        return finding(Found::TooOld, words, release);
    }
    match send(client, Request::get("/readyz"), None).await {
        // That it may not be asked says nothing of it.
        Ok(_) | Err(Trouble::Said(StatusCode::FORBIDDEN | StatusCode::NOT_FOUND, _)) => {}
        Err(Trouble::Said(_, why)) => {
            return finding(Found::NotReady, format!("its server is not ready: {why}"), release);
        }
        Err(trouble) => return trouble.told(),
    }
    match missing(client).await {
        Err(trouble) => trouble.told(),
        Ok(missing) if missing.is_empty() => {
            finding(Found::Usable, "it answers, and everything is allowed".into(), release)
        }
        Ok(missing) => {
            let words = format!("it can be used, but we may not {}", missing.join("; not "));
            finding(Found::Limited, words, release)
        }
    }
}

fn is_too_old(info: &Info) -> bool {
    let number = |text: &str| text.trim_end_matches(|c: char| !c.is_ascii_digit()).parse::<u32>().ok();
    match (number(&info.major), number(&info.minor)) {
        (Some(1), Some(minor)) => minor < OLDEST,
        (Some(major), _) => major == 0,
        // Who does not say how old it is, may work.
        (None, _) => false,
    }
}

/// What we may not do, in words.
async fn missing(client: &Client) -> Result<Vec<String>, Trouble> {
    if may(client, "*", "*", "*").await? {
        return Ok(Vec::new());
    }
    let mut missing = Vec::new();
    for (group, resource, verbs) in NEEDS {
        let mut not = Vec::new();
        for verb in verbs {
            if !may(client, group, resource, verb).await? {
                not.push(*verb);
            }
        }
        if !not.is_empty() {
            missing.push(format!("{} {resource}", not.join(", ")));
        }
    }
    Ok(missing)
}

async fn may(client: &Client, group: &str, resource: &str, verb: &str) -> Result<bool, Trouble> {
    let review = json!({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
        "spec": { "resourceAttributes": { "group": group, "resource": resource, "verb": verb } },
    });
    let request = Request::post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
    let answer = send(client, request, Some(&review)).await?;
    Ok(answer["status"]["allowed"] == true)
}

/// Why there is no answer that can be used.
enum Trouble {
    /// There is none.
    Silence(String),
    /// It says no.
    Said(StatusCode, String),
}

impl Trouble {
    fn told(self) -> Finding<String> {
        match self {
            Trouble::Silence(why) => {
                let words =
                    format!("its server does not answer: {why}. Is it there, and can the hub reach it?");
                finding(Found::Silent, words, None)
            }
            Trouble::Said(StatusCode::UNAUTHORIZED, _) => {
                let words = "its server does not know us: the credentials in the kubeconfig are wrong, or have expired";
                finding(Found::Unauthorized, words.into(), None)
            }
            Trouble::Said(code, why) => {
                finding(Found::NotReady, format!("its server answers {}: {why}", code.as_u16()), None)
            }
        }
    }
}

/// Asks, and reads an answer of a bounded length; text that is no JSON is given as text.
async fn send(
    client: &Client,
    request: http::request::Builder,
    body: Option<&Value>,
) -> Result<Value, Trouble> {
    let silence = |error: &(dyn std::error::Error + 'static)| Trouble::Silence(sentence(error));
    let body = body.map(|body| body.to_string().into_bytes()).unwrap_or_default();
    let request = request.header(http::header::CONTENT_TYPE, "application/json").body(body.into());
    let request = request.map_err(|error| silence(&error))?;
    let response = client.send(request).await.map_err(|error| silence(&error))?;
    let code = response.status();
    let read = Limited::new(response.into_body(), ANSWER).collect().await;
    let bytes = read.map_err(|error| silence(&*error))?.to_bytes();
    let value = serde_json::from_slice(&bytes);
    let value = value.unwrap_or_else(|_| Value::from(String::from_utf8_lossy(&bytes).into_owned()));
    if code.is_success() {
        return Ok(value);
    }
    let said = value["message"].as_str().or(value.as_str()).unwrap_or_default();
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    Err(Trouble::Said(code, if said.is_empty() { "it does not say why".into() } else { said }))
}

/// A server refuses words without end, and then nobody reads any.
fn cut(words: String) -> String {
    match words.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_too_old_by_their_numbers() {
        let info =
            |major: &str, minor: &str| Info { major: major.into(), minor: minor.into(), ..Info::default() };
        for (major, minor, old) in [
            ("1", "26", true),
            ("1", "26+", true),
            ("1", "27", false),
            ("1", "34", false),
            ("2", "0", false),
            ("", "", false),
        ] {
            assert_eq!(is_too_old(&info(major, minor)), old, "{major}.{minor}");
        }
    }

    #[test]
    fn words_have_an_end() {
        assert_eq!(cut("ä".repeat(LONGEST)), "ä".repeat(LONGEST));
        assert_eq!(cut("ä".repeat(LONGEST + 1)), format!("{}…", "ä".repeat(LONGEST)));
    }
}
