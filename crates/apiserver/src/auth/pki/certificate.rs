//! What a certificate says, and what one has to say.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::time::{Duration, UNIX_EPOCH};

use rcgen::{
    CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, KeyUsagePurpose, SanType,
    SerialNumber,
};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use x509_parser::prelude::{FromDer as _, GeneralName, ParsedExtension, X509Certificate};

use crate::time::Moment;

/// How long certificates are good that the authority signs: they are renewed before.
const LASTS_S: u64 = 365 * 24 * 3600;
/// What ends within this time is renewed.
const SOON_S: i64 = 30 * 24 * 3600;
/// Clocks of clients may be slow.
const BACKDATED_S: i64 = 300;

/// What a certificate has to say.
#[derive(Clone, Default)]
pub(super) struct Wanted {
    pub(super) common_name: String,
    pub(super) organization: Option<String>,
    pub(super) dns: BTreeSet<String>,
    pub(super) addresses: BTreeSet<IpAddr>,
    /// Of a server; else of a client.
    pub(super) server: bool,
}

impl Wanted {
    pub(super) fn params(&self, now: Moment) -> Result<CertificateParams, rcgen::Error> {
        let mut params = dated(&self.common_name, now, LASTS_S)?;
        if let Some(organization) = &self.organization {
            params.distinguished_name.push(DnType::OrganizationName, organization.as_str());
        }
        for name in &self.dns {
            params.subject_alt_names.push(SanType::DnsName(name.as_str().try_into()?));
        }
        params.subject_alt_names.extend(self.addresses.iter().copied().map(SanType::IpAddress));
        params.use_authority_key_identifier_extension = true;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![if self.server {
            ExtendedKeyUsagePurpose::ServerAuth
        } else {
            ExtendedKeyUsagePurpose::ClientAuth
        }];
        Ok(params)
    }

    /// Whether a certificate says all this, is signed by the key `authority`, and does not end soon.
    pub(super) fn is_met_by(&self, pem: &str, authority: &[u8], now: Moment) -> bool {
        let Ok(der) = CertificateDer::from_pem_slice(pem.as_bytes()) else { return false };
        let Ok((_, certificate)) = X509Certificate::from_der(&der) else { return false };
        let (dns, addresses) = alternative_names(&certificate);
        let organization = last(certificate.subject().iter_organization());
        signer(&certificate) == Some(authority)
            && last(certificate.subject().iter_common_name()) == Some(self.common_name.as_str())
            && organization == self.organization.as_deref()
            && dns == self.dns
            && addresses == self.addresses
            && ends(&certificate).since_s(now) > SOON_S
    }
}

/// The parameters of a certificate of this name, good from about now on.
pub(super) fn dated(name: &str, now: Moment, lasts_s: u64) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(Vec::new())?;
    let mut distinguished_name = DistinguishedName::new();
    distinguished_name.push(DnType::CommonName, name);
    params.distinguished_name = distinguished_name;
    let from_s = u64::try_from(now.unix_s() - BACKDATED_S).unwrap_or_default();
    params.not_before = (UNIX_EPOCH + Duration::from_secs(from_s)).into();
    params.not_after = (UNIX_EPOCH + Duration::from_secs(from_s + lasts_s)).into();
    let mut serial = [0u8; 16];
    getrandom::fill(&mut serial).map_err(|_| rcgen::Error::RingUnspecified)?;
    // A serial number is positive, and has no leading zero.
    serial[0] = serial[0] & 0x7f | 0x40;
    params.serial_number = Some(SerialNumber::from_slice(&serial));
    Ok(params)
}

pub(super) fn ends_soon(pem: &str, now: Moment) -> Option<bool> {
    let der = CertificateDer::from_pem_slice(pem.as_bytes()).ok()?;
    let (_, certificate) = X509Certificate::from_der(&der).ok()?;
    Some(ends(&certificate).since_s(now) <= SOON_S)
}

pub(super) fn ends(certificate: &X509Certificate<'_>) -> Moment {
    Moment::at_unix_s(certificate.validity().not_after.timestamp())
}

/// Of several names the last one, as Go has it.
pub(super) fn last<'a>(
    names: impl Iterator<Item = &'a x509_parser::prelude::AttributeTypeAndValue<'a>>,
) -> Option<&'a str> {
    names.filter_map(|name| name.as_str().ok()).last()
}

fn alternative_names(certificate: &X509Certificate<'_>) -> (BTreeSet<String>, BTreeSet<IpAddr>) {
    let (mut dns, mut addresses) = (BTreeSet::new(), BTreeSet::new());
    let Ok(Some(names)) = certificate.subject_alternative_name() else { return (dns, addresses) };
    for name in &names.value.general_names {
        match name {
            GeneralName::DNSName(name) => {
                dns.insert((*name).to_owned());
            }
            GeneralName::IPAddress(bytes) => {
                let v4 = <[u8; 4]>::try_from(*bytes).map(IpAddr::from);
                let v6 = <[u8; 16]>::try_from(*bytes).map(IpAddr::from);
                addresses.extend(v4.or(v6));
            }
            _ => {}
        }
    }
    (dns, addresses)
}

/// By which key a certificate is signed.
fn signer<'a>(certificate: &'a X509Certificate<'_>) -> Option<&'a [u8]> {
    certificate.extensions().iter().find_map(|extension| match extension.parsed_extension() {
        ParsedExtension::AuthorityKeyIdentifier(id) => id.key_identifier.as_ref().map(|id| id.0),
        _ => None,
    })
}

/// The key that a certificate is of.
pub(super) fn key_of(pem: &str) -> Option<Vec<u8>> {
    let der = CertificateDer::from_pem_slice(pem.as_bytes()).ok()?;
    let (_, certificate) = X509Certificate::from_der(&der).ok()?;
    certificate.extensions().iter().find_map(|extension| match extension.parsed_extension() {
        ParsedExtension::SubjectKeyIdentifier(id) => Some(id.0.to_vec()),
        _ => None,
    })
}

/// The public key that a certificate is of, itself.
pub(super) fn public_key(pem: &str) -> Option<Vec<u8>> {
    let der = CertificateDer::from_pem_slice(pem.as_bytes()).ok()?;
    let (_, certificate) = X509Certificate::from_der(&der).ok()?;
    Some(certificate.public_key().subject_public_key.data.to_vec())
}
