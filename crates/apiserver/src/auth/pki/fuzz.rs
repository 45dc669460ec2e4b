//! What is read of certificates, on some that are nearly good.

use bowline_fuzz::Target;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

use super::certificate::{self, Wanted};
use crate::time::Moment;

pub(crate) fn targets() -> Vec<Target> {
    let now = Moment::at_unix_s(1_800_000_000);
    let wanted = Wanted {
        common_name: "ann".into(),
        organization: Some("team".into()),
        dns: ["hub.example.org".to_owned()].into(),
        addresses: ["10.0.0.1".parse().expect("an address")].into(),
        server: true,
    };
    let key = rcgen::KeyPair::generate().expect("a key");
    let pem = wanted.params(now).and_then(|params| params.self_signed(&key)).expect("a certificate").pem();
    let der = CertificateDer::from_pem_slice(pem.as_bytes()).expect("a certificate").to_vec();
    vec![Target::new("certificate", [der], move |input| {
        let pem = pem_of(input);
        let _ = certificate::ends_soon(&pem, now);
        let authority = certificate::key_of(&pem).unwrap_or_default();
        let _ = wanted.is_met_by(&pem, &authority, now);
        let _ = certificate::public_key(&pem);
        Ok(())
    })]
}

fn pem_of(der: &[u8]) -> String {
    use base64::Engine as _;
    let text = base64::prelude::BASE64_STANDARD.encode(der);
    format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n")
}
