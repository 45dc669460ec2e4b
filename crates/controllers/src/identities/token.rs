//! An account's own token, to see whether its role can be assumed.

use bowline_api::identities::IamRoleServiceAccount;
use bowline_aws::{Secret, WebIdentity};
use bowline_identities::Said;
use bowline_identities::plain::{Named, Plain};
use bowline_runtime::Mandate;
use http::Method;
use kube::{Api, Client};
use serde_json::json;

use super::abroad::Abroad;
use crate::updates::{Asked, Trouble, Way, of_home, segment};

/// What tokens for AWS are made out for.
const AUDIENCE: &str = "sts.amazonaws.com";
/// The shortest time that a server makes a token out for, in seconds.
const SHORTEST: u32 = 600;
/// What the session is called in AWS's records.
const SESSION: &str = "bowline";

/// Who asks for tokens.
pub(super) struct Tokens {
    home: Client,
}

impl Tokens {
    pub(super) fn new(home: Client) -> Tokens {
        Tokens { home }
    }

    /// A token of an identity's account, of the first cluster that it names or of its home, and the role that it is for.
    ///
    /// # Errors
    /// Why there is none, or that we may not have any.
    pub(super) async fn of(
        &self,
        name: &Named,
        abroad: &Abroad,
        mandate: &Mandate,
    ) -> Result<WebIdentity, Said<Plain>> {
        let Named { namespace, name } = name;
        let identities: Api<IamRoleServiceAccount> = Api::namespaced(self.home.clone(), namespace);
        let identity = of_home(identities.get(name)).await.map_err(|why| Said::Failed(why.into()))?;
        let role_arn = identity.status.and_then(|status| status.role_arn);
        let role_arn =
            role_arn.ok_or_else(|| Said::Failed("its role is not known yet".to_owned()))?.to_string();
        let account =
            identity.spec.service_account_name.map_or_else(|| name.clone(), |name| name.to_string());
        let client = match identity.spec.clusters.iter().min() {
            None => self.home.clone(),
            Some(cluster) => abroad.reach(cluster.as_str()).await?,
        };
        let path =
            format!("/api/v1/namespaces/{}/serviceaccounts/{}/token", segment(namespace), segment(&account));
        let body = json!({
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
            "spec": { "audiences": [AUDIENCE], "expirationSeconds": SHORTEST },
        });
        let asked = Asked::new(Method::POST, path).body("application/json", &body);
        let made = asked.send(Way { client: &client, mandate }).await;
        let no_token = |why: &str| {
            Said::Failed(format!("there is no token of the account {namespace}/{account}: {why}"))
        };
        let (_, made) = made.map_err(|trouble| match &trouble {
            // Whoever has added the cluster does not want us to be any of its accounts.
            Trouble::Said { code: 403, .. } => Said::Untried,
            trouble => no_token(trouble.words()),
        })?;
        let token = made["status"]["token"].as_str().ok_or_else(|| no_token("the answer has none"))?;
        Ok(WebIdentity { role_arn, session: SESSION.to_owned(), token: Secret::new(token) })
    }
}
