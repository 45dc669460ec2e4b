//! `bowline place abandon`: a volume that nobody reaches any more is forgotten.

use kube::api::Patch;
use serde_json::json;

use super::{Hub, now, patching};
use crate::connection::{Wanted, failed};
use crate::exit::{BadUsage, Exit, Refused};
use crate::output::{self, Format};

/// The name of a grant, from `NS/PVC`, or as it is.
pub(super) fn grant_name(text: &str) -> anyhow::Result<String> {
    let well = match text.split_once('/') {
        Some((namespace, claim)) => !namespace.is_empty() && !claim.is_empty() && !claim.contains('/'),
        None => {
            text.split_once('.').is_some_and(|(namespace, claim)| !namespace.is_empty() && !claim.is_empty())
        }
    };
    if !well {
        anyhow::bail!(BadUsage(format!("{text} names no volume: it takes NAMESPACE/CLAIM")));
    }
    Ok(text.replacen('/', ".", 1))
}

/// Records that a person says that nothing of a volume can be reached any more.
pub(crate) async fn abandon(server: &Wanted, volume: &str, format: Format) -> anyhow::Result<Exit> {
    let name = grant_name(volume)?;
    let hub = Hub::of(server).await?;
    let found = hub.grants().get_opt(&name).await.map_err(|error| failed(error, "cannot read the volume"))?;
    let Some(found) = found else {
        anyhow::bail!(Refused(format!("there is no volume {volume}: see `bowline place status -o wide`")));
    };
    if let Some(abandoned) = &found.spec.abandoned {
        output::note(&format!("{volume} was abandoned by {} at {}.", abandoned.by, abandoned.at.0));
        return Ok(Exit::Done);
    }
    let by = hub.whoami().await?;
    let change = json!({ "spec": { "abandoned": { "by": by, "at": now() } } });
    let changed = hub.grants().patch(&name, &patching(), &Patch::Merge(change)).await;
    let changed = changed.map_err(|error| failed(error, "cannot abandon the volume"))?;
    if !format.is_text() {
        output::print(&output::document(format, &changed)?)?;
        return Ok(Exit::Done);
    }
    output::note(&format!(
        "{volume} is abandoned, in the name of {by}: when its namespace is deleted, its data is not waited for, and may be left where it is."
    ));
    if let Some(holder) = found.status.and_then(|status| status.holder) {
        output::note(&format!(
            "{holder} has it, and goes on using it. To take it back: kubectl patch volumegrant {name} --type=merge -p '{{\"spec\":{{\"abandoned\":null}}}}'"
        ));
    }
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_volume_is_named_by_namespace_and_claim() {
        for (text, name) in
            [("shop/data", "shop.data"), ("shop/data.0", "shop.data.0"), ("shop.data", "shop.data")]
        {
            assert_eq!(grant_name(text).expect("a name"), name);
        }
        for wrong in ["", "shop", "shop/", "/data", "a/b/c"] {
            assert!(grant_name(wrong).is_err(), "{wrong}");
        }
    }
}
