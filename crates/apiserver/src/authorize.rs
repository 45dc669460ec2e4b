//! Whether a user may do what is asked: what that is, and how a refusal says it.

use http::StatusCode;

use crate::auth::quote;
use crate::path::ResourcePath;
use crate::status::{Details, Status};
use crate::user::User;

/// What is asked, as it was parsed: what is authorised is what is served.
#[derive(Clone, Debug)]
pub(crate) struct Attributes<'a> {
    /// Who asks.
    pub user: &'a User,
    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; for other paths the method
    /// in lower case.
    pub verb: &'a str,
    /// Of what.
    pub what: What<'a>,
}

/// Of what something is asked.
#[derive(Clone, Debug)]
pub(crate) enum What<'a> {
    /// A resource, or an object of it.
    Resource {
        /// Empty for the core kinds.
        group: &'a str,
        /// The plural name of the kind.
        plural: &'a str,
        /// Empty for the object itself.
        subresource: &'a str,
        /// Empty for all namespaces, and for what has none. A namespace counts as inside itself.
        namespace: &'a str,
        /// Empty for all objects.
        name: &'a str,
    },
    /// Another path.
    Path(&'a str),
}

impl<'a> What<'a> {
    /// What a path names.
    pub(crate) fn at(path: &'a ResourcePath) -> What<'a> {
        let itself = path.plural == "namespaces" && path.namespace.is_empty();
        What::Resource {
            group: &path.group,
            plural: &path.plural,
            subresource: &path.subresource,
            namespace: if itself { &path.name } else { &path.namespace },
            name: &path.name,
        }
    }

    /// The same, of the one object of this name: so counts who lists, watches or deletes by the field selector
    /// `metadata.name=NAME`.
    #[must_use]
    pub(crate) fn only(mut self, only: &'a str) -> What<'a> {
        if let What::Resource { name, .. } = &mut self
            && name.is_empty()
        {
            *name = only;
        }
        self
    }
}

/// The answer to who may not do it: 403. `reason` is what else there is to say, or empty.
pub(crate) fn forbidden(attributes: &Attributes<'_>, reason: &str) -> Status {
    // What the user sent comes back to them: it must not look like HTML to anybody.
    let message = sentence(attributes).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let colon = if reason.is_empty() { "" } else { ": " };
    let why = format!("{message}{colon}{reason}");
    match attributes.what {
        What::Path(_) => refusal("", "", "", &why),
        What::Resource { group, plural, name, .. } => refusal(group, plural, name, &why),
    }
}

/// The answer to who may not do something to an object, or to a kind if `name` is empty.
pub(crate) fn refusal(group: &str, plural: &str, name: &str, why: &str) -> Status {
    let dot = if group.is_empty() { "" } else { "." };
    let message = match (plural, name) {
        ("", _) => format!("forbidden: {why}"),
        (_, "") => format!("{plural}{dot}{group} is forbidden: {why}"),
        _ => format!("{plural}{dot}{group} {} is forbidden: {why}", quote(name)),
    };
    let details =
        Details { name: name.into(), group: group.into(), kind: plural.into(), ..Details::default() };
    Status::failure(StatusCode::FORBIDDEN, "Forbidden", message).of(details)
}

fn sentence(attributes: &Attributes<'_>) -> String {
    let (user, verb) = (quote(&attributes.user.name), attributes.verb);
    match attributes.what {
        What::Path(path) => format!("User {user} cannot {verb} path {}", quote(path)),
        What::Resource { group, plural, subresource, namespace, .. } => {
            let slash = if subresource.is_empty() { "" } else { "/" };
            let resource = quote(&format!("{plural}{slash}{subresource}"));
            let place = if namespace.is_empty() {
                "at the cluster scope".to_owned()
            } else {
                format!("in the namespace {}", quote(namespace))
            };
            format!("User {user} cannot {verb} resource {resource} in API group {} {place}", quote(group))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::{Path, parse};

    fn say(user: &str, verb: &str, path: &str) -> String {
        let user = User { name: user.into(), ..User::default() };
        let parsed = parse(path);
        let what = match &parsed {
            Path::Resource(path) => What::at(path),
            Path::Other => What::Path(path),
        };
        let status = forbidden(&Attributes { user: &user, verb, what }, "");
        let Details { name, group, kind, .. } = *status.details.unwrap();
        format!("{} {} {name}|{group}|{kind} {}", status.code, status.reason, status.message)
    }

    #[test]
    fn refusals_read_as_those_of_kubernetes() {
        for (user, verb, path, expected) in [
            (
                "bob",
                "list",
                "/api/v1/pods",
                r#"||pods pods is forbidden: User "bob" cannot list resource "pods" in API group "" at the cluster scope"#,
            ),
            (
                "bob",
                "list",
                "/api/v1/namespaces/default/pods",
                r#"||pods pods is forbidden: User "bob" cannot list resource "pods" in API group "" in the namespace "default""#,
            ),
            (
                "bob",
                "get",
                "/api/v1/namespaces/default/pods/x/log",
                r#"x||pods pods "x" is forbidden: User "bob" cannot get resource "pods/log" in API group "" in the namespace "default""#,
            ),
            (
                "bob",
                "get",
                "/api/v1/namespaces/default",
                r#"default||namespaces namespaces "default" is forbidden: User "bob" cannot get resource "namespaces" in API group "" in the namespace "default""#,
            ),
            (
                "bob",
                "get",
                "/apis/apps/v1/namespaces/default/deployments/d/scale",
                r#"d|apps|deployments deployments.apps "d" is forbidden: User "bob" cannot get resource "deployments/scale" in API group "apps" in the namespace "default""#,
            ),
            ("bob", "get", "/foo/bar", r#"|| forbidden: User "bob" cannot get path "/foo/bar""#),
            (
                "a\"<b>",
                "list",
                "/api/v1/nodes",
                r#"||nodes nodes is forbidden: User "a\"&lt;b&gt;" cannot list resource "nodes" in API group "" at the cluster scope"#,
            ),
        ] {
            assert_eq!(say(user, verb, path), format!("403 Forbidden {expected}"));
        }
    }
}
