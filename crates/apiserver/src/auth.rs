//! Who asks, and whether they may.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use bowline_kernel::{Change, View};

use crate::authorize::Attributes;
use crate::document::Document;
use crate::hub::Hub;
use crate::status::Status;
use crate::user::MASTERS;

mod authenticate;
pub(crate) mod bootstrap;
mod causes;
mod impersonate;
mod names;
pub(crate) mod pki;
pub(crate) mod rbac;
pub(crate) mod reviews;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod tokens;
mod words;

pub(crate) use words::quote;

use rbac::Rules;
use tokens::Tokens;

/// Who asks, and whether they may.
pub(crate) struct Auth {
    tokens: Tokens,
    rules: ArcSwap<Rules>,
    /// The version of the last durable change to a role or binding.
    changed: AtomicU64,
    /// Held by who builds the rules anew.
    building: Mutex<()>,
}

impl Auth {
    /// The rules of `view`, and accounts whose tokens are signed by `tokens`.
    pub(crate) fn new(tokens: Tokens, view: &View<Document>) -> Auth {
        Auth {
            tokens,
            rules: ArcSwap::from_pointee(Rules::build(view)),
            changed: AtomicU64::new(0),
            building: Mutex::new(()),
        }
    }

    /// Tokens of service accounts.
    pub(crate) fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// Takes note of changes that have just become visible, before anybody is answered.
    pub(crate) fn note(&self, changes: &[Change<Document>]) {
        if let Some(change) = changes.iter().rev().find(|change| rbac::concerns(&change.key.resource)) {
            self.changed.fetch_max(change.version.0, Ordering::AcqRel);
        }
    }

    /// Whether a user may do what is asked.
    ///
    /// Who may do everything needs no rules: to build them anew after each change of a role would cost more than the change.
    ///
    /// # Errors
    /// 403.
    pub(crate) fn authorize(&self, hub: &Hub, attributes: &Attributes<'_>) -> Result<(), Status> {
        if attributes.user.is_in(MASTERS) {
            return Ok(());
        }
        self.rules(hub).authorize(attributes)
    }

    /// Who may do what, at this moment: all that is visible counts.
    ///
    /// They are built when they are first needed, so that many changes in a row cost one building. The caller
    /// must not hold the view of the hub.
    pub(crate) fn rules(&self, hub: &Hub) -> Arc<Rules> {
        let fresh = |rules: &Rules| rules.version().0 >= self.changed.load(Ordering::Acquire);
        let rules = self.rules.load_full();
        if fresh(&rules) {
            return rules;
        }
        // Who comes meanwhile waits: older rules would not know of what they have been told.
        let _turn = self.building.lock().unwrap_or_else(PoisonError::into_inner);
        let rules = self.rules.load_full();
        if fresh(&rules) {
            return rules;
        }
        let rules = Arc::new(Rules::build(&hub.view()));
        self.rules.store(Arc::clone(&rules));
        rules
    }
}

#[cfg(test)]
mod tests {
    use bowline_kernel::{Object as _, Version};
    use serde_json::{Value, json};

    use super::testing::{Temporary, hub, view};
    use super::*;
    use crate::authorize::What;
    use crate::key::Resource;
    use crate::user::User;

    fn world() -> Vec<Value> {
        let group = rbac::GROUP;
        vec![
            json!({"kind": "ClusterRole", "metadata": {"name": "health"},
                "rules": [{"verbs": ["get"], "nonResourceURLs": ["/healthz"]}]}),
            json!({"kind": "ClusterRoleBinding", "metadata": {"name": "health"},
                "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "health"},
                "subjects": [{"kind": "User", "name": "bob"}]}),
            json!({"kind": "Pod", "metadata": {"name": "p", "namespace": "a"}}),
        ]
    }

    #[test]
    fn rules_are_built_anew_when_roles_change_and_only_then() {
        let directory = Temporary::new("refresh");
        let auth = Auth::new(Tokens::load(&directory).unwrap(), &view([]));
        let hub = hub(world());
        let bob = User { name: "bob".into(), ..User::default() };
        let asked = Attributes { user: &bob, verb: "get", what: What::Path("/healthz") };
        let change = |resource: &Resource, version: u64| {
            let view = hub.view();
            let (key, after) = view.collection(resource).unwrap().objects().iter().next().unwrap();
            Change {
                version: Version(version),
                key: key.clone(),
                before: None,
                after: Arc::clone(after),
                removed: false,
            }
        };
        auth.note(&[change(&Resource::new("", "pods"), 2)]);
        assert!(!auth.rules(&hub).allow(&asked));
        let binding = change(&Resource::new(rbac::GROUP, "clusterrolebindings"), 2);
        assert_eq!(&*binding.after.key().name, "health");
        auth.note(&[binding, change(&Resource::new("", "pods"), 3)]);
        assert!(auth.rules(&hub).allow(&asked));
    }

    #[test]
    fn who_may_do_everything_waits_for_no_rules_and_all_others_are_judged_by_them() {
        let directory = Temporary::new("masters");
        let auth = Auth::new(Tokens::load(&directory).unwrap(), &view([]));
        let hub = hub(world());
        auth.changed.store(2, Ordering::Release);
        let root = User { name: "root".into(), groups: vec![MASTERS.into()], ..User::default() };
        let may = |user: &User| {
            let what = What::Path("/metrics");
            auth.authorize(&hub, &Attributes { user, verb: "get", what }).is_ok()
        };
        let before = auth.rules.load_full();
        assert!(may(&root));
        assert!(Arc::ptr_eq(&before, &auth.rules.load_full()), "nobody has built them");
        assert!(!may(&User { name: "bob".into(), ..User::default() }));
        assert!(!Arc::ptr_eq(&before, &auth.rules.load_full()));
    }
}
