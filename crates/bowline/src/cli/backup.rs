//! `backup` and `restore`: a copy of a hub's store, and a hub from it.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::Server;
use crate::exit::Exit;
use crate::{backup, restore};

const BACKUP_EXAMPLES: &str = "\
Examples:
  bowline backup hub.backup --kubeconfig ./hub/admin.kubeconfig
  bowline backup \"hub-$(date +%F).backup\"
  bowline backup - | ssh elsewhere 'cat > hub.backup'

Exit codes:
  0  the backup is there, whole and on disk; of standard output, that all was written
  1  it could not be written, or it did not come whole
  2  bad usage: FILE is there already, or the kubeconfig cannot be used
  4  the hub refuses it: only who may GET /hub/backup may have one
  5  the hub cannot be reached";

/// Copy the store of a running hub into a file
///
/// The copy is of one moment, and writers go on meanwhile. Secrets are in it as they are in the hub's own file: encrypted. The
/// key is not in it, nor are the keys of the hub's certificates and tokens; keep a copy of these apart: secrets.key, ca.crt,
/// ca.key and service-accounts.key in the hub's directory. They change only with `bowline hub rotate-key` and when the
/// authority's certificate is renewed.
#[derive(Args)]
#[command(after_help = BACKUP_EXAMPLES)]
pub(super) struct BackupArgs {
    /// The file to write, which only its owner can read; - is standard output
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,

    /// Write over a file that is there
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    server: Server,
}

impl BackupArgs {
    pub(super) fn run(self) -> anyhow::Result<Exit> {
        backup::run(&self.file, self.force, &self.server.wanted())
    }
}

const RESTORE_EXAMPLES: &str = "\
Examples:
  bowline restore hub.backup --data ./hub --keys ./hub-keys
  bowline hub --data ./hub

Exit codes:
  0  there is a hub in the directory now
  1  it could not be written
  2  bad usage: the backup is damaged or not there, or its keys are missing
  4  there is something in the directory already";

/// Make a hub's directory from a backup
///
/// Nothing is written over: the directory must not be there, or be empty. All objects are as they were when the backup was
/// made. Versions go on far above those that the hub had given away, so that none is given twice: who watches from an
/// older one is told to list again. The ConfigMap bowline-restored in kube-system says how often and when.
///
/// Placements may be older than the last move: nothing is granted, taken away or unfenced until every target has said what it uses, or is
/// fenced. Who uses something keeps it, and epochs go on above all that were ever given. A fence counts when it is in force once more.
#[derive(Args)]
#[command(after_help = RESTORE_EXAMPLES)]
pub(super) struct RestoreArgs {
    /// The backup
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,

    /// The directory to make
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    data: PathBuf,

    /// Where the keys are that were kept apart: secrets.key, ca.crt, ca.key and service-accounts.key
    ///
    /// Without secrets.key a backup that has Secrets is refused. Without the others the hub gets a new authority and a new key
    /// for tokens: kubeconfigs and tokens of before are not good for it.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    keys: Option<PathBuf>,
}

impl RestoreArgs {
    pub(super) fn run(self) -> anyhow::Result<Exit> {
        restore::run(&self.file, &self.data, self.keys.as_deref())
    }
}
