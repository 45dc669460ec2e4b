//! NetworkFences of CSI-addons, on a cluster that reaches the same storage.
//!
//! Each fence is an object of its own, named after its epoch: what one says of another time cannot be taken for what it says
//! of this one. Its controller says in words to which of the two it has succeeded.

use bowline_api::placements::{NetworkFence, SyncTarget};
use bowline_runtime::{Mandate, REQUEST, sentence};
use kube::api::{
    ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams, PostParams,
};
use kube::{Api, Client, ResourceExt};
use serde_json::{Value, json};

use super::Order;
use crate::drawing::cut;

const GROUP: &str = "csiaddons.openshift.io";
const VERSION: &str = "v1alpha1";
const KIND: &str = "NetworkFence";
/// Who writes, as the server is told.
const WRITER: &str = "bowline-placement-fences";
/// The annotation that says in which epoch it is.
const EPOCH: &str = "bowline.dev/fence-epoch";
/// What its controller says, beside `Succeeded`, of what it has done last.
const FENCED: &str = "fencing operation successful";
const UNFENCED: &str = "unfencing operation successful";

/// The most characters of what is told of a failure.
const LONGEST: usize = 400;

/// Fences by such objects.
pub(super) struct Fenced<'a> {
    pub(super) client: &'a Client,
    pub(super) fence: &'a NetworkFence,
}

impl Fenced<'_> {
    /// Has the fence of an epoch raised or taken down, and says whether it is in force. One of a greater epoch is not touched.
    pub(super) async fn drive(&self, order: Order<'_>, mandate: &Mandate) -> Result<bool, String> {
        let Some(most) = mandate.left(REQUEST) else {
            return Err(format!("{} before it was asked", mandate.over()));
        };
        let driven = tokio::time::timeout(most, self.driven(order)).await;
        driven.unwrap_or_else(|_| Err(format!("no answer within {} ms", most.as_millis())))
    }

    async fn driven(&self, order: Order<'_>) -> Result<bool, String> {
        let told = |error: kube::Error| format!("the cluster {}: {}", self.fence.cluster, sentence(&error));
        let ours = ListParams::default().labels(&format!("{}={}", SyncTarget::LABEL, order.target));
        let found = self.api().list(&ours).await.map_err(told)?.items;
        if let Some(later) = found.iter().filter_map(epoch).find(|epoch| *epoch > order.epoch) {
            return Err(format!("it was fenced in epoch {later} already: this hub is older than that"));
        }
        let name = format!("bowline-{}-{}", order.target, order.epoch);
        let wanted = if order.fences { "Fenced" } else { "Unfenced" };
        let is = match found.into_iter().find(|one| one.name_any() == name) {
            Some(is) if is.data["spec"]["fenceState"] == wanted => is,
            Some(is) => {
                let version = is.resource_version();
                let change =
                    json!({ "metadata": { "resourceVersion": version }, "spec": { "fenceState": wanted } });
                let params = PatchParams { field_manager: Some(WRITER.into()), ..PatchParams::default() };
                self.api().patch(&name, &params, &Patch::Merge(change)).await.map_err(told)?
            }
            None => {
                let params = PostParams { field_manager: Some(WRITER.into()), ..PostParams::default() };
                self.api().create(&params, &self.drawn(&name, wanted, order)).await.map_err(told)?
            }
        };
        let in_force = stands(&is.data, order.fences)?;
        if order.fences && in_force {
            self.clear(order).await;
        }
        Ok(in_force)
    }

    fn api(&self) -> Api<DynamicObject> {
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(GROUP, VERSION, KIND));
        Api::all_with(self.client.clone(), &resource)
    }

    fn drawn(&self, name: &str, wanted: &str, order: Order<'_>) -> DynamicObject {
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(GROUP, VERSION, KIND));
        let NetworkFence { cidrs, class_name, driver, secret, parameters, .. } = self.fence;
        let mut spec = json!({ "fenceState": wanted, "cidrs": cidrs });
        if let Some(class) = class_name {
            spec["networkFenceClassName"] = json!(class);
        }
        if let Some(driver) = driver {
            spec["driver"] = json!(driver);
        }
        if let Some(secret) = secret {
            spec["secret"] = json!(secret);
        }
        if !parameters.is_empty() {
            spec["parameters"] = json!(parameters);
        }
        let mut object = DynamicObject::new(name, &resource).data(json!({ "spec": spec }));
        object.metadata.labels = Some([(SyncTarget::LABEL.to_owned(), order.target.to_owned())].into());
        object.metadata.annotations = Some([(EPOCH.to_owned(), order.epoch.to_string())].into());
        object
    }

    /// Deletes those of smaller epochs, which are down. They keep nobody from anything, so nothing rests on that.
    async fn clear(&self, order: Order<'_>) {
        let ours = ListParams::default().labels(&format!("{}={}", SyncTarget::LABEL, order.target));
        let Ok(found) = self.api().list(&ours).await else { return };
        let is_over = |one: &&DynamicObject| {
            epoch(one).is_some_and(|epoch| epoch < order.epoch)
                && one.data["spec"]["fenceState"] == "Unfenced"
        };
        for one in found.items.iter().filter(is_over) {
            let _ = self.api().delete(&one.name_any(), &DeleteParams::default()).await;
        }
    }
}

/// In which epoch it is.
fn epoch(one: &DynamicObject) -> Option<u64> {
    one.annotations().get(EPOCH)?.parse().ok()
}

/// Whether a fence is in force, by what its controller says. Until it says that it has done what was wanted last, it may be or not: it
/// is taken for what was not wanted.
fn stands(data: &Value, fences: bool) -> Result<bool, String> {
    let status = &data["status"];
    let (result, message) = (status["result"].as_str(), status["message"].as_str().unwrap_or_default());
    let done = if fences { FENCED } else { UNFENCED };
    match result {
        Some("Succeeded") if message == done => Ok(fences),
        Some("Failed") => Err(format!("the NetworkFence says: {}", cut(message, LONGEST))),
        _ => Ok(!fences),
    }
}
