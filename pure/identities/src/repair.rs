//! What others have changed in AWS, and is put right: for people, once it is done.

use crate::effect::{Ask, Call};
use crate::report::Notice;
use crate::state::Names;

/// What was put right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repair<Text> {
    /// What others had changed, in a word that does not change.
    pub what: &'static str,
    /// What is worth an event.
    pub notice: Notice<Text>,
}

impl<N: Names> Call<N> {
    /// What has been put right when this is done; `None` if nobody had changed anything, or nothing is changed by it.
    pub fn repair(&self) -> Option<Repair<N::Text>> {
        if !self.rested {
            return None;
        }
        let (what, message) = match &self.what {
            Ask::CreatePolicy(_) => {
                ("policy", "the policy was not there any more: it is made again".to_owned())
            }
            Ask::CreatePolicyVersion(_) => {
                ("policy_document", "the policy did not say what the spec says: it does again".to_owned())
            }
            Ask::TagPolicy => (
                "policy_tags",
                "the tags of the policy named another identity: they are put right".to_owned(),
            ),
            Ask::CreateRole { .. } => {
                ("role", "the role was not there any more: it is made again".to_owned())
            }
            Ask::UpdateAssumeRolePolicy(_) => {
                ("trust", "others could assume the role than the spec says: they cannot any more".to_owned())
            }
            Ask::PutRolePermissionsBoundary(arn) => {
                let arn = N::arn(arn);
                ("boundary", format!("the role had not the permissions boundary {arn}: it has it again"))
            }
            Ask::DeleteRolePermissionsBoundary => (
                "boundary",
                "the role had a permissions boundary that the spec does not name: it is taken off".to_owned(),
            ),
            Ask::TagRole => {
                ("role_tags", "the tags of the role named another identity: they are put right".to_owned())
            }
            Ask::AttachRolePolicy(arn) => {
                let arn = N::arn(arn);
                ("attachment", format!("the policy {arn} was not attached any more: it is attached again"))
            }
            Ask::DetachRolePolicy(arn) => {
                let arn = N::arn(arn);
                ("foreign_attachment", format!("others had attached the policy {arn}: it is detached"))
            }
            Ask::DeleteRolePolicy(name) => {
                let name = name.as_ref();
                let message =
                    format!("others had written the inline policy {name} into the role: it is deleted");
                ("inline_policy", message)
            }
            // What makes room, and what is wanted no more, is no repair; and a look repairs nothing.
            Ask::Look { .. }
            | Ask::Check(_)
            | Ask::DeletePolicyVersion(_)
            | Ask::DeletePolicy
            | Ask::DeleteRole
            | Ask::Assume
            | Ask::LookAtAccount(..)
            | Ask::Publish { .. }
            | Ask::Withdraw(..) => return None,
        };
        let message = N::Text::from(&message);
        Some(Repair { what, notice: Notice { warns: true, reason: "DriftRepaired", message } })
    }
}
