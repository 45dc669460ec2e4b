//! A million questions to the rules and to the referee: who may do what, grant what, and be whom.

use http::Request;
use serde_json::{Value, json};

use super::escalation::{self, Write};
use super::referee::{
    Deed, Deeds, GROUPS, NAMES, NAMESPACES, OTHER, PATHS, RESOURCES, VERBS, World, everything, granted,
};
use super::{GROUP, Rules, aggregation};
use crate::auth::impersonate;
use crate::auth::testing::view;
use crate::authorize::{Attributes, What};
use crate::user::User;

/// So many worlds, and so many questions in each.
const WORLDS: u64 = 500;
const QUESTIONS: usize = 2000;
/// Grants and impersonations in each.
const GRANTS: usize = 60;

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) >> 32).expect("32 bits") % below
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len())]
    }

    /// One to three of them; now and then a star.
    fn some(&mut self, of: &[&'static str]) -> Vec<&'static str> {
        let mut some: Vec<_> = (0..=self.roll(3)).map(|_| self.one(of)).collect();
        if self.roll(6) == 0 {
            some.push("*");
        }
        some
    }

    fn rule(&mut self, namespaced: bool) -> Value {
        const PATTERNS: [&str; 20] = [
            "pods",
            "pods/log",
            "pods/scale",
            "deployments",
            "deployments/scale",
            "*/scale",
            "*/log",
            "*/*",
            "pods/*",
            "roles",
            "clusterroles",
            "rolebindings",
            "clusterrolebindings",
            "users",
            "groups",
            "uids",
            "serviceaccounts",
            "userextras/scopes",
            "*/scopes",
            "userextras",
        ];
        if !namespaced && self.roll(4) == 0 {
            let paths = ["/healthz", "/healthz/*", "/*", "*", "/metrics", "/apis*", "/"];
            return json!({ "verbs": self.some(&VERBS[..8]), "nonResourceURLs": self.some(&paths) });
        }
        let mut rule = json!({
            "verbs": self.some(&VERBS[..8]), "apiGroups": self.some(&GROUPS[..4]), "resources": self.some(&PATTERNS),
        });
        if self.roll(3) == 0 {
            rule["resourceNames"] = json!(self.some(&NAMES[..7]));
        }
        rule
    }

    fn rules(&mut self, namespaced: bool) -> Vec<Value> {
        (0..self.roll(4)).map(|_| self.rule(namespaced)).collect()
    }

    fn user(&mut self) -> User {
        let name = self.one(&[
            "u0",
            "u1",
            "system:serviceaccount:n0:a",
            "system:serviceaccount:n1:a",
            "system:anonymous",
        ]);
        let groups = ["g0", "g1", "system:authenticated", "system:serviceaccounts:n0"];
        let mut groups: Vec<String> =
            groups.iter().filter(|_| self.roll(3) == 0).map(|group| (*group).into()).collect();
        if self.roll(40) == 0 {
            groups.push("system:masters".into());
        }
        User { name: name.into(), groups, ..User::default() }
    }

    fn binding(&mut self, number: usize) -> Value {
        let namespace = self.one(&["", "n0", "n1"]);
        let kind = if namespace.is_empty() { "ClusterRoleBinding" } else { "RoleBinding" };
        let role = if namespace.is_empty() || self.roll(2) == 0 { "ClusterRole" } else { "Role" };
        let subjects: Vec<Value> = (0..=self.roll(2))
            .map(|_| match self.roll(4) {
                0 => json!({ "kind": "User", "name": self.one(&["u0", "u1", "system:anonymous"]) }),
                1 => json!({ "kind": "Group", "name": self.one(&["g0", "g1", "system:authenticated"]) }),
                2 => {
                    json!({ "kind": "ServiceAccount", "name": "a", "namespace": self.one(&["n0", "n1", ""]) })
                }
                _ => json!({ "kind": "Robot", "name": "u0" }),
            })
            .collect();
        json!({
            "kind": kind, "metadata": { "name": format!("b{number}"), "namespace": namespace },
            "roleRef": { "apiGroup": GROUP, "kind": role, "name": self.one(&["r0", "r1", "r2", "sum", "gone"]) },
            "subjects": subjects,
        })
    }

    fn world(&mut self) -> World {
        let mut objects = Vec::new();
        for name in ["r0", "r1", "r2"] {
            let labels = json!({ "to": self.one(&["x", "y"]), "and": self.one(&["x", "y"]) });
            let metadata = json!({ "name": name, "labels": labels });
            objects.push(json!({ "kind": "ClusterRole", "metadata": metadata, "rules": self.rules(false) }));
            for namespace in ["n0", "n1"] {
                let metadata = json!({ "name": name, "namespace": namespace });
                objects.push(json!({ "kind": "Role", "metadata": metadata, "rules": self.rules(true) }));
            }
        }
        // Roles that gather roles, and one that gathers one of these.
        for (name, gathers) in [("sum", json!({ "to": "x" })), ("total", json!({ "of": "all" }))] {
            let metadata =
                json!({ "name": name, "labels": { "of": if name == "sum" { "all" } else { "" } } });
            let selectors = json!([{ "matchLabels": gathers }, { "matchLabels": { "and": "y" } }]);
            objects.push(json!({
                "kind": "ClusterRole", "metadata": metadata, "rules": [],
                "aggregationRule": { "clusterRoleSelectors": selectors },
            }));
        }
        objects.extend((0..self.roll(7) + 2).map(|number| self.binding(number)));
        World { objects }
    }

    fn deed(&mut self) -> Deed {
        match self.roll(6) {
            0 => Deed::At { verb: self.roll(VERBS.len()), path: self.roll(PATHS.len()) },
            _ => Deed::To {
                namespace: self.roll(NAMESPACES.len()),
                verb: self.roll(VERBS.len()),
                group: self.roll(GROUPS.len()),
                resource: self.roll(RESOURCES.len()),
                name: self.roll(NAMES.len()),
            },
        }
    }
}

fn asked(deed: Deed) -> (&'static str, What<'static>) {
    match deed {
        Deed::At { verb, path } => (VERBS[verb], What::Path(PATHS[path])),
        Deed::To { namespace, verb, group, resource, name } => {
            let (plural, subresource) = RESOURCES[resource];
            let (group, namespace, name) = (GROUPS[group], NAMESPACES[namespace], NAMES[name]);
            (VERBS[verb], What::Resource { group, plural, subresource, namespace, name })
        }
    }
}

/// The rules of a world, with those of the roles that gather others as the hub itself writes them.
fn built(world: &World) -> Rules {
    let mut objects = world.objects.clone();
    loop {
        let updates = aggregation::updates(&view(objects.clone()));
        if updates.is_empty() {
            return Rules::build(&view(objects));
        }
        for (key, rules) in updates {
            let role = objects
                .iter_mut()
                .find(|object| object["kind"] == "ClusterRole" && object["metadata"]["name"] == *key.name);
            role.expect("it is there")["rules"] = rules;
        }
    }
}

fn deed(verb: &str, group: &str, resource: (&str, &str), namespace: &str, name: &str) -> Deed {
    let at =
        |all: &[&str], text: &str| all.iter().position(|other| *other == text).expect("it is of this world");
    Deed::To {
        namespace: at(&NAMESPACES, namespace),
        verb: at(&VERBS, verb),
        group: at(&GROUPS, group),
        resource: RESOURCES.iter().position(|other| *other == resource).expect("it is of this world"),
        name: at(&NAMES, name),
    }
}

/// How often both said yes, and how often no.
#[derive(Default, Debug)]
struct Tally {
    yes: usize,
    no: usize,
}

impl Tally {
    #[track_caller]
    fn count(&mut self, ours: bool, theirs: bool, question: impl FnOnce() -> String) {
        assert_eq!(ours, theirs, "the rules and the referee: {}", question());
        *(if ours { &mut self.yes } else { &mut self.no }) += 1;
    }
}

#[test]
fn a_million_questions_have_the_same_answer_twice() {
    let mut tally = Tally::default();
    for seed in 0..WORLDS {
        let mut dice = Dice(seed);
        let mut world = dice.world();
        let rules = built(&world);
        world.aggregate();
        let users: Vec<User> = (0..4).map(|_| dice.user()).collect();
        for user in &users {
            let deeds = world.deeds(user);
            let some = deeds.all();
            for _ in 0..QUESTIONS / users.len() {
                // Half of what is asked may be done, if anything may.
                let deed = if dice.roll(2) == 0 || some.is_empty() {
                    dice.deed()
                } else {
                    some[dice.roll(some.len())]
                };
                let (verb, what) = asked(deed);
                let question = || format!("world {seed}: {user:?} {verb} {what:?}");
                let ours = rules.allow(&Attributes { user, verb, what: what.clone() });
                tally.count(ours, deeds.contains(deed), question);
            }
        }
    }
    assert!(tally.yes + tally.no >= 1_000_000 && tally.yes > 200_000 && tally.no > 200_000, "{tally:?}");
}

/// Somebody, and all that is to be said of them.
struct Somebody {
    user: User,
    deeds: Deeds,
    /// By namespace: none, `n0`, `n1`.
    holdings: [Deeds; 3],
}

impl Somebody {
    fn new(user: User, world: &World) -> Somebody {
        let holdings = [0, 1, 2].map(|at| world.holdings(&user, NAMESPACES[at]));
        Somebody { deeds: world.deeds(&user), holdings, user }
    }

    /// Whether they may write a role or a binding: who may `escalate` or `bind`, or has it all. `None` if there is no such role.
    fn may_grant(&self, world: &World, new: &Value, write: &Write<'_>) -> Option<bool> {
        let Write { plural, namespace, asked, .. } = *write;
        let may = |verb: &str, plural: &str, name: &str| {
            self.deeds.contains(deed(verb, GROUP, (plural, ""), namespace, name))
        };
        let place = NAMESPACES.iter().position(|other| *other == namespace).unwrap();
        let has = |rules: &[Value]| granted(rules, namespace).is_subset(&self.holdings[place]);
        if plural.ends_with("bindings") {
            let kind = if new["roleRef"]["kind"] == "Role" { "roles" } else { "clusterroles" };
            let name = new["roleRef"]["name"].as_str().unwrap();
            if may("bind", kind, if NAMES.contains(&name) { name } else { OTHER }) {
                return Some(true);
            }
            return world.has_role(new, namespace).then(|| has(&world.rules(new, namespace)));
        }
        let aggregates = new["aggregationRule"]["clusterRoleSelectors"].is_array();
        let has_all = has(new["rules"].as_array().unwrap()) && (!aggregates || has(&everything()));
        Some(may("escalate", plural, asked) || has_all)
    }
}

#[test]
fn nobody_grants_more_than_the_referee_lets_them() {
    let mut tally = Tally::default();
    for seed in 0..WORLDS {
        let mut dice = Dice(seed ^ 0xbad);
        let mut world = dice.world();
        let rules = built(&world);
        world.aggregate();
        let users: Vec<_> = (0..4).map(|_| Somebody::new(dice.user(), &world)).collect();
        for number in 0..GRANTS {
            let somebody = &users[dice.roll(users.len())];
            let user = &somebody.user;
            let (new, plural, namespace, asked) = if dice.roll(2) == 0 {
                let new = dice.binding(number);
                let namespace = new["metadata"]["namespace"].as_str().unwrap().to_owned();
                let plural = if namespace.is_empty() { "clusterrolebindings" } else { "rolebindings" };
                (new, plural, namespace, "")
            } else {
                let namespace = dice.one(&["", "n0", "n1"]);
                // Who grants what others have is more likely to have it.
                let role = world.objects[dice.roll(9)]["rules"].clone();
                let own = if dice.roll(2) == 0 { role } else { json!(dice.rules(!namespace.is_empty())) };
                let mut new = json!({ "metadata": { "name": "r0", "namespace": namespace }, "rules": own });
                if namespace.is_empty() && dice.roll(5) == 0 {
                    new["aggregationRule"] =
                        json!({ "clusterRoleSelectors": [{ "matchLabels": { "a": "b" } }] });
                }
                let plural = if namespace.is_empty() { "clusterroles" } else { "roles" };
                (new, plural, namespace.to_owned(), dice.one(&["", "r0"]))
            };
            let object = new.as_object().unwrap();
            let write = Write { plural, namespace: &namespace, asked, old: None, new: object };
            let ours = escalation::check(&rules, user, &write);
            let question = || format!("world {seed}: {user:?} writes {plural} {new}: {ours:?}");
            match somebody.may_grant(&world, &new, &write) {
                Some(theirs) => tally.count(ours.is_ok(), theirs, question),
                None => {
                    assert_eq!(ours.as_ref().map_err(|status| status.code).err(), Some(404), "{}", question())
                }
            }
        }
    }
    assert!(tally.yes > 3_000 && tally.no > 3_000, "{tally:?}");
}

#[test]
fn nobody_is_another_unless_the_referee_lets_them() {
    let mut tally = Tally::default();
    for seed in 0..WORLDS {
        let mut dice = Dice(seed ^ 0xfeed);
        let mut world = dice.world();
        // Without this hardly anybody may.
        let wide = json!({ "verbs": ["impersonate"], "apiGroups": ["", "authentication.k8s.io"],
            "resources": dice.some(&["users", "groups", "uids", "userextras/scopes", "serviceaccounts", "*/scopes"]) });
        if let Some(rules) = world.objects[0]["rules"].as_array_mut() {
            rules.push(wide);
        }
        let rules = built(&world);
        world.aggregate();
        let users: Vec<_> = (0..4).map(|_| Somebody::new(dice.user(), &world)).collect();
        for _ in 0..GRANTS {
            let Somebody { user, deeds, .. } = &users[dice.roll(users.len())];
            let mut needed = Vec::new();
            let mut request = Request::builder().uri("/api");
            let whom = dice.one(&["u0", "u1", "system:serviceaccount:n0:a"]);
            request = request.header("impersonate-user", whom);
            needed.push(match whom.strip_prefix("system:serviceaccount:n0:") {
                Some(name) => deed("impersonate", "", ("serviceaccounts", ""), "n0", name),
                None => deed("impersonate", "", ("users", ""), "", whom),
            });
            if dice.roll(3) == 0 {
                request = request.header("impersonate-group", "g0");
                needed.push(deed("impersonate", "", ("groups", ""), "", "g0"));
            }
            if dice.roll(3) == 0 {
                request = request.header("impersonate-uid", "b");
                needed.push(deed("impersonate", "authentication.k8s.io", ("uids", ""), "", "b"));
            }
            if dice.roll(3) == 0 {
                request = request.header("impersonate-extra-scopes", "a");
                needed.push(deed("impersonate", "authentication.k8s.io", ("userextras", "scopes"), "", "a"));
            }
            let (head, ()) = request.body(()).unwrap().into_parts();
            let ours = impersonate::become_another(user, &head, &rules);
            let theirs = needed.iter().all(|deed| deeds.contains(*deed));
            let question = || format!("world {seed}: {user:?} {:?}: {ours:?}", head.headers);
            tally.count(ours.is_ok(), theirs, question);
        }
    }
    assert!(tally.yes > 1_000 && tally.no > 3_000, "{tally:?}");
}
