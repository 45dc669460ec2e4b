//! Documents that AWS takes, and those that it does not.

use serde_json::json;

use super::*;

fn verdict(document: &Value, purpose: Purpose) -> String {
    said(&document.to_string(), purpose)
}

fn said(document: &str, purpose: Purpose) -> String {
    check(document, purpose)
        .map_or_else(|refusal| format!("{}: {}", refusal.code, refusal.message), |()| "ok".to_owned())
}

fn policy(change: impl FnOnce(&mut Map<String, Value>)) -> Value {
    let mut statement = Map::new();
    statement.insert("Effect".to_owned(), json!("Allow"));
    statement.insert("Action".to_owned(), json!(["s3:GetObject"]));
    statement.insert("Resource".to_owned(), json!("arn:aws:s3:::bucket/*"));
    change(&mut statement);
    json!({"Version": "2012-10-17", "Statement": [statement]})
}

#[test]
fn a_policy_is_taken_and_each_fault_has_its_words() {
    let said = |change: &dyn Fn(&mut Map<String, Value>)| verdict(&policy(change), Purpose::Permissions);
    assert_eq!(said(&|_| ()), "ok");
    let set = |field: &'static str, value: Value| {
        said(&move |statement: &mut Map<String, Value>| {
            statement.insert(field.to_owned(), value.clone());
        })
    };
    assert_eq!(set("Condition", json!({"StringEquals": {"aws:x": ["a", "b"]}})), "ok");
    assert_eq!(set("Action", json!("*")), "ok");
    for (field, value, words) in [
        ("Action", json!("GetObject"), "must be prefaced by a vendor"),
        ("Action", json!([]), "must contain actions"),
        ("Resource", json!("bucket"), "must be in ARN format"),
        ("Principal", json!("*"), "should not specify a principal"),
        ("Effect", json!("allow"), "Syntax errors"),
        ("Sid", json!("a b"), "alpha-numeric"),
        ("NotAction", json!("s3:*"), "Syntax errors"),
        ("Condition", json!({"Equals": {"a": "b"}}), "Invalid Condition type"),
        ("Condition", json!({"StringEquals": {"a": {}}}), "Syntax errors"),
        ("Actions", json!("s3:*"), "Syntax errors"),
    ] {
        let said = set(field, value);
        assert!(said.starts_with("MalformedPolicyDocument: ") && said.contains(words), "{field}: {said}");
    }
    for field in ["Action", "Resource", "Effect"] {
        let said = said(&|statement: &mut Map<String, Value>| {
            statement.remove(field);
        });
        assert!(said.starts_with("MalformedPolicyDocument: "), "{field}: {said}");
    }
}

#[test]
fn not_every_character_is_one_of_a_document() {
    let said = |resource: &str| {
        let policy = policy(|statement| drop(statement.insert("Resource".to_owned(), json!(resource))));
        verdict(&policy, Purpose::Permissions)
    };
    assert_eq!(said("arn:aws:s3:::bücket/*"), "ok");
    assert!(said("arn:aws:s3:::日本/*").starts_with("ValidationError: "));
}

#[test]
fn what_is_no_object_is_no_document() {
    for text in ["{", "[]", "null", "{}", r#"{"Statement": []}"#, r#"{"Version": "2013", "Statement": {}}"#] {
        for purpose in [Purpose::Permissions, Purpose::Trust] {
            assert!(said(text, purpose).starts_with("MalformedPolicyDocument: "), "{text}");
        }
    }
    assert!(said("", Purpose::Trust).starts_with("ValidationError: "));
}

#[test]
fn who_may_assume_has_to_be_said_and_what_must_not() {
    let trust = json!({"Version": "2012-10-17", "Statement": [{
        "Effect": "Allow", "Action": "sts:AssumeRoleWithWebIdentity",
        "Principal": {"Federated": "arn:aws:iam::123456789012:oidc-provider/i"},
    }]});
    assert_eq!(verdict(&trust, Purpose::Trust), "ok");
    assert!(verdict(&policy(|_| ()), Purpose::Trust).contains("prohibited field Resource"));
    let nobody = json!({"Statement": {"Effect": "Allow", "Action": "sts:AssumeRole"}});
    assert!(verdict(&nobody, Purpose::Trust).contains("Missing required field Principal"));
}

#[test]
fn size_is_counted_without_the_space_between() {
    let long = |length: usize| {
        policy(|statement| {
            let resource = format!("arn:aws:s3:::{}", "x".repeat(length));
            statement.insert("Resource".to_owned(), json!(resource));
        })
        .to_string()
    };
    let most = 6144 - long(0).len();
    assert_eq!(said(&long(most), Purpose::Permissions), "ok");
    let spaced =
        long(most).replace(':', ": ").replace("arn: aws: s3: : : ", "arn:aws:s3:::").replace("s3: G", "s3:G");
    assert!(spaced.len() > 6144);
    assert_eq!(said(&spaced, Purpose::Permissions), "ok");
    assert_eq!(
        said(&long(most + 1), Purpose::Permissions),
        "LimitExceeded: Cannot exceed quota for PolicySize: 6144"
    );
    let trust = json!({"Statement": {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": "*",
        "Sid": "x".repeat(2048)}});
    assert_eq!(
        verdict(&trust, Purpose::Trust),
        "LimitExceeded: Cannot exceed quota for ACLSizePerRole: 2048"
    );
}
