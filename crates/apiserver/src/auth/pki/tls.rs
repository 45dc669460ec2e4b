//! How the server speaks TLS, and what it makes of certificates of clients.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use ring::digest;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerifier as _};
use rustls::crypto::{CryptoProvider, ring as provider};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, Error, RootCertStore, ServerConfig, SignatureScheme};
use x509_parser::prelude::{FromDer as _, X509Certificate};

use super::certificate::{ends, last};
use super::{NAMES, Pair, Peer, PkiError};
use crate::time::Moment;
use crate::user::{AUTHENTICATED, User};

fn crypto() -> Arc<CryptoProvider> {
    Arc::new(provider::default_provider())
}

/// Who trusts an authority.
fn roots(authority: &str) -> Result<Arc<RootCertStore>, PkiError> {
    let damaged = |why: String| PkiError::authority("ca.crt", why);
    let certificate =
        CertificateDer::from_pem_slice(authority.as_bytes()).map_err(|why| damaged(format!("{why:?}")))?;
    let mut roots = RootCertStore::empty();
    roots.add(certificate).map_err(|why| damaged(why.to_string()))?;
    Ok(Arc::new(roots))
}

/// What verifies certificates of clients.
pub(super) fn verifier(authority: &str) -> Result<Arc<dyn ClientCertVerifier>, PkiError> {
    WebPkiClientVerifier::builder_with_provider(roots(authority)?, crypto())
        .allow_unauthenticated()
        .build()
        .map_err(|why| PkiError::authority("ca.crt", why))
}

/// Whether who trusts the authority trusts a certificate, as that of a server or of a client: one wrong bit, and nobody does.
pub(super) fn is_trusted(authority: &str, certificate: &str, server: bool, now: Moment) -> bool {
    let Ok(own) = CertificateDer::from_pem_slice(certificate.as_bytes()) else { return false };
    if !server {
        let verifier = verifier(authority);
        return verifier.is_ok_and(|verifier| verifier.verify_client_cert(&own, &[], time(now)).is_ok());
    }
    let (Ok(roots), Ok(name)) = (roots(authority), ServerName::try_from(NAMES[0])) else { return false };
    let verifier = WebPkiServerVerifier::builder_with_provider(roots, crypto()).build();
    verifier.is_ok_and(|verifier| verifier.verify_server_cert(&own, &[], &name, &[], time(now)).is_ok())
}

fn time(now: Moment) -> UnixTime {
    UnixTime::since_unix_epoch(Duration::from_secs(u64::try_from(now.unix_s()).unwrap_or_default()))
}

pub(super) fn server(
    pair: &Pair,
    verifier: &Arc<dyn ClientCertVerifier>,
) -> Result<Arc<ServerConfig>, PkiError> {
    let certificate = CertificateDer::from_pem_slice(pair.certificate.as_bytes())
        .map_err(|why| PkiError::damaged("server.crt", format!("{why:?}")))?;
    let key = PrivateKeyDer::from_pem_slice(pair.key.as_bytes())
        .map_err(|why| PkiError::damaged("server.key", format!("{why:?}")))?;
    let mut config = ServerConfig::builder_with_provider(crypto())
        .with_safe_default_protocol_versions()
        .map_err(PkiError::making("the TLS configuration"))?
        .with_client_cert_verifier(Arc::new(Lenient(Arc::clone(verifier))))
        .with_single_cert(vec![certificate], key)
        .map_err(|why| PkiError::damaged("server.key", why))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// Who shows these certificates.
pub(super) fn peer(
    verifier: &dyn ClientCertVerifier,
    certificates: &[CertificateDer<'_>],
    now: Moment,
) -> Peer {
    let Some((own, others)) = certificates.split_first() else { return Peer::Unnamed };
    if verifier.verify_client_cert(own, others, time(now)).is_err() {
        return Peer::Refused;
    }
    let Ok((_, certificate)) = X509Certificate::from_der(own) else { return Peer::Refused };
    let subject = certificate.subject();
    let Some(name) = last(subject.iter_common_name()).filter(|name| !name.is_empty()) else {
        return Peer::Unnamed;
    };
    let mut user = User { name: name.into(), ..User::default() };
    user.groups =
        subject.iter_organization().filter_map(|group| group.as_str().ok().map(str::to_owned)).collect();
    if !user.is_in(AUTHENTICATED) {
        user.groups.push(AUTHENTICATED.into());
    }
    let mut credential = "X509SHA256=".to_owned();
    for byte in digest::digest(&digest::SHA256, own).as_ref() {
        let _ = write!(credential, "{byte:02x}");
    }
    user.extra.insert("authentication.kubernetes.io/credential-id".into(), vec![credential]);
    Peer::Known { user: Arc::new(user), until: ends(&certificate) }
}

/// Lets every certificate through the handshake, if its owner has the key: whether it is good is judged by [`peer`],
/// so that who shows a bad one gets an answer in the words of the API, as from Kubernetes.
#[derive(Debug)]
struct Lenient(Arc<dyn ClientCertVerifier>);

impl ClientCertVerifier for Lenient {
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.0.root_hint_subjects()
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}
