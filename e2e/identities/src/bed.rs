//! What a case works with.

mod kubernetes;
mod wishes;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use bowline_aws::{Client, Error, Keys, Kind, Secret, Settings};
use bowline_e2e_aws::fake::{ACCESS_KEY, Fake};
use bowline_e2e_aws::proxy::Proxy;
use bowline_e2e_hub::{Hub, Said, Scratch, bowline};
use bowline_e2e_up::Controllers;
use serde_json::{Value, json};

pub use self::kubernetes::Kubernetes;
use crate::server::Server;

/// Who signs the tokens of the accounts, as far as AWS knows: somebody else than does, so that no role can be tried.
const ISSUER: &str = "oidc.example/id/X";
/// Who signs them on a hub.
const OF_HUBS: &str = "kubernetes.default.svc";
/// What identities are called after.
const CLUSTER: &str = "demo";
/// Where AWS is.
pub const REGION: &str = "eu-central-1";

/// What the controllers are told beside where AWS is.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The issuer of the provider that is named to them, without `https://`.
    pub issuer: &'static str,
    /// How long AWS takes to show what was written.
    pub settle: &'static str,
    /// How often it is looked for what others have changed.
    pub drift: &'static str,
    /// When it is looked for what arrives late.
    pub sweeps: &'static str,
    /// How many calls of AWS at once.
    pub at_once: u32,
}

impl Options {
    /// What most want: all that takes its time takes little.
    pub const USUAL: Options =
        Options { issuer: ISSUER, settle: "1s", drift: "1s", sweeps: "2s,4s", at_once: 20 };
}

impl Default for Options {
    fn default() -> Options {
        Options::USUAL
    }
}

/// What runs.
enum Runs {
    /// `up`, with a server of its own.
    Up(Hub),
    /// `controllers`, on a real Kubernetes.
    Controllers(Controllers),
}

/// `up`, or `controllers` on a real Kubernetes, before a proxy, before an IAM.
pub struct Bed {
    // Before the directory: it is in use until the processes are gone.
    runs: Option<Runs>,
    kubernetes: Option<Arc<Kubernetes>>,
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
    /// One before an IAM that runs. What runs before it does not yet.
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
            // Of a person, who waits: moto is slow where a machine is busy.
            timeout: Duration::from_secs(60),
            ..Settings::default()
        };
        let aws = Client::connect(&settings).await?;
        Ok(Bed { runs: None, kubernetes: None, scratch, fake, proxy, aws, iam: iam.to_owned() })
    }

    /// The same with a real Kubernetes for a home, where controllers have the rights of the example and no others.
    ///
    /// # Errors
    /// If it cannot be made.
    pub async fn on_kubernetes(kubernetes: &Arc<Kubernetes>, iam: &str, fake: Option<Fake>) -> Result<Bed> {
        let bed = Bed::before(iam, fake).await?;
        Ok(Bed { kubernetes: Some(Arc::clone(kubernetes)), ..bed })
    }

    /// Another hub, with the same IAM.
    ///
    /// # Errors
    /// If it cannot be made.
    pub async fn beside(&self) -> Result<Bed> {
        Bed::before(&self.iam, None).await
    }

    /// Starts `up`, or `controllers`, on what earlier ones have left.
    ///
    /// # Errors
    /// If they do not start.
    pub fn up(&mut self, options: Options) -> Result<()> {
        let flags = format!("--aws-endpoint {} --aws-region {REGION}", self.proxy.endpoint());
        self.up_as(options, &self.environment(), &flags)
    }

    /// The same with these variables and options about AWS, and no others.
    ///
    /// # Errors
    /// If they do not start.
    pub fn up_as(&mut self, options: Options, variables: &[(&str, String)], flags: &str) -> Result<()> {
        let Options { issuer, settle, drift, sweeps, at_once } = options;
        self.start(
            variables,
            &format!(
                "{flags} --identity-cluster-name {CLUSTER} --oidc-provider-arn {} --identity-settle-time {settle} \
                 --identity-drift-interval {drift} --identity-sweeps {sweeps} --aws-calls-at-once {at_once}",
                provider(issuer)
            ),
        )
    }

    /// The same without any setting of AWS.
    ///
    /// # Errors
    /// If they do not start.
    pub fn up_without_aws(&mut self) -> Result<()> {
        self.start(&[], "")
    }

    fn start(&mut self, variables: &[(&str, String)], flags: &str) -> Result<()> {
        let variables: Vec<_> = variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
        // What whoever runs the tests has of AWS is not asked for.
        let line = format!(
            "unset $(env | grep -o '^AWS_[A-Z0-9_]*'); HOME={} {} exec \"$@\" {flags}",
            self.scratch.join("").display(),
            variables.join(" ")
        );
        self.runs = Some(match &self.kubernetes {
            None => Runs::Up(Hub::start_up_in_shell(&line, &self.scratch.join("data"))?),
            Some(kubernetes) => {
                Runs::Controllers(Controllers::start_in_shell(&line, &kubernetes.of_controllers())?)
            }
        });
        Ok(())
    }

    /// A life of the hub without controllers, in which something is done. Nothing runs before, nor after.
    ///
    /// # Errors
    /// If it does not start, or that cannot be done.
    pub fn without_controllers(&self, act: impl FnOnce(&Server) -> Result<()>) -> Result<()> {
        ensure!(self.runs.is_none() && self.kubernetes.is_none(), "the hub is in use, or is none of ours");
        let hub = Hub::start(&self.scratch.join("data"))?;
        act(&Server::new(hub.client()))?;
        hub.terminate()
    }

    /// `kill -9`.
    ///
    /// # Errors
    /// If nothing runs.
    pub fn kill(&mut self) -> Result<()> {
        match self.runs.take().context("nothing runs")? {
            Runs::Up(hub) => hub.kill(),
            Runs::Controllers(controllers) => {
                // They are killed when they are dropped.
                drop(controllers);
                Ok(())
            }
        }
    }

    /// SIGTERM: the lease is given back, and who comes next need not wait for it.
    ///
    /// # Errors
    /// If nothing runs, or it does not end well.
    pub fn end(&mut self) -> Result<()> {
        match self.runs.take().context("nothing runs")? {
            Runs::Up(hub) => hub.terminate(),
            Runs::Controllers(controllers) => controllers.terminate(),
        }
    }

    /// Ends what runs, and takes away what is left on a Kubernetes that others use after this.
    ///
    /// # Errors
    /// If it does not end well, or the server refuses it.
    pub fn leave(mut self) -> Result<()> {
        if self.runs.is_some() {
            self.end()?;
        }
        self.kubernetes.as_ref().map_or(Ok(()), |kubernetes| kubernetes.clear())
    }

    /// By which AWS knows us.
    fn environment(&self) -> [(&'static str, String); 4] {
        [
            ("AWS_ACCESS_KEY_ID", ACCESS_KEY.to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "s".to_owned()),
            ("AWS_EC2_METADATA_DISABLED", "true".to_owned()),
            ("AWS_CONFIG_FILE", self.scratch.join("none").display().to_string()),
        ]
    }

    /// The hub that runs.
    fn hub(&self) -> Result<&Hub> {
        match &self.runs {
            Some(Runs::Up(hub)) => Ok(hub),
            _ => bail!("no hub of ours runs"),
        }
    }

    /// All that the hub has told so far: its log, the journal of decisions, the server's own records, and what is counted.
    ///
    /// # Errors
    /// If it does not run, or is not one of ours.
    pub fn told(&self) -> Result<Vec<(&'static str, String)>> {
        let (hub, data) = (self.hub()?, self.scratch.join("data"));
        Ok(vec![
            ("log", hub.said()),
            ("journal", std::fs::read_to_string(data.join("journal.jsonl"))?),
            ("audit log", std::fs::read_to_string(data.join("audit.log"))?),
            ("counts", self.counts()?),
        ])
    }

    /// What is counted.
    ///
    /// # Errors
    /// If nothing runs, or it does not answer.
    pub fn counts(&self) -> Result<String> {
        match self.runs.as_ref().context("nothing runs")? {
            Runs::Up(hub) => Ok(hub.page("/metrics")?.1),
            Runs::Controllers(controllers) => controllers.page("/metrics"),
        }
    }

    /// How the administrator reaches the server.
    ///
    /// # Errors
    /// If it does not run.
    pub fn kubeconfig(&self) -> Result<PathBuf> {
        match &self.kubernetes {
            Some(kubernetes) => Ok(kubernetes.of_administrator()),
            None => Ok(self.hub()?.kubeconfig().to_owned()),
        }
    }

    /// Requests to the server.
    ///
    /// # Errors
    /// If it does not run.
    pub fn server(&self) -> Result<Server> {
        match &self.kubernetes {
            Some(kubernetes) => Ok(Server::new(kubernetes.client())),
            None => Ok(Server::new(self.hub()?.client())),
        }
    }

    /// Who signs the tokens of the server's accounts, without `https://`.
    pub fn signs(&self) -> &'static str {
        if self.kubernetes.is_some() { kubernetes::ISSUER } else { OF_HUBS }
    }

    /// Lets AWS have a provider for who signs here. Moto believes any token.
    ///
    /// # Errors
    /// If the server does not say by what it signs.
    pub fn provide(&self) -> Result<()> {
        let keys = self.server()?.read("/openid/v1/jwks")?;
        if let Some(fake) = &self.fake {
            fake.provide(self.signs(), &["sts.amazonaws.com"], keys);
        }
        Ok(())
    }

    /// Lets the controllers ask for tokens of all accounts. Those of a hub may.
    ///
    /// # Errors
    /// If it is refused.
    pub fn may_ask_for_tokens(&self) -> Result<()> {
        self.kubernetes.as_ref().map_or(Ok(()), |kubernetes| kubernetes.may_ask_for_tokens())
    }

    /// The calls of IAM that have come, by name. A role is tried by one of STS.
    pub fn calls_of_iam(&self) -> Vec<String> {
        let mut calls = self.proxy.calls();
        calls.retain(|call| call != "AssumeRoleWithWebIdentity");
        calls
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
        let said = run(line, &self.kubeconfig()?, &self.environment())?;
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

/// The ARN of the provider of an issuer.
pub fn provider(issuer: &str) -> String {
    format!("arn:aws:iam::123456789012:oidc-provider/{issuer}")
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
