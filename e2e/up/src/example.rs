//! The rights that controllers have on a Kubernetes.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use bowline_e2e_homes::Home;
use serde_json::{Value, json};

use crate::run;

/// Applies what `crds --with-deployment` prints, and says how the controllers reach that home with the rights that it gives them.
///
/// # Errors
/// If the home does not take it.
pub fn as_the_example(home: &Home) -> Result<PathBuf> {
    let kubectl = home.kubectl()?;
    let printed = run("crds --with-deployment", None, Path::new("."))?;
    ensure!(printed.code == 0, "{printed:#?}");
    kubectl.ok("apply --validate=strict -f -", &printed.out)?;
    // Nobody runs pods here. Their token is a file, as it is there.
    let token = home.path("token");
    std::fs::write(&token, kubectl.ok("create token bowline -n bowline-system", "")?.trim())?;
    let mut config: Value = serde_json::from_str(&kubectl.ok("config view --raw -o json", "")?)?;
    config["users"][0]["user"] = json!({ "tokenFile": token });
    let kubeconfig = home.path("pod.kubeconfig");
    std::fs::write(&kubeconfig, config.to_string())?;
    Ok(kubeconfig)
}
