//! `bowline identity iam-policy`: what Bowline has to be permitted in AWS.

use bowline_aws::{Action, Needs};
use bowline_identities::plain::{PREFIX, beginning};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::output::{self, Format};

/// Which account of AWS.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    /// `aws`, but in China and for governments.
    pub(crate) partition: String,
    /// Twelve digits; without it, the one that the policy is made in.
    pub(crate) number: Option<String>,
    /// What identities are called after: `--identity-cluster-name`.
    pub(crate) cluster: Option<String>,
}

/// Prints a policy document.
pub(crate) fn iam_policy(account: &Account) -> anyhow::Result<Exit> {
    output::print(&output::document(Format::Json, &document(account))?)?;
    Ok(Exit::Done)
}

fn document(account: &Account) -> Value {
    let Account { partition, number, cluster } = account;
    let number = number.as_deref().unwrap_or("*");
    let begin = cluster.as_ref().map_or(PREFIX.to_owned(), |cluster| beginning(cluster));
    let ours = |sort: &str| format!("arn:{partition}:iam::{number}:{sort}/{begin}*");
    let statement = |sid: &str, needs: Needs, resource: String| {
        let actions = Action::ALL.iter().filter(|action| action.needs() == needs);
        let mut actions: Vec<_> = actions.map(ToString::to_string).collect();
        actions.sort_unstable();
        json!({ "Sid": sid, "Effect": "Allow", "Action": actions, "Resource": resource })
    };
    json!({
        "Version": "2012-10-17",
        "Statement": [
            statement("BowlinePolicies", Needs::Policy, ours("policy")),
            // Also what is named in specs: other people's policies, and AWS's own.
            statement("BowlineNamed", Needs::AnyPolicy, format!("arn:{partition}:iam::*:policy/*")),
            statement("BowlineRoles", Needs::Role, ours("role")),
            statement("BowlineAudit", Needs::Account, "*".to_owned()),
        ],
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn printed(number: Option<&str>, cluster: Option<&str>) -> Value {
        document(&Account {
            partition: "aws".to_owned(),
            number: number.map(str::to_owned),
            cluster: cluster.map(str::to_owned),
        })
    }

    #[test]
    fn every_call_that_aws_permits_is_permitted_once_and_no_other() {
        let document = printed(None, None);
        let statements = document["Statement"].as_array().expect("a list");
        let all = statements.iter().flat_map(|statement| statement["Action"].as_array().expect("a list"));
        let all: Vec<_> = all.map(|action| action.as_str().expect("a text").to_owned()).collect();
        let needed = Action::ALL.iter().filter(|action| !action.is_sts()).map(ToString::to_string);
        assert_eq!(all.iter().cloned().collect::<BTreeSet<_>>(), needed.collect::<BTreeSet<_>>());
        assert_eq!(all.len(), all.iter().collect::<BTreeSet<_>>().len());
    }

    #[test]
    fn only_what_can_be_ours_is_permitted() {
        let resources = |document: Value| {
            let statements = document["Statement"].as_array().cloned().unwrap_or_default();
            statements.iter().map(|statement| statement["Resource"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(
            resources(printed(None, None)),
            [
                "arn:aws:iam::*:policy/bowline-*",
                "arn:aws:iam::*:policy/*",
                "arn:aws:iam::*:role/bowline-*",
                "*"
            ]
        );
        assert_eq!(
            resources(printed(Some("123456789012"), Some("demo")))[2],
            "arn:aws:iam::123456789012:role/bowline-demo-*"
        );
    }
}
