//! A look at a cluster: whether it answers, is ready, and lets us do what has to be done.

use std::time::Duration;

use bowline_api::updates::ClusterStatus;
use bowline_clusters::{Finding, Found};
use bowline_runtime::{clause, sentence};
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Limited};
use k8s_openapi::apimachinery::pkg::version::Info;
use kube::Client;
use serde_json::{Value, json};

use crate::kubeconfig::Caller;

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

/// The groups of what everybody may ask who is known.
const ASKING: [&str; 2] = ["authentication.k8s.io", "authorization.k8s.io"];

/// Looks at a cluster, as this caller.
pub(crate) async fn look(client: &Client, caller: Option<&Caller>) -> Finding<String> {
    let found = tokio::time::timeout(PATIENCE, ask(client, caller)).await;
    found.unwrap_or_else(|_| {
        let words = format!("its server does not answer within {} s", PATIENCE.as_secs());
        finding(Found::Silent, words, None)
    })
}

/// What was found, without a place.
pub(crate) fn finding(found: Found, words: String, release: Option<String>) -> Finding<String> {
    // Any server can be registered, and says what it likes.
    let release = release.map(|release| cut(release, ClusterStatus::LONGEST_VERSION));
    Finding { found, words: cut(words, LONGEST), release, place: None }
}

async fn ask(client: &Client, caller: Option<&Caller>) -> Finding<String> {
    let info = match send(client, Request::get("/version"), None).await {
        Ok(answer) => answer,
        Err(trouble) => return trouble.told(caller),
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
        Err(trouble) => return trouble.told(caller),
    }
    let (found, words) = match allowed(client).await {
        Err(trouble) => return Finding { release, ..trouble.told(caller) },
        Ok(Allowed::All) => (Found::Usable, "it answers, and everything is allowed".to_owned()),
        Ok(Allowed::Without(missing)) => {
            (Found::Limited, format!("it can be used, but we may not {}", missing.join("; not ")))
        }
        Ok(Allowed::Nothing) => (Found::Unauthorized, nothing_allowed(caller)),
    };
    finding(found, words, release)
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

/// What we may do.
enum Allowed {
    All,
    /// What we may not do, in words.
    Without(Vec<String>),
    Nothing,
}

async fn allowed(client: &Client) -> Result<Allowed, Trouble> {
    if may(client, "*", "*", "*").await? {
        return Ok(Allowed::All);
    }
    let (mut missing, mut any) = (Vec::new(), false);
    for (group, resource, verbs) in NEEDS {
        let mut not = Vec::new();
        for verb in verbs {
            match may(client, group, resource, verb).await? {
                true => any = true,
                false => not.push(*verb),
            }
        }
        if !not.is_empty() {
            missing.push(format!("{} {resource}", not.join(", ")));
        }
    }
    if missing.is_empty() {
        return Ok(Allowed::All);
    }
    Ok(if any || may_anything(client).await { Allowed::Without(missing) } else { Allowed::Nothing })
}

/// Whether there is anything that we may do, but for asking who we are and what we may: who may write nothing but objects of
/// one kind can be used for that. If it cannot be known, there may be.
async fn may_anything(client: &Client) -> bool {
    let review = json!({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview",
        "spec": { "namespace": "default" },
    });
    let request = Request::post("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews");
    let Ok(answer) = send(client, request, Some(&review)).await else { return true };
    let Some(rules) = answer["status"]["resourceRules"].as_array() else { return true };
    let asks = |rule: &Value| {
        let groups = rule["apiGroups"].as_array();
        groups.is_some_and(|groups| groups.iter().all(|group| ASKING.iter().any(|asking| group == asking)))
    };
    answer["status"]["incomplete"] == true || !rules.iter().all(asks)
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
    fn told(self, caller: Option<&Caller>) -> Finding<String> {
        match self {
            Trouble::Silence(why) => {
                let words =
                    format!("its server does not answer: {why}. Is it there, and can the hub reach it?");
                finding(Found::Silent, words, None)
            }
            Trouble::Said(StatusCode::UNAUTHORIZED, _) => {
                finding(Found::Unauthorized, unknown(401, caller), None)
            }
            // Who is nobody may ask for the version, but not for what it may.
            Trouble::Said(StatusCode::FORBIDDEN, _)
                if caller.is_some_and(|caller| !caller.has_credentials) =>
            {
                finding(Found::Unauthorized, unknown(403, caller), None)
            }
            Trouble::Said(code, why) => {
                finding(Found::NotReady, format!("its server answers {}: {why}", code.as_u16()), None)
            }
        }
    }
}

/// Who we are to the server, as far as people can look it up.
fn us(caller: Option<&Caller>) -> String {
    match caller {
        Some(Caller { user, context, .. }) => format!("the user {user:?} in the context {context:?}"),
        None => "us".to_owned(),
    }
}

/// The server does not know us: why that may be, and what to do.
fn unknown(code: u16, caller: Option<&Caller>) -> String {
    let (us, hint) = (us(caller), "token (`kubectl create token`) or a client certificate");
    match caller {
        Some(Caller { has_credentials: false, .. }) => format!(
            "its server does not know us ({code}): the kubeconfig has no credentials for {us}. Put a {hint} into it, and add the \
             cluster again"
        ),
        _ => format!(
            "its server does not know us ({code}): the credentials of {us} are wrong, or have expired. Add the cluster again \
             with another {hint}"
        ),
    }
}

fn nothing_allowed(caller: Option<&Caller>) -> String {
    format!(
        "its server knows {}, and allows nothing of what is done on clusters: bind it to a role there (`kubectl create \
         clusterrolebinding`)",
        us(caller)
    )
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
    let said = failed_checks(said).unwrap_or_else(|| clause(said));
    Err(Trouble::Said(code, if said.is_empty() { "it does not say why".into() } else { said }))
}

/// The checks that failed, of a server that lists all: those that did not fail come first, and more of them than are told.
fn failed_checks(said: &str) -> Option<String> {
    let failed: Vec<_> =
        said.lines().filter_map(|line| line.trim().strip_prefix("[-]")).map(clause).collect();
    (!failed.is_empty()).then(|| failed.join(", "))
}

/// At most so many characters: a server refuses words without end, and then nobody reads any.
fn cut(words: String, most: usize) -> String {
    if words.chars().count() <= most {
        return words;
    }
    let head: String = words.chars().take(most.saturating_sub(1)).collect();
    head + "…"
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use http::Response;
    use kube::client::Body;

    use super::*;

    /// What is found on a server that says its version and is ready, and answers reviews like this: by the path, which is that
    /// of a review of access or of rules.
    async fn found(credentials: bool, answer: fn(&str) -> (u16, Value)) -> Finding<String> {
        let serve = move |request: Request<Body>| {
            let (code, body) = match request.uri().path() {
                "/version" => (200, json!(Info { git_version: "v1.34.4".into(), ..Info::default() })),
                "/readyz" => (200, json!("ok")),
                review => answer(review),
            };
            let mut response = Response::new(Body::from(body.to_string().into_bytes()));
            *response.status_mut() = StatusCode::from_u16(code).expect("a code");
            std::future::ready(Ok::<_, Infallible>(response))
        };
        let caller = Caller { user: "me".into(), context: "there".into(), has_credentials: credentials };
        look(&Client::new(tower::service_fn(serve), "default"), Some(&caller)).await
    }

    fn forbidden(path: &str, rules: &Value, incomplete: bool) -> (u16, Value) {
        match path.ends_with("selfsubjectrulesreviews") {
            true => (201, json!({ "status": { "resourceRules": rules, "incomplete": incomplete } })),
            false => (201, json!({ "status": { "allowed": false } })),
        }
    }

    fn asking() -> Value {
        json!({ "verbs": ["create"], "apiGroups": ["authorization.k8s.io"], "resources": ["selfsubjectrulesreviews"] })
    }

    #[tokio::test]
    async fn where_nothing_is_allowed_nothing_can_be_done() {
        let nothing = found(true, |path| forbidden(path, &json!([asking()]), false)).await;
        assert_eq!((nothing.found, nothing.release.as_deref()), (Found::Unauthorized, Some("v1.34.4")));
        let expected = "knows the user \"me\" in the context \"there\", and allows nothing";
        assert!(nothing.words.contains(expected), "{}", nothing.words);
        let widgets = |path: &str| {
            let rule = json!({ "verbs": ["*"], "apiGroups": ["example.org"], "resources": ["widgets"] });
            forbidden(path, &json!([asking(), rule]), false)
        };
        assert_eq!(found(true, widgets).await.found, Found::Limited);
        let unknown = found(true, |path| forbidden(path, &json!([]), true)).await;
        assert_eq!(unknown.found, Found::Limited, "somebody else may allow it");
    }

    #[tokio::test]
    async fn who_is_not_known_is_told_who_it_is() {
        let expired = found(true, |_| (401, json!({ "message": "Unauthorized" }))).await;
        assert_eq!(expired.found, Found::Unauthorized);
        let expected =
            "does not know us (401): the credentials of the user \"me\" in the context \"there\" are wrong";
        assert!(expired.words.contains(expected), "{}", expired.words);
        let nobody = found(false, |_| (403, json!({ "message": "system:anonymous may not" }))).await;
        assert_eq!(nobody.found, Found::Unauthorized);
        assert!(nobody.words.contains("the kubeconfig has no credentials for"), "{}", nobody.words);
        let odd = found(true, |_| (403, json!({ "message": "not you" }))).await;
        assert_eq!((odd.found, odd.words.as_str()), (Found::NotReady, "its server answers 403: not you"));
    }

    #[tokio::test]
    async fn of_the_checks_of_a_server_those_are_told_that_failed() {
        let said = |checks: &'static str| async move {
            let serve = move |request: Request<Body>| {
                let is_version = request.uri().path() == "/version";
                let version = json!(Info { git_version: "v1.34.4".into(), ..Info::default() }).to_string();
                let body = if is_version { version } else { checks.to_owned() };
                let mut response = Response::new(Body::from(body.into_bytes()));
                *response.status_mut() =
                    StatusCode::from_u16(if is_version { 200 } else { 500 }).expect("a code");
                std::future::ready(Ok::<_, Infallible>(response))
            };
            look(&Client::new(tower::service_fn(serve), "default"), None).await.words
        };
        let checks = "[+]ping ok\n[-]etcd failed: reason withheld\n[+]log ok\n[-]informer-sync failed: reason withheld\nreadyz \
                      check failed";
        let told =
            "its server is not ready: etcd failed: reason withheld, informer-sync failed: reason withheld";
        assert_eq!(said(checks).await, told);
        assert_eq!(said("it starts.\n").await, "its server is not ready: it starts");
    }

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
        assert_eq!(cut("ä".repeat(9), 9), "ä".repeat(9));
        assert_eq!(cut("ä".repeat(10), 9), format!("{}…", "ä".repeat(8)));
        let long = finding(Found::TooOld, "ä".repeat(10_000), Some("1".repeat(10_000)));
        assert_eq!(long.words.chars().count(), LONGEST);
        let release = long.release.map(|release| release.chars().count());
        assert_eq!(release, Some(ClusterStatus::LONGEST_VERSION), "a longer one would be refused for ever");
    }
}
