//! `bowline restore`: a hub from a backup; and `bowline hub rotate-key`.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::anyhow;
use bowline_apiserver::{Mending, RestoreError, Restored, StartError, Unread};
use bowline_controllers::mark_restored;

use crate::exit::{BadUsage, Exit, Refused};
use crate::output;

/// Versions go on by the clock, this many each millisecond, or far above those in the backup. Epochs go on by the same clock, and as
/// nothing is granted that often, above all that were ever given.
const VERSIONS_PER_MS: u64 = 1_000;

/// Makes a hub in `data` of a backup.
pub(crate) fn run(file: &Path, data: &Path, keys: Option<&Path>) -> anyhow::Result<Exit> {
    let mut awaited = Vec::new();
    let mut mend = |objects: &mut [Unread], from_version: u64| {
        let objects = objects.iter_mut().map(|one| (one.resource.as_str(), &mut one.object));
        mark_restored(objects, from_version / VERSIONS_PER_MS).map(|targets| awaited = targets)
    };
    let mending = Mending { group: bowline_api::GROUP, mend: &mut mend };
    let restored = bowline_apiserver::restore(file, data, keys, mending).map_err(|error| match error {
        RestoreError::Taken(_) | RestoreError::Directory(_) => anyhow!(Refused(error.to_string())),
        RestoreError::Backup { .. } | RestoreError::Keys { .. } | RestoreError::Unusable { .. } => {
            anyhow!(BadUsage(error.to_string()))
        }
        RestoreError::Io { ref source, .. } if source.kind() == ErrorKind::NotFound => {
            anyhow!(BadUsage(error.to_string()))
        }
        RestoreError::Io { .. } | RestoreError::Store { .. } => anyhow!("{error}"),
    })?;
    output::note(&said(&restored, &awaited, data));
    Ok(Exit::Done)
}

fn said(restored: &Restored, awaited: &[String], data: &Path) -> String {
    let Restored { objects, made_at, version, from_version, missing } = restored;
    let mut text = format!(
        "{} holds the {objects} objects of {made_at}, of version {version}; versions go on from {from_version}.\n",
        data.display()
    );
    if !missing.is_empty() {
        text += &format!(
            "There was no {}: what is missing is made anew, and kubeconfigs and tokens that rest on it are not good any more.\n",
            missing.join(", ")
        );
    }
    if !awaited.is_empty() {
        text += &format!(
            "Placements: nothing is granted, taken away or unfenced until each of these targets has said what it uses, or is fenced: {}. \
             A target that was added after the backup is not known: before anything is placed, add it again and start its syncer, or see \
             to it that nothing there writes.\n",
            awaited.join(", ")
        );
    }
    text + &format!("\n  bowline hub --data {}\n", data.display())
}

/// Gives a hub that does not run a new key for its Secrets.
pub(crate) fn rotate_key(data: &Path) -> anyhow::Result<Exit> {
    let secrets = bowline_apiserver::rotate_key(data).map_err(|error| match error {
        StartError::Directory(_) => anyhow!(Refused(error.to_string())),
        error => anyhow!("{error}"),
    })?;
    output::note(&format!(
        "{secrets} Secrets are encrypted with a new key; the old one is gone. Backups of before need the old one: keep the \
         copy of {} that belongs to them, and keep a copy of the new one.",
        data.join("secrets.key").display()
    ));
    Ok(Exit::Done)
}
