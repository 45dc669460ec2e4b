//! What is left on the hub of identities that were deleted: by it Bowline still sweeps in AWS, for a day.

use bowline_api::identities::{IamTombstone, IamTombstoneSpec};
use bowline_identities::plain::{Marks, Named};
use kube::api::ListParams;
use kube::{Api, Client};

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

impl From<IamTombstoneSpec> for Tombstone {
    fn from(spec: IamTombstoneSpec) -> Self {
        let name =
            Named { namespace: spec.namespace.as_str().to_owned(), name: spec.identity.as_str().to_owned() };
        Self { name, uids: spec.uids }
    }
}

/// All of them. A hub whose definitions are older has none.
pub(super) async fn all(client: &Client) -> anyhow::Result<Vec<Tombstone>> {
    let tombstones: Api<IamTombstone> = Api::all(client.clone());
    match tombstones.list(&ListParams::default()).await {
        Ok(found) => Ok(found.items.into_iter().map(|one| one.spec.into()).collect()),
        Err(error) if answered(&error, 404) => Ok(Vec::new()),
        Err(error) => Err(failed(error, "cannot list what is left of identities that were deleted")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_of_these_is_swept() {
        let uids = ["u1", "u2"].map(str::to_owned).to_vec();
        let spec = IamTombstoneSpec {
            namespace: "team".into(),
            identity: "reader".into(),
            uids,
            ..Default::default()
        };
        let tombstone = Tombstone::from(spec);
        let marks = |name: &str, uid: &str| Marks {
            hub: "hub-1".to_owned(),
            name: Named { namespace: "team".to_owned(), name: name.to_owned() },
            uid: uid.to_owned(),
        };
        assert!(tombstone.sweeps(&marks("reader", "u2")));
        assert!(!tombstone.sweeps(&marks("reader", "u3")) && !tombstone.sweeps(&marks("other", "u1")));
    }
}
