//! Objects on the hub of the demo: what `kubectl` would do, for who has none.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use bowline_runtime::Manner;
use kube::api::{DeleteParams, DynamicObject, Patch, PatchParams};
use kube::core::GroupVersionKind;
use kube::discovery::{Scope, pinned_kind};
use kube::{Api, Client, ResourceExt};
use serde_json::Value;

use crate::connection::{Wanted, failed};

/// Who the demo is to the fields that it applies.
const MANAGER: &str = "bowline-demo";
/// How long anything of the demo may take, before something is taken to be wrong.
const LIMIT: Duration = Duration::from_secs(180);
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// An object on the hub.
#[derive(Clone, Copy)]
pub(super) struct Named {
    pub(super) version: &'static str,
    pub(super) kind: &'static str,
    pub(super) namespace: &'static str,
    pub(super) name: &'static str,
}

impl Named {
    /// One of Bowline's kinds.
    pub(super) const fn ours(kind: &'static str, namespace: &'static str, name: &'static str) -> Named {
        Named { version: "bowline.dev/v1alpha1", kind, namespace, name }
    }
}

/// The hub, as who applies objects sees it.
pub(super) struct Objects {
    client: Client,
}

impl Objects {
    /// By the administrator's kubeconfig.
    pub(super) async fn of(kubeconfig: &Path) -> anyhow::Result<Objects> {
        let wanted = Wanted { kubeconfig: Some(kubeconfig.to_owned()), context: None };
        Ok(Objects { client: wanted.client(Manner::Patiently).await? })
    }

    /// Whether the hub and its controllers say that they are ready.
    pub(super) async fn is_ready(&self) -> bool {
        let Ok(request) = http::Request::get("/readyz").body(Vec::new()) else { return false };
        self.client.request_text(request).await.is_ok()
    }

    /// Applies what a file says, in a namespace if the objects have none.
    pub(super) async fn apply(&self, file: &Path, namespace: &str) -> anyhow::Result<()> {
        let text =
            std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        for document in text.split("\n---\n") {
            let object: DynamicObject = serde_saphyr::from_str(document).context("this is no object")?;
            self.put(&object, namespace).await?;
        }
        Ok(())
    }

    async fn put(&self, object: &DynamicObject, namespace: &str) -> anyhow::Result<()> {
        let types = object.types.clone().context("an object has a kind")?;
        let api = self.api(&types.api_version, &types.kind, namespace).await?;
        let name = object.name_any();
        let applied = api.patch(&name, &PatchParams::apply(MANAGER), &Patch::Apply(object)).await;
        applied.map(drop).map_err(|error| failed(error, &format!("cannot apply {name}")))
    }

    /// Makes a namespace.
    pub(super) async fn make_namespace(&self, name: &str) -> anyhow::Result<()> {
        Ok(bowline_runtime::make_namespace(&self.client, name).await.map(drop)?)
    }

    /// Deletes an object, if it is there.
    pub(super) async fn delete(&self, object: Named) -> anyhow::Result<()> {
        let api = self.api(object.version, object.kind, object.namespace).await?;
        match api.delete(object.name, &DeleteParams::default()).await {
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
            other => {
                other.map(drop).map_err(|error| failed(error, &format!("cannot delete {}", object.name)))
            }
        }
    }

    /// Something of an object's status; nothing, if it is not there.
    pub(super) async fn read(&self, object: Named, pointer: &str) -> anyhow::Result<Option<Value>> {
        let api = self.api(object.version, object.kind, object.namespace).await?;
        let read = api.get_opt(object.name).await;
        let read = read.map_err(|error| failed(error, &format!("cannot read {}", object.name)))?;
        Ok(read.and_then(|read| read.data.pointer(pointer).cloned()))
    }

    /// Waits until an object has this there.
    pub(super) async fn until(&self, object: Named, pointer: &str, wanted: &Value) -> anyhow::Result<()> {
        self.wait(object, pointer, |value| value == Some(wanted)).await
    }

    /// Waits until an object has this condition.
    pub(super) async fn until_condition(&self, object: Named, condition: &str) -> anyhow::Result<()> {
        let has = |value: Option<&Value>| {
            let conditions = value.and_then(Value::as_array).into_iter().flatten();
            conditions.into_iter().any(|one| one["type"] == condition && one["status"] == "True")
        };
        self.wait(object, "/status/conditions", has).await
    }

    /// Waits until an object is gone.
    pub(super) async fn until_gone(&self, object: Named) -> anyhow::Result<()> {
        self.wait(object, "", |value| value.is_none()).await
    }

    async fn wait(
        &self,
        object: Named,
        pointer: &str,
        is_so: impl Fn(Option<&Value>) -> bool,
    ) -> anyhow::Result<()> {
        let start = Instant::now();
        loop {
            let value = self.read(object, pointer).await?;
            if is_so(value.as_ref()) {
                return Ok(());
            }
            if start.elapsed() > LIMIT {
                let value = value.unwrap_or_default();
                bail!("{} {} is not what it should be by now: {value}", object.kind, object.name);
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    async fn api(&self, version: &str, kind: &str, namespace: &str) -> anyhow::Result<Api<DynamicObject>> {
        let (group, version) = version.rsplit_once('/').unwrap_or(("", version));
        let kind = GroupVersionKind::gvk(group, version, kind);
        let found = pinned_kind(&self.client, &kind).await;
        let (resource, can) =
            found.map_err(|error| anyhow!("the hub does not serve {}: {error}", kind.kind))?;
        Ok(match can.scope {
            Scope::Cluster => Api::all_with(self.client.clone(), &resource),
            Scope::Namespaced => Api::namespaced_with(self.client.clone(), namespace, &resource),
        })
    }
}
