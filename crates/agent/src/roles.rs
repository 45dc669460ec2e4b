//! What the binary is besides an agent: the processes around the software are the same program, in other roles.

use std::ffi::{CStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::OnceLock;

use nix::sys::prctl::set_name;

use crate::{launch, shim};

/// The command of the binary that [`play`] is called for.
const AGENT: &str = "agent";
/// Where the binary is, if it is not this program.
static BINARY: OnceLock<PathBuf> = OnceLock::new();

/// Plays the role that comes after `agent` on the command line, if it is one: `shim DIRECTORY`, and what shims start. None of
/// them is for people. To be called before any thread is started.
pub fn play(args: &[OsString]) -> Option<ExitCode> {
    let (role, rest) = args.split_first()?;
    match (role.to_str()?, rest) {
        ("shim", [directory]) => Some(shim::main(Path::new(directory))),
        ("keep", [directory]) => Some(shim::keep(Path::new(directory))),
        ("guard", [mark]) => Some(shim::guard(mark.to_str()?)),
        ("launch", args) => Some(launch::main(args)),
        _ => None,
    }
}

/// Says where the binary is, to a program that is another one and has these hands too. The first word counts.
pub fn embed(binary: PathBuf) {
    // Who says it twice says the same.
    let _ = BINARY.set(binary);
}

/// The binary in another role. It is this very program, also if its file was replaced by a newer one meanwhile.
pub(crate) fn command(role: &str) -> Command {
    let binary = BINARY.get().map_or(Path::new("/proc/self/exe"), PathBuf::as_path);
    let mut command = Command::new(binary);
    command.arg0("bowline").args([AGENT, role]);
    command
}

/// What lists of processes call us. Who kills all that is called `bowline` means agents, and not what watches over software.
pub(crate) fn call_ourselves(name: &CStr) {
    // It is for people only.
    let _ = set_name(name);
}
