//! Who is asked whether a namespace is deleted: the server, and no cache.

use bowline_placements::plain::signs::{Ask, Signs};
use bowline_runtime::{Mandate, Outside, REQUEST, sentence};
use k8s_openapi::api::core::v1::Namespace;
use kube::{Api, Client};

/// Asks the server.
pub(crate) struct Asks(pub(crate) Client);

impl Asks {
    async fn is_deleted(&self, name: &str) -> Result<bool, String> {
        let namespaces: Api<Namespace> = Api::all(self.0.clone());
        let found = namespaces.get_metadata_opt(name).await.map_err(|error| sentence(&error))?;
        let found = found.ok_or_else(|| format!("there is no namespace {name}"))?;
        Ok(found.metadata.deletion_timestamp.is_some())
    }
}

impl Outside<Signs> for Asks {
    async fn call(&self, Ask(namespace): Ask, mandate: &Mandate) -> Result<bool, String> {
        let Some(most) = mandate.left(REQUEST) else {
            return Err(format!("{} before it was asked", mandate.over()));
        };
        let asked = tokio::time::timeout(most, self.is_deleted(&namespace)).await;
        asked.unwrap_or_else(|_| Err(format!("no answer within {} ms", most.as_millis())))
    }

    fn only_reads(&self, _: &Ask) -> bool {
        true
    }

    fn asked(&self, Ask(namespace): &Ask) -> String {
        format!("whether the namespace {namespace} is deleted")
    }

    fn heard(&self, reply: &Result<bool, String>) -> String {
        match reply {
            Ok(true) => "it is deleted".to_owned(),
            Ok(false) => "it is not deleted".to_owned(),
            Err(why) => format!("failed: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::updates::{Fake, missing};

    async fn said(code: u16, metadata: Value) -> Result<bool, String> {
        let fake = Fake::new(move |asked| {
            assert_eq!(asked.what, "GET /api/v1/namespaces/shop");
            if code == 404 { missing() } else { (code, json!({ "metadata": metadata })) }
        });
        Asks(fake.client).call(Ask("shop".into()), &Mandate::always()).await
    }

    #[tokio::test]
    async fn a_namespace_is_deleted_if_the_server_says_so_and_not_if_it_says_nothing() {
        assert_eq!(said(200, json!({ "name": "shop" })).await, Ok(false));
        let deleted = json!({ "name": "shop", "deletionTimestamp": "2026-01-01T00:00:00Z" });
        assert_eq!(said(200, deleted).await, Ok(true));
        assert!(said(404, Value::Null).await.is_err(), "that is no reason to delete anything");
        let silent = Asks(Fake::silent().client).call(Ask("shop".into()), &Mandate::always()).await;
        assert!(silent.is_err());
    }
}
