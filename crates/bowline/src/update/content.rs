//! Content on the hub: a Bundle, and its parts as Secrets.
//!
//! Parts are owned by the bundles that name them, and a bundle by the updates that name it: so content goes with the last
//! update of it, and what is shared stays. A bundle comes before its owner, for an update is looked at as soon as it is there.

use std::fmt::Debug;

use anyhow::{Context, anyhow};
use bowline_api::updates::{Bundle, Update};
use bowline_bundle::{Packed, object_name, secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams, Preconditions};
use kube::{Api, Resource, ResourceExt};
use serde::de::DeserializeOwned;
use serde_json::json;

use super::{TRIES, Team, WRITER, answered};
use crate::connection::failed;
use crate::exit::Refused;

/// Content that is on the hub.
pub(super) struct Kept {
    bundle: Bundle,
    /// Whether it was not there before.
    is_new: bool,
}

/// Whether something is still there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    There,
    Gone,
}

impl Team {
    /// Puts content onto the hub. What is there already is used.
    pub(super) async fn keep(&self, packed: &Packed) -> anyhow::Result<Kept> {
        for _ in 0..TRIES {
            let (bundle, is_new) = self.bundle(packed).await?;
            let kept = Kept { bundle, is_new };
            match self.keep_parts(&kept.bundle, packed).await {
                Ok(Found::There) => return Ok(kept),
                // Somebody has taken parts away that cannot be made again like this.
                Ok(Found::Gone) => self.remove(&kept.bundle).await?,
                Err(error) => {
                    self.forget(kept).await;
                    return Err(error);
                }
            }
        }
        Err(anyhow!(Refused("somebody else removes this content: submit it again".into())))
    }

    async fn bundle(&self, packed: &Packed) -> anyhow::Result<(Bundle, bool)> {
        let wrong = |error| failed(error, "cannot make the bundle");
        let name = object_name(&packed.spec.digest);
        for _ in 0..TRIES {
            if let Some(there) = self.bundles().get_opt(&name).await.map_err(wrong)? {
                return Ok((there, false));
            }
            match self.bundles().create(&writer(), &Bundle::new(&name, packed.spec.clone())).await {
                Err(error) if answered(&error, 409) => {}
                made => return Ok((made.map_err(wrong)?, true)),
            }
        }
        Err(anyhow!(Refused(format!("somebody else makes and removes the bundle {name}: submit it again"))))
    }

    /// Makes the parts that are missing. Another version of bowline may have compressed the same content otherwise: then all its
    /// parts have to be there.
    async fn keep_parts(&self, bundle: &Bundle, packed: &Packed) -> anyhow::Result<Found> {
        let owner = bundle.owner_ref(&()).context("the server gave the bundle no uid")?;
        for part in &bundle.spec.parts {
            if own(&self.secrets(), &object_name(&part.digest), &owner).await? == Found::There {
                continue;
            }
            let Some(part) = packed.parts.iter().find(|ours| ours.digest == part.digest) else {
                return Ok(Found::Gone);
            };
            let mut secret = secret(part);
            secret.metadata.owner_references = Some(vec![owner.clone()]);
            match self.secrets().create(&writer(), &secret).await {
                Err(error) if answered(&error, 409) => {
                    own(&self.secrets(), &secret.name_any(), &owner).await?;
                }
                made => {
                    made.map_err(|error| failed(error, "cannot keep a part of the bundle"))?;
                }
            }
        }
        Ok(Found::There)
    }

    /// The content goes with the update, unless others name it. If it went before, with an older update, it is made again.
    pub(super) async fn give(&self, packed: &Packed, update: &Update) -> anyhow::Result<()> {
        let owner = update.owner_ref(&()).context("the server gave the update no uid")?;
        let name = object_name(&packed.spec.digest);
        for _ in 0..TRIES {
            match own(&self.bundles(), &name, &owner).await? {
                Found::There => return Ok(()),
                Found::Gone => {
                    self.keep(packed).await?;
                }
            }
        }
        Err(anyhow!(Refused("somebody else removes this content: submit it again".into())))
    }

    /// The same with content that is there; if it is not, the controller has it, or says so.
    pub(super) async fn give_if_there(&self, update: &Update) -> anyhow::Result<()> {
        let owner = update.owner_ref(&()).context("the server gave the update no uid")?;
        own(&self.bundles(), &object_name(&update.spec.bundle), &owner).await.map(|_| ())
    }

    /// Removes content that was made for nothing. What cannot be removed is in nobody's way.
    pub(super) async fn forget(&self, kept: Kept) {
        if kept.is_new {
            let _ = self.remove(&kept.bundle).await;
        }
    }

    /// Removes content that nobody has asked for yet. Who is about to ask for the same makes it again.
    pub(super) async fn take_back(&self, packed: &Packed) {
        let found = self.bundles().get_opt(&object_name(&packed.spec.digest)).await;
        if let Ok(Some(bundle)) = found
            && bundle.owner_references().is_empty()
        {
            let _ = self.remove(&bundle).await;
        }
    }

    async fn remove(&self, bundle: &Bundle) -> anyhow::Result<()> {
        let this = Preconditions { uid: bundle.uid(), resource_version: bundle.resource_version() };
        let params = DeleteParams::default().preconditions(this);
        match self.bundles().delete(&bundle.name_any(), &params).await {
            Err(error) if answered(&error, 404) || answered(&error, 409) => Ok(()),
            Err(error) => Err(failed(error, "cannot remove the bundle")),
            Ok(_) => Ok(()),
        }
    }
}

fn writer() -> PostParams {
    PostParams { field_manager: Some(WRITER.into()), ..PostParams::default() }
}

/// Adds an owner to those that an object has.
async fn own<K>(api: &Api<K>, name: &str, owner: &OwnerReference) -> anyhow::Result<Found>
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug,
{
    let wrong = |error| failed(error, "cannot say what the content is for");
    for _ in 0..TRIES {
        let Some(there) = api.get_metadata_opt(name).await.map_err(wrong)? else { return Ok(Found::Gone) };
        let mut owners = there.owner_references().to_vec();
        if owners.iter().any(|known| known.uid == owner.uid) {
            return Ok(Found::There);
        }
        owners.push(owner.clone());
        let owned =
            json!({ "metadata": { "resourceVersion": there.resource_version(), "ownerReferences": owners } });
        let params = PatchParams { field_manager: Some(WRITER.into()), ..PatchParams::default() };
        match api.patch_metadata(name, &params, &Patch::Merge(owned)).await {
            Err(error) if answered(&error, 409) => {}
            Err(error) if answered(&error, 404) => return Ok(Found::Gone),
            patched => return patched.map(|_| Found::There).map_err(wrong),
        }
    }
    Err(anyhow!(Refused(format!("others write {name} all the time: submit it again"))))
}
