//! The audit log of a hub: how it is kept, and `hub audit verify`.

use std::path::PathBuf;

use bowline_apiserver::audit_log::AuditLog;
use clap::{Args, Subcommand, ValueHint};

use crate::audit;
use crate::exit::Exit;
use crate::whole::whole;

/// How the audit log is kept.
#[derive(Args)]
pub(super) struct AuditArgs {
    /// The audit log: a line of JSON for every write, and for what is done with Secrets; `off` writes none
    /// [default: audit.log in the data directory]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    audit_log_path: Option<PathBuf>,

    /// An audit log that would get longer than this many MiB is put aside, with the time in its name
    #[arg(long, value_name = "MIB", default_value_t = 100, value_parser = whole::<u64>(1, 1 << 20))]
    audit_log_maxsize: u64,

    /// How many of those that were put aside are kept; 0 keeps all
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole::<usize>(0, 1 << 20))]
    audit_log_maxbackup: usize,
}

impl AuditArgs {
    pub(super) fn log(self) -> Option<AuditLog> {
        let is_off = self.audit_log_path.as_ref().is_some_and(|path| path.as_os_str() == "off");
        (!is_off).then_some(AuditLog {
            path: self.audit_log_path,
            max_size_mib: self.audit_log_maxsize,
            max_backups: self.audit_log_maxbackup,
        })
    }
}

/// What can be done with the audit log of a hub
#[derive(Args)]
#[command(after_help = VERIFY_EXAMPLES)]
pub(super) struct AuditCommand {
    #[command(subcommand)]
    command: AuditVerb,
}

const VERIFY_EXAMPLES: &str = "\
Examples:
  bowline hub audit verify ./bowline-data/audit.log
  bowline hub audit verify ./bowline-data/audit-*.log ./bowline-data/audit.log
  bowline hub audit verify ./bowline-data/audit.log --head 9f86d081884c7d65…

Exit codes:
  0  every line is what was written, and follows the one before it
  1  one is not, or no line has the hash that was given, or there is none
  2  a file cannot be read, or is none of an audit log
  3  the last line is not whole: the hub writes it right now, or was killed, and mends it when it starts";

#[derive(Subcommand)]
enum AuditVerb {
    /// Verify that an audit log is what was written
    ///
    /// Every line has a hash of what it says and of the line before it. One that was changed, left out or put in is found. What
    /// was cut off at the end is found by the hash that an earlier run has printed: keep that where whoever writes the log
    /// cannot write.
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify {
        /// The files of the log, in any order
        #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
        files: Vec<PathBuf>,

        /// A line has to have this hash: what an earlier run has printed as the head
        #[arg(long, value_name = "HASH", value_parser = audit::hash)]
        head: Option<String>,
    },
}

impl AuditCommand {
    pub(super) fn run(self) -> anyhow::Result<Exit> {
        let AuditVerb::Verify { files, head } = self.command;
        audit::verify(&files, head.as_deref())
    }
}
