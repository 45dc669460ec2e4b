//! Somebody asks to be treated as another.

use std::collections::BTreeMap;

use http::request::Parts;
use http::{HeaderMap, Uri};
use percent_encoding::percent_decode_str;

use super::names;
use super::rbac::Rules;
use crate::authorize::{Attributes, What};
use crate::status::Status;
use crate::user::{ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED, User, service_account_groups};

const USER: &str = "impersonate-user";
const GROUP: &str = "impersonate-group";
const UID: &str = "impersonate-uid";
const EXTRA: &str = "impersonate-extra-";

/// The group of what is impersonated but users, groups and service accounts.
const AUTHENTICATION: &str = "authentication.k8s.io";

/// Whether a request asks for it.
pub(super) fn is_asked(headers: &HeaderMap) -> bool {
    headers.keys().any(|name| name.as_str().starts_with("impersonate-"))
}

/// The other, if the user may be them in every respect.
pub(super) fn become_another(user: &User, head: &Parts, rules: &Rules) -> Result<User, Status> {
    let wish = Wish::read(&head.headers);
    if wish.name.is_empty() {
        return if wish.is_empty() { Ok(user.clone()) } else { Err(wish.nobody(&head.uri)) };
    }
    let may = |group: &str, plural: &str, subresource: &str, namespace: &str, name: &str| {
        let what = What::Resource { group, plural, subresource, namespace, name };
        rules.authorize(&Attributes { user, verb: "impersonate", what })
    };
    let account = service_account(&wish.name);
    match account {
        Some((namespace, name)) => may("", "serviceaccounts", "", namespace, name)?,
        None => may("", "users", "", "", &wish.name)?,
    }
    for group in &wish.groups {
        may("", "groups", "", "", group)?;
    }
    for (key, values) in &wish.extra {
        for value in values {
            may(AUTHENTICATION, "userextras", key, "", value)?;
        }
    }
    if !wish.uid.is_empty() {
        may(AUTHENTICATION, "uids", "", "", &wish.uid)?;
    }
    let mut groups = match account {
        Some((namespace, _)) if wish.groups.is_empty() => service_account_groups(namespace).into(),
        _ => wish.groups,
    };
    groups.extend(understood(&wish.name, &groups).map(str::to_owned));
    Ok(User { name: wish.name, uid: wish.uid, groups, extra: wish.extra })
}

/// The group that goes without saying.
fn understood(name: &str, groups: &[String]) -> Option<&'static str> {
    let has = |group: &str| groups.iter().any(|other| other == group);
    match name {
        ANONYMOUS => (!has(UNAUTHENTICATED)).then_some(UNAUTHENTICATED),
        _ => (!has(AUTHENTICATED) && !has(UNAUTHENTICATED)).then_some(AUTHENTICATED),
    }
}

/// Namespace and name, if this is the user name of a service account.
fn service_account(user: &str) -> Option<(&str, &str)> {
    let (namespace, name) = user.strip_prefix("system:serviceaccount:")?.split_once(':')?;
    (names::is_namespace(namespace) && names::subdomain(name).is_empty()).then_some((namespace, name))
}

/// Whom somebody asks to be.
struct Wish {
    name: String,
    uid: String,
    groups: Vec<String>,
    extra: BTreeMap<String, Vec<String>>,
}

impl Wish {
    fn read(headers: &HeaderMap) -> Wish {
        let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let first = |name: &str| headers.get(name).map(text).unwrap_or_default();
        let mut extra: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, value) in headers {
            if let Some(key) = name.as_str().strip_prefix(EXTRA) {
                let decoded = percent_decode_str(key).decode_utf8();
                let key = decoded.map_or_else(|_| key.to_owned(), std::borrow::Cow::into_owned);
                extra.entry(key).or_default().push(text(value));
            }
        }
        Wish {
            name: first(USER),
            uid: first(UID),
            groups: headers.get_all(GROUP).iter().map(text).collect(),
            extra,
        }
    }

    fn is_empty(&self) -> bool {
        self.uid.is_empty() && self.groups.is_empty() && self.extra.is_empty()
    }

    /// Groups, extras or a uid of nobody. The list is printed as Go prints it.
    fn nobody(&self, uri: &Uri) -> Status {
        let group = |group: &String| format!("{{Group  {group}    }}");
        let mut parts: Vec<_> = self.groups.iter().map(group).collect();
        for (key, values) in &self.extra {
            parts.extend(
                values.iter().map(|value| format!("{{UserExtra  {value}  {AUTHENTICATION}/v1  {key}}}")),
            );
        }
        if !self.uid.is_empty() {
            parts.push(format!("{{UID  {}  {AUTHENTICATION}/v1  }}", self.uid));
        }
        let why = format!("requested [{}] without impersonating a user", parts.join(" "));
        Status::senseless(uri, &why)
    }
}
