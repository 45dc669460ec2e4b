//! A hub in a directory of its own, and a simulator that can be killed.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use bowline_apiserver::{Server, User};
use bowline_runtime::Metrics;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, ServiceAccount};
use kube::api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::{Api, Client, Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// Every test is over long before; one that hangs says so.
const AT_MOST: Duration = Duration::from_secs(60);

/// A cluster whose workloads are simulated.
pub(crate) struct World {
    pub(crate) client: Client,
    simulator: Option<JoinHandle<()>>,
    server: Option<Server>,
    data: PathBuf,
}

impl World {
    pub(crate) async fn start() -> Result<World> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let data = std::env::temp_dir().join(format!("bowline-simulator-{}-{count}", std::process::id()));
        let server = Server::start(&data).await?;
        let groups = ["system:masters", "system:authenticated"].map(str::to_owned).to_vec();
        let admin = User { name: "admin".into(), groups, ..User::default() };
        let client = Client::new(server.service().as_user(admin), "default");
        let mut world = World { client, simulator: None, server: Some(server), data };
        world.simulate();
        // The hub makes it in its own time, and no pod is made without it.
        world.until::<ServiceAccount>("default", Value::is_object).await?;
        Ok(world)
    }

    /// Starts the simulator.
    pub(crate) fn simulate(&mut self) {
        let never = std::future::pending();
        self.simulator =
            Some(tokio::spawn(bowline_simulator::simulate(self.client.clone(), Metrics::new(), never)));
    }

    /// Ends the simulator wherever it is.
    pub(crate) async fn kill(&mut self) {
        if let Some(simulator) = self.simulator.take() {
            simulator.abort();
            // It says that it was aborted.
            let _ = simulator.await;
        }
    }

    pub(crate) fn api<K>(&self) -> Api<K>
    where
        K: Resource<Scope = kube::core::NamespaceResourceScope, DynamicType = ()>,
    {
        Api::namespaced(self.client.clone(), "default")
    }

    pub(crate) async fn create<K>(&self, object: Value) -> Result<K>
    where
        K: Resource<Scope = kube::core::NamespaceResourceScope, DynamicType = ()>,
        K: Clone + std::fmt::Debug + Serialize + DeserializeOwned,
    {
        Ok(self.api::<K>().create(&PostParams::default(), &serde_json::from_value(object)?).await?)
    }

    pub(crate) async fn patch<K>(&self, name: &str, patch: Value) -> Result<K>
    where
        K: Resource<Scope = kube::core::NamespaceResourceScope, DynamicType = ()>,
        K: Clone + std::fmt::Debug + Serialize + DeserializeOwned,
    {
        Ok(self.api::<K>().patch(name, &PatchParams::default(), &Patch::Merge(patch)).await?)
    }

    pub(crate) async fn delete<K>(&self, name: &str) -> Result<()>
    where
        K: Resource<Scope = kube::core::NamespaceResourceScope, DynamicType = ()>,
        K: Clone + std::fmt::Debug + DeserializeOwned,
    {
        self.api::<K>().delete(name, &DeleteParams::background()).await?;
        Ok(())
    }

    /// Waits until an object is so, and gives it as JSON.
    pub(crate) async fn until<K>(&self, name: &str, is_so: impl Fn(&Value) -> bool) -> Result<Value>
    where
        K: Resource<Scope = kube::core::NamespaceResourceScope, DynamicType = ()>,
        K: Clone + std::fmt::Debug + Serialize + DeserializeOwned,
    {
        let mut last = Value::Null;
        for_a_while(async || {
            last = match self.api::<K>().get_opt(name).await? {
                Some(object) => serde_json::to_value(object)?,
                None => Value::Null,
            };
            Ok(is_so(&last).then(|| last.clone()))
        })
        .await
        .with_context(|| format!("{} {name} is {last:#}", K::kind(&())))
    }

    /// Waits until the objects of a kind are so, and gives them.
    pub(crate) async fn until_all<K>(&self, is_so: impl Fn(&[K]) -> bool) -> Result<Vec<K>>
    where
        K: Resource<Scope = kube::core::NamespaceResourceScope, DynamicType = ()>,
        K: Clone + std::fmt::Debug + DeserializeOwned,
    {
        let mut last = Vec::new();
        for_a_while(async || {
            last = self.api::<K>().list(&ListParams::default()).await?.items;
            Ok(is_so(&last).then(|| last.clone()))
        })
        .await
        .with_context(|| format!("they are {:?}", last.iter().map(ResourceExt::name_any).collect::<Vec<_>>()))
    }

    /// The pods that are not being deleted.
    pub(crate) async fn pods(&self) -> Result<Vec<Pod>> {
        let all = self.api::<Pod>().list(&ListParams::default()).await?.items;
        Ok(all.into_iter().filter(|pod| pod.metadata.deletion_timestamp.is_none()).collect())
    }

    /// Sees that nobody writes any more: what somebody wants and is done comes between two versions that follow one on
    /// the other.
    pub(crate) async fn at_rest(&self) -> Result<()> {
        for_a_while(async || {
            let before = self.version("one").await?;
            // Whoever would write has had its turn when it has seen and answered other changes.
            let claim = json!({"metadata": {"generateName": "probe-"}, "spec": {"type": "LoadBalancer",
                "ports": [{"port": 80}]}});
            let probe: k8s_openapi::api::core::v1::Service = self.create(claim).await?;
            self.until::<k8s_openapi::api::core::v1::Service>(&probe.name_any(), |probe| {
                probe["status"]["loadBalancer"]["ingress"][0]["ip"].is_string()
            })
            .await?;
            let after = self.version("two").await?;
            // The probe is made, and gets its address; the second map is made.
            Ok((after == before + 3).then_some(()))
        })
        .await
        .context("somebody still writes")
    }

    /// The version of the store: that of a map, which is made for it.
    async fn version(&self, name: &str) -> Result<u64> {
        let meta = ObjectMeta { generate_name: Some(format!("{name}-")), ..ObjectMeta::default() };
        let map = ConfigMap { metadata: meta, ..ConfigMap::default() };
        let made = self.api::<ConfigMap>().create(&PostParams::default(), &map).await?;
        Ok(made.resource_version().context("it has a version")?.parse()?)
    }

    pub(crate) async fn stop(mut self) {
        self.kill().await;
        if let Some(server) = self.server.take() {
            server.stop().await;
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // What stays behind is in the system's temporary directory.
        let _ = fs::remove_dir_all(&self.data);
    }
}

/// Asks until there is an answer.
pub(crate) async fn for_a_while<T>(mut ask: impl AsyncFnMut() -> Result<Option<T>>) -> Result<T> {
    let asked = async {
        loop {
            if let Some(answer) = ask().await? {
                return Ok(answer);
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    match tokio::time::timeout(AT_MOST, asked).await {
        Ok(answer) => answer,
        Err(_) => bail!("it takes too long"),
    }
}

/// A template of pods with a label, an image, and what goes wrong with them.
pub(crate) fn template(label: &str, image: &str, simulate: Option<&str>) -> Value {
    let annotations = simulate.map(|value| json!({ "bowline.dev/simulate": value }));
    json!({
        "metadata": { "labels": { "app": label }, "annotations": annotations },
        "spec": { "containers": [{ "name": "main", "image": image }] },
    })
}

/// The image of a pod's first container.
pub(crate) fn image(pod: &Pod) -> String {
    let containers = pod.spec.iter().flat_map(|spec| &spec.containers);
    containers.filter_map(|container| container.image.clone()).next().unwrap_or_default()
}

/// Whether a condition of an object holds.
pub(crate) fn holds(object: &Value, kind: &str) -> bool {
    condition(object, kind)["status"] == "True"
}

/// A condition of an object.
pub(crate) fn condition(object: &Value, kind: &str) -> Value {
    let mut conditions = object["status"]["conditions"].as_array().into_iter().flatten();
    conditions.find(|condition| condition["type"] == kind).cloned().unwrap_or(Value::Null)
}
