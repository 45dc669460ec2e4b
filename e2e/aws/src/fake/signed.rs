//! Tokens as issuers sign them, and what AWS looks at before it looks at the role.

use std::collections::BTreeMap;
use std::io;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, UnparsedPublicKey,
};
use serde_json::{Value, json};

use super::documents::strings;
use super::refusal::Refusal;
use super::world::now;

/// An issuer of tokens for service accounts, with a key of its own.
pub struct Issuer {
    url: String,
    key: EcdsaKeyPair,
    random: SystemRandom,
}

/// What the one key of an issuer is called.
const KEY: &str = "the-one-key";
/// How long a token lasts, in seconds.
const LASTS: u64 = 600;

impl Issuer {
    /// One at an address, which is written without `https://`.
    ///
    /// # Errors
    /// If there is no key to be had.
    pub fn new(url: &str) -> io::Result<Issuer> {
        let random = SystemRandom::new();
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random);
        let made = made.map_err(io::Error::other)?;
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, made.as_ref(), &random);
        Ok(Issuer { url: url.to_owned(), key: key.map_err(io::Error::other)?, random })
    }

    /// Where it is, without `https://`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// By what its tokens are known: a JWK set.
    pub fn keys(&self) -> Value {
        // A byte that says that both coordinates follow, and both.
        let point = self.key.public_key().as_ref();
        let (x, y) = point[1..].split_at(32);
        let part = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        json!({ "keys": [{ "kty": "EC", "crv": "P-256", "kid": KEY, "x": part(x), "y": part(y) }] })
    }

    /// A service account's token.
    ///
    /// # Errors
    /// If it cannot be signed.
    pub fn token(&self, subject: &str, audience: &str) -> io::Result<String> {
        self.token_until(subject, audience, now() + LASTS)
    }

    /// One that lasts until then, in seconds since 1970.
    ///
    /// # Errors
    /// If it cannot be signed.
    pub fn token_until(&self, subject: &str, audience: &str, expires: u64) -> io::Result<String> {
        let claims = json!({
            "iss": format!("https://{}", self.url), "sub": subject, "aud": [audience], "exp": expires,
        });
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let said = format!("{}.{}", part(&json!({ "alg": "ES256", "kid": KEY })), part(&claims));
        let signature = self.key.sign(&self.random, said.as_bytes()).map_err(io::Error::other)?;
        Ok(format!("{said}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

/// An OIDC provider of the account.
#[derive(Clone, Debug)]
pub(super) struct Provider {
    /// Whom tokens may be made out for.
    pub(super) audiences: Vec<String>,
    /// By what they are known: a JWK set.
    pub(super) keys: Value,
}

/// The claims of a token that can be believed, and of the one who has it. AWS says why it cannot, unlike later.
pub(super) fn believed(providers: &BTreeMap<String, Provider>, token: &str) -> Result<Value, Refusal> {
    let (header, claims) = parts(token).ok_or_else(|| Refusal::bad_token(NO_TOKEN))?;
    let issuer = claims.get("iss").and_then(Value::as_str).unwrap_or_default();
    let provider = issuer.strip_prefix("https://").and_then(|url| providers.get(url)).ok_or_else(|| {
        Refusal::bad_token(format!("No OpenIDConnect provider found in your account for {issuer}"))
    })?;
    if !is_signed(token, &header, &provider.keys).unwrap_or(false) {
        return Err(Refusal::bad_token(NO_KEY));
    }
    let Some(expires) = claims.get("exp").and_then(Value::as_u64) else {
        return Err(Refusal::bad_token("Missing a required claim: exp"));
    };
    if now() >= expires {
        return Err(Refusal::expired(now(), expires));
    }
    let audiences = claims.get("aud").and_then(strings).unwrap_or_default();
    if !audiences.iter().any(|audience| provider.audiences.iter().any(|known| known == audience)) {
        return Err(Refusal::bad_token("Incorrect token audience"));
    }
    Ok(claims)
}

const NO_TOKEN: &str =
    "The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)";
const NO_KEY: &str = "Couldn't retrieve verification key from your identity provider, please reference \
                      AssumeRoleWithWebIdentity documentation for requirements";

/// Header and claims.
fn parts(token: &str) -> Option<(Value, Value)> {
    let mut parts = token.split('.');
    let (header, claims, _, None) = (parts.next()?, parts.next()?, parts.next()?, parts.next()) else {
        return None;
    };
    let read = |part: &str| serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok();
    Some((read(header)?, read(claims)?))
}

/// Whether one of the keys has signed it. All servers of ours, and the test bed's, sign by this one curve.
fn is_signed(token: &str, header: &Value, keys: &Value) -> Option<bool> {
    let (said, signature) = token.rsplit_once('.')?;
    let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
    let has_name = |key: &&Value| key.get("kid") == header.get("kid") && key["crv"] == "P-256";
    let key = keys["keys"].as_array()?.iter().find(has_name)?;
    let coordinate = |name: &str| URL_SAFE_NO_PAD.decode(key[name].as_str()?).ok();
    let point = [vec![4], coordinate("x")?, coordinate("y")?].concat();
    let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point);
    Some(header["alg"] == "ES256" && key.verify(said.as_bytes(), &signature).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const AUDIENCE: &str = "sts.amazonaws.com";

    fn known(issuer: &Issuer) -> BTreeMap<String, Provider> {
        let provider = Provider { audiences: vec![AUDIENCE.to_owned()], keys: issuer.keys() };
        BTreeMap::from([(issuer.url().to_owned(), provider)])
    }

    fn why(providers: &BTreeMap<String, Provider>, token: &str) -> (&'static str, String) {
        believed(providers, token)
            .map_or_else(|refusal| (refusal.code, refusal.message), |_| ("", String::new()))
    }

    #[test]
    fn a_token_is_believed_if_a_known_issuer_has_signed_it_for_aws_and_it_lasts() -> io::Result<()> {
        let (issuer, other) = (Issuer::new("i.example/id/X")?, Issuer::new("i.example/id/X")?);
        let providers = known(&issuer);
        let good = issuer.token("s", AUDIENCE)?;
        assert_eq!(why(&providers, &good).0, "");
        let elsewhere = Issuer::new("i.example/id/Y")?.token("s", AUDIENCE)?;
        let old = issuer.token_until("s", AUDIENCE, now() - 1)?;
        let (said, _) = good.rsplit_once('.').unwrap_or_default();
        for (token, code, words) in [
            ("no token".to_owned(), "InvalidIdentityToken", "not a valid JWT"),
            ("a.b.c.d".to_owned(), "InvalidIdentityToken", "not a valid JWT"),
            (elsewhere, "InvalidIdentityToken", "for https://i.example/id/Y"),
            (other.token("s", AUDIENCE)?, "InvalidIdentityToken", "verification key"),
            (format!("{said}.unsigned"), "InvalidIdentityToken", "verification key"),
            (old, "ExpiredTokenException", "Token expired"),
            (issuer.token("s", "other")?, "InvalidIdentityToken", "audience"),
        ] {
            let (found, said) = why(&providers, &token);
            assert!(found == code && said.contains(words), "{found} {said}");
        }
        Ok(())
    }
}
