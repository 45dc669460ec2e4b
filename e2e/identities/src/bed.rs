//! What a case works with.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use bowline_aws::{Client, Error, Keys, Kind, Secret, Settings};
use bowline_e2e_aws::fake::{ACCESS_KEY, Fake};
use bowline_e2e_aws::proxy::Proxy;
use bowline_e2e_hub::{Hub, Said, Scratch, bowline};
use bowline_identities::plain::{Home, Named};
use serde_json::{Value, json};

use crate::server::Server;
use crate::{so, until};

/// Who signs the tokens of the hub's accounts, as far as AWS knows.
const PROVIDER: &str = "arn:aws:iam::123456789012:oidc-provider/oidc.example/id/X";
/// What identities are called after.
const CLUSTER: &str = "demo";
const REGION: &str = "eu-central-1";

/// What `up` is told beside where AWS is.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How long AWS takes to show what was written.
    pub settle: &'static str,
    /// How often it is looked for what others have changed.
    pub drift: &'static str,
    /// When it is looked for what arrives late.
    pub sweeps: &'static str,
}

impl Default for Options {
    fn default() -> Options {
        Options { settle: "1s", drift: "1s", sweeps: "2s,4s" }
    }
}

/// `up`, before a proxy, before an IAM.
pub struct Bed {
    // Before the directory: it is in use until the process is gone.
    hub: Option<Hub>,
    scratch: Scratch,
    /// The IAM, if it is ours.
    pub fake: Option<Fake>,
    /// Before it.
    pub proxy: Proxy,
    /// The IAM itself, as a person sees it who has all rights: not through the proxy.
    pub aws: Client,
    iam: String,
}

impl Bed {
    /// One before an IAM that runs. `up` does not run yet.
    ///
    /// # Errors
    /// If it cannot be made.
    pub async fn before(iam: &str, fake: Option<Fake>) -> Result<Bed> {
        let scratch = Scratch::new("identities")?;
        std::fs::write(scratch.join("none"), "")?;
        let proxy = Proxy::start(iam).await?;
        let keys = Keys { access: ACCESS_KEY.to_owned(), secret: Secret::new("s"), session: None };
        let settings = Settings {
            endpoint: Some(iam.to_owned()),
            region: Some(REGION.to_owned()),
            keys: Some(keys),
            ..Settings::default()
        };
        let aws = Client::connect(&settings).await?;
        Ok(Bed { hub: None, scratch, fake, proxy, aws, iam: iam.to_owned() })
    }

    /// Another hub, with the same IAM.
    ///
    /// # Errors
    /// If it cannot be made.
    pub async fn beside(&self) -> Result<Bed> {
        Bed::before(&self.iam, None).await
    }

    /// Starts `up`, on what an earlier one has left.
    ///
    /// # Errors
    /// If it does not start.
    pub fn up(&mut self, options: Options) -> Result<()> {
        let Options { settle, drift, sweeps } = options;
        let line = format!(
            "{} exec \"$@\" --aws-endpoint {} --aws-region {REGION} --identity-cluster-name {CLUSTER} \
             --oidc-provider-arn {PROVIDER} --identity-settle-time {settle} --identity-drift-interval {drift} \
             --identity-sweeps {sweeps}",
            self.environment().map(|(name, value)| format!("{name}={value}")).join(" "),
            self.proxy.endpoint(),
        );
        self.hub = Some(Hub::start_up_in_shell(&line, &self.scratch.join("data"))?);
        Ok(())
    }

    /// The same without any setting of AWS.
    ///
    /// # Errors
    /// If it does not start.
    pub fn up_without_aws(&mut self) -> Result<()> {
        self.hub = Some(Hub::start_up_in_shell("exec \"$@\"", &self.scratch.join("data"))?);
        Ok(())
    }

    /// `kill -9`.
    ///
    /// # Errors
    /// If it does not run.
    pub fn kill(&mut self) -> Result<()> {
        self.hub.take().context("it does not run")?.kill()
    }

    /// By which AWS knows us, and nothing else of whoever runs the tests.
    fn environment(&self) -> [(&'static str, String); 4] {
        [
            ("AWS_ACCESS_KEY_ID", ACCESS_KEY.to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "s".to_owned()),
            ("AWS_EC2_METADATA_DISABLED", "true".to_owned()),
            ("AWS_CONFIG_FILE", self.scratch.join("none").display().to_string()),
        ]
    }

    /// The hub that runs.
    ///
    /// # Errors
    /// If none does.
    pub fn hub(&self) -> Result<&Hub> {
        self.hub.as_ref().context("it does not run")
    }

    /// Requests to the hub.
    ///
    /// # Errors
    /// If it does not run.
    pub fn server(&self) -> Result<Server> {
        Ok(Server::new(self.hub()?.client()))
    }

    /// A path in the directory of the test.
    pub fn path(&self, name: &str) -> std::path::PathBuf {
        self.scratch.join(name)
    }

    /// `bowline`, which has to end with this code.
    ///
    /// # Errors
    /// If it does not.
    pub fn bowline(&self, line: &str, code: i32) -> Result<String> {
        let said = run(line, self.hub()?.kubeconfig(), &self.environment())?;
        ensure!(said.code == code, "bowline {line}: {said:#?}");
        Ok(said.out + &said.err)
    }

    /// The same, for commands that look at AWS, not through the proxy.
    ///
    /// # Errors
    /// If it does not.
    pub fn bowline_at_aws(&self, line: &str, code: i32) -> Result<String> {
        self.bowline(&format!("{line} --aws-endpoint {} --aws-region {REGION}", self.iam), code)
    }

    /// What the hub calls itself in AWS.
    ///
    /// # Errors
    /// If it does not say.
    pub fn home(&self) -> Result<Home> {
        let namespace = self.server()?.read("/api/v1/namespaces/kube-system")?;
        let uid = namespace["metadata"]["uid"].as_str().context("a uid")?;
        Ok(Home::new(uid, CLUSTER, PROVIDER)?)
    }

    /// What the policy and the role of an identity in `default` are called.
    ///
    /// # Errors
    /// If the hub does not say who it is.
    pub fn aws_name(&self, name: &str) -> Result<String> {
        Ok(self.home()?.aws_name(&Named { namespace: "default".to_owned(), name: name.to_owned() }))
    }

    /// The ARN of the policy of an identity in `default`.
    ///
    /// # Errors
    /// If the hub does not say who it is.
    pub fn policy_arn(&self, name: &str) -> Result<String> {
        Ok(self.home()?.policy_arn(&Named { namespace: "default".to_owned(), name: name.to_owned() }))
    }

    /// Makes an identity in `default`, with this beside the usual in its spec.
    ///
    /// # Errors
    /// If it is refused.
    pub fn create(&self, name: &str, more: Value) -> Result<Value> {
        self.create_in("default", name, more)
    }

    /// The same in another namespace.
    ///
    /// # Errors
    /// If it is refused.
    pub fn create_in(&self, namespace: &str, name: &str, more: Value) -> Result<Value> {
        let mut spec = json!({ "policy": policy("s3:GetObject") });
        if let (Some(spec), Value::Object(more)) = (spec.as_object_mut(), more) {
            spec.extend(more);
        }
        let body = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "IamRoleServiceAccount",
            "metadata": { "name": name, "namespace": namespace }, "spec": spec,
        });
        self.server()?.create(&path_in(namespace, ""), &body)
    }

    /// Changes the spec of an identity in `default`.
    ///
    /// # Errors
    /// If it is refused.
    pub fn change(&self, name: &str, spec: Value) -> Result<Value> {
        self.server()?.change(&path_in("default", name), &json!({ "spec": spec }))
    }

    /// Deletes an identity in `default`.
    ///
    /// # Errors
    /// If it is refused.
    pub fn delete(&self, name: &str) -> Result<()> {
        self.server()?.delete(&path_in("default", name))
    }

    /// An identity in `default`.
    ///
    /// # Errors
    /// If it is not there.
    pub fn read(&self, name: &str) -> Result<Value> {
        self.server()?.read(&path_in("default", name))
    }

    /// A service account in `default`, if it is there.
    ///
    /// # Errors
    /// If the hub does not say.
    pub fn account(&self, name: &str) -> Result<Option<Value>> {
        self.server()?.perhaps(&format!("/api/v1/namespaces/default/serviceaccounts/{name}"))
    }

    /// Waits until an identity in `default` is ready as it is wanted now.
    ///
    /// # Errors
    /// If it never is.
    pub async fn is_ready(&self, name: &str) -> Result<()> {
        self.is_ready_in("default", name).await
    }

    /// The same in another namespace.
    ///
    /// # Errors
    /// If it never is.
    pub async fn is_ready_in(&self, namespace: &str, name: &str) -> Result<()> {
        until(&format!("{name} is ready"), async || {
            let read = self.server()?.read(&path_in(namespace, name))?;
            let is_seen = read["status"]["observedGeneration"] == read["metadata"]["generation"];
            let is = ["Complete", "Ready", "Synced"].iter().all(|of| has(&read, of, "True"));
            Ok(so(is_seen && is && !has(&read, "Stalled", "True"), &read["status"]))
        })
        .await
    }

    /// Waits until an identity in `default` needs a person, and says this.
    ///
    /// # Errors
    /// If it never does.
    pub async fn is_stalled(&self, name: &str, words: &str) -> Result<()> {
        until(&format!("{name} is stalled: {words}"), async || {
            let read = self.read(name)?;
            let says = read["status"]["message"].as_str().is_some_and(|said| said.contains(words));
            Ok(so(has(&read, "Stalled", "True") && says, &read["status"]))
        })
        .await
    }

    /// Waits until an identity in `default` is gone.
    ///
    /// # Errors
    /// If it never is.
    pub async fn is_gone(&self, name: &str) -> Result<()> {
        until(&format!("{name} is gone"), async || {
            let found = self.server()?.perhaps(&path_in("default", name))?;
            Ok(found.map_or(Ok(()), |found| Err(found["status"].to_string())))
        })
        .await
    }
}

/// Whether an identity has a condition like this.
pub fn has(identity: &Value, condition: &str, status: &str) -> bool {
    let conditions = identity["status"]["conditions"].as_array();
    conditions.is_some_and(|all| all.iter().any(|one| one["type"] == condition && one["status"] == status))
}

/// Permissions for one action.
pub fn policy(action: &str) -> Value {
    json!({ "statement": [{ "action": [action], "resource": ["arn:aws:s3:::a-bucket/*"] }] })
}

/// Where an identity is.
fn path_in(namespace: &str, name: &str) -> String {
    let all = format!("/apis/bowline.dev/v1alpha1/namespaces/{namespace}/iamroleserviceaccounts");
    if name.is_empty() { all } else { format!("{all}/{name}") }
}

fn run(line: &str, kubeconfig: &Path, environment: &[(&str, String)]) -> Result<Said> {
    let output = Command::new(bowline())
        .args(line.split(' '))
        .env("KUBECONFIG", kubeconfig)
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .output()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().unwrap_or(-1);
    Ok(Said { code, out: text(&output.stdout), err: text(&output.stderr) })
}

/// That something is not in AWS is an answer.
///
/// # Errors
/// If AWS does not say.
pub fn there<T>(found: Result<T, Error>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind == Kind::NotFound => Ok(None),
        Err(error) => bail!("{error}"),
    }
}
