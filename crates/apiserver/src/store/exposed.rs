//! What others than its owner can read or change in a hub's directory. A hub makes nothing like that, but a copy may be so.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::Directory;
use super::directory::KEPT_STORE_FILE;
use super::keyring::KEYS_FILE;

/// Who reads these has the Secrets, or can be whom they like.
const SECRET: [&str; 7] = [
    KEYS_FILE,
    "ca.key",
    "service-accounts.key",
    "server.key",
    "admin.key",
    "admin.kubeconfig",
    KEPT_STORE_FILE,
];

/// What is open to others, and the command that closes it.
pub(crate) fn exposed(directory: &Directory) -> Vec<String> {
    let mode =
        |name: &str| fs::metadata(directory.join(name)).map(|there| there.permissions().mode() & 0o777);
    let mut found = Vec::new();
    if let Ok(mode) = mode("")
        && mode & 0o022 != 0
    {
        let path = directory.join("");
        found.push(format!(
            "{path} can be written by others than its owner (mode {mode:04o}), and whoever does can put another key or store \
             there: chmod 700 {path}",
            path = path.display()
        ));
    }
    for name in SECRET {
        if let Ok(mode) = mode(name)
            && mode & 0o077 != 0
        {
            found.push(format!(
                "{path} is open to others than its owner (mode {mode:04o}), and whoever reads it has what it protects: chmod \
                 600 {path}",
                path = directory.join(name).display()
            ));
        }
    }
    found
}
