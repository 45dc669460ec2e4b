//! `bowline identity audit`: what in AWS is this hub's, and no identity's.

use std::collections::BTreeMap;

use bowline_api::identities::IamRoleServiceAccount;
use bowline_aws::{Iam, Settings};
use bowline_identities::plain::Named;
use bowline_runtime::Manner;
use serde_json::json;

use super::aws::{self, Marked, Sort};
use super::hub_id::hub_id;
use super::{list, named, status, tombstones};
use crate::columns::Columns;
use crate::connection::Wanted;
use crate::exit::Exit;
use crate::figures::grouped;
use crate::output::{self, Format};
use crate::palette;

/// Lists what carries the tags of the hub and has no identity there. If it is to tell, it ends with 1 if there is any.
pub(crate) async fn audit(
    server: &Wanted,
    settings: &Settings,
    tells: bool,
    format: Format,
) -> anyhow::Result<Exit> {
    let aws = aws::connect(settings).await?;
    let client = server.client(Manner::Patiently).await?;
    let hub = hub_id(&client).await?;
    let failed = |error: bowline_aws::Error| aws::failed(&error, "cannot look at what there is in AWS");
    let caller = aws::patiently(|| aws.get_caller_identity()).await.map_err(failed)?;
    // AWS first: what an identity makes that comes after this would look like nobody's otherwise.
    let mut ours = aws::marked(&aws, Sort::Policy, |_| true).await.map_err(failed)?;
    ours.extend(aws::marked(&aws, Sort::Role, |_| true).await.map_err(failed)?);
    ours.retain(|one| one.marks.hub == hub);
    let there = list::all(&client).await?;
    let there: BTreeMap<_, _> =
        there.iter().map(|identity| (named(identity), Recorded::by(identity))).collect();
    let buried = tombstones::all(&client).await?;
    let count = ours.len() as u64;
    let swept = |one: &Marked| buried.iter().any(|tombstone| tombstone.sweeps(&one.marks));
    let left = ownerless(ours, &there, swept);
    if format.is_text() {
        if !left.is_empty() {
            output::print(&table(&left, format == Format::Wide))?;
        }
        output::note(&told(&caller.account, count, left.len() as u64));
    } else {
        let document = json!({
            "hub": hub, "account": caller.account, "tagged": count,
            "ownerless": left.iter().map(shown).collect::<Vec<_>>(),
        });
        output::print(&output::document(format, &document)?)?;
    }
    Ok(if tells && !left.is_empty() { Exit::EndedBadly } else { Exit::Done })
}

/// The ARNs that an identity has recorded, if it has.
#[derive(Default)]
struct Recorded {
    policy: Option<String>,
    role: Option<String>,
}

impl Recorded {
    fn by(identity: &IamRoleServiceAccount) -> Recorded {
        let status = status(identity);
        let text = |arn: Option<bowline_api::Arn>| arn.map(|arn| arn.to_string());
        Recorded { policy: text(status.policy_arn), role: text(status.role_arn) }
    }

    /// Whether something may be the identity's: not if that has another one, since the hub was started with another name.
    fn may_be(&self, one: &Marked) -> bool {
        let recorded = match one.sort {
            Sort::Policy => &self.policy,
            Sort::Role => &self.role,
        };
        recorded.as_ref().is_none_or(|arn| *arn == one.arn)
    }
}

/// What has no identity of its name, or one that has another in its place, and is not swept by itself. An identity that was made
/// again under that name takes over what the one before has left.
fn ownerless(
    ours: Vec<Marked>,
    there: &BTreeMap<Named, Recorded>,
    swept: impl Fn(&Marked) -> bool,
) -> Vec<Marked> {
    let has_owner = |one: &Marked| there.get(&one.marks.name).is_some_and(|recorded| recorded.may_be(one));
    let is_left = |one: &Marked| !has_owner(one) && !swept(one);
    let mut left: Vec<_> = ours.into_iter().filter(is_left).collect();
    left.sort_by(|a, b| (&a.marks.name, a.sort, &a.arn).cmp(&(&b.marks.name, b.sort, &b.arn)));
    left
}

fn table(left: &[Marked], wide: bool) -> String {
    let mut headings = vec!["KIND", "NAME", "WAS OF"];
    if wide {
        headings.extend(["UID", "ARN"]);
    }
    let mut columns = Columns::new(&headings);
    for one in left {
        let plain = |text: &str| (palette::PLAIN, text.to_owned());
        let mut row = vec![plain(one.sort.text()), plain(&one.called), plain(&one.marks.name.to_string())];
        if wide {
            row.extend([plain(&one.marks.uid), plain(&one.arn)]);
        }
        columns.row(row);
    }
    columns.render()
}

fn shown(one: &Marked) -> serde_json::Value {
    json!({
        "kind": one.sort.text(), "name": one.called, "arn": one.arn, "namespace": one.marks.name.namespace,
        "identity": one.marks.name.name, "uid": one.marks.uid,
    })
}

fn told(account: &str, count: u64, left: u64) -> String {
    let all = format!("Of the policies and roles in the account {account}, {} this hub's", are(count));
    match left {
        0 if count == 0 => format!("{all}."),
        0 => format!("{all}; each has its identity, or goes by itself."),
        _ => format!(
            "{all}; {left} of them without an identity. Bowline never deletes these. What is not wanted is to be deleted in AWS; what is \
             wanted is taken over by an identity of that namespace and name."
        ),
    }
}

fn are(count: u64) -> String {
    match count {
        0 => "none is".to_owned(),
        1 => "1 is".to_owned(),
        _ => format!("{} are", grouped(count)),
    }
}

#[cfg(test)]
mod tests {
    use bowline_identities::plain::Marks;

    use super::*;

    fn named(name: &str) -> Named {
        Named { namespace: "team".to_owned(), name: name.to_owned() }
    }

    fn marked(sort: Sort, name: &str) -> Marked {
        let marks = Marks { hub: "hub-1".to_owned(), name: named(name), uid: "u1".to_owned() };
        Marked { sort, called: format!("bowline-demo-team-{name}-0"), arn: format!("arn:{name}"), marks }
    }

    #[test]
    fn what_was_made_under_another_name_has_no_identity() {
        let role = Some("arn:reader".to_owned());
        let there = BTreeMap::from([(named("reader"), Recorded { policy: None, role })]);
        let old = Marked { arn: "arn:of-another-cluster".to_owned(), ..marked(Sort::Role, "reader") };
        let ours = vec![marked(Sort::Role, "reader"), old.clone(), marked(Sort::Policy, "reader")];
        assert_eq!(ownerless(ours, &there, |_| false), [old]);
    }

    #[test]
    fn what_has_no_identity_of_its_name_is_listed_by_that_name() {
        let names =
            [(Sort::Role, "old"), (Sort::Role, "reader"), (Sort::Policy, "old"), (Sort::Role, "buried")];
        let ours = names.map(|(sort, name)| marked(sort, name)).to_vec();
        let there = BTreeMap::from([(named("reader"), Recorded::default())]);
        let left = ownerless(ours, &there, |one| one.marks.name == named("buried"));
        assert_eq!(left, [marked(Sort::Policy, "old"), marked(Sort::Role, "old")]);
        let plain = anstream::adapter::strip_str(&table(&left, false)).to_string();
        assert_eq!(
            plain,
            "KIND    NAME                     WAS OF\n\
             policy  bowline-demo-team-old-0  team/old\n\
             role    bowline-demo-team-old-0  team/old\n"
        );
    }
}
