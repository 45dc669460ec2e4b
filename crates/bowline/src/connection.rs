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
        match self.kubeconfig()? {
            None => bowline_runtime::client_in_cluster(manner).map_err(|error| bad(&error)),
            Some((kubeconfig, name)) => {
                bowline_runtime::client_of(kubeconfig, &name, manner).await.map_err(|error| bad(&error))
            }
        }
    }

    /// The kubeconfig that is meant, with the context that is, and what people call it; none in a pod that was given none.
    pub(crate) fn kubeconfig(&self) -> anyhow::Result<Option<(Kubeconfig, String)>> {
        let (mut kubeconfig, name) = match &self.kubeconfig {
            Some(file) => read(file)?,
            None => match from_environment()? {
                Environment::Found(kubeconfig, name) => (*kubeconfig, name),
                Environment::Silent if Path::new(LOCAL).exists() => read(Path::new(LOCAL))?,
                _ if is_in_pod() && self.context.is_none() => return Ok(None),
                Environment::Silent => return Err(nowhere(&format!("no $KUBECONFIG and no {LOCAL}"))),
                Environment::Missing(names) => {
                    return Err(nowhere(&format!("nothing by the name that $KUBECONFIG says ({names})")));
                }
            },
        };
        if let Some(context) = &self.context {
            kubeconfig.current_context = Some(context.clone());
        }
        Ok(Some((kubeconfig, name)))
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

/// What `$KUBECONFIG` names.
enum Environment {
    /// It names nothing.
    Silent,
    /// No file that it names is there.
    Missing(String),
    /// What the files say together, and what people call them.
    Found(Box<Kubeconfig>, String),
}

/// What `$KUBECONFIG` names, which may be several files. Those that are not there are passed over, as kubectl does; but what is named
/// and not there is not replaced by what is named nowhere.
fn from_environment() -> anyhow::Result<Environment> {
    let names = std::env::var_os("KUBECONFIG").unwrap_or_default();
    let named: Vec<_> = std::env::split_paths(&names).filter(|file| !file.as_os_str().is_empty()).collect();
    let is_missing = |file: &&PathBuf| {
        std::fs::metadata(file).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
    };
    let (missing, there): (Vec<_>, Vec<_>) = named.iter().partition(is_missing);
    let mut found: Option<(Kubeconfig, String)> = None;
    for file in there {
        let (next, name) = read_as(file, format!("{} (of $KUBECONFIG)", file.display()))?;
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
    let missing: Vec<_> = missing.into_iter().map(|file| file.display().to_string()).collect();
    Ok(match found {
        Some((kubeconfig, name)) => Environment::Found(Box::new(kubeconfig), name),
        None if missing.is_empty() => Environment::Silent,
        None => Environment::Missing(missing.join(", ")),
    })
}

/// Whether Kubernetes runs this, as far as it tells everybody whom it runs.
fn is_in_pod() -> bool {
    std::env::var_os("KUBERNETES_SERVICE_HOST").is_some()
}

fn bad(error: &dyn std::fmt::Display) -> anyhow::Error {
    anyhow!(BadUsage(error.to_string()))
}

fn nowhere(other: &str) -> anyhow::Error {
    anyhow!(NoConnection(format!(
        "no server is named: there is no --kubeconfig, {other}, and this is no pod. `bowline up` starts one here"
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
