//! What is read of tokens and of the key that signs them, on input that is nearly good.

use bowline_fuzz::{Target, same};

use super::claims::Claims;
use super::signing::SigningKey;
use super::{ISSUER, LEEWAY_S};
use crate::time::Moment;

pub(crate) fn targets() -> Vec<Target> {
    let pem = rcgen::KeyPair::generate().expect("a key").serialize_pem();
    let key = SigningKey::read(&pem).expect("a key");
    let claims = r#"{"aud":["a"],"exp":1,"iat":2,"iss":"ISSUER","jti":"j","kubernetes.io":{"namespace":"n","pod":{"name":"p","uid":"u"},
        "serviceaccount":{"name":"a","uid":"u"},"warnafter":3},"nbf":4,"sub":"system:serviceaccount:n:a"}"#;
    vec![
        Target::new("signing-key", [pem], |input| {
            SigningKey::read(&String::from_utf8_lossy(input));
            Ok(())
        }),
        Target::new(
            "claims",
            [claims.replace("ISSUER", ISSUER), r#"{"aud":"a"}"#.to_owned()],
            move |input| {
                let Ok(read) = serde_json::from_slice::<Claims>(input) else { return Ok(()) };
                for now in [i64::MIN, 0, LEEWAY_S, i64::MAX] {
                    let _ = read.check_time(Moment::at_unix_s(now));
                }
                // Who signs it names the issuer.
                let read = Claims { issuer: ISSUER.to_owned(), ..read };
                let token = key.sign(&read).ok_or("it cannot be signed")?;
                let again = key.open(&token).ok();
                same(read, &token, again)
            },
        ),
    ]
}
