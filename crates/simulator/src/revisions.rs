//! The history of stateful sets and daemon sets: what their template was, as `kubectl rollout history` shows it.

use serde_json::{Value, json};

use crate::controller::Snapshot;
use crate::names;
use crate::step::{Choice, adopt, change, create, delete, wait};
use crate::thing::{Kind, Thing, strings};

/// The label that tells the pods of one template from those of another.
pub(crate) const LABEL: &str = "controller-revision-hash";

/// What a template is remembered as.
fn remembered(owner: &Thing) -> Value {
    let mut template = owner.template().clone();
    template["$patch"] = "replace".into();
    json!({ "spec": { "template": template } })
}

/// The revision that an owner's template is, by its hash: also if nobody has written it down yet.
pub(crate) fn hash(owner: &Thing) -> String {
    names::hash(owner.template())
}

/// The template of a revision, by its name.
pub(crate) fn template<'a>(owner: &'a Thing, snapshot: &'a Snapshot, name: &str) -> Option<&'a Value> {
    let revision = snapshot.owned(owner, Kind::Revision).find(|revision| revision.id.name == name)?;
    Some(&revision.body["data"]["spec"]["template"])
}

/// Sees that the template is written down with the highest number, and that no more is remembered than is wanted.
/// `None` if all of that is so.
pub(crate) fn keep(owner: &Thing, snapshot: &Snapshot, in_use: &[&str]) -> Option<Choice> {
    let mut all: Vec<_> = snapshot.owned(owner, Kind::Revision).collect();
    all.sort_by_key(|revision| number(revision));
    let last = all.last().map_or(0, |revision| number(revision));
    let data = remembered(owner);
    let hash = hash(owner);
    let name = format!("{}-{hash}", owner.id.name);
    match all.iter().find(|revision| revision.id.name == name) {
        None => {
            if let Some(other) = snapshot.near(Kind::Revision).find(|revision| revision.id.name == name) {
                return Some(match other.owner {
                    None => adopt(other, owner),
                    Some(_) => wait(format!("somebody to remove the {}", other.id)),
                });
            }
            let body = json!({ "data": data, "revision": last + 1 });
            return Some(create(Thing::child(owner, Kind::Revision, &name, body).edit(|revision| {
                revision.labels = strings(&owner.template()["metadata"]["labels"]);
                revision.labels.insert(LABEL.into(), hash);
            })));
        }
        Some(revision) if number(revision) < last => {
            let raised = revision.edit(|revision| revision.body["revision"] = (last + 1).into());
            return Some(change("raise the number", revision, raised));
        }
        Some(_) => {}
    }
    let limit = usize::try_from(owner.wanted("revisionHistoryLimit", 10)).unwrap_or(usize::MAX);
    let is_old = |revision: &&&Thing| {
        let known = &revision.id.name;
        *known != name && !in_use.contains(&known.as_str()) && !revision.deleting
    };
    let old: Vec<_> = all.iter().filter(is_old).collect();
    (old.len() > limit).then(|| delete(old[0]))
}

fn number(revision: &Thing) -> i64 {
    revision.body["revision"].as_i64().unwrap_or(0)
}
