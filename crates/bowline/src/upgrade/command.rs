//! Commands, such as `bowline upgrade commit`: each is written into the group, and answered there.

use bowline_api::upgrades::{NodeGroup, Verb};
use kube::api::{Patch, PatchParams};
use serde_json::json;

use super::follow::{Patience, Waited};
use super::{said, show, stays};
use crate::connection::failed;
use crate::exit::{Exit, Refused};
use crate::output::{self, Format};
use crate::team::{Scope, Team, WRITER};

/// What is commanded.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    pub(crate) group: String,
    pub(crate) verb: Verb,
    pub(crate) member: Option<String>,
}

/// What was said to a command.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Answer {
    /// It is done, or begun.
    Accepted,
    /// Why it is not.
    Refused(String),
    /// Somebody gave another one before this was answered.
    Replaced(Verb),
}

/// Gives a command, and waits for its answer.
pub(crate) async fn command(
    scope: &Scope,
    order: &Order,
    patience: &Patience,
    format: Format,
) -> anyhow::Result<Exit> {
    let team = scope.team().await?;
    let group = team.group(&order.group).await?;
    stays(&group)?;
    let id = fresh()?;
    let group = team.write_command(order, &id).await?;
    let given = group.metadata.generation;
    let waited = team.until(group, patience, false, |group| {
        answer(group, &id, given).map(|answer| Ok((answer, group.clone())))
    });
    let group = match waited.await? {
        Waited::Came((Answer::Accepted, group)) => group,
        Waited::Came((Answer::Refused(why), _)) => anyhow::bail!(Refused(why)),
        Waited::Came((Answer::Replaced(other), _)) => anyhow::bail!(Refused(format!(
            "somebody else commanded {} before this was answered: see `bowline upgrade status {}`",
            other_word(other),
            order.group
        ))),
        Waited::Late(group) => {
            let seconds = patience.timeout.as_secs();
            output::note(&format!(
                "{} was not answered within {seconds} s, and will be when the controllers come to it. Do they run?",
                other_word(order.verb)
            ));
            show(&group, format)?;
            return Ok(Exit::NotFinished);
        }
    };
    match (&order.member, order.verb) {
        (Some(member), Verb::Node) if patience.wait => team.moved(group, member, patience, format).await,
        _ => {
            show(&group, format)?;
            Ok(Exit::Done)
        }
    }
}

impl Team {
    async fn write_command(&self, order: &Order, id: &str) -> anyhow::Result<NodeGroup> {
        let Order { group, verb, member } = order;
        // The member of the command before is taken away by this too.
        let change = json!({ "spec": { "command": { "verb": verb, "member": member, "id": id } } });
        let params = PatchParams { field_manager: Some(WRITER.into()), ..PatchParams::default() };
        let changed = self.groups().patch(group, &params, &Patch::Merge(change)).await;
        changed.map_err(|error| failed(error, &format!("cannot command the group {group}")))
    }

    /// Waits until a member is not in hand any more, and says whether it has the version that it was to have.
    async fn moved(
        &self,
        group: NodeGroup,
        member: &str,
        patience: &Patience,
        format: Format,
    ) -> anyhow::Result<Exit> {
        let wanted = said(&group).in_hand.filter(|hand| hand.member.as_str() == member).map(|hand| hand.to);
        let waited = self.until(group, patience, true, |group| {
            let in_hand = said(group).in_hand.is_some_and(|hand| hand.member.as_str() == member);
            (!in_hand).then(|| Ok(group.clone()))
        });
        match waited.await? {
            Waited::Came(group) => {
                show(&group, format)?;
                let said = said(&group);
                let now = said.members.iter().find(|one| one.name.as_str() == member);
                let is_there = wanted.is_none() || now.map(|now| &now.version) == wanted.as_ref();
                Ok(if is_there { Exit::Done } else { Exit::EndedBadly })
            }
            Waited::Late(group) => {
                output::note(&format!(
                    "{member} has not been moved within {} s, and is being moved",
                    patience.timeout.as_secs()
                ));
                show(&group, format)?;
                Ok(Exit::NotFinished)
            }
        }
    }
}

/// What was said to the command of this id, which was given in this generation; nothing yet, if nothing was.
fn answer(group: &NodeGroup, id: &str, given: Option<i64>) -> Option<Answer> {
    if let Some(answered) = said(group).command.filter(|answered| answered.id == id) {
        return Some(answered.refused.map_or(Answer::Accepted, Answer::Refused));
    }
    let other = group.spec.command.as_ref().filter(|other| other.id != id)?;
    // What is older than the command knows nothing of it.
    (group.metadata.generation >= given).then_some(Answer::Replaced(other.verb))
}

/// What people type for a verb.
fn other_word(verb: Verb) -> &'static str {
    match verb {
        Verb::Init => "init",
        Verb::Run => "run",
        Verb::Node => "node",
        Verb::Commit => "commit",
        Verb::Rollback => "rollback",
        Verb::Reset => "reset",
        Verb::Forward => "forward",
        Verb::Forget => "forget",
    }
}

/// What tells a command from all others.
pub(super) fn fresh() -> anyhow::Result<String> {
    let (high, low) = (getrandom::u64(), getrandom::u64());
    let none = |error| anyhow::anyhow!("there is no randomness: {error}");
    Ok(format!("{:016x}{:016x}", high.map_err(none)?, low.map_err(none)?))
}

#[cfg(test)]
mod tests {
    use bowline_api::upgrades::{AnsweredCommand, Command, NodeGroupSpec, NodeGroupStatus};

    use super::*;

    fn group(commanded: &str, answered: Option<(&str, Option<&str>)>, generation: i64) -> NodeGroup {
        let command = Command { verb: Verb::Commit, member: None, id: commanded.into() };
        let spec = NodeGroupSpec { command: Some(command), ..NodeGroupSpec::default() };
        let mut group = NodeGroup::new("kv", spec);
        group.metadata.generation = Some(generation);
        let command = answered
            .map(|(id, refused)| AnsweredCommand { id: id.into(), refused: refused.map(str::to_owned) });
        group.status = Some(NodeGroupStatus { command, ..NodeGroupStatus::default() });
        group
    }

    #[test]
    fn a_command_is_answered_by_its_own_id() {
        let of =
            |commanded, answered, generation| answer(&group(commanded, answered, generation), "me", Some(3));
        assert_eq!(of("me", None, 3), None);
        assert_eq!(of("me", Some(("before", Some("no"))), 3), None);
        assert_eq!(of("me", Some(("me", None)), 3), Some(Answer::Accepted));
        assert_eq!(of("me", Some(("me", Some("no"))), 3), Some(Answer::Refused("no".into())));
        assert_eq!(of("other", Some(("me", None)), 4), Some(Answer::Accepted), "before the other one came");
        assert_eq!(of("other", Some(("before", None)), 4), Some(Answer::Replaced(Verb::Commit)));
        assert_eq!(of("before", Some(("before", None)), 2), None, "it is not known there yet");
    }

    #[test]
    fn no_two_commands_are_the_same() {
        let (one, other) = (fresh().expect("one"), fresh().expect("another"));
        assert!(one != other && one.len() == 32, "{one} {other}");
    }
}
