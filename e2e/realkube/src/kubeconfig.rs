//! The file that says to clients where a server is, and who they are to it.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use crate::client::{Client, Identity};
use crate::error::{Context, Error};
use crate::pki::{Pki, write_secret};

/// Writes one for a user of ours.
pub(crate) fn write(path: &Path, url: &str, user: &str, pki: &Pki) -> Result<(), Error> {
    let data = |name: &str| {
        let file = pki.path(name);
        fs::read(&file).map(|bytes| STANDARD.encode(bytes)).context(|| format!("read {}", file.display()))
    };
    let (ca, certificate, key) =
        (data("ca.crt")?, data(&format!("{user}.crt"))?, data(&format!("{user}.key"))?);
    let text = format!(
        "apiVersion: v1\nkind: Config\n\
         clusters: [{{name: real, cluster: {{server: \"{url}\", certificate-authority-data: \"{ca}\"}}}}]\n\
         users: [{{name: {user}, user: {{client-certificate-data: \"{certificate}\", client-key-data: \"{key}\"}}}}]\n\
         contexts: [{{name: real, context: {{cluster: real, user: {user}}}}}]\ncurrent-context: real\n"
    );
    write_secret(path, &text)
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Config {
    #[serde(default)]
    current_context: String,
    #[serde(default)]
    clusters: Vec<NamedCluster>,
    #[serde(default)]
    users: Vec<NamedUser>,
    #[serde(default)]
    contexts: Vec<NamedContext>,
}

#[derive(Deserialize)]
struct NamedCluster {
    name: String,
    cluster: Cluster,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Cluster {
    server: String,
    certificate_authority: Option<String>,
    certificate_authority_data: Option<String>,
}

#[derive(Deserialize)]
struct NamedUser {
    name: String,
    user: User,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
struct User {
    client_certificate: Option<String>,
    client_certificate_data: Option<String>,
    client_key: Option<String>,
    client_key_data: Option<String>,
    token: Option<String>,
}

#[derive(Deserialize)]
struct NamedContext {
    name: String,
    context: NamedParts,
}

#[derive(Deserialize)]
struct NamedParts {
    cluster: String,
    user: String,
}

/// A client for the current context of a file.
pub fn client(path: &Path) -> Result<Client, Error> {
    let bad = |what: &str| Error::Kubeconfig { path: path.to_owned(), what: what.to_owned() };
    let text = fs::read_to_string(path).context(|| format!("read {}", path.display()))?;
    let config: Config = serde_saphyr::from_str(&text).map_err(|error| bad(&error.to_string()))?;
    let context = config.contexts.iter().find(|context| context.name == config.current_context);
    let context = &context.ok_or_else(|| bad("its current context is not in it"))?.context;
    let cluster = config.clusters.iter().find(|cluster| cluster.name == context.cluster);
    let cluster = &cluster.ok_or_else(|| bad("the cluster of its current context is not in it"))?.cluster;
    let user = config.users.iter().find(|user| user.name == context.user);
    let user = &user.ok_or_else(|| bad("the user of its current context is not in it"))?.user;
    let part = |data: &Option<String>, file: &Option<String>| -> Result<Option<Vec<u8>>, Error> {
        match (data, file) {
            (Some(data), _) => STANDARD.decode(data).map(Some).map_err(|_| bad("data in it is not base64")),
            (None, Some(file)) => {
                let file = path.parent().unwrap_or(Path::new("")).join(file);
                fs::read(&file).map(Some).context(|| format!("read {}", file.display()))
            }
            (None, None) => Ok(None),
        }
    };
    let ca = part(&cluster.certificate_authority_data, &cluster.certificate_authority)?;
    let ca = ca.ok_or_else(|| bad("the cluster has no certificate authority"))?;
    let certificate = part(&user.client_certificate_data, &user.client_certificate)?;
    let key = part(&user.client_key_data, &user.client_key)?;
    let identity = Identity { certificate: certificate.zip(key), token: user.token.clone() };
    Client::new(&cluster.server, &ca, &identity)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn scratch(name: &str) -> Result<std::path::PathBuf, Error> {
        let dir = std::env::temp_dir().join(format!("bowline-kubeconfig-{name}-{}", std::process::id()));
        fs::create_dir_all(&dir).context(|| format!("create {}", dir.display()))?;
        Ok(dir)
    }

    #[test]
    fn what_is_written_can_be_read_and_is_secret() -> Result<(), Error> {
        let dir = scratch("write")?;
        let pki = Pki::in_dir(dir.clone())?;
        let path = dir.join("config");
        write(&path, "https://127.0.0.1:4321", "admin", &pki)?;
        assert_eq!(client(&path)?.authority(), "127.0.0.1:4321");
        for secret in ["config", "ca.key", "admin.key", "sa.key"] {
            let mode = fs::metadata(dir.join(secret)).map(|metadata| metadata.permissions().mode() & 0o777);
            assert_eq!(mode.ok(), Some(0o600), "{secret}");
        }
        // A second start keeps the keys.
        let before = fs::read(dir.join("ca.crt")).ok();
        Pki::in_dir(dir.clone())?;
        assert_eq!(fs::read(dir.join("ca.crt")).ok(), before);
        let _ = fs::remove_dir_all(dir);
        Ok(())
    }

    #[test]
    fn what_is_missing_is_named() -> Result<(), Error> {
        let dir = scratch("bad")?;
        let path = dir.join("config");
        for (text, word) in [
            ("current-context: x\n", "current context"),
            ("current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n", "cluster"),
            ("nonsense", ""),
        ] {
            fs::write(&path, text).context(|| "write".to_owned())?;
            let error = client(&path).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains("config") && error.contains(word), "{error}");
        }
        let _ = fs::remove_dir_all(dir);
        Ok(())
    }
}
