//! An ordinary user: one who has to ask for rights, and waits its turn. The administrator of the other loads is let
//! through by everybody.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bowline_bench_meter::Cost;
use http::Method;
use serde_json::{Value, json};

use crate::load::{self, JSON, MAPS, Verb};
use crate::report::Report;
use crate::server::Server;

const NAME: &str = "bench";
const CLIENTS: usize = 16;

/// The same loads by a user who waits its turn, and then by the same user when it is let through: what differs is the
/// price of the fair queue.
pub(crate) async fn measure(
    server: &Server,
    cost: &Cost,
    lasting: Duration,
    report: &mut Report,
) -> Result<()> {
    let user = admitted(server).await?;
    for turn in ["queued", "exempt"] {
        if turn == "exempt" {
            let mut admin = server.connect().await?;
            admin
                .send(Method::POST, "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", JSON, exempt())
                .await?;
        }
        for verb in [Verb::Create, Verb::Get] {
            let mut load = Report::default();
            load::run(&user, cost, (verb, CLIENTS, lasting), &mut load).await?;
            report.put_all(&format!("{turn} "), load);
        }
    }
    Ok(())
}

/// A service account that may do with config maps what it likes.
async fn admitted(server: &Server) -> Result<Server> {
    const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";
    const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    let mut admin = server.connect().await?;
    let metadata = json!({ "name": NAME });
    let account = json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata });
    admin.send(Method::POST, ACCOUNTS, JSON, account.to_string()).await?;
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": metadata,
        "rules": [{ "apiGroups": [""], "resources": ["configmaps"], "verbs": ["*"] }],
    });
    admin.send(Method::POST, &format!("{RBAC}/roles"), JSON, role.to_string()).await?;
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": metadata,
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": NAME },
        "subjects": [{ "kind": "ServiceAccount", "name": NAME, "namespace": "default" }],
    });
    admin.send(Method::POST, &format!("{RBAC}/rolebindings"), JSON, binding.to_string()).await?;
    let request = json!({ "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {} });
    let token =
        admin.send(Method::POST, &format!("{ACCOUNTS}/{NAME}/token"), JSON, request.to_string()).await?;
    let token: Value = serde_json::from_slice(&token)?;
    let user = server.with_token(token["status"]["token"].as_str().context("there is a token")?);
    // kube-apiserver learns of roles a little later.
    let mut connection = user.connect().await?;
    let mut tries = 0;
    while let Err(error) = connection.send(Method::GET, &format!("{MAPS}?limit=1"), JSON, "").await {
        tries += 1;
        ensure!(tries < 100, "it is not let in: {error:#}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(user)
}

fn exempt() -> String {
    json!({
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema",
        "metadata": { "name": NAME },
        "spec": {
            "priorityLevelConfiguration": { "name": "exempt" }, "matchingPrecedence": 2,
            "rules": [{
                "subjects": [{ "kind": "ServiceAccount",
                    "serviceAccount": { "name": NAME, "namespace": "default" } }],
                "resourceRules": [{ "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"] }],
            }],
        },
    })
    .to_string()
}
