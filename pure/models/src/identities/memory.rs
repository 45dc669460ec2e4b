//! What is remembered of an identity, in a few bytes. How often something did not work is left out: here nobody counts; and
//! what is only told: whether it had come to rest before.

use std::collections::{BTreeMap, BTreeSet};

use bowline_control::Millis;
use bowline_identities::{Look, Memory, Refused, Trial, Whose};

use super::names::{BOUNDARY, POLICY};
use super::{STEPS_BY_POINT, world};
use crate::harness::Note;
use crate::tiny::{Tiny, Words};

/// Of the byte of a policy or a role: that it is there, whose it is, and what else there is to it.
const THERE: u8 = 1 << 7;
const WHOSE: u8 = 2;
const MORE: u8 = 4;
/// Of the third byte.
const LOOKED: u8 = 1;
const WRITTEN: u8 = 2;
const CONFIRMED: u8 = 4;
const DOUBTED: u8 = 8;
const INLINE: u8 = 16;
const BOUNDED: u8 = 32;
const CHECKED: u8 = 64;

pub(crate) fn note(memory: &Memory<Tiny>) -> Note {
    let is_checked = memory.checked.contains(&BOUNDARY);
    let is_any = memory.look.is_some() || memory.refused.is_some() || is_checked;
    let (Some((uid, round)), true) = (memory.about, is_any) else { return Note::default() };
    let bit = |is: bool, bit: u8| if is { bit } else { 0 };
    let mut other = 0;
    let mut whose = |whose: &Whose<u8>| match whose {
        Whose::Theirs => 0,
        Whose::Ours(of) if *of == uid => 1,
        Whose::Ours(of) => {
            other = *of;
            2
        }
    };
    let mut body = [0, 0, bit(is_checked, CHECKED), round, 0];
    if let Some(look) = &memory.look {
        if let Some(policy) = &look.policy {
            let others = policy.others.len().min(3) as u8;
            body[0] = THERE | policy.document | whose(&policy.whose) << WHOSE | others << MORE;
        }
        if let Some(role) = &look.role {
            let own = role.attached.contains(&POLICY);
            let extras = role.attached.len() as u8 - u8::from(own);
            let attached = u8::from(own) | extras << 1;
            body[1] = THERE | role.trust | whose(&role.whose) << WHOSE | attached << MORE;
            body[2] |= bit(!role.inline.is_empty(), INLINE) | bit(role.boundary.is_some(), BOUNDED);
        }
        body[2] |= LOOKED
            | bit(look.written.is_some(), WRITTEN)
            | bit(look.confirmed, CONFIRMED)
            | bit(look.doubts > 0, DOUBTED);
    }
    if let Some(refused) = &memory.refused {
        let step = (0..).zip(STEPS_BY_POINT).find(|(_, step)| *step == refused.step);
        body[4] = (1 + step.map_or(0, |(number, _)| number)) | (refused.generation as u8) << 5;
    }
    Note { uids: [uid, other], body }
}

pub(crate) fn memory(note: Note, learned: Millis) -> Memory<Tiny> {
    let ([uid, other], [policy, role, flags, round, refused]) = (note.uids, note.body);
    if uid == 0 {
        return Memory::default();
    }
    let whose = |byte: u8| match byte >> WHOSE & 3 {
        0 => Whose::Theirs,
        1 => Whose::Ours(uid),
        _ => Whose::Ours(other),
    };
    let is_there = |byte: u8| byte & THERE != 0;
    let look = (flags & LOOKED != 0).then(|| {
        let policy = is_there(policy).then(|| world::policy(policy & 3, whose(policy), policy >> MORE & 3));
        let (attached, extras) = (role >> MORE & 1 != 0, role >> (MORE + 1) & 3);
        let (inline, bounded) = (flags & INLINE != 0, flags & BOUNDED != 0);
        let seen = || world::role(role & 3, whose(role), attached, extras, inline, bounded);
        let role = is_there(role).then(seen);
        let is_ours = |whose: Option<&Whose<u8>>| whose.is_some_and(|whose| *whose != Whose::Theirs);
        let is_clear = !is_ours(policy.as_ref().map(|policy| &policy.whose))
            && !is_ours(role.as_ref().map(|role| &role.whose));
        Look {
            at: learned,
            written: (flags & WRITTEN != 0).then_some(learned),
            doubts: u8::from(flags & DOUBTED != 0),
            news: false,
            policy,
            role,
            clear: is_clear.then_some(learned),
            confirmed: flags & CONFIRMED != 0,
        }
    });
    let refused = (refused > 0).then(|| Refused {
        step: STEPS_BY_POINT[usize::from((refused & 31) - 1)],
        generation: (refused >> 5).into(),
        at: learned,
        why: Words,
    });
    Memory {
        about: Some((uid, round)),
        look,
        refused,
        failures: BTreeMap::new(),
        accounts: BTreeMap::new(),
        trial: Trial::NotYet,
        checked: if flags & CHECKED == 0 { BTreeSet::new() } else { BTreeSet::from([BOUNDARY]) },
        rested: None,
    }
}

pub(crate) fn told(note: &Note) -> String {
    let memory = memory(*note, Millis(0));
    let is_checked = if memory.checked.is_empty() { "" } else { ", the boundary was there" };
    let seen = memory.look.map_or("nothing seen".to_owned(), |look| {
        format!(
            "policy {:?}, role {:?}{}{}{}{}{}",
            look.policy.map(|policy| (policy.document, policy.whose, policy.others.len())),
            look.role.as_ref().map(|role| (role.trust, role.whose.clone(), role.attached.clone())),
            look.role
                .as_ref()
                .filter(|role| !role.inline.is_empty())
                .map_or("", |_| ", with an inline policy"),
            look.role.as_ref().filter(|role| role.boundary.is_some()).map_or("", |_| ", bounded"),
            if look.written.is_some() { ", written" } else { "" },
            if look.doubts > 0 { ", not visible" } else { "" },
            if look.confirmed { ", seen twice that nothing is there" } else { "" },
        )
    });
    let refused =
        memory.refused.map(|refused| format!(", may not {} at {}", refused.step, refused.generation));
    format!("of {:?}: {seen}{}{is_checked}", memory.about, refused.unwrap_or_default())
}
