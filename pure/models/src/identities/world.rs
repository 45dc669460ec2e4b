//! AWS, as strict as it is: what is there under the names of an instance.

use bowline_control::Millis;
use bowline_identities::{Call, Memory, Policy, Reply, Role, Said, Step, Whose};

use super::Team;
use super::calls::{
    self, ATTACH, CHECK, CREATE_POLICY, CREATE_ROLE, CREATE_VERSION, Change, Code, DELETE_BOUNDARY,
    DELETE_INLINE, DELETE_POLICY, DELETE_ROLE, DELETE_VERSION, DETACH, LOOK, PUT_BOUNDARY, TAG_POLICY,
    TAG_ROLE, UPDATE_TRUST, WITH_BOUNDARY, change,
};
use super::memory;
use super::names::{BOUNDARY, EXTRA, POLICY, ROLE};
use super::shape::{ATTACHMENTS, VERSIONS};
use crate::harness::{Ask, Note, Outside};
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
    /// How many of somebody else's policies the role has.
    pub(crate) extras: u8,
    /// Somebody has written a policy into the role.
    pub(crate) inline: bool,
    /// The role has the boundary that people may want.
    pub(crate) bounded: bool,
    /// Somebody has taken away the policy that is that boundary: nobody can be given it.
    pub(crate) unbound: bool,
}

/// Of the last byte, after the number of somebody else's policies.
const INLINE: u8 = 1 << 2;
const BOUNDED: u8 = 1 << 3;
const UNBOUND: u8 = 1 << 4;

/// What somebody else writes into a document.
pub(crate) const EDITED: u8 = 3;

impl World {
    pub(crate) fn of(note: &Note) -> World {
        let [policy, role, others, attached, more] = note.body;
        World {
            policy,
            role,
            uids: note.uids,
            others,
            attached: attached > 0,
            extras: more & 3,
            inline: more & INLINE != 0,
            bounded: more & BOUNDED != 0,
            unbound: more & UNBOUND != 0,
        }
    }

    pub(crate) fn note(self) -> Note {
        let World { policy, role, uids, others, attached, extras, inline, bounded, unbound } = self;
        let bit = |is: bool, bit: u8| if is { bit } else { 0 };
        let more = extras | bit(inline, INLINE) | bit(bounded, BOUNDED) | bit(unbound, UNBOUND);
        Note { uids, body: [policy, role, others, attached.into(), more] }
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
        let uids = [self.uids[0], 0];
        World { role: 0, attached: false, extras: 0, inline: false, bounded: false, uids, ..self }
    }

    /// Whether AWS does not do this before somebody puts the boundary back.
    pub(crate) fn refuses(self, ask: &Ask) -> bool {
        self.unbound && Code::of(ask).bounds()
    }

    /// Whether AWS lets the role have one more policy.
    pub(crate) fn has_room(self) -> bool {
        u8::from(self.attached) + self.extras < ATTACHMENTS
    }

    /// What there is to be seen of the role.
    fn role(self) -> Option<Role<Tiny>> {
        let whose = if self.uids[1] > 0 { Whose::Ours(self.uids[1]) } else { Whose::Theirs };
        (self.role > 0).then(|| role(self.role, whose, self.attached, self.extras, self.inline, self.bounded))
    }

    fn look(self) -> Said<Tiny> {
        let whose = |uid: u8| if uid > 0 { Whose::Ours(uid) } else { Whose::Theirs };
        let policy = (self.policy > 0).then(|| policy(self.policy, whose(self.uids[0]), self.others));
        Said::Seen { policy, role: self.role() }
    }

    /// What AWS does, by its own rules.
    fn act(&mut self, code: Code, uid: u8) -> Said<Tiny> {
        let about_policy = (CREATE_VERSION..=DELETE_POLICY).contains(&code.what);
        let about_role = (UPDATE_TRUST..=DELETE_INLINE).contains(&code.what);
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
            CREATE_ROLE | PUT_BOUNDARY if code.bounds() && self.unbound => return Said::Refused(Words),
            CREATE_ROLE => {
                (self.role, self.uids[1]) = (code.about & !WITH_BOUNDARY, uid);
                self.bounded = code.bounds();
                made = true;
            }
            PUT_BOUNDARY => self.bounded = true,
            DELETE_BOUNDARY => self.bounded = false,
            UPDATE_TRUST => self.role = code.about,
            TAG_ROLE => self.uids[1] = uid,
            ATTACH if self.policy == 0 => return Said::Missing,
            ATTACH if !self.attached && !self.has_room() => return Said::Refused(Words),
            ATTACH => self.attached = true,
            DETACH if code.about == POLICY && !self.attached => return Said::Missing,
            DETACH if code.about == POLICY => self.attached = false,
            // Those of somebody else are taken away in any order: how many there are is all that matters.
            DETACH if self.extras == 0 => return Said::Missing,
            DETACH => self.extras -= 1,
            DELETE_INLINE if !self.inline => return Said::Missing,
            DELETE_INLINE => self.inline = false,
            DELETE_ROLE if self.attached || self.extras > 0 || self.inline => return outdated(),
            DELETE_ROLE => *self = self.without_role(),
            CHECK if self.unbound => return Said::Refused(Words),
            CHECK => {}
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

pub(crate) fn role(
    trust: u8,
    whose: Whose<u8>,
    attached: bool,
    extras: u8,
    inline: bool,
    bounded: bool,
) -> Role<Tiny> {
    let attached =
        attached.then_some(POLICY).into_iter().chain((0..extras).map(|extra| EXTRA + extra)).collect();
    let inline = if inline { vec![Words] } else { Vec::new() };
    Role {
        arn: ROLE,
        whose,
        trust,
        boundary: bounded.then_some(BOUNDARY),
        attached,
        inline,
        held_by: Vec::new(),
    }
}

/// Nothing is done, for now.
const THROTTLED: u8 = 0;
/// What is there is not visible yet.
const HIDDEN: u8 = 1;

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
        calls::ask(step, call)
    }

    fn step(ask: &Ask) -> Step {
        calls::step(ask)
    }

    fn perform(_: &Team, outside: &mut Note, ask: &Ask, way: Option<u8>) -> Reply<Tiny> {
        let mut world = World::of(outside);
        let code = Code::of(ask);
        let makes = matches!(change(ask), Some(Change::Makes(_)));
        let said = match way {
            None => world.act(code, ask.uid),
            Some(HIDDEN) if code.what == LOOK => World::default().look(),
            Some(HIDDEN) if code.what == CHECK => Said::Refused(Words),
            Some(HIDDEN) if !makes => Said::Missing,
            Some(THROTTLED | HIDDEN) => Said::Failed(String::new()),
            Some(_) => Said::Refused(Words),
        };
        *outside = world.note();
        Reply { to: calls::asked(ask), said }
    }

    /// AWS has no guards: what was sent may arrive at any time.
    fn can_be_late(ask: &Ask) -> bool {
        change(ask).is_some()
    }

    fn ended(_: &mut Note) {}

    fn describe(outside: &Note) -> String {
        let World { policy, role, uids, others, attached, extras, inline, bounded, unbound } =
            World::of(outside);
        let of = |uid: u8| if uid > 0 { format!("of uid {uid}") } else { "somebody's".to_owned() };
        let policy = match policy {
            0 => "no policy".to_owned(),
            says => format!("policy {} says {says}, {others} other versions", of(uids[0])),
        };
        let role = match role {
            0 => "no role".to_owned(),
            trust => format!("role {} trusts {trust}", of(uids[1])),
        };
        let has = [(attached, "its policy"), (inline, "one written into it"), (bounded, "its boundary")];
        let has: Vec<_> = has.iter().filter(|(is, _)| *is).map(|(_, what)| *what).collect();
        let boundary = if unbound { "; the boundary is gone" } else { "" };
        format!("{policy}; {role}, has {has:?} and {extras} others{boundary}")
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
