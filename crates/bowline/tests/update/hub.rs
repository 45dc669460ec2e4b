//! A hub as a process, its commands, and somebody who plays the controller.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use bowline_api::updates::{Stack, Update};
use kube::api::{ApiResource, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config, ResourceExt};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// How long anything may take, before a test is taken to have failed.
const LIMIT: Duration = Duration::from_secs(60);

/// A hub with Bowline's kinds, and without controllers. It is killed, and its directory gone, when this is dropped.
pub(crate) struct Hub {
    child: Child,
    directory: PathBuf,
    runtime: Runtime,
    client: Client,
}

/// What a command said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    fn new(output: &Output) -> Said {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Said { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// Fails unless it ended with this code, and said this.
    #[track_caller]
    pub(crate) fn is(self, code: i32, pieces: &[&str]) -> Said {
        assert_eq!(self.code, Some(code), "{self:#?}");
        for piece in pieces {
            assert!(self.out.contains(piece) || self.err.contains(piece), "no {piece:?} in {self:#?}");
        }
        self
    }

    /// The only line of stdout.
    pub(crate) fn name(&self) -> &str {
        self.out.trim_end()
    }
}

impl Hub {
    pub(crate) fn start() -> Hub {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let directory = std::env::temp_dir().join(format!("bowline-update-{}-{count}", std::process::id()));
        let data = directory.join("hub");
        let mut child = Command::new(env!("CARGO_BIN_EXE_bowline"))
            .args(["hub", "--listen", "127.0.0.1:0", "--data"])
            .arg(&data)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the hub starts");
        let mut said = BufReader::new(child.stderr.take().expect("its stderr is piped"));
        let mut all = String::new();
        while !all.contains("kubectl get namespaces") {
            assert_ne!(said.read_line(&mut all).expect("it can be read"), 0, "the hub ended: {all}");
        }
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::stderr()));
        let runtime = Runtime::new().expect("threads");
        let client = runtime.block_on(client(&data.join("admin.kubeconfig")));
        let hub = Hub { child, directory, runtime, client };
        hub.install();
        hub
    }

    /// Bowline's kinds.
    fn install(&self) {
        let printed = Command::new(env!("CARGO_BIN_EXE_bowline")).args(["crds", "-o", "json"]).output();
        let list: Value = serde_json::from_slice(&printed.expect("it runs").stdout).expect("JSON");
        list["items"].as_array().expect("a list").iter().for_each(|definition| self.create(definition));
    }

    /// Makes any object.
    pub(crate) fn create(&self, object: &Value) {
        let object: DynamicObject = serde_json::from_value(object.clone()).expect("an object");
        let types = object.types.clone().expect("a kind");
        let (group, version) = types.api_version.split_once('/').unwrap_or(("", &types.api_version));
        let kind = ApiResource::from_gvk(&kube::core::GroupVersionKind::gvk(group, version, &types.kind));
        let api: Api<DynamicObject> = match object.namespace() {
            Some(namespace) => Api::namespaced_with(self.client.clone(), &namespace, &kind),
            None => Api::all_with(self.client.clone(), &kind),
        };
        self.runtime.block_on(api.create(&PostParams::default(), &object)).expect("it is made");
    }

    /// Waits until objects of a kind can be made: a definition is there before its kind is served.
    pub(crate) fn is_served(&self, group: &str, version: &str, kind: &str) {
        let kind = ApiResource::from_gvk(&kube::core::GroupVersionKind::gvk(group, version, kind));
        let api: Api<DynamicObject> = Api::all_with(self.client.clone(), &kind);
        let limit = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while let Err(why) = self.runtime.block_on(api.list(&kube::api::ListParams::default())) {
            assert!(std::time::Instant::now() < limit, "{}: {why}", kind.plural);
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// A cluster that these may use.
    pub(crate) fn cluster(&self, name: &str, allowed: &Value) {
        self.create(&json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "Cluster", "metadata": {"name": name},
            "spec": {"embedded": {}, "allowedNamespaces": allowed},
        }));
    }

    /// A cluster that everybody may use, and that is the hub itself, by the kubeconfig in a Secret.
    pub(crate) fn kubeconfig_cluster(&self, name: &str) {
        let admin = fs::read_to_string(self.directory.join("hub/admin.kubeconfig")).expect("a kubeconfig");
        let (namespace, key) = ("bowline-system", "kubeconfig");
        self.create(&json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}));
        self.create(&json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": namespace},
            "stringData": {key: admin},
        }));
        self.create(&json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "Cluster", "metadata": {"name": name},
            "spec": {
                "kubeconfigSecretRef": {"namespace": namespace, "name": name, "key": key},
                "allowedNamespaces": {"selector": {}},
            },
        }));
    }

    /// Somebody who may get these kinds, by group and resource, and nothing else; what a command takes to be theirs.
    pub(crate) fn person(&self, name: &str, rights: &[(&str, &str)]) -> String {
        let rule = |(group, resource): &(&str, &str)| json!({"apiGroups": [group], "resources": [resource], "verbs": ["get"]});
        let role = "rbac.authorization.k8s.io";
        self.create(&json!({
            "apiVersion": format!("{role}/v1"), "kind": "ClusterRole", "metadata": {"name": name},
            "rules": rights.iter().map(rule).collect::<Vec<_>>(),
        }));
        self.create(&json!({
            "apiVersion": format!("{role}/v1"), "kind": "ClusterRoleBinding", "metadata": {"name": name},
            "roleRef": {"apiGroup": role, "kind": "ClusterRole", "name": name},
            "subjects": [{"apiGroup": role, "kind": "User", "name": name}],
        }));
        let file = format!("{name}.kubeconfig");
        self.way(&file, |theirs| theirs["users"][0]["user"]["as"] = json!(name));
        format!("--kubeconfig {file}")
    }

    /// A kubeconfig that differs from the administrator's.
    pub(crate) fn way(&self, file: &str, differs: impl FnOnce(&mut Value)) {
        let admin = fs::read_to_string(self.directory.join("hub/admin.kubeconfig")).expect("a kubeconfig");
        let mut kubeconfig: Value = serde_json::from_str(&admin).expect("the hub writes it as JSON");
        differs(&mut kubeconfig);
        self.file(file, &kubeconfig.to_string());
    }

    /// Puts a file beside the hub's directory.
    pub(crate) fn file(&self, name: &str, text: &str) {
        let path = self.directory.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, text).expect("a file");
    }

    fn command(&self, line: &str) -> Command {
        self.any_command(&format!("update {line}"))
    }

    fn any_command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bowline"));
        command.args(line.split(' ')).current_dir(&self.directory);
        command.env("KUBECONFIG", self.directory.join("hub/admin.kubeconfig"));
        command
    }

    /// Any command.
    pub(crate) fn bowline(&self, line: &str) -> Said {
        Said::new(&self.any_command(line).stdin(Stdio::null()).output().expect("it runs"))
    }

    /// The same, with this as `$KUBECONFIG`.
    pub(crate) fn with_kubeconfig(&self, names: &str, line: &str) -> Said {
        let mut command = self.any_command(line);
        Said::new(&command.env("KUBECONFIG", names).stdin(Stdio::null()).output().expect("it runs"))
    }

    /// The same, with credentials of AWS, and nothing that says where that is.
    pub(crate) fn with_aws(&self, line: &str) -> Said {
        let mut command = self.any_command(line);
        for name in ["AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_ENDPOINT_URL"] {
            command.env_remove(name);
        }
        command.env("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE").env("AWS_SECRET_ACCESS_KEY", "not-shown");
        command.env("AWS_CONFIG_FILE", "none").env("AWS_SHARED_CREDENTIALS_FILE", "none");
        command.env("AWS_EC2_METADATA_DISABLED", "true");
        Said::new(&command.stdin(Stdio::null()).output().expect("it runs"))
    }

    /// `bowline update`.
    pub(crate) fn update(&self, line: &str) -> Said {
        Said::new(&self.command(line).stdin(Stdio::null()).output().expect("it runs"))
    }

    /// The same with something on its standard input.
    pub(crate) fn update_with(&self, line: &str, input: &str) -> Said {
        let mut command = self.command(line);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it runs");
        // It may refuse before it has read all.
        let _ = child.stdin.take().expect("its stdin is piped").write_all(input.as_bytes());
        Said::new(&child.wait_with_output().expect("it ends"))
    }

    /// The same, while something else goes on.
    pub(crate) fn meanwhile(&self, line: &str, act: impl FnOnce()) -> Said {
        let child = self.start_update(line);
        act();
        self.ended(child)
    }

    /// The same, as a process whose words are kept until it has [ended](Hub::ended).
    pub(crate) fn start_update(&self, line: &str) -> Child {
        let mut command = self.command(line);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("it runs")
    }

    /// What a process said, when it has ended.
    pub(crate) fn ended(&self, child: Child) -> Said {
        Said::new(&child.wait_with_output().expect("it ends"))
    }

    /// The same, as a process that runs.
    pub(crate) fn spawn(&self, line: &str) -> Child {
        self.command(line).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("it runs")
    }

    /// Deletes a Secret.
    pub(crate) fn delete_secret(&self, name: &str) {
        let api: Api<k8s_openapi::api::core::v1::Secret> = Api::namespaced(self.client.clone(), "default");
        self.runtime.block_on(api.delete(name, &Default::default())).expect("it is deleted");
    }

    /// All objects of a kind.
    pub(crate) fn all<K>(&self) -> Vec<K>
    where
        K: kube::Resource<DynamicType = ()> + Clone + serde::de::DeserializeOwned + std::fmt::Debug,
    {
        let api: Api<K> = Api::all(self.client.clone());
        let mut found = self.runtime.block_on(api.list(&ListParams::default())).expect("a list").items;
        found.sort_by_key(ResourceExt::name_any);
        found
    }

    /// Deletes all updates.
    pub(crate) fn delete_updates(&self) {
        for update in self.all::<Update>() {
            let api: Api<Update> =
                Api::namespaced(self.client.clone(), &update.namespace().expect("a namespace"));
            self.runtime
                .block_on(api.delete(&update.name_any(), &Default::default()))
                .expect("it is deleted");
        }
    }

    /// The update that has no status yet, as soon as there is one.
    pub(crate) fn next_update(&self) -> Update {
        let mut found = None;
        self.until("an update is there", || {
            found = self.all::<Update>().into_iter().find(|update| update.status.is_none());
            found.is_some()
        });
        found.expect("it was found")
    }

    /// Says something of an update, as the controller would.
    pub(crate) fn say(&self, update: &Update, status: &Value) {
        let api: Api<Update> = Api::namespaced(self.client.clone(), "default");
        let patch = Patch::Merge(json!({"status": status}));
        let (name, params) = (update.name_any(), PatchParams::default());
        self.runtime.block_on(api.patch_status(&name, &params, &patch)).expect("the status is written");
    }

    /// Says something of a stack.
    pub(crate) fn say_of_stack(&self, stack: &str, status: &Value) {
        let api: Api<Stack> = Api::namespaced(self.client.clone(), "default");
        let patch = Patch::Merge(json!({"status": status}));
        self.runtime
            .block_on(api.patch_status(stack, &PatchParams::default(), &patch))
            .expect("it is written");
    }

    /// Changes a cluster, as its administrator would.
    pub(crate) fn change_cluster(&self, cluster: &str, change: &Value) -> bowline_api::updates::Cluster {
        let api: Api<bowline_api::updates::Cluster> = Api::all(self.client.clone());
        let (params, patch) = (PatchParams::default(), Patch::Merge(change));
        self.runtime.block_on(api.patch(cluster, &params, &patch)).expect("it is changed")
    }

    /// Deletes a cluster.
    pub(crate) fn delete_cluster(&self, name: &str) {
        let api: Api<bowline_api::updates::Cluster> = Api::all(self.client.clone());
        self.runtime.block_on(api.delete(name, &Default::default())).expect("it is deleted");
    }

    /// Says something of a cluster.
    pub(crate) fn say_of_cluster(&self, cluster: &str, status: &Value) {
        let api: Api<bowline_api::updates::Cluster> = Api::all(self.client.clone());
        let patch = Patch::Merge(json!({"status": status}));
        self.runtime
            .block_on(api.patch_status(cluster, &PatchParams::default(), &patch))
            .expect("it is written");
    }

    /// Says something of a target, a grant, or a placement in the namespace `shop`.
    pub(crate) fn say_of_place(&self, kind: &str, name: &str, status: &Value) {
        let resource =
            ApiResource::from_gvk(&kube::core::GroupVersionKind::gvk("bowline.dev", "v1alpha1", kind));
        let api: Api<DynamicObject> = match kind {
            "Placement" => Api::namespaced_with(self.client.clone(), "shop", &resource),
            _ => Api::all_with(self.client.clone(), &resource),
        };
        let patch = Patch::Merge(json!({"status": status}));
        self.runtime
            .block_on(api.patch_status(name, &PatchParams::default(), &patch))
            .expect("it is written");
    }

    /// Says something of a group.
    pub(crate) fn say_of_group(&self, name: &str, status: &Value) {
        let api: Api<bowline_api::upgrades::NodeGroup> = Api::namespaced(self.client.clone(), "default");
        let patch = Patch::Merge(json!({"status": status}));
        self.runtime
            .block_on(api.patch_status(name, &PatchParams::default(), &patch))
            .expect("it is written");
    }

    /// Says something of a member.
    pub(crate) fn say_of_member(&self, name: &str, status: &Value) {
        let api: Api<bowline_api::upgrades::Member> = Api::namespaced(self.client.clone(), "default");
        let patch = Patch::Merge(json!({"status": status}));
        self.runtime
            .block_on(api.patch_status(name, &PatchParams::default(), &patch))
            .expect("it is written");
    }

    /// Any command, as a process whose words are kept until it has [ended](Hub::ended).
    pub(crate) fn start_any(&self, line: &str) -> Child {
        let mut command = self.any_command(line);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("it runs")
    }

    /// Says something of an identity.
    pub(crate) fn say_of_identity(&self, name: &str, status: &Value) {
        let api: Api<bowline_api::identities::IamRoleServiceAccount> =
            Api::namespaced(self.client.clone(), "default");
        let patch = Patch::Merge(json!({"status": status}));
        self.runtime
            .block_on(api.patch_status(name, &PatchParams::default(), &patch))
            .expect("it is written");
    }

    /// Deletes a service account.
    pub(crate) fn delete_account(&self, name: &str) {
        let api: Api<k8s_openapi::api::core::v1::ServiceAccount> =
            Api::namespaced(self.client.clone(), "default");
        self.runtime.block_on(api.delete(name, &Default::default())).expect("it is deleted");
    }

    /// Renews a lease, as its holder would in this second.
    pub(crate) fn renew(&self, lease: &str, second: u64) {
        let api: Api<k8s_openapi::api::coordination::v1::Lease> =
            Api::namespaced(self.client.clone(), "bowline-system");
        let time =
            format!("2026-01-01T{:02}:{:02}:{:02}.000000Z", second / 3600, second / 60 % 60, second % 60);
        let patch = Patch::Merge(json!({"spec": {"renewTime": time}}));
        self.runtime.block_on(api.patch(lease, &PatchParams::default(), &patch)).expect("it is renewed");
    }

    /// Deletes a stack.
    pub(crate) fn delete_stack(&self, name: &str) {
        let api: Api<Stack> = Api::namespaced(self.client.clone(), "default");
        self.runtime.block_on(api.delete(name, &Default::default())).expect("it is deleted");
    }

    /// Holds a stack, as a controller would.
    pub(crate) fn hold_stack(&self, name: &str) {
        let api: Api<Stack> = Api::namespaced(self.client.clone(), "default");
        let patch = Patch::Merge(json!({"metadata": {"finalizers": ["bowline.dev/test"]}}));
        self.runtime.block_on(api.patch(name, &PatchParams::default(), &patch)).expect("it is held");
    }

    /// Any stack, with what this version of its type does not know.
    pub(crate) fn stack(&self, name: &str) -> Value {
        let kind = ApiResource::erase::<Stack>(&());
        let api: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), "default", &kind);
        serde_json::to_value(self.runtime.block_on(api.get(name)).expect("a stack")).expect("JSON")
    }

    /// Waits until something is so.
    #[track_caller]
    pub(crate) fn until(&self, what: &str, mut is: impl FnMut() -> bool) {
        let start = Instant::now();
        while !is() {
            assert!(start.elapsed() < LIMIT, "it never is: {what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

async fn client(kubeconfig: &Path) -> Client {
    let kubeconfig = Kubeconfig::read_from(kubeconfig).expect("a kubeconfig");
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
    Client::try_from(config.expect("a kubeconfig that can be used")).expect("a client")
}

impl Drop for Hub {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.directory);
    }
}
