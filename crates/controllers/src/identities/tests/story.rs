//! The life of an identity with what is wired here, on objects in memory: how many calls it costs, and what is left of it.

use std::collections::BTreeMap;

use bowline_control::lease::Epoch;
use bowline_control::{Controller, Decision, Effect, Millis, Moment, Object as _, Write};
use bowline_identities::{Id, Kind, Memory, Object, Wait};
use bowline_runtime::Wire;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::core::DynamicObject;
use serde_json::json;

use super::*;

/// A server in memory, and a clock that is put where something is waited for.
struct Stage {
    controller: Identities<Plain>,
    wire: IdentityWire,
    bench: Bench,
    objects: BTreeMap<(Kind, String), DynamicObject>,
    memory: Memory<Plain>,
    now: Millis,
    version: u64,
    writes: usize,
}

impl Stage {
    fn new(rhythm: Rhythm) -> Stage {
        let identity = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "IamRoleServiceAccount",
            "metadata": { "name": "reader", "namespace": "team", "uid": "u1", "resourceVersion": "1", "generation": 1 },
            "spec": { "policy": { "statement": [{ "resource": "*", "action": ["s3:GetObject"] }] } },
        });
        let identity = serde_json::from_value(identity).expect("an object");
        Stage {
            controller: Identities::new(Some(home()), rhythm),
            wire: IdentityWire,
            bench: Bench::new(),
            objects: BTreeMap::from([((Kind::Identity, "team/reader".to_owned()), identity)]),
            memory: Memory::default(),
            now: Millis(1_000_000),
            version: 1,
            writes: 0,
        }
    }

    fn moment(&self) -> Moment {
        Moment { clock: self.now, wall: self.now, epoch: Epoch(1), handed: false }
    }

    fn snapshot(&self) -> bowline_identities::Snapshot<Plain> {
        let all = self.objects.iter().filter_map(|((kind, _), raw)| self.wire.read(*kind, raw));
        let all: Vec<_> = all.collect();
        self.controller.snapshot(&named(), &all.iter().collect::<Vec<_>>(), &self.memory)
    }

    /// Goes on until it waits for this, or until nothing is left to do.
    async fn until(&mut self, what: Option<Wait>) {
        for _ in 0..100 {
            let snapshot = self.snapshot();
            match self.controller.decide(&snapshot, self.moment()) {
                Decision::Do(step) => match self.controller.effect(&snapshot, &step, self.moment()) {
                    Effect::Write(write) => self.write(&write),
                    Effect::Call(call) => {
                        let reply = self.bench.desk.call(call, &Mandate::always()).await;
                        let now = self.moment();
                        let learned = self.controller.learn(&mut self.memory, &step, reply, now);
                        assert_eq!(learned, Ok(()), "{step}");
                    }
                    Effect::Look(id) => panic!("{id}"),
                },
                Decision::Wait { what: waits, .. } if Some(waits) == what => return,
                Decision::Wait { until: Some(until), .. } => self.now = until,
                Decision::Wait { what: waits, until: None } => panic!("it waits for {waits}"),
                Decision::Converged => return,
            }
        }
        panic!("it does not come to an end");
    }

    fn write(&mut self, write: &Write<Object<Plain>>) {
        self.writes += 1;
        self.version += 1;
        let id = write.id();
        let address = self.wire.address(&id).to_string();
        let kind = match &id {
            Id::Identity(_) => Kind::Identity,
            Id::Account(_) => Kind::Account,
            Id::Tombstone(_) => Kind::Tombstone,
            Id::Cluster(_) => Kind::Cluster,
        };
        let place = (kind, address);
        let mut raw = self.objects.remove(&place).unwrap_or_else(|| self.blank(&id, kind));
        match write {
            Write::Create(object) => self.wire.draw(object, &mut raw),
            Write::Change { before, after } => {
                assert_eq!(raw.metadata.resource_version, Some(before.version().to_string()));
                self.wire.draw(after, &mut raw);
            }
            Write::Status { after, .. } => self.wire.draw_status(after, &mut raw),
            Write::Delete(_) => return,
        }
        raw.metadata.resource_version = Some(self.version.to_string());
        let is_held = raw.metadata.finalizers.as_ref().is_some_and(|all| !all.is_empty());
        if raw.metadata.deletion_timestamp.is_none() || is_held {
            self.objects.insert(place, raw);
        }
    }

    fn blank(&self, id: &bowline_identities::IdOf<Plain>, kind: Kind) -> DynamicObject {
        let address = self.wire.address(id);
        let watched = self.wire.watched().into_iter().find(|watched| watched.kind == kind);
        let mut raw = DynamicObject::new(&address.name, &watched.expect("it is watched").resource);
        raw.metadata.namespace = Some(address.namespace).filter(|namespace| !namespace.is_empty());
        raw.metadata.uid = Some(format!("new-{}", self.version));
        raw
    }

    fn raw(&self, kind: Kind) -> Option<&DynamicObject> {
        self.objects.iter().find(|((other, _), _)| *other == kind).map(|(_, raw)| raw)
    }
}

fn is(raw: &DynamicObject, kind: &str) -> bool {
    let conditions = raw.data["status"]["conditions"].as_array().expect("conditions");
    conditions.iter().any(|one| one["type"] == kind && one["status"] == "True")
}

#[tokio::test]
async fn an_identity_becomes_ready_by_five_calls_and_costs_only_looks_from_then_on() {
    let mut stage = Stage::new(Rhythm::default());
    stage.until(Some(Wait::NextLook)).await;
    let mut heard = stage.bench.iam.heard();
    heard.sort();
    let called: Vec<_> = heard.iter().filter_map(|call| call.split(' ').next()).collect();
    assert_eq!(called, ["AttachRolePolicy", "CreatePolicy", "CreateRole", "GetPolicy", "GetRole"]);
    let identity = stage.raw(Kind::Identity).expect("an identity");
    assert!(is(identity, "Complete") && is(identity, "Ready"));
    let account = stage.raw(Kind::Account).expect("an account");
    let role = &identity.data["status"]["roleArn"];
    assert_eq!(
        account.metadata.annotations.as_ref().and_then(|all| all.get(wire::ROLE_ARN)).map(String::as_str),
        role.as_str()
    );
    let owner = &account.metadata.owner_references.as_ref().expect("an owner")[0];
    assert_eq!((owner.name.as_str(), owner.uid.as_str()), ("reader", "u1"));
    // A drift check that finds nothing writes nothing.
    let writes = stage.writes;
    stage.now = stage.now.plus(Rhythm::default().drift);
    stage.until(Some(Wait::NextLook)).await;
    let heard = stage.bench.iam.heard();
    assert!(
        heard.len() == 6 && heard.iter().all(|call| call.starts_with("Get") || call.starts_with("List")),
        "{heard:?}"
    );
    assert_eq!(stage.writes, writes);
}

#[tokio::test]
async fn what_others_have_changed_is_put_right() {
    let mut stage = Stage::new(Rhythm::default());
    stage.until(Some(Wait::NextLook)).await;
    stage.bench.iam.world().attached.clear();
    stage.bench.iam.world().inline.push("backdoor".into());
    if let Some(policy) = &mut stage.bench.iam.world().policy {
        policy.default_version = "v9".into();
    }
    stage.bench.iam.world().versions.insert(9, r#"{"Version":"2012-10-17","Statement":[]}"#.into());
    stage.bench.iam.heard();
    stage.now = stage.now.plus(Rhythm::default().drift);
    stage.until(Some(Wait::NextLook)).await;
    let heard = stage.bench.iam.heard();
    let wrote: Vec<_> =
        heard.iter().filter(|call| !call.starts_with("Get") && !call.starts_with("List")).collect();
    assert!(
        wrote.len() == 3
            && wrote[0].starts_with("CreatePolicyVersion")
            && wrote[1].starts_with("DeleteRolePolicy backdoor")
            && wrote[2].starts_with("AttachRolePolicy"),
        "{heard:?}"
    );
}

#[tokio::test]
async fn a_deleted_identity_leaves_nothing_in_aws_and_a_tombstone_for_a_day() {
    let mut stage = Stage::new(Rhythm::default());
    stage.until(Some(Wait::NextLook)).await;
    let now = Time(k8s_openapi::jiff::Timestamp::now());
    for raw in stage.objects.values_mut() {
        raw.metadata.deletion_timestamp.get_or_insert(now.clone());
    }
    // The account has no finalizer: it is collected with the identity.
    stage.objects.retain(|(kind, _), _| *kind == Kind::Identity);
    stage.until(Some(Wait::Sweep)).await;
    assert!(stage.raw(Kind::Identity).is_none(), "{:?}", stage.objects.keys());
    assert!(stage.bench.iam.world().role.is_none() && stage.bench.iam.world().policy.is_none());
    let tombstone = stage.raw(Kind::Tombstone).expect("a tombstone");
    assert_eq!(tombstone.data["spec"]["uids"], json!(["u1"]));
    let began = stage.now;
    // What was sent before arrives only now.
    stage.bench.ask(Ask::CreateRole { trust: document("{}"), boundary: None }).await;
    stage.until(None).await;
    assert!(stage.objects.is_empty(), "{:?}", stage.objects.keys());
    assert!(stage.bench.iam.world().role.is_none(), "it is swept");
    let day = Rhythm::default().sweeps.last().copied().expect("sweeps");
    assert!(stage.now >= began.plus(day));
}
