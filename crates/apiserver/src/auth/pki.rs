//! The certificates of a hub: its authority, its server, its administrator; and who a client's certificate says it is.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rustls::ServerConfig;
use rustls::pki_types::CertificateDer;
use rustls::server::danger::ClientCertVerifier;
use serde_json::json;

use crate::store::Directory;
use crate::time::Moment;
use crate::user::User;

mod authority;
mod certificate;
mod renewal;
mod tls;

use authority::Authority;
use certificate::Wanted;
pub(crate) use renewal::Certificates;

/// Where the administrator's configuration is written, in the directory of the hub.
pub(crate) const KUBECONFIG: &str = "admin.kubeconfig";

/// By which names a server can be reached in any case.
const NAMES: [&str; 5] = [
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
];
const ADDRESSES: [&str; 2] = ["127.0.0.1", "::1"];

/// Keys and certificates cannot be read, written or made.
#[derive(Debug, thiserror::Error)]
pub enum PkiError {
    /// The system says no.
    #[error("{file}: {source}")]
    Io {
        /// Which file, in the directory of the hub.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// A file is not what it must be.
    #[error("{file} is damaged: {why}; restore it, or remove it to have a new one made")]
    Damaged {
        /// Which file, in the directory of the hub.
        file: String,
        /// Why.
        why: String,
    },
    /// The authority is not what it must be. Another one would be trusted by nobody, so none is made.
    #[error("{file} is damaged: {why}; restore it, or remove ca.crt and ca.key to have a new authority made")]
    Authority {
        /// Which file, in the directory of the hub.
        file: String,
        /// Why.
        why: String,
    },
    /// The key of the authority is another's: nobody would trust what it signs.
    #[error(
        "ca.key is not the key of ca.crt; restore those that belong together, or remove both to have a new authority made"
    )]
    Foreign,
    /// The key of the authority is gone: whoever trusts its certificate would not trust another key.
    #[error(
        "ca.key is not there, though ca.crt is; restore it, or remove ca.crt to have a new authority made"
    )]
    Lost,
    /// A key or certificate cannot be made.
    #[error("{file} cannot be made: {why}")]
    Making {
        /// Which file, in the directory of the hub.
        file: String,
        /// Why.
        why: String,
    },
}

impl PkiError {
    pub(super) fn io(file: &str) -> impl FnOnce(io::Error) -> PkiError {
        move |source| PkiError::Io { file: file.to_owned(), source }
    }

    pub(super) fn damaged(file: &str, why: impl ToString) -> PkiError {
        PkiError::Damaged { file: file.to_owned(), why: why.to_string() }
    }

    pub(super) fn authority(file: &str, why: impl ToString) -> PkiError {
        PkiError::Authority { file: file.to_owned(), why: why.to_string() }
    }

    pub(super) fn making<E: ToString>(file: &str) -> impl FnOnce(E) -> PkiError {
        move |why| PkiError::Making { file: file.to_owned(), why: why.to_string() }
    }
}

/// By which further names the server can be reached.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// DNS names.
    pub dns: Vec<String>,
    /// Addresses.
    pub addresses: Vec<IpAddr>,
}

/// The certificates of a hub.
pub(crate) struct Pki {
    authority: Authority,
    server: Pair,
    admin: Pair,
    tls: Arc<ServerConfig>,
    verifier: Arc<dyn ClientCertVerifier>,
}

/// A certificate and its key, both as PEM.
pub(super) struct Pair {
    certificate: String,
    key: String,
}

/// Who is at the other end of a connection: put it into the extensions of its requests.
#[derive(Clone, Debug)]
pub(crate) enum Peer {
    /// Nobody has shown a certificate, or it names nobody.
    Unnamed,
    /// The owner of a good certificate.
    Known {
        /// Who.
        user: Arc<User>,
        /// Until when the certificate is good.
        until: Moment,
    },
    /// The owner of a certificate that is not good here.
    Refused,
}

impl Pki {
    /// The certificates in the directory. What is missing is made; what ends soon, or does not have the names that
    /// it should, is made anew.
    ///
    /// # Errors
    /// If files cannot be read or written, or are damaged.
    pub(crate) fn load(directory: &Directory, names: &Names, now: Moment) -> Result<Pki, PkiError> {
        let authority = Authority::load(directory, now)?;
        let mut server = Wanted { common_name: "kube-apiserver".into(), server: true, ..Wanted::default() };
        server.dns = NAMES.iter().map(|&name| name.to_owned()).chain(names.dns.iter().cloned()).collect();
        server.addresses = ADDRESSES.iter().filter_map(|address| address.parse().ok()).collect();
        server.addresses.extend(&names.addresses);
        let server = authority.pair(directory, "server", server, now)?;
        let admin = Wanted {
            common_name: "admin".into(),
            organization: Some("system:masters".into()),
            ..Wanted::default()
        };
        let admin = authority.pair(directory, "admin", admin, now)?;
        let verifier = tls::verifier(authority.pem())?;
        let tls = tls::server(&server, &verifier)?;
        Ok(Pki { authority, server, admin, tls, verifier })
    }

    /// Whether its certificates are those of the other.
    fn is_same(&self, other: &Pki) -> bool {
        let all =
            |pki: &Pki| [pki.ca_pem(), &pki.server.certificate, &pki.admin.certificate].map(str::to_owned);
        all(self) == all(other)
    }

    /// How the server speaks TLS: HTTP/2 and HTTP/1.1, with certificates of clients if they have one.
    ///
    /// A certificate that is not good does not end the connection. Who connects learns of it by [`Pki::peer`], which
    /// has to be asked: what a client shows is worth nothing before.
    pub(crate) fn tls(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.tls)
    }

    /// Who shows these certificates, the own one first. To be asked once a connection.
    pub(crate) fn peer(&self, certificates: Option<&[CertificateDer<'_>]>, now: Moment) -> Peer {
        tls::peer(&*self.verifier, certificates.unwrap_or_default(), now)
    }

    /// The certificate of the authority, as PEM: what clients trust.
    pub(crate) fn ca_pem(&self) -> &str {
        self.authority.pem()
    }

    /// Writes the administrator's configuration for a server at this address.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn write_kubeconfig(&self, directory: &Directory, server: &str) -> Result<(), PkiError> {
        let encode = |pem: &str| BASE64_STANDARD.encode(pem);
        let configuration = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "hub", "cluster": {
                "server": server, "certificate-authority-data": encode(self.ca_pem())}}],
            "users": [{"name": "admin", "user": {
                "client-certificate-data": encode(&self.admin.certificate),
                "client-key-data": encode(&self.admin.key)}}],
            "contexts": [{"name": "hub", "context": {"cluster": "hub", "user": "admin"}}],
            "current-context": "hub",
        });
        // JSON is YAML, too.
        let text = format!("{configuration:#}\n");
        directory.write(KUBECONFIG, text.as_bytes()).map_err(PkiError::io(KUBECONFIG))
    }
}

#[cfg(test)]
pub(crate) mod fuzz;
#[cfg(test)]
mod tests;
