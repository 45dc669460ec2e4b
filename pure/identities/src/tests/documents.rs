//! Documents, names and specs as AWS takes them.

use super::*;
use crate::Names;
use crate::plain::{Issuer, Marks, beginning, may_be_of};

#[test]
fn documents_are_compared_by_what_they_mean() {
    let plain = r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["s3:GetObject"],"Resource":["a","b"]}]}"#;
    for same in [
        r#"{"Statement":{"Resource":["b","a","a"],"Action":"S3:getobject","Effect":"Allow","Sid":"x"},"Version":"2012-10-17","Id":"y"}"#,
        r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:GetObject","Resource":["a","b"]}]}"#,
    ] {
        assert_eq!(document(plain), document(same), "{same}");
    }
    for other in [
        r#"{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Action":["s3:GetObject"],"Resource":["a","b"]}]}"#,
        r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["s3:GetObject"],"Resource":["A","b"]}]}"#,
        r#"{"Version":"2008-10-17","Statement":[{"Effect":"Allow","Action":["s3:GetObject"],"Resource":["a","b"]}]}"#,
        "no JSON",
    ] {
        assert_ne!(document(plain), document(other), "{other}");
    }
    let condition =
        |text: &str| document(&format!(r#"{{"Statement":[{{"Condition":{{"Bool":{{{text}}}}}}}]}}"#));
    assert_eq!(condition(r#""aws:SecureTransport":true"#), condition(r#""aws:securetransport":["true"]"#));
}

#[test]
fn the_trust_policy_names_subject_and_audience() {
    let trust = wanted(&identity()).trust;
    let expected = r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow",
        "Principal":{"Federated":"arn:aws:iam::123456789012:oidc-provider/oidc.example/id/X"},
        "Action":"sts:AssumeRoleWithWebIdentity",
        "Condition":{"StringEquals":{"oidc.example/id/X:sub":"system:serviceaccount:team:reader",
        "oidc.example/id/X:aud":"sts.amazonaws.com"}}}]}"#;
    assert_eq!(trust, document(expected), "{}", trust.text());
}

#[test]
fn names_in_aws_are_short_enough_and_no_two_are_one() {
    let home = home();
    let name = |namespace: &str, name: &str| Named { namespace: namespace.into(), name: name.into() };
    let short = home.aws_name(&name("team", "reader"));
    assert!(short.starts_with("bowline-demo-team-reader-"), "{short}");
    assert_eq!(short.len(), "bowline-demo-team-reader-".len() + 16);
    let long = "x".repeat(63);
    let longest = home.aws_name(&name(&long, &long));
    assert_eq!(longest.len(), 64);
    assert_ne!(longest, home.aws_name(&name(&long, &long.replacen('x', "y", 1))));
    assert_ne!(home.aws_name(&name("a-b", "c")), home.aws_name(&name("a", "b-c")));
    let other = Home::new("hub-2", "demo", PROVIDER).expect("a provider");
    assert_ne!(other.aws_name(&name("team", "reader")), short, "another hub with the same cluster's name");
    assert_eq!(home.policy_arn(&name("team", "reader")), format!("arn:aws:iam::123456789012:policy/{short}"));
}

#[test]
fn ours_is_what_our_tags_are_on() {
    let (home, name) = (home(), named("reader"));
    let tags = home.tags(&name, "u1");
    let whose = |tags: &[(&'static str, String)]| {
        home.whose(&name, tags.iter().map(|(key, value)| (*key, value.as_str())))
    };
    assert_eq!(whose(&tags), Whose::Ours("u1".into()));
    for missing in 0..3 {
        let mut tags = tags.to_vec();
        tags[missing].1.push('x');
        assert_eq!(whose(&tags), Whose::Theirs);
        tags.remove(missing);
        assert_eq!(whose(&tags), Whose::Theirs);
    }
}

#[test]
fn what_a_name_in_aws_may_be_of_is_seen_without_its_hub() {
    let name = |namespace: &str, name: &str| Named { namespace: namespace.into(), name: name.into() };
    let long = "x".repeat(63);
    for cluster in ["demo", &long] {
        let called =
            Home::new("hub-1", cluster, PROVIDER).expect("a provider").aws_name(&name("team", "reader"));
        assert!(called.starts_with(&beginning(cluster)), "{called}");
    }
    for name in [name("team", "reader"), name(&long, "reader"), name("team", &long), name("a", "b-c")] {
        assert!(may_be_of(&home().aws_name(&name), &name), "{name}");
    }
    let called = home().aws_name(&name("team", "reader"));
    for other in [name("team", "writer"), name("eam", "reader"), name("team", "read")] {
        assert!(!may_be_of(&called, &other), "{other}");
    }
    for foreign in ["", "bowline-", "reader", &called.replacen("bowline-", "terraform-", 1)] {
        assert!(!may_be_of(foreign, &name("team", "reader")), "{foreign}");
    }
    let (tags, team) = (home().tags(&name("team", "reader"), "u1"), name("team", "reader"));
    let read =
        |tags: &[(&'static str, String)]| Marks::read(tags.iter().map(|(key, value)| (*key, value.as_str())));
    assert_eq!(read(&tags).map(|marks| (marks.name, marks.uid)), Some((team, "u1".to_owned())));
    assert_eq!(read(&tags[1..]), None, "without a hub it is nobody's");
}

#[test]
fn what_is_no_provider_is_refused() {
    for bad in [
        "",
        "oidc.example/id/X",
        "arn:aws:iam::12345678901:oidc-provider/x",
        "arn:aws:iam::123456789012:oidc-provider/",
        "arn:aws:iam::123456789012:role/x",
        "arn:aws:s3::123456789012:oidc-provider/x",
    ] {
        assert!(Issuer::of(bad).is_err(), "{bad}");
    }
}

/// What is wrong with a spec that is changed so.
fn problems(change: impl FnOnce(&mut Grant)) -> String {
    let mut identity = identity();
    change(&mut identity.wish.grant);
    let home = home();
    Plain::wanted(&home, &identity, &[Plain::issuer(&home)]).map_or_else(|why| why, |_| String::new())
}

#[test]
fn what_aws_would_refuse_is_refused_with_its_place() {
    type Change = fn(&mut Grant);
    let cases: &[(Change, &str)] = &[
        (|_| {}, ""),
        (|grant| grant.statements.clear(), "spec.policy.statement: "),
        (|grant| grant.statements[0].effect = "allow".into(), "spec.policy.statement[0].effect: "),
        (|grant| grant.statements[0].actions.clear(), "spec.policy.statement[0].action: "),
        (|grant| grant.statements[0].actions.push("s3:".into()), "spec.policy.statement[0].action[1]: "),
        (|grant| grant.statements[0].resources.clear(), "spec.policy.statement[0].resource: "),
        (
            |grant| grant.statements[0].resources[0] = "bucket".into(),
            "spec.policy.statement[0].resource[0]: ",
        ),
        (
            |grant| grant.statements[0].resources.push("arn:aws:s3:::bücket/日本/*".into()),
            "spec.policy.statement[0].resource[1]: `arn:aws:s3:::bücket/日本/*` has `日`",
        ),
        (|grant| grant.managed.push("ReadOnly".into()), "spec.managedPolicyArns[0]: "),
        (|grant| grant.boundary = Some("arn:aws:iam::1:policy/x".into()), "spec.permissionsBoundary: "),
        (|grant| grant.managed = vec!["arn:aws:iam::aws:policy/x".into(); 20], "spec.managedPolicyArns: "),
        (|grant| grant.statements = vec![super::statement(); 200], "spec.policy: "),
        (
            |grant| grant.statements = vec![Statement { sid: Some("Read".into()), ..super::statement() }; 2],
            "spec.policy.statement[1].sid: ",
        ),
    ];
    for (change, place) in cases {
        let found = problems(change);
        assert!(found.starts_with(place) && found.is_empty() == place.is_empty(), "{place} {found}");
    }
}

#[test]
fn conditions_have_operators_keys_and_values() {
    let with = |operator: &str, key: Option<&str>, values: &[&str]| {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        let keys = key.map(|key| (key.to_owned(), values)).into_iter().collect();
        problems(|grant| drop(grant.statements[0].condition.insert(operator.to_owned(), keys)))
    };
    assert_eq!(with("StringEquals", Some("aws:k"), &["v"]), "");
    assert_eq!(with("ForAnyValue:StringLikeIfExists", Some("aws:k"), &["v"]), "");
    assert!(with("Equals", Some("aws:k"), &["v"]).starts_with("spec.policy.statement[0].condition: "));
    assert!(with("NullIfExists", Some("aws:k"), &["v"]).starts_with("spec.policy.statement[0].condition: "));
    assert!(with("Bool", None, &[]).starts_with("spec.policy.statement[0].condition.Bool: "));
    assert!(with("Bool", Some("aws:k"), &[]).starts_with("spec.policy.statement[0].condition.Bool[aws:k]: "));
    assert!(
        with("StringLike", Some("aws:k"), &["a", "β"])
            .starts_with("spec.policy.statement[0].condition.StringLike[aws:k]: `β`")
    );
}

/// It is told to AWS; and who changes it there has changed nothing.
#[test]
fn a_statement_may_have_a_name() {
    let mut identity = identity();
    let plain = wanted(&identity).policy.expect("a policy");
    identity.wish.grant.statements[0].sid = Some("Read".into());
    let named = wanted(&identity).policy.expect("a policy");
    assert!(named.text().contains(r#""Sid":"Read""#), "{}", named.text());
    assert_eq!(named, plain);
}

#[test]
fn the_same_policy_written_twice_is_sent_without_spaces() {
    let policy = wanted(&identity()).policy.expect("a policy");
    assert!(!policy.text().contains(' '), "{}", policy.text());
}

#[test]
fn spaces_are_not_counted() {
    let with = |value: String| {
        problems(|grant| {
            let keys = [("aws:PrincipalTag/team".to_owned(), vec![value])].into();
            grant.statements[0].condition.insert("StringEquals".to_owned(), keys);
        })
    };
    assert_eq!(with("a ".repeat(5_900)), "");
    assert!(with("a ".repeat(6_100)).starts_with("spec.policy: "));
}

#[test]
fn ten_clusters_are_too_many_to_trust() {
    let home = home();
    let issuers = vec![Plain::issuer(&home); 10];
    let why = Plain::wanted(&home, &identity(), &issuers).expect_err("too long");
    assert!(why.starts_with("spec.clusters: "), "{why}");
}
