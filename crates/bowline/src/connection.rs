//! Which server a command talks to.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use kube::Client;
use kube::config::Kubeconfig;

use crate::exit::{BadUsage, NoConnection};

/// The kubeconfig of a hub that was started here.
const LOCAL: &str = "./bowline-data/admin.kubeconfig";

/// Which server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) kubeconfig: Option<PathBuf>,
    pub(crate) context: Option<String>,
}

impl Wanted {
    /// A client for the server that is meant: that of `--kubeconfig`, else of `$KUBECONFIG`, else the hub that was started
    /// here.
    pub(crate) async fn client(&self) -> anyhow::Result<Client> {
        let client = match &self.kubeconfig {
            Some(file) => self.of_file(file).await,
            None => match from_environment()? {
                Some(kubeconfig) => self.of(kubeconfig, "$KUBECONFIG").await,
                None if Path::new(LOCAL).exists() => self.of_file(Path::new(LOCAL)).await,
                None => return Err(nowhere()),
            },
        };
        client
    }

    async fn of_file(&self, file: &Path) -> anyhow::Result<Client> {
        bowline_runtime::client(file, self.context.as_deref()).await.map_err(|error| bad(&error))
    }

    async fn of(&self, mut kubeconfig: Kubeconfig, name: &str) -> anyhow::Result<Client> {
        if let Some(context) = &self.context {
            kubeconfig.current_context = Some(context.clone());
        }
        let client = bowline_runtime::client_of(kubeconfig).await;
        client.map_err(|error| bad(&error)).with_context(|| format!("in {name}"))
    }
}

/// What `$KUBECONFIG` names, which may be several files.
fn from_environment() -> anyhow::Result<Option<Kubeconfig>> {
    if std::env::var_os("KUBECONFIG").is_none_or(|names| names.is_empty()) {
        return Ok(None);
    }
    Kubeconfig::from_env().map_err(|error| anyhow!(BadUsage(format!("$KUBECONFIG cannot be used: {error}"))))
}

fn bad(error: &dyn std::fmt::Display) -> anyhow::Error {
    anyhow!(BadUsage(error.to_string()))
}

fn nowhere() -> anyhow::Error {
    anyhow!(NoConnection(format!(
        "no server is named: there is no --kubeconfig, no $KUBECONFIG and no {LOCAL}. `bowline up` starts one here"
    )))
}

/// What went wrong with a request, with what the process then ends with.
pub(crate) fn failed(error: kube::Error, what: &str) -> anyhow::Error {
    use crate::exit::Refused;
    match error {
        kube::Error::Api(status) => match status.code {
            404 if status.reason != "NotFound"
                || status.message.contains("could not find the requested resource") =>
            {
                anyhow!(Refused(format!(
                    "{what}: the server does not know Bowline's kinds. `bowline up` brings them; on any other server: \
                     bowline crds | kubectl apply -f -"
                )))
            }
            400 | 422 => anyhow!(BadUsage(format!("{what}: {}", status.message))),
            401 | 403 | 404 | 409 => anyhow!(Refused(format!("{what}: {}", status.message))),
            _ => anyhow!("{what}: {}", status.message),
        },
        other => anyhow!(NoConnection(format!("{what}: the server cannot be reached: {}", sentence(&other)))),
    }
}

/// What an error says, and what is behind it.
fn sentence(error: &(dyn std::error::Error + 'static)) -> String {
    bowline_controllers::sentence(error)
}
