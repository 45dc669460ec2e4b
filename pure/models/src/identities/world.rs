//! AWS, as strict as it is: what is there under the names of an instance.

use bowline_control::Millis;
use bowline_identities::{Ask as Asked, Call, Memory, Policy, Reply, Role, Said, Step, Whose};

use super::Team;
use super::memory;
use super::names::{EXTRA, POLICY, ROLE};
use super::shape::VERSIONS;
use crate::harness::{Ask, Note, Outside, padded};
use crate::tiny::{Tiny, Words};

/// AWS.
pub(crate) struct Cloud;

/// What is in AWS under the names of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct World {
    /// What the policy says; 0 if there is none.
    pub(crate) policy: u8,
    /// Who may assume the role; 0 if there is none.
    pub(crate) role: u8,
    /// Of which identity policy and role say they are; 0 if they are somebody else's.
    pub(crate) uids: [u8; 2],
    /// How many versions the policy has beside the default one.
    pub(crate) others: u8,
    /// The role has our policy.
    pub(crate) attached: bool,
    /// The role has somebody else's policy.
    pub(crate) extra: bool,
}

/// What somebody else writes into a document.
pub(crate) const EDITED: u8 = 3;

impl World {
    pub(crate) fn of(note: &Note) -> World {
        let [policy, role, others, attached, extra] = note.body;
        World { policy, role, uids: note.uids, others, attached: attached > 0, extra: extra > 0 }
    }

    pub(crate) fn note(self) -> Note {
        let World { policy, role, uids, others, attached, extra } = self;
        Note { uids, body: [policy, role, others, attached.into(), extra.into()] }
    }

    pub(crate) fn is_their_policy(self) -> bool {
        self.policy > 0 && self.uids[0] == 0
    }

    pub(crate) fn is_their_role(self) -> bool {
        self.role > 0 && self.uids[1] == 0
    }

    /// Whether anything of ours is there.
    pub(crate) fn has_ours(self) -> bool {
        self.uids != [0, 0]
    }

    /// Whether our policy is attached to somebody else's role.
    pub(crate) fn is_held(self) -> bool {
        self.attached && self.is_their_role() && !self.is_their_policy()
    }

    pub(crate) fn without_policy(self) -> World {
        World { policy: 0, others: 0, attached: false, uids: [0, self.uids[1]], ..self }
    }

    pub(crate) fn without_role(self) -> World {
        World { role: 0, attached: false, extra: false, uids: [self.uids[0], 0], ..self }
    }

    fn look(self) -> Said<Tiny> {
        let whose = |uid: u8| if uid > 0 { Whose::Ours(uid) } else { Whose::Theirs };
        let policy = (self.policy > 0).then(|| policy(self.policy, whose(self.uids[0]), self.others));
        let role = || role(self.role, whose(self.uids[1]), self.attached, self.extra);
        Said::Seen { policy, role: (self.role > 0).then(role) }
    }

    /// What AWS does, by its own rules.
    fn act(&mut self, code: Code, uid: u8) -> Said<Tiny> {
        let about_policy = (CREATE_VERSION..=DELETE_POLICY).contains(&code.what);
        let about_role = (UPDATE_TRUST..=DELETE_ROLE).contains(&code.what);
        if about_policy && self.policy == 0 || about_role && self.role == 0 {
            return Said::Missing;
        }
        let mut made = false;
        match code.what {
            CREATE_POLICY if self.policy > 0 => return Said::Exists,
            CREATE_POLICY => {
                (self.policy, self.others, self.uids[0]) = (code.about, 0, uid);
                made = true;
            }
            CREATE_VERSION if self.others + 1 >= VERSIONS => return outdated(),
            CREATE_VERSION => {
                self.policy = code.about;
                self.others += 1;
                return Said::Version(u32::from(self.others) + 1);
            }
            DELETE_VERSION if self.others == 0 => return Said::Missing,
            DELETE_VERSION => self.others -= 1,
            TAG_POLICY => self.uids[0] = uid,
            DELETE_POLICY if self.attached || self.others > 0 => return outdated(),
            DELETE_POLICY => *self = self.without_policy(),
            CREATE_ROLE if self.role > 0 => return Said::Exists,
            CREATE_ROLE => {
                (self.role, self.uids[1]) = (code.about, uid);
                made = true;
            }
            UPDATE_TRUST => self.role = code.about,
            TAG_ROLE => self.uids[1] = uid,
            ATTACH if self.policy == 0 => return Said::Missing,
            ATTACH => self.attached = true,
            DETACH if code.about == EXTRA && !self.extra || code.about == POLICY && !self.attached => {
                return Said::Missing;
            }
            DETACH if code.about == EXTRA => self.extra = false,
            DETACH => self.attached = false,
            DELETE_ROLE if self.attached || self.extra => return outdated(),
            DELETE_ROLE => *self = self.without_role(),
            _ => return self.look(),
        }
        match made {
            true => Said::Made(if code.what == CREATE_POLICY { POLICY } else { ROLE }),
            false => Said::Done,
        }
    }
}

fn outdated() -> Said<Tiny> {
    Said::Outdated(String::new())
}

pub(crate) fn policy(document: u8, whose: Whose<u8>, others: u8) -> Policy<Tiny> {
    let others = u32::from(others);
    let (default, others) = (others + 1, (1..=others).collect());
    Policy { arn: POLICY, whose, document, default, others, held_by: Vec::new() }
}

pub(crate) fn role(trust: u8, whose: Whose<u8>, attached: bool, extra: bool) -> Role<Tiny> {
    let attached = [(attached, POLICY), (extra, EXTRA)];
    let attached = attached.into_iter().filter(|(is, _)| *is).map(|(_, arn)| arn).collect();
    Role { arn: ROLE, whose, trust, boundary: None, attached, held_by: Vec::new() }
}

/// Nothing is done, for now.
const THROTTLED: u8 = 0;
/// What is there is not visible yet.
const HIDDEN: u8 = 1;

const LOOK: u8 = 0;
const CREATE_POLICY: u8 = 1;
const CREATE_VERSION: u8 = 2;
const DELETE_VERSION: u8 = 3;
const TAG_POLICY: u8 = 4;
const DELETE_POLICY: u8 = 5;
const CREATE_ROLE: u8 = 6;
const UPDATE_TRUST: u8 = 7;
const TAG_ROLE: u8 = 8;
const ATTACH: u8 = 9;
const DETACH: u8 = 10;
const DELETE_ROLE: u8 = 11;

/// The steps that call, by their numbers.
const STEPS: [Step; 12] = [
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
];

/// What is asked, taken apart.
#[derive(Clone, Copy)]
struct Code {
    what: u8,
    about: u8,
}

/// What a call changes, if it changes something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    Makes(Part),
    Changes(Part),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    Policy,
    Role,
}

pub(crate) fn change(ask: &Ask) -> Option<Change> {
    match ask.code[0] {
        LOOK => None,
        CREATE_POLICY => Some(Change::Makes(Part::Policy)),
        CREATE_ROLE => Some(Change::Makes(Part::Role)),
        CREATE_VERSION..=DELETE_POLICY => Some(Change::Changes(Part::Policy)),
        _ => Some(Change::Changes(Part::Role)),
    }
}

/// In which sweep a call was made; 0 if an identity was there.
pub(crate) fn round(ask: &Ask) -> u8 {
    ask.code[2]
}

fn asked(ask: &Ask) -> Call<Tiny> {
    let [what, about, round, generation, _] = ask.code;
    let what = match what {
        LOOK => Asked::Look { goes: false },
        CREATE_POLICY => Asked::CreatePolicy(about),
        CREATE_VERSION => Asked::CreatePolicyVersion(about),
        DELETE_VERSION => Asked::DeletePolicyVersion(about.into()),
        TAG_POLICY => Asked::TagPolicy,
        DELETE_POLICY => Asked::DeletePolicy,
        CREATE_ROLE => Asked::CreateRole { trust: about, boundary: None },
        UPDATE_TRUST => Asked::UpdateAssumeRolePolicy(about),
        TAG_ROLE => Asked::TagRole,
        ATTACH => Asked::AttachRolePolicy(about),
        DETACH => Asked::DetachRolePolicy(about),
        _ => Asked::DeleteRole,
    };
    Call { name: ask.key, uid: ask.uid, round, generation: generation.into(), what }
}

impl Outside<Team> for Cloud {
    const WAYS: &'static [&'static str] = &["throttled", "not visible", "refused"];

    fn place(key: u8) -> u8 {
        key
    }

    fn note(memory: &Memory<Tiny>) -> Note {
        memory::note(memory)
    }

    fn memory(note: Note, learned: Millis) -> Memory<Tiny> {
        memory::memory(note, learned)
    }

    fn ask(step: &Step, call: &Call<Tiny>) -> Ask {
        let about = match &call.what {
            Asked::CreatePolicy(document)
            | Asked::CreatePolicyVersion(document)
            | Asked::UpdateAssumeRolePolicy(document) => *document,
            Asked::CreateRole { trust, .. } => *trust,
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

    fn step(ask: &Ask) -> Step {
        STEPS[usize::from(ask.code[0])]
    }

    fn perform(_: &Team, outside: &mut Note, ask: &Ask, way: Option<u8>) -> Reply<Tiny> {
        let mut world = World::of(outside);
        let code = Code { what: ask.code[0], about: ask.code[1] };
        let makes = matches!(change(ask), Some(Change::Makes(_)));
        let said = match way {
            None => world.act(code, ask.uid),
            Some(HIDDEN) if code.what == LOOK => World::default().look(),
            Some(HIDDEN) if !makes => Said::Missing,
            Some(THROTTLED | HIDDEN) => Said::Failed(String::new()),
            Some(_) => Said::Refused(Words),
        };
        *outside = world.note();
        Reply { to: asked(ask), said }
    }

    /// AWS has no guards: what was sent may arrive at any time.
    fn can_be_late(ask: &Ask) -> bool {
        change(ask).is_some()
    }

    fn ended(_: &mut Note) {}

    fn describe(outside: &Note) -> String {
        let World { policy, role, uids, others, attached, extra } = World::of(outside);
        let of = |uid: u8| if uid > 0 { format!("of uid {uid}") } else { "somebody's".to_owned() };
        let policy = match policy {
            0 => "no policy".to_owned(),
            says => format!("policy {} says {says}, {others} other versions", of(uids[0])),
        };
        let role = match role {
            0 => "no role".to_owned(),
            trust => format!("role {} trusts {trust}", of(uids[1])),
        };
        let has = [(attached, "its policy"), (extra, "another policy")];
        let has: Vec<_> = has.iter().filter(|(is, _)| *is).map(|(_, what)| *what).collect();
        format!("{policy}; {role}, has {has:?}")
    }

    fn remembered(note: &Note) -> String {
        memory::told(note)
    }

    fn called(ask: &Ask) -> String {
        let [_, about, round, generation, _] = ask.code;
        let step = Self::step(ask);
        format!(
            "{step} ({about}) of instance {} for uid {}, sweep {round}, generation {generation}",
            ask.key, ask.uid
        )
    }
}
