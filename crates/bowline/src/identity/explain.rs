//! `bowline identity explain`: what exists where of an identity, and what it waits for.

use bowline_api::identities::{IamPolicy, IamRole};
use bowline_api::updates::Cluster;
use bowline_aws::Settings;
use k8s_openapi::api::core::v1::ServiceAccount;
use kube::Api;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::chain::{Link, Objects, Seen, State};
use super::hub_id::hub_id;
use super::standing::{Standing, Word};
use super::{account, aws, get, look, named};
use crate::columns::Columns;
use crate::connection::failed;
use crate::exit::Exit;
use crate::output::{self, Format};
use crate::palette;
use crate::team::{Scope, Team, answered};

/// What is told.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Explanation {
    namespace: String,
    name: String,
    stands: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    message: String,
    chain: Vec<Link>,
    #[serde(skip_serializing_if = "Option::is_none")]
    aws: Option<Vec<Link>>,
}

/// Explains an identity; with settings of AWS also by what is there. Nothing is changed.
pub(crate) async fn explain(
    scope: &Scope,
    name: &str,
    settings: Option<&Settings>,
    format: Format,
) -> anyhow::Result<Exit> {
    let team = scope.team().await?;
    let objects = objects(&team, name).await?;
    let aws = match settings {
        Some(settings) => {
            let (aws, hub) = (aws::connect(settings).await?, hub_id(&team.client).await?);
            Some(look::look(&aws, &hub, &objects).await?)
        }
        None => None,
    };
    let (standing, called) = (Standing::of(&objects.identity), named(&objects.identity));
    let explanation = Explanation {
        namespace: called.namespace,
        name: called.name,
        stands: standing.word.text(),
        message: standing.why.clone(),
        chain: objects.links(),
        aws,
    };
    let text = if format.is_text() {
        told(&explanation, &standing)
    } else {
        output::document(format, &explanation)?
    };
    output::print(&text)?;
    Ok(Exit::Done)
}

/// What the hub has of an identity.
async fn objects(team: &Team, name: &str) -> anyhow::Result<Objects> {
    let identity = get(team, name).await?;
    let policies: Api<IamPolicy> = Api::namespaced(team.client.clone(), &team.namespace);
    let policy = seen(&policies, name, "cannot read the policy of the identity").await?;
    let roles: Api<IamRole> = Api::namespaced(team.client.clone(), &team.namespace);
    let role = seen(&roles, name, "cannot read the role of the identity").await?;
    let accounts: Api<ServiceAccount> = Api::namespaced(team.client.clone(), &team.namespace);
    let account = match identity.spec.clusters.is_empty() {
        true => seen(&accounts, &account(&identity), "cannot read the service account").await?,
        false => Seen::Missing,
    };
    let all: Api<Cluster> = Api::all(team.client.clone());
    let mut clusters = Vec::new();
    for cluster in &identity.spec.clusters {
        clusters.push((cluster.to_string(), seen(&all, cluster.as_str(), "cannot read the cluster").await?));
    }
    Ok(Objects { identity, policy, role, account, clusters })
}

async fn seen<K>(objects: &Api<K>, name: &str, what: &str) -> anyhow::Result<Seen<K>>
where
    K: Clone + std::fmt::Debug + DeserializeOwned,
{
    match objects.get_opt(name).await {
        Ok(Some(there)) => Ok(Seen::There(there)),
        Ok(None) => Ok(Seen::Missing),
        Err(error) if answered(&error, 403) => Ok(Seen::Hidden),
        Err(error) => Err(failed(error, what)),
    }
}

fn told(explanation: &Explanation, standing: &Standing) -> String {
    let Explanation { namespace, name, chain, aws, .. } = explanation;
    let mut text = format!("Identity:  {namespace}/{name}\n");
    text.push_str(&format!("Stands:    {}\n", standing.line()));
    text.push_str(&format!("Next:      {}\n\n", next(standing.word)));
    text.push_str(&table("ON THE HUB", chain));
    if let Some(aws) = aws {
        text.push('\n');
        text.push_str(&table("IN AWS", aws));
    }
    text
}

/// Who does something next.
fn next(word: Word) -> &'static str {
    match word {
        Word::Ready => "nothing has to be done; AWS is looked at once in a while for what others change",
        Word::Waiting => "nothing has to be done: it goes on by itself",
        Word::Failing => {
            "it is tried again by itself; if it goes on like this, the message says what is wrong"
        }
        Word::Stalled => "a person has to do what the message says; then it goes on by itself",
        Word::Deleting => "it goes when AWS has shown twice, a minute apart, that nothing of it is there",
        Word::Unknown => "controllers have to run: `bowline up` runs them, or `bowline controllers`",
    }
}

fn table(heading: &str, links: &[Link]) -> String {
    let mut columns = Columns::new(&[heading, "STATE", "NAME", "MESSAGE"]);
    for link in links {
        let style = match link.state {
            State::There => palette::GOOD,
            State::Foreign => palette::BAD,
            State::NotYet | State::Unknown => palette::PLAIN,
            State::NotWanted => palette::FAINT,
        };
        let plain = |text: &str| (palette::PLAIN, text.to_owned());
        columns.row(vec![
            plain(link.link),
            (style, link.state.text().to_owned()),
            plain(if link.name.is_empty() { "-" } else { &link.name }),
            plain(&link.message),
        ]);
    }
    columns.render()
}
