//! Who watches: all from the start, or something, for a while, and on from there.

use std::pin::pin;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::{AsyncBufReadExt, StreamExt};
use serde_json::Value;

use super::{KEYS, Shared, get};
use crate::dice::Dice;
use crate::judge::Promise;
use crate::log::{Key, Kind, Said, Selects, Version, Watch};
use crate::object::{self, MAPS};

/// How often it is looked whether all are to end.
const LOOK: Duration = Duration::from_millis(100);

/// How somebody watches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Everything, from the start of the life to its end: by this one the history is known.
    Recorder,
    /// Now this and now that.
    Wanderer,
}

/// How a watch ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// By itself, or because it was enough.
    Enough,
    /// What it asked for is too old.
    Expired,
    /// The hub is gone, or all are to end.
    Over,
}

/// Watches until all are to end or the hub is gone.
pub async fn watch(shared: &Shared, style: Style, mut dice: Dice) {
    let first = shared.first();
    let (mut from, mut selects) = (Some(first), Selects::All);
    if style == Style::Recorder {
        one(shared, style, (from, selects), u64::MAX, 0).await;
        return;
    }
    while !shared.is_over() {
        let (said, end) = one(shared, style, (from, selects), dice.below(200), 3 + dice.below(5)).await;
        match end {
            End::Over => return,
            End::Expired => from = None,
            End::Enough => (from, selects) = next(&mut dice, selects, said, first),
        }
    }
}

/// Goes on from there, as often as not; or begins something else.
fn next(
    dice: &mut Dice,
    selects: Selects,
    said: Option<Version>,
    first: Version,
) -> (Option<Version>, Selects) {
    let other = match dice.below(3) {
        0 => Selects::All,
        1 => Selects::Red,
        _ => Selects::One(Key::try_from(dice.below(KEYS)).unwrap_or(0)),
    };
    match dice.below(8) {
        0 => (None, other),
        1 => (Some(first), other),
        // From a version that another one's watch ended with.
        2 => (said.or(Some(first)), other),
        _ => (said.or(Some(first)), selects),
    }
}

/// One watch; the version that it came to, and how it ended.
async fn one(
    shared: &Shared,
    style: Style,
    (from, selects): (Option<Version>, Selects),
    enough: u64,
    seconds: u64,
) -> (Option<Version>, End) {
    let sent = shared.now();
    let lines = match shared.client.request_stream(get(&target(from, selects, style, seconds))).await {
        Ok(lines) => lines,
        Err(kube::Error::Api(status)) if status.code == 410 => return expired(shared),
        Err(error) => {
            if let kube::Error::Api(status) = error {
                refused(shared, status.code, &status.message);
            }
            return (None, End::Over);
        }
    };
    let mut lines = pin!(lines.lines());
    let mut watch = Watch { from, selects, sent, said: Vec::new() };
    let mut end = End::Enough;
    let mut count = 0;
    while count < enough {
        let line = tokio::select! {
            line = lines.next() => line,
            () = tokio::time::sleep(LOOK), if shared.is_over() => { end = End::Over; break }
            () = tokio::time::sleep(LOOK) => continue,
        };
        let Some(Ok(line)) = line else {
            end = if line.is_none() { End::Enough } else { End::Over };
            break;
        };
        // The last line may have been cut off by the kill.
        let Ok(event) = serde_json::from_str::<Value>(&line) else { continue };
        count += 1;
        match said(&event) {
            Ok(Some(said)) => {
                watch.said.push((shared.now(), said));
                if let (Style::Recorder, Said::Event(_, _, seen)) = (style, said) {
                    shared.recorded.fetch_max(seen.version, Ordering::SeqCst);
                }
            }
            Ok(None) if event["type"] == "ERROR" => {
                let code = &event["object"]["code"];
                end = if *code == 410 { expired(shared).1 } else { End::Over };
                refused(
                    shared,
                    code.as_u64().and_then(|code| u16::try_from(code).ok()).unwrap_or(0),
                    &event.to_string(),
                );
                break;
            }
            Ok(None) => {}
            Err(what) => shared.odd(Promise::Atomic, what),
        }
    }
    let last = watch.said.iter().rev().map(|(_, said)| version(*said)).next();
    let ready =
        watch.from.is_some() || watch.said.iter().any(|(_, said)| matches!(said, Said::InitialEnd(_)));
    shared.life().watches.push(watch);
    // Objects of the start come in the order of their names: who has not seen all of them has come to no version.
    (last.filter(|_| ready).or(from), end)
}

fn expired(shared: &Shared) -> (Option<Version>, End) {
    shared.expired.fetch_add(1, Ordering::SeqCst);
    (None, End::Expired)
}

fn version(said: Said) -> Version {
    match said {
        Said::Event(_, _, seen) => seen.version,
        Said::Bookmark(version) | Said::InitialEnd(version) => version,
    }
}

fn target(from: Option<Version>, selects: Selects, style: Style, seconds: u64) -> String {
    let from = match from {
        Some(version) => format!("&resourceVersion={version}"),
        None => "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan".to_owned(),
    };
    let selects = match selects {
        Selects::All => String::new(),
        Selects::Red => "&labelSelector=colour%3Dred".to_owned(),
        Selects::One(key) => format!("&fieldSelector=metadata.name%3D{}", object::name(key)),
    };
    // The last bookmark comes shortly before the end.
    let timeout = if style == Style::Recorder { String::new() } else { format!("&timeoutSeconds={seconds}") };
    format!("{MAPS}?watch=true&allowWatchBookmarks=true{from}{selects}{timeout}")
}

/// What an event says of our objects.
fn said(event: &Value) -> Result<Option<Said>, String> {
    let object = &event["object"];
    let kind = match event["type"].as_str() {
        Some("ADDED") => Kind::Added,
        Some("MODIFIED") => Kind::Modified,
        Some("DELETED") => Kind::Deleted,
        Some("BOOKMARK") => {
            let version = object::version(object).ok_or("a bookmark has no version")?;
            let is_end = object["metadata"]["annotations"]["k8s.io/initial-events-end"] == "true";
            return Ok(Some(if is_end { Said::InitialEnd(version) } else { Said::Bookmark(version) }));
        }
        _ => return Ok(None),
    };
    Ok(object::read(object)?.map(|(key, seen)| Said::Event(kind, key, seen)))
}

/// A hub that is there answers a watch, or says that it is too late for it; one that ends may say so.
fn refused(shared: &Shared, code: u16, why: &str) {
    if !matches!(code, 410 | 503) {
        shared.odd(Promise::Refusals, format!("a watch was refused with {code}: {why}"));
    }
}
