//! Who reads: one object, all, or all in pieces.

use std::sync::atomic::Ordering;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{KEYS, Shared, get};
use crate::dice::Dice;
use crate::judge::Promise;
use crate::log::{Asked, Key, Listing, Objects, Version};
use crate::object::{self, MAPS};

/// Reads until it is to end or the hub is gone.
pub async fn read(shared: &Shared, mut dice: Dice) {
    while !shared.is_over() {
        let goes_on = match dice.below(10) {
            0 => listed(shared, 0).await,
            1 => listed(shared, 1 + dice.below(9)).await,
            _ => {
                let key = Key::try_from(dice.below(KEYS)).unwrap_or(0);
                shared.ask(key, Asked::Get, get(&object::path(key))).await
            }
        };
        if !goes_on {
            return;
        }
    }
}

/// Lists all in pieces of `limit` (zero: in one), and says whether the hub is still there.
async fn listed(shared: &Shared, limit: u64) -> bool {
    let sent = shared.now();
    match pieces(shared, limit).await {
        Ok(Some((version, objects))) => {
            let done = shared.now();
            shared.life().listings.push(Listing { sent, done, version, objects });
            true
        }
        Ok(None) => true,
        Err(_) => false,
    }
}

/// `None` if the rest of it was asked for too late, or what came was wrong by itself.
async fn pieces(shared: &Shared, limit: u64) -> Result<Option<(Version, Objects)>> {
    let mut objects = Objects::new();
    let mut of = None;
    let mut next = String::new();
    loop {
        let more = if next.is_empty() { String::new() } else { format!("&continue={next}") };
        let text = match shared.client.request_text(get(&format!("{MAPS}?limit={limit}{more}"))).await {
            Err(kube::Error::Api(status)) if status.code == 410 => {
                shared.expired.fetch_add(1, Ordering::SeqCst);
                return Ok(None);
            }
            text => text?,
        };
        let (version, token) = match piece(&text, &mut objects) {
            Ok(found) => found,
            Err(what) => {
                shared.odd(Promise::AtomicLists, format!("{what:#}"));
                return Ok(None);
            }
        };
        if *of.get_or_insert(version) != version {
            shared.odd(
                Promise::AtomicLists,
                format!("pieces of one list are of version {of:?} and of {version}"),
            );
            return Ok(None);
        }
        if token.is_empty() {
            return Ok(Some((version, objects)));
        }
        next = token;
    }
}

/// The version and the token of a piece; its objects are added.
fn piece(text: &str, objects: &mut Objects) -> Result<(Version, String)> {
    let list: Value = serde_json::from_str(text)?;
    for item in list["items"].as_array().context("a list has items")? {
        if let Some((key, seen)) = object::read(item).map_err(anyhow::Error::msg)? {
            ensure!(objects.insert(key, seen).is_none(), "object {key} is in a list twice");
        }
    }
    let version = object::version(&list).context("a list has a version")?;
    Ok((version, list["metadata"]["continue"].as_str().unwrap_or_default().to_owned()))
}

/// What there is, before a life begins.
///
/// # Errors
/// If it cannot be had.
pub async fn list(client: &kube::Client) -> Result<(Version, Objects)> {
    let mut objects = Objects::new();
    let text = client.request_text(get(MAPS)).await?;
    let (version, _) = piece(&text, &mut objects)?;
    Ok((version, objects))
}
