//! A second opinion on who may do what, written from Kubernetes' documentation and sharing nothing with the rules.
//!
//! It works on a small closed world of users, namespaces, verbs, groups, resources, names and paths, in each of which one
//! stands for whatever else there is. Every rule of every binding is written out as the set of all that it allows in that
//! world; a question is whether something is in the set, and what somebody may grant is a subset of it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::user::User;

/// Whatever else there is.
pub(super) const OTHER: &str = "other";

pub(super) const NAMESPACES: [&str; 4] = ["", "n0", "n1", OTHER];
pub(super) const VERBS: [&str; 9] =
    ["get", "list", "create", "delete", "impersonate", "bind", "escalate", "post", OTHER];
pub(super) const GROUPS: [&str; 5] =
    ["", "apps", "rbac.authorization.k8s.io", "authentication.k8s.io", OTHER];
/// Resources with their subresources. That of a star is no pattern where it is asked for: it is a name like others.
pub(super) const RESOURCES: [(&str, &str); 23] = [
    ("pods", ""),
    ("pods", "log"),
    ("pods", "scale"),
    ("deployments", ""),
    ("deployments", "scale"),
    ("roles", ""),
    ("clusterroles", ""),
    ("rolebindings", ""),
    ("clusterrolebindings", ""),
    ("users", ""),
    ("groups", ""),
    ("uids", ""),
    ("serviceaccounts", ""),
    ("userextras", "scopes"),
    ("userextras", ""),
    ("userextras", OTHER),
    ("pods", "*"),
    (OTHER, "log"),
    (OTHER, "scale"),
    (OTHER, "scopes"),
    (OTHER, ""),
    (OTHER, OTHER),
    (OTHER, "*"),
];
pub(super) const NAMES: [&str; 9] = ["", "a", "b", "u0", "u1", "g0", "r0", "*", OTHER];
pub(super) const PATHS: [&str; 7] =
    ["/healthz", "/healthz/etcd", "/metrics", "/", "/apis/other", "/other", OTHER];

/// Something that may be done: at a path, or to an object in a namespace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Deed {
    At { verb: usize, path: usize },
    To { namespace: usize, verb: usize, group: usize, resource: usize, name: usize },
}

const AT_PATHS: usize = VERBS.len() * PATHS.len();
const ALL: usize = AT_PATHS + NAMESPACES.len() * VERBS.len() * GROUPS.len() * RESOURCES.len() * NAMES.len();

impl Deed {
    /// Its place among all.
    fn place(self) -> usize {
        match self {
            Deed::At { verb, path } => verb * PATHS.len() + path,
            Deed::To { namespace, verb, group, resource, name } => {
                let at = (namespace * VERBS.len() + verb) * GROUPS.len() + group;
                AT_PATHS + (at * RESOURCES.len() + resource) * NAMES.len() + name
            }
        }
    }

    fn at(place: usize) -> Deed {
        let Some(at) = place.checked_sub(AT_PATHS) else {
            return Deed::At { verb: place / PATHS.len(), path: place % PATHS.len() };
        };
        let (at, name) = (at / NAMES.len(), at % NAMES.len());
        let (at, resource) = (at / RESOURCES.len(), at % RESOURCES.len());
        let (at, group) = (at / GROUPS.len(), at % GROUPS.len());
        Deed::To { namespace: at / VERBS.len(), verb: at % VERBS.len(), group, resource, name }
    }
}

/// A set of what may be done.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Deeds(Vec<bool>);

impl Deeds {
    fn none() -> Deeds {
        Deeds(vec![false; ALL])
    }

    pub(super) fn contains(&self, deed: Deed) -> bool {
        self.0[deed.place()]
    }

    pub(super) fn is_subset(&self, of: &Deeds) -> bool {
        self.0.iter().zip(&of.0).all(|(mine, theirs)| !mine || *theirs)
    }

    pub(super) fn all(&self) -> Vec<Deed> {
        (0..ALL).filter(|place| self.0[*place]).map(Deed::at).collect()
    }
}

/// Roles and bindings, as objects.
pub(super) struct World {
    pub objects: Vec<Value>,
}

impl World {
    fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.objects.iter().filter(move |object| object["kind"] == kind)
    }

    /// Everything that a user may do.
    pub(super) fn deeds(&self, user: &User) -> Deeds {
        let mut deeds = Deeds::none();
        if user.groups.iter().any(|group| group == "system:masters") {
            deeds.0.fill(true);
        }
        for binding in self.of_kind("ClusterRoleBinding").filter(|binding| names(binding, user)) {
            for rule in self.rules(binding, "") {
                NAMESPACES.iter().for_each(|namespace| inside(&rule, namespace, &mut deeds));
                at_paths(&rule, &mut deeds);
            }
        }
        for binding in self.of_kind("RoleBinding").filter(|binding| names(binding, user)) {
            let namespace = binding["metadata"]["namespace"].as_str().unwrap();
            for rule in self.rules(binding, namespace) {
                inside(&rule, namespace, &mut deeds);
            }
        }
        deeds
    }

    /// All that the rules say that a user has in a namespace, or outside if it is empty. Rules about paths are had where their
    /// role is bound, though they count only for who has them everywhere.
    pub(super) fn holdings(&self, user: &User, namespace: &str) -> Deeds {
        let bindings = self.of_kind("ClusterRoleBinding").chain(self.of_kind("RoleBinding"));
        let here = bindings.filter(|binding| {
            let home = binding["metadata"]["namespace"].as_str().unwrap_or_default();
            home.is_empty() || home == namespace
        });
        let rules = here.filter(|binding| names(binding, user)).flat_map(|binding| {
            let home = binding["metadata"]["namespace"].as_str().unwrap_or_default();
            self.rules(binding, home)
        });
        granted(&rules.collect::<Vec<_>>(), namespace)
    }

    /// The rules of the role that a binding refers to, if there is one.
    pub(super) fn rules(&self, binding: &Value, namespace: &str) -> Vec<Value> {
        let (kind, name) = (&binding["roleRef"]["kind"], &binding["roleRef"]["name"]);
        let role = match kind.as_str() {
            Some("ClusterRole") => self.of_kind("ClusterRole").find(|role| role["metadata"]["name"] == *name),
            Some("Role") => self
                .of_kind("Role")
                .find(|role| role["metadata"]["name"] == *name && role["metadata"]["namespace"] == namespace),
            _ => None,
        };
        role.and_then(|role| role["rules"].as_array().cloned()).unwrap_or_default()
    }

    /// Whether a role is there.
    pub(super) fn has_role(&self, binding: &Value, namespace: &str) -> bool {
        let (kind, name) = (binding["roleRef"]["kind"].as_str().unwrap(), &binding["roleRef"]["name"]);
        self.of_kind(kind).any(|role| {
            let home = role["metadata"]["namespace"].as_str().unwrap_or_default();
            role["metadata"]["name"] == *name && home == if kind == "Role" { namespace } else { "" }
        })
    }

    /// Gives cluster roles that gather others the rules of those, until nothing changes any more.
    pub(super) fn aggregate(&mut self) {
        loop {
            let before = self.objects.clone();
            for role in &mut self.objects {
                let Some(selectors) = role["aggregationRule"]["clusterRoleSelectors"].as_array() else {
                    continue;
                };
                let mut rules: Vec<Value> = Vec::new();
                for selector in selectors {
                    let gathered = before.iter().filter(|other| {
                        other["kind"] == "ClusterRole"
                            && other["metadata"]["name"] != role["metadata"]["name"]
                            && selects(selector, &other["metadata"]["labels"])
                    });
                    for rule in gathered.flat_map(|other| other["rules"].as_array().into_iter().flatten()) {
                        if !rules.contains(rule) {
                            rules.push(rule.clone());
                        }
                    }
                }
                role["rules"] = json!(rules);
            }
            if self.objects == before {
                return;
            }
        }
    }
}

/// A selector of this world has labels that must be equal, and no more.
fn selects(selector: &Value, labels: &Value) -> bool {
    selector["matchLabels"].as_object().unwrap().iter().all(|(key, value)| labels.get(key) == Some(value))
}

/// Whether a binding is about a user.
fn names(binding: &Value, user: &User) -> bool {
    binding["subjects"].as_array().unwrap().iter().any(|subject| {
        let name = subject["name"].as_str().unwrap();
        match subject["kind"].as_str().unwrap() {
            "User" => user.name == name,
            "Group" => user.groups.contains(&name.to_owned()),
            "ServiceAccount" => {
                let own = subject["namespace"].as_str().filter(|own| !own.is_empty());
                let home = own.or(binding["metadata"]["namespace"].as_str());
                home.is_some_and(|home| user.name == ["system", "serviceaccount", home, name].join(":"))
            }
            _ => false,
        }
    })
}

fn texts<'a>(rule: &'a Value, field: &str) -> Vec<&'a str> {
    rule[field].as_array().into_iter().flatten().map(|text| text.as_str().unwrap()).collect()
}

/// The places in a list of those that a rule names, or of all if it has a star.
fn chosen(named: &[&str], all: &[&str]) -> Vec<usize> {
    (0..all.len()).filter(|at| named.contains(&"*") || named.contains(&all[*at])).collect()
}

fn chosen_resources(named: &[&str]) -> Vec<usize> {
    let mut chosen = BTreeSet::new();
    for pattern in named {
        for (at, (plural, subresource)) in RESOURCES.iter().enumerate() {
            let whole = match *subresource {
                "" => vec![(*plural).to_owned()],
                sub => vec![format!("{plural}/{sub}"), format!("*/{sub}")],
            };
            if *pattern == "*" || whole.iter().any(|whole| whole == pattern) {
                chosen.insert(at);
            }
        }
    }
    chosen.into_iter().collect()
}

fn chosen_paths(named: &[&str]) -> Vec<usize> {
    let chosen = |path: &&str| {
        named.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(begin) => path.len() >= begin.len() && path[..begin.len()] == *begin,
            None => path == pattern,
        })
    };
    (0..PATHS.len()).filter(|at| chosen(&PATHS[*at])).collect()
}

/// What a rule allows in one namespace; cluster roles that are bound in one allow nothing at paths.
fn inside(rule: &Value, namespace: &str, deeds: &mut Deeds) {
    let place = NAMESPACES.iter().position(|other| *other == namespace).unwrap();
    let resource_names = texts(rule, "resourceNames");
    // A star is a name here.
    let objects: Vec<usize> = (0..NAMES.len())
        .filter(|at| resource_names.is_empty() || resource_names.contains(&NAMES[*at]))
        .collect();
    let resources = chosen_resources(&texts(rule, "resources"));
    for verb in chosen(&texts(rule, "verbs"), &VERBS) {
        for group in chosen(&texts(rule, "apiGroups"), &GROUPS) {
            for resource in &resources {
                for name in &objects {
                    let (resource, name) = (*resource, *name);
                    deeds.0[Deed::To { namespace: place, verb, group, resource, name }.place()] = true;
                }
            }
        }
    }
}

fn at_paths(rule: &Value, deeds: &mut Deeds) {
    for verb in chosen(&texts(rule, "verbs"), &VERBS) {
        for path in chosen_paths(&texts(rule, "nonResourceURLs")) {
            deeds.0[Deed::At { verb, path }.place()] = true;
        }
    }
}

/// All that rules say, granted in a namespace, or outside if it is empty.
pub(super) fn granted(rules: &[Value], namespace: &str) -> Deeds {
    let mut deeds = Deeds::none();
    for rule in rules {
        inside(rule, namespace, &mut deeds);
        at_paths(rule, &mut deeds);
    }
    deeds
}

/// The rules of who may do everything.
pub(super) fn everything() -> [Value; 2] {
    [
        json!({ "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"] }),
        json!({ "verbs": ["*"], "nonResourceURLs": ["*"] }),
    ]
}
