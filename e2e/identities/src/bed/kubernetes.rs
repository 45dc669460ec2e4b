//! A real Kubernetes for a home, with what the example gives the controllers there.

use std::path::{Path, PathBuf};

use anyhow::Result;
use bowline_e2e_hub::{Kubectl, Scratch};
use bowline_realkube::{Client, Options, RealKube};
use serde_json::{Value, json};

use crate::server::Server;

/// Who signs the tokens of its accounts, without `https://`.
pub(super) const ISSUER: &str = "oidc.example/id/real";

/// One that runs.
pub struct Kubernetes {
    // Before the directory: it is in use until the processes are gone.
    server: RealKube,
    kubectl: Kubectl,
    _scratch: Scratch,
}

/// What nothing of a story is left in.
const LEFT: [&str; 2] = ["namespaces/default/iamroleserviceaccounts", "iamtombstones"];

/// What the example leaves to whoever wants roles to be tried.
const TOKENS: &str = r#"
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: bowline-tokens}
rules: [{apiGroups: [""], resources: [serviceaccounts/token], verbs: [create]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: bowline-tokens}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: bowline-tokens}
subjects: [{kind: ServiceAccount, name: bowline, namespace: bowline-system}]
"#;

impl Kubernetes {
    /// Starts one, and gives the controllers their account.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start() -> Result<Kubernetes> {
        let scratch = Scratch::new("identities-kubernetes")?;
        let dir = &scratch.join("");
        let issuer = Some(format!("https://{ISSUER}"));
        let options = Options { controllers: true, quick: true, issuer, ..Options::default() };
        let server = RealKube::start(dir, &options)?;
        let kubectl = Kubectl::with_kubeconfig(&server.kubeconfig(), dir.join("kubectl-cache"))?;
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/kubernetes/bowline.yaml");
        kubectl.ok("apply --validate=strict -f -", &std::fs::read_to_string(example)?)?;
        let this = Kubernetes { server, kubectl, _scratch: scratch };
        this.write_kubeconfig()?;
        Ok(this)
    }

    /// Nobody runs pods here. Their token is a file, as it is there.
    fn write_kubeconfig(&self) -> Result<()> {
        let token = self.server.dir().join("token");
        std::fs::write(&token, self.kubectl.ok("create token bowline -n bowline-system", "")?.trim())?;
        let mut config: Value = serde_json::from_str(&self.kubectl.ok("config view --raw -o json", "")?)?;
        config["users"][0]["user"] = json!({ "tokenFile": token });
        Ok(std::fs::write(self.of_controllers(), config.to_string())?)
    }

    /// How the controllers reach it.
    pub(super) fn of_controllers(&self) -> PathBuf {
        self.server.dir().join("pod.kubeconfig")
    }

    /// How its administrator reaches it.
    pub(super) fn of_administrator(&self) -> PathBuf {
        self.server.kubeconfig()
    }

    pub(super) fn client(&self) -> &Client {
        self.server.client()
    }

    /// Takes away what is left, when nobody runs who would do it.
    pub(super) fn clear(&self) -> Result<()> {
        let server = Server::new(self.client());
        for kind in LEFT.map(|kind| format!("/apis/bowline.dev/v1alpha1/{kind}")) {
            let all = server.perhaps(&kind)?.unwrap_or_default();
            let names = all["items"].as_array().into_iter().flatten();
            for name in names.filter_map(|one| one["metadata"]["name"].as_str()) {
                let path = format!("{kind}/{name}");
                server.delete(&path)?;
                if server.perhaps(&path)?.is_some() {
                    server.change(&path, &json!({ "metadata": { "finalizers": null } }))?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn may_ask_for_tokens(&self) -> Result<()> {
        self.kubectl.ok("apply -f -", TOKENS).map(drop)
    }
}
