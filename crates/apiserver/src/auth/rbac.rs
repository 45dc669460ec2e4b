//! Roles and bindings: who may do what.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock};

use bowline_kernel::{Object as _, Version, View};
use serde_json::Value;

use super::causes::text;
use super::words;
use crate::authorize::{Attributes, What, forbidden};
use crate::document::Document;
use crate::key::Resource;
use crate::status::Status;
use crate::user::{MASTERS, User};

pub(crate) mod aggregation;
mod escalation;
mod rule;
mod selector;
mod validation;

pub(crate) use escalation::Write;
pub(crate) use rule::{Rule, missing};
pub(super) use selector::{check_operator, check_requirement as check_label_requirement};

/// The group of roles and bindings.
pub(crate) const GROUP: &str = "rbac.authorization.k8s.io";

pub(super) static ROLES: LazyLock<Resource> = LazyLock::new(|| Resource::new(GROUP, "roles"));
pub(super) static CLUSTER_ROLES: LazyLock<Resource> = LazyLock::new(|| Resource::new(GROUP, "clusterroles"));
static BINDINGS: LazyLock<Resource> = LazyLock::new(|| Resource::new(GROUP, "rolebindings"));
static CLUSTER_BINDINGS: LazyLock<Resource> = LazyLock::new(|| Resource::new(GROUP, "clusterrolebindings"));

/// Whether a change to this resource changes who may do what.
pub(crate) fn concerns(resource: &Resource) -> bool {
    resource.group() == GROUP
}

/// Whether a user may write this role or binding, which they may write otherwise, and whether it is one.
///
/// # Errors
/// 403 with what they lack, 422 with what is wrong with it.
pub(crate) fn admit(
    rules: impl FnOnce() -> Arc<Rules>,
    user: &User,
    write: &Write<'_>,
) -> Result<(), Status> {
    // Who has everything can give it away, whatever the rules are.
    if !user.is_in(MASTERS) {
        escalation::check(&rules(), user, write)?;
    }
    validation::check(write)
}

/// Who may do what, ready to be asked: by user and group, then by namespace.
#[derive(Debug)]
pub(crate) struct Rules {
    version: Version,
    users: HashMap<Box<str>, Bound>,
    groups: HashMap<Box<str>, Bound>,
    /// By namespace, which is empty for cluster roles, and name.
    roles: BTreeMap<(Box<str>, Box<str>), Arc<Role>>,
}

/// What is bound to one user or group.
#[derive(Debug, Default)]
struct Bound {
    everywhere: Vec<Binding>,
    by_namespace: HashMap<Box<str>, Vec<Binding>>,
}

/// A binding, seen from one of its subjects.
#[derive(Clone, Debug)]
struct Binding {
    /// The same for all subjects of a binding.
    number: u32,
    role: Result<Arc<Role>, Arc<NoRole>>,
    source: Arc<Source>,
    subject: Box<str>,
}

/// Why a binding binds nothing.
#[derive(Debug)]
enum NoRole {
    /// The role is not there.
    Absent { sort: &'static str, name: Box<str> },
    /// There are no roles of that kind.
    Unknown { kind: Box<str> },
}

impl NoRole {
    /// In the words of the server, which calls it `sort` where it asks for it on behalf of a request for these.
    fn describe(&self, sort: Option<&str>) -> String {
        match self {
            NoRole::Absent { sort: own, name } => {
                format!("{}.{GROUP} {} not found", sort.unwrap_or(own), words::quote(name))
            }
            NoRole::Unknown { kind } => format!("unsupported role reference kind: {}", words::quote(kind)),
        }
    }
}

/// Which binding it is, for messages.
#[derive(Debug)]
struct Source(String);

/// A role, its rules by what they are about.
#[derive(Debug)]
struct Role {
    rules: Vec<Rule>,
    /// By `pods` or `pods/log`.
    by_resource: HashMap<Box<str>, Vec<u32>>,
    /// About several resources, or about paths.
    wide: Vec<u32>,
}

/// What the rules say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Decision {
    /// It may be done. Why, if it is not simply because the user may do everything.
    Allowed(Option<String>),
    /// No rule allows it. What went wrong on the way, or nothing.
    NoOpinion(String),
}

impl Role {
    fn new(role: &Value) -> Role {
        let rules = Rule::of_role(role);
        let mut by_resource: HashMap<Box<str>, Vec<u32>> = HashMap::new();
        let mut wide = Vec::new();
        for (number, rule) in (0u32..).zip(&rules) {
            if rule.resources.iter().any(|resource| resource.starts_with('*')) || !rule.paths.is_empty() {
                wide.push(number);
                continue;
            }
            for resource in &rule.resources {
                by_resource.entry(resource.as_str().into()).or_default().push(number);
            }
        }
        Role { rules, by_resource, wide }
    }

    fn allows(&self, verb: &str, what: &What<'_>, resource: &str) -> bool {
        let narrow = self.by_resource.get(resource).into_iter().flatten();
        let mut candidates = narrow.chain(&self.wide).filter_map(|number| self.rules.get(*number as usize));
        candidates.any(|rule| rule.allows(verb, what))
    }
}

impl Rules {
    /// The rules of all roles that are bound.
    pub(crate) fn build(view: &View<Document>) -> Rules {
        let mut rules = Rules {
            version: view.version(),
            users: HashMap::new(),
            groups: HashMap::new(),
            roles: BTreeMap::new(),
        };
        for resource in [&*CLUSTER_ROLES, &*ROLES] {
            for object in objects(view, resource) {
                let key = (Box::from(&*object.key().namespace), Box::from(&*object.key().name));
                rules.roles.insert(key, Arc::new(Role::new(&Value::Object(object.json()))));
            }
        }
        let bindings = objects(view, &CLUSTER_BINDINGS).chain(objects(view, &BINDINGS));
        for (number, binding) in (0u32..).zip(bindings) {
            rules.bind(number, binding);
        }
        rules
    }

    /// The version of the view that they are of.
    pub(crate) fn version(&self) -> Version {
        self.version
    }

    fn bind(&mut self, number: u32, binding: &Document) {
        let (namespace, name) = (&*binding.key().namespace, &*binding.key().name);
        let json = Value::Object(binding.json());
        let reference = &json["roleRef"];
        let (kind, role_name) = (text(reference, "kind"), text(reference, "name"));
        let (sort, place) = if namespace.is_empty() {
            ("ClusterRoleBinding", name.to_owned())
        } else {
            ("RoleBinding", format!("{name}/{namespace}"))
        };
        let source = Arc::new(Source(format!(
            "{sort} {} of {kind} {}",
            words::quote(&place),
            words::quote(role_name)
        )));
        let role = self.role(kind, namespace, role_name).map_err(Arc::new);
        for subject in json["subjects"].as_array().into_iter().flatten() {
            let (kind, name) = (text(subject, "kind"), text(subject, "name"));
            let (map, who, described) = match kind {
                "User" => (&mut self.users, name.to_owned(), name.to_owned()),
                "Group" => (&mut self.groups, name.to_owned(), name.to_owned()),
                "ServiceAccount" => {
                    let own = text(subject, "namespace");
                    let home = if own.is_empty() { namespace } else { own };
                    if home.is_empty() {
                        continue;
                    }
                    let user = format!("system:serviceaccount:{home}:{name}");
                    (&mut self.users, user, format!("{name}/{home}"))
                }
                _ => continue,
            };
            let bound = map.entry(who.into()).or_default();
            let list = if namespace.is_empty() {
                &mut bound.everywhere
            } else {
                bound.by_namespace.entry(namespace.into()).or_default()
            };
            let subject = format!("{kind} {}", words::quote(&described)).into();
            list.push(Binding { number, role: role.clone(), source: Arc::clone(&source), subject });
        }
    }

    /// The role that a binding in `namespace` means.
    fn role(&self, kind: &str, namespace: &str, name: &str) -> Result<Arc<Role>, NoRole> {
        let (sort, home) = match kind {
            "ClusterRole" => ("clusterrole", ""),
            "Role" => ("role", namespace),
            _ => return Err(NoRole::Unknown { kind: kind.into() }),
        };
        let role = self.roles.get(&(home.into(), name.into()));
        role.cloned().ok_or_else(|| NoRole::Absent { sort, name: name.into() })
    }

    /// The bindings of a user that count in a namespace, those that count everywhere first.
    fn bindings<'a>(&'a self, user: &'a User, namespace: &'a str) -> impl Iterator<Item = &'a Binding> {
        let bounds = move || {
            let groups = user.groups.iter().filter_map(|group| self.groups.get(group.as_str()));
            self.users.get(user.name.as_str()).into_iter().chain(groups)
        };
        let local = bounds().filter(move |_| !namespace.is_empty());
        let local = local.filter_map(move |bound| bound.by_namespace.get(namespace)).flatten();
        bounds().flat_map(|bound| &bound.everywhere).chain(local)
    }

    /// What the rules say.
    pub(crate) fn decide(&self, attributes: &Attributes<'_>) -> Decision {
        match self.granted(attributes) {
            Some(None) => Decision::Allowed(None),
            Some(Some(binding)) => Decision::Allowed(Some(format!(
                "RBAC: allowed by {} to {}",
                binding.source.0, binding.subject
            ))),
            None => Decision::NoOpinion(self.troubles(attributes)),
        }
    }

    /// Whether it may be done.
    pub(crate) fn allow(&self, attributes: &Attributes<'_>) -> bool {
        self.granted(attributes).is_some()
    }

    /// Whether it may be done, or the answer that says that it may not.
    ///
    /// # Errors
    /// 403.
    pub(crate) fn authorize(&self, attributes: &Attributes<'_>) -> Result<(), Status> {
        if self.allow(attributes) {
            return Ok(());
        }
        Err(forbidden(attributes, &self.troubles(attributes)))
    }

    fn granted<'a>(&'a self, attributes: &Attributes<'a>) -> Option<Option<&'a Binding>> {
        let Attributes { user, verb, what } = attributes;
        if user.is_in(MASTERS) {
            return Some(None);
        }
        let (namespace, resource) = match what {
            What::Path(_) => ("", "".into()),
            What::Resource { plural, subresource, namespace, .. } => {
                (*namespace, rule::combined(plural, subresource))
            }
        };
        let allows =
            |binding: &&Binding| binding.role.as_ref().is_ok_and(|role| role.allows(verb, what, &resource));
        self.bindings(user, namespace).find(allows).map(Some)
    }

    /// Roles that are bound and not there.
    fn troubles(&self, attributes: &Attributes<'_>) -> String {
        let namespace = match attributes.what {
            What::Path(_) => "",
            What::Resource { namespace, .. } => namespace,
        };
        match self.missing_roles(attributes.user, namespace, None) {
            None => String::new(),
            Some(missing) => format!("RBAC: {missing}"),
        }
    }

    /// Of a user in a namespace: the roles that are bound and not there. `sort` is what the server is asked for.
    pub(crate) fn missing_roles(&self, user: &User, namespace: &str, sort: Option<&str>) -> Option<String> {
        let bindings = self.bound_once(user, namespace).into_iter();
        let missing = bindings.filter_map(|binding| binding.role.as_ref().err());
        let missing: Vec<_> = missing.map(|missing| missing.describe(sort)).collect();
        (!missing.is_empty()).then(|| words::aggregate(missing))
    }

    /// All rules that hold for a user in a namespace.
    pub(crate) fn of<'a>(&'a self, user: &'a User, namespace: &'a str) -> Vec<&'a Rule> {
        let bindings = self.bound_once(user, namespace).into_iter();
        let roles = bindings.filter_map(|binding| binding.role.as_ref().ok());
        roles.flat_map(|role| &role.rules).collect()
    }

    /// A binding that names a user twice counts once.
    fn bound_once<'a>(&'a self, user: &'a User, namespace: &'a str) -> Vec<&'a Binding> {
        let mut bindings: Vec<_> = self.bindings(user, namespace).collect();
        bindings.sort_by_key(|binding| binding.number);
        bindings.dedup_by_key(|binding| binding.number);
        bindings
    }
}

pub(super) fn objects<'a>(
    view: &'a View<Document>,
    resource: &Resource,
) -> impl Iterator<Item = &'a Arc<Document>> {
    view.collection(resource).into_iter().flat_map(|collection| collection.objects().values())
}

#[cfg(test)]
mod disputed;
#[cfg(test)]
mod referee;
#[cfg(test)]
mod tests;
