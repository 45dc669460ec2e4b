//! Which server a command talks to.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use bowline_runtime::{Manner, sentence};
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
    /// here, else that of the cluster that this is a pod of.
    pub(crate) async fn client(&self, manner: Manner) -> anyhow::Result<Client> {
        let (mut kubeconfig, name) = match &self.kubeconfig {
            Some(file) => read(file)?,
            None => match from_environment()? {
                Some(found) => found,
                None if Path::new(LOCAL).exists() => read(Path::new(LOCAL))?,
                None if is_in_pod() && self.context.is_none() => {
                    return bowline_runtime::client_in_cluster(manner).map_err(|error| bad(&error));
                }
                None => return Err(nowhere()),
            },
        };
        if let Some(context) = &self.context {
            kubeconfig.current_context = Some(context.clone());
        }
        bowline_runtime::client_of(kubeconfig, &name, manner).await.map_err(|error| bad(&error))
    }
}

/// Reads a kubeconfig.
pub(crate) fn read(file: &Path) -> anyhow::Result<(Kubeconfig, String)> {
    read_as(file, file.display().to_string())
}

/// Reads a kubeconfig that people know by this name.
fn read_as(file: &Path, name: String) -> anyhow::Result<(Kubeconfig, String)> {
    if std::fs::read(file).is_ok_and(|text| text.trim_ascii().is_empty()) {
        return Err(anyhow!(BadUsage(format!("{name} cannot be used: it is empty"))));
    }
    let read = Kubeconfig::read_from(file);
    let read =
        read.map_err(|error| anyhow!(BadUsage(format!("{name} cannot be used: {}", sentence(&error)))))?;
    Ok((read, name))
}

/// What `$KUBECONFIG` names, which may be several files.
fn from_environment() -> anyhow::Result<Option<(Kubeconfig, String)>> {
    let names = std::env::var_os("KUBECONFIG").unwrap_or_default();
    let mut found: Option<(Kubeconfig, String)> = None;
    for file in std::env::split_paths(&names).filter(|file| !file.as_os_str().is_empty()) {
        let (next, name) = read_as(&file, format!("{} (of $KUBECONFIG)", file.display()))?;
        found = Some(match found {
            None => (next, name),
            Some((before, names)) => {
                let merged = before.merge(next).map_err(|error| {
                    anyhow!(BadUsage(format!("{name} cannot be used with {names}: {}", sentence(&error))))
                })?;
                (merged, format!("{names}, {name}"))
            }
        });
    }
    Ok(found)
}

/// Whether Kubernetes runs this, as far as it tells everybody whom it runs.
fn is_in_pod() -> bool {
    std::env::var_os("KUBERNETES_SERVICE_HOST").is_some()
}

fn bad(error: &dyn std::fmt::Display) -> anyhow::Error {
    anyhow!(BadUsage(error.to_string()))
}

fn nowhere() -> anyhow::Error {
    anyhow!(NoConnection(format!(
        "no server is named: there is no --kubeconfig, no $KUBECONFIG and no {LOCAL}, and this is no pod. `bowline up` starts one here"
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
            401 => anyhow!(Refused(format!(
                "{what}: the server does not know us (401): the credentials of the context that is used are wrong, or have \
                 expired. It is chosen by --kubeconfig and --context"
            ))),
            403 | 404 | 409 => anyhow!(Refused(format!("{what}: {}", status.message))),
            _ => anyhow!("{what}: {}", status.message),
        },
        other => anyhow!(NoConnection(format!(
            "{what}: the server cannot be reached: {}. Does it run? It is named by --kubeconfig or \
             $KUBECONFIG",
            sentence(&other)
        ))),
    }
}
