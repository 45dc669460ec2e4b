//! What an agent does.

use bowline_control::Millis;

use super::Plain;
use super::town::agent;
use crate::agent::{Act, Drain, Duties, Fence, Health, Idle, Known, Read, Software};
use crate::{Condition, Desired, Duty, Epoch, Report};

const NOW: Millis = Millis(1_000);
/// A deadline that has not passed.
const LATER: Fence = Fence::Until(Millis(1_001));

fn act(known: &Known<Plain>) -> Result<Act<Plain>, Idle> {
    known.act(NOW)
}

fn desired(version: Option<&'static str>, duties: &[(u64, bool)]) -> Desired<Plain> {
    let duty = |(epoch, leaves): &(u64, bool)| Duty { device: "d0", epoch: Epoch(*epoch), leaves: *leaves };
    let devices = duties.iter().map(duty).collect();
    Desired { version, drains: false, fenced: !duties.is_empty(), devices, partitions: Vec::new() }
}

/// One that has read this, and whose software is fenced accordingly.
fn reading(desired: Desired<Plain>) -> Known<Plain> {
    let mut known = agent();
    reads(&mut known, 3, desired);
    known
}

fn reads(known: &mut Known<Plain>, generation: u64, desired: Desired<Plain>) {
    known.fence = if desired.fenced { LATER } else { Fence::Open };
    known.learn(Read { tenure: Some(1), generation, desired });
}

fn runs(version: &'static str) -> Software<Plain> {
    Software::Runs { version, health: Health::Good }
}

#[test]
fn it_reads_before_it_does_anything() {
    assert_eq!(act(&agent()), Ok(Act::Read));
    let mut known = reading(desired(Some("v1"), &[]));
    known.tenure = Some(2);
    assert_eq!(act(&known), Ok(Act::Read));
}

#[test]
fn it_starts_what_is_desired_tells_it_and_reports() {
    let mut known = reading(desired(Some("v1"), &[(4, false)]));
    assert_eq!(act(&known), Ok(Act::Start("v1")));
    known.software = runs("v1");
    let duties = Duties { devices: vec![("d0", Epoch(4))], partitions: Vec::new() };
    assert_eq!(act(&known), Ok(Act::Tell(duties.clone())));
    known.told = duties;
    let Ok(Act::Report(report)) = act(&known) else { panic!("it reports") };
    assert_eq!((report.observed, report.condition), (3, Condition::Running));
    known.reported = Some(report);
    assert_eq!(act(&known), Err(Idle::Nothing));
}

#[test]
fn without_a_lease_a_master_is_ended_and_nobody_else() {
    let mut known = reading(desired(Some("v1"), &[]));
    (known.software, known.tenure) = (runs("v1"), None);
    assert_eq!(act(&known), Err(Idle::Lease));
    known.told.devices = vec![("d0", Epoch(4))];
    assert_eq!(act(&known), Ok(Act::Kill));
    let mut known = reading(Desired { fenced: true, ..desired(Some("v1"), &[]) });
    (known.software, known.tenure) = (runs("v1"), None);
    assert_eq!(act(&known), Ok(Act::Kill), "its lease is another's, whatever the deadline is");
    known.software = Software::Absent;
    assert_eq!(act(&known), Err(Idle::Lease));
}

#[test]
fn who_begins_anew_leaves_a_master_alone_until_the_lease_before_is_over() {
    let mut known = agent();
    (known.software, known.tenure, known.fence) = (runs("v1"), None, LATER);
    known.told.devices = vec![("d0", Epoch(4))];
    assert_eq!(act(&known), Err(Idle::Lease));
    assert_eq!(known.act(Millis(1_001)), Ok(Act::Kill));
    known.fence = Fence::Open;
    assert_eq!(act(&known), Ok(Act::Kill), "nobody would end it");
    // It has its lease, and goes on as it is.
    (known.tenure, known.fence) = (Some(2), LATER);
    assert_eq!(act(&known), Ok(Act::Read));
    known.learn(Read { tenure: Some(2), generation: 3, desired: desired(Some("v1"), &[(4, false)]) });
    let Ok(Act::Report(report)) = act(&known) else { panic!("it reports") };
    assert_eq!((report.condition, report.devices.len()), (Condition::Running, 1));
}

#[test]
fn what_was_found_is_as_the_hub_was_told_and_epochs_of_an_earlier_life_count() {
    let mut known = agent();
    known.software = Software::Runs { version: "v1", health: Health::Unknown };
    let report = |version, condition| Report {
        observed: 3,
        version: Some(version),
        condition,
        devices: Vec::new(),
        seen: vec![("d0", Epoch(9))],
        words: String::new(),
    };
    for (version, condition, health) in [
        ("v1", Condition::Running, Health::Good),
        ("v1", Condition::Unhealthy, Health::Bad),
        ("v1", Condition::Starting, Health::Unknown),
        ("v2", Condition::Running, Health::Unknown),
    ] {
        known.reported = Some(report(version, condition));
        assert_eq!(known.as_reported(), health, "{version} {condition:?}");
    }
    reads(&mut known, 3, desired(Some("v1"), &[(5, false)]));
    assert_eq!(known.seen["d0"], Epoch(9));
    let Ok(Act::Report(report)) = act(&known) else { panic!("it reports, and acts for nothing") };
    assert_eq!(report.devices, Vec::new());
    known.software = runs("v1");
    assert_eq!(known.as_reported(), Health::Unknown, "it was asked");
}

#[test]
fn it_is_fenced_before_it_is_given_anything_and_let_off_when_it_has_nothing() {
    let mut known = reading(desired(Some("v1"), &[(4, false)]));
    known.fence = Fence::Open;
    assert_eq!(act(&known), Ok(Act::Fence(true)));
    known.fence = LATER;
    assert_eq!(act(&known), Ok(Act::Start("v1")));
    // What is left in its hands has to go first.
    (known.software, known.told.devices) = (runs("v1"), vec![("d0", Epoch(4))]);
    known.learn(Read { tenure: Some(1), generation: 4, desired: desired(Some("v1"), &[]) });
    assert_eq!(act(&known), Ok(Act::Tell(Duties::default())));
    known.told = Duties::default();
    assert_eq!(act(&known), Ok(Act::Fence(false)));
    // By what was read before it had its lease nobody is let off.
    known.tenure = Some(2);
    assert_eq!(act(&known), Ok(Act::Read));
}

#[test]
fn software_that_does_not_let_go_in_its_time_is_ended() {
    let mut known = reading(desired(Some("v1"), &[(4, true)]));
    (known.software, known.told.devices) = (runs("v1"), vec![("d0", Epoch(4))]);
    let nothing = || Ok(Act::Tell(Duties::default()));
    assert_eq!(act(&known), nothing());
    known.deaf_until = Some(Millis(1_001));
    assert_eq!((act(&known), known.act(Millis(1_001))), (nothing(), Ok(Act::Kill)));
    // What takes nothing away may be heard of later.
    known.told.devices = Vec::new();
    reads(&mut known, 4, desired(Some("v1"), &[(5, false)]));
    assert!(matches!(known.act(Millis(2_000)), Ok(Act::Tell(_))));
}

#[test]
fn who_was_taken_out_leaves_when_nothing_runs_and_nothing_is_to() {
    let mut known = reading(desired(None, &[]));
    assert!(known.may_leave());
    known.software = runs("v1");
    assert!(!known.may_leave());
    let known = reading(desired(Some("v1"), &[]));
    assert!(!known.may_leave(), "it may be somebody else who does not see it");
    assert!(!agent().may_leave());
}

#[test]
fn an_epoch_that_is_smaller_than_one_it_has_seen_is_not_acted_for() {
    let mut known = reading(desired(Some("v1"), &[(9, true)]));
    known.software = runs("v1");
    reads(&mut known, 4, desired(Some("v1"), &[(5, false)]));
    let Ok(Act::Report(report)) = act(&known) else { panic!("it reports, and acts for nothing") };
    assert_eq!((report.devices, report.seen), (Vec::new(), vec![("d0", Epoch(9))]));
}

#[test]
fn who_drains_lets_go_afterwards_and_stops_when_another_version_is_desired() {
    let mut known = reading(Desired { drains: true, ..desired(Some("v1"), &[(4, true)]) });
    known.software = runs("v1");
    known.told.devices = vec![("d0", Epoch(4))];
    assert_eq!(act(&known), Ok(Act::Drain));
    known.drain = Drain::UnderWay;
    let Ok(Act::Report(report)) = act(&known) else { panic!("it reports that it drains") };
    assert_eq!((report.condition, report.devices.len()), (Condition::Draining, 1));
    known.drain = Drain::Done;
    assert_eq!(act(&known), Ok(Act::Tell(Duties::default())));
    known.told = Duties::default();
    let Ok(Act::Report(report)) = act(&known) else { panic!("it reports that it has drained") };
    assert_eq!((report.condition, report.devices.len()), (Condition::Drained, 0));
    reads(&mut known, 4, desired(Some("v2"), &[]));
    assert_eq!(act(&known), Ok(Act::Stop));
    known.software = Software::Ends { version: "v1" };
    let Ok(Act::Report(report)) = act(&known) else { panic!("it reports that it stops") };
    assert_eq!(report.condition, Condition::Stopping);
    known.software = Software::Absent;
    assert_eq!(act(&known), Ok(Act::Start("v2")));
}

#[test]
fn what_died_is_started_again_when_it_is_due_and_another_version_at_once() {
    let died =
        |is_due, has_failed| Software::Died { version: "v1", is_due, has_failed, how: "exit 1".to_owned() };
    let mut known = reading(desired(Some("v1"), &[]));
    known.software = died(false, false);
    let Ok(Act::Report(report)) = act(&known) else { panic!("it reports") };
    assert_eq!((report.condition, report.words.as_str()), (Condition::Restarting, "exit 1"));
    known.reported = Some(report);
    assert_eq!(act(&known), Err(Idle::Software));
    known.software = died(false, true);
    let Ok(Act::Report(report)) = act(&known) else { panic!("it reports") };
    assert_eq!(report.condition, Condition::Failed);
    known.software = died(true, true);
    assert_eq!(act(&known), Ok(Act::Start("v1")));
    known.software = died(false, true);
    reads(&mut known, 4, desired(Some("v2"), &[]));
    assert_eq!(act(&known), Ok(Act::Start("v2")));
}

#[test]
fn what_is_about_to_drain_is_not_started_for_that() {
    let known = reading(Desired { drains: true, ..desired(Some("v1"), &[]) });
    let Ok(Act::Report(report)) = act(&known) else { panic!("it reports") };
    assert_eq!(report.condition, Condition::Stopped);
}

#[test]
fn another_epoch_of_a_device_takes_away_the_one_before() {
    let of = |devices: &[(&'static str, u64)]| Duties::<Plain> {
        devices: devices.iter().map(|(name, epoch)| (*name, Epoch(*epoch))).collect(),
        partitions: Vec::new(),
    };
    let takes =
        |before: &[(&'static str, u64)], after: &[(&'static str, u64)]| of(after).takes_from(&of(before));
    assert!(!takes(&[], &[("d0", 1)]) && !takes(&[("d0", 1)], &[("d0", 1), ("d1", 1)]) && !takes(&[], &[]));
    assert!(
        takes(&[("d0", 1)], &[]) && takes(&[("d0", 1)], &[("d0", 2)]) && takes(&[("d0", 1)], &[("d1", 1)])
    );
}
