//! The permissions that Bowline needs in AWS.

use serde_json::Value;

use super::run;

fn statements(arguments: &str) -> Vec<Value> {
    let document = run(&format!("identity iam-policy {arguments}")).exits(0).json();
    assert_eq!(document["Version"], "2012-10-17");
    document["Statement"].as_array().cloned().expect("a list")
}

#[test]
fn the_permissions_are_printed_as_a_policy() {
    let all = statements("");
    let text = serde_json::to_string(&all).expect("JSON");
    for needed in ["iam:CreateRole", "iam:TagRole", "iam:DeletePolicyVersion", "iam:ListRoles"] {
        assert!(text.contains(&format!("\"{needed}\"")), "{needed} in {text}");
    }
    assert!(!text.contains("sts:") && !text.contains("iam:*"), "{text}");
    let narrow = statements("--aws-account 123456789012 --identity-cluster-name prod --aws-partition aws-cn");
    assert_eq!(narrow[0]["Resource"], "arn:aws-cn:iam::123456789012:policy/bowline-prod-*");
}

#[test]
fn accounts_and_partitions_that_cannot_be_are_refused() {
    run("identity iam-policy --aws-account 12345").exits(2).notes("12 digits");
    run("identity iam-policy --aws-partition mars").exits(2).notes("aws-us-gov");
    run("identity").exits(2).notes("iam-policy");
}
