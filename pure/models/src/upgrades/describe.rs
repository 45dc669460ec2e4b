//! Groups and members as people read them.

use bowline_upgrades::{Cluster, Desired, Group, Member, Object};

use super::names::object;
use crate::harness::Flat;
use crate::tiny::Tiny;

pub(crate) fn describe(slot: u8, flat: &Flat) -> String {
    match object(slot, *flat) {
        Object::Group(group) => describe_group(&group),
        Object::Member(Member { desired, report, .. }) => {
            let report = report.map_or("nothing".to_owned(), |report| {
                format!(
                    "{:?} {:?} acts {:?} as of {}",
                    report.version, report.condition, report.devices, report.observed
                )
            });
            let Desired { version, drains, fenced, devices, partitions } = desired;
            let devices: Vec<_> =
                devices.iter().map(|duty| (duty.device, duty.epoch.0, duty.leaves)).collect();
            format!(
                "version {version:?} drains {drains} fenced {fenced} devices {devices:?} partitions {partitions:?}; reports {report}"
            )
        }
        Object::Cluster(Cluster { updates, upgrade, .. }) => {
            format!("updates {updates} upgrade {upgrade:?}")
        }
    }
}

fn describe_group(group: &Group<Tiny>) -> String {
    let Group { wish, status, told, .. } = group;
    let seats: Vec<_> = status
        .seats
        .iter()
        .map(|(number, seat)| format!("{number}:v{} {:?}", seat.version, seat.state))
        .collect();
    let devices: Vec<_> = status
        .devices
        .iter()
        .map(|(device, mastery)| {
            let leaves = if mastery.leaves { " leaves" } else { "" };
            format!("{device}:{:?}@{}{leaves}", mastery.master, mastery.epoch)
        })
        .collect();
    let hand = status.hand.as_ref().map(|hand| (hand.member, hand.to, hand.moves));
    format!(
        "wants {:?} {:?}; {:?} serving {:?} pair {:?} seats [{}] hand {hand:?} last {:?} lists {:?} devices [{}] failed {:?} forwarded {} answered {:?} says {:?}",
        wish.version,
        wish.command.as_ref().map(|command| (command.verb, command.member, command.ticket)),
        status.phase,
        status.serving,
        status.pair.as_ref().map(|pair| (pair.old, pair.new)),
        seats.join(" "),
        status.last,
        status.lists,
        devices.join(" "),
        status.failed,
        status.forwarded,
        status.answered.as_ref().map(|answered| (answered.ticket, answered.refused.is_some())),
        told.as_ref().map(|told| (told.mood, told.observed)),
    )
}
