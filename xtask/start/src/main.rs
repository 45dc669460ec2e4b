//! `cargo xtask`: builds the tasks, and becomes them.
//!
//! `cargo run --package xtask` would build them with the features that they alone ask for of what they depend on. Tests are built
//! with what anybody asks for, so the models, the explorer and much else would be compiled a second time. No command runs one
//! program with the features of all, but one builds it so. This crate depends on nothing: it is built in a second.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    match start() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Comes back only if there is nothing to become.
fn start() -> io::Result<ExitCode> {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let tasks = here.as_deref().and_then(Path::parent).filter(|tasks| tasks.join("Cargo.toml").is_file());
    let tasks = tasks.ok_or_else(|| io::Error::other("start it with `cargo xtask`"))?;
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--locked", "--workspace", "--bin", "xtask"]).current_dir(tasks);
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_of_this_crate(name)) {
        cargo.env_remove(name);
    }
    if !cargo.status()?.success() {
        // Cargo has said why.
        return Ok(ExitCode::FAILURE);
    }
    let program = std::env::current_exe()?.with_file_name("xtask");
    let mut task = Command::new(&program);
    task.args(std::env::args_os().skip(1)).env("CARGO_MANIFEST_DIR", tasks);
    let error = task.exec();
    Err(io::Error::other(format!("cannot run {}: {error}", program.display())))
}

/// Whether cargo says by this variable what this crate is. Build scripts look at some of them, and would run again.
fn is_of_this_crate(name: &OsStr) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|of| name.as_encoded_bytes().starts_with(of.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cargo_is_told_by_people_is_kept() {
        assert!(
            is_of_this_crate("CARGO_PKG_NAME".as_ref()) && is_of_this_crate("CARGO_MANIFEST_DIR".as_ref())
        );
        for kept in ["CARGO_TARGET_DIR", "CARGO_INCREMENTAL", "CARGO", "PATH"] {
            assert!(!is_of_this_crate(kept.as_ref()), "{kept}");
        }
    }
}
