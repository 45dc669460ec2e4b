//! A look at a cluster: whether it answers, is ready, and lets us do what has to be done.

use std::error::Error;
use std::time::Duration;

use bowline_clusters::{Finding, Found};
use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec,
};
use k8s_openapi::apimachinery::pkg::version::Info;
use kube::api::PostParams;
use kube::{Api, Client};

/// How long a look may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// The oldest minor version of Kubernetes 1 that is known to work.
const OLDEST: u32 = 27;
/// The longest sentence that is put into a status.
const LONGEST: usize = 1024;

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
        finding(Found::Silent, format!("its server does not answer within {} s", PATIENCE.as_secs()), None)
    })
}

/// What was found, without a place.
pub(crate) fn finding(found: Found, words: String, release: Option<String>) -> Finding<String> {
    Finding { found, words: cut(words), release, place: None }
}

async fn ask(client: &Client) -> Finding<String> {
    let info = match client.apiserver_version().await {
        Ok(info) => info,
        Err(error) => return trouble(&error),
    };
    let release = Some(info.git_version.clone());
    if is_too_old(&info) {
        let words = format!("its server is {}; it must be at least v1.{OLDEST}", info.git_version);
        return finding(Found::TooOld, words, release);
    }
    if let Err(why) = is_ready(client).await {
        return finding(Found::NotReady, format!("its server is not ready: {why}"), release);
    }
    match missing(client).await {
        Err(error) => trouble(&error),
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

async fn is_ready(client: &Client) -> Result<(), String> {
    let request = http::Request::get("/readyz").body(Vec::new()).map_err(|error| error.to_string())?;
    match client.request_text(request).await {
        Ok(_) => Ok(()),
        // That it may not be asked says nothing of it.
        Err(kube::Error::Api(status)) if matches!(status.code, 403 | 404) => Ok(()),
        Err(error) => Err(sentence(&error)),
    }
}

/// What we may not do, in words.
async fn missing(client: &Client) -> Result<Vec<String>, kube::Error> {
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

async fn may(client: &Client, group: &str, resource: &str, verb: &str) -> Result<bool, kube::Error> {
    let attributes = ResourceAttributes {
        group: Some(group.into()),
        resource: Some(resource.into()),
        verb: Some(verb.into()),
        ..ResourceAttributes::default()
    };
    let spec = SelfSubjectAccessReviewSpec {
        resource_attributes: Some(attributes),
        ..SelfSubjectAccessReviewSpec::default()
    };
    let review = SelfSubjectAccessReview { spec, ..SelfSubjectAccessReview::default() };
    let answer = Api::all(client.clone()).create(&PostParams::default(), &review).await?;
    Ok(answer.status.is_some_and(|status| status.allowed))
}

fn trouble(error: &kube::Error) -> Finding<String> {
    match error {
        kube::Error::Api(status) if status.code == 401 => {
            let words =
                "its server does not know us: the credentials in the kubeconfig are wrong, or have expired";
            finding(Found::Unauthorized, words.into(), None)
        }
        kube::Error::Api(status) => {
            let words = format!("its server answers {}: {}", status.code, status.message);
            finding(Found::NotReady, words, None)
        }
        other => finding(Found::Silent, format!("its server does not answer: {}", sentence(other)), None),
    }
}

/// What an error says, and what is behind it.
pub fn sentence(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error: &&(dyn Error + 'static)| (*error).source());
    let mut said: Vec<String> = Vec::new();
    for cause in causes.map(ToString::to_string) {
        // Many say what is behind them, too.
        if !said.last().is_some_and(|last| last.contains(&cause)) {
            said.push(cause);
        }
    }
    said.join(": ")
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
