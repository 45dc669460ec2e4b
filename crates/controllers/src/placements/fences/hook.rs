//! Programs of whoever runs the hub that fence and unfence.

use std::path::{Component, Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use bowline_api::placements::FenceHook;
use bowline_runtime::Mandate;
use tokio::process::Command;

use super::Order;
use crate::drawing::cut;

/// The most characters of what a program says.
const LONGEST: usize = 400;

/// The directory that they are in, if there is one.
#[derive(Clone, Debug)]
pub(super) struct Hooks(pub(super) Option<PathBuf>);

impl Hooks {
    /// Runs the program, and then asks it how the fence stands: that it has ended well does not say that it is in force.
    pub(super) async fn drive(
        &self,
        hook: &FenceHook,
        order: Order<'_>,
        mandate: &Mandate,
    ) -> Result<bool, String> {
        let file = self.file(&hook.name)?;
        let most = Duration::from_secs(hook.timeout_seconds.into());
        let verb = if order.fences { "fence" } else { "unfence" };
        for verb in [verb, "status"] {
            let Some(left) = mandate.left(most) else {
                return Err(format!("{} before `{verb}`", mandate.over()));
            };
            let said =
                run(&file, verb, order, left).await.map_err(|why| format!("`{} {verb}` {why}", hook.name))?;
            match (verb, said.trim()) {
                ("status", "fenced") => return Ok(true),
                ("status", "open") => return Ok(false),
                ("status", other) => {
                    let other = cut(other, LONGEST);
                    return Err(format!(
                        "`{} status` has to print `fenced` or `open`, and says: {other}",
                        hook.name
                    ));
                }
                _ => {}
            }
        }
        unreachable!("the last thing that is asked is how it stands")
    }

    /// The program, which is in the directory and nowhere else: who may write targets may not run what they like.
    fn file(&self, name: &str) -> Result<PathBuf, String> {
        let Some(directory) = &self.0 else {
            return Err("the hub runs no hooks: start it with --fence-hooks DIR".to_owned());
        };
        let mut parts = Path::new(name).components();
        match (parts.next(), parts.next()) {
            (Some(Component::Normal(_)), None) => Ok(directory.join(name)),
            _ => Err(format!("{name} is not the name of a file")),
        }
    }
}

async fn run(file: &Path, verb: &str, order: Order<'_>, most: Duration) -> Result<String, String> {
    let mut command = Command::new(file);
    // It is told all that it needs: what the hub itself was told in its environment is nobody's business.
    command.args([verb, order.target, &order.epoch.to_string()]).env_clear();
    command.envs(std::env::vars_os().filter(|(name, _)| name == "PATH"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let output = match tokio::time::timeout(most, command.output()).await {
        Ok(output) => output.map_err(|error| format!("cannot be run: {error}"))?,
        Err(_) => return Err(format!("has not ended within {} ms, and was killed", most.as_millis())),
    };
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it does not say why");
    Err(format!("has failed ({}): {}", output.status, cut(last, LONGEST)))
}
