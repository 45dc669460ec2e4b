//! Several hubs in one process, and who may do what on each.

use anyhow::{Context, Result};
use bowline_e2e_kube::Cluster;
use futures::future::{join_all, try_join_all};
use k8s_openapi::api::authentication::v1::{SelfSubjectReview, TokenRequest, TokenRequestSpec};
use k8s_openapi::api::core::v1::{ConfigMap, ServiceAccount};
use k8s_openapi::api::rbac::v1::RoleBinding;
use kube::api::{ListParams, ObjectMeta, PostParams};
use kube::config::{AuthInfo, KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config, ResourceExt};
use serde_json::{from_value, json};

use crate::clients::{in_process, in_time, over_tls, refusal, refused};

const SIZE: usize = 4;

fn map(name: &str) -> ConfigMap {
    let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
    ConfigMap { metadata, ..ConfigMap::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_cluster_of_a_fleet_is_on_its_own() -> Result<()> {
    in_time(async {
        let fleet = try_join_all((0..SIZE).map(|_| Cluster::start())).await?;
        for (number, cluster) in fleet.iter().enumerate() {
            let maps: Api<ConfigMap> = Api::default_namespaced(over_tls(cluster).await?);
            maps.create(&PostParams::default(), &map(&format!("of-{number}"))).await?;
        }
        for (number, cluster) in fleet.iter().enumerate() {
            let maps: Api<ConfigMap> = Api::default_namespaced(in_process(cluster)?);
            let names: Vec<_> =
                maps.list(&ListParams::default()).await?.iter().map(ResourceExt::name_any).collect();
            let ours: Vec<_> = names.iter().filter(|name| name.starts_with("of-")).collect();
            assert_eq!(ours, [&format!("of-{number}")]);
        }
        // One's administrator is nobody to another: neither knows the other's authority.
        let mut config = Kubeconfig::read_from(fleet[0].kubeconfig())?;
        config.clusters[0].cluster.as_mut().context("it has one")?.server =
            Some(format!("https://{}", fleet[1].address()?));
        let mut config = Config::from_custom_kubeconfig(config, &KubeConfigOptions::default()).await?;
        config.default_retry = false;
        let maps: Api<ConfigMap> = Api::default_namespaced(Client::try_from(config)?);
        assert!(matches!(
            maps.list(&ListParams::default()).await,
            Err(kube::Error::Service(_) | kube::Error::HyperError(_))
        ));
        join_all(fleet.into_iter().map(async |mut cluster| cluster.stop().await)).await;
        Ok(())
    })
    .await
}

/// A client over TLS that shows nothing but a token.
async fn with_token(cluster: &Cluster, token: &str) -> Result<Client> {
    let kubeconfig = Kubeconfig::read_from(cluster.kubeconfig())?;
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    config.default_retry = false;
    config.auth_info = from_value::<AuthInfo>(json!({ "token": token }))?;
    Ok(Client::try_from(config)?)
}

#[tokio::test]
async fn who_asks_is_believed_in_process_and_may_what_roles_say() -> Result<()> {
    let cluster = Cluster::start().await?;
    let admin = in_process(&cluster)?;
    let anna = Client::new(cluster.service("anna", &["system:authenticated"])?, "default");
    let whoami: Api<SelfSubjectReview> = Api::all(anna.clone());
    let review = whoami.create(&PostParams::default(), &SelfSubjectReview::default()).await?;
    assert_eq!(
        review.status.and_then(|status| status.user_info).and_then(|user| user.username).as_deref(),
        Some("anna")
    );
    let maps: Api<ConfigMap> = Api::default_namespaced(anna);
    let refusal = refusal(maps.list(&ListParams::default()).await)?;
    assert_eq!((refusal.code, refusal.reason.as_str()), (403, "Forbidden"));
    assert_eq!(
        refusal.message,
        r#"configmaps is forbidden: User "anna" cannot list resource "configmaps" in API group "" in the namespace "default""#
    );
    let binding: RoleBinding = from_value(json!({
        "metadata": { "name": "anna" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view" },
        "subjects": [{ "kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "anna" }],
    }))?;
    Api::default_namespaced(admin).create(&PostParams::default(), &binding).await?;
    maps.list(&ListParams::default()).await?;
    assert_eq!(refused(maps.create(&PostParams::default(), &map("a")).await)?, (403, "Forbidden".to_owned()));
    Ok(())
}

#[tokio::test]
async fn a_token_is_good_where_it_was_made_and_survives_a_restart() -> Result<()> {
    in_time(async {
        let (mut home, abroad) = (Cluster::start().await?, Cluster::start().await?);
        let mut token = None;
        for cluster in [&home, &abroad] {
            let accounts: Api<ServiceAccount> = Api::default_namespaced(in_process(cluster)?);
            let account: ServiceAccount = from_value(json!({ "metadata": { "name": "robot" } }))?;
            accounts.create(&PostParams::default(), &account).await?;
            let request = TokenRequest { spec: TokenRequestSpec::default(), ..TokenRequest::default() };
            let answer = accounts.create_token_request("robot", &PostParams::default(), &request).await?;
            token.get_or_insert(answer.status.context("it has one")?.token);
        }
        let token = token.context("it was made")?;
        let whoami = async |cluster: &Cluster| -> Result<_> {
            let reviews: Api<SelfSubjectReview> = Api::all(with_token(cluster, &token).await?);
            Ok(reviews.create(&PostParams::default(), &SelfSubjectReview::default()).await)
        };
        let name = "system:serviceaccount:default:robot";
        for _ in 0..2 {
            let review = whoami(&home).await??;
            let user = review.status.and_then(|status| status.user_info).context("it says who")?;
            assert_eq!(user.username.as_deref(), Some(name));
            home.start_again(home.address()?).await?;
        }
        assert_eq!(refused(whoami(&abroad).await?)?, (401, "Unauthorized".to_owned()));
        Ok(())
    })
    .await
}
