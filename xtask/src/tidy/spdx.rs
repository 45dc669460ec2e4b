//! Licence expressions: `MIT OR (Apache-2.0 AND BSD-3-Clause)`.

use std::iter::Peekable;
use std::vec::IntoIter;

use anyhow::{Result, bail};

type Tokens = Peekable<IntoIter<String>>;

/// The expression can be satisfied with the allowed licences alone. `X WITH Y` has to be allowed as a whole.
pub(super) fn satisfied(expression: &str, allowed: &[String]) -> Result<bool> {
    // A slash is how `OR` was written before cargo asked for SPDX; old crates still have it.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<_> = spaced.split_whitespace().map(str::to_owned).collect();
    let mut tokens = tokens.into_iter().peekable();
    let result = any_of(&mut tokens, allowed)?;
    match tokens.next() {
        None => Ok(result),
        Some(token) => bail!("`{token}` is not expected"),
    }
}

fn any_of(tokens: &mut Tokens, allowed: &[String]) -> Result<bool> {
    let mut result = all_of(tokens, allowed)?;
    while tokens.next_if(|token| token == "OR").is_some() {
        result |= all_of(tokens, allowed)?;
    }
    Ok(result)
}

fn all_of(tokens: &mut Tokens, allowed: &[String]) -> Result<bool> {
    let mut result = one(tokens, allowed)?;
    while tokens.next_if(|token| token == "AND").is_some() {
        result &= one(tokens, allowed)?;
    }
    Ok(result)
}

fn one(tokens: &mut Tokens, allowed: &[String]) -> Result<bool> {
    let name = name(tokens)?;
    if name == "(" {
        let result = any_of(tokens, allowed)?;
        if tokens.next_if(|token| token == ")").is_none() {
            bail!("`)` is missing");
        }
        return Ok(result);
    }
    let whole = match tokens.next_if(|token| token == "WITH") {
        Some(_) => format!("{name} WITH {}", self::name(tokens)?),
        None => name,
    };
    Ok(allowed.contains(&whole))
}

fn name(tokens: &mut Tokens) -> Result<String> {
    match tokens.next() {
        None => bail!("it ends too early"),
        Some(token) if ["OR", "AND", "WITH", ")"].contains(&token.as_str()) => {
            bail!("`{token}` is not expected")
        }
        Some(token) => Ok(token),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ok(expression: &str) -> Option<bool> {
        let allowed = ["MIT", "Apache-2.0", "Unicode-3.0", "Zlib WITH x"].map(str::to_owned);
        satisfied(expression, &allowed).ok()
    }

    #[test]
    fn operators_bind_as_in_spdx() {
        assert_eq!(ok("MIT"), Some(true));
        assert_eq!(ok("GPL-2.0-only"), Some(false));
        assert_eq!(ok("GPL-2.0-only OR MIT"), Some(true));
        assert_eq!(ok("MIT/GPL-2.0-only"), Some(true));
        assert_eq!(ok("MIT AND GPL-2.0-only"), Some(false));
        assert_eq!(ok("MIT OR GPL-2.0-only AND GPL-3.0-only"), Some(true));
        assert_eq!(ok("(MIT OR GPL-2.0-only) AND GPL-3.0-only"), Some(false));
        assert_eq!(ok("(MIT OR Apache-2.0) AND Unicode-3.0"), Some(true));
    }

    #[test]
    fn an_exception_is_allowed_as_a_whole() {
        assert_eq!(ok("Zlib WITH x"), Some(true));
        assert_eq!(ok("Zlib"), Some(false));
        assert_eq!(ok("MIT WITH x"), Some(false));
    }

    #[test]
    fn nonsense_is_an_error_and_not_a_pass() {
        for text in ["", "MIT OR", "OR MIT", "(MIT", "MIT)", "MIT Apache-2.0", "MIT WITH", "()"] {
            assert_eq!(ok(text), None, "{text}");
        }
    }
}
