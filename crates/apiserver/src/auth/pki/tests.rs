use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConnection};
use serde_json::Value;

use super::*;
use crate::auth::testing::Temporary;

fn now() -> Moment {
    Moment::parse("2026-11-16T02:43:11Z").unwrap()
}

fn days(days: i64) -> Moment {
    Moment::at_unix_s(now().unix_s() + days * 24 * 3600)
}

fn load(directory: &Directory, names: &Names, at: Moment) -> Pki {
    Pki::load(directory, names, at).unwrap()
}

fn read(directory: &Directory, names: &[&str]) -> Vec<String> {
    names.iter().map(|name| directory.read(name).unwrap().unwrap()).collect()
}

const FILES: [&str; 6] = ["ca.crt", "ca.key", "server.crt", "server.key", "admin.crt", "admin.key"];

#[test]
fn certificates_are_kept_until_something_changes() {
    let directory = Temporary::new("kept");
    let kept = |names: &Names, at: Moment| {
        let before = read(&directory, &FILES);
        load(&directory, names, at);
        let after = read(&directory, &FILES);
        (0..3).map(|pair| before[2 * pair] == after[2 * pair]).collect::<Vec<_>>()
    };
    load(&directory, &Names::default(), now());
    for file in FILES {
        let mode = fs::metadata(directory.join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    assert_eq!(kept(&Names::default(), days(300)), [true, true, true]);
    let named = Names { dns: vec!["hub.example".into()], addresses: vec!["10.0.0.1".parse().unwrap()] };
    assert_eq!(kept(&named, days(1)), [true, false, true]);
    assert_eq!(kept(&named, days(1)), [true, true, true]);
    assert_eq!(kept(&named, days(340)), [true, false, false]);
    // The authority gets another certificate for its key: what it has signed stays good.
    let old_admin = read(&directory, &["admin.crt"]).remove(0);
    assert!(!kept(&named, days(3640))[0]);
    let admin = CertificateDer::from_pem_slice(old_admin.as_bytes()).unwrap();
    let pki = load(&directory, &named, days(3641));
    assert!(matches!(pki.peer(Some(&[admin]), days(341)), Peer::Known { .. }));
}

#[test]
fn certificates_are_renewed_before_they_end_while_the_hub_runs() {
    let directory = Temporary::new("renewed");
    let start = Moment::at_unix_s(Moment::now().unix_s() - 340 * 24 * 3600);
    let load =
        || Certificates::load(&directory, Names::default(), "https://127.0.0.1:1".into(), start).unwrap();
    let certificates = load();
    certificates.write_kubeconfig(&directory).unwrap();
    let kubeconfig = || directory.read(KUBECONFIG).unwrap().unwrap();
    let (before, first) = (certificates.current(), kubeconfig());
    // For eleven months there is nothing to do.
    let later = |days: u64| start.plus_s(days * 24 * 3600);
    assert!(!certificates.renew(&directory, later(300)).unwrap());
    assert!(Arc::ptr_eq(&before, &certificates.current()));
    assert!(certificates.renew(&directory, later(340)).unwrap());
    assert!(!certificates.renew(&directory, later(341)).unwrap());
    let after = certificates.current();
    assert_ne!(kubeconfig(), first);
    let text: Value = serde_json::from_str(&kubeconfig()).unwrap();
    let shown = text["users"][0]["user"]["client-certificate-data"].as_str().unwrap();
    assert_eq!(BASE64_STANDARD.decode(shown).unwrap(), after.admin.certificate.as_bytes());
    // Who connects now sees a server that is good for another year; the authority is the same, and so is who had a certificate.
    assert_eq!(before.ca_pem(), after.ca_pem());
    assert_ne!(before.server.certificate, after.server.certificate);
    for own in [&before.admin, &after.admin] {
        let (peer, _) = connect(&after, "localhost", Some((&own.certificate, &own.key))).unwrap();
        assert!(matches!(peer, Peer::Known { .. }), "{peer:?}");
    }
    let der = |pem: &str| CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
    assert!(matches!(after.peer(Some(&[der(&after.admin.certificate)]), later(700)), Peer::Known { .. }));
    assert!(matches!(after.peer(Some(&[der(&before.admin.certificate)]), later(700)), Peer::Refused));
    // What cannot be renewed is used on.
    fs::remove_file(directory.join("ca.key")).unwrap();
    assert!(certificates.renew(&directory, later(700)).is_err());
    assert!(Arc::ptr_eq(&after, &certificates.current()));
}

#[test]
fn what_is_torn_or_lost_is_made_anew_but_not_the_authority() {
    let directory = Temporary::new("torn");
    load(&directory, &Names::default(), now());
    let server = read(&directory, &["server.key"]).remove(0);
    directory.write("admin.key", server.as_bytes()).unwrap();
    load(&directory, &Names::default(), now());
    assert_ne!(read(&directory, &["admin.key"]).remove(0), server);
    fs::remove_file(directory.join("ca.key")).unwrap();
    assert!(matches!(Pki::load(&directory, &Names::default(), now()), Err(PkiError::Lost)));
}

#[test]
fn an_authority_whose_key_is_anothers_is_refused() {
    let (ours, theirs) = (Temporary::new("ours-key"), Temporary::new("their-key"));
    load(&ours, &Names::default(), now());
    load(&theirs, &Names::default(), now());
    directory_with(&ours, "ca.key", &read(&theirs, &["ca.key"])[0]);
    let before = read(&ours, &FILES);
    assert!(matches!(Pki::load(&ours, &Names::default(), now()), Err(PkiError::Foreign)));
    // Also when it would be time to renew it: nobody would trust what comes of it.
    assert!(matches!(Pki::load(&ours, &Names::default(), days(3640)), Err(PkiError::Foreign)));
    assert_eq!(read(&ours, &FILES), before, "nothing was made");
}

#[test]
fn a_certificate_with_one_wrong_bit_anywhere_is_made_anew() {
    let directory = Temporary::new("bits");
    load(&directory, &Names::default(), now());
    for (file, key_file) in [("server.crt", "server.key"), ("admin.crt", "admin.key")] {
        let whole = CertificateDer::from_pem_slice(read(&directory, &[file])[0].as_bytes()).unwrap();
        let key = read(&directory, &[key_file]).remove(0);
        for at in (0..whole.len()).step_by(7) {
            let mut damaged = whole.to_vec();
            damaged[at] ^= 1 << (at % 8);
            let pem = format!(
                "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
                BASE64_STANDARD.encode(&damaged)
            );
            directory_with(&directory, file, &pem);
            directory_with(&directory, key_file, &key);
            let pki = load(&directory, &Names::default(), now());
            assert_ne!(read(&directory, &[file])[0], pem, "{file}: bit {} of byte {at}", at % 8);
            let admin = CertificateDer::from_pem_slice(pki.admin.certificate.as_bytes()).unwrap();
            assert!(matches!(pki.peer(Some(&[admin]), now()), Peer::Known { .. }), "{file}: byte {at}");
        }
    }
}

fn directory_with(directory: &Directory, file: &str, text: &str) {
    directory.write(file, text.as_bytes()).unwrap();
}

#[test]
fn the_administrator_gets_a_configuration() {
    let directory = Temporary::new("kubeconfig");
    let pki = load(&directory, &Names::default(), now());
    pki.write_kubeconfig(&directory, "https://127.0.0.1:6443").unwrap();
    let text = directory.read(KUBECONFIG).unwrap().unwrap();
    let configuration: Value = serde_json::from_str(&text).unwrap();
    let cluster = &configuration["clusters"][0]["cluster"];
    assert_eq!(cluster["server"], "https://127.0.0.1:6443");
    let ca = BASE64_STANDARD.decode(cluster["certificate-authority-data"].as_str().unwrap()).unwrap();
    assert_eq!(ca, pki.ca_pem().as_bytes());
}

/// Connects to `pki` as who trusts it and has this certificate; says what the server makes of it.
fn connect(pki: &Pki, name: &str, own: Option<(&str, &str)>) -> Result<(Peer, Vec<u8>), String> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(pki.ca_pem().as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots);
    let mut config = match own {
        None => config.with_no_client_auth(),
        Some((certificate, key)) => {
            let certificate = CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap();
            let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
            config.with_client_auth_cert(vec![certificate], key).unwrap()
        }
    };
    config.alpn_protocols = vec![b"h2".to_vec()];
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let mut client = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut server = ServerConnection::new(pki.tls()).unwrap();
    while client.is_handshaking() || server.is_handshaking() {
        let mut wire = Vec::new();
        while client.wants_write() {
            client.write_tls(&mut wire).unwrap();
        }
        server.read_tls(&mut &*wire).unwrap();
        server.process_new_packets().map_err(|error| error.to_string())?;
        wire.clear();
        while server.wants_write() {
            server.write_tls(&mut wire).unwrap();
        }
        client.read_tls(&mut &*wire).unwrap();
        client.process_new_packets().map_err(|error| error.to_string())?;
    }
    let protocol = server.alpn_protocol().unwrap_or_default().to_vec();
    Ok((pki.peer(server.peer_certificates(), Moment::now()), protocol))
}

#[test]
fn a_client_is_who_its_certificate_says() {
    let (ours, theirs) = (Temporary::new("ours"), Temporary::new("theirs"));
    let pki = load(&ours, &Names::default(), Moment::now());
    let stranger = load(&theirs, &Names::default(), Moment::now());
    let admin = Some((&*pki.admin.certificate, &*pki.admin.key));
    for name in ["localhost", "127.0.0.1", "::1", "kubernetes.default.svc.cluster.local"] {
        let (peer, protocol) = connect(&pki, name, admin).unwrap();
        let Peer::Known { user, .. } = peer else { panic!("{name}: {peer:?}") };
        assert_eq!(user.name, "admin");
        assert_eq!(user.groups, ["system:masters", "system:authenticated"]);
        let credential = &user.extra["authentication.kubernetes.io/credential-id"][0];
        assert!(credential.starts_with("X509SHA256=") && credential.len() == 75, "{credential}");
        assert_eq!(protocol, b"h2");
    }
    assert!(matches!(connect(&pki, "localhost", None).unwrap().0, Peer::Unnamed));
    let strange = Some((&*stranger.admin.certificate, &*stranger.admin.key));
    assert!(matches!(connect(&pki, "localhost", strange).unwrap().0, Peer::Refused));
    assert!(connect(&pki, "example.com", admin).is_err());
}

#[test]
fn a_certificate_is_good_for_its_time_and_purpose() {
    let directory = Temporary::new("purpose");
    let pki = load(&directory, &Names::default(), now());
    let der = |pem: &str| CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
    let admin = der(&pki.admin.certificate);
    assert!(matches!(pki.peer(Some(std::slice::from_ref(&admin)), days(364)), Peer::Known { .. }));
    assert!(matches!(pki.peer(Some(&[admin]), days(366)), Peer::Refused));
    let server = der(&read(&directory, &["server.crt"]).remove(0));
    assert!(matches!(pki.peer(Some(&[server]), now()), Peer::Refused));
}
