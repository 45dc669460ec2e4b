//! The authority of a hub, which signs all its certificates.

use rcgen::{BasicConstraints, IsCa, Issuer, KeyPair, KeyUsagePurpose};

use super::certificate::{self, Wanted};
use super::{Pair, PkiError, tls};
use crate::store::Directory;
use crate::time::Moment;

const CERTIFICATE: &str = "ca.crt";
const KEY: &str = "ca.key";
const NAME: &str = "bowline-hub-ca";
const LASTS_S: u64 = 10 * 365 * 24 * 3600;

pub(super) struct Authority {
    pem: String,
    /// How certificates say by whom they are signed.
    id: Vec<u8>,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    /// The authority in the directory. It is made if there is none, and gets another certificate for the same key
    /// when its own ends: what it has signed stays good.
    pub(super) fn load(directory: &Directory, now: Moment) -> Result<Authority, PkiError> {
        let certificate = directory.read(CERTIFICATE).map_err(PkiError::io(CERTIFICATE))?;
        let key = match directory.read(KEY).map_err(PkiError::io(KEY))? {
            Some(pem) => KeyPair::from_pem(&pem).map_err(|why| PkiError::authority(KEY, why))?,
            None if certificate.is_some() => return Err(PkiError::Lost),
            None => {
                let key = KeyPair::generate().map_err(PkiError::making(KEY))?;
                directory.write(KEY, key.serialize_pem().as_bytes()).map_err(PkiError::io(KEY))?;
                key
            }
        };
        let pem = match certificate {
            Some(pem) => match certificate::ends_soon(&pem, now) {
                None => return Err(PkiError::authority(CERTIFICATE, "it is not a certificate")),
                Some(_) if !is_of(&pem, &key) => return Err(PkiError::Foreign),
                Some(false) => pem,
                Some(true) => issue(directory, &key, now)?,
            },
            None => issue(directory, &key, now)?,
        };
        let id = certificate::key_of(&pem)
            .ok_or_else(|| PkiError::authority(CERTIFICATE, "it does not identify its key"))?;
        let issuer =
            Issuer::from_ca_cert_pem(&pem, key).map_err(|why| PkiError::authority(CERTIFICATE, why))?;
        Ok(Authority { pem, id, issuer })
    }

    pub(super) fn pem(&self) -> &str {
        &self.pem
    }

    /// The certificate `name.crt` and its key `name.key`, made anew if they are not what is wanted.
    pub(super) fn pair(
        &self,
        directory: &Directory,
        name: &str,
        wanted: Wanted,
        now: Moment,
    ) -> Result<Pair, PkiError> {
        let (certificate_file, key_file) = (format!("{name}.crt"), format!("{name}.key"));
        let certificate = directory.read(&certificate_file).map_err(PkiError::io(&certificate_file))?;
        let key = directory.read(&key_file).map_err(PkiError::io(&key_file))?;
        if let (Some(certificate), Some(key)) = (certificate, key)
            && wanted.is_met_by(&certificate, &self.id, now)
            && fits(&certificate, &key)
            && tls::is_trusted(&self.pem, &certificate, wanted.server, now)
        {
            return Ok(Pair { certificate, key });
        }
        let key = KeyPair::generate().map_err(PkiError::making(&key_file))?;
        let params = wanted.params(now).map_err(PkiError::making(&certificate_file))?;
        let certificate =
            params.signed_by(&key, &self.issuer).map_err(PkiError::making(&certificate_file))?.pem();
        let key = key.serialize_pem();
        directory.write(&key_file, key.as_bytes()).map_err(PkiError::io(&key_file))?;
        directory
            .write(&certificate_file, certificate.as_bytes())
            .map_err(PkiError::io(&certificate_file))?;
        Ok(Pair { certificate, key })
    }
}

fn issue(directory: &Directory, key: &KeyPair, now: Moment) -> Result<String, PkiError> {
    let mut params = certificate::dated(NAME, now, LASTS_S).map_err(PkiError::making(CERTIFICATE))?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let pem = params.self_signed(key).map_err(PkiError::making(CERTIFICATE))?.pem();
    directory.write(CERTIFICATE, pem.as_bytes()).map_err(PkiError::io(CERTIFICATE))?;
    Ok(pem)
}

/// Whether a key is that of a certificate: a crash between the two files may have torn them apart.
fn fits(certificate: &str, key: &str) -> bool {
    KeyPair::from_pem(key).is_ok_and(|key| is_of(certificate, &key))
}

fn is_of(certificate: &str, key: &KeyPair) -> bool {
    certificate::public_key(certificate).is_some_and(|found| found == key.public_key_raw())
}
