//! What only a real cluster does: it takes its time, and volumes are made when pods ask for them.

use std::collections::BTreeSet;

use super::town::{SHOP, Town};
use crate::Thing;
use crate::syncer::{Act, Idle, Local, Stage};

/// A town with a volume that is asked for on east, and was not made yet.
fn asked() -> Town {
    let mut town = Town::new(&["east", "west"], &["data"]);
    town.pin("east");
    town.settle();
    town.made.clear();
    let volume = town.volumes.get_mut("data").expect("a volume");
    volume.described = None;
    volume.grant.users.get_mut("east").expect("its use").said = None;
    let east = town.syncers.get_mut("east").expect("a syncer");
    east.view = None;
    let here = east.here.get_mut(SHOP).expect("a namespace");
    here.runs = false;
    let local = here.volumes.get_mut("data").expect("a volume");
    (local.stage, local.retained) = (Stage::Asked, false);
    town
}

#[test]
fn workloads_start_before_a_volume_is_made_that_is_made_for_them() {
    let mut town = asked();
    town.settle();
    let here = &town.syncers["east"].here[SHOP];
    assert!(here.runs, "nobody else would ask for it");
    assert_eq!(here.volumes["data"].stage, Stage::Asked);
    assert_eq!(town.volumes["data"].grant.users["east"].said, None, "there is nothing to be safe yet");
}

#[test]
fn what_was_never_made_is_given_up_without_a_description() {
    let mut town = asked();
    town.settle();
    town.pin("west");
    town.settle();
    assert_eq!(town.runners(), ["west"]);
    assert!(!town.acts.iter().any(|act| act.contains("east: Make")), "{:?}", town.acts);
    assert!(town.syncers["east"].here.is_empty());
}

#[test]
fn a_claim_that_the_cluster_has_made_and_not_filled_is_deleted_when_its_namespace_goes() {
    let mut town = Town::new(&["east", "west"], &[]);
    town.pin("east");
    town.settle();
    let unmade = Local { held: None, stage: Stage::Asked, retained: false };
    let here = town.syncers.get_mut("east").expect("a syncer").here.get_mut(SHOP).expect("a namespace");
    here.volumes.insert("own", unmade);
    // It is not adopted: there is nothing.
    assert!(town.syncers["east"].act().is_err());
    town.pin("west");
    town.settle();
    assert!(town.syncers["east"].here.is_empty() && town.runners() == ["west"]);
}

#[test]
fn what_is_under_way_in_a_namespace_keeps_no_other_waiting_and_is_not_begun_twice() {
    let mut town = Town::new(&["east", "west"], &["data"]);
    town.pin("east");
    town.settle();
    let busy = BTreeSet::from([SHOP]);
    let east = town.syncers.get_mut("east").expect("a syncer");
    let mut view = east.view.clone().expect("it has read");
    let grant = &mut view.placements.get_mut(SHOP).expect("a placement").grant;
    grant.users.get_mut("east").expect("its use").state = crate::UseState::Releasing;
    view.target.report = Some(crate::TargetReport {
        fence: east.accepted,
        tenure: view.tenure,
        restore: 0,
        ahead: false,
        uses: Default::default(),
    });
    east.view = Some(view);
    assert_eq!(east.act(), Ok(Act::Stop(SHOP)));
    assert_eq!(east.act_beside(&busy), Err(Idle::Nothing));
    // Who lost the lease stops as soon, or as late.
    (east.tenure, east.enforces) = (None, true);
    assert_eq!(east.act(), Ok(Act::Stop(SHOP)));
    assert_eq!(east.act_beside(&busy), Err(Idle::Lease));
}

#[test]
fn copies_follow_the_hub_only_while_the_namespace_is_up_by_a_grant_that_holds() {
    let mut town = Town::new(&["east", "west"], &["data"]);
    town.pin("east");
    town.settle();
    let east = town.syncers["east"].clone();
    assert!(east.mirrors(&SHOP));
    let changed = |change: &dyn Fn(&mut crate::syncer::Known<super::Plain>)| {
        let mut known = east.clone();
        change(&mut known);
        known.mirrors(&SHOP)
    };
    assert!(!changed(&|known| known.tenure = None), "no lease");
    assert!(!changed(&|known| known.view = None), "nothing read");
    assert!(!changed(&|known| known.tenure = Some(2)), "read in another tenure");
    assert!(!changed(&|known| known.here.get_mut(SHOP).expect("here").runs = false), "stopped");
    assert!(!changed(&|known| known.here.get_mut(SHOP).expect("here").ours = false), "somebody else's");
    assert!(!changed(&|known| known.view.as_mut().expect("a view").placements.clear()), "the hub is empty");
    assert!(!changed(&|known| known.given = [(Thing::Namespace(SHOP), crate::Epoch(9))].into()), "given up");
    assert!(!town.syncers["west"].mirrors(&SHOP));
}
