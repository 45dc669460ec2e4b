//! The calls of the security token service.

use serde_json::Value;

use super::documents::strings;
use super::query::{Form, Xml};
use super::refusal::Refusal;
use super::signed::believed;
use super::wire::date;
use super::world::{ACCOUNT, World, now};

pub(super) fn caller(user: &str) -> Xml {
    let mut xml = Xml::default();
    xml.text("Arn", user);
    xml.text("UserId", "AIDA00000000000000001");
    xml.text("Account", ACCOUNT);
    xml
}

/// Gives credentials if the token can be believed and the role's trust fits it. Why it does not, AWS does not say.
pub(super) fn assume(world: &mut World, form: &Form) -> Result<Xml, Refusal> {
    let (arn, token) = (form.need("RoleArn")?, form.need("WebIdentityToken")?);
    let session = form.need("RoleSessionName")?;
    let claims = believed(&world.providers, token)?;
    let name = arn.rsplit('/').next().unwrap_or_default();
    let role = world.read_role(name).filter(|role| role.arn == arn);
    let trust = role.and_then(|role| serde_json::from_str::<Value>(&role.trust).ok()).unwrap_or_default();
    let statements = match trust.get("Statement") {
        Some(Value::Array(statements)) => statements.clone(),
        Some(one) => vec![one.clone()],
        None => Vec::new(),
    };
    if !statements.iter().any(|statement| fits(statement, &claims)) {
        return Err(Refusal::not_authorized());
    }
    let mut xml = Xml::default();
    xml.within("Credentials", |xml| {
        xml.text("AccessKeyId", SESSION_KEY);
        xml.text("SecretAccessKey", SESSION_SECRET);
        xml.text("SessionToken", SESSION_TOKEN);
        xml.text("Expiration", &date(now() + 900));
    });
    xml.within("AssumedRoleUser", |xml| {
        xml.text("AssumedRoleId", &format!("AROA00000000000000001:{session}"));
        xml.text("Arn", &format!("arn:aws:sts::{ACCOUNT}:assumed-role/{name}/{session}"));
    });
    Ok(xml)
}

/// The access key of a session.
pub(super) const SESSION_KEY: &str = "ASIA0000000000000001";
/// What the fake gives for a session: tests look for it where it must not be.
pub const SESSION_SECRET: &str = "a-secret-of-the-session";
/// The same.
pub const SESSION_TOKEN: &str = "a-token-of-the-session";

/// Whether a statement lets the bearer of a token in: its issuer, and each condition.
fn fits(statement: &Value, claims: &Value) -> bool {
    let issuer = claims.get("iss").and_then(Value::as_str).unwrap_or_default();
    let issuer = issuer.trim_start_matches("https://");
    let provider = format!("arn:aws:iam::{ACCOUNT}:oidc-provider/{issuer}");
    let federated = statement.pointer("/Principal/Federated").and_then(strings).unwrap_or_default();
    let action = statement.get("Action").and_then(strings).unwrap_or_default();
    let conditions = statement.get("Condition").and_then(Value::as_object);
    let holds = |operator: &str, wanted: &Value| {
        operator == "StringEquals"
            && wanted.as_object().is_some_and(|wanted| {
                wanted.iter().all(|(key, values)| {
                    let claim = key.strip_prefix(issuer).and_then(|key| key.strip_prefix(':'));
                    let has = claim.and_then(|claim| claims.get(claim)).and_then(strings).unwrap_or_default();
                    strings(values).unwrap_or_default().iter().any(|value| has.contains(value))
                })
            })
    };
    statement.get("Effect").is_some_and(|effect| effect == "Allow")
        && federated.contains(&provider.as_str())
        && action.contains(&"sts:AssumeRoleWithWebIdentity")
        && conditions.is_none_or(|all| all.iter().all(|(operator, wanted)| holds(operator, wanted)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn issuer_subject_and_audience_have_to_fit() {
        let statement = json!({
            "Effect": "Allow", "Action": "sts:AssumeRoleWithWebIdentity",
            "Principal": {"Federated": "arn:aws:iam::123456789012:oidc-provider/i.example/id/X"},
            "Condition": {"StringEquals": {
                "i.example/id/X:sub": "system:serviceaccount:ns:sa", "i.example/id/X:aud": "sts.amazonaws.com"}},
        });
        let lets_in = |issuer: &str, subject: &str, audience: &str| {
            let claims = json!({"iss": format!("https://{issuer}"), "sub": subject, "aud": [audience]});
            fits(&statement, &claims)
        };
        assert!(lets_in("i.example/id/X", "system:serviceaccount:ns:sa", "sts.amazonaws.com"));
        assert!(!lets_in("i.example/id/Y", "system:serviceaccount:ns:sa", "sts.amazonaws.com"));
        assert!(!lets_in("i.example/id/X", "system:serviceaccount:ns:other", "sts.amazonaws.com"));
        assert!(!lets_in("i.example/id/X", "system:serviceaccount:ns:sa", "other"));
    }
}
