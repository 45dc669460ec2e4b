//! Puts on a server what controllers need there: kinds, roles, a namespace.

use std::fmt::Debug;

use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::PostParams;
use kube::core::ClusterResourceScope;
use kube::runtime::wait::{await_condition, conditions};
use kube::{Api, Client, Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::piece::{Piece, Stand};

/// Something could not be put on a server.
#[derive(Debug, thiserror::Error)]
#[error("{kind} {name} cannot be installed: {}", crate::sentence(&**source))]
pub struct InstallError {
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Why.
    pub source: Box<dyn std::error::Error + Send + Sync>,
}

/// Installs these definitions, and waits until the server serves them all. What is there already, and the same, is not
/// written.
///
/// # Errors
/// If the server refuses one.
pub async fn install(client: &Client, crds: &[CustomResourceDefinition]) -> Result<(), InstallError> {
    let mut unserved = Vec::new();
    for crd in crds {
        let is_served = is_applied(client, crd).await?;
        unserved.extend((!is_served).then(|| crd.clone()));
    }
    served(client, &unserved).await
}

/// Waits until the server serves these definitions.
///
/// # Errors
/// If it cannot be asked.
pub async fn served(client: &Client, crds: &[CustomResourceDefinition]) -> Result<(), InstallError> {
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    for crd in crds {
        let name = crd.name_any();
        let served = await_condition(api.clone(), &name, conditions::is_crd_established());
        served.await.map_err(|error| failed(crd, error))?;
    }
    Ok(())
}

/// Applies these objects. What is there already, and the same, is not written.
///
/// # Errors
/// If the server refuses one.
pub async fn apply<K>(client: &Client, objects: &[K]) -> Result<(), InstallError>
where
    K: Resource<DynamicType = (), Scope = ClusterResourceScope> + Serialize,
{
    for object in objects {
        is_applied(client, object).await?;
    }
    Ok(())
}

/// Applies an object, and tells whether it was there already, the same and served: to look is much cheaper for a server than
/// to apply.
async fn is_applied<K>(client: &Client, object: &K) -> Result<bool, InstallError>
where
    K: Resource<DynamicType = (), Scope = ClusterResourceScope> + Serialize,
{
    let piece = Piece::new(object).map_err(|error| failed(object, error))?;
    let stand = match piece.stand(client).await {
        Ok((_, stand)) => stand,
        // Who may not look may be allowed to write.
        Err(kube::Error::Api(status)) if status.code == 403 => Stand::Changed,
        Err(error) => return Err(failed(object, error)),
    };
    match stand {
        Stand::Same => return Ok(true),
        Stand::Unserved => {}
        // One that is being deleted goes all the same; whoever keeps it puts it back.
        Stand::Gone | Stand::Leaving | Stand::Changed => {
            piece.apply(client).await.map_err(|error| failed(object, error))?;
        }
    }
    Ok(false)
}

/// Makes a namespace, unless it is there. Tells whether it was not.
///
/// # Errors
/// If the server refuses it.
pub async fn make_namespace(client: &Client, name: &str) -> Result<bool, InstallError> {
    let mut namespace = Namespace::default();
    namespace.metadata.name = Some(name.to_owned());
    make(&Api::all(client.clone()), &namespace).await
}

/// Makes an object, unless it is there. Tells whether it was not. Who may not make it may find it there.
pub(crate) async fn make<K>(api: &Api<K>, object: &K) -> Result<bool, InstallError>
where
    K: Resource<DynamicType = ()> + Clone + Debug + Serialize + DeserializeOwned,
{
    if api.get_opt(&object.name_any()).await.map_err(|error| failed(object, error))?.is_some() {
        return Ok(false);
    }
    match api.create(&PostParams::default(), object).await {
        // Somebody else was faster.
        Err(kube::Error::Api(status)) if status.code == 409 => Ok(false),
        Err(error) => Err(failed(object, error)),
        Ok(_) => Ok(true),
    }
}

fn failed<K: Resource<DynamicType = ()>>(
    object: &K,
    source: impl std::error::Error + Send + Sync + 'static,
) -> InstallError {
    InstallError { kind: K::kind(&()).into_owned(), name: object.name_any(), source: Box::new(source) }
}
