//! What is decided and told, by what there is; what the explorer does not go through.

mod decisions;
mod documents;
mod lapse;
mod learning;
mod named;
mod repairs;
mod telling;

use bowline_control::lease::Epoch;
use bowline_control::{Controller, Decision, Effect, Millis, Moment, Version, Write};

use crate::plain::{Document, Grant, Home, Named, Plain, Statement};
use crate::{
    Ask, Call, Identities, Identity, Look, Memory, Object, Others, Policy, Reply, Rhythm, Role, Said,
    Snapshot, Status, Step, Wait, Whose, Wish,
};

const PROVIDER: &str = "arn:aws:iam::123456789012:oidc-provider/oidc.example/id/X";
const NOW: Moment =
    Moment { clock: Millis(10_000_000), wall: Millis(50_000_000), epoch: Epoch(1), handed: false };
const MINUTE: u64 = 60_000;

fn home() -> Home {
    Home::new("hub-1", "demo", PROVIDER).expect("a provider")
}

fn controller() -> Identities<Plain> {
    Identities::new(Some(home()), Rhythm::default())
}

fn named(name: &str) -> Named {
    Named { namespace: "team".into(), name: name.into() }
}

fn statement() -> Statement {
    Statement {
        sid: None,
        effect: "Allow".into(),
        actions: vec!["s3:GetObject".into()],
        resources: vec!["arn:aws:s3:::bucket/*".into()],
        condition: Default::default(),
    }
}

fn grant() -> Grant {
    Grant { statements: vec![statement()], ..Grant::default() }
}

/// An identity that is held, and has nothing yet.
fn identity() -> Identity<Plain> {
    Identity {
        name: named("reader"),
        uid: "u1".into(),
        version: Version(7),
        generation: 1,
        deleting: false,
        held: true,
        wish: Wish {
            grant: grant(),
            account: named("reader"),
            clusters: Vec::new(),
            adopts: false,
            orphans: false,
        },
        status: Status { intent: Some(Millis(1)), ..Status::default() },
        told: None,
    }
}

fn wanted(identity: &Identity<Plain>) -> crate::Wanted<Plain> {
    use crate::Names;
    let home = home();
    Plain::wanted(&home, identity, &[Plain::issuer(&home)]).expect("a good spec")
}

fn policy(identity: &Identity<Plain>) -> Policy<Plain> {
    Policy {
        arn: home().policy_arn(&identity.name),
        whose: Whose::Ours(identity.uid.clone()),
        document: wanted(identity).policy.expect("a policy"),
        default: 1,
        others: Vec::new(),
        held_by: Vec::new(),
    }
}

fn role_arn() -> String {
    format!("arn:aws:iam::123456789012:role/{}", home().aws_name(&named("reader")))
}

fn role(identity: &Identity<Plain>) -> Role<Plain> {
    Role {
        arn: role_arn(),
        whose: Whose::Ours(identity.uid.clone()),
        trust: wanted(identity).trust,
        boundary: None,
        attached: vec![home().policy_arn(&identity.name)],
        inline: Vec::new(),
        held_by: Vec::new(),
    }
}

/// What was seen just now.
fn look(policy: Option<Policy<Plain>>, role: Option<Role<Plain>>) -> Look<Plain> {
    let (written, clear) = (None, None);
    Look { at: NOW.clock, written, doubts: 0, news: false, policy, role, clear, confirmed: false }
}

fn snapshot(identity: Identity<Plain>, look: Option<Look<Plain>>) -> Snapshot<Plain> {
    let about = Some((identity.uid.clone(), 0));
    Snapshot {
        identity: Some(identity),
        accounts: Vec::new(),
        clusters: Vec::new(),
        tombstone: None,
        memory: Memory { about, look, ..Memory::default() },
    }
}

/// An identity that has everything, and how it is seen.
fn complete() -> Snapshot<Plain> {
    let mut identity = identity();
    identity.status = Status {
        intent: Some(Millis(1)),
        policy: Some(home().policy_arn(&identity.name)),
        role: Some(role_arn()),
        complete: Some(Millis(2)),
        ready: true,
        published: vec![(None, named("reader"))],
    };
    let look = look(Some(policy(&identity)), Some(role(&identity)));
    let mut snapshot = snapshot(identity.clone(), Some(look));
    snapshot.accounts.push(crate::Account {
        name: named("reader"),
        uid: "a1".into(),
        version: Version(8),
        deleting: false,
        of: Some((named("reader"), "u1".into())),
        role: Some(role_arn()),
    });
    snapshot
}

fn decide(snapshot: &Snapshot<Plain>) -> Decision<Step, Wait> {
    controller().decide(snapshot, NOW)
}

/// The step that is decided, or what is waited for.
fn what(snapshot: &Snapshot<Plain>) -> Result<Step, Wait> {
    match decide(snapshot) {
        Decision::Do(step) => Ok(step),
        Decision::Wait { what, .. } => Err(what),
        Decision::Converged => unreachable!("an identity is looked at for ever"),
    }
}

/// What is asked of the outside by the step that is decided.
fn asked(snapshot: &Snapshot<Plain>) -> Ask<Plain> {
    let Decision::Do(step) = decide(snapshot) else { panic!("nothing is done") };
    match controller().effect(snapshot, &step, NOW) {
        Effect::Call(call) => call.what,
        other => panic!("{other:?} asks nobody"),
    }
}

fn written(snapshot: &Snapshot<Plain>) -> Write<Object<Plain>> {
    let Decision::Do(step) = decide(snapshot) else { panic!("nothing is done") };
    match controller().effect(snapshot, &step, NOW) {
        Effect::Write(write) => write,
        other => panic!("{other:?} writes nothing"),
    }
}

fn call(what: Ask<Plain>) -> Call<Plain> {
    Call { name: named("reader"), uid: "u1".into(), round: 0, generation: 1, rested: false, what }
}

fn learn(
    memory: &mut Memory<Plain>,
    step: Step,
    what: Ask<Plain>,
    said: Said<Plain>,
    now: Moment,
) -> Result<(), String> {
    controller().learn(memory, &step, Reply { to: call(what), said }, now)
}

fn later(minutes: u64) -> Moment {
    let time = Millis(minutes * MINUTE);
    Moment { clock: NOW.clock.plus(time), wall: NOW.wall.plus(time), ..NOW }
}

fn document(text: &str) -> Document {
    Document::read(text)
}
