//! Which requests a flow schema is about.

use serde_json::Value;

use crate::builtin::fields;
use crate::document::Json;
use crate::user::User;

/// A request, as far as schemas look at it.
pub(crate) struct Target<'a> {
    /// By whom.
    pub user: &'a User,
    /// What is to be done.
    pub verb: &'a str,
    /// With what.
    pub what: Described<'a>,
}

/// What a request is about.
pub(crate) enum Described<'a> {
    /// A resource.
    Resource {
        /// Empty for the core kinds.
        group: &'a str,
        /// The plural name.
        plural: &'a str,
        /// Empty for the object itself.
        subresource: &'a str,
        /// Empty if it has none, or all are meant.
        namespace: &'a str,
    },
    /// Another path.
    Path(&'a str),
}

/// What a schema is about: any of these.
#[derive(Debug)]
pub(super) struct Rules(Vec<Rule>);

#[derive(Debug)]
struct Rule {
    subjects: Vec<Subject>,
    resources: Vec<OfResources>,
    paths: Vec<OfPaths>,
}

#[derive(Debug)]
enum Subject {
    User(String),
    Group(String),
    /// Of a namespace; `*` is all of it.
    Account(String, String),
}

#[derive(Debug)]
struct OfResources {
    verbs: Vec<String>,
    groups: Vec<String>,
    resources: Vec<String>,
    namespaces: Vec<String>,
    clustered: bool,
}

#[derive(Debug)]
struct OfPaths {
    verbs: Vec<String>,
    paths: Vec<String>,
}

impl Rules {
    /// What the `spec` of a schema says.
    pub(super) fn of(spec: &Json) -> Rules {
        let texts = |json: &Json, name: &str| fields::texts(json, name).map(str::to_owned).collect();
        let rules = fields::objects(spec, "rules").map(|rule| Rule {
            subjects: fields::objects(rule, "subjects").filter_map(subject).collect(),
            resources: fields::objects(rule, "resourceRules")
                .map(|rule| OfResources {
                    verbs: texts(rule, "verbs"),
                    groups: texts(rule, "apiGroups"),
                    resources: texts(rule, "resources"),
                    namespaces: texts(rule, "namespaces"),
                    clustered: rule.get("clusterScope").and_then(Value::as_bool) == Some(true),
                })
                .collect(),
            paths: fields::objects(rule, "nonResourceRules")
                .map(|rule| OfPaths { verbs: texts(rule, "verbs"), paths: texts(rule, "nonResourceURLs") })
                .collect(),
        });
        Rules(rules.collect())
    }

    /// Whether a request is meant.
    pub(super) fn mean(&self, target: &Target<'_>) -> bool {
        self.0.iter().any(|rule| {
            rule.subjects.iter().any(|subject| subject.is(target.user))
                && match &target.what {
                    Described::Resource { .. } => rule.resources.iter().any(|rule| rule.means(target)),
                    Described::Path(path) => rule.paths.iter().any(|rule| rule.means(target.verb, path)),
                }
        })
    }
}

fn subject(json: &Json) -> Option<Subject> {
    let of = |name: &str| fields::object(json, name);
    let name = |json: &Json| fields::text(json, "name").to_owned();
    Some(match fields::text(json, "kind") {
        "User" => Subject::User(name(of("user"))),
        "Group" => Subject::Group(name(of("group"))),
        "ServiceAccount" => {
            let account = of("serviceAccount");
            Subject::Account(fields::text(account, "namespace").to_owned(), name(account))
        }
        _ => return None,
    })
}

impl Subject {
    fn is(&self, user: &User) -> bool {
        match self {
            Subject::User(name) => name == "*" || *name == user.name,
            Subject::Group(name) => name == "*" || user.is_in(name),
            Subject::Account(namespace, name) => {
                let account = user.name.strip_prefix("system:serviceaccount:");
                account
                    .and_then(|account| account.split_once(':'))
                    .is_some_and(|(its, own)| its == namespace && (name == "*" || own == name))
            }
        }
    }
}

impl OfResources {
    fn means(&self, target: &Target<'_>) -> bool {
        let Described::Resource { group, plural, subresource, namespace } = target.what else { return false };
        let scope = if namespace.is_empty() { self.clustered } else { has(&self.namespaces, namespace) };
        let resource = match subresource {
            "" => has(&self.resources, plural),
            part => has(&self.resources, &format!("{plural}/{part}")),
        };
        scope && resource && has(&self.verbs, target.verb) && has(&self.groups, group)
    }
}

impl OfPaths {
    fn means(&self, verb: &str, path: &str) -> bool {
        let path = self.paths.iter().any(|known| {
            let below = known.strip_suffix('*');
            known == path || below.is_some_and(|below| path.starts_with(below))
        });
        path && has(&self.verbs, verb)
    }
}

fn has(list: &[String], wanted: &str) -> bool {
    list.iter().any(|item| item == "*" || item == wanted)
}
