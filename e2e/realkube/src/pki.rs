//! Keys and certificates of a control plane.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyPair, KeyUsagePurpose,
};

use crate::error::{Context, Error};

/// What the server's certificate is valid for. The second address is that of the Service `kubernetes`.
const SERVER_NAMES: &[&str] = &[
    "127.0.0.1",
    "127.200.0.1",
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
];

/// The directory with all keys and certificates.
#[derive(Clone)]
pub(crate) struct Pki(PathBuf);

impl Pki {
    /// Makes what is not there yet: a control plane that is started again keeps its keys.
    pub(crate) fn in_dir(dir: PathBuf) -> Result<Self, Error> {
        let pki = Self(dir);
        if pki.path("complete").exists() {
            return Ok(pki);
        }
        let (ca, front) =
            (pki.authority("ca", "bowline-test-ca")?, pki.authority("front", "front-proxy-ca")?);
        let server = ExtendedKeyUsagePurpose::ServerAuth;
        pki.leaf(&ca, "apiserver", ("kube-apiserver", None), server, SERVER_NAMES)?;
        pki.admin(&ca)?;
        pki.controllers(&ca)?;
        pki.scheduler(&ca)?;
        let client = ExtendedKeyUsagePurpose::ClientAuth;
        pki.leaf(&front, "proxy", ("front-proxy-client", None), client, &[])?;
        // Service-account tokens are signed with this one.
        let tokens = KeyPair::generate()?;
        pki.secret("sa.key", &tokens.serialize_pem())?;
        pki.public("sa.pub", &tokens.public_key_pem())?;
        pki.public("complete", "")?;
        Ok(pki)
    }

    /// What controllers need of a server that is not ours: its authority, the key of its tokens, and certificates that
    /// the authority signs.
    pub(crate) fn of_authority(
        dir: PathBuf,
        (ca, ca_key): (&str, &str),
        tokens: &str,
    ) -> Result<Self, Error> {
        let pki = Self(dir);
        let issuer = Issuer::from_ca_cert_pem(ca, KeyPair::from_pem(ca_key)?)?;
        pki.public("ca.crt", ca)?;
        pki.secret("ca.key", ca_key)?;
        pki.secret("sa.key", tokens)?;
        pki.controllers(&issuer)?;
        pki.scheduler(&issuer)?;
        pki.admin(&issuer)?;
        Ok(pki)
    }

    fn controllers(&self, issuer: &Issuer<'_, KeyPair>) -> Result<(), Error> {
        let name = "system:kube-controller-manager";
        self.leaf(issuer, "kcm", (name, None), ExtendedKeyUsagePurpose::ClientAuth, &[])
    }

    fn scheduler(&self, issuer: &Issuer<'_, KeyPair>) -> Result<(), Error> {
        let name = "system:kube-scheduler";
        self.leaf(issuer, "sched", (name, None), ExtendedKeyUsagePurpose::ClientAuth, &[])
    }

    fn admin(&self, issuer: &Issuer<'_, KeyPair>) -> Result<(), Error> {
        let who = ("admin", Some("system:masters"));
        self.leaf(issuer, "admin", who, ExtendedKeyUsagePurpose::ClientAuth, &[])
    }

    /// A file by its name.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn authority(&self, name: &str, common_name: &str) -> Result<Issuer<'static, KeyPair>, Error> {
        let key = KeyPair::generate()?;
        let params = authority_params(common_name);
        self.secret(&format!("{name}.key"), &key.serialize_pem())?;
        self.public(&format!("{name}.crt"), &params.self_signed(&key)?.pem())?;
        Ok(Issuer::new(params, key))
    }

    fn leaf(
        &self,
        issuer: &Issuer<'_, KeyPair>,
        name: &str,
        (common_name, organisation): (&str, Option<&str>),
        usage: ExtendedKeyUsagePurpose,
        names: &[&str],
    ) -> Result<(), Error> {
        let mut params =
            CertificateParams::new(names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())?;
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, common_name);
        if let Some(organisation) = organisation {
            params.distinguished_name.push(DnType::OrganizationName, organisation);
        }
        params.is_ca = IsCa::ExplicitNoCa;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![usage];
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, issuer)?;
        self.secret(&format!("{name}.key"), &key.serialize_pem())?;
        self.public(&format!("{name}.crt"), &certificate.pem())
    }

    fn public(&self, name: &str, text: &str) -> Result<(), Error> {
        let path = self.path(name);
        fs::write(&path, text).context(|| format!("write {}", path.display()))
    }

    fn secret(&self, name: &str, text: &str) -> Result<(), Error> {
        write_secret(&self.path(name), text)
    }
}

fn authority_params(common_name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, common_name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages =
        vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign, KeyUsagePurpose::DigitalSignature];
    params
}

/// Writes a file that only its owner can read.
pub(crate) fn write_secret(path: &Path, text: &str) -> Result<(), Error> {
    let what = || format!("write {}", path.display());
    fs::write(path, "").context(what)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).context(what)?;
    fs::write(path, text).context(what)
}
