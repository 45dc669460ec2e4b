//! Tokens with which lists go on, on some that are nearly good.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use bowline_fuzz::{Target, same};

use super::token::Token;

pub(crate) fn targets() -> Vec<Target> {
    let seeds = [
        r#"{"v":"meta.k8s.io/v1","rv":5,"start":"/d\u0000"}"#,
        r#"{"v":"meta.k8s.io/v1","rv":-1,"start":"/n/d\u0000"}"#,
    ];
    vec![Target::new("continue-printed", seeds, |input| {
        let Ok(token) = Token::parse(&BASE64_URL_SAFE_NO_PAD.encode(input)) else { return Ok(()) };
        let text = token.write();
        let again = Token::parse(&text).ok();
        same(token, &text, again)
    })]
}
