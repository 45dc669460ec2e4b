//! Stacks in a few bytes, and back.

use bowline_control::Version;
use bowline_control::lease::Epoch;
use bowline_updates::{Good, Mood, Number, Phase, Quarantined, Request, Stack, Status, Told, Wish};

use super::{
    ATTEMPT, BAD, BLANK, DISCARDS, HELD, INVENTORY, LED, NUMBERS, PAUSED, PHASE, RELEASED, REPAIRS, REQUESTS,
    RESUMED, ROUND, TOLD, WISH, coded, number, stage,
};
use crate::harness::{BODY, Flat};
use crate::tiny::{Tiny, Words};
use crate::updates::world;

pub(super) fn stack(slot: u8, flat: Flat) -> Stack<Tiny> {
    let wish = flat.body[WISH];
    let told = flat.body[TOLD];
    Stack {
        name: slot,
        uid: flat.uid,
        version: Version(flat.version.into()),
        generation: flat.generation.into(),
        deleting: flat.deleting,
        held: flat.finalizers & HELD != 0,
        wish: Wish {
            cluster: 0,
            paused: wish & PAUSED != 0,
            repairs: wish & REPAIRS != 0,
            timeout: world::SOON,
            interval: world::SOON,
            deletions: 1,
            history: if wish & DISCARDS == 0 { u32::MAX } else { 0 },
            released: (1..=3).filter(|n| wish >> (RELEASED + n) & 1 == 1).map(|n| Number(n.into())).collect(),
        },
        status: status(&flat.body),
        told: (told & 15).checked_sub(1).map(|mood| Told {
            mood: Mood::ALL[usize::from(mood)],
            words: Words,
            observed: (told >> 4).into(),
        }),
    }
}

fn status(body: &[u8; BODY]) -> Status<Tiny> {
    let phase = body[PHASE];
    let of = Number((phase >> 3 & 3).into());
    let numbers = body[NUMBERS];
    let request = |n: u8| {
        let code = body[REQUESTS + usize::from(n) - 1];
        stage(code & 15).map(|stage| Request {
            number: Number(n.into()),
            update: code >> 6,
            uid: 1,
            digest: code >> 4 & 3,
            plan: None,
            stage,
            tally: None,
            why: Words,
        })
    };
    let bad = |digest: u8| {
        let of = number(body[BAD] >> (2 * (digest - 1)) & 3);
        of.map(|number| Quarantined { digest, number, why: Words })
    };
    Status {
        submitted: Number((numbers & 3).into()),
        requests: (1..=3).filter_map(request).collect(),
        phase: match phase & 7 {
            0 => Phase::Idle,
            1 => Phase::Starting(of),
            2 => Phase::Partial(of),
            3 => Phase::RollingBack(number(phase >> 3 & 3)),
            _ => Phase::Stalled(number(phase >> 3 & 3)),
        },
        good: number(numbers >> 2 & 3).map(|number| Good { number, digest: numbers >> 4 & 3 }),
        epoch: Epoch((phase & LED != 0).into()),
        attempt: body[ATTEMPT].into(),
        resumed: phase & RESUMED != 0,
        inventory: (body[INVENTORY] > 0).then_some(body[INVENTORY]),
        quarantined: (1..=3).filter_map(bad).collect(),
    }
}

pub(super) fn flat(stack: &Stack<Tiny>) -> Flat {
    let Stack { wish, status, told, .. } = stack;
    let mut body = [0; BODY];
    let released: u8 = wish.released.iter().map(|number| 1 << (RELEASED + number.0 as u8)).sum();
    let flag = |is: bool, bit: u8| if is { bit } else { 0 };
    let flags = [(wish.paused, PAUSED), (wish.repairs, REPAIRS), (wish.history == 0, DISCARDS)];
    body[WISH] = flags.into_iter().fold(released, |all, (is, bit)| all | flag(is, bit));
    let phase = match status.phase {
        Phase::Idle => 0,
        Phase::Starting(_) => 1,
        Phase::Partial(_) => 2,
        Phase::RollingBack(_) => 3,
        Phase::Stalled(_) => 4,
    };
    let of = status.phase.number().map_or(0, |number| number.0 as u8);
    let led = if status.epoch == Epoch(1) { LED } else { 0 };
    body[PHASE] = phase | of << 3 | if status.resumed { RESUMED } else { 0 } | led;
    let good = status.good.as_ref().map_or(0, |good| (good.number.0 as u8) << 2 | good.digest << 4);
    body[NUMBERS] = status.submitted.0 as u8 | good;
    body[INVENTORY] = status.inventory.unwrap_or(0);
    body[BAD] = status.quarantined.iter().map(|bad| (bad.number.0 as u8) << (2 * (bad.digest - 1))).sum();
    for request in &status.requests {
        let place = REQUESTS + request.number.0 as usize - 1;
        body[place] = coded(request.stage) | request.digest << 4 | request.update << 6;
    }
    body[TOLD] = told.as_ref().map_or(0, |told| {
        let mood = (1..).zip(Mood::ALL).find(|(_, mood)| *mood == told.mood).map_or(0, |(code, _)| code);
        mood | (told.observed as u8) << 4
    });
    body[ATTEMPT] = status.attempt as u8 % ROUND;
    Flat {
        uid: stack.uid,
        version: stack.version.0 as u8,
        generation: stack.generation as u8,
        deleting: stack.deleting,
        finalizers: if stack.held { HELD } else { 0 },
        body,
        ..BLANK
    }
}
