//! The ledger against a count of what there is.

use bowline_kernel::{Change, Expect, Request, Version};
use serde_json::{Value, json};

use super::*;
use crate::document::Counting;
use crate::key::{NAMESPACES, Resource};
use crate::time::Moment;

fn document(plural: &str, name: &str, mut json: Value) -> Document {
    let resource = Resource::new("", plural);
    let namespace = if resource == *NAMESPACES { "" } else { "n" };
    json["metadata"] = json!({ "name": name, "uid": format!("{plural}-{name}") });
    let json = json.as_object().expect("an object");
    let key = Key::new(resource, namespace, name);
    Document::new(key, json, Counting::Nothing, &|_, _, _, _| None).expect("it has metadata")
}

/// The head and its ledger, as the writer keeps them.
struct World {
    head: Head<Document>,
    ledger: Ledger,
    made: Vec<Change<Document>>,
}

impl World {
    fn new() -> World {
        let mut world =
            World { head: Head::load(Version(0), []), ledger: Ledger::default(), made: Vec::new() };
        world.perform(Request::Create(document("namespaces", "n", json!({}))));
        world
    }

    fn perform(&mut self, request: Request<Document>) {
        if let (_, Some(change)) = self.head.perform(request) {
            let after = (!change.removed).then_some(&change.after);
            self.ledger.exchange(&self.head, &change.key, change.before.as_ref(), after);
            self.made.push(change);
        }
    }

    fn take_back(&mut self) {
        if let Some(change) = self.made.pop() {
            self.head.revert(&change);
            let after = (!change.removed).then_some(&change.after);
            self.ledger.exchange(&self.head, &change.key, after, change.before.as_ref());
        }
    }

    fn delete(&mut self, plural: &str, name: &str) {
        let key = Key::new(Resource::new("", plural), "n", name);
        let expect = Expect::anything();
        self.perform(Request::Delete { key, expect, propagation: None, grace_s: 0, at: Moment::now() });
    }

    fn used(&self) -> BTreeMap<Arc<str>, String> {
        let accounts = self.ledger.accounts.get("n").into_iter().flatten();
        accounts.map(|(name, account)| (Arc::clone(name), quota::printed(&account.used))).collect()
    }
}

fn quota_of(hard: &Value) -> Value {
    json!({ "spec": { "hard": hard } })
}

/// A small source of chance that is the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

fn content(dice: &mut Dice, plural: &str) -> Value {
    let cpu = ["100m", "250m", "1"][dice.below(3) as usize];
    let phase = ["Running", "Succeeded", ""][dice.below(3) as usize];
    let resources = json!({ "requests": { "cpu": cpu } });
    match plural {
        "pods" => json!({
            "spec": { "containers": [{ "name": "c", "resources": resources }] }, "status": { "phase": phase },
        }),
        "services" => {
            let kind = ["ClusterIP", "NodePort", "LoadBalancer"][dice.below(3) as usize];
            json!({ "spec": { "type": kind, "ports": [{ "port": 1 }, { "port": 2 }] } })
        }
        "resourcequotas" => {
            let scopes = if dice.below(2) == 0 { json!([]) } else { json!(["NotTerminating"]) };
            let hard =
                json!({ "pods": "9", "requests.cpu": "9", "services.nodeports": "9", "count/secrets": "9" });
            let mut quota = quota_of(&hard);
            quota["spec"]["scopes"] = scopes;
            quota["status"] = json!({ "used": { "pods": dice.below(9).to_string() } });
            quota
        }
        _ => json!({ "data": {} }),
    }
}

#[test]
fn whatever_happens_the_ledger_has_what_there_is() {
    const PLURALS: [&str; 4] = ["pods", "services", "secrets", "resourcequotas"];
    let mut dice = Dice(7);
    let (mut world, mut counted) = (World::new(), 0);
    for step in 0..4000 {
        let plural = PLURALS[dice.below(4) as usize];
        let name = dice.below(4).to_string();
        match dice.below(8) {
            0 | 1 => world.delete(plural, &name),
            2 => world.take_back(),
            3 | 4 => {
                let object = document(plural, &name, content(&mut dice, plural));
                world.perform(Request::Replace(object, Expect::anything()));
            }
            _ => {
                let object = document(plural, &name, content(&mut dice, plural));
                world.perform(Request::Create(object));
            }
        }
        let ledger = Ledger::load(&world.head);
        let anew = World { head: world.head.clone(), ledger, made: Vec::new() };
        assert_eq!(world.used(), anew.used(), "after {step} steps");
        counted += usize::from(world.used().values().any(|used| used.contains("requests.cpu=1")));
    }
    assert!(counted > 100, "something is used now and then");
}

#[test]
fn what_is_too_much_is_said_in_the_words_of_the_real_server() {
    let mut world = World::new();
    let hard = json!({ "pods": "1", "requests.cpu": "1", "services.nodeports": "3" });
    world.perform(Request::Create(document("resourcequotas", "q", quota_of(&hard))));
    let pod = |name: &str, cpu: &str| {
        let resources = json!({ "requests": { "cpu": cpu } });
        document("pods", name, json!({ "spec": { "containers": [{ "name": "c", "resources": resources }] } }))
    };
    let said = |world: &World, object: &Document| {
        let old = world.head.get(object.key());
        world
            .ledger
            .admit(old.map(|old| &**old), object)
            .map_err(|status| (status.code, status.message.clone()))
    };
    let forbidden = |message: &str| Err((403, message.to_owned()));
    let too_large = r#"pods "a" is forbidden: exceeded quota: q, requested: requests.cpu=1500m, used: requests.cpu=0, limited: requests.cpu=1"#;
    assert_eq!(said(&world, &pod("a", "1500m")), forbidden(too_large));
    assert_eq!(said(&world, &pod("a", "0.5")), Ok(()));
    world.perform(Request::Create(pod("a", "0.5")));
    let both = r#"pods "b" is forbidden: exceeded quota: q, requested: pods=1,requests.cpu=1, used: pods=1,requests.cpu=500m, limited: pods=1,requests.cpu=1"#;
    assert_eq!(said(&world, &pod("b", "1")), forbidden(both));
    // A change takes what it adds.
    assert_eq!(said(&world, &pod("a", "1")), Ok(()));
    let grown = r#"pods "a" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=500m, limited: requests.cpu=1"#;
    assert_eq!(said(&world, &pod("a", "1100m")), forbidden(grown));
    let silent =
        document("pods", "c", json!({ "spec": { "containers": [{ "name": "x" }, { "name": "b" }] } }));
    let unsaid = r#"pods "c" is forbidden: failed quota: q: must specify requests.cpu for: b,x"#;
    assert_eq!(said(&world, &silent), forbidden(unsaid));
    let service = |kind: &str| {
        let ports = json!([{ "port": 1 }, { "port": 2 }]);
        document("services", "s", json!({ "spec": { "type": kind, "ports": ports } }))
    };
    world.perform(Request::Create(service("ClusterIP")));
    assert_eq!(said(&world, &service("NodePort")), Ok(()));
}
