//! What is decided, planned and told, by what there is; what the explorer does not go through.

mod ends;
mod outlooks;
mod plans;
mod stacks;
mod told;

use std::sync::Arc;

use bowline_control::lease::Epoch;
use bowline_control::{Millis, Moment, Version};

use crate::{
    Admission, Cluster, Content, Deed, Fetched, Fit, Health, Inventory, Live, Look, Memory, Names, Number,
    Phase, Plan, Quota, Request, Sight, Sights, Snapshot, Stack, Stage, Status, Update, Wanted, Whose, Wish,
};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Plain;

impl Names for Plain {
    type Stack = &'static str;
    type Cluster = &'static str;
    type Update = &'static str;
    type Uid = u8;
    type Digest = String;
    type Text = String;
    type Place = &'static str;
    type Body = u8;
    type Read = u8;
    type Tally = usize;

    fn digest_of(inventory: &Inventory<Plain>) -> String {
        format!("{:?}", inventory.0)
    }

    fn digest_of_plan(deeds: &[Deed<Plain>]) -> String {
        format!("{deeds:?}")
    }

    fn tally(plan: &Plan<Plain>) -> usize {
        plan.deeds.len()
    }

    fn done(tally: &usize, left: usize) -> u32 {
        (tally - left) as u32
    }

    fn is_shared(place: &&'static str) -> bool {
        *place == ROOM
    }

    fn place(place: &&'static str) -> String {
        (*place).to_owned()
    }
}

/// What others may have something in.
const ROOM: &str = "room";
const HOUR: Millis = Millis(3_600_000);

fn at(clock: Millis) -> Moment {
    Moment { clock, wall: Millis(0), epoch: Epoch(1), handed: false }
}

/// What is wanted: places with their waves and bodies.
fn content(wanted: &[(&'static str, u8, u8)]) -> Content<Plain> {
    Content(wanted.iter().map(|(place, wave, body)| (*place, Wanted { wave: *wave, body: *body })).collect())
}

fn live(whose: Whose<Plain>, body: u8) -> Live<Plain> {
    Live { whose, body, read: body, spared: None, health: Health::Well }
}

fn ours(body: u8) -> Sight<Plain> {
    Sight { live: Some(live(Whose::Ours, body)), fit: Fit::Same }
}

fn differs(whose: Whose<Plain>, body: u8) -> Sight<Plain> {
    Sight { live: Some(live(whose, body)), fit: changed() }
}

/// How something suits that is to be changed.
fn changed() -> Fit<Plain> {
    Fit::Differs("spec.size".into())
}

/// A stack with one version that is being applied, all of which is on the cluster, and was looked at an hour after the start.
fn applied() -> Snapshot<Plain> {
    let request = Request {
        number: Number(1),
        update: "a",
        uid: 7,
        digest: "one".into(),
        plan: None,
        stage: Stage::Partial,
        tally: None,
        why: String::new(),
    };
    let inventory = Inventory([("x", crate::Origin::Created)].into());
    let known = inventory.clone();
    let sights: Sights<Plain> = [("x", ours(1))].into();
    let memory = Memory {
        fetched: Some(Fetched {
            digest: "one".into(),
            content: Ok(Arc::new(content(&[("x", 0, 1)]))),
            admission: Admission { allowed: true, used: Quota { waiting: 1, hourly: 2 } },
        }),
        recorded: Some((Plain::digest_of(&inventory), Arc::new(inventory))),
        look: Some(Look {
            on: Some(cluster().uid),
            generation: cluster().generation,
            digest: Some("one".into()),
            at: HOUR,
            since: HOUR,
            whole: true,
            allowed: true,
            regained: false,
            sights: Arc::new(sights),
        }),
        fetched_for: Some(Number(1)),
        attempt: 3,
        ..Memory::default()
    };
    Snapshot {
        stack: Some(stack(request, &Plain::digest_of(&known))),
        updates: vec![update()],
        cluster: Some(cluster()),
        memory,
    }
}

fn stack(request: Request<Plain>, inventory: &str) -> Stack<Plain> {
    Stack {
        name: "s",
        uid: 1,
        version: Version(1),
        generation: 1,
        deleting: false,
        held: true,
        wish: Wish {
            cluster: "c",
            paused: false,
            repairs: false,
            history: 100,
            timeout: Millis(300_000),
            interval: Millis(600_000),
            deletions: 10,
            released: Vec::new(),
        },
        status: Status {
            submitted: Number(1),
            requests: vec![request],
            phase: Phase::Partial(Number(1)),
            epoch: Epoch(1),
            attempt: 3,
            inventory: Some(inventory.to_owned()),
            ..Status::default()
        },
        told: None,
    }
}

fn update() -> Update<Plain> {
    Update {
        name: "a",
        stack: "s",
        uid: 7,
        version: Version(2),
        created: 0,
        deleting: false,
        digest: "one".into(),
        plan: None,
        shown: Some(crate::Shown {
            number: Some(Number(1)),
            stage: Stage::Partial,
            tally: None,
            done: 0,
            words: String::new(),
        }),
    }
}

fn cluster() -> Cluster<Plain> {
    Cluster {
        name: "c",
        uid: 1,
        version: Version(3),
        generation: 1,
        deleting: false,
        ready: true,
        why: String::new(),
        exposed: false,
        paused: false,
        quota: Quota { waiting: 2, hourly: 3 },
        updates: vec![("s", 3)],
        upgrade: false,
    }
}
