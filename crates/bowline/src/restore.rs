//! `bowline restore`: a hub from a backup; and `bowline hub rotate-key`.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::anyhow;
use bowline_apiserver::{RestoreError, Restored, StartError};

use crate::exit::{BadUsage, Exit, Refused};
use crate::output;

/// Makes a hub in `data` of a backup.
pub(crate) fn run(file: &Path, data: &Path, keys: Option<&Path>) -> anyhow::Result<Exit> {
    let restored = bowline_apiserver::restore(file, data, keys).map_err(|error| match error {
        RestoreError::Taken(_) | RestoreError::Directory(_) => anyhow!(Refused(error.to_string())),
        RestoreError::Backup { .. } | RestoreError::Keys { .. } => anyhow!(BadUsage(error.to_string())),
        RestoreError::Io { ref source, .. } if source.kind() == ErrorKind::NotFound => {
            anyhow!(BadUsage(error.to_string()))
        }
        RestoreError::Io { .. } | RestoreError::Store { .. } => anyhow!("{error}"),
    })?;
    output::note(&said(&restored, data));
    Ok(Exit::Done)
}

fn said(restored: &Restored, data: &Path) -> String {
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
