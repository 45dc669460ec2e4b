use std::collections::BTreeMap;

use bowline_control::lease;
use bowline_control::{Millis, Object};

use super::*;
use crate::{OnCrash, Partitions, Status, Wish};

const NOW: Moment = Moment { clock: Millis(0), wall: Millis(0), epoch: lease::Epoch(1), handed: false };

fn named() -> Named {
    Named { namespace: "team".into(), name: "kv".into() }
}

fn mastery(master: &str, epoch: u64) -> Mastery<Plain> {
    Mastery { master: Some(master.into()), epoch: Epoch(epoch), leaves: false }
}

fn group(devices: &[(&str, Mastery<Plain>)]) -> Group<Plain> {
    let devices = devices.iter().map(|(name, mastery)| ((*name).to_owned(), mastery.clone()));
    Group {
        name: named(),
        uid: "g".into(),
        version: Version(7),
        generation: 1,
        deleting: false,
        held: true,
        wish: Wish {
            cluster: None,
            versions: vec!["v1".into()],
            version: None,
            automatic: false,
            soak: None,
            on_crash: OnCrash::NewVersion,
            most_unavailable: 1,
            partitions: Partitions { count: 0, size: 0 },
            devices: vec!["d1".into(), "d2".into()],
            interrupts: false,
            deadline: None,
            command: None,
        },
        status: Status { devices: devices.collect::<BTreeMap<_, _>>(), ..Status::default() },
        told: None,
    }
}

fn of(group: Group<Plain>) -> Vec<Piece> {
    vec![Piece::Group(Box::new(group))]
}

/// A hub with these objects: what becomes of them, step by step, until nothing is to be done.
fn settled(objects: &mut Vec<Piece>) -> (Vec<String>, Decision<Step, Wait>) {
    let mut steps = Vec::new();
    loop {
        let shelf = Devices.snapshot(&named(), &objects.iter().collect::<Vec<_>>(), &());
        let step = match Devices.decide(&shelf, NOW) {
            Decision::Do(step) => step,
            end => return (steps, end),
        };
        steps.push(format!("{step:?}"));
        assert!(steps.len() < 20, "{steps:?}");
        let Effect::Write(write) = Devices.effect(&shelf, &step, NOW) else { panic!("it has no outside") };
        match write {
            Write::Create(piece) => objects.push(piece),
            Write::Change { before, after } | Write::Status { before, after } => {
                let place = objects.iter().position(|piece| *piece == before).expect("it is there");
                objects[place] = after;
            }
            Write::Delete(piece) => objects.retain(|other| other.id() != piece.id()),
        }
    }
}

fn shown(objects: &[Piece], name: &str) -> Option<(Option<String>, u64)> {
    objects.iter().find_map(|piece| match piece {
        Piece::Device(device) if device.name == name => {
            device.shown.clone().map(|Shown { master, epoch }| (master, epoch.0))
        }
        _ => None,
    })
}

#[test]
fn each_device_says_who_is_its_master_and_then_they_rest() {
    let mut objects = of(group(&[("d1", mastery("n1", 3)), ("d2", mastery("n2", 1))]));
    let (steps, end) = settled(&mut objects);
    assert_eq!(steps, ["Make(\"d1\")", "Show(\"d1\")", "Make(\"d2\")", "Show(\"d2\")"]);
    assert_eq!(end, Decision::Converged);
    assert_eq!(shown(&objects, "d1"), Some((Some("n1".into()), 3)));
    // Only what has changed is written, and who lets go is no master.
    let leaving = Mastery { leaves: true, ..mastery("n2", 1) };
    objects[0] = Piece::Group(Box::new(group(&[("d1", mastery("n1", 3)), ("d2", leaving)])));
    assert_eq!(settled(&mut objects).0, ["Show(\"d2\")"]);
    assert_eq!(shown(&objects, "d2"), Some((None, 1)));
}

#[test]
fn what_is_no_device_any_more_goes() {
    let mut objects = of(group(&[("d1", mastery("n1", 3)), ("d2", mastery("n2", 1))]));
    settled(&mut objects);
    objects[0] = Piece::Group(Box::new(group(&[("d2", mastery("n2", 1))])));
    assert_eq!(settled(&mut objects), (vec!["Remove(\"d1\")".into()], Decision::Converged));
}

#[test]
fn who_changes_or_deletes_one_finds_it_put_right() {
    let mut objects = of(group(&[("d1", mastery("n1", 3))]));
    settled(&mut objects);
    let before = objects.clone();
    if let Piece::Device(device) = &mut objects[1] {
        device.shown = Some(Shown { master: Some("n9".into()), epoch: Epoch(9) });
    }
    assert_eq!(settled(&mut objects).0, ["Show(\"d1\")"]);
    assert_eq!(objects, before);
    objects.truncate(1);
    assert_eq!(settled(&mut objects).0.len(), 2);
    assert_eq!(objects, before);
}

#[test]
fn what_somebody_else_has_made_is_left_alone() {
    let mut objects = of(group(&[("d1", mastery("n1", 3)), ("d2", mastery("n2", 1))]));
    settled(&mut objects);
    if let Piece::Device(device) = &mut objects[1] {
        device.owner = Some("other".into());
    }
    objects[0] = Piece::Group(Box::new(group(&[("d1", mastery("n1", 4)), ("d2", mastery("n2", 2))])));
    let (steps, end) = settled(&mut objects);
    assert_eq!(steps, ["Show(\"d2\")"], "the others go on");
    assert_eq!(end, Decision::Wait { what: Wait::Gone("d1".into()), until: None });
    objects[0] = Piece::Group(Box::new(group(&[])));
    assert_eq!(settled(&mut objects).0, ["Remove(\"d2\")"], "nor is it deleted");
    assert_eq!(objects.len(), 2);
}

#[test]
fn nothing_is_made_for_a_group_that_goes() {
    let mut going = group(&[("d1", mastery("n1", 3))]);
    going.deleting = true;
    assert_eq!(settled(&mut of(going)), (Vec::new(), Decision::Converged));
    assert_eq!(settled(&mut Vec::new()), (Vec::new(), Decision::Converged));
}

#[test]
fn steps_and_waits_are_sentences() {
    let told = [
        Step::Make("d1".into()).to_string(),
        Step::Show("d1".into()).to_string(),
        Step::Remove("d1".into()).to_string(),
        Wait::Gone("d1".into()).to_string(),
        PieceId::Device(named(), "d1".into()).to_string(),
    ];
    assert_eq!(
        told,
        [
            "make the object of the device d1",
            "say who is master of d1",
            "delete the object of d1, which is no device any more",
            "an object with the name of the device d1 to be gone, which is not the group's",
            "the device d1 of the group team/kv",
        ]
    );
}
