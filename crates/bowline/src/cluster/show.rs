//! `bowline cluster show`.

use bowline_api::updates::{Activity, AllowedNamespaces, Cluster};
use bowline_runtime::Manner;
use kube::ResourceExt;

use super::{Standing, age, get, way};
use crate::ago::passed;
use crate::connection::Wanted;
use crate::exit::Exit;
use crate::output::{self, Format};

/// Shows a cluster.
pub(crate) async fn show(server: &Wanted, name: &str, format: Format) -> anyhow::Result<Exit> {
    let client = server.client(Manner::Patiently).await?;
    let cluster = get(&client, name).await?;
    let text = if format.is_text() { told(&cluster) } else { output::document(format, &cluster)? };
    output::print(&text)?;
    Ok(Exit::Done)
}

fn told(cluster: &Cluster) -> String {
    let standing = Standing::of(cluster);
    let status = cluster.status.clone().unwrap_or_default();
    let mut rows = vec![
        ("Name", cluster.name_any()),
        ("Stands", format!("{}: {}", standing.word(), standing.why)),
        ("Since", standing.since.as_ref().map(passed).unwrap_or_default()),
        ("Reached by", way(cluster).to_owned()),
    ];
    if let Some(secret) = &cluster.spec.kubeconfig_secret_ref {
        rows.push(("Secret", format!("{}/{}, key {}", secret.namespace, secret.name, secret.key)));
    }
    rows.extend(status.version.map(|version| ("Version", version)));
    if let Some(endpoint) = status.endpoint {
        rows.push(("Server", endpoint.server));
        rows.extend(endpoint.kubeconfig.map(|kubeconfig| ("Kubeconfig", kubeconfig)));
    }
    rows.push(("Used by", allowed(cluster.spec.allowed_namespaces.as_ref())));
    rows.push(("Paused", if cluster.spec.paused { "yes" } else { "no" }.to_owned()));
    rows.push(("Activity", activity(status.activity.as_ref())));
    rows.push(("Age", age(cluster)));
    rows.iter().map(|(name, value)| format!("{:<12}{value}\n", format!("{name}:"))).collect()
}

/// Who may use a cluster, in words.
pub(crate) fn allowed(allowed: Option<&AllowedNamespaces>) -> String {
    let Some(allowed) = allowed else { return "no namespace".into() };
    if !allowed.names.is_empty() {
        let names: Vec<_> = allowed.names.iter().map(|name| name.as_str()).collect();
        return format!("the namespaces {}", names.join(", "));
    }
    match &allowed.selector {
        Some(selector) if selector.match_labels.is_some() || selector.match_expressions.is_some() => {
            "the namespaces with certain labels (see -o yaml)".into()
        }
        _ => "every namespace".into(),
    }
}

fn activity(activity: Option<&Activity>) -> String {
    let Some(activity) = activity else { return "none".into() };
    let updates =
        activity.updates.iter().map(|update| format!("update of {}/{}", update.namespace, update.stack));
    let upgrade =
        activity.upgrade.iter().map(|upgrade| format!("upgrade of {}/{}", upgrade.namespace, upgrade.group));
    let all: Vec<_> = updates.chain(upgrade).collect();
    if all.is_empty() { "none".into() } else { all.join(", ") }
}
