//! Volumes of the cluster: made, claimed, kept, given up, destroyed.

use bowline_api::placements::PortableVolume;
use bowline_placements::syncer::Held;
use bowline_runtime::sentence;
use kube::core::DynamicObject;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::asks::{Done, Undone, change, create, delete, get, list};
use crate::kinds::{Kind, attachments, volumes};
use crate::marks::{self, ATTACHED, CLAIM, is_of};
use crate::portable;
use crate::site::{Cluster, Site, Stand, at};

/// The longest name of an object.
const LONGEST: usize = 253;

fn stand<'a>(volume: &str, site: &'a Site) -> Done<&'a Stand> {
    site.volumes.get(volume).ok_or(Undone::Outdated)
}

impl Cluster {
    /// What a volume is, as text, and whether only this cluster reaches it.
    pub(super) fn portable(&self, volume: &str, site: &Site) -> Done<(String, bool)> {
        let is = stand(volume, site)?.volume.as_ref().ok_or(Undone::Outdated)?;
        let (is, only) = portable::describe(is).map_err(|why| {
            let name = is.metadata.name.as_deref().unwrap_or_default();
            Undone::Waits(format!("the volume {name} to be one that another cluster can attach: {why}"))
        })?;
        Ok((crate::hub::text(&is)?, only))
    }

    /// The marks of a volume or claim that is here by a grant.
    fn marked(&self, volume: &str, held: Option<Held>) -> Value {
        let (namespace, claim) = marks::parts(volume);
        let mut annotations = held.map(marks::of_held).unwrap_or_default();
        annotations.insert(CLAIM.to_owned(), json!(claim));
        json!({ "labels": marks::labels(&self.target, namespace), "annotations": annotations })
    }

    pub(super) async fn confirm_volume(&self, volume: &str, held: Held, site: &Site) -> Done {
        let stand = stand(volume, site)?;
        let patch = json!({ "metadata": self.marked(volume, Some(held)) });
        if let Some(is) = &stand.volume {
            change(&self.server.all(&volumes()), is, patch.clone()).await?;
        }
        if let Some(claim) = stand.claimed() {
            let (namespace, _) = marks::parts(volume);
            change(&self.server.within(&Kind::Claim.resource(), namespace), claim, patch).await?;
        }
        Ok(())
    }

    /// Sees to it that data stays when a claim goes, and that the volume is known to be ours when it has none.
    pub(super) async fn retain(&self, volume: &str, site: &Site) -> Done {
        let stand = stand(volume, site)?;
        let is = stand.volume.as_ref().ok_or(Undone::Outdated)?;
        let held = stand.claim.as_ref().filter(|claim| is_of(claim, &self.target)).and_then(marks::held);
        let held = Some(is).filter(|is| is_of(is, &self.target)).and_then(marks::held).or(held);
        let patch = json!({
            "metadata": self.marked(volume, held),
            "spec": { "persistentVolumeReclaimPolicy": "Retain" },
        });
        change(&self.server.all(&volumes()), is, patch).await.map(drop)
    }

    /// Makes a volume as it was described, for a claim that is not there yet.
    pub(super) async fn make(&self, volume: &str, is: &str, held: Held, site: &Site) -> Done {
        if site.volumes.contains_key(volume) {
            return Err(Undone::Outdated);
        }
        let is: PortableVolume =
            serde_json::from_str(is).map_err(|error| Undone::Failed(sentence(&error)))?;
        let (namespace, claim) = marks::parts(volume);
        let all = self.server.all(&volumes());
        let mut meta = self.marked(volume, Some(held));
        meta["name"] = json!(named(volume));
        // By this the driver's provisioner knows that it is the one who deletes it, if it is to be deleted.
        meta["annotations"]["pv.kubernetes.io/provisioned-by"] = json!(is.driver);
        let made = json!({
            "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": meta, "spec": portable::spec(&is, namespace, claim),
        });
        let Err(why) = create(&all, &made).await else { return Ok(()) };
        match get(&all, &named(volume)).await? {
            Some(other) if !is_of(&other, &self.target) => Err(Undone::Waits(format!(
                "somebody to remove the volume {} of the cluster, which is not ours",
                named(volume)
            ))),
            Some(_) => Err(Undone::Waits("the volume that was here before to be gone".to_owned())),
            None => Err(why),
        }
    }

    /// Claims a volume; one that was never described is made by that.
    pub(super) async fn claim(
        &self,
        volume: &str,
        wanted: Option<&DynamicObject>,
        held: Held,
        site: &Site,
    ) -> Done {
        self.room(marks::parts(volume).0, site).await?;
        let stand = site.volumes.get(volume);
        let mut is = None;
        if let Some(stand) = stand {
            let free = stand.volume.as_ref().filter(|_| stand.claim.is_none()).ok_or(Undone::Outdated)?;
            is = Some(self.set_free(volume, free, Some(held)).await?);
        }
        if wanted.is_none() && is.is_none() {
            return Err(Undone::Waits(format!("the claim {} to be on the hub", marks::parts(volume).1)));
        }
        self.ask_for(volume, wanted, is.as_ref(), held).await
    }

    /// A volume whose claim is gone is for whoever claims it by that name next.
    async fn set_free(&self, volume: &str, is: &DynamicObject, held: Option<Held>) -> Done<DynamicObject> {
        let (namespace, claim) = marks::parts(volume);
        let mut meta = self.marked(volume, held);
        meta["annotations"][ATTACHED] = Value::Null;
        let reference = json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespace, "name": claim,
            "uid": null, "resourceVersion": null,
        });
        let patch = json!({
            "metadata": meta,
            "spec": { "claimRef": reference },
        });
        change(&self.server.all(&volumes()), is, patch).await
    }

    async fn ask_for(
        &self,
        volume: &str,
        wanted: Option<&DynamicObject>,
        is: Option<&DynamicObject>,
        held: Held,
    ) -> Done {
        let (namespace, claim) = marks::parts(volume);
        let mut meta = self.marked(volume, Some(held));
        meta["name"] = json!(claim);
        meta["namespace"] = json!(namespace);
        let wanted = wanted.map(|wanted| &wanted.data["spec"]);
        let made = json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": meta, "spec": portable::claim(wanted, is),
        });
        create(&self.server.within(&Kind::Claim.resource(), namespace), &made).await.map(drop)
    }

    /// Deletes the claim of a volume, whose data stays: that was read back.
    pub(super) async fn unclaim(&self, volume: &str, site: &Site) -> Done {
        let stand = stand(volume, site)?;
        let claim = stand.claimed().ok_or(Undone::Outdated)?;
        if let Some(is) = &stand.volume {
            let is_bound = claim.data["status"]["phase"] == "Bound";
            if is_bound && !stand.is_retained() {
                return Err(Undone::Outdated);
            }
            self.note_nodes(is).await?;
        }
        self.delete_claim(volume, claim).await
    }

    async fn delete_claim(&self, volume: &str, claim: &DynamicObject) -> Done {
        let (namespace, _) = marks::parts(volume);
        delete(&self.server.within(&Kind::Claim.resource(), namespace), claim).await
    }

    /// Notes where a volume is attached: whether it was let go there has to be known later.
    async fn note_nodes(&self, is: &DynamicObject) -> Done {
        let name = is.metadata.name.as_deref().unwrap_or_default();
        let attached = list(&self.server.all(&attachments()), "").await?;
        let nodes: Vec<_> = at(name, &attached).collect();
        if nodes.is_empty() || !is_of(is, &self.target) {
            return Ok(());
        }
        let patch = json!({ "metadata": { "annotations": { ATTACHED: nodes.join(",") } } });
        change(&self.server.all(&volumes()), is, patch).await.map(drop)
    }

    /// Removes a volume that nobody claims. Its data stays, or was deleted.
    pub(super) async fn remove(&self, volume: &str, site: &Site) -> Done {
        let (namespace, claim) = marks::parts(volume);
        if let Some(stand) = site.volumes.get(volume) {
            let is = stand.volume.as_ref().filter(|_| stand.claim.is_none()).ok_or(Undone::Outdated)?;
            if !stand.is_retained() {
                return self.retain(volume, site).await;
            }
            let all = self.server.all(&volumes());
            if is.metadata.deletion_timestamp.is_none() {
                delete(&all, is).await?;
            }
            let name = is.metadata.name.as_deref().unwrap_or_default();
            return match get(&all, name).await? {
                None => Ok(()),
                Some(_) => Err(Undone::Waits(format!("the volume {name} to be let go by its driver"))),
            };
        }
        let kept = site.note.kept.clone().dooming(claim, None);
        self.memory.put_note(namespace, &site.note, kept).await
    }

    /// Deletes a volume with its data, as a person would: the claim of a volume that is not kept is deleted. One that was never
    /// claimed here is claimed for that, because drivers delete what was released.
    pub(super) async fn destroy(&self, volume: &str, site: &Site) -> Done {
        let (namespace, name) = marks::parts(volume);
        let stand = stand(volume, site)?;
        let here = site.here.as_ref().and_then(|here| here.volumes.get(volume));
        let held = here.and_then(|local| local.held).ok_or(Undone::Outdated)?;
        if site.note.kept.doomed(name).is_none() {
            // Noted first: when it is gone nothing else would say that it was deleted.
            let kept = site.note.kept.clone().dooming(name, Some(held));
            return self.memory.put_note(namespace, &site.note, kept).await;
        }
        let all = self.server.all(&volumes());
        let Some(is) = &stand.volume else {
            let claim = stand.claimed().ok_or_else(|| Undone::Waits("the claim to be gone".to_owned()))?;
            return self.delete_claim(volume, claim).await;
        };
        if is.data["spec"]["persistentVolumeReclaimPolicy"] != "Delete" {
            let patch = json!({ "spec": { "persistentVolumeReclaimPolicy": "Delete" } });
            return change(&all, is, patch).await.map(drop);
        }
        match (&stand.claim, &is.data["spec"]["claimRef"]["uid"]) {
            (Some(claim), _) if claim.metadata.deletion_timestamp.is_some() => {
                Err(Undone::Waits("the claim to be let go".to_owned()))
            }
            (Some(claim), Value::String(uid)) if Some(uid) == claim.metadata.uid.as_ref() => {
                self.delete_claim(volume, claim).await
            }
            (Some(_), _) => {
                Err(Undone::Waits("the claim to be bound, so that it can be released".to_owned()))
            }
            (None, Value::String(_)) => Err(Undone::Waits(deleting(is))),
            (None, _) => {
                self.room(namespace, site).await?;
                self.ask_for(volume, None, Some(is), held).await
            }
        }
    }
}

/// What is waited for until the data of a released volume is deleted.
fn deleting(volume: &DynamicObject) -> String {
    let name = volume.metadata.name.as_deref().unwrap_or_default();
    let why = volume.data["status"]["message"].as_str().unwrap_or_default();
    let because = if why.is_empty() { String::new() } else { format!(": {why}") };
    format!("the volume {name} to be deleted by its driver{because}")
}

/// What a volume that we make is called: after its claim, as far as that fits.
fn named(volume: &str) -> String {
    if volume.len() <= LONGEST {
        return volume.to_owned();
    }
    let digest = Sha256::digest(volume.as_bytes());
    let word: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let cut: String = volume.chars().take(LONGEST - word.len() - 1).collect();
    format!("{}-{word}", cut.trim_end_matches(['.', '-']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_volumes_have_two_names() {
        assert_eq!(named("shop.data"), "shop.data");
        let long = |last: char| format!("shop.{}{last}", "a".repeat(300));
        let (one, other) = (named(&long('a')), named(&long('b')));
        assert!(one != other && one.len() <= LONGEST, "{one}");
    }

    #[test]
    fn it_is_told_why_a_driver_does_not_delete() {
        let object = |status: Value| {
            let raw = json!({ "apiVersion": "v1", "kind": "PersistentVolume", "metadata": { "name": "v" }, "status": status });
            serde_json::from_value::<DynamicObject>(raw).expect("an object")
        };
        assert!(deleting(&object(json!({ "message": "no credentials" }))).ends_with("no credentials"));
        assert!(deleting(&object(json!({}))).ends_with("by its driver"));
    }
}
