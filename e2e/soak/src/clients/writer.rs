//! Who writes: everybody writes everything, so that many are too late.

use std::sync::atomic::Ordering;

use serde_json::json;

use super::{KEYS, Shared, request};
use crate::dice::Dice;
use crate::log::{Asked, Key, Version};
use crate::object::{MAPS, change, path, whole};

const JSON: &str = "application/json";

/// Writes until it is to end or the hub is gone.
pub async fn write(shared: &Shared, mut dice: Dice) {
    while !shared.rest.load(Ordering::SeqCst) && !shared.is_over() {
        let key = Key::try_from(dice.below(KEYS)).unwrap_or(0);
        let asked = choose(shared, &mut dice, key);
        let request = match asked {
            Asked::Create(tag) => request("POST", MAPS, JSON, &whole(key, tag, None).to_string()),
            Asked::Replace(tag, guard) => {
                request("PUT", &path(key), JSON, &whole(key, tag, Some(guard)).to_string())
            }
            Asked::Patch(tag) => {
                request("PATCH", &path(key), "application/merge-patch+json", &change(tag).to_string())
            }
            Asked::Delete(guard) => request("DELETE", &path(key), JSON, &options(guard)),
            Asked::Get => super::get(&path(key)),
        };
        if !shared.ask(key, asked, request).await {
            return;
        }
    }
}

fn choose(shared: &Shared, dice: &mut Dice, key: Key) -> Asked {
    let tag = shared.tags.fetch_add(1, Ordering::SeqCst);
    match (shared.believed(key), dice.below(20)) {
        (None, _) | (_, 0) => Asked::Create(tag),
        // Somebody with a very old view.
        (Some(version), 1) => Asked::Replace(tag, version.saturating_sub(1).max(1)),
        (Some(_), 2..=5) => Asked::Patch(tag),
        (Some(version), 6..=8) => Asked::Delete(version),
        (Some(version), _) => Asked::Replace(tag, version),
    }
}

fn options(guard: Version) -> String {
    let preconditions = json!({ "resourceVersion": guard.to_string() });
    json!({ "apiVersion": "v1", "kind": "DeleteOptions", "preconditions": preconditions }).to_string()
}
