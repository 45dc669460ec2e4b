//! The programs that are needed, and how they come to know each other.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};
use nix::sys::signal::Signal;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::{Load, Measured};
use crate::bench::embedded::Embedded;
use crate::log::Log;
use crate::workspace::Workspace;

/// The provider of the hub's own tokens, so that roles can be tried by them.
const PROVIDER: &str = "arn:aws:iam::123456789012:oidc-provider/kubernetes.default.svc";
/// More than leave: what bounds calls is how many are under way.
const PER_SECOND: &str = "100000";
/// How often AWS is looked at when nothing is to be done. All are ready before.
const DRIFT: &str = "1m";
/// What the IAM takes for the key of an account.
const CREDENTIALS: [(&str, &str); 4] = [
    ("AWS_ACCESS_KEY_ID", "AKIA0000000000000001"),
    ("AWS_SECRET_ACCESS_KEY", "s"),
    ("AWS_REGION", "eu-central-1"),
    ("AWS_EC2_METADATA_DISABLED", "true"),
];

/// All programs that are needed.
pub(super) struct Stage {
    up: PathBuf,
    client: PathBuf,
}

impl Stage {
    /// Builds them, in release.
    pub(super) fn build(workspace: &Workspace, log: &mut Log) -> Result<Stage> {
        let args = [
            "build",
            "--release",
            "--locked",
            "--quiet",
            "--package=bowline",
            "--package=bowline-bench-identities",
        ];
        let ran = log.run(workspace.cargo(args).arg("--target-dir").arg(workspace.target_dir()))?;
        ensure!(ran.success, "`bowline up` and its client do not build");
        let built = workspace.target_dir().join("release");
        Ok(Stage { up: built.join("bowline"), client: built.join("bowline-bench-identities") })
    }

    /// One run on a fresh `up` and a fresh IAM.
    pub(super) fn measure(&self, dir: &Path, latency_ms: u32, load: Load) -> Result<Measured> {
        let mut client = Client::start(&self.client, latency_ms, load)?;
        let endpoint: String = client.read()?;
        let up = Embedded::run(self.command(&endpoint, load), dir)?;
        client.say(&json!({ "kubeconfig": up.kubeconfig(), "pid": up.pid() }).to_string())?;
        let measured = client.read()?;
        up.end(Signal::SIGTERM)?;
        Ok(measured)
    }

    fn command(&self, endpoint: &str, load: Load) -> Command {
        let mut up = Command::new(&self.up);
        up.args(["up", "--identity-cluster-name", "bench", "--oidc-provider-arn", PROVIDER]);
        up.args(["--aws-endpoint", endpoint, "--identity-drift-interval", DRIFT]);
        up.args(["--aws-calls-per-second", PER_SECOND, "--aws-calls-at-once", &load.at_once.to_string()]);
        // Nothing that whoever measures has of AWS.
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("AWS_")) {
            up.env_remove(name);
        }
        up.envs(CREDENTIALS);
        up
    }
}

/// Who makes the identities, and has the IAM. It ends with this.
struct Client {
    child: Child,
    said: BufReader<ChildStdout>,
}

impl Client {
    fn start(program: &Path, latency_ms: u32, load: Load) -> Result<Client> {
        let mut command = Command::new(program);
        command.args(["measure", "--latency-ms", &latency_ms.to_string()]);
        command.args(["--identities", &load.identities.to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("cannot run {command:?}"))?;
        let said = BufReader::new(child.stdout.take().context("the client says nothing")?);
        Ok(Client { child, said })
    }

    /// The next line that it says.
    fn read<T: DeserializeOwned>(&mut self) -> Result<T> {
        let mut line = String::new();
        self.said.read_line(&mut line).context("cannot read what the client says")?;
        ensure!(!line.is_empty(), "the client has ended, and says above why");
        serde_json::from_str(&line).with_context(|| format!("what the client says is not understood: {line}"))
    }

    fn say(&mut self, line: &str) -> Result<()> {
        let stdin = self.child.stdin.as_mut().context("the client hears nothing")?;
        writeln!(stdin, "{line}").context("the client hears nothing")
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Both fail only if it has ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
