//! The key that tokens are signed with, and their form: JSON web tokens, ES256.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use ring::digest;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, UnparsedPublicKey,
};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject as _;
use serde::{Deserialize, Serialize};

use super::ISSUER;
use super::claims::Claims;
use crate::auth::pki::PkiError;
use crate::store::Directory;

const FILE: &str = "service-accounts.key";

/// What comes before the 65 bytes of a P-256 key where it is written with its algorithm (RFC 5480).
const SPKI_PREFIX: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86,
    0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];

/// The key that tokens are signed with.
pub(super) struct SigningKey {
    pair: EcdsaKeyPair,
    /// The digest of the public key: how tokens name it.
    id: String,
    random: SystemRandom,
}

#[derive(Serialize, Deserialize)]
struct Header {
    alg: String,
    #[serde(default)]
    kid: String,
}

impl SigningKey {
    pub(super) fn load(directory: &Directory) -> Result<SigningKey, PkiError> {
        let pem = match directory.read(FILE).map_err(PkiError::io(FILE))? {
            Some(pem) => pem,
            None => {
                let pem = rcgen::KeyPair::generate().map_err(PkiError::making(FILE))?.serialize_pem();
                directory.write(FILE, pem.as_bytes()).map_err(PkiError::io(FILE))?;
                if !directory.is_new() {
                    tracing::warn!(
                        "{FILE} was not there, and a new one was made: no token of a service account of before is good any \
                         more, and whoever has one needs another. If there is a copy of the file, stop the hub, put that in \
                         its place, and start it again"
                    );
                }
                pem
            }
        };
        SigningKey::read(&pem).ok_or_else(|| PkiError::damaged(FILE, "it is not a P-256 private key"))
    }

    pub(super) fn read(pem: &str) -> Option<SigningKey> {
        let der = PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes()).ok()?;
        let random = SystemRandom::new();
        let der = der.secret_pkcs8_der();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der, &random).ok()?;
        let mut spki = SPKI_PREFIX.to_vec();
        spki.extend_from_slice(pair.public_key().as_ref());
        let id = BASE64.encode(digest::digest(&digest::SHA256, &spki));
        Some(SigningKey { pair, id, random })
    }

    /// A token that says this.
    pub(super) fn sign(&self, claims: &Claims) -> Option<String> {
        let header = Header { alg: "ES256".into(), kid: self.id.clone() };
        let mut token = BASE64.encode(serde_json::to_vec(&header).ok()?);
        token.push('.');
        BASE64.encode_string(serde_json::to_vec(claims).ok()?, &mut token);
        let signature = self.pair.sign(&self.random, token.as_bytes()).ok()?;
        token.push('.');
        BASE64.encode_string(signature, &mut token);
        Some(token)
    }

    /// What a token says that this key has signed. Whether that is still so is another question.
    pub(super) fn open(&self, token: &str) -> Result<Claims, Option<String>> {
        let (signed, signature) = token.rsplit_once('.').ok_or(None)?;
        let (header, claims) = signed.split_once('.').ok_or(None)?;
        let read = |part: &str| BASE64.decode(part).map_err(|_| None);
        let claims: Claims = serde_json::from_slice(&read(claims)?).map_err(|_| None)?;
        if claims.issuer != ISSUER {
            return Err(None);
        }
        let header: Header = serde_json::from_slice(&read(header)?).map_err(|_| None)?;
        let signature = read(signature)?;
        if !header.kid.is_empty() && header.kid != self.id {
            return Err(Some("invalid signature, no keys found".into()));
        }
        let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, self.pair.public_key().as_ref());
        // The token does not choose how it is verified: `alg` has to be the one there is.
        if header.alg != "ES256" || key.verify(signed.as_bytes(), &signature).is_err() {
            return Err(Some("go-jose/go-jose: error in cryptographic primitive".into()));
        }
        Ok(claims)
    }

    pub(super) fn jwks(&self) -> Vec<u8> {
        #[derive(Serialize)]
        struct Keys<'a> {
            keys: [Key<'a>; 1],
        }
        #[derive(Serialize)]
        struct Key<'a> {
            r#use: &'a str,
            kty: &'a str,
            kid: &'a str,
            crv: &'a str,
            alg: &'a str,
            x: String,
            y: String,
        }
        // An uncompressed point: 4, then both coordinates.
        let point = self.pair.public_key().as_ref();
        let (x, y) = point.get(1..).unwrap_or_default().split_at(32);
        let [x, y] = [x, y].map(|coordinate| BASE64.encode(coordinate));
        let key = Key { r#use: "sig", kty: "EC", kid: &self.id, crv: "P-256", alg: "ES256", x, y };
        serde_json::to_vec(&Keys { keys: [key] }).unwrap_or_default()
    }
}

pub(super) fn openid_configuration(address: &str) -> Vec<u8> {
    #[derive(Serialize)]
    struct Configuration<'a> {
        issuer: &'a str,
        jwks_uri: String,
        response_types_supported: [&'a str; 1],
        subject_types_supported: [&'a str; 1],
        id_token_signing_alg_values_supported: [&'a str; 1],
    }
    let configuration = Configuration {
        issuer: ISSUER,
        jwks_uri: format!("https://{address}/openid/v1/jwks"),
        response_types_supported: ["id_token"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["ES256"],
    };
    serde_json::to_vec(&configuration).unwrap_or_default()
}
