//! A submission: the same objects, in the same order, that `bowline update submit` makes.

use anyhow::{Context, Result};
use bowline_api::updates::{Bundle, Stack, StackSpec, Update, UpdateSpec};
use bowline_bundle::{Manifest, object_name, pack, secret};
use k8s_openapi::api::core::v1::Secret;
use kube::api::{ObjectMeta, Patch, PatchParams, PostParams};
use kube::{Api, Client, Resource, ResourceExt};
use serde_json::{Value, json};

/// What a team submits, and where to.
pub(crate) struct Submission {
    pub(crate) namespace: String,
    pub(crate) stack: String,
    pub(crate) cluster: String,
    pub(crate) objects: Vec<Value>,
}

impl Submission {
    /// Submits it, and says what its Update is called.
    pub(crate) async fn send(self, hub: &Client) -> Result<String> {
        let Submission { namespace, stack, cluster, objects } = self;
        let manifests: Result<Vec<_>, _> = objects.into_iter().map(Manifest::new).collect();
        let packed = pack(&manifests?)?;
        let params = PostParams { field_manager: Some("bowline-cli".into()), ..PostParams::default() };

        let bundles: Api<Bundle> = Api::namespaced(hub.clone(), &namespace);
        let name = object_name(&packed.spec.digest);
        let bundle = bundles.create(&params, &Bundle::new(&name, packed.spec.clone())).await?;
        let owner = bundle.owner_ref(&()).context("the bundle has no uid")?;
        let secrets: Api<Secret> = Api::namespaced(hub.clone(), &namespace);
        for part in &packed.parts {
            let mut secret = secret(part);
            secret.metadata.owner_references = Some(vec![owner.clone()]);
            secrets.create(&params, &secret).await?;
        }

        let stacks: Api<Stack> = Api::namespaced(hub.clone(), &namespace);
        let spec = StackSpec { cluster: cluster.as_str().into(), ..StackSpec::default() };
        stacks.create(&params, &Stack::new(&stack, spec)).await?;

        let updates: Api<Update> = Api::namespaced(hub.clone(), &namespace);
        let metadata = ObjectMeta { generate_name: Some(format!("{stack}-")), ..ObjectMeta::default() };
        let spec = UpdateSpec { stack: stack.as_str().into(), bundle: packed.spec.digest, plan_hash: None };
        let update = updates.create(&params, &Update { metadata, spec, status: None }).await?;

        let owner = update.owner_ref(&()).context("the update has no uid")?;
        let owned = Patch::Merge(json!({ "metadata": { "ownerReferences": [owner] } }));
        let params = PatchParams { field_manager: Some("bowline-cli".into()), ..PatchParams::default() };
        bundles.patch_metadata(&name, &params, &owned).await?;
        Ok(update.name_any())
    }
}
