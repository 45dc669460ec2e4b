//! The server that is compared with the real one.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use bowline_e2e_hub::Hub;
use bowline_realkube::{Client, Controllers, Options, RealKube, client_of_kubeconfig};

use super::DifferentialArgs;
use crate::cargo_json::{Message, messages};
use crate::workspace::{Workspace, captured};

/// What runs beside the real server, until this is dropped.
pub(super) enum Other {
    /// Our hub, with controllers as the real server has them.
    Hub {
        /// They end before it does.
        _controllers: Controllers,
        hub: Hub,
    },
    /// A second real one.
    Real(RealKube),
    /// One that somebody else started.
    Elsewhere(Client),
}

impl Other {
    /// Starts the one that is asked for.
    pub(super) fn start(
        workspace: &Workspace,
        args: &DifferentialArgs,
        binaries: &Path,
        options: &Options,
        dir: &Path,
    ) -> Result<Other> {
        if let Some(kubeconfig) = &args.against {
            return Ok(Other::Elsewhere(client_of_kubeconfig(kubeconfig)?));
        }
        if args.itself {
            return Ok(Other::Real(RealKube::start_with(binaries, &dir.join("second"), options)?));
        }
        let hub = Hub::start_with(&build(workspace)?, &dir.join("hub"))?;
        let controllers = hub.controllers(binaries, &dir.join("controllers"))?;
        Ok(Other::Hub { _controllers: controllers, hub })
    }

    /// A client that is its administrator.
    pub(super) fn client(&self) -> &Client {
        match self {
            Other::Hub { hub, .. } => hub.client(),
            Other::Real(kube) => kube.client(),
            Other::Elsewhere(client) => client,
        }
    }

    /// Nothing may differ from a server of the same make.
    pub(super) fn is_real(&self) -> bool {
        matches!(self, Other::Real(_))
    }
}

/// Builds the binary as tests do, unless that has been done, and says where it is.
fn build(workspace: &Workspace) -> Result<PathBuf> {
    if let Some(built) = workspace.bowline() {
        return Ok(built.to_owned());
    }
    let args = ["build", "--locked", "--package", "bowline", "--message-format", "json-render-diagnostics"];
    let built = messages(&captured(&mut workspace.cargo(args))?)?;
    let mut binaries = built.into_iter().filter_map(|message| match message {
        Message::Built(artifact) if artifact.target.name == "bowline" => artifact.executable,
        _ => None,
    });
    binaries.next().context("cargo names no binary")
}
