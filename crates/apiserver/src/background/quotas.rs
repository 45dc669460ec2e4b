//! The status of a quota says what is used of it. Nothing goes by it here; people read it.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::api::Api;
use crate::builtin::quota::{self, Amounts};
use crate::document::{Edit, Json};
use crate::hub::{Account, Failure};
use crate::key::Key;
use crate::part::Part;
use crate::status::Status;
use crate::verbs::Write;

/// Writes what is used whenever it changes. Many changes at once come to one write.
pub(super) async fn run(api: Arc<Api>) {
    let mut published = api.hub.published();
    loop {
        published.mark_unchanged();
        for (key, account) in api.hub.quotas_due() {
            while let Err(status) = tend(&api, &key, &account).await {
                tracing::warn!(error = status.message, "the status of a quota will be written later");
                tokio::time::sleep(super::REST).await;
            }
        }
        if published.changed().await.is_err() {
            return;
        }
    }
}

async fn tend(api: &Arc<Api>, key: &Key, account: &Account) -> Result<(), Status> {
    let write = Write { part: Part::Status, ..Write::by_server(api, api.kind_of(key)?, key) };
    let account = account.clone();
    let edit: Edit = Arc::new(move |current| {
        let current = current.ok_or_else(|| Status::not_found(&write.kind, &write.name))?;
        let mut json = write.shown(current);
        if !note(&mut json, &account) {
            return Ok(current.clone());
        }
        write.document(&write.tracked(json, current))
    });
    match api.hub.modify(key, edit, false).await {
        // It may be gone by now.
        Ok(_) | Err(Failure::Refused(_)) => Ok(()),
        Err(failure) => Err(Status::from(failure)),
    }
}

/// Writes what is so into a quota, and says whether it said something else. What is not counted here is left to who
/// counts it.
fn note(json: &mut Json, account: &Account) -> bool {
    let empty = Json::new();
    let status = json.get("status").and_then(Value::as_object).unwrap_or(&empty);
    let (hard, mut used) = (quota::read(status, "hard"), quota::read(status, "used"));
    let before = used.clone();
    used.retain(|name, _| account.quota.hard.contains_key(name));
    used.extend(account.used.clone());
    if hard == account.quota.hard && used == before {
        return false;
    }
    json.insert("status".into(), json!({ "hard": written(&account.quota.hard), "used": written(&used) }));
    true
}

fn written(amounts: &Amounts) -> Value {
    amounts.iter().map(|(name, amount)| (name.clone(), Value::from(amount.to_string()))).collect()
}
