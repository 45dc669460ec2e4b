//! What is asked of AWS, in a few bytes.

use bowline_identities::{Ask as Asked, Call, Others, Step};

use super::names::BOUNDARY;
use crate::harness::{Ask, padded};
use crate::tiny::{Tiny, Words};

pub(super) const LOOK: u8 = 0;
pub(super) const CREATE_POLICY: u8 = 1;
pub(super) const CREATE_VERSION: u8 = 2;
pub(super) const DELETE_VERSION: u8 = 3;
pub(super) const TAG_POLICY: u8 = 4;
pub(super) const DELETE_POLICY: u8 = 5;
pub(super) const CREATE_ROLE: u8 = 6;
pub(super) const UPDATE_TRUST: u8 = 7;
pub(super) const TAG_ROLE: u8 = 8;
pub(super) const ATTACH: u8 = 9;
pub(super) const DETACH: u8 = 10;
pub(super) const DELETE_ROLE: u8 = 11;
pub(super) const PUT_BOUNDARY: u8 = 12;
pub(super) const DELETE_BOUNDARY: u8 = 13;
pub(super) const DELETE_INLINE: u8 = 14;
pub(super) const CHECK: u8 = 15;

/// Of what a role is to trust: it is to have the boundary, too.
pub(super) const WITH_BOUNDARY: u8 = 1 << 2;

/// The steps that call, by their numbers.
const STEPS: [Step; 16] = [
    Step::Look,
    Step::CreatePolicy,
    Step::CreatePolicyVersion,
    Step::DeletePolicyVersion,
    Step::TagPolicy,
    Step::DeletePolicy,
    Step::CreateRole,
    Step::UpdateAssumeRolePolicy,
    Step::TagRole,
    Step::AttachRolePolicy,
    Step::DetachRolePolicy,
    Step::DeleteRole,
    Step::PutRolePermissionsBoundary,
    Step::DeleteRolePermissionsBoundary,
    Step::DeleteRolePolicy,
    Step::Check,
];

/// What is asked, taken apart.
#[derive(Clone, Copy)]
pub(super) struct Code {
    pub(super) what: u8,
    pub(super) about: u8,
}

impl Code {
    pub(super) fn of(ask: &Ask) -> Code {
        Code { what: ask.code[0], about: ask.code[1] }
    }

    /// Whether the role gets the boundary by it.
    pub(super) fn bounds(self) -> bool {
        self.what == PUT_BOUNDARY || self.what == CREATE_ROLE && self.about & WITH_BOUNDARY != 0
    }
}

/// What a call changes, if it changes something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Change {
    Makes(Part),
    Changes(Part),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Policy,
    Role,
}

pub(super) fn change(ask: &Ask) -> Option<Change> {
    match ask.code[0] {
        LOOK | CHECK => None,
        CREATE_POLICY => Some(Change::Makes(Part::Policy)),
        CREATE_ROLE => Some(Change::Makes(Part::Role)),
        CREATE_VERSION..=DELETE_POLICY => Some(Change::Changes(Part::Policy)),
        _ => Some(Change::Changes(Part::Role)),
    }
}

/// Whether a call is a look at what there is.
pub(super) fn looks(ask: &Ask) -> bool {
    ask.code[0] == LOOK
}

/// In which sweep a call was made; 0 if an identity was there.
pub(super) fn round(ask: &Ask) -> u8 {
    ask.code[2]
}

pub(super) fn asked(ask: &Ask) -> Call<Tiny> {
    let [what, about, round, generation, _] = ask.code;
    let what = match what {
        LOOK => Asked::Look { goes: false },
        CREATE_POLICY => Asked::CreatePolicy(about),
        CREATE_VERSION => Asked::CreatePolicyVersion(about),
        DELETE_VERSION => Asked::DeletePolicyVersion(about.into()),
        TAG_POLICY => Asked::TagPolicy,
        DELETE_POLICY => Asked::DeletePolicy,
        CREATE_ROLE => {
            let boundary = (about & WITH_BOUNDARY != 0).then_some(BOUNDARY);
            Asked::CreateRole { trust: about & !WITH_BOUNDARY, boundary }
        }
        UPDATE_TRUST => Asked::UpdateAssumeRolePolicy(about),
        TAG_ROLE => Asked::TagRole,
        ATTACH => Asked::AttachRolePolicy(about),
        DETACH => Asked::DetachRolePolicy(about),
        PUT_BOUNDARY => Asked::PutRolePermissionsBoundary(BOUNDARY),
        DELETE_BOUNDARY => Asked::DeleteRolePermissionsBoundary,
        DELETE_INLINE => Asked::DeleteRolePolicy(Words),
        CHECK => Asked::Check(Others { boundary: Some(BOUNDARY), managed: Vec::new() }),
        _ => Asked::DeleteRole,
    };
    // What was put right is told, and decides nothing.
    Call { name: ask.key, uid: ask.uid, round, generation: generation.into(), rested: false, what }
}

/// What is asked by a step, in a few bytes.
pub(super) fn ask(step: &Step, call: &Call<Tiny>) -> Ask {
    let about = match &call.what {
        Asked::CreatePolicy(document)
        | Asked::CreatePolicyVersion(document)
        | Asked::UpdateAssumeRolePolicy(document) => *document,
        Asked::CreateRole { trust, boundary } => *trust | if boundary.is_some() { WITH_BOUNDARY } else { 0 },
        Asked::DeletePolicyVersion(version) => *version as u8,
        Asked::AttachRolePolicy(arn) | Asked::DetachRolePolicy(arn) => *arn,
        _ => 0,
    };
    let number = (0..).zip(STEPS).find(|(_, known)| known == step);
    let Some((what, _)) = number else { unreachable!("{step:?} asks for nothing here") };
    // The generation is remembered only of what is refused.
    let code = padded([what, about, call.round, call.generation as u8]);
    Ask { key: call.name, uid: call.uid, on: 0, code }
}

/// The step that asks for it.
pub(super) fn step(ask: &Ask) -> Step {
    STEPS[usize::from(ask.code[0])]
}
