//! Where AWS is, who this hub is to it, and who signs the tokens of its accounts.

use std::time::Duration;

use bowline_aws::{Client, Limits, Settings};
use bowline_control::Millis;
use bowline_identities::Rhythm;
use bowline_identities::plain::{Home, Issuer};
use bowline_runtime::{REQUEST, sentence};
use http::Request;
use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec,
};
use kube::Api;
use kube::api::PostParams;
use serde_json::Value;

use crate::hub::{self, Mark};

/// What identities need of AWS.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cloud {
    /// In place of AWS's own addresses.
    pub endpoint: Option<String>,
    /// In place of what would be found.
    pub region: Option<String>,
    /// A profile of the files in `~/.aws`.
    pub profile: Option<String>,
    /// What identities are called after in AWS.
    pub cluster: String,
    /// The ARN of the OIDC provider of the tokens of accounts that are where their identity is.
    pub provider: String,
    /// The address of their issuer, if somebody has said it: it has to be the provider's.
    pub issuer: Option<String>,
    /// How often it is looked for what others have changed in AWS.
    pub drift: Duration,
    /// So long after a write AWS may still show what was before, and a new role may not be assumable.
    pub settle: Duration,
    /// When it is looked for what arrived late, after an identity is gone.
    pub sweeps: Vec<Duration>,
    /// How many calls of AWS at once, and a second.
    pub limits: Limits,
}

/// What is known of AWS, and of this hub there.
#[derive(Clone)]
pub struct Connected {
    pub(super) iam: Client,
    pub(super) home: Home,
    /// Which hub this is.
    pub(super) hub: String,
    pub(super) rhythm: Rhythm,
    /// The home says that it is the issuer whose provider was named.
    pub(super) is_issuer: bool,
}

/// Why AWS cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoCloud {
    /// A setting makes no sense, or is missing.
    #[error("{0}")]
    Settings(String),
    /// The home does not say which hub it is.
    #[error("{0}")]
    Home(String),
}

impl Cloud {
    /// Finds out where AWS is, and which hub this is. AWS is not called yet.
    ///
    /// # Errors
    /// See [`NoCloud`].
    pub async fn connect(&self, home: &kube::Client) -> Result<Connected, NoCloud> {
        let issuer = self.issuer()?;
        let settings = Settings {
            endpoint: self.endpoint.clone(),
            region: self.region.clone(),
            region_otherwise: any_region_of(&self.provider).map(str::to_owned),
            profile: self.profile.clone(),
            limits: self.limits,
            ..Settings::default()
        };
        let iam = Client::connect(&settings).await.map_err(|why| NoCloud::Settings(why.to_string()))?;
        let hub = hub_id(home).await.map_err(NoCloud::Home)?;
        let known = Home::new(&hub, &self.cluster, &self.provider);
        let known = known.map_err(|why| NoCloud::Settings(format!("--oidc-provider-arn: {why}")))?;
        let is_issuer = signs(home).await.is_some_and(|signs| is_same(&signs, &issuer.url));
        // What stands in for AWS may believe any token: that is tried once, and if not, time is waited as it would be otherwise.
        let assumes = (is_issuer || iam.is_elsewhere()) && may_ask(home).await;
        let rhythm = Rhythm { assumes, ..self.rhythm() };
        Ok(Connected { iam, home: known, hub, rhythm, is_issuer })
    }

    /// Looks whether the settings make sense by themselves.
    ///
    /// # Errors
    /// [`NoCloud::Settings`].
    pub fn check(&self) -> Result<(), NoCloud> {
        self.issuer()?;
        let is_late = self.sweeps.first().is_some_and(|first| *first >= self.settle);
        if !is_late || !self.sweeps.is_sorted_by(|one, next| one < next) {
            return Err(NoCloud::Settings(
                "--identity-sweeps takes times of which each is longer than the one before, and none shorter than \
                 --identity-settle-time: AWS does not show sooner what has arrived"
                    .to_owned(),
            ));
        }
        Ok(())
    }

    fn rhythm(&self) -> Rhythm {
        let usual = Rhythm::default();
        let drift = millis(self.drift);
        Rhythm {
            settle: millis(self.settle),
            // What others do in AWS is looked for that often: also whether they have taken away what is in the way.
            retry: usual.retry.min(drift),
            drift,
            sweeps: self.sweeps.iter().copied().map(millis).collect(),
            ..usual
        }
    }

    /// Who signs, by both settings that say so.
    fn issuer(&self) -> Result<Issuer, NoCloud> {
        let issuer = Issuer::of(&self.provider);
        let issuer = issuer.map_err(|why| NoCloud::Settings(format!("--oidc-provider-arn: {why}")))?;
        match &self.issuer {
            Some(said) if !is_same(said, &issuer.url) => Err(NoCloud::Settings(format!(
                "--oidc-issuer {said} is not the issuer of the provider, which is https://{}: leave it out, or name the \
                 provider of that issuer by --oidc-provider-arn",
                issuer.url
            ))),
            _ => Ok(issuer),
        }
    }
}

fn millis(time: Duration) -> Millis {
    Millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

/// A region of the AWS that a provider is in. IAM is in none: which one it is decides only which AWS that is (the public one, China,
/// GovCloud), and the provider's ARN says that too.
fn any_region_of(provider: &str) -> Option<&'static str> {
    match provider.split(':').nth(1)? {
        "aws" => Some("us-east-1"),
        "aws-cn" => Some("cn-north-1"),
        "aws-us-gov" => Some("us-gov-west-1"),
        _ => None,
    }
}

/// Whether an address of an issuer is this one, which has no `https://`.
fn is_same(address: &str, url: &str) -> bool {
    let bare = address.strip_prefix("https://").unwrap_or(address);
    bare.trim_end_matches('/') == url.trim_end_matches('/')
}

/// What this hub is known by in AWS: the uid of a namespace that every server has, made by chance, and kept with all else.
async fn hub_id(home: &kube::Client) -> Result<String, String> {
    let namespace = hub::KNOWN_BY;
    match hub::uid(home).await {
        Ok(Mark::Uid(uid)) => Ok(uid),
        Ok(Mark::None | Mark::Unsaid) => Err(format!(
            "the namespace {namespace} cannot be read, by which this hub is known in AWS: let whoever runs the controllers get it"
        )),
        Err(error) => Err(format!(
            "the namespace {namespace} cannot be read, by which this hub is known in AWS: {}",
            sentence(&error)
        )),
    }
}

/// Who signs the tokens of the home's accounts, as it says. Where that is the provider's issuer, AWS can be shown a token of an
/// account; elsewhere it would be refused for ever.
async fn signs(home: &kube::Client) -> Option<String> {
    let request = Request::get("/.well-known/openid-configuration").body(Vec::new()).ok()?;
    let asked = tokio::time::timeout(REQUEST, home.request::<Value>(request)).await;
    asked.ok()?.ok()?["issuer"].as_str().map(str::to_owned)
}

/// Whether tokens of all accounts may be asked for.
async fn may_ask(home: &kube::Client) -> bool {
    let review = SelfSubjectAccessReview {
        spec: SelfSubjectAccessReviewSpec {
            resource_attributes: Some(ResourceAttributes {
                verb: Some("create".to_owned()),
                resource: Some("serviceaccounts".to_owned()),
                subresource: Some("token".to_owned()),
                ..ResourceAttributes::default()
            }),
            ..SelfSubjectAccessReviewSpec::default()
        },
        ..SelfSubjectAccessReview::default()
    };
    let reviews: Api<SelfSubjectAccessReview> = Api::all(home.clone());
    let params = PostParams::default();
    let asked = tokio::time::timeout(REQUEST, reviews.create(&params, &review)).await;
    asked.is_ok_and(|asked| asked.is_ok_and(|said| said.status.is_some_and(|status| status.allowed)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::updates::{Fake, missing};

    const PROVIDER: &str = "arn:aws:iam::123456789012:oidc-provider/oidc.example/id/X";

    fn cloud() -> Cloud {
        Cloud {
            endpoint: None,
            region: Some("eu-north-1".into()),
            profile: None,
            cluster: "demo".into(),
            provider: PROVIDER.into(),
            issuer: None,
            drift: Duration::from_secs(5),
            settle: Duration::from_secs(2),
            sweeps: [3, 4].map(Duration::from_secs).to_vec(),
            limits: Limits::of(3, 7),
        }
    }

    fn server(issuer: &'static str, allowed: bool) -> Fake {
        Fake::new(move |asked| match asked.what.as_str() {
            "GET /api/v1/namespaces/kube-system" => {
                (200, json!({ "metadata": { "name": "kube-system", "uid": "hub-1" } }))
            }
            "GET /.well-known/openid-configuration" => (200, json!({ "issuer": issuer })),
            "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews" => {
                (201, json!({ "metadata": {}, "spec": {}, "status": { "allowed": allowed } }))
            }
            _ => missing(),
        })
    }

    #[tokio::test]
    async fn a_hub_is_known_by_a_uid_and_shows_tokens_only_where_they_can_be_had_and_their_issuer_is_known() {
        let ours = "https://oidc.example/id/X";
        for (issuer, allowed, assumes) in
            [(ours, true, true), (ours, false, false), ("https://kubernetes.default.svc", true, false)]
        {
            let connected = cloud().connect(&server(issuer, allowed).client).await.expect("settings");
            assert_eq!((connected.hub.as_str(), connected.rhythm.assumes), ("hub-1", assumes));
            let Rhythm { drift, settle, retry, sweeps, .. } = connected.rhythm;
            assert_eq!((drift, settle, retry), (Millis(5_000), Millis(2_000), Millis(5_000)));
            assert_eq!(sweeps, [Millis(3_000), Millis(4_000)]);
            assert_eq!(connected.is_issuer, issuer == ours);
            assert_eq!(connected.iam.gate().rate(), 7);
            assert_eq!(connected.home, Home::new("hub-1", "demo", PROVIDER).expect("a provider"));
        }
    }

    /// It may believe any, as servers for tests do.
    #[tokio::test]
    async fn what_stands_in_for_aws_is_shown_tokens_of_any_issuer() {
        let elsewhere = Cloud { endpoint: Some("http://127.0.0.1:1".into()), ..cloud() };
        for allowed in [true, false] {
            let home = server("https://kubernetes.default.svc", allowed);
            let connected = elsewhere.connect(&home.client).await.expect("settings");
            assert_eq!((connected.is_issuer, connected.rhythm.assumes), (false, allowed));
        }
    }

    #[test]
    fn it_is_looked_for_what_arrives_late_later_and_later() {
        let seconds = |sweeps: &[u64]| Cloud {
            sweeps: sweeps.iter().copied().map(Duration::from_secs).collect(),
            ..cloud()
        };
        assert!(seconds(&[2, 3]).check().is_ok());
        for wrong in [&[][..], &[1], &[3, 3], &[4, 3]] {
            let Err(NoCloud::Settings(why)) = seconds(wrong).check() else { panic!("{wrong:?}") };
            assert!(why.contains("--identity-sweeps"), "{why}");
        }
    }

    #[tokio::test]
    async fn settings_that_make_no_sense_are_told_with_their_flag() {
        let home = server("x", true);
        let bad = [
            (Cloud { provider: "x".into(), ..cloud() }, "--oidc-provider-arn"),
            (Cloud { issuer: Some("https://other".into()), ..cloud() }, "--oidc-issuer"),
            (Cloud { endpoint: Some("x".into()), ..cloud() }, "endpoint"),
        ];
        for (cloud, named) in bad {
            let Err(NoCloud::Settings(why)) = cloud.connect(&home.client).await else { panic!("{named}") };
            assert!(why.contains(named), "{why}");
        }
        let same = Cloud { issuer: Some("https://oidc.example/id/X/".into()), ..cloud() };
        assert!(same.connect(&home.client).await.is_ok());
    }

    #[tokio::test]
    async fn without_knowing_which_hub_it_is_nothing_is_named_in_aws() {
        let silent = Fake::new(|_| missing());
        assert!(matches!(cloud().connect(&silent.client).await, Err(NoCloud::Home(_))));
    }
}
