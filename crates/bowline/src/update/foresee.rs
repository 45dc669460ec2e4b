//! What `plan` and `diff` have in common: what somebody might submit is looked at with that person's rights.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use bowline_api::SYSTEM_NAMESPACE;
use bowline_api::updates::Cluster;
use bowline_controllers::{Blind, Foreseen, Preview, Sighted, Submission, Unseen};
use bowline_runtime::Manner;

use super::stacks::Wish;
use super::submit::packed;
use super::{Scope, Settings};
use crate::connection::Wanted;
use crate::exit::{NoConnection, Refused};

/// What might be submitted, and how its cluster is reached.
pub(crate) struct Question {
    /// A directory or a file; `-` is standard input.
    pub(crate) path: PathBuf,
    pub(crate) cluster: String,
    /// Without it, the stack is called as the cluster is.
    pub(crate) stack: Option<String>,
    /// Credentials of whoever asks; without them, those that Bowline has.
    pub(crate) cluster_kubeconfig: Option<PathBuf>,
}

/// What would become of it, and of what.
pub(super) struct Answer {
    pub(super) namespace: String,
    pub(super) stack: String,
    pub(super) bundle: String,
    pub(super) foreseen: Foreseen,
}

impl Question {
    /// What would become of it. It is refused as a submission is, and nothing is made.
    pub(super) async fn answer(&self, scope: &Scope) -> anyhow::Result<Answer> {
        let piped = scope.command("submit", Path::new("-"), &self.cluster, self.stack.as_deref());
        let packed = packed(&self.path, &piped)?;
        let team = scope.team().await?;
        let cluster = team.may_use(&self.cluster).await?;
        let stack = self.stack.as_deref().unwrap_or(&self.cluster);
        team.look_at_stack(&Wish { name: stack, cluster: &self.cluster, settings: Settings::default() })
            .await?;
        let mut preview = Preview::new(team.client.clone());
        if let Some(file) = &self.cluster_kubeconfig {
            let own = Wanted { kubeconfig: Some(file.clone()), context: None };
            preview = preview.with_credentials(own.client(Manner::Patiently).await?);
        }
        let it = Submission { namespace: &team.namespace, stack, cluster: &self.cluster, packed: &packed };
        let foreseen = preview.see(&it).await.map_err(|blind| self.failed(blind, cluster.as_ref()))?;
        Ok(Answer {
            namespace: team.namespace,
            stack: stack.to_owned(),
            bundle: packed.spec.digest.to_string(),
            foreseen,
        })
    }

    /// Why nothing can be foreseen, and what to do about it.
    fn failed(&self, Blind { to, why }: Blind, cluster: Option<&Cluster>) -> anyhow::Error {
        match (why, to) {
            (Unseen::Wrong(why), Sighted::Content) => anyhow!("it would be rejected: {why}"),
            (Unseen::Silent(why), Sighted::Target) => anyhow!(NoConnection(format!(
                "{why}. Is it reached from here? Another way to it is taken with --cluster-kubeconfig FILE"
            ))),
            (Unseen::Silent(why), _) => anyhow!(NoConnection(why)),
            (Unseen::Stranger(why), Sighted::Target) => {
                let (whose, others) = self.credentials(cluster);
                anyhow!(Refused(format!(
                    "{why} (401). The credentials were refused: they are {whose}, and are wrong, or have expired. {others}"
                )))
            }
            (Unseen::Forbidden(why), Sighted::Target) => {
                let (whose, others) = self.credentials(cluster);
                anyhow!(Refused(format!(
                    "{why}. That was asked with {whose}: they have to be allowed to. {others}"
                )))
            }
            (Unseen::Forbidden(why) | Unseen::Wrong(why) | Unseen::Stranger(why), to) => {
                let hint = self.hint(to);
                anyhow!(Refused(format!("{why}{hint}")))
            }
        }
    }

    /// Whose credentials a cluster was asked with, and where others are put.
    fn credentials(&self, cluster: Option<&Cluster>) -> (String, String) {
        let name = &self.cluster;
        if let Some(file) = &self.cluster_kubeconfig {
            let own = format!("your own, in {}", file.display());
            return (own, "Others are named with --cluster-kubeconfig FILE".to_owned());
        }
        match cluster.and_then(|cluster| cluster.spec.kubeconfig_secret_ref.as_ref()) {
            Some(secret) => (
                format!(
                    "those that Bowline has, in the Secret {}/{} of the hub",
                    secret.namespace, secret.name
                ),
                format!("Others are put there by `bowline cluster add {name} --kubeconfig FILE`"),
            ),
            None => (
                "those that the hub has made for its embedded cluster".to_owned(),
                format!("See how it stands: `bowline cluster show {name}`"),
            ),
        }
    }

    fn hint(&self, to: Sighted) -> String {
        let shown = "What a version does is also shown by `bowline update show`, once it has started";
        match to {
            Sighted::Content | Sighted::Stack => String::new(),
            Sighted::Cluster => format!(". A plan needs the right to get clusters. {shown}"),
            Sighted::Inventory => format!(
                ". What the stack has touched is in Secrets of {SYSTEM_NAMESPACE}, and a plan needs the right to get them. {shown}"
            ),
            Sighted::Credentials => format!(
                ". A plan needs the credentials of the cluster: run it where they can be read, or name a kubeconfig of your own with \
                 --cluster-kubeconfig FILE. {shown}"
            ),
            Sighted::Target => format!(". See how it stands: `bowline cluster show {}`", self.cluster),
        }
    }
}
