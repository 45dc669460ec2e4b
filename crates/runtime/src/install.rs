//! Installs kinds on a server, and waits until it serves them.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Patch, PatchParams};
use kube::runtime::wait::{await_condition, conditions};
use kube::{Api, Client, ResourceExt};

/// A kind could not be installed.
#[derive(Debug, thiserror::Error)]
#[error("the definition {name} cannot be installed: {why}")]
pub struct InstallError {
    name: String,
    why: String,
}

/// Installs these definitions, and waits until the server serves them all. What is there already, and the same, is not
/// written.
///
/// # Errors
/// If the server refuses one.
pub async fn install(client: &Client, crds: &[CustomResourceDefinition]) -> Result<(), InstallError> {
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    let params = PatchParams::apply("bowline").force();
    for crd in crds {
        let name = crd.name_any();
        let failed = |why: String| InstallError { name: name.clone(), why };
        api.patch(&name, &params, &Patch::Apply(crd)).await.map_err(|error| failed(error.to_string()))?;
    }
    for crd in crds {
        let name = crd.name_any();
        let failed = |why: String| InstallError { name: name.clone(), why };
        let served = await_condition(api.clone(), &name, conditions::is_crd_established());
        served.await.map_err(|error| failed(error.to_string()))?;
    }
    Ok(())
}
