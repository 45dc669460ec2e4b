//! What must not leave the machine it was written on: its paths, and the hosts it installs from.

use super::{Files, Finding};

/// Directories that exist on a builder's machine and nowhere else. (Spelt in two halves, as in `hygiene.rs`.)
const PATHS: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/")];

/// Package registries. Clients know them; a file that names one breaks behind a mirror.
const HOSTS: &[&str] = &[
    concat!("crates", ".io"),
    concat!("pypi", ".org"),
    concat!("pythonhosted", ".org"),
    concat!("proxy.golang", ".org"),
    concat!("sum.golang", ".org"),
    concat!("registry.npmjs", ".org"),
    concat!("repo.maven.apache", ".org"),
    concat!("repo1.maven", ".org"),
    concat!("deb.debian", ".org"),
    concat!("security.debian", ".org"),
];
/// The repository that cargo itself writes into every lock file.
const INDEX: &str = concat!("github.com/rust-lang/crates", ".io-index");

/// Finds both, in every text file.
pub(super) fn check(files: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in files.texts() {
        for (index, line) in text.lines().enumerate() {
            let place = || format!("{path}:{}", index + 1);
            if let Some(private) = PATHS.iter().find(|private| has_absolute(line, private)) {
                findings.push(Finding::new(
                    place(),
                    format!("`{private}…` is a path of one machine; make it relative"),
                ));
            }
            let line = line.replace(INDEX, "");
            if let Some(host) = HOSTS.iter().find(|host| line.contains(**host)) {
                findings.push(Finding::new(
                    place(),
                    format!("`{host}` is a package registry; leave the host to the client"),
                ));
            }
        }
    }
    findings
}

/// The path begins there, and is not the end of a longer one (`a/work/b`, `~/work/b`).
fn has_absolute(line: &str, path: &str) -> bool {
    let part_of_path = |c: char| c.is_alphanumeric() || "_-.~}*".contains(c);
    line.match_indices(path).any(|(at, _)| !line[..at].ends_with(part_of_path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> usize {
        check(&Files::of([("a.toml", text)])).len()
    }

    #[test]
    fn paths_of_a_machine_are_found() {
        for path in PATHS {
            assert_eq!(found(&format!("a = \"{path}b\"\n")), 1, "{path}");
            assert_eq!(found(&format!("a = file://{path}b\n")), 1, "{path}");
            assert_eq!(
                found(&format!("a = \"some{path}b\" ~{path}b ${{HOME}}{path}\n")),
                0,
                "{path} in a longer one"
            );
        }
    }

    #[test]
    fn hosts_of_registries_are_found() {
        for host in HOSTS {
            assert_eq!(found(&format!("see https://{host}/a\n")), 1, "{host}");
        }
    }

    #[test]
    fn what_cargo_writes_into_a_lock_file_is_fine() {
        assert_eq!(found(&format!("source = \"registry+https://{INDEX}\"\n")), 0);
        assert_eq!(found(&format!("source = \"registry+https://index.{}\"\n", HOSTS[0])), 1);
    }
}
