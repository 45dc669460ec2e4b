//! What is left on the hub of identities that were deleted: by it Bowline still sweeps in AWS, for a day.

use bowline_api::{GROUP, VERSION};
use bowline_identities::plain::{Marks, Named};
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, ListParams};
use kube::{Api, Client};
use serde_json::Value;

use crate::connection::failed;
use crate::team::answered;

/// Which identities are swept for: those of this name with these uids.
pub(super) struct Tombstone {
    name: Named,
    uids: Vec<String>,
}

impl Tombstone {
    /// Whether something that says whose it is still goes by itself.
    pub(super) fn sweeps(&self, marks: &Marks) -> bool {
        self.name == marks.name && self.uids.contains(&marks.uid)
    }
}

/// All of them. A hub whose definitions are older has none.
pub(super) async fn all(client: &Client) -> anyhow::Result<Vec<Tombstone>> {
    let kind = GroupVersionKind::gvk(GROUP, VERSION, "IamTombstone");
    let kind = ApiResource::from_gvk_with_plural(&kind, "iamtombstones");
    let tombstones: Api<DynamicObject> = Api::all_with(client.clone(), &kind);
    match tombstones.list(&ListParams::default()).await {
        Ok(found) => Ok(found.items.iter().filter_map(|one| read(&one.data)).collect()),
        Err(error) if answered(&error, 404) => Ok(Vec::new()),
        Err(error) => Err(failed(error, "cannot list what is left of identities that were deleted")),
    }
}

fn read(data: &Value) -> Option<Tombstone> {
    let text = |field: &str| data.pointer(field)?.as_str().map(str::to_owned);
    let uids = data.pointer("/spec/uids").and_then(Value::as_array).into_iter().flatten();
    let uids = uids.filter_map(|uid| uid.as_str().map(str::to_owned)).collect();
    Some(Tombstone {
        name: Named { namespace: text("/spec/namespace")?, name: text("/spec/identity")? },
        uids,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_was_of_these_is_swept() {
        let spec =
            json!({"spec": {"namespace": "team", "identity": "reader", "uids": ["u1", "u2"], "sweeps": 1}});
        let tombstone = read(&spec).expect("a tombstone");
        let marks = |name: &str, uid: &str| Marks {
            hub: "hub-1".to_owned(),
            name: Named { namespace: "team".to_owned(), name: name.to_owned() },
            uid: uid.to_owned(),
        };
        assert!(tombstone.sweeps(&marks("reader", "u2")));
        assert!(!tombstone.sweeps(&marks("reader", "u3")) && !tombstone.sweeps(&marks("other", "u1")));
        assert!(read(&json!({"spec": {"namespace": "team"}})).is_none());
    }
}
