//! What a syncer has read of the hub, and what it says there. Every write rests on the object as it was read.

use std::collections::BTreeMap;

use bowline_api::placements::{
    Placement as PlacementResource, Sharing, SyncTarget, VolumeGrant, VolumeGrantSpec,
};
use bowline_controllers::PlacementWire;
use bowline_placements::plain::Plain;
use bowline_placements::syncer::{Held, View};
use bowline_placements::{Grant, Kind, Object, Said, TargetReport, Thing, ThingOf, Use, UseState, Volume};
use bowline_runtime::{REQUEST, Wire, sentence};
use kube::api::PostParams;
use kube::core::{ApiResource, DynamicObject};
use serde_json::json;

use crate::asks::{Done, Server, Undone, create, get, in_time, list};
use crate::marks::{self, MANAGER};

/// Where a hub of ours says how often it was restored.
const RESTORED: &str = "bowline-restored";

/// The hub, as the syncer of one target has it.
#[derive(Clone)]
pub(crate) struct Hub {
    pub(crate) server: Server,
    pub(crate) target: String,
}

/// What was read: the protocol's objects, and the same whole.
#[derive(Clone, Debug)]
pub(crate) struct Sight {
    pub(crate) view: View<Plain>,
    /// After which restore of the hub it was read.
    pub(crate) restore: String,
    raw: BTreeMap<(Kind, String), DynamicObject>,
}

pub(crate) fn resource(kind: Kind) -> ApiResource {
    match kind {
        Kind::Placement => ApiResource::erase::<PlacementResource>(&()),
        Kind::Volume => ApiResource::erase::<VolumeGrant>(&()),
        Kind::Target => ApiResource::erase::<SyncTarget>(&()),
        Kind::Claim => crate::kinds::Kind::Claim.resource(),
    }
}

/// By which name an object is known in what was read.
fn key(kind: Kind, raw: &DynamicObject) -> (Kind, String) {
    let name = if kind == Kind::Placement { &raw.metadata.namespace } else { &raw.metadata.name };
    (kind, name.clone().unwrap_or_default())
}

impl Sight {
    /// Takes in what is there now, if it is later than what was read of it. Says of which namespace that is; `None` if it is of the
    /// target itself.
    pub(crate) fn put(&mut self, kind: Kind, raw: DynamicObject) -> Option<String> {
        let key = key(kind, &raw);
        let version = |raw: &DynamicObject| raw.metadata.resource_version.as_deref()?.parse::<u64>().ok();
        let is_late =
            |known: &DynamicObject| known.metadata.uid == raw.metadata.uid && version(known) >= version(&raw);
        if self.raw.get(&key).is_some_and(is_late) {
            return None;
        }
        let space = match PlacementWire.read(kind, &raw)? {
            Object::Placement(placement) => {
                let name = placement.name.clone();
                self.view.placements.insert(name.clone(), placement);
                Some(name)
            }
            Object::Volume(volume) => {
                let name = volume.namespace.clone();
                self.view.volumes.insert(volume.name.clone(), volume);
                Some(name)
            }
            Object::Target(target) => {
                self.view.target = target;
                None
            }
            Object::Claim(_) => None,
        };
        self.raw.insert(key, raw);
        space
    }

    /// Forgets what is gone. Says of which namespace it was.
    pub(crate) fn remove(&mut self, kind: Kind, raw: &DynamicObject) -> Option<String> {
        let key = key(kind, raw);
        let is_it = self.raw.get(&key).is_some_and(|known| known.metadata.uid == raw.metadata.uid);
        // That a target is gone is found when it is written.
        if !is_it || kind == Kind::Target {
            return None;
        }
        self.raw.remove(&key);
        let (_, name) = key;
        match kind {
            Kind::Placement => self.view.placements.remove(&name).map(|placement| placement.name),
            _ => self.view.volumes.remove(&name).map(|volume| volume.namespace),
        }
    }

    /// The placement of a namespace, whole.
    pub(crate) fn placement(&self, namespace: &str) -> Option<&DynamicObject> {
        self.raw.get(&(Kind::Placement, namespace.to_owned()))
    }

    /// Which object a thing's grant is, of all that had its name.
    pub(crate) fn uid(&self, thing: &ThingOf<Plain>) -> Option<&str> {
        match thing {
            Thing::Namespace(name) => self.view.placements.get(name).map(|known| known.uid.as_str()),
            Thing::Volume(name) => self.view.volumes.get(name).map(|known| known.uid.as_str()),
        }
    }

    fn object(&self, thing: &ThingOf<Plain>) -> Done<(DynamicObject, Object<Plain>)> {
        let (kind, name) = match thing {
            Thing::Namespace(name) => (Kind::Placement, name),
            Thing::Volume(name) => (Kind::Volume, name),
        };
        let raw = self.raw.get(&(kind, name.clone())).ok_or(Undone::Outdated)?;
        Ok((raw.clone(), PlacementWire.read(kind, raw).ok_or(Undone::Outdated)?))
    }
}

impl Hub {
    /// Reads all that concerns the target.
    pub(crate) async fn read(&self, tenure: u64) -> Done<Sight> {
        let target = get(&self.server.all(&resource(Kind::Target)), &self.target).await?;
        let target = target.ok_or_else(|| {
            let name = &self.target;
            Undone::Failed(format!("the hub has no target {name}. Nothing is stopped for that; `bowline place target add` makes one"))
        })?;
        let Some(Object::Target(known)) = PlacementWire.read(Kind::Target, &target) else {
            return Err(Undone::Failed(format!(
                "the target {} cannot be read: is this syncer older than the hub?",
                self.target
            )));
        };
        let view = View { tenure, target: known, placements: BTreeMap::new(), volumes: BTreeMap::new() };
        let restore = format!("{}.{}", view.target.restore, self.restores().await?);
        let mut sight = Sight { view, restore, raw: [(key(Kind::Target, &target), target)].into() };
        for kind in [Kind::Volume, Kind::Placement] {
            for raw in list(&self.server.all(&resource(kind)), "").await? {
                sight.put(kind, raw);
            }
        }
        Ok(sight)
    }

    /// How often the hub was restored from a backup, if it is one of ours, and says so.
    pub(crate) async fn restores(&self) -> Done<String> {
        let maps = self.server.within(&crate::kinds::Kind::Config.resource(), "kube-system");
        // By a name, which all that may be read there has.
        let asked = tokio::time::timeout(REQUEST, maps.get_opt(RESTORED)).await;
        match asked {
            Ok(Ok(said)) => {
                let times = said.as_ref().and_then(|said| said.data["data"]["times"].as_str());
                Ok(times.unwrap_or("0").to_owned())
            }
            // An account that was let in before there was such a right.
            Ok(Err(kube::Error::Api(status))) if status.code == 403 => Ok("0".to_owned()),
            Ok(Err(error)) => Err(error.into()),
            Err(_) => Err(Undone::Failed("the hub does not answer".to_owned())),
        }
    }

    async fn write(&self, raw: DynamicObject, after: &Object<Plain>) -> Done<(Kind, DynamicObject)> {
        let mut raw = raw;
        PlacementWire.draw_status(after, &mut raw);
        let (kind, name) = match after {
            Object::Placement(_) => (Kind::Placement, PlacementResource::NAME.to_owned()),
            Object::Volume(volume) => (Kind::Volume, volume.name.clone()),
            Object::Target(target) => (Kind::Target, target.name.clone()),
            Object::Claim(_) => return Err(Undone::Failed("claims are people's".to_owned())),
        };
        let namespace = raw.metadata.namespace.clone().unwrap_or_default();
        let api = self.server.within(&resource(kind), &namespace);
        let params = PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() };
        Ok((kind, in_time(api.replace_status(&name, &params, &raw)).await?))
    }

    /// Says how the target stands.
    pub(crate) async fn report(
        &self,
        sight: &Sight,
        report: TargetReport<Plain>,
    ) -> Done<(Kind, DynamicObject)> {
        let raw = sight.raw.get(&(Kind::Target, self.target.clone())).ok_or(Undone::Outdated)?;
        let mut target = sight.view.target.clone();
        target.report = Some(report);
        self.write(raw.clone(), &Object::Target(target)).await
    }

    /// Says something of a thing that the target has.
    pub(crate) async fn say(
        &self,
        sight: &Sight,
        thing: &ThingOf<Plain>,
        said: Said,
    ) -> Done<(Kind, DynamicObject)> {
        let (raw, mut object) = sight.object(thing)?;
        let grant = match &mut object {
            Object::Placement(placement) => &mut placement.grant,
            Object::Volume(volume) => &mut volume.grant,
            Object::Target(_) | Object::Claim(_) => return Err(Undone::Outdated),
        };
        grant.users.get_mut(&self.target).ok_or(Undone::Outdated)?.said = Some(said);
        self.write(raw, &object).await
    }

    /// Says what a volume is.
    pub(crate) async fn describe(
        &self,
        sight: &Sight,
        volume: &str,
        (is, only): (String, bool),
    ) -> Done<(Kind, DynamicObject)> {
        let (raw, object) = sight.object(&Thing::Volume(volume.to_owned()))?;
        let Object::Volume(mut volume) = object else { return Err(Undone::Outdated) };
        volume.described = Some(is);
        volume.only = only.then(|| self.target.clone());
        volume.unknown = false;
        self.write(raw, &Object::Volume(volume)).await
    }

    /// Makes the grant of a volume that a controller of the cluster has made, or that the hub has forgotten, with its description.
    pub(crate) async fn adopt(&self, adopted: Adopted<'_>) -> Done<((Kind, DynamicObject), Held)> {
        let Adopted { volume, shared, is, only, held, restore, seen } = adopted;
        let (namespace, claim) = marks::parts(volume);
        let api = self.server.all(&resource(Kind::Volume));
        let raw = match get(&api, volume).await? {
            Some(raw) => raw,
            None => create(&api, &self.blank(namespace, claim, shared)).await?,
        };
        let Some(Object::Volume(known)) = PlacementWire.read(Kind::Volume, &raw) else {
            return Err(Undone::Failed(format!("the grant of the volume {volume} cannot be read")));
        };
        let mine = known.grant.users.get(&self.target).copied();
        if mine.is_some_and(|its| its.epoch == held.epoch) {
            return Ok(((Kind::Volume, raw), held));
        }
        let is_another = known.grant != Grant::default() || known.described.is_some();
        if is_another && !seen {
            return Err(Undone::Outdated);
        }
        if is_another {
            return Err(Undone::Failed(format!(
                "a controller of the cluster has made a volume for the claim {namespace}/{claim}, and the hub knows another one by that \
                 name: delete the claim in the cluster, and it is made from the one that the hub knows"
            )));
        }
        let its = Use { epoch: held.epoch, fence: held.fence, state: UseState::Granted, said: None };
        let users = [(self.target.clone(), its)].into();
        let grant = Grant { epoch: held.epoch, users, recovering: None, restore };
        let only = only.then(|| self.target.clone());
        let after = Volume { grant, described: Some(is), only, unknown: false, ..known };
        Ok((self.write(raw, &Object::Volume(after)).await?, held))
    }

    fn blank(&self, namespace: &str, claim: &str, shared: bool) -> serde_json::Value {
        let sharing = if shared { Sharing::Shared } else { Sharing::Owned };
        let spec =
            VolumeGrantSpec { namespace: namespace.into(), claim: claim.into(), sharing, abandoned: None };
        let mut raw = DynamicObject::new(&marks::volume(namespace, claim), &resource(Kind::Volume));
        // Nobody else is granted it before it is said whose it is.
        raw.metadata.annotations = Some([(VolumeGrant::ADOPTED_BY.to_owned(), self.target.clone())].into());
        raw.metadata.finalizers = Some(vec![bowline_controllers::VOLUME_FINALIZER.to_owned()]);
        raw.data = json!({ "spec": spec });
        json!(raw)
    }

    /// What people want of a claim, if it is theirs and not one that the cluster has made.
    pub(crate) async fn claim(&self, namespace: &str, claim: &str) -> Done<Option<DynamicObject>> {
        get(&self.server.within(&crate::kinds::Kind::Claim.resource(), namespace), claim).await
    }
}

/// A volume that a controller of the cluster has made, or that the hub has forgotten.
pub(crate) struct Adopted<'a> {
    pub(crate) volume: &'a str,
    pub(crate) shared: bool,
    pub(crate) is: String,
    pub(crate) only: bool,
    pub(crate) held: Held,
    /// The last restore of the hub that was reported about.
    pub(crate) restore: u64,
    /// The hub has a grant by its name, as far as was read.
    pub(crate) seen: bool,
}

/// What a volume is, as the view has it.
pub(crate) fn text(is: &bowline_api::placements::PortableVolume) -> Done<String> {
    serde_json::to_string(is).map_err(|error| Undone::Failed(sentence(&error)))
}
