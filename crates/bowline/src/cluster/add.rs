//! `bowline cluster add`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::Duration;

use anyhow::{Context, anyhow};
use bowline_api::SYSTEM_NAMESPACE;
use bowline_api::updates::{AllowedNamespaces, Cluster, ClusterSpec, EmbeddedCluster, KubeconfigSecretRef};
use bowline_controllers::{Held, KNOWN_BY, LEASE, kubeconfig};
use bowline_runtime::Manner;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{Namespace, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::core::PartialObjectMeta;
use kube::runtime::wait::await_condition;
use kube::{Api, Client, Resource, ResourceExt};
use serde_json::json;

use super::{Patience, Standing, clusters, exposed, show};
use crate::connection::{Wanted, failed};
use crate::exit::{BadUsage, Exit, Refused};
use crate::output;

/// Who waits no longer than this is not told that it waits.
const AT_ONCE: Duration = Duration::from_secs(2);
/// A server is asked for so long which one it is.
const ASKED: Duration = Duration::from_secs(5);

/// What is to be added.
pub(crate) struct Add {
    pub(crate) name: String,
    /// Its kubeconfig, and the context in it; without, it is embedded.
    pub(crate) reached: Option<(PathBuf, Option<String>)>,
    /// The namespaces that may use it; without, those that may already, and of a new one all.
    pub(crate) allow: Vec<String>,
    /// All may use it.
    pub(crate) allow_all: bool,
}

/// Adds a cluster, and says how it stands.
pub(crate) async fn add(server: &Wanted, add: &Add, patience: Patience) -> anyhow::Result<Exit> {
    let name = &add.name;
    let reached = match &add.reached {
        Some((file, context)) => Some(portable(file, context.as_deref()).await?),
        None => None,
    };
    let client = server.client(Manner::Patiently).await?;
    let before =
        clusters(&client).get_opt(name).await.map_err(|error| failed(error, "cannot read clusters"))?;
    if before.as_ref().is_some_and(|before| before.meta().deletion_timestamp.is_some()) {
        anyhow::bail!(Refused(format!("a cluster {name} is being removed: wait until it is gone")));
    }
    if let Some(before) = &before {
        stays_what_it_is(before, reached.is_none())?;
        if let Some((_, there)) = &reached {
            stays_where_it_is(before, there).await?;
        }
    }
    // The Secret first: nobody looks for it before there is a cluster.
    let secret = match &reached {
        Some((kubeconfig, _)) => Some(keep(&client, name, kubeconfig).await?),
        None => None,
    };
    let spec = spec(add, secret.as_deref(), before.as_ref());
    let before_this = before.as_ref().map(|before| before.metadata.generation);
    let old = before.as_ref().and_then(|before| before.spec.kubeconfig_secret_ref.as_ref());
    let old = old.filter(|old| old.namespace.as_str() == SYSTEM_NAMESPACE).map(|old| old.name.to_string());
    let cluster = match write(&client, name, spec, before).await {
        Ok(cluster) => cluster,
        Err(error) => {
            // Credentials that nobody uses are not left lying about; but what was not answered may have happened.
            if let Some(secret) = &secret
                && let Ok(now) = clusters(&client).get_opt(name).await
                && !now.is_some_and(|now| names(&now, secret))
            {
                forget(&client, name, secret).await?;
            }
            return Err(error);
        }
    };
    if let Some(secret) = &secret {
        own(&client, &cluster, secret).await?;
    }
    if let Some(old) = old {
        forget(&client, name, &old).await?;
    }
    let done = match before_this {
        None => "added",
        Some(generation) if generation == cluster.metadata.generation => "there already, and is as it was",
        Some(_) => "changed",
    };
    let who = show::allowed(cluster.spec.allowed_namespaces.as_ref());
    output::note(&format!(
        "The cluster {name} is {done}; {who} of the hub may use it (--allow, --allow-all)."
    ));
    if !patience.wait {
        return Ok(Exit::Done);
    }
    let file = add.reached.as_ref().map(|(file, _)| file.as_path());
    wait(&client, &cluster, file, patience).await
}

/// What objects of a cluster hold is of another server than what is meant now: they are not mixed up.
fn stays_what_it_is(before: &Cluster, embedded: bool) -> anyhow::Result<()> {
    let name = before.name_any();
    let (is, other) = match (before.spec.embedded.is_some(), embedded) {
        (true, false) => ("embedded", "cannot be reached by a kubeconfig"),
        (false, true) => ("reached by a kubeconfig", "cannot become embedded"),
        _ => return Ok(()),
    };
    anyhow::bail!(Refused(format!(
        "there is a cluster {name} already, which is {is} and {other}: take another name, or remove it first (`bowline cluster \
         remove {name}`)"
    )))
}

/// A kubeconfig of another server is refused before anything is changed: the one that is kept leads to the cluster's own server, and would
/// be forgotten for it. Who does not answer here, or not to this question, may answer the hub, which asks it again.
async fn stays_where_it_is(before: &Cluster, there: &Client) -> anyhow::Result<()> {
    let name = before.name_any();
    let own = before.status.as_ref().and_then(|status| status.server_id.as_deref());
    let namespaces: Api<Namespace> = Api::all(there.clone());
    let asked = tokio::time::timeout(ASKED, namespaces.get_opt(KNOWN_BY)).await;
    let is = asked.ok().and_then(Result::ok).flatten().and_then(|namespace| namespace.metadata.uid);
    match (own, is) {
        (Some(own), Some(is)) if own != is => anyhow::bail!(Refused(format!(
            "this kubeconfig leads to another server than the one that the cluster {name} is, and nothing was changed: take another name \
             for it; or, if it is to take the place of {name}, remove that first (`bowline cluster remove {name}`)"
        ))),
        _ => Ok(()),
    }
}

/// Whether a cluster is reached by this Secret.
fn names(cluster: &Cluster, secret: &str) -> bool {
    cluster.spec.kubeconfig_secret_ref.as_ref().is_some_and(|named| named.name.as_str() == secret)
}

/// The kubeconfig as the hub can use it, one context and no files; and a client of it.
async fn portable(file: &Path, context: Option<&str>) -> anyhow::Result<(String, Client)> {
    let bad =
        |why: &dyn std::fmt::Display| anyhow!(BadUsage(format!("{} cannot be used: {why}", file.display())));
    let text = std::fs::read_to_string(file).map_err(|error| bad(&error))?;
    let read = kubeconfig::read(&text).map_err(|error| bad(&error))?;
    // Files are named as seen from the kubeconfig.
    let beside = |named: &str| std::fs::read(file.parent().unwrap_or(Path::new(".")).join(named));
    let portable = kubeconfig::portable(&read, context, beside).map_err(|error| bad(&error))?;
    // What no client can be made of is not kept.
    let client =
        bowline_runtime::client_of(portable.clone(), &file.display().to_string(), Manner::Once).await;
    let client = client.map_err(|error| anyhow!(BadUsage(error.to_string())))?;
    Ok((serde_json::to_string(&portable).context("cannot write the kubeconfig")?, client))
}

fn spec(add: &Add, secret: Option<&str>, before: Option<&Cluster>) -> ClusterSpec {
    let all = || AllowedNamespaces { names: Vec::new(), selector: Some(LabelSelector::default()) };
    let allowed = match (add.allow.as_slice(), before) {
        ([], Some(before)) if !add.allow_all => before.spec.allowed_namespaces.clone(),
        ([], _) => Some(all()),
        (names, _) => {
            let names = names.iter().map(|name| name.as_str().into()).collect();
            Some(AllowedNamespaces { names, selector: None })
        }
    };
    ClusterSpec {
        kubeconfig_secret_ref: secret
            .map(|secret| KubeconfigSecretRef { name: secret.into(), ..KubeconfigSecretRef::default() }),
        embedded: secret.is_none().then(EmbeddedCluster::default),
        allowed_namespaces: allowed,
        ..before.map(|before| before.spec.clone()).unwrap_or_default()
    }
}

/// The label of the Secrets that belong to a cluster.
const OF_CLUSTER: &str = "bowline.dev/cluster";

/// Puts the kubeconfig into a Secret of its own: a cluster that names another one has changed, and is looked at again.
async fn keep(client: &Client, cluster: &str, kubeconfig: &str) -> anyhow::Result<String> {
    // Controllers that find their namespace without a Lease in it would wait for who might have had one.
    bowline_runtime::establish(client, SYSTEM_NAMESPACE, LEASE).await?;
    let secret = Secret {
        metadata: ObjectMeta {
            generate_name: Some(format!("{cluster}-kubeconfig-")),
            labels: Some(BTreeMap::from([(OF_CLUSTER.to_owned(), cluster.to_owned())])),
            ..ObjectMeta::default()
        },
        data: Some(BTreeMap::from([("kubeconfig".to_owned(), ByteString(kubeconfig.as_bytes().to_vec()))])),
        ..Secret::default()
    };
    let secrets: Api<Secret> = Api::namespaced(client.clone(), SYSTEM_NAMESPACE);
    let made = secrets.create(&PostParams::default(), &secret).await;
    Ok(made.map_err(|error| failed(error, "cannot keep the kubeconfig"))?.name_any())
}

async fn write(
    client: &Client,
    name: &str,
    spec: ClusterSpec,
    before: Option<Cluster>,
) -> anyhow::Result<Cluster> {
    let params = PostParams { field_manager: Some("bowline-cli".into()), ..PostParams::default() };
    let written = match before {
        None => clusters(client).create(&params, &Cluster::new(name, spec)).await,
        Some(before) => clusters(client).replace(name, &params, &Cluster { spec, ..before }).await,
    };
    written.map_err(|error| not_written(error, name))
}

fn not_written(error: kube::Error, name: &str) -> anyhow::Error {
    let what = format!("cannot add the cluster {name}");
    match error {
        kube::Error::Api(status) if status.code == 409 => anyhow!(Refused(format!(
            "{what}: somebody else has added or changed it at the same time. See what it is now (`bowline cluster show {name}`), \
             and add it again if it is not what you want"
        ))),
        error => failed(error, &what),
    }
}

/// The Secret goes with the cluster.
async fn own(client: &Client, cluster: &Cluster, secret: &str) -> anyhow::Result<()> {
    let secrets: Api<Secret> = Api::namespaced(client.clone(), SYSTEM_NAMESPACE);
    let owner = cluster.owner_ref(&()).context("the server gave the cluster no uid")?;
    let owned = Patch::Merge(json!({ "metadata": { "ownerReferences": [owner] } }));
    let patched = secrets.patch_metadata(secret, &PatchParams::default(), &owned).await;
    patched.map_err(|error| failed(error, "cannot give the kubeconfig its owner"))?;
    Ok(())
}

/// Removes a kubeconfig that this cluster does not use. One that somebody else made is theirs.
async fn forget(client: &Client, cluster: &str, secret: &str) -> anyhow::Result<()> {
    let secrets: Api<Secret> = Api::namespaced(client.clone(), SYSTEM_NAMESPACE);
    let unknown = |error| failed(error, "cannot remove a kubeconfig that is not used");
    let there = secrets.get_metadata_opt(secret).await.map_err(unknown)?;
    let is_ours =
        |there: &PartialObjectMeta<Secret>| there.labels().get(OF_CLUSTER).is_some_and(|of| of == cluster);
    if !there.is_some_and(|there| is_ours(&there)) {
        return Ok(());
    }
    match secrets.delete(secret, &DeleteParams::default()).await {
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
        Err(error) => Err(unknown(error)),
        Ok(_) => Ok(()),
    }
}

/// Waits until somebody has looked at the cluster, and says what was found.
async fn wait(
    client: &Client,
    cluster: &Cluster,
    file: Option<&Path>,
    patience: Patience,
) -> anyhow::Result<Exit> {
    let name = cluster.name_any();
    let looked_at =
        |cluster: Option<&Cluster>| cluster.is_some_and(|cluster| Standing::of(cluster).ready.is_some());
    let mut looked_at =
        pin!(tokio::time::timeout(patience.timeout, await_condition(clusters(client), &name, looked_at)));
    let found = match tokio::time::timeout(AT_ONCE, &mut looked_at).await {
        Ok(found) => found,
        Err(_) => {
            let most = patience.timeout.as_secs();
            output::note(&format!("Waiting, {most} s at most, for the controllers to look at it ..."));
            looked_at.await
        }
    };
    let found = match found {
        Ok(found) => found.context("cannot watch the cluster")?,
        Err(_) => {
            output::note(&unseen(client, &name, patience).await);
            return Ok(Exit::NotFinished);
        }
    };
    let Some(cluster) = found else {
        return Err(anyhow!(Refused(format!("the cluster {name} was removed"))));
    };
    let standing = Standing::of(&cluster);
    output::note(&format!("It is {}: {}", standing.word(), output::sentence(&standing.why)));
    if let (Some(_), Some(file)) = (exposed(&cluster), file) {
        output::note(&format!(
            "What is submitted to it is rejected before that:\n\n  bowline cluster add {name} --kubeconfig {} --allow NAMESPACE\n",
            file.display()
        ));
    }
    let endpoint = cluster.status.and_then(|status| status.endpoint);
    if let Some(kubeconfig) = endpoint.and_then(|endpoint| endpoint.kubeconfig) {
        output::note(&format!("\n  kubectl --kubeconfig {kubeconfig} get nodes\n"));
    }
    Ok(if standing.ready == Some(true) { Exit::Done } else { Exit::EndedBadly })
}

/// What is known of a cluster that nobody has looked at in time, as it is wanted now.
async fn unseen(client: &Client, name: &str, patience: Patience) -> String {
    let seen = clusters(client).get_opt(name).await.ok().flatten().and_then(|now| Standing::before(&now));
    let seen = seen.map(|seen| format!(" Before, it was {}: {}.", seen.word(), seen.why)).unwrap_or_default();
    // Who may add clusters need not be allowed to read the lease.
    let hint = match bowline_controllers::held(client).await {
        Ok(Some(Held { holder, renewed, .. })) => {
            let renewed =
                renewed.map(|time| format!(", and renewed its lease at {time}")).unwrap_or_default();
            format!(
                "{holder} leads the controllers{renewed}: give it more time (--timeout), or look later \
                 (`bowline cluster show {name}`)."
            )
        }
        Ok(None) | Err(_) => "Do the controllers run (bowline up, or bowline controllers)?".to_owned(),
    };
    format!("Nobody has looked at it within {} s.{seen} {hint}", patience.timeout.as_secs())
}

#[cfg(test)]
mod tests {
    use kube::core::Status;

    use super::*;

    #[test]
    fn who_comes_second_is_told_what_to_do() {
        let answered = |code, reason| {
            let status = Status::failure("clusters.bowline.dev \"prod\" already exists", reason);
            not_written(kube::Error::Api(status.with_code(code).boxed()), "prod")
        };
        let raced = answered(409, "AlreadyExists");
        assert!(
            raced.is::<Refused>() && raced.to_string().contains("`bowline cluster show prod`"),
            "{raced}"
        );
        assert!(answered(422, "Invalid").is::<BadUsage>());
    }
}
