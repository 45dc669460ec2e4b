//! What a case works with.

use std::fmt::Debug;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, bail};
use bowline_aws::{Client, Error, Keys, Kind, NewPolicy, NewRole, Secret, Settings, Tags};
use bowline_e2e_aws::fake::{ACCESS_KEY, Fake, Issuer};
use bowline_e2e_aws::proxy::Proxy;

/// A client before a proxy before an IAM.
pub(crate) struct Bed {
    /// The IAM, if it is ours.
    pub(crate) fake: Option<Fake>,
    /// Before it.
    pub(crate) proxy: Proxy,
    /// Before that.
    pub(crate) client: Client,
    /// Who signs tokens, as AWS knows.
    pub(crate) issuer: Issuer,
    prefix: String,
}

/// Names that no other bed has: some share their IAM.
static BEDS: AtomicU32 = AtomicU32::new(0);

impl Bed {
    /// One before an IAM that runs.
    pub(crate) async fn before(endpoint: &str, fake: Option<Fake>) -> Result<Bed> {
        let proxy = Proxy::start(endpoint).await?;
        let client = Client::connect(&settings(&proxy.endpoint())).await?;
        let prefix = format!("bed{}", BEDS.fetch_add(1, Ordering::Relaxed));
        let issuer = Issuer::new(ISSUER)?;
        if let Some(fake) = &fake {
            fake.provide(issuer.url(), &[AUDIENCE], issuer.keys());
        }
        Ok(Bed { fake, proxy, client, issuer, prefix })
    }

    /// A token of the service account that roles are made for.
    pub(crate) fn token(&self) -> Result<String> {
        Ok(self.issuer.token("system:serviceaccount:ns:sa", AUDIENCE)?)
    }

    /// It refuses what AWS refuses.
    pub(crate) fn is_strict(&self) -> bool {
        self.fake.is_some()
    }

    /// A name of this bed's.
    pub(crate) fn name(&self, name: &str) -> String {
        format!("{}-{name}", self.prefix)
    }

    /// A path of this bed's.
    pub(crate) fn path(&self) -> String {
        format!("/{}/", self.prefix)
    }

    /// A policy to be made.
    pub(crate) fn policy(&self, name: &str) -> NewPolicy {
        NewPolicy {
            name: self.name(name),
            path: self.path(),
            description: "for a test".to_owned(),
            document: document("s3:GetObject"),
            tags: tags(&[("owner", "bed")]),
        }
    }

    /// A role to be made.
    pub(crate) fn role(&self, name: &str) -> NewRole {
        NewRole {
            name: self.name(name),
            path: self.path(),
            description: "for a test".to_owned(),
            trust: trust("system:serviceaccount:ns:sa"),
            boundary: None,
            tags: tags(&[("owner", "bed")]),
        }
    }
}

/// Settings for an IAM at an address, that look for nothing elsewhere.
pub(crate) fn settings(endpoint: &str) -> Settings {
    Settings {
        endpoint: Some(endpoint.to_owned()),
        region: Some("eu-central-1".to_owned()),
        keys: Some(Keys {
            access: ACCESS_KEY.to_owned(),
            secret: Secret::new("a-secret-key"),
            session: Some(Secret::new("a-session-token")),
        }),
        ..Settings::default()
    }
}

/// A document that allows one action.
pub(crate) fn document(action: &str) -> String {
    format!(
        r#"{{"Version":"2012-10-17","Statement":[{{"Effect":"Allow","Action":["{action}"],"Resource":"arn:aws:s3:::a-bucket/*"}}]}}"#
    )
}

/// Who issues tokens.
pub(crate) const ISSUER: &str = "oidc.example/id/X";
/// Whom tokens for AWS are made out for.
pub(crate) const AUDIENCE: &str = "sts.amazonaws.com";

/// A document that lets one service account in.
pub(crate) fn trust(subject: &str) -> String {
    format!(
        r#"{{"Version":"2012-10-17","Statement":[{{"Effect":"Allow","Action":"sts:AssumeRoleWithWebIdentity","Principal":{{"Federated":"arn:aws:iam::123456789012:oidc-provider/{ISSUER}"}},"Condition":{{"StringEquals":{{"{ISSUER}:sub":"{subject}","{ISSUER}:aud":"{AUDIENCE}"}}}}}}]}}"#
    )
}

/// Tags.
pub(crate) fn tags(tags: &[(&str, &str)]) -> Tags {
    tags.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

/// The kind of a call's failure.
pub(crate) fn refused<T: Debug>(outcome: Result<T, Error>) -> Result<Kind> {
    failed(outcome).map(|error| error.kind)
}

/// A call's failure.
pub(crate) fn failed<T: Debug>(outcome: Result<T, Error>) -> Result<Error> {
    match outcome {
        Err(error) => Ok(error),
        Ok(answer) => bail!("was not refused: {answer:?}"),
    }
}

/// Whether two documents say the same.
pub(crate) fn same(one: &str, other: &str) -> Result<bool> {
    let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).context(text.to_owned());
    Ok(parse(one)? == parse(other)?)
}
